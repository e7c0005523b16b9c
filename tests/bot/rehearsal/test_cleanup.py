"""Remains of a rehearsal are found and taken away; those that cannot be are named."""

from datetime import timedelta

import pytest

from bot import clock
from bot.rehearsal import cleanup
from tests.bot.rehearsal.conftest import BRANCH

OTHER = "countersign-rehearsal-ffffffff"


def opened(stage, branch, *, who=None):
    """A branch as a rehearsal makes it, with its pull request."""
    person = stage.person
    sha, _ = person.commit(person.tip("main"), branch)
    person.create_branch(branch, sha)
    return stage.scene.world.open_pull(stage.ops, who or stage.scene.ada, branch)


def branches(stage):
    """The branches of rehearsals that are there."""
    return list(stage.person.rehearsal_branches())


@pytest.mark.slow
def test_only_old_remnants_of_the_callers_own_are_found(stage):
    """A younger branch may belong to a rehearsal at work."""
    mine, theirs = opened(stage, BRANCH), opened(stage, OTHER, who=stage.scene.mia)
    me, now = stage.person.account(), clock.now()
    assert cleanup.remnants(stage.person, me, at=now + timedelta(minutes=59)) == ()

    (found,) = cleanup.remnants(stage.person, me, at=now + timedelta(minutes=61))
    assert (found.branch, [pull.number for pull in found.pulls]) == (BRANCH, [mine.number])
    assert found.name == f"branch {BRANCH} of {mine.created_at:%Y-%m-%d} with pull request #{mine.number}"
    assert cleanup.remove(stage.person, stage.plan().sandbox, found.branch) == ()
    assert (mine.state, theirs.state, branches(stage)) == ("closed", "open", [OTHER])


def test_a_branch_without_a_pull_request_is_a_remnant(stage):
    sha, _ = stage.person.commit(stage.person.tip("main"), BRANCH)
    stage.person.create_branch(BRANCH, sha)
    (found,) = cleanup.remnants(stage.person, stage.person.account(), at=clock.now() + timedelta(days=1))
    assert (found.pulls, found.name.endswith(f"{found.since:%Y-%m-%d}")) == ((), True)


def test_removal_leaves_nothing_and_writes_only_to_existing_remnants(stage):
    sandbox = stage.plan().sandbox
    stage.scene.calls()
    assert cleanup.remove(stage.person, sandbox, BRANCH) == ()
    assert stage.scene.writes() == []
    pull = opened(stage, BRANCH)
    assert cleanup.remove(stage.person, sandbox, BRANCH, pull.number) == ()
    assert (pull.state, branches(stage)) == ("closed", [])
    stage.scene.calls()
    assert cleanup.remove(stage.person, sandbox, BRANCH, pull.number) == ()
    assert stage.scene.writes() == []


def test_a_remnant_that_stays_is_named_with_its_address(stage):
    pull, sandbox = opened(stage, BRANCH), stage.plan().sandbox
    stage.scene.weather.faults += [("GET", "/pulls$", 403), ("PATCH", "/pulls/", 403), ("DELETE", "/refs/", 422)]

    left = cleanup.remove(stage.person, sandbox, BRANCH, pull.number)

    assert [line.partition(": ")[0] for line in left] == [
        f"pull request {sandbox.page}/pull/{pull.number}",
        f"branch {sandbox.page}/tree/{BRANCH}",
    ]
    assert all("GitHub" in line for line in left)
