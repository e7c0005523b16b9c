"""Two nights are compared: the changes, and the one cause of each."""

import json
from dataclasses import replace

import pytest

from audit.facts import ChangeCause, Learned, Source, Unknown, Usage
from audit.output.audit_run import build
from audit.output.json_reports import report
from audit.output.nightly_changes import ReportUnreadable, changes
from tests.audit.runs import AT, audited, organisation, used

READLINE = used("readline", "MIT", Usage.STATIC_LINK)
GPL = used("readline", "GPL-3.0-or-later", Usage.STATIC_LINK)


def night(*audits):
    """A parsed report.json."""
    return json.loads(report(build(audits, AT)))


def otherwise(**judged):
    """The same cell, judged otherwise."""
    work = audited(READLINE)
    cell = work.cells[0]
    return replace(work, cells=(replace(cell, judgement=replace(cell.judgement, **judged)),))


@pytest.mark.parametrize(
    ("before", "after", "cause"),
    [
        (audited(), audited(READLINE), ChangeCause.DEPENDENCY),
        (audited(READLINE), audited(), ChangeCause.DEPENDENCY),
        (audited(READLINE), audited(used("readline", "MIT", Usage.STATIC_LINK, version="2")), ChangeCause.DEPENDENCY),
        (audited(READLINE), audited(GPL), ChangeCause.LICENSE),
        (
            audited(READLINE),
            audited(used("readline", "GPL-3.0-or-later", Usage.STATIC_LINK, version="2")),
            ChangeCause.LICENSE,
        ),
        (audited(GPL), audited(GPL, license_id="GPL-3.0-or-later"), ChangeCause.LICENSE),
        (audited(GPL), audited(used("readline", "GPL-3.0-or-later", Usage.BUILD_TOOL)), ChangeCause.USAGE),
        (audited(READLINE), otherwise(verdict="review", rule="x/y", data_version="2027-01-01"), ChangeCause.DATA),
        (audited(READLINE), otherwise(verdict="review", rule="x/y"), ChangeCause.RULE),
    ],
)
def test_the_cause_nearest_to_the_dependency_counts(before, after, cause):
    assert [cause] == [change.cause for change in changes(night(before), night(after))]


def test_a_waiver_changes_the_violation_and_not_the_verdict():
    with_waiver = next(work for work in organisation() if work.repository.name == "org/free")
    without = replace(with_waiver, cells=tuple(replace(cell, waiver=None) for cell in with_waiver.cells))
    (ended,) = changes(night(with_waiver), night(without))
    (begun,) = changes(night(without), night(with_waiver))

    assert (ended.cause, ended.is_new_violation, ended.is_mended) == (ChangeCause.WAIVER, True, False)
    assert (begun.cause, begun.is_new_violation, begun.is_mended) == (ChangeCause.WAIVER, False, True)


def test_nothing_is_told_while_the_outcome_is_the_same():
    assert () == changes(night(audited(READLINE)), night(otherwise(data_version="2027-01-01", reason="other words")))
    assert () == changes(night(*organisation()), night(*reversed(organisation())))
    assert () == changes(night(audited(READLINE)), night(audited(READLINE, license_id="MIT")))


def test_uses_are_paired_with_those_most_alike():
    old = [used("a", "MIT", usage, version=version) for usage in (Usage.VENDORED, Usage.TEST_ONLY) for version in "12"]
    new = [*old[:3], used("a", "MIT", Usage.TEST_ONLY, version="3")]
    (change,) = changes(night(audited(*old)), night(audited(*new)))

    assert (change.before.version, change.after.version, change.after.usage) == ("2", "3", "test-only")


def test_changes_come_in_the_order_of_importance():
    before = night(
        audited(
            GPL, used("b", "MIT", Usage.VENDORED), used("c", "MIT", Usage.VENDORED), used("gone", "MIT", Usage.VENDORED)
        )
    )
    after = night(
        audited(
            READLINE,
            used("b", "MPL-2.0", Usage.VENDORED),
            used("c", "GPL-2.0-only", Usage.VENDORED),
            used("new", "MIT", Usage.VENDORED),
        )
    )
    found = changes(before, after)

    assert [change.name for change in found] == ["c", "b", "readline", "new", "gone"]


@pytest.mark.parametrize("wrong", [{}, {"schema": 2}, {"schema": 1}, {"schema": 1, "judgements": [], "fail_on": [], "repositories": [{}]},
                                   {"schema": 1, "judgements": 3, "fail_on": None, "repositories": 4}])  # fmt: skip
def test_a_broken_report_is_refused(wrong):
    with pytest.raises(ReportUnreadable):
        changes(wrong, night())


def test_an_unknown_own_licence_is_told_once():
    many = [used(f"a{number}", "Apache-2.0", Usage.STATIC_LINK) for number in range(9)]
    known, unknown = night(audited(*many)), night(audited(*many, license_id=None))
    (lost,) = changes(known, unknown)
    (found,) = changes(unknown, known)

    assert (lost.is_new_violation, lost.is_mended, lost.name) == (True, False, "its own licence")
    assert (found.is_new_violation, found.is_mended) == (False, True)
    worse = changes(night(audited(GPL, license_id=None)), night(audited(GPL)))
    assert [(change.name, change.is_new_violation, change.is_mended) for change in worse] == [
        ("readline", True, False),
        ("its own licence", False, True),
    ]


def test_a_report_of_an_older_release_brings_no_changes_for_its_own_licence():
    many = [used(f"a{number}", "Apache-2.0", Usage.STATIC_LINK) for number in range(9)]
    after = night(audited(*many, license_id=None))
    before = json.loads(json.dumps(after))
    before["judgements"] = [
        {**judgement, "verdict": "unknown-license", "rule": "outbound/unknown"} for judgement in before["judgements"]
    ]
    before["repositories"][0]["findings"] = []
    assert changes(before, after) == ()


def test_a_licence_that_was_not_looked_up_is_no_violation():
    waiting = replace(READLINE, license=Learned(None, Source.UNSTATED, None, Unknown.OFFLINE))
    (new,) = changes(night(audited()), night(audited(waiting)))
    (known,) = changes(night(audited(waiting)), night(audited(READLINE)))
    (wrong,) = changes(night(audited(waiting)), night(audited(GPL)))
    assert [(change.is_new_violation, change.is_mended) for change in (new, known, wrong)] == [
        (False, False),
        (False, False),
        (True, False),
    ]


def test_another_spelling_of_a_licence_is_no_change():
    before, after = (night(audited(used("a", said, Usage.STATIC_LINK))) for said in ("Apache-2.0", "Apache-2.0"))
    before["repositories"][0]["cells"][0]["license"] = "Apache 2.0"
    before["repositories"][0]["license"] = "apache-2.0"

    assert changes(before, after) == ()
