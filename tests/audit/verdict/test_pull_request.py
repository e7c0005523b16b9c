"""A pull request answers for the violations that it adds or makes worse, and not for older ones."""

from dataclasses import replace
from datetime import date

import pytest

from audit.facts import OWN_UNKNOWN, ChangeCause, Finding, Learned, LicenseVerdict, Place, Source, Usage, Waiver
from audit.verdict.policy import Policy
from audit.verdict.pull_request import ChangeKind, LicenseConclusion, Severity, proposed, worst
from tests.audit.runs import audited, text, used

POLICY = Policy()
LENIENT = Policy(fail_on=(LicenseVerdict.INCOMPATIBLE,))
STATIC, TEST = Usage.STATIC_LINK, Usage.TEST_ONLY
MIT = used("lib", "MIT", STATIC)
GPL = used("lib", "GPL-3.0-or-later", STATIC)
GPL_2 = used("lib", "GPL-3.0-or-later", STATIC, version="2", purl="pkg:npm/lib@2")
AGPL_2 = used("lib", "AGPL-3.0-only", STATIC, version="2", purl="pkg:npm/lib@2")
UNKNOWN = used("lib", None, STATIC)
UNSAID = used("lib", "NOASSERTION", STATIC)
LGPL = used("lib", "LGPL-2.1-or-later", STATIC)
TOOL = replace(GPL, usage=TEST)
BSD_2 = used("lib", "BSD-3-Clause", STATIC, version="2", purl="pkg:npm/lib@2")
PASS, FAIL, DOUBT = LicenseConclusion.SUCCESS, LicenseConclusion.FAILURE, LicenseConclusion.ACTION_REQUIRED


@pytest.mark.parametrize(
    ("before", "after", "conclusion", "kinds"),
    [
        ([], [], PASS, []),
        ([MIT], [MIT], PASS, []),
        ([], [MIT], PASS, [ChangeKind.ADDED]),
        ([], [GPL], FAIL, [ChangeKind.ADDED]),
        ([], [UNKNOWN], FAIL, [ChangeKind.ADDED]),
        ([], [TOOL], PASS, [ChangeKind.ADDED]),
        ([GPL], [], PASS, [ChangeKind.GONE]),
        ([GPL], [GPL], PASS, [ChangeKind.STANDING]),
        ([GPL], [GPL_2], PASS, [ChangeKind.STANDING]),
        ([GPL], [AGPL_2], FAIL, [ChangeKind.WORSE]),
        ([UNKNOWN], [UNSAID], PASS, [ChangeKind.STANDING]),
        ([UNKNOWN], [GPL], FAIL, [ChangeKind.WORSE]),
        ([UNKNOWN], [MIT], PASS, [ChangeKind.BETTER]),
        ([MIT], [GPL], FAIL, [ChangeKind.WORSE]),
        ([MIT], [LGPL], PASS, [ChangeKind.WORSE]),
        ([MIT], [BSD_2], PASS, [ChangeKind.CHANGED]),
        ([GPL], [MIT], PASS, [ChangeKind.BETTER]),
        ([GPL], [TOOL], PASS, [ChangeKind.BETTER]),
        ([TOOL], [GPL], FAIL, [ChangeKind.WORSE]),
        ([TOOL], [TOOL, GPL], FAIL, [ChangeKind.ADDED]),
        ([GPL], [GPL, GPL_2], FAIL, [ChangeKind.ADDED, ChangeKind.STANDING]),
        ([GPL_2], [MIT, GPL_2], PASS, [ChangeKind.ADDED, ChangeKind.STANDING]),
    ],
)
def test_a_change_fails_only_for_a_violation_that_it_adds_or_makes_worse(before, after, conclusion, kinds):
    found = proposed(audited(*before), audited(*after), POLICY)
    assert (found.conclusion, [move.kind for move in found.moves]) == (conclusion, kinds)
    assert any(move.fails for move in found.moves) == (conclusion is FAIL)


@pytest.mark.parametrize(
    ("before", "after", "cause"),
    [
        ([], [GPL], ChangeCause.DEPENDENCY),
        ([MIT], [GPL], ChangeCause.LICENSE),
        ([TOOL], [GPL], ChangeCause.USAGE),
        ([GPL], [GPL_2], ChangeCause.DEPENDENCY),
        ([GPL], [AGPL_2], ChangeCause.LICENSE),
    ],
)
def test_the_cause_nearest_to_the_dependency_is_named(before, after, cause):
    assert proposed(audited(*before), audited(*after), POLICY).moves[0].cause is cause


