"""A merge queue: each pull request of a group is judged by its own commits, the worst counts, and nothing hangs or passes unasked."""

from datetime import timedelta

import pytest
from sqlalchemy import delete

from agreements.facts import Account
from bot.flows import sweep
from bot.flows.merge_group import ANSWER_TIMEOUT
from bot.job_queue import Job
from bot.store import merge_groups, sweeps
from bot.store.merge_groups import GROUP_RETENTION, VERDICT_MAX_AGE, MergeGroup, MergeGroupKey
from bot.store.pulls import review_mailbox
from bot.store.pulls.review_mailbox import REVIEWS
from bot.store.retry_policy import MAX_QUICK_RETRIES, MAX_RECHECK
from bot.webhook import events
from tests.bot import claims
from tests.bot.flows.recipes import SIGNED, book

QUEUE = "/graphql"
GREEN, RED = SIGNED, "Fix it"


def queued(scene, *messages, judged=True):
    """A pull request for each, with a commit by mia with that message; in the merge queue, in this order."""
    pulls = [scene.pull(message, branch=f"b{number}")[0] for number, message in enumerate(messages)]
    if judged:
        scene.settle()
    return pulls, [scene.world.enqueue(pull, scene.ada) for pull in pulls]


def build(scene, size=1):
    """The next group; its head."""
    return scene.world.build_group(scene.ops, "main", size=size)[-1].head_sha


def runs(scene, head_sha):
    """Our check runs on that commit, as (status, conclusion)."""
    return [(run.status, run.conclusion) for run in _runs(scene, head_sha)]


def summary(scene, head_sha):
    """What the only run there says."""
    (run,) = _runs(scene, head_sha)
    return run.output["summary"]


def _runs(scene, head_sha):
    return [run for run in scene.world.check_runs.values() if run.head_sha == head_sha]


def known(scene, head_sha):
    """What we wrote down of that group."""
    with scene.sessions() as session:
        return merge_groups.get(session, MergeGroupKey(scene.ops.id, head_sha))


@pytest.fixture(name="database_url", params=["sqlite", "postgres"])
def _database_url(request, tmp_path):
    """Groups and reviews wait for each other in the database: both kinds."""
    return (
        request.getfixturevalue("postgres_url") if request.param == "postgres" else f"sqlite:///{tmp_path / 'test.db'}"
    )


@pytest.fixture(name="dco")
def _dco(staged):
    """A scene in which every repository asks for sign-offs."""
    return staged(rulebook=book("dco"))


@pytest.mark.parametrize(("messages", "conclusion"), [(GREEN, "success"), (RED, "failure")])
def test_a_group_of_one(dco, messages, conclusion):
    """Judged by the commits of the pull request; the merge commit that GitHub made is nobody's."""
    (pull,), _ = queued(dco, messages)
    dco.calls()
    head = build(dco)
    dco.settle()

    assert runs(dco, head) == [("completed", conclusion)]
    assert f"[#{pull.number}]" in summary(dco, head)
    assert dco.calls() == [("POST", "/graphql"), ("POST", "/repos/{owner}/{repo}/check-runs")]


@pytest.mark.parametrize(
    ("messages", "conclusion"),
    [((GREEN,) * 3, "success"), ((GREEN, RED, GREEN), "failure"), ((RED,) * 3, "failure")],
)
def test_a_group_of_three(dco, messages, conclusion):
    """The worst of them, and each is named."""
    pulls, _ = queued(dco, *messages)
    head = build(dco, size=3)
    dco.settle()

    assert runs(dco, head) == [("completed", conclusion)]
    assert all(f"[#{pull.number}](" in summary(dco, head) for pull in pulls)
    assert summary(dco, head).count("❌") == 2 * messages.count(RED), "in both languages"


