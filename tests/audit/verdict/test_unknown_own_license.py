"""A work whose own licence is unknown: verdicts that always hold, and those that depend on it."""

from dataclasses import replace

import pytest

from audit.facts import (
    OWN_UNKNOWN,
    UNDECIDED,
    Finding,
    Learned,
    LicenseVerdict,
    Place,
    Repository,
    Source,
    Usage,
)
from audit.licenses.osadl import shipped
from audit.verdict import unknown_own_license
from audit.verdict.policy import Policy
from audit.verdict.repository_verdict import Judge
from tests.audit.runs import AT, audited, used

MATRIX = shipped()
STATIC, VENDORED = Usage.STATIC_LINK, Usage.VENDORED


def text_license(expression):
    """A licence that was learned of texts."""
    return Learned(expression, Source.LICENSE_TEXT, Place("LICENSE"))


@pytest.mark.parametrize(
    ("own", "licenses"),
    [
        (Learned(), tuple(MATRIX.names)),
        (Learned("SEE LICENSE IN x"), tuple(MATRIX.names)),
        (Learned("Apach-2.0"), tuple(MATRIX.names)),
        (Learned("MIT AND Apach-2.0"), tuple(f"MIT AND {name}" for name in MATRIX.names)),
        (Learned("MIT"), ()),
        (Learned("LicenseRef-ours"), ()),
        (Learned("UNLICENSED"), ()),
        (Learned("Apache-2.0 AND GPL-2.0-only"), ()),
        (text_license("Apache-2.0 AND GPL-2.0-only"), ("Apache-2.0", "GPL-2.0-only")),
        (text_license("MIT AND GPL-2.0-only"), ()),
    ],
)
def test_an_unknown_own_licence_may_be_any_of_the_matrix_or_its_texts(own, licenses):
    assert unknown_own_license.possible(own, MATRIX) == licenses


def test_a_family_may_be_any_of_its_members():
    assert set(unknown_own_license.possible(Learned("BSD"), MATRIX)) >= {"BSD-2-Clause", "BSD-3-Clause"}


@pytest.mark.parametrize(
    ("license_id", "usage", "verdict", "rule"),
    [
        ("MIT", STATIC, LicenseVerdict.COMPATIBLE, unknown_own_license.ANY),
        ("GPL-2.0-only", STATIC, LicenseVerdict.REVIEW, UNDECIDED),
        ("Apache-2.0", STATIC, LicenseVerdict.REVIEW, UNDECIDED),
        ("GPL-2.0-only", Usage.DEV_TOOL, LicenseVerdict.NOT_APPLICABLE, "usage/tool"),
        ("Foo", STATIC, LicenseVerdict.UNKNOWN_LICENSE, "license/unknown"),
        ("MIT AND Foo", STATIC, LicenseVerdict.UNKNOWN_LICENSE, "license/unknown"),
        (None, STATIC, LicenseVerdict.UNKNOWN_LICENSE, "license/none"),
        ("GPL-2.0-only OR MIT", STATIC, LicenseVerdict.COMPATIBLE, unknown_own_license.ANY),
    ],
)
def test_each_use_has_the_verdict_that_holds_for_every_own_licence(license_id, usage, verdict, rule):
    (cell,) = audited(used("x", license_id, usage), license_id=None).cells
    judged = cell.judgement
    assert (judged.verdict, judged.rule) == (verdict, rule)
    assert ("depends on the licence of the work" in judged.reason) is (rule == UNDECIDED)


def test_many_uses_under_an_unknown_own_licence_are_one_violation():
    many = [used(f"a{number}", "Apache-2.0", STATIC) for number in range(77)]
    found = audited(*many, license_id=None)
    fail_on = (LicenseVerdict.INCOMPATIBLE, LicenseVerdict.UNKNOWN_LICENSE)

    assert not any(cell.fails((*fail_on, LicenseVerdict.REVIEW)) for cell in found.cells)
    assert [finding.code for finding in found.findings] == [OWN_UNKNOWN]
    assert found.own_license_violation(fail_on) is found.findings[0]
    assert found.own_license_violation((LicenseVerdict.REVIEW,)) is found.findings[0]
    assert found.own_license_violation((LicenseVerdict.INCOMPATIBLE,)) is None
    tool = audited(used("x", "Apache-2.0", Usage.DEV_TOOL), license_id=None)
    assert (tool.own_license_violation(fail_on), len(tool.findings)) == (None, 1)


def test_uses_that_no_licence_allows_together_name_each_other():
    others = [used(f"a{number}", "Apache-2.0", VENDORED) for number in range(3)]
    found = audited(used("g", "GPL-2.0-only", VENDORED), *others, used("m", "MIT", VENDORED), license_id=None)
    judged = {cell.dependency.name: cell.judgement for cell in found.cells}

    assert (judged["g"].verdict, judged["g"].rule) == (LicenseVerdict.INCOMPATIBLE, unknown_own_license.CONFLICT)
    assert judged["g"].reason.endswith("allows this use of GPL-2.0-only and that of a0 (Apache-2.0)")
    assert {judged[name].rule for name in ("a0", "a1", "a2")} == {UNDECIDED}
    assert audited(used("g", "GPL-3.0-only", VENDORED), *others, license_id=None).cells[-1].judgement.rule == UNDECIDED


def test_texts_that_cannot_be_merged_leave_only_the_uses_that_fit_both():
    texts = Repository(
        name="o/r",
        license=text_license("Apache-2.0 AND GPL-2.0-only"),
        dependencies=(used("a", "MIT", STATIC), used("b", "Apache-2.0", STATIC)),
    )
    judge = Judge(Policy(), MATRIX, AT.date())
    found = judge.audited(texts)
    assert [cell.judgement.rule for cell in found.cells] == [unknown_own_license.ANY, UNDECIDED]
    assert "Apache-2.0 and GPL-2.0-only, which cannot be merged" in found.findings[0].message
    stated = replace(texts, license=Learned("Apache-2.0 AND GPL-2.0-only", Source.METADATA, Place("pyproject.toml")))
    assert judge.audited(stated).cells[1].judgement.verdict is LicenseVerdict.INCOMPATIBLE


def test_the_scan_s_own_finding_on_the_licence_is_kept():
    said = Finding(OWN_UNKNOWN, Place("LICENSE"), "nearest is MIT")
    judge = Judge(Policy(), MATRIX, AT.date())
    assert judge.audited(Repository(name="o/r", findings=(said,))).findings == (said,)
    empty = Finding("scope/empty", Place("."), "nothing")
    assert judge.audited(Repository(name="o/r", findings=(empty,))).findings == (empty,)
