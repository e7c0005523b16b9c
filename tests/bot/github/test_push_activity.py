"""Pushes and their accounts, as GitHub recorded them; none where it does not say."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from agreements.facts import Account
from bot.demo.github.contributor import ContributorClone
from bot.demo.github.git import bare_repository
from bot.github.ports import BranchPush, Unreachable
from tests.bot.github.conftest import HERE
from tests.bot.github.shapes import connection, look_data, sha

NOON = "2026-11-21T12:00:00Z"
ADA = {"__typename": "User", "login": "ada", "databaseId": 4}


def activity(kind="push", *, actor=None, before=1, after=2, at=NOON):
    """One activity as GitHub lists it."""
    return {"id": 1, "node_id": "A", "before": sha(before), "after": sha(after), "ref": "refs/heads/topic", "timestamp": at,
            "activity_type": kind, "actor": actor}  # fmt: skip


def person(number, login):
    """An account as REST gives it."""
    return {"id": number, "login": login, "type": "User"}


def timeline(*nodes):
    """What GraphQL answers about forced pushes."""
    return {"repository": {"databaseId": 900, "pullRequest": {"timelineItems": {"nodes": list(nodes)}}}}


def looked(hub, github):
    """A look at a pull request from mia/ops:topic."""
    github.graphql(look_data(connection([1], 1), head=sha(1)))
    return replace(hub.fetch_snapshot(HERE, 3, ()), head_repository="mia/ops", head="topic")


@pytest.mark.slow
def test_pushes_of_every_kind_and_every_source_are_listed_once(scene):
    pull, clone = scene.pull("One")
    scene.world.fork(scene.ops, scene.mia).collaborators[scene.ada.id] = "write"
    first = clone.head
    theirs = ContributorClone(scene.world, pull.head_repository, scene.ada, scene.folder / "ada")
    theirs.git("switch", "--quiet", "topic")
    theirs.commit("Two")
    theirs.push()
    second = theirs.head
    clone.git("reset", "--quiet", "--hard", "origin/main")
    clone.commit("Three")
    clone.push(force=True)

    found = scene.hub.pushes(scene.hub.fetch_snapshot(scene.place, pull.number, ()))

    assert [(push.account.id, push.before, push.after) for push in found] == [
        (scene.mia.id, "0" * 40, first), (scene.ada.id, first, second), (scene.mia.id, second, clone.head)
    ]  # fmt: skip
    scene.world.delete(pull.head_repository)
    assert scene.hub.pushes(scene.hub.fetch_snapshot(scene.place, pull.number, ())) == ()


def test_events_without_a_head_or_an_account_are_left_out(hub, github):
    snapshot = looked(hub, github)
    github.graphql(timeline())
    github.on("GET", "/repos/mia/ops/activity", [
        activity("branch_deletion", actor=person(4, "ada")), activity(), activity(actor=person(10137, "ghost")),
        activity(actor=person(4, "ada")),
    ])  # fmt: skip
    assert hub.pushes(snapshot) == (
        BranchPush(Account(4, "ada"), sha(1), sha(2), datetime(2026, 11, 21, 12, tzinfo=UTC)),
    )


@pytest.mark.parametrize("status", [301, 403, 404])
def test_a_fork_out_of_reach_leaves_the_timeline(hub, github, status):
    snapshot = looked(hub, github)
    forced = {"createdAt": NOON, "actor": ADA, "beforeCommit": {"oid": sha(1)}, "afterCommit": {"oid": sha(2)}}
    anonymous = {"createdAt": NOON, "actor": None, "beforeCommit": {"oid": sha(2)}, "afterCommit": {"oid": sha(3)}}
    gone = {"createdAt": NOON, "actor": ADA, "beforeCommit": {"oid": sha(3)}, "afterCommit": None}
    lost = {"createdAt": NOON, "actor": ADA, "beforeCommit": None, "afterCommit": {"oid": sha(4)}}
    github.graphql(timeline(forced, anonymous, gone, lost, None))
    words = {301: "Moved Permanently", 403: "Resource not accessible by integration", 404: "Not Found"}
    away = {"Location": "https://api.github.com/repositories/7/activity"} if status == 301 else {}
    github.on("GET", "/repos/mia/ops/activity", {"message": words[status]}, status=status, headers=away)
    assert [(push.account.id, push.before, push.after) for push in hub.pushes(snapshot)] == [(4, sha(1), sha(2))]


@pytest.mark.parametrize("answer", [{"repository": None}, {"repository": {"databaseId": 901, "pullRequest": {}}}])
def test_another_repository_of_that_name_adds_no_pushes(hub, github, answer):
    snapshot = looked(hub, github)
    github.graphql(answer)
    github.on("GET", "/repos/mia/ops/activity", [])
    assert hub.pushes(snapshot) == ()


def test_the_push_log_alone_is_enough_while_graphql_is_away(hub, github):
    snapshot = looked(hub, github)
    github.mock.replace("POST", github.api + "/graphql", status=502)
    github.on("GET", "/repos/mia/ops/activity", [activity(actor=person(4, "ada"))])
    assert [push.account.id for push in hub.pushes(snapshot)] == [4]


def test_a_log_that_does_not_answer_now_is_asked_again(hub, github):
    snapshot = looked(hub, github)
    github.graphql(timeline())
    github.on("GET", "/repos/mia/ops/activity", {"message": "bad"}, status=502)
    with pytest.raises(Unreachable):
        hub.pushes(snapshot)


def test_a_branch_was_created_since_a_moment_if_the_activity_log_says_so(scene):
    main = bare_repository.resolve(scene.ops.git, "refs/heads/main")
    with scene.world.push(scene.ops, scene.ada):
        bare_repository.point(scene.ops.git, "refs/heads/new", main)
    at = scene.ops.activities[-1].at
    assert scene.hub.is_created_since(scene.place, "new", at - timedelta(seconds=1))
    assert not scene.hub.is_created_since(scene.place, "new", at)
    assert not scene.hub.is_created_since(scene.place, "main", at)
