"""GitHub withholds every field of every document of ours, once as null, once with each kind of error."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from agreements.completeness import ACCOUNTS, COAUTHORS
from bot.github import documents
from bot.github.client.graphql_errors import GraphqlAnswer, WithheldField, plain_name
from bot.github.ports import WITHHELD, Missing, Refused, Unreachable
from bot.github.pull_requests import GitHubPulls
from bot.github.withheld import asked_of_rest
from tests.bot.github.field_faults import FAULTS, withhold
from tests.bot.github.shapes import rest_file
from tests.bot.github.withheld_cases import HERE, LABELS, Wire, World
from tests.bot.github.withheld_table import (
    CASES,
    KEPT,
    RED,
    TABLE,
    of_authors,
    of_more_commits,
    of_snapshot,
    outcomes,
    short,
    table,
)

ROOT = Path(__file__).resolve().parents[3]
IDS = [case.name for case in CASES]
VERDICTS = [case for case in CASES if case.outcome(case.answer, [])[0] == "success"]
NULL_IS_AN_ANSWER = {
    "repository.rulebook",  # there is no such file
    "rules.rulebook",
}
"""Fields of which null without an error is what GitHub says where there is nothing, and by which a verdict may be less strict."""


def operation(document: str) -> str:
    """Its name."""
    return re.search(r"query (\w+)", document)[1]


def test_every_document_is_covered_here():
    texts = [text for name, text in vars(documents).items() if name.isupper() and isinstance(text, str)]
    made = [query(1) for name, query in vars(documents).items() if name.endswith("_query")]
    ours = {operation(text) for text in (*texts, *made) if "query " in text}
    assert {operation(case.document) for case in CASES} == ours


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_the_full_answers_have_every_field(case):
    lacking = [str(field) for field in case.fields if withhold(case.answer, field, "FORBIDDEN") is None]
    assert lacking == []
    assert short(case, case.outcome(case.answer, [])[0], by_rest=False) == KEPT


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_each_withheld_field_leaves_the_verdict_or_stops_the_pass(case):
    whole, _ = case.outcome(case.answer, [])
    for field, fault, outcome, _ in outcomes(case):
        assert outcome, (field, fault)
        if case in VERDICTS:
            known = outcome == whole or outcome.startswith(("action_required: ", "said: "))
            assert known or (fault == "null" and outcome.startswith("failure: ")), (str(field), fault, outcome)


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_each_field_that_rest_refuses_too_is_named(case):
    whole, _ = case.outcome(case.answer, [])
    for field, fault, outcome, _ in outcomes(case, refuses=lambda _path: True):
        if not outcome.startswith("said: ") or fault == "null":
            assert outcome == whole or not outcome.startswith("success") or fault == "null", (
                str(field),
                fault,
                outcome,
            )
            continue
        names = {plain_name(field.path[:end]) for end in range(1, len(field.path) + 1)}
        names |= {"the merge queue", "GitHub did not tell us who pushed", "GitHub answered 403"}
        assert any(name in outcome for name in names), (str(field), fault, outcome)


@pytest.mark.parametrize("refuses", [False, True], ids=["rest", "no rest"])
@pytest.mark.parametrize("of", [of_snapshot, of_more_commits, of_authors])
@pytest.mark.parametrize("name", RED)
def test_no_withheld_field_lets_a_red_pull_request_pass(name, of, refuses):
    case = of(RED[name])
    assert case.outcome(case.answer, [])[0].startswith("failure")
    for field, fault, outcome, _ in outcomes(case, refuses=lambda _path: refuses):
        if fault == "null" and str(field) in NULL_IS_AN_ANSWER:
            continue
        assert not outcome.startswith(("success", "neutral")), (str(field), fault)


@pytest.mark.parametrize("fault", FAULTS[1:])
def test_an_account_that_rest_refuses_too_is_unknown_and_not_missing(fault):
    world = World()
    rest = {**world.rest, "/repos/cann/ops/pulls/3/commits": [
        {**commit, "author": None} for commit in world.rest["/repos/cann/ops/pulls/3/commits"]
    ]}  # fmt: skip
    case = replace(of_snapshot(world), rest=rest)
    path = "repository.pullRequest.commits.nodes.*.commit.author.user"
    (field,) = [field for field in case.fields if str(field) == path]
    outcome, _ = case.outcome(*withhold(case.answer, field, fault))

    assert ("accounts-of-authors" in outcome) is (fault == "FORBIDDEN")
    assert not outcome.startswith("success")


def test_a_refused_file_that_rest_does_not_find_is_not_absent():
    world = World()
    case = of_snapshot(world)
    for part in ("repository.rulebook", "rules.rulebook", "rules"):
        gone = "/repos/cann/ops" if part == "repository.rulebook" else "/repos/cann/.github"
        rest = {
            path: answer for path, answer in case.rest.items() if path != f"{gone}/contents/.github/countersign.yml"
        }
        (field,) = [field for field in case.fields if str(field) == part]
        outcome, _ = replace(case, rest=rest).outcome(*withhold(case.answer, field, "FORBIDDEN"))
        assert outcome.startswith("action_required: rulebook/unreachable")


def pulls(world: World, change, **rest: object) -> tuple[GitHubPulls, Wire]:
    """A reader whose first answer was changed by a test, with the errors that the change gives."""
    data = world.graphql
    errors = change(data) or []
    wire = Wire(lambda _document, _variables: GraphqlAnswer(data, tuple(errors)), {**world.rest, **rest})
    return GitHubPulls(wire), wire


def test_one_rest_list_of_250_commits_names_all_withheld_accounts():
    def change(data):
        errors = []
        for at, node in enumerate(data["repository"]["pullRequest"]["commits"]["nodes"]):
            for side in ("author", "committer"):
                node["commit"][side] = {**node["commit"][side], "user": None}
                where = ["repository", "pullRequest", "commits", "nodes", at, "commit", side, "user"]
                errors.append({"type": "FORBIDDEN", "path": where})
        return errors

    reader, wire = pulls(World(), change)
    found = reader.fetch_snapshot(HERE, 3, LABELS)

    assert [commit.author_account.id for commit in found.commits] == [11, 12]
    assert wire.calls == ["graphql", "/repos/cann/ops/pulls/3/commits"]


def test_commits_that_rest_does_not_list_are_a_doubt():
    def change(data):
        node = data["repository"]["pullRequest"]["commits"]["nodes"][1]["commit"]
        node["author"] = {**node["author"], "user": None}
        return [{"path": ["repository", "pullRequest", "commits", "nodes", 1, "commit", "author", "user"]}]

    reader, _ = pulls(World(), change, **{"/repos/cann/ops/pulls/3/commits": []})
    found = reader.fetch_snapshot(HERE, 3, LABELS)
    assert (found.doubt, reader.history(found).doubt, found.commits[1].author_account) == (ACCOUNTS, ACCOUNTS, None)


@pytest.mark.parametrize(("email", "doubt"), [("bob@x.org", ""), ("cat@x.org", COAUTHORS)])
def test_a_coauthor_gets_the_account_of_an_author_with_the_same_address(email, doubt):
    def change(data):
        authors = data["repository"]["pullRequest"]["commits"]["nodes"][1]["commit"]["authors"]
        authors["nodes"][1] = {**authors["nodes"][1], "name": "Somebody", "email": email, "user": None}
        return [{"path": ["repository", "pullRequest", "commits", "nodes", 1, "commit", "authors", "nodes", 1, "user"]}]

    reader, wire = pulls(World(), change)
    found = reader.fetch_snapshot(HERE, 3, LABELS)
    assert (found.doubt, wire.calls) == (doubt, ["graphql"])


def test_a_withheld_dco_file_does_not_matter_beside_a_rulebook():
    def change(data):
        data["repository"]["dco"] = None
        return [{"type": "FORBIDDEN", "path": ["repository", "dco"]}]

    world = World()
    reader, _ = pulls(world, change, **{"/repos/cann/ops/contents/.github/dco.yml": {}})
    assert reader.fetch_snapshot(HERE, 3, LABELS).rule_files.dco.text != WITHHELD
    reader._pool.rest = {path: answer for path, answer in world.rest.items() if not path.endswith("dco.yml")}
    found = reader.fetch_snapshot(HERE, 3, LABELS)
    assert found.rule_files.dco.text == WITHHELD
    assert world.verdict(found, reader).conclusion == "success"


def test_the_mailmap_of_rest_is_read_at_the_bases_commit():
    def change(data):
        data["repository"]["pullRequest"]["baseRef"] = None
        return [{"type": "SERVICE_UNAVAILABLE", "path": ["repository", "pullRequest", "baseRef", "target"]}]

    text = "Ann <ann@x.org>\n"
    reader, _ = pulls(World(), change, **{"/repos/cann/ops/contents/.mailmap": rest_file(text)})
    assert reader.fetch_snapshot(HERE, 3, LABELS).mailmap == text


def test_both_failures_are_said_when_rest_fails_too():
    lost = [WithheldField(("repository", "pullRequest", "changedFiles"), "FORBIDDEN")]
    said = "GitHub does not let the App see the changed files of the pull request; 404"
    with pytest.raises(Refused, match=re.escape(said)), asked_of_rest(lost):
        raise Missing("404")
    with pytest.raises(Unreachable, match=r"pull request; 502$") as raised, asked_of_rest(lost):
        raise Unreachable("502", 7)
    assert raised.value.retry_after == 7
    with pytest.raises(Missing, match=r"^404$"), asked_of_rest(()):
        raise Missing("404")
    with pytest.raises(Missing), asked_of_rest([WithheldField((), "")]):
        raise Missing("404")


def test_a_query_that_is_too_large_is_asked_in_smaller_pages():
    world, asked = World(), []

    def answer(document, _variables):
        asked.append(document)
        if "commits(first: 100" in document:
            return GraphqlAnswer({}, ({"message": "Resource limits for this query exceeded."},))
        return GraphqlAnswer(world.graphql)

    wire = Wire(answer, {})
    found = GitHubPulls(wire).fetch_snapshot(HERE, 3, LABELS)

    assert (len(found.commits), wire.calls) == (2, ["graphql", "graphql"])
    assert asked[1] == asked[0].replace("commits(first: 100)", "commits(first: 10)")


def test_a_query_too_large_at_any_size_is_asked_of_rest():
    wire = Wire(lambda _document, _variables: GraphqlAnswer({}, ({"type": "RESOURCE_LIMITS_EXCEEDED"},)), World().rest)
    assert len(GitHubPulls(wire).fetch_snapshot(HERE, 3, LABELS).commits) == 2
    assert wire.calls.count("graphql") == 2


def test_a_whole_answer_takes_one_read():
    reader, wire = pulls(World(), lambda _data: None)
    assert reader.history(reader.fetch_snapshot(HERE, 3, LABELS)).complete
    assert wire.calls == ["graphql"]


def test_an_opener_who_is_refused_is_not_gone():
    def change(data):
        data["repository"]["pullRequest"]["author"] = None
        return [{"type": "FORBIDDEN", "path": ["repository", "pullRequest", "author"]}]

    world = World()
    without_user = {"/repos/cann/ops/pulls/3": {**world.rest["/repos/cann/ops/pulls/3"], "user": None}}
    reader, _ = pulls(world, change, **without_user)
    with pytest.raises(Refused, match="does not let the App see the author"):
        reader.fetch_snapshot(HERE, 3, LABELS)


@pytest.mark.slow
def test_the_page_is_as_computed():
    assert (ROOT / TABLE).read_text(encoding="utf-8") == table()