def test_another_own_licence_touches_every_use():
    base, head = audited(GPL, used("b", "MIT", STATIC), license_id="GPL-3.0-or-later"), audited(
        GPL, used("b", "MIT", STATIC)
    )  # fmt: skip
    found = proposed(base, head, POLICY)
    assert [(move.kind, move.cause, move.fails) for move in found.moves] == [
        (ChangeKind.WORSE, ChangeCause.LICENSE, True)
    ]
    assert (found.own, found.unchanged) == (("GPL-3.0-or-later", "Apache-2.0"), 1)

    gone = proposed(audited(MIT), audited(MIT, license_id=None), POLICY)
    assert (gone.conclusion, gone.moves[0].after.judgement.verdict) == (FAIL, LicenseVerdict.COMPATIBLE)
    assert [(finding.finding.code, finding.weight) for finding in gone.findings] == [(OWN_UNKNOWN, Severity.FAILS)]


@pytest.mark.parametrize(
    ("before", "after", "conclusion"),
    [
        ([], [MIT], FAIL),
        ([], [TOOL], PASS),
        ([MIT], [MIT], PASS),
        ([MIT], [MIT, BSD_2], PASS),
        ([MIT], [MIT, GPL_2, AGPL_2], FAIL),
        ([GPL], [GPL], PASS),
    ],
)
def test_an_unknown_own_licence_fails_once_and_no_use_fails_by_it(before, after, conclusion):
    found = proposed(audited(*before, license_id=None), audited(*after, license_id=None), POLICY)
    failing = [finding for finding in found.findings if finding.weight is Severity.FAILS]

    assert (found.conclusion, len(failing)) == (conclusion, int(conclusion is FAIL))
    assert not any(move.fails for move in found.moves)
    assert proposed(audited(license_id=None), audited(*after, license_id=None), LENIENT).conclusion is PASS


def test_an_unread_file_that_the_change_touches_is_told_again():
    unread = Finding("file/unsupported", Place("build.sbt", 3), "names dependencies")
    before, after = (replace(audited(MIT), findings=(unread,)) for _ in "ab")

    touched = proposed(before, after, POLICY, frozenset({"build.sbt"}))
    other = proposed(before, after, POLICY, frozenset({"package.json"}))

    assert (touched.conclusion, touched.is_compatible, touched.not_read) == (PASS, False, (1, 0, 0))
    assert (other.conclusion, other.is_compatible, other.not_read) == (PASS, True, (1, 0, 0))


def test_a_waiver_of_the_version_before_does_not_cover_the_new_one():
    waiver = Waiver(purl="pkg:npm/lib@1.2.0", until=date(2027, 1, 1), reason="is being replaced", by="Ada Example")
    policy = Policy(waivers=(waiver,))
    found = proposed(audited(GPL, policy=policy), audited(GPL_2, policy=policy), policy)
    assert (found.conclusion, found.moves[0].kind) == (FAIL, ChangeKind.WORSE)

    in_force = proposed(audited(policy=policy), audited(GPL, policy=policy), policy)
    assert (in_force.conclusion, in_force.moves[0].after.waiver) == (PASS, waiver)


def test_the_rulebook_says_which_verdicts_fail():
    assert proposed(audited(), audited(LGPL), Policy(fail_on=(LicenseVerdict.CONDITIONAL,))).conclusion is FAIL
    assert proposed(audited(), audited(GPL), Policy(fail_on=())).conclusion is PASS


def test_moves_are_sorted_with_new_failures_first():
    alpha, beta = used("alpha", "MIT", STATIC), used("beta", "MIT", STATIC)
    before = audited(MIT, alpha, used("old", "GPL-3.0-only", STATIC))
    after = audited(GPL, beta, used("old", "GPL-3.0-only", STATIC))
    found = proposed(before, after, POLICY)
    assert [(move.kind, (move.after or move.before).dependency.name) for move in found.moves] == [
        (ChangeKind.WORSE, "lib"),
        (ChangeKind.ADDED, "beta"),
        (ChangeKind.STANDING, "old"),
        (ChangeKind.GONE, "alpha"),
    ]
    assert [change.kind for change in found.of(ChangeKind.GONE, ChangeKind.ADDED)] == [
        ChangeKind.ADDED,
        ChangeKind.GONE,
    ]


@pytest.mark.parametrize(
    ("before", "after", "found", "expected"),
    [
        ((), (MIT,), (), True),
        ((), (used("db", "GFDL-1.3-only", Usage.STATIC_LINK),), (), False),
        ((), (), (Finding("license/source", Place("x.c", 1), "GPL-3.0-only"),), False),
        ((), (), (Finding("license/contradiction", Place("x.c", 1), "MIT, ISC"),), True),
        ((used("db", "GFDL-1.3-only", Usage.STATIC_LINK),), (), (), True),
    ],
)
def test_a_passing_change_is_not_called_compatible_if_anything_is_open(before, after, found, expected):
    change = proposed(audited(*before), audited(*after, findings=found), POLICY)
    assert (change.conclusion, change.is_compatible) == (PASS, expected)


