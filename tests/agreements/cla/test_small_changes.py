"""A small change needs no agreement: within both limits, by people alone, and up to a total for each person."""

import pytest

from agreements.cla.coverage import MISSES
from bot import verdict_codes

ADA, BO = {"id": 11, "login": "ada"}, {"id": 12, "login": "bo"}
DOCS = {"path": "docs/a.md", "additions": 2, "deletions": 1, "text": True}
LIMITS = {"lines": 15, "paths": ["*.md"], "total": 40}
SIGNED = [{"agreement": "icla", "version": "2.0", "account": ADA, "signed_at": "2026-01-01T00:00:00Z"}]


def book(require="cla", small=LIMITS, **more):
    """A rulebook with these limits."""
    return {"repositories": [{"match": ["*"], "require": require, "small": small}], **more}


@pytest.fixture(name="judged")
def _judged(verdict, case):
    """The CLA check of a pull request with these changes."""

    def judge(*commits, changes=(DOCS,), rulebook=None, request=None, **more):
        request = {**case(*commits)["pull_request"], "changes": changes, **(request or {})}
        facts = {"rulebook": rulebook or book(), "pull_request": request, **more}
        return verdict(*commits, **facts).checks[0]

    return judge


@pytest.fixture(name="passes")
def _passes(judged):
    """Whether the check passes: no person needs an agreement there."""
    return lambda *commits, **facts: judged(*commits, **facts).conclusion.passes


def changed(path="a.md", **more):
    """One changed file."""
    return [{**DOCS, "path": path, **more}]


def test_a_small_change_passes_and_says_how_many_lines_of_which_files(judged):
    (note,) = judged().notes
    assert (note.code, note.account.id, note.role) == ("cla/small-change", 11, "opener")
    assert note.values == {"lines": 3, "paths": ("*.md",)}


def test_it_is_for_everyone_whom_nothing_covers_and_covered_people_stay_covered(judged, commit):
    both = commit(coauthors=[{"name": "Bo", "email": "b@x", "account": BO}])
    assert [note.code for note in judged(both).notes] == ["cla/small-change", "cla/small-change"]
    assert [note.code for note in judged(both, signatures=SIGNED).notes] == ["cla/individual", "cla/small-change"]


def test_every_reason_for_no_cover_is_let_off_alike_and_no_other():
    assert set(MISSES) == verdict_codes.uncovered()


@pytest.mark.parametrize(("changes", "small"), [
    (changed("a\ufffd.md"), False), (changed(previous_path="\ufffd.md"), False),
    (changed(additions=14), True), (changed(additions=15), False), (changed(additions=0, deletions=15), True),
    ([{**DOCS, "path": f"{number}.md", "additions": 0, "deletions": 0} for number in range(16)], False),  # One line a file at least.
    (changed("a.MD"), False), (changed("a.c"), False), ([DOCS, *changed("a.c")], False), (changed(text=False), False),
    (changed(previous_path="b.md"), True), (changed(previous_path="main.c"), False), (changed(".github/workflows/a.md"), False),
    (changed(".hidden.md"), False), (changed("docs/.x/a.md"), False), (changed("../a.md"), False), (changed("/a.md"), False),
    (changed(previous_path=".github/a.md"), False), ([], False), (None, False),
])  # fmt: skip
def test_all_files_must_be_plain_text_in_the_paths_and_the_lines_within_the_limit(passes, changes, small):
    assert passes(changes=changes) is small


@pytest.mark.parametrize("request_", [{"files_complete": False}, {"changed_files": 2}])
def test_a_list_of_files_that_is_not_complete_is_not_small(passes, request_):
    assert not passes(request=request_)
    assert passes(request={"changed_files": 1})


@pytest.mark.parametrize(
    ("files", "small"), [([DOCS["path"]], True), ([], True), ([DOCS["path"], "b.c"], False), (["b.md"], False)]
)
def test_a_file_whose_lines_are_not_told_is_not_small(passes, files, small):
    assert passes(request={"files": files}) is small


@pytest.mark.parametrize(
    ("counted", "small"), [({}, True), ({"11": 37}, True), ({"11": 38}, False), ({"12": 99}, True)]
)
def test_a_person_has_no_more_lines_than_the_total(passes, counted, small):
    assert passes(small_lines=counted) is small


def test_no_person_passes_where_a_person_has_reached_the_total(judged, commit):
    both = commit(coauthors=[{"name": "Bo", "email": "b@x", "account": BO}])
    check = judged(both, small_lines={"12": 40})
    assert ([problem.code for problem in check.problems], check.notes) == (["cla/unsigned", "cla/unsigned"], ())


def test_what_a_small_change_does_not_mend_keeps_the_others_from_passing_too(judged, commit):
    check = judged(commit(author={"name": "X", "email": "x@nowhere"}, author_account=None))
    assert [problem.code for problem in check.problems] == ["cla/unsigned", "cla/unlinked-email"]


@pytest.mark.parametrize("role", ["opener", "sender", "author", "committer", "coauthor"])
@pytest.mark.parametrize("who", [
    {"id": 49699333, "login": "dependabot[bot]", "type": "Bot"}, {"id": 198982749, "login": "Copilot", "type": "User"}, {"id": 5, "login": "agent"},
])  # fmt: skip
@pytest.mark.parametrize("known", [True, False])
def test_never_where_a_bot_or_an_agent_takes_part_in_any_role(passes, case, commit, role, who, known):
    people = {"agents": {"accounts": [{"id": 5}], "known": known}, "exempt": [{"id": who["id"]}]}
    changes = {"author": {"author_account": who}, "committer": {"committer_account": who}}.get(role, {})
    work = commit(
        **changes, **({"coauthors": [{"name": "X", "email": "x@x", "account": who}]} if role == "coauthor" else {})
    )
    request = {"opener": who} if role == "opener" else {}
    assert not passes(work, rulebook=book(people=people), request=request, senders=[who] if role == "sender" else [ADA])


@pytest.mark.parametrize("trailer", [
    "Claude <noreply@anthropic.com>", "x <1+some[bot]@users.noreply.github.com>", "x <some[bot]@users.noreply.github.com>",
])  # fmt: skip
def test_never_for_an_agent_or_bot_that_only_an_address_names(passes, commit, trailer):
    work = commit(message=f"Fix\n\nCo-authored-by: {trailer}\n")
    assert not passes(work, rulebook=book(people={"check": ["opener", "senders"]}))


@pytest.mark.parametrize("kind", ["Organization", "Mannequin", "Bot"])
def test_only_accounts_of_people_are_let_off(passes, kind):
    assert not passes(request={"opener": {**ADA, "type": kind}})


def test_sign_offs_are_asked_for_as_always(verdict, case, commit):
    work = commit(message="Fix")
    request = {**case(work)["pull_request"], "changes": [DOCS]}
    found = verdict(work, rulebook=book("both"), pull_request=request)
    assert [check.conclusion for check in found.checks] == ["success", "failure"]


def test_without_limits_nothing_is_small(passes):
    assert not passes(rulebook={"repositories": [{"match": ["*"], "require": "cla"}]})


def test_while_a_pusher_is_unknown_no_person_is_let_off(judged):
    assert not judged(unknown_pushes=["b" * 40]).conclusion.passes


@pytest.mark.parametrize(("coauthors", "small"), [(99, True), (100, False)])
def test_more_than_a_hundred_people_make_no_small_change(passes, commit, coauthors, small):
    named = [{"name": "X", "email": f"{1000 + number}+x@users.noreply.github.com"} for number in range(coauthors)]
    assert passes(commit(coauthors=named)) is small
