"""GitHub's JSON becomes our data classes."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from agreements.completeness import AUTHORS, CHANGED, COAUTHORS, DIFFERS, MOVED, NO_COUNT, NO_HEAD, REPEATED
from agreements.facts import Account, Coauthor, Commit, Identity
from agreements.github_server import GITHUB_COM
from bot.github.by_graphql import fetch_snapshot
from bot.github.client.graphql_errors import GraphqlAnswer
from bot.github.ports import PullRequestSnapshot, RepositoryPlace
from bot.github.reading import (
    Garbled,
    account,
    assemble_history,
    graphql_commit,
    known_addresses,
    linked,
    moment,
    rest_commit,
    understanding,
)
from tests.bot.github.shapes import actor, commit_node, connection, look_data, sha
from tests.bot.github.shapes import rest_commit as rest_shape


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (None, None), ({}, None),
        ({"id": 11, "login": "ann", "type": "User"}, Account(11, "ann")),
        ({"id": 11, "login": "ann"}, Account(11, "ann")),
        ({"id": 10137, "login": "ghost", "type": "User"}, None),
        ({"id": 5, "login": "dependabot[bot]", "type": "Bot"}, Account(5, "dependabot[bot]", "Bot")),
        ({"id": 198982749, "login": "Copilot", "type": "Bot"}, Account(198982749, "Copilot", "Bot")),
        ({"id": 6, "login": "cann", "type": "Organization"}, Account(6, "cann", "Organization")),
        ({"__typename": "User", "databaseId": 11, "login": "ann"}, Account(11, "ann")),
        ({"__typename": "Bot", "databaseId": 5, "login": "dependabot"}, Account(5, "dependabot[bot]", "Bot")),
        ({"__typename": "User", "databaseId": 5, "login": "dependabot[bot]"}, Account(5, "dependabot[bot]", "Bot")),
        ({"__typename": "User", "databaseId": None, "login": "x", "id": 3}, None),
        ({"__typename": "EnterpriseUserAccount", "login": "x"}, None),
        ({"login": "x"}, None), ({"id": "MDQ6", "login": "x"}, None), ({"id": True, "login": "x"}, None),
    ],
)  # fmt: skip
def test_only_an_id_makes_an_account_in_both_dialects(data, found):
    """The login `ghost` is GitHub's placeholder for a deleted account."""
    assert account(data) == found


def test_a_commit_reads_the_same_in_both_dialects():
    when = datetime(2026, 11, 1, 10, tzinfo=UTC)
    ann, person = Identity("Ann", "ann@example.org"), Account(11, "ann")
    expected = Commit(
        sha=sha(2), message="Change 2", parents=(sha(1),), verified=False, authored_at=when,
        author=ann, committer=ann, author_account=person, committer_account=person,
    )  # fmt: skip

    assert rest_commit(rest_shape(2)) == expected
    assert graphql_commit(commit_node(2, signature=None)) == expected


@pytest.mark.parametrize(
    ("signature", "verified"), [(None, False), ({"isValid": False}, False), ({"isValid": True}, True)]
)
def test_only_a_valid_signature_is_verified(signature, verified):
    assert graphql_commit(commit_node(1, signature=signature)).verified is verified


def test_a_commit_without_people_is_understood():
    bare = graphql_commit(commit_node(1, author=None, committer={"name": None, "email": None, "user": None},
                                      authors={"pageInfo": {"hasNextPage": False}, "nodes": [None]}))  # fmt: skip
    rest = rest_shape(1)
    rest["commit"] |= {"author": None, "committer": None, "verification": None}

    assert (bare.author, bare.committer, bare.coauthors) == (None, Identity("", ""), ())
    assert (rest_commit(rest).author, rest_commit(rest).authored_at, rest_commit(rest).verified) == (None, None, False)


BO = {"__typename": "User", "databaseId": 12, "login": "bo"}