BROKEN = Finding("file/broken", Place("Cargo.lock", 3), "no TOML")
MOVED = replace(BROKEN, place=Place("Cargo.lock", 9))
MISSING = Finding("file/missing", Place("requirements.txt", 1), "names base.txt, which does not exist")
CUT = Finding("tree/cut-short", Place("."), "the rest is not read")
ALTERED = Finding("license/altered", Place("LICENSE"), "declares MIT, ships an altered text of MIT")
NOWHERE: frozenset[str] = frozenset()


@pytest.mark.parametrize(
    ("before", "after", "touched", "expected"),
    [
        ([], [BROKEN], NOWHERE, Severity.DOUBT),
        ([BROKEN], [MOVED], NOWHERE, None),
        ([BROKEN], [MOVED], frozenset({"Cargo.lock"}), Severity.DOUBT),
        ([BROKEN], [BROKEN], None, Severity.DOUBT),
        ([BROKEN], [], frozenset({"Cargo.lock"}), None),
        ([], [MISSING], NOWHERE, Severity.DOUBT),
        ([MISSING], [MISSING], None, None),
        ([MISSING], [MISSING, MISSING], NOWHERE, Severity.DOUBT),
        ([], [CUT], NOWHERE, Severity.DOUBT),
        ([CUT], [CUT], NOWHERE, Severity.DOUBT),
        ([CUT], [], NOWHERE, Severity.DOUBT),
        ([], [ALTERED], NOWHERE, Severity.TOLD),
        ([ALTERED], [ALTERED], None, None),
    ],
)
def test_unread_input_is_no_pass(before, after, touched, expected):
    found = proposed(audited(findings=tuple(before)), audited(findings=tuple(after)), POLICY, touched)
    assert [finding.weight for finding in found.findings] == ([expected] if expected else [])
    assert found.conclusion is (DOUBT if expected is Severity.DOUBT else PASS)


def test_a_violation_counts_before_doubt():
    assert proposed(audited(), audited(GPL, findings=(BROKEN,)), POLICY).conclusion is FAIL


def test_a_licence_lost_with_an_unread_file_is_doubt_and_a_known_clash_fails():
    unread = proposed(audited(MIT), audited(UNKNOWN, findings=(BROKEN,)), POLICY)
    assert (unread.conclusion, unread.moves[0].kind, unread.moves[0].fails) == (DOUBT, ChangeKind.WORSE, False)
    assert proposed(audited(MIT), audited(UNKNOWN, findings=(ALTERED,)), POLICY).conclusion is FAIL


SHIPS = Finding("license/mismatch", Place("vendor/lib/LICENSE"), "declares MIT, ships the text of GPL-3.0-only")
VENDORED = used("lib", "MIT", Usage.VENDORED, licenses=(text("vendor/lib/LICENSE", "GPL"),))


def ruled(dependency):
    """The same dependency, its licence said by the rulebook."""
    return replace(dependency, license=Learned("MIT", Source.RULEBOOK, Place(".github/countersign.yml")))


@pytest.mark.parametrize(
    ("dependency", "policy", "expected"),
    [
        (VENDORED, POLICY, Severity.FAILS),
        (replace(VENDORED, usage=TEST), POLICY, Severity.TOLD),
        (ruled(VENDORED), POLICY, Severity.TOLD),
        (VENDORED, Policy(fail_on=(LicenseVerdict.INCOMPATIBLE,)), Severity.TOLD),
        (MIT, POLICY, Severity.TOLD),
    ],
)
def test_a_licence_that_its_text_contradicts_fails_as_unknown(dependency, policy, expected):
    found = proposed(audited(), audited(dependency, findings=(SHIPS,), policy=policy), policy)
    assert [noted.weight for noted in found.findings] == [expected]
    assert found.conclusion is (FAIL if expected is Severity.FAILS else PASS)


def test_the_repository_s_own_contradicting_text_fails():
    own = replace(SHIPS, place=Place("LICENSE"))
    head = audited(MIT, findings=(own,), licenses=(text("LICENSE", "GPL"),))
    assert proposed(audited(MIT), head, POLICY).conclusion is FAIL


@pytest.mark.parametrize(
    ("conclusions", "expected"),
    [([], DOUBT), ([PASS], PASS), ([PASS, DOUBT], DOUBT), ([DOUBT, FAIL, PASS], FAIL)],
)
def test_the_worst_conclusion_counts_and_no_conclusion_is_doubt(conclusions, expected):
    assert worst(conclusions) is expected
