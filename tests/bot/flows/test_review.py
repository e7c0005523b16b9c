"""A review judges and shows the newest state, and is repeated after any failure."""

from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import text

from agreements.facts import Entry
from agreements.store.people.emails import CODE_PROOF_LIFETIME
from bot import clock
from bot.demo.github.state import StoredEmail
from bot.flows import journey, lot
from bot.job_queue import Job
from bot.runner import make_runner
from bot.store import inbox
from bot.store.leases import LEASE
from bot.store.pulls import review_mailbox
from bot.store.pulls.review_mailbox import REVIEWS
from bot.store.retry_policy import RETRY_DELAYS
from tests.bot.flows.recipes import book, company, opened, prove, rule, third_version

BOTH = pytest.mark.parametrize("database_url", ["sqlite", "postgres"], indirect=True)


def states(scene):
    """State of each delivery."""
    with scene.sessions() as session:
        return [row.state for row in inbox.listed(session)]


@pytest.mark.slow
@BOTH
def test_a_pull_request_turns_from_red_to_green_after_the_signature(scene):
    pull, _ = scene.pull()
    scene.settle()

    assert scene.runs(pull) == [("completed", "failure", scene.runs(pull)[0][2])]
    assert scene.labels(pull) == ["cla-required"]
    assert "https://cla.example.org/sign/icla?pr=cann/ops/1" in scene.comments(pull)[0].body
    assert scene.recorded(pull) == ("failure", ["cla/unsigned"])
    assert set(states(scene)) == {"done"}

    scene.sign(scene.mia)
    scene.again(pull)

    assert scene.conclusion(pull) == "success"
    assert scene.labels(pull) == ["cla-signed"]
    assert len(scene.comments(pull)) == 1
    assert scene.recorded(pull) == ("success", ["cla/individual"])


def test_a_verdict_is_one_read_and_one_write_for_each_item(scene):
    scene.pull()
    scene.hear()
    scene.calls()
    scene.jobs.run_all()

    made = [call for call in scene.calls() if call[1].startswith(("/graphql", "/repos"))]
    # The label is new to the repository.
    names = ["graphql", "check-runs", "labels", "labels", "comments"]
    assert [template.rpartition("/")[2] for _, template in made] == names


def test_a_slow_verdict_has_a_run_in_progress_first(scene, monkeypatch):
    monkeypatch.setattr(journey, "SLOW_AFTER", timedelta(seconds=0.2))
    scene.world.write(scene.rules, {".github/countersign.yml": "version: 1\nchangelog: {require: true}\n"})
    pull, _ = scene.pull("Fix it\n\nSigned-off-by: Mia <mia@home.example>")
    seen = []

    def slow():
        scene.wait_for_run(pull)
        seen.extend(scene.runs(pull))

    scene.weather.before.append(("GET", "/files", slow))
    scene.settle()

    assert [(status, conclusion) for status, conclusion, _ in seen] == [("in_progress", None)]
    assert [conclusion for _, conclusion, _ in scene.runs(pull)] == ["failure"]


def test_each_head_has_its_own_run(scene):
    pull, clone = scene.pull()
    scene.settle()
    first = pull.head_sha
    clone.commit("One more")
    clone.push()
    scene.settle()

    assert first != pull.head_sha
    assert scene.conclusion(pull) == "failure"
    assert sorted(run.head_sha for run in scene.world.check_runs.values()) == sorted([first, pull.head_sha])
    assert len(scene.comments(pull)) == 1


def test_a_closed_pull_request_is_noted_and_left_alone(scene):
    pull, _ = scene.pull()
    scene.world.close_pull(pull, scene.mia)
    scene.settle()

    assert scene.runs(pull) == []
    assert scene.writes() == []
    assert scene.row(pull).open is False
    assert set(states(scene)) == {"done"}

    scene.world.reopen_pull(pull, scene.mia)
    scene.settle()
    assert scene.conclusion(pull) == "failure"


def test_a_pull_request_of_an_account_that_is_not_served_is_left_alone(scene):
    other = scene.world.organization("elsewhere", admins=[scene.ada])
    theirs = scene.world.repository(other, "ops")
    scene.world.install(scene.app, other, scene.ada)
    pull, _ = scene.pull(to=theirs)
    scene.settle()

    assert (scene.runs(pull), scene.labels(pull), scene.comments(pull)) == ([], [], [])
    assert scene.writes() == []
    assert set(states(scene)) == {"done"}


