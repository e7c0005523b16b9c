"""Many pull requests turn green at once without exceeding GitHub's limits."""

import re
from datetime import timedelta

import pytest

from bot.flows import recheck
from bot.github.client.write_pacer import GITHUB_BUDGET, WriteBudget

pytestmark = pytest.mark.slow

PULLS = 20
"""With four writes for each more than GitHub takes in a minute."""
BEFORE_IT_WAS_A_STORM = "haaaohaahaahaah"
"""What is written at once, check runs, labels and comments, until the fifth of a kind; the very first label is made before."""


@pytest.fixture(name="storm")
def _storm(scene):
    """Red pull requests of mia, who has just signed for all of them; from now on GitHub enforces what it documents."""
    pulls = [scene.pull(branch=f"b{number}")[0] for number in range(PULLS)]
    scene.settle()
    assert {scene.conclusion(pull) for pull in pulls} == {"failure"}
    scene.sign(scene.mia)
    scene.hub._control._budget = GITHUB_BUDGET
    scene.hub._control._lanes.clear()
    scene.world.content_limit.clock = scene.clock
    scene.shift += timedelta(hours=1)  # what was written until now counts no more
    scene.world.content_limit.enforced = True
    scene.world.calls.clear()
    recheck.people([scene.mia.id], scene.services, queue="later")
    return pulls


def go_on(scene, *, until=lambda: False):
    """Do what is due; the time until the next job passes at once, in `shift`. Until then, or until no job waits."""
    while not until() and (due := scene.jobs.next_due):
        scene.shift += max(due - scene.clock(), timedelta(0))
        assert scene.jobs.run_due()


def refused(scene):
    """Calls that met a limit."""
    return [call for call in scene.world.calls if call.status in (403, 429)]


def asks(scene, pull):
    """Whether our comment still asks to sign."""
    return "/sign/icla" in scene.comments(pull)[0].body


def kind(call):
    """What the write is of: a check run, a label or a comment."""
    return next(name for name in ("check-runs", "labels", "comments") if name in call[1])


def test_in_a_storm_check_runs_are_written_first_then_labels_then_comments(scene, storm):
    began, shift = scene.clock(), scene.shift

    go_on(scene)

    assert refused(scene) == []
    assert {scene.conclusion(pull) for pull in storm} == {"success"}
    assert {tuple(scene.labels(pull)) for pull in storm} == {("cla-signed",)}
    assert not any(asks(scene, pull) for pull in storm)
    found = "".join(kind(call)[1] for call in scene.writes())  # h, a, o
    assert re.fullmatch(f".{{{len(BEFORE_IT_WAS_A_STORM)}}}h*a*o*", found), found
    assert scene.clock() - began > timedelta(minutes=1)
    assert scene.shift - shift < timedelta(minutes=4)


def test_writes_above_the_hourly_limit_wait_for_the_next_hour(scene, storm):
    scene.world.content_limit.per_hour = 60
    scene.hub._control._budget = WriteBudget(80, 60, reserved_per_minute=12, reserved_per_hour=9)
    began, shift = scene.clock(), scene.shift

    go_on(scene)

    assert refused(scene) == []
    assert {tuple(scene.labels(pull)) for pull in storm} == {("cla-signed",)}
    assert scene.clock() - began > timedelta(hours=1)
    assert scene.shift - shift < timedelta(hours=2)


def test_a_new_pull_request_is_judged_at_once_during_a_storm(scene, storm):
    go_on(scene, until=lambda: scene.jobs.next_due > scene.clock() + timedelta(seconds=30))
    assert any(asks(scene, pull) for pull in storm)
    newcomer, _ = scene.pull(branch="new", who=scene.ada, to=scene.ops)
    came = scene.shift

    scene.hear()
    go_on(scene, until=lambda: scene.conclusion(newcomer) and scene.labels(newcomer))

    assert scene.shift - came < timedelta(seconds=5)
    assert refused(scene) == []