@pytest.mark.parametrize(
    ("trailers", "listed", "found"),
    [
        ("Co-authored-by: Bo <bo@x.org>", [], [Coauthor("Bo", "bo@x.org")]),
        ("Co-authored-by: B <BO@x.org.>", [actor("Bo", "bo@x.org", BO)], [Coauthor("Bo", "bo@x.org", Account(12, "bo"))]),
        ("co-authored by : Bo <bo@x.org>\nCo-authored-by: Bo <bo@X.org>", [], [Coauthor("Bo", "bo@x.org")]),
        ("Co-authored-by: Ann L <Ann@example.org>", [], []),
        ("Co-authored-by: Cy <cy@x.org>, Bo <bo@x.org>", [actor("Cy", "cy@x.org", None)], [Coauthor("Cy", "cy@x.org"), Coauthor("Bo", "bo@x.org")]),
        ("Co-authored-by: Merger <merger@x.org>", [], [Coauthor("Merger", "merger@x.org", Account(13, "merger"))]),
        ("Co-authored-by: Bo <>", [], [Coauthor("Bo", "")]),
        ("Co-authored-by: Bo", [], []),
    ],
)  # fmt: skip
def test_a_coauthor_whom_github_leaves_out_is_judged_from_the_message(trailers, listed, found):
    merger = {"__typename": "User", "databaseId": 13, "login": "merger"}
    authors = {"pageInfo": {"hasNextPage": False}, "nodes": [actor(), *listed]}
    node = commit_node(
        1, message=f"Change\n\n{trailers}", authors=authors, committer=actor("M", "merger@x.org", merger)
    )

    assert list(graphql_commit(node).coauthors) == found


@pytest.mark.parametrize("broken", [{"sha": None}, {"commit": None}, {"parents": [{}]}])
def test_a_broken_commit_is_garbled_and_not_quoted(broken):
    with pytest.raises(Garbled, match="not in the expected format"), understanding():
        rest_commit({**rest_shape(1), **broken})


def test_moments_have_a_zone():
    assert moment("2026-11-01T10:00:00Z") == datetime(2026, 11, 1, 10, tzinfo=UTC)
    for wrong in ("2026-11-01T10:00:00", None, ""):
        with pytest.raises(ValueError, match=r".+"):
            moment(wrong)


@pytest.mark.parametrize(
    ("email", "found"),
    [
        ("ANN@example.org", Account(11, "ann")),
        ("ann@example.org.", Account(11, "ann")),
        ("12+bo@users.noreply.github.com", Account(12)),
        ("11+somebody@users.noreply.github.com", Account(11, "ann")),
        ("12+bo_corp@users.noreply.github.com", Account(12)),
        ("49699333+dependabot[bot]@users.noreply.github.com", Account(49699333, "", "Bot")),
        ("bo@users.noreply.github.com", None),
        ("12+bo@users.noreply.github.com.evil.org", None),
        ("x12+bo@users.noreply.github.com", None),
        ("", None),
    ],
)
def test_an_address_by_rest_belongs_to_its_linked_account_or_noreply_id(email, found):
    """The old noreply form, without an id, can be taken over with its login."""
    assert linked(email, known_addresses((rest_commit(rest_shape(1)),)), GITHUB_COM) == found


class Told:
    """A line with one answer."""

    def query(self, _document, _variables):
        return GraphqlAnswer(look_data(connection([1, 2], 2), head=sha(2)))


START: PullRequestSnapshot = fetch_snapshot(Told(), RepositoryPlace(77, "cann", "ops", 900), 3, ())


@pytest.mark.parametrize(
    ("shas", "head", "count", "doubt"),
    [
        ([1, 2], 2, 2, ""),
        ([1, 2, 2], 2, 2, ""),
        ([1, 2], 3, 2, MOVED),
        ([1, 2], 2, None, NO_COUNT),
        ([1, 2], 2, 3, CHANGED),
        ([2], 2, 2, DIFFERS),
        ([1, 3], 2, 2, NO_HEAD),
        ([], 2, 2, DIFFERS),
    ],
)
def test_a_history_is_complete_only_when_counted_unique_and_of_one_head(shas, head, count, doubt):
    commits = tuple(Commit(sha=sha(number)) for number in shas)

    found = assemble_history(START, commits=commits, head_sha=sha(head), count=count)

    assert (found.complete, found.doubt) == (not doubt, doubt)
    assert len({commit.sha for commit in found.commits}) == len(found.commits)


def test_a_doubt_known_already_makes_a_history_incomplete():
    fitting = {"commits": START.commits, "head_sha": sha(2), "count": 2}

    assert assemble_history(START, **fitting).complete
    assert assemble_history(START, **fitting, doubt=REPEATED).doubt == REPEATED
    assert assemble_history(START, **fitting, doubt=AUTHORS).doubt == AUTHORS
    assert assemble_history(START, **{**fitting, "count": 3}, doubt=COAUTHORS).doubt == CHANGED
    assert assemble_history(START, **{**fitting, "count": 3}, doubt=REPEATED).doubt == REPEATED


def test_a_pull_request_without_commits_has_a_complete_history():
    nothing = replace(START, commits=(), commit_count=0)

    assert assemble_history(nothing, commits=(), head_sha=sha(2), count=0).complete