def test_a_clock_that_was_ahead_when_it_was_asked_for(dco):
    """No verdict is younger than a moment to come: the group counts as asked for now, and waits for none."""
    queued(dco, RED)
    dco.shift = timedelta(hours=1)
    head = build(dco)
    dco.hear()
    with pytest.raises(RuntimeError):  # the first job notes the group; its review would be the second
        dco.jobs.run_all(limit=1)
    dco.shift = timedelta(0)
    dco.settle()
    assert runs(dco, head) == [("completed", "failure")]


def test_one_red_below(dco):
    """A group stands on those before it: what is red there is red in it; the group below is green for itself."""
    queued(dco, GREEN, RED, GREEN)
    heads = [build(dco) for _ in range(3)]
    dco.settle()
    assert [runs(dco, head)[0][1] for head in heads] == ["success", "failure", "failure"]


def test_none_was_ever_judged(dco):
    """The server was away when they were opened: in progress, then what their reviews say."""
    pulls, _ = queued(dco, GREEN, GREEN, judged=False)
    dco.hear(drop={"pull_request"})
    head = build(dco, size=2)
    dco.hear()
    dco.settle()

    assert runs(dco, head) == [("completed", "success")]
    assert [dco.conclusion(pull) for pull in pulls] == ["success", "success"]


def test_in_progress_while_one_is_judged(dco):
    """The group does not pass before its last pull request did, and names whom it waits for."""
    (first, second), _ = queued(dco, GREEN, GREEN)
    head = build(dco, size=2)
    with dco.sessions() as session:  # a process judges it, or died while it did
        review_mailbox.enqueue_review(session, dco.jobs, dco.row(second).id)
        claims.begin(session, REVIEWS, dco.jobs, dco.row(second).id, at=dco.clock())
    dco.settle()
    assert runs(dco, head) == [("in_progress", None)]
    (run,) = _runs(dco, head)
    assert f"#{second.number}" in run.output["title"]
    assert f"#{first.number}" not in run.output["title"]

    dco.advance(timedelta(minutes=11))
    assert runs(dco, head) == [("completed", "success")]


def test_judged_anew_meanwhile(staged):
    """A signature is withdrawn, or given, while the group waits for other checks: its run follows, and there is one."""
    scene = staged()
    queued(scene, RED)
    head = build(scene)
    scene.settle()
    assert runs(scene, head) == [("completed", "failure")]

    scene.sign(scene.mia)
    with scene.sessions() as session:
        scene.jobs.enqueue(session, Job("recheck", (scene.mia.id,)))
    scene.settle()
    assert runs(scene, head) == [("completed", "success")]


def test_an_old_verdict_is_given_anew(dco):
    """Time alone may change one: what was judged long before the group was made is judged again for it."""
    (pull,), _ = queued(dco, GREEN)
    before = dco.row(pull).evaluated
    dco.shift = VERDICT_MAX_AGE + timedelta(minutes=1)
    head = build(dco)
    dco.settle()
    assert dco.row(pull).evaluated == before + 1
    assert runs(dco, head) == [("completed", "success")]


def test_an_entry_that_jumps(dco):
    """It is red, and goes before the others: their group is given up, the new one has it."""
    queued(dco, GREEN, GREEN)
    old = build(dco, size=2)
    dco.settle()
    assert runs(dco, old) == [("completed", "success")]

    red, _ = dco.pull("Fix it", branch="urgent")
    dco.settle()
    dco.world.enqueue(red, dco.ada, jump=True)
    head = build(dco, size=3)
    dco.settle()
    assert (runs(dco, old), runs(dco, head)) == ([("completed", "success")], [("completed", "failure")])
    assert f"[#{red.number}](" in summary(dco, head)


def test_a_destroyed_group_is_left_alone(dco):
    """Nothing is asked, nothing written, whatever its pull requests do; a late delivery wakes it no more."""
    (pull,), (entry,) = queued(dco, GREEN)
    head = build(dco)
    dco.world.hooks.drain()
    dco.world.dequeue(entry, dco.ada)
    dco.settle()
    assert runs(dco, head) == []
    dco.calls()

    dco.again(pull)
    assert ("POST", "/repos/{owner}/{repo}/check-runs") not in dco.calls()
    assert not known(dco, head).is_alive


