"""The merge queue: each pull request of a group is judged by its own commits, and the worst conclusion counts."""

from datetime import timedelta

import pytest
from sqlalchemy import delete

from agreements.facts import Account
from bot.flows import sweep
from bot.flows.merge_group import ANSWER_TIMEOUT
from bot.job_queue import Job
from bot.store import merge_groups, sweeps
from bot.store.merge_groups import GROUP_RETENTION, MergeGroup, MergeGroupKey
from bot.store.pulls import review_mailbox
from bot.store.pulls.group_members import VERDICT_MAX_AGE
from bot.store.pulls.review_mailbox import REVIEWS
from bot.store.retry_policy import MAX_QUICK_RETRIES, MAX_RECHECK
from bot.webhook import events
from tests.bot import claims
from tests.bot.demo.github import queued_merges
from tests.bot.flows.recipes import SIGNED, book

QUEUE = "/graphql"
GREEN, RED = SIGNED, "Fix it"


def queued(scene, *messages, judged=True):
    """A pull request for each, with a commit by mia with that message; in the merge queue, in this order."""
    pulls = [scene.pull(message, branch=f"b{number}")[0] for number, message in enumerate(messages)]
    if judged:
        scene.settle()
    return pulls, [queued_merges.enqueue(scene.world, pull, scene.ada) for pull in pulls]


def build(scene, size=1):
    """The next group; its head."""
    return queued_merges.build_group(scene.world, scene.ops, "main", size=size)[-1].head_sha


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
def test_a_group_of_one_is_judged_by_its_pull_requests_commits(dco, messages, conclusion):
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
def test_a_group_of_three_gets_the_worst_conclusion_and_names_each(dco, messages, conclusion):
    pulls, _ = queued(dco, *messages)
    head = build(dco, size=3)
    dco.settle()

    assert runs(dco, head) == [("completed", conclusion)]
    assert all(f"[#{pull.number}](" in summary(dco, head) for pull in pulls)
    assert summary(dco, head).count("❌") == 2 * messages.count(RED), "in both languages"


def test_a_group_that_came_while_the_clock_was_ahead_does_not_wait(dco):
    queued(dco, RED)
    dco.shift = timedelta(hours=1)
    head = build(dco)
    dco.hear()
    with pytest.raises(RuntimeError):  # the first job notes the group; its review would be the second
        dco.jobs.run_all(limit=1)
    dco.shift = timedelta(0)
    dco.settle()
    assert runs(dco, head) == [("completed", "failure")]


def test_a_red_pull_request_fails_its_group_and_those_above_it(dco):
    queued(dco, GREEN, RED, GREEN)
    heads = [build(dco) for _ in range(3)]
    dco.settle()
    assert [runs(dco, head)[0][1] for head in heads] == ["success", "failure", "failure"]


def test_a_group_whose_pull_requests_were_never_judged_waits_for_their_reviews(dco):
    pulls, _ = queued(dco, GREEN, GREEN, judged=False)
    dco.hear(drop={"pull_request"})
    head = build(dco, size=2)
    dco.hear()
    dco.settle()

    assert runs(dco, head) == [("completed", "success")]
    assert [dco.conclusion(pull) for pull in pulls] == ["success", "success"]


def test_a_group_is_in_progress_while_one_of_its_pull_requests_is_judged(dco):
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


def test_a_new_signature_turns_the_groups_run(staged):
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


def test_a_verdict_that_is_too_old_is_given_anew_for_the_group(dco):
    (pull,), _ = queued(dco, GREEN)
    before = dco.row(pull).evaluated
    dco.shift = VERDICT_MAX_AGE + timedelta(minutes=1)
    head = build(dco)
    dco.settle()
    assert dco.row(pull).evaluated == before + 1
    assert runs(dco, head) == [("completed", "success")]


def test_a_red_pull_request_that_jumps_the_queue_fails_the_new_group(dco):
    queued(dco, GREEN, GREEN)
    old = build(dco, size=2)
    dco.settle()
    assert runs(dco, old) == [("completed", "success")]

    red, _ = dco.pull("Fix it", branch="urgent")
    dco.settle()
    queued_merges.enqueue(dco.world, red, dco.ada, jump=True)
    head = build(dco, size=3)
    dco.settle()
    assert (runs(dco, old), runs(dco, head)) == ([("completed", "success")], [("completed", "failure")])
    assert f"[#{red.number}](" in summary(dco, head)


