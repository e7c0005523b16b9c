"""The merge queue: who waits, what is merged on trial, and what lands."""

import pytest

from bot.demo.github.git import bare_repository
from bot.demo.github.refusal import ErrorResponse
from tests.bot.demo.github import queued_merges

pytestmark = pytest.mark.slow

ENTRIES = """{ repository(owner: "cann", name: "runtime") { mergeQueue(branch: "main") { entries(first: 10) {
  totalCount
  nodes { position pullRequest { number } headCommit { oid parents(first: 2) { nodes { oid } } } baseCommit { oid } }
} } } }"""


@pytest.fixture(name="entries")
def _entries(place):
    """Three pull requests in the queue, in the order of their numbers."""
    pulls = [place.pull(branch=branch)[0] for branch in ("one", "two", "three")]
    return [queued_merges.enqueue(place.world, pull, place.ada) for pull in pulls]


def queue(place):
    """The entries as GraphQL has them: number, position, head and base."""
    found = place.graphql(ENTRIES)["data"]["repository"]["mergeQueue"]
    return [
        (entry["pullRequest"]["number"], entry["position"], (entry["headCommit"] or {}).get("oid"),
         (entry["baseCommit"] or {}).get("oid"))
        for entry in (found["entries"]["nodes"] if found else ())
    ]  # fmt: skip


def sent(place, event="merge_group"):
    """Action and reason of each event of a group."""
    return [(payload["action"], payload.get("reason")) for payload in place.events(event)]


def tip(place, branch="main"):
    return bare_repository.resolve(place.runtime.git, f"refs/heads/{branch}")


def test_pull_requests_wait_in_line_once_each(place, entries):
    assert queue(place) == [(number, number, None, None) for number in (1, 2, 3)]
    assert [event["action"] for event in place.events("pull_request")][-1] == "enqueued"
    with pytest.raises(ErrorResponse):
        queued_merges.enqueue(place.world, entries[0].pull, place.ada)
    for entry in entries:
        queued_merges.dequeue(place.world, entry, place.ada)
    assert (queue(place), sent(place)) == ([], [])
    place.world.close_pull(entries[0].pull, place.mia)
    with pytest.raises(ErrorResponse):
        queued_merges.enqueue(place.world, entries[0].pull, place.ada)


def test_a_group_of_two_asks_for_the_checks_of_its_last_commit(place, entries):
    base = tip(place)
    queued_merges.build_group(place.world, place.runtime, "main", size=2)
    first, second, third = queue(place)
    assert (first[3], second[3], third[2:]) == (base, first[2], (None, None))
    assert bare_repository.commit(place.runtime.git, second[2]).parents == (first[2], entries[1].pull.head_sha)
    [asked] = place.events("merge_group")
    group = asked["merge_group"]
    assert (group["base_sha"], group["head_sha"], group["base_ref"]) == (base, second[2], "refs/heads/main")
    assert group["head_ref"] == f"refs/heads/gh-readonly-queue/main/pr-2-{base}"
    assert bare_repository.references(place.runtime.git)[group["head_ref"]] == second[2]
    queued_merges.build_group(place.world, place.runtime, "main", size=2)
    assert (queue(place)[2][3], len(place.events("merge_group"))) == (second[2], 2)


@pytest.mark.slow
def test_a_group_lands_together(place, entries):
    queued_merges.build_group(place.world, place.runtime, "main", size=2)
    queued_merges.build_group(place.world, place.runtime, "main")
    with pytest.raises(ErrorResponse):
        queued_merges.merge_group(place.world, entries[2])
    head = entries[1].head_sha
    queued_merges.merge_group(place.world, entries[0])
    assert tip(place) == head
    assert [entry.pull.state for entry in entries] == ["closed", "closed", "open"]
    assert entries[0].pull.merged_by is place.ada
    assert sent(place)[-1] == ("destroyed", "merged")
    assert [event["after"] for event in place.events("push") if event["ref"] == "refs/heads/main"] == [head]
    temporary = [
        (event["created"], event["deleted"]) for event in place.events("push") if "/gh-readonly-queue/" in event["ref"]
    ]
    assert temporary == [(True, False), (True, False), (False, True)]
    assert {("dequeued", "MERGE"), ("closed", None)} <= set(sent(place, "pull_request"))
    assert queue(place) == [(3, 1, entries[2].head_sha, head)]
    assert [name for name in bare_repository.references(place.runtime.git) if "/pr-2-" in name] == []


@pytest.mark.slow
def test_an_entry_that_leaves_takes_the_groups_behind_along(place, entries):
    queued_merges.build_group(place.world, place.runtime, "main")
    queued_merges.build_group(place.world, place.runtime, "main", size=2)
    queued_merges.dequeue(place.world, entries[1], place.mia, "CI_FAILURE")
    assert sent(place) == [("checks_requested", None)] * 2 + [("destroyed", "invalidated")]
    assert [row[:3] for row in queue(place)] == [(1, 1, entries[0].head_sha), (3, 2, None)]
    assert sent(place, "pull_request")[-1] == ("dequeued", "CI_FAILURE")
    queued_merges.dequeue(place.world, entries[0], place.ada)
    assert sent(place)[-1] == ("destroyed", "dequeued")
    queued_merges.build_group(place.world, place.runtime, "main")
    assert queue(place)[0][2:] == (entries[2].head_sha, tip(place))


@pytest.mark.slow
def test_an_entry_that_conflicts_leaves_the_queue(place, entries):
    place.world.write(place.runtime, {"one0.txt": "other\n"})
    queued_merges.build_group(place.world, place.runtime, "main", size=2)
    assert [row[0] for row in queue(place)] == [2, 3]
    assert ("dequeued", "MERGE_CONFLICT") in sent(place, "pull_request")
    assert entries[0].pull.state == "open"


@pytest.mark.slow
def test_an_entry_that_jumps_goes_to_the_front_and_the_rest_is_built_again(place, entries):
    queued_merges.build_group(place.world, place.runtime, "main", size=2)
    before = entries[1].head_sha
    urgent = queued_merges.enqueue(place.world, place.pull(branch="four")[0], place.ada, jump=True)
    assert sent(place) == [("checks_requested", None), ("destroyed", "invalidated")]
    assert [number for number, *_ in queue(place)] == [4, 1, 2, 3]
    queued_merges.build_group(place.world, place.runtime, "main", size=2)
    assert (entries[0].base_sha, entries[1].head_sha) == (urgent.head_sha, None)
    assert entries[0].head_sha != before