def test_in_shadow_mode_the_verdict_is_recorded_and_nothing_written(staged):
    scene = staged(rulebook='version: 1\nrepositories: [{match: ["*"], require: cla, mode: shadow}]\n')
    pull, _ = scene.pull()
    scene.settle()

    assert scene.recorded(pull) == ("failure", ["cla/unsigned"])
    assert scene.writes() == []
    assert scene.runs(pull) == []


def test_a_broken_rulebook_needs_action_and_sets_no_label(staged):
    scene = staged(rulebook="version: 1\npeople: {exmpt: []}\n")
    scene.sign(scene.mia)
    pull, _ = scene.pull()
    scene.settle()

    assert scene.conclusion(pull) == "action_required"
    assert scene.recorded(pull) == ("action_required", ["rulebook/invalid"])
    assert scene.labels(pull) == []
    assert "people.exmpt" in next(iter(scene.world.check_runs.values())).output["summary"]


def test_a_rulebook_out_of_reach_needs_action(scene):
    scene.sign(scene.mia)
    pull, _ = scene.pull()
    scene.rules.private = True
    scene.installation.repositories = {scene.ops.id}
    scene.settle()

    assert scene.recorded(pull) == ("action_required", ["rulebook/unreachable"])


def test_an_incomplete_history_needs_action(scene):
    scene.sign(scene.mia)
    pull, _ = scene.pull("Fix it\n\nCo-authored-by: Somebody <some@body.example>")
    scene.weather.faults.append(("POST", "/graphql", 502))
    scene.settle()

    assert scene.conclusion(pull) == "action_required"
    assert "facts/incomplete" in scene.recorded(pull)[1]


@pytest.mark.slow
def test_a_review_that_github_refuses_is_retried_with_growing_waits(scene):
    pull, clone = scene.pull()
    scene.settle()
    clone.commit("One more")
    clone.push()
    scene.hear()
    scene.weather.faults.append(("*", r"/graphql|/repos/|/repositories/", 422))
    scene.jobs.run_all()
    waits = []
    for _ in range(5):
        waits += [job.delay for job in scene.jobs.waiting]
        scene.one_delayed()
    assert waits == [*RETRY_DELAYS, RETRY_DELAYS[-1]]
    assert "received" in states(scene)
    assert scene.row(pull).attempts == 6

    scene.weather.faults.clear()
    scene.settle(delayed=True)
    assert scene.conclusion(pull) == "failure"
    assert scene.row(pull).attempts == 0
    assert set(states(scene)) == {"done"}


def test_a_failure_during_a_review_is_shown_in_progress_then_as_needs_action(scene):
    scene.world.write(scene.rules, {".github/countersign.yml": "version: 1\nchangelog: {require: true}\n"})
    pull, _ = scene.pull()
    scene.weather.faults.append(("GET", "/files", 500))
    scene.settle()
    assert [(status, conclusion) for status, conclusion, _ in scene.runs(pull)] == [("in_progress", None)]
    scene.one_delayed()

    assert scene.conclusion(pull) == "action_required"
    run = next(iter(scene.world.check_runs.values()))
    assert "500" in run.output["summary"]
    assert scene.jobs.waiting == (Job("review", (scene.row(pull).id,), "later", RETRY_DELAYS[1]),)

    scene.weather.faults.clear()
    scene.settle(delayed=True)
    assert scene.conclusion(pull) == "failure"


@BOTH
def test_an_internal_error_is_named_by_its_class_and_retried(scene):
    pull, _ = scene.pull()
    with scene.database.begin() as connection:
        connection.execute(text("ALTER TABLE participant RENAME TO hidden"))
    scene.settle()
    assert [(status, conclusion) for status, conclusion, _ in scene.runs(pull)] == [("in_progress", None)]
    assert scene.row(pull).attempts == 1
    scene.one_delayed()

    assert scene.conclusion(pull) == "action_required"
    summary = next(iter(scene.world.check_runs.values())).output["summary"]
    assert "internal error" in summary
    assert "participant" not in summary
    assert scene.row(pull).attempts == 2
    assert scene.row(pull).lease_by is None

    with scene.database.begin() as connection:
        connection.execute(text("ALTER TABLE hidden RENAME TO participant"))
    scene.settle(delayed=True)
    assert scene.conclusion(pull) == "failure"


def test_a_second_job_waits_for_the_first_ones_lease(scene):
    pull, _ = scene.pull()
    scene.hear()
    pull_id = scene.row(pull).id
    assert scene.begin(REVIEWS, pull_id, "other")

    scene.jobs.run_all()
    assert scene.calls() == []

    scene.advance(LEASE + timedelta(seconds=1))
    assert scene.conclusion(pull) == "failure"