def test_destroyed_before_it_was_heard_of(dco):
    """GitHub's deliveries may come in any order."""
    head, where = "f" * 40, events.EventRepository(dco.ops.id, dco.cann.id, "cann", "ops")
    for number, destroyed in enumerate([True, False]):
        event = events.MergeGroupChanged(
            installation=dco.installation.id, repository=where, head_sha=head, branch="main", destroyed=destroyed
        )
        dco.accept(event, guid=f"g{number}", name="merge_group")
        dco.settle()
    assert (runs(dco, head), dco.jobs.waiting) == ([], ())


def test_made_again_with_the_same_commit(dco):
    """The same trial merge within the same second has the same SHA: it is asked for again."""
    _, _ = queued(dco, GREEN)
    head, where = build(dco), events.EventRepository(dco.ops.id, dco.cann.id, "cann", "ops")
    dco.hear(drop={"merge_group"})
    for number, destroyed in enumerate([False, True, False]):
        event = events.MergeGroupChanged(
            installation=dco.installation.id, repository=where, head_sha=head, branch="main", destroyed=destroyed
        )
        dco.accept(event, guid=f"g{number}", name="merge_group")
        dco.jobs.run_all()
        dco.shift += timedelta(seconds=1)
    assert runs(dco, head) == [("completed", "success")]


def unknown_head(scene, head_sha):
    """A group that GitHub's queue does not have."""
    event = events.MergeGroupChanged(
        installation=scene.installation.id,
        repository=events.EventRepository(scene.ops.id, scene.cann.id, "cann", "ops"),
        head_sha=head_sha,
        branch="main",
        destroyed=False,
    )
    scene.accept(event, guid="unknown", name="merge_group")
    scene.jobs.run_all()


def test_an_unknown_head_is_in_progress_then_given_up_and_tried_on(dco):
    """Never a pass; the true reason is shown once the queue was kept waiting for long enough."""
    (pull,), _ = queued(dco, GREEN)
    head = pull.base_sha
    unknown_head(dco, head)
    assert runs(dco, head) == [("in_progress", None)]
    assert "no entry for this commit" in summary(dco, head)

    dco.shift = ANSWER_TIMEOUT
    dco.one_delayed()
    assert runs(dco, head) == [("completed", "action_required")]
    assert "no entry for this commit" in summary(dco, head)
    assert len(dco.jobs.waiting) == 1, "it goes on"
    for _ in range(MAX_QUICK_RETRIES):
        dco.one_delayed()
    assert dco.jobs.waiting == ()
    dco.shift += timedelta(hours=2)
    assert dco.begin(merge_groups.MERGE_GROUPS, MergeGroupKey(dco.ops.id, head))


def test_github_down_meanwhile(dco):
    """The queue cannot be read: in progress with the reason, and judged when GitHub is back."""
    queued(dco, GREEN)
    head = build(dco)
    dco.weather.faults.append(("POST", QUEUE, 502))
    dco.hear()
    dco.jobs.run_all()
    assert runs(dco, head) == [("in_progress", None)]

    dco.weather.faults.clear()
    dco.settle(delayed=True)
    assert runs(dco, head) == [("completed", "success")]