def test_a_destroyed_group_is_left_alone(dco):
    (pull,), (entry,) = queued(dco, GREEN)
    head = build(dco)
    dco.world.hooks.drain()
    queued_merges.dequeue(dco.world, entry, dco.ada)
    dco.settle()
    assert runs(dco, head) == []
    dco.calls()

    dco.again(pull)
    assert ("POST", "/repos/{owner}/{repo}/check-runs") not in dco.calls()
    assert not known(dco, head).is_alive


def test_a_group_whose_destruction_was_delivered_first_is_left_alone(dco):
    head, where = "f" * 40, events.EventRepository(dco.ops.id, dco.cann.id, "cann", "ops")
    for number, destroyed in enumerate([True, False]):
        event = events.MergeGroupChanged(
            installation=dco.installation.id, repository=where, head_sha=head, branch="main", destroyed=destroyed
        )
        dco.accept(event, guid=f"g{number}", name="merge_group")
        dco.settle()
    assert (runs(dco, head), dco.jobs.waiting) == ([], ())


def test_a_group_made_again_with_the_same_commit_is_judged(dco):
    """The same trial merge within one second has the same SHA."""
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


@pytest.mark.slow
def test_a_head_without_a_queue_entry_is_in_progress_then_shown_as_unjudged(dco):
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


def test_a_group_is_judged_when_github_is_back(dco):
    queued(dco, GREEN)
    head = build(dco)
    dco.weather.faults.append(("POST", QUEUE, 502))
    dco.hear()
    dco.jobs.run_all()
    assert runs(dco, head) == [("in_progress", None)]

    dco.weather.faults.clear()
    dco.settle(delayed=True)
    assert runs(dco, head) == [("completed", "success")]


@pytest.mark.slow
def test_a_pull_request_that_cannot_be_judged_is_named_in_the_groups_run(dco):
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


def test_the_rerun_button_writes_the_groups_run_anew(dco):
    queued(dco, GREEN)
    head = build(dco)
    dco.settle()
    (run,) = _runs(dco, head)
    run.output = {**run.output, "title": "Somebody else's words"}
    dco.world.rerequest(run, dco.mia)
    dco.settle()
    assert run.output["title"] != "Somebody else's words"


def test_nothing_is_written_for_a_group_in_shadow_mode(staged):
    scene = staged(rulebook='version: 1\nrepositories: [{match: ["*"], require: dco, mode: shadow}]\n')
    queued(scene, GREEN, judged=False)
    head = build(scene)
    scene.settle()
    assert runs(scene, head) == []
    assert scene.jobs.waiting == ()


def test_a_group_of_an_account_that_is_not_served_is_not_stored(dco):
    where = events.EventRepository(7, 10**6, "elsewhere", "ops")
    event = events.MergeGroupChanged(
        installation=7, repository=where, head_sha="f" * 40, branch="main", destroyed=False
    )
    dco.accept(event, guid="g", name="merge_group")
    dco.settle()
    with dco.sessions() as session:
        assert merge_groups.get(session, MergeGroupKey(7, "f" * 40)) is None


def test_a_group_of_a_renamed_repository_is_found_by_its_id(dco):
    queued(dco, GREEN)
    head = build(dco)
    dco.world.rename(dco.ops, "operators", dco.ada)
    dco.settle()
    assert runs(dco, head) == [("completed", "success")]


def test_a_group_is_forgotten_after_a_week(dco):
    queued(dco, GREEN)
    head = build(dco)
    dco.settle()
    with dco.sessions() as session:
        merge_groups.purge(session, at=dco.clock() + GROUP_RETENTION - timedelta(minutes=1), most=9)
    assert known(dco, head) is not None
    with dco.sessions() as session:
        assert merge_groups.purge(session, at=dco.clock() + GROUP_RETENTION + timedelta(minutes=1), most=9) == 1
    assert known(dco, head) is None


def test_the_event_of_a_group_keeps_no_person(dco):
    event = events.MergeGroupChanged(
        installation=1,
        repository=events.EventRepository(1, 2, "cann", "ops"),
        head_sha="a" * 40,
        branch="main",
        destroyed=True,
    )
    assert not any(isinstance(getattr(event, name), Account) for name in event.__slots__)


@pytest.mark.slow
def test_a_group_that_a_restored_database_forgot_is_found_by_the_sweep(dco):
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