def test_a_job_run_twice_changes_nothing(scene):
    pull, _ = scene.pull()
    scene.settle()
    scene.calls()

    scene.review(pull, "job-1")
    make_runner(scene.services)(Job("review", (10**6,)), "job-1")

    assert scene.calls() == []


def test_an_event_during_a_review_is_judged_after_it(scene):
    pull, clone = scene.pull()
    scene.hear()

    def push_more():
        clone.commit("One more")
        clone.push()
        scene.hear()

    scene.weather.before.append(("POST", "/check-runs", push_more))
    scene.jobs.run_all()

    assert scene.conclusion(pull) == "failure"
    assert scene.row(pull).head_sha == pull.head_sha == clone.head


def newest(scene, pull):
    """What the run made last on the head says, which is the one that counts at GitHub."""
    return max((run.id, run.conclusion) for run in scene.world.check_runs.values() if run.head_sha == pull.head_sha)[1]


def overtake(scene, pull, deed):
    """What happens to a run that was silent for longer than its lease: the deed, and another run."""

    def meanwhile():
        deed()
        with scene.sessions() as session:
            review_mailbox.enqueue_review(session, scene.jobs, scene.row(pull).id, queue="now")
        scene.shift = LEASE + timedelta(seconds=5)
        scene.review(pull, "another")

    return meanwhile


@pytest.mark.parametrize(
    "call", [("POST", "/graphql"), ("POST", "/check-runs"), ("POST", "/labels$"), ("POST", "/comments$")]
)
def test_an_overtaken_run_is_corrected_by_the_newest_one(staged, call):
    scene = staged(rulebook='version: 1\nrepositories: [{match: ["*"], require: cla}]\n')
    pull, _ = scene.pull()
    scene.hear()
    scene.weather.before.append((*call, overtake(scene, pull, lambda: scene.sign(scene.mia))))
    scene.jobs.run_all()
    scene.settle(delayed=True)

    assert newest(scene, pull) == "success"
    assert scene.labels(pull) == ["cla-signed"]
    assert scene.recorded(pull) == ("success", ["cla/individual"])
    assert scene.row(pull).lease_by is None
    assert set(states(scene)) == {"done"}


@pytest.fixture(name="overtaken")
def _overtaken(staged):
    """A pull request whose next run judges under old rules, and is silent while they become stricter and another run judges."""
    scene = staged(rulebook='version: 1\nrepositories: [{match: ["*"], require: none}]\n')
    strict = 'version: 1\nrepositories: [{match: ["*"], require: dco}]\n'
    pull, _ = scene.pull()
    scene.hear()
    deed = overtake(scene, pull, lambda: scene.world.write(scene.rules, {".github/countersign.yml": strict}))
    scene.weather.before.append(("POST", "/check-runs", deed))
    return scene, pull


def test_an_overtaken_run_does_not_show_its_green(overtaken):
    scene, pull = overtaken
    scene.jobs.run_all()
    scene.settle(delayed=True)
    assert newest(scene, pull) == "failure"


def test_an_overtaken_run_records_no_verdict(overtaken):
    scene, pull = overtaken
    scene.review(pull, "old")

    assert scene.recorded(pull)[0] == "failure"


def test_a_failure_of_an_overtaken_run_leaves_the_newer_verdict(scene):
    pull, _ = scene.pull()
    scene.settle()
    with scene.sessions() as session:
        review_mailbox.enqueue_review(session, scene.jobs, scene.row(pull).id, queue="now")

    def fail():
        overtake(scene, pull, lambda: scene.sign(scene.mia))()
        scene.weather.faults.append(("POST", "/graphql", 502))
        scene.weather.faults.append(("GET", "/pulls", 502))

    scene.weather.before.append(("POST", "/graphql", fail))
    scene.review(pull, "old")
    assert scene.conclusion(pull) == "success"

    scene.weather.faults.clear()
    scene.settle(delayed=True)
    assert scene.conclusion(pull) == "success"
    assert scene.row(pull).attempts == 0


def test_a_repository_made_private_is_hidden_before_its_verdict(scene):
    pull, _ = scene.pull()
    scene.settle()
    assert not scene.row(pull).private
    scene.ops.private = True
    scene.weather.faults.append(("PATCH", "/check-runs", 502))
    scene.again(pull)
    assert scene.row(pull).private


