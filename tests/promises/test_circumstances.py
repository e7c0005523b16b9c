"""A commit's circumstances: the date of the pull request, overrides, shapes of histories; in both matchings."""

import pytest

from tests.promises.pull import ADA, BO, BOT, EVE, HEAD, NOW, account, commit, facts, sign_off, verdict

FIX = "f" * 40
MAINTAINER = account(1, "maint")
GOOD = "Signed-off-by: Ada <ada@home.org>"
BOTH = pytest.mark.parametrize("matching", ["evidence", "exact"])


def book(matching, **dco):
    """A rulebook of that matching."""
    return {"dco": {"matching": matching, **dco}}


def check(*commits, rulebook, **changes):
    """The DCO check."""
    found = verdict(facts(*commits, require="dco", rulebook=rulebook, **changes)).checks
    return next(result for result in found if result.name == "DCO")


def override(**changes):
    """A maintainer set the DCO aside for this head."""
    return {"kind": "dco", "account": None, "head_sha": HEAD, "by": MAINTAINER, "reason": "an import", **changes}


@BOTH
@pytest.mark.parametrize(("since", "created", "judged"), [
    ("2026-11-01", "2026-11-01T00:00:00Z", True), ("2026-11-01", "2026-10-31T23:59:59Z", False), ("2026-11-01", "2026-10-31T20:00:00-04:00", True), ("2026-11-01", "2026-11-01T07:59:59+08:00", False),
    ("2026-11-01T08:00:00+08:00", "2026-11-01T00:00:00Z", True), ("2026-11-01T08:00:00+08:00", "2026-10-31T23:59:59.999999Z", False), ("2026-11-01T00:00:00Z", "2026-11-01T08:00:00+08:00", True),
    ("2026-11-01", None, True), (None, "2008-04-10T00:00:00Z", True), ("2027-01-01", NOW, False),
])  # fmt: skip
def test_a_pull_request_opened_at_the_start_date_is_judged(since, created, judged, matching):
    found = check(rulebook={**book(matching), "since": since}, request={"created_at": created})
    assert found.conclusion.value == ("failure" if judged else "neutral")
    assert [note.code for note in found.notes] == ([] if judged else ["rules/before-since"])


@BOTH
@pytest.mark.parametrize(("given", "rule", "good"), [
    ([override()], "maintainers", True), ([override()], "admins", True), ([override()], "nobody", False), ([], "maintainers", False),
    ([override(head_sha=FIX)], "maintainers", False), ([override(head_sha=HEAD[:12])], "maintainers", False), ([override(head_sha=HEAD.upper())], "maintainers", False),
    ([override(kind="cla")], "maintainers", False), ([override(kind="cla", account=ADA)], "maintainers", False), ([override(account=ADA)], "maintainers", False),
    ([override(by=None)], "maintainers", False), ([override(by={})], "maintainers", False), ([override(by=ADA)], "maintainers", False), ([override(by=EVE)], "maintainers", False), ([override(by=BO)], "maintainers", False),
    ([override(by=account(13, "cy"))], "maintainers", False), ([override(head_sha=FIX), override(by=ADA), override()], "maintainers", True),
])  # fmt: skip
def test_the_dco_is_set_aside_for_one_head_by_another_person(given, rule, good, matching):
    work = commit(committer_account=BO, coauthors=[{"name": "Cy", "email": "cy@x.org", "account": account(13, "cy")}])
    found = check(work, rulebook=book(matching, override=rule), overrides=given, senders=[{**EVE, "may_write": True}])
    assert found.conclusion.passes is good
    assert found.commits[0].codes == (("dco/missing", "dco/overridden") if good else ("dco/missing",))
    assert found.commits[0].status == ("pass" if good else "fail")


@BOTH
def test_an_override_is_for_failing_commits_only(matching):
    good, bad = commit(sha=FIX, message=GOOD), commit()
    found = check(good, bad, rulebook=book(matching), overrides=[override()])
    assert [result.codes for result in found.commits] == [("dco/signed",), ("dco/missing", "dco/overridden")]
    assert not [
        note
        for note in check(good, rulebook=book(matching), overrides=[override(head_sha=FIX)]).notes
        if note.code == "dco/overridden"
    ]
    for doubt in ({"commit_count": 3}, {"commit_count": None}, {"commits": [], "commit_count": 0}):
        unknown = check(good, bad, rulebook=book(matching), overrides=[override()], **doubt)
        assert unknown.conclusion.value == "action_required"
    both = verdict(facts(bad, require="both", rulebook=book(matching), overrides=[override()]))
    assert [result.conclusion.value for result in both.checks] == ["failure", "success"]


