"""The merge queue as GitHub has it, and which of its entries are in a group."""

import pytest

from bot.github import merge_queue
from bot.github.merge_queue import QueueEntry, in_group
from bot.github.ports import Missing, Unreachable
from bot.github.reading import Garbled
from tests.bot.demo.github import queued_merges
from tests.bot.github.conftest import HERE


def entry(position, head="", base="", number=None):
    """An entry by letters for commits."""
    return QueueEntry(position, number or position, f"p{position}", head, base)


LINE = [entry(1, "a", "main"), entry(2, "b", "a"), entry(3, "c", "b"), entry(4)]


@pytest.mark.parametrize(
    ("entries", "head", "positions"),
    [
        (LINE, "a", [1]),
        (LINE, "c", [1, 2, 3]),
        (LINE, "x", []),
        (LINE, "", []),
        ([], "a", []),
        ([entry(1, "a", "main"), entry(2, "b", "main"), entry(3, "c", "main")], "c", [1, 2, 3]),
        ([entry(1), entry(2, "a", "main"), entry(3, "b", "a")], "b", [2, 3]),
        ([entry(1, "a", "b"), entry(2, "b", "main")], "a", [1, 2]),
        ([entry(1, "a", "b"), entry(2, "b", "a")], "a", [1, 2]),
    ],
    ids=["first", "last", "unknown", "no-commit", "empty", "one-base", "jumped", "out-of-order", "circle"],
)
def test_a_group_holds_its_entry_and_all_entries_below_it(entries, head, positions):
    assert [queue_entry.position for queue_entry in in_group(entries, head)] == positions


def test_the_queue_is_read_with_heads_and_trial_merges_of_its_own_branch(scene):
    scene.world.repository(scene.cann, "other")
    assert scene.hub.merge_queue(scene.place, "main").entries == ()
    pull, _ = scene.pull("Fix it")
    queued_merges.enqueue(scene.world, pull, scene.ada)
    (waits,) = scene.hub.merge_queue(scene.place, "main").entries
    assert (waits.number, waits.pull_head_sha, waits.head_sha) == (pull.number, pull.head_sha, "")
    (built,) = queued_merges.build_group(scene.world, scene.ops, "main")
    scene.world.rename(scene.ops, "operators", scene.ada)
    found = scene.hub.merge_queue(scene.place, "main")
    assert found.place.name == "operators"
    assert [(member.head_sha, member.base_sha) for member in found.entries] == [(built.head_sha, built.base_sha)]
    assert scene.hub.merge_queue(scene.place, "stable").entries == ()


def page(*positions, total=None, cursor=None):
    """An answer with these entries."""
    nodes = [
        {"position": position, "pullRequest": None, "headCommit": {"oid": "a" * 40}, "baseCommit": None}
        for position in positions
    ]
    info = {"hasNextPage": cursor is not None, "endCursor": cursor}
    entries = {"totalCount": len(positions) if total is None else total, "pageInfo": info, "nodes": nodes}
    owner = {"login": HERE.owner}
    return {
        "repository": {
            "databaseId": HERE.repository_id,
            "name": HERE.name,
            "owner": owner,
            "mergeQueue": {"entries": entries},
        }
    }


def test_all_pages_of_the_queue_are_read(hub, github):
    github.graphql(page(1, 2, total=3, cursor="x"))
    github.graphql(page(3, total=3))
    found = hub.merge_queue(HERE, "main").entries
    assert [(member.position, member.number) for member in found] == [(1, None), (2, None), (3, None)]


@pytest.mark.parametrize("last", [page(3, total=4), page(2, total=3), None], ids=["fewer", "moved", "gone"])
def test_a_queue_that_changes_while_it_is_read_is_an_error(hub, github, last):
    github.graphql(page(1, 2, total=3, cursor="x"))
    github.graphql(last or {**page(), "repository": {**page()["repository"], "mergeQueue": None}})
    with pytest.raises(Unreachable):
        hub.merge_queue(HERE, "main")


def test_a_queue_without_end_is_given_up(hub, github, monkeypatch):
    monkeypatch.setattr(merge_queue, "MAX_PAGES", 2)
    github.graphql(page(1, total=9, cursor="x"))
    with pytest.raises(Unreachable):
        hub.merge_queue(HERE, "main")


def test_the_queue_of_another_repository_of_that_name_is_missing(hub, github):
    other = page()
    other["repository"]["databaseId"] = 1
    github.graphql(other)
    github.on("GET", f"/repositories/{HERE.repository_id}", status=404)
    with pytest.raises(Missing):
        hub.merge_queue(HERE, "main")


def test_an_answer_of_another_shape_is_garbled(hub, github):
    odd = page()
    odd["repository"]["mergeQueue"]["entries"]["nodes"] = [{"position": None}]
    github.graphql(odd)
    with pytest.raises(Garbled):
        hub.merge_queue(HERE, "main")