def test_a_pull_request_that_can_not_be_judged(dco):
    """It holds the group up for so long, then the run says which one and why, and turns by itself later."""
    (first, second), _ = queued(dco, GREEN, GREEN)
    dco.shift = VERDICT_MAX_AGE + timedelta(minutes=1)
    dco.weather.altered.append(("POST", QUEUE, lambda body: body.replace(b'"baseRefName"', b'"nothing"')))
    dco.weather.faults.append(("GET", "/pulls/", 502))
    head = build(dco, size=2)
    dco.hear()
    dco.jobs.run_all()
    assert runs(dco, head) == [("in_progress", None)]

    dco.shift += ANSWER_TIMEOUT
    with dco.sessions() as session:
        merge_groups.again(session, dco.jobs, MergeGroupKey(dco.ops.id, head))
    dco.jobs.run_all()
    assert runs(dco, head) == [("completed", "action_required")]
    assert f"pull request #{first.number} has not been checked yet (its own check says why)" in summary(dco, head)
    assert known(dco, head).due_at - dco.clock() <= MAX_RECHECK

    dco.weather.faults.clear()
    dco.weather.altered.clear()
    dco.settle(delayed=True)
    assert runs(dco, head) == [("completed", "success")]
    assert known(dco, head).waiting_since is None
    assert dco.conclusion(second) == "success"


def test_the_button_at_the_run(dco):
    """The run is written anew, by its commit."""
    queued(dco, GREEN)
    head = build(dco)
    dco.settle()
    (run,) = _runs(dco, head)
    run.output = {**run.output, "title": "Somebody else's words"}
    dco.world.rerequest(run, dco.mia)
    dco.settle()
    assert run.output["title"] != "Somebody else's words"


def test_in_the_shadow_nothing_is_written(staged):
    """Also where no pull request was ever judged."""
    scene = staged(rulebook='version: 1\nrepositories: [{match: ["*"], require: dco, mode: shadow}]\n')
    queued(scene, GREEN, judged=False)
    head = build(scene)
    scene.settle()
    assert runs(scene, head) == []
    assert scene.jobs.waiting == ()


def test_only_accounts_that_are_served(dco):
    """A group elsewhere is not even stored."""
    where = events.EventRepository(7, 10**6, "elsewhere", "ops")
    event = events.MergeGroupChanged(
        installation=7, repository=where, head_sha="f" * 40, branch="main", destroyed=False
    )
    dco.accept(event, guid="g", name="merge_group")
    dco.settle()
    with dco.sessions() as session:
        assert merge_groups.get(session, MergeGroupKey(7, "f" * 40)) is None


def test_a_repository_that_was_renamed(dco):
    """The group's event has the old name; the queue is found by the id."""
    queued(dco, GREEN)
    head = build(dco)
    dco.world.rename(dco.ops, "operators", dco.ada)
    dco.settle()
    assert runs(dco, head) == [("completed", "success")]


def test_old_groups_are_forgotten(dco):
    """A week later."""
    queued(dco, GREEN)
    head = build(dco)
    dco.settle()
    with dco.sessions() as session:
        merge_groups.purge(session, at=dco.clock() + GROUP_RETENTION - timedelta(minutes=1), most=9)
    assert known(dco, head) is not None
    with dco.sessions() as session:
        assert merge_groups.purge(session, at=dco.clock() + GROUP_RETENTION + timedelta(minutes=1), most=9) == 1
    assert known(dco, head) is None


def test_who_queued_it_is_nobody_to_us(dco):
    """The group's events keep ids and labels of the repository, no person."""
    event = events.MergeGroupChanged(
        installation=1,
        repository=events.EventRepository(1, 2, "cann", "ops"),
        head_sha="a" * 40,
        branch="main",
        destroyed=True,
    )
    assert not any(isinstance(getattr(event, name), Account) for name in event.__slots__)


def test_a_restored_database_that_forgot_the_group(dco):
    """It was answered after the backup: the sweep finds the group, and the answer that is there."""
    queued(dco, GREEN)
    head = build(dco)
    dco.settle()
    made = known(dco, head).remote_id
    with dco.sessions() as session:
        session.execute(delete(MergeGroup))
        sweeps.restored(session, at=dco.clock())

    assert sweep.queue(dco.services, starting=True)
    dco.settle()

    assert runs(dco, head) == [("completed", "success")]
    assert known(dco, head).remote_id == made