@BOTH
@pytest.mark.parametrize(("message", "code"), [
    ('Revert "Add"\n\nThis reverts commit 0123.', "dco/missing"), (f'Revert "Add"\n\nThis reverts commit 0123.\n\n{GOOD}', "dco/signed"), (f'Revert "{GOOD}"', "dco/missing"),
    ('Reapply "Add"', "dco/missing"), ("Merge branch 'main' into topic", "dco/missing"), ("Merge pull request #1 from x/y", "dco/missing"), ("fixup! Add", "dco/missing"), ("squash! Add", "dco/missing"),
    ("Initial commit", "dco/missing"), (f"Add\n\n{GOOD}\n(cherry picked from commit 0123)", "dco/signed"), (f"{GOOD}\n\nCo-authored-by: Bo <bo@x.org>", "dco/signed"),
])  # fmt: skip
def test_no_subject_excuses_a_commit(message, code, matching):
    assert sign_off(commit(message=message), rulebook=book(matching)) == [(code,)]


@BOTH
@pytest.mark.parametrize(
    ("parents", "code"), [(0, "dco/missing"), (1, "dco/missing"), (2, "dco/merge"), (3, "dco/merge"), (66, "dco/merge")]
)
def test_root_commits_count_and_merges_need_no_sign_off(parents, code, matching):
    work = commit(parents=[f"{number:040}" for number in range(parents)])
    found = check(work, rulebook=book(matching))
    assert found.commits[0].codes == (code,)
    assert [note.code for note in found.notes] == ([code] if code == "dco/merge" else [])


@BOTH
def test_a_commit_shown_twice_counts_once(matching):
    good, bad = commit(message=GOOD), commit()
    assert check(good, good, rulebook=book(matching), commit_count=1).conclusion.passes
    for order in ((good, bad), (bad, good)):
        assert [result.status for result in check(*order, rulebook=book(matching), commit_count=1).commits] == [
            "pass" if work is good else "fail" for work in order
        ]
    assert check(good, good, rulebook=book(matching), commit_count=2).conclusion.value == "action_required"


@pytest.mark.parametrize(("author", "given", "evidence", "exact"), [
    (BOT, {"opener": BOT}, "dco/bot", "dco/bot"), (BOT, {"senders": [BOT]}, "dco/bot", "dco/bot"), (BOT, {}, "dco/bot-unproven", "dco/bot"), (BOT, {"senders": [{**BOT, "id": 98}]}, "dco/bot-unproven", "dco/bot"),
    (account(99, "helper[bot]"), {"senders": [BOT]}, "dco/bot", "dco/missing"), (account(99, "helper[bot]"), {}, "dco/bot-unproven", "dco/missing"),
    (account(99, "helper", "Organization"), {"opener": account(99, "helper", "Organization")}, "dco/missing", "dco/missing"), (account(99, "helper", "Mannequin"), {}, "dco/missing", "dco/missing"),
    (ADA, {"opener": BOT}, "dco/missing", "dco/missing"), (None, {"opener": BOT}, "dco/missing", "dco/missing"),
])  # fmt: skip
def test_a_bot_is_proven_by_opening_or_pushing_under_evidence_only(author, given, evidence, exact):
    for matching, code in (("evidence", evidence), ("exact", exact)):
        assert sign_off(commit(author_account=author), rulebook=book(matching), **given) == [(code,)]


@pytest.mark.parametrize("line", ["Signed-off-by: Agent <noreply@agent.example>", "Signed-off-by: Copilot <5+Copilot@users.noreply.github.com>", "Signed-off-by: GitHub <noreply@github.com>",
                                  "Signed-off-by: helper[bot] <99+helper[bot]@users.noreply.github.com>"])  # fmt: skip
@BOTH
def test_a_machines_line_beside_a_persons_changes_nothing(line, matching):
    rules = {**book(matching), "people": {"agents": {"accounts": [{"id": 5}], "emails": ["noreply@agent.example"]}}}
    for message in (f"{line}\n{GOOD}", f"{GOOD}\n{line}"):
        assert sign_off(commit(message=message), rulebook=rules) == [("dco/signed",)]
    (codes,) = sign_off(commit(message=line), rulebook=rules)
    assert codes in (("dco/agent-signoff",), ("dco/mismatch",))


@BOTH
@pytest.mark.parametrize(("members", "verified", "message", "code"), [
    ([11], True, "Add", "dco/member"), ([11], False, "Add", "dco/member-unverified"), ([11], None, "Add", "dco/member-unverified"), ([11], None, GOOD, "dco/signed"), ([12], True, "Add", "dco/missing"), ([], True, "Add", "dco/missing"),
    ([11], False, "Signed-off-by: Eve <eve@x.org>", "dco/mismatch"), ([11], True, "Signed-off-by: Eve <eve@x.org>", "dco/member"),
])  # fmt: skip
def test_members_with_verified_commits_are_exempt_when_the_rulebook_says_so(members, verified, message, code, matching):
    work = commit(message=message, verified=verified)
    assert sign_off(work, members=members, rulebook=book(matching, members="exempt")) == [(code,)]
    plain = {
        "dco/member": "dco/mismatch" if "Eve" in message else "dco/missing",
        "dco/member-unverified": "dco/missing",
    }
    assert sign_off(work, members=members, rulebook=book(matching)) == [(plain.get(code, code),)]