@pytest.mark.slow
@pytest.mark.parametrize("doubt", ["history", "rulebook"])
def test_a_doubt_is_looked_at_again_with_growing_waits(scene, doubt):
    scene.sign(scene.mia)
    pull, _ = scene.pull("Fix it\n\nCo-authored-by: Ada <ada@cann.example>")
    scene.sign(scene.ada)
    if doubt == "history":
        scene.weather.faults.append(("POST", "/graphql", 502))
    else:
        scene.rules.private = True
        scene.installation.repositories = {scene.ops.id}
    scene.settle()
    waits = []
    for _ in range(6):
        assert scene.recorded(pull)[0] == "action_required"
        waits.append(scene.row(pull).due_at - scene.row(pull).evaluated_at)
        scene.shift = scene.row(pull).due_at - clock.now() + timedelta(seconds=1)
        scene.wait()
        lot.queue_due(scene.services)
        scene.settle()
    assert waits == sorted(waits)
    assert timedelta(seconds=59) < waits[0] < waits[-1] <= timedelta(hours=6)

    scene.weather.faults.clear()
    scene.installation.repositories = None
    scene.again(pull)
    assert scene.conclusion(pull) == "success"
    assert scene.row(pull).due_at is None


def test_a_pass_by_an_older_version_is_judged_again_when_its_grace_ends(staged):
    scene = staged(rulebook=book("cla"))
    scene.sign(scene.mia)
    third_version(scene)
    until = scene.clock() + timedelta(hours=5)
    accepted = f"accept: {{icla: [{{versions: '3.0'}}, {{versions: '2.0', until: {until:%Y-%m-%dT%H:%M:%SZ}}}]}}"
    rule(scene, book("cla", f"agreements: {{individual: {{version: '3.0'}}, {accepted}}}"))
    pull = opened(scene)
    scene.settle()
    assert scene.conclusion(pull) == "success"
    scene.advance(timedelta(hours=4))
    assert scene.conclusion(pull) == "success"

    scene.advance(timedelta(hours=2))
    assert (scene.conclusion(pull), scene.labels(pull)) == ("failure", ["cla-required"])
    assert scene.row(pull).due_at is None


def test_the_end_of_a_proof_ends_the_pass(staged):
    scene = staged(rulebook=book("cla", "people: {domains: enrolled}"))
    company(scene, Entry(domain="huawei.com"))
    scene.mia.emails.append(StoredEmail("mia@huawei.com"))
    prove(scene, scene.mia, "mia@huawei.com")
    pull = opened(scene, author=("Mia", "mia@huawei.com"))
    scene.settle()
    assert scene.conclusion(pull) == "success"

    scene.advance(CODE_PROOF_LIFETIME + timedelta(hours=1))
    assert scene.conclusion(pull) == "failure"


def test_a_rulebook_that_a_release_makes_valid_has_pull_requests_judged_again(staged):
    scene = staged(
        rulebook=book("cla", "agreements: {individual: {version: '3.0'}, accept: {icla: [{versions: '>=2.0'}]}}")
    )
    scene.sign(scene.mia)
    pulls = [opened(scene, name, branch=name) for name in ("one", "two")]
    scene.settle()
    assert {scene.conclusion(pull) for pull in pulls} == {"action_required"}

    third_version(scene)
    scene.advance(timedelta(hours=6))
    assert {scene.conclusion(pull) for pull in pulls} == {"success"}


def test_the_log_of_an_internal_error_holds_no_values(scene, capsys):
    scene.pull(author=("Mia Secret", "mia@home.example"))
    with scene.database.begin() as connection:
        connection.execute(text("ALTER TABLE participant RENAME TO hidden"))
    scene.settle()

    said = capsys.readouterr().out
    assert "review.failed" in said
    assert "OperationalError" in said
    assert "Traceback" not in said
    assert "participant" not in said
    assert "Secret" not in said


@BOTH
def test_a_changed_verdict_is_notified_and_an_unchanged_one_is_not(scene):
    told = []
    scene.services = replace(scene.services, notify=lambda _session, found: told.extend(found))
    scene.jobs.start(make_runner(scene.services))
    pull, _ = scene.pull()
    scene.settle()
    scene.again(pull)
    scene.sign(scene.mia)
    scene.again(pull)
    scene.again(pull)

    assert [(event.values["previous"], event.values["conclusion"]) for event in told] == [
        (None, "failure"),
        ("failure", "success"),
    ]
    assert told[0].values["repository"] == {"id": scene.ops.id, "name": "cann/ops"}
    assert told[0].values["head"] == pull.head_sha
    assert told[0].values["reasons"] == ["cla/not-covered"]
