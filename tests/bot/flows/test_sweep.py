"""A sweep finds what no event told of, judges it once, and needs few requests."""

from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy.exc import OperationalError
from structlog.testing import capture_logs

from bot.flows import redelivery, sweep
from bot.github.client import transport
from bot.github.open_pulls import OpenPull
from bot.github.ports import RepositoryPlace, Unreachable
from bot.job_queue import Job
from bot.runner import make_runner
from bot.store import service_record, sweeps
from bot.store.mailbox import BATCH_SUBJECTS
from bot.store.records import PullRecord
from bot.store.statements import change
from bot.webhook import events
from tests.bot.demo.github import github_deeds, queued_merges
from tests.bot.flows.recipes import SIGNED, book

UNCHANGED = [
    ("GET", "/app/hook/deliveries"), ("GET", "/app/installations"), ("GET", "/installation/repositories"), ("POST", "/graphql"),
]  # fmt: skip
"""What a sweep asks of GitHub where nothing changed."""


def swept(scene, *, starting=True):
    """One sweep and all that follows."""
    assert sweep.queue(scene.services, starting=starting)
    scene.settle()


def away(scene):
    """The deliveries that were sent are lost, as if our server had not been there."""
    scene.world.hooks.drain()
    lost = scene.world.hooks.log[scene.heard :]
    scene.heard += len(lost)
    for delivery in lost:
        scene.world.hooks.log_failure(delivery)
    return lost


def test_a_pull_request_without_an_event_is_found_and_judged(scene):
    pull, _ = scene.pull()
    away(scene)

    swept(scene)

    assert scene.conclusion(pull) == "failure"
    assert scene.labels(pull) == ["cla-required"]


def test_a_found_pull_request_has_its_head_stored_before_it_is_judged(scene):
    pull, _ = scene.pull()
    away(scene)
    assert sweep.installation(scene.installation.id, scene.cann.id, scene.services, full=True) == 1
    assert scene.row(pull).head_sha == pull.head_sha
    scene.weather.faults += [("POST", "/graphql", 502), ("GET", r"/pulls/1$", 451)]
    scene.jobs.run_all()
    assert [(run.status, run.head_sha) for run in scene.world.check_runs.values()] == [("in_progress", pull.head_sha)]


@pytest.mark.slow
def test_another_rulebook_file_since_the_restart_judges_all_once(staged):
    scene = staged(rulebook=None, organization_file=("rules.yml", book("dco")))
    pull, _ = scene.pull(SIGNED)
    scene.settle()
    swept(scene)
    assert scene.conclusion(pull) == "success"

    scene.services = replace(scene.services, organization_file=("rules.yml", book("cla")))
    scene.jobs.start(make_runner(scene.services))
    swept(scene)
    assert scene.conclusion(pull) == "failure"
    before = scene.row(pull).latest
    swept(scene)
    assert scene.row(pull).latest == before


def test_found_pull_requests_are_queued_in_lots(scene):
    place = RepositoryPlace(1, "cann", "many", 11)
    found = [
        OpenPull(number, "a" * 40, scene.clock(), "main", "") for number in range(100, 100 + 2 * BATCH_SUBJECTS + 1)
    ]
    services, lots = scene.counting()

    sweep._post(found, place, scene.cann.id, services)

    assert lots == [BATCH_SUBJECTS, BATCH_SUBJECTS, 1]


def test_of_several_starts_only_the_newest_full_sweep_asks_github(scene):
    pull, _ = scene.pull()
    away(scene)
    for _ in range(3):
        assert sweep.queue(scene.services, starting=True)
        scene.shift += timedelta(seconds=5)
    *older, newest = [job.ids[0] for job in scene.jobs.waiting if job.name == "sweep"]
    scene.calls()
    for since in older:
        sweep.sweep(since, scene.services, full=True)
    assert (len(older), scene.calls()) == (2, [])

    sweep.sweep(newest, scene.services, full=True)

    assert ("GET", "/app/hook/deliveries") in scene.calls()
    scene.settle()
    assert scene.conclusion(pull) == "failure"


def test_a_push_without_an_event_is_found_and_judged(scene):
    scene.sign(scene.mia)
    pull, clone = scene.pull()
    scene.settle()
    clone.commit("Two", files={"two.txt": "2"})
    clone.push()
    away(scene)
    assert scene.conclusion(pull) is None

    swept(scene)

    assert scene.conclusion(pull) == "success"


def test_a_pull_request_closed_without_an_event_is_closed_in_the_records(scene):
    pull, _ = scene.pull()
    scene.settle()
    scene.world.close_pull(pull, scene.mia)
    away(scene)

    swept(scene)

    assert not scene.row(pull).open


def test_each_lost_delivery_that_matters_is_redelivered_once(scene):
    scene.pull()
    opened = away(scene)
    late = next(delivery for delivery in opened if delivery.event == "pull_request")

    swept(scene)

    assert late in scene.world.hooks.redelivered
    assert len({delivery.guid for delivery in scene.world.hooks.redelivered}) == len(scene.world.hooks.redelivered)
    handled = {"pull_request", "push", "check_run", "check_suite", "issue_comment", "installation", "repository"}
    assert {delivery.event for delivery in scene.world.hooks.redelivered} <= handled


@pytest.mark.slow
def test_a_sweep_without_changes_makes_four_requests_and_queues_nothing(scene):
    pulls = [scene.pull(branch=f"b{number}")[0] for number in range(3)]
    swept(scene)
    scene.shift += timedelta(hours=1)
    swept(scene)
    scene.calls()

    swept(scene)

    assert sorted(scene.calls()) == UNCHANGED
    assert all(scene.row(pull).due_at is None for pull in pulls)


def test_a_merge_group_without_an_event_is_found_and_judged_once(staged):
    scene = staged(rulebook=book("dco"))
    pull, _ = scene.pull(SIGNED)
    scene.settle()
    queued_merges.enqueue(scene.world, pull, scene.ada)
    head = queued_merges.build_group(scene.world, scene.ops, "main")[-1].head_sha
    scene.hear(drop={"merge_group", "push"})
    scene.jobs.run_all()
    assert [run for run in scene.world.check_runs.values() if run.head_sha == head] == []

    swept(scene, starting=False)

    (run,) = [run for run in scene.world.check_runs.values() if run.head_sha == head]
    assert run.conclusion == "success"
    scene.shift += sweep.SWEEP_INTERVAL
    scene.calls()
    swept(scene, starting=False)
    assert sorted(scene.calls()) == UNCHANGED, "what is known of costs nothing more"


def test_a_queued_pull_request_without_a_trial_merge_is_not_judged(staged):
    scene = staged(rulebook=book("dco"))
    pull, _ = scene.pull(SIGNED)
    scene.settle()
    queued_merges.enqueue(scene.world, pull, scene.ada)
    scene.hear()
    assert sweep.installation(scene.installation.id, scene.cann.id, scene.services, full=True) == 0
    assert scene.jobs.waiting == ()


def test_a_pull_request_whose_review_waits_is_not_queued_again(scene):
    pull, _ = scene.pull()
    scene.hear()
    before = scene.row(pull).latest

    assert sweep.installation(scene.installation.id, scene.cann.id, scene.services, full=True) == 0

    assert scene.row(pull).latest == before


@pytest.mark.slow
@pytest.mark.parametrize(("full", "found"), [(True, 1), (False, 0)])
def test_only_a_full_sweep_looks_beyond_the_first_page(scene, full, found):
    old, _ = scene.pull(branch="old")
    old.updated_at -= timedelta(
        seconds=1
    )  # GitHub's moments have whole seconds, and eleven pull requests may share a second
    scene.hear(drop=("pull_request",))
    for number in range(10):
        scene.pull(branch=f"b{number}")
    scene.settle()
    assert scene.row(old) is None

    assert sweep.installation(scene.installation.id, scene.cann.id, scene.services, full=full) == found


def test_recently_changed_pull_requests_are_queued_first(scene):
    fresh, _ = scene.pull(branch="fresh")
    stale, _ = scene.pull(branch="stale")
    away(scene)
    stale.updated_at -= timedelta(hours=2)

    sweep.installation(scene.installation.id, scene.cann.id, scene.services, full=True)

    with scene.sessions() as session:
        queued = {job.ids[0]: job.queue for job in scene.jobs.waiting}
        assert {session.get(PullRecord, pull_id).number: queue for pull_id, queue in queued.items()} == {
            fresh.number: "now", stale.number: "later",
        }  # fmt: skip


def test_only_served_and_active_installations_are_swept(scene):
    other = scene.world.organization("other", admins=[scene.ada])
    scene.world.repository(other, "ops")
    scene.world.install(scene.app, other, scene.ada)
    scene.hear()
    sweep.sweep(0, scene.services, full=True)
    wanted = Job("sweep-installation", (scene.installation.id, scene.cann.id, 1), "now")
    assert [job for job in scene.jobs.waiting if job.name == "sweep-installation"] == [wanted]


def test_repositories_that_github_does_not_show_are_logged(scene, monkeypatch):
    monkeypatch.setattr(scene.hub, "open_pulls", lambda *_: {})
    with capture_logs() as lines:
        assert sweep.installation(scene.installation.id, scene.cann.id, scene.services, full=False) == 0
    assert [
        (line["log_level"], line["repositories"]) for line in lines if line["event"] == "sweep.repositories-not-read"
    ] == [("warning", len(scene.hub.listed(scene.installation.id)))]


def test_a_sweep_is_queued_once_in_ten_minutes(scene):
    assert sweep.queue(scene.services)
    assert not sweep.queue(scene.services)
    scene.jobs.run_all()
    scene.shift += sweep.SWEEP_INTERVAL

    assert sweep.queue(scene.services)

    (job,) = scene.jobs.waiting
    since, full = job.ids
    assert full == 0
    assert abs(scene.clock().timestamp() - since - 15 * 60) < 5, "the last turn, and five minutes more"


@pytest.mark.parametrize(("lost", "back"), [(500, timedelta(minutes=15)), (501, redelivery.GITHUB_RETENTION)])
def test_a_sweep_looks_for_the_deliveries_that_the_sweep_before_left(scene, lost, back):
    assert sweep.queue(scene.services)
    scene.jobs.run_all()
    with scene.sessions() as session:
        service_record.lost(session, lost, at=scene.clock())
    scene.shift += sweep.SWEEP_INTERVAL
    assert sweep.queue(scene.services)

    (job,) = scene.jobs.waiting
    assert job.ids[1] == 0
    assert abs(scene.clock().timestamp() - job.ids[0] - back.total_seconds()) < 5


def test_a_starting_web_server_queues_one_sweep_that_is_not_full(scene):
    assert sweep.queue(scene.services)
    scene.jobs.run_all()
    scene.shift += timedelta(minutes=2)
    for _ in range(3):
        sweep.catch_up(scene.services)

    (job,) = scene.jobs.waiting
    assert (job.name, job.ids[1]) == ("sweep", 0)
    assert abs(scene.clock().timestamp() - job.ids[0] - 7 * 60) < 5


def test_a_starting_web_server_recovers_what_was_lost_while_it_was_away(scene):
    assert sweep.queue(scene.services)
    scene.jobs.run_all()
    pull, _ = scene.pull()
    scene.heard = len(scene.world.hooks.log)  # our server was not there
    scene.shift += timedelta(minutes=2)

    sweep.catch_up(scene.services)
    scene.jobs.run_all()

    assert scene.conclusion(pull) == "failure"


def test_a_web_server_starts_without_its_database(scene):
    @contextmanager
    def away():
        raise OperationalError("SELECT 1", {}, Exception("gone"))
        yield

    with capture_logs() as lines:
        sweep.catch_up(replace(scene.services, sessions=away))

    assert [(line["event"], line["why"]) for line in lines] == [("sweep.not-queued", "OperationalError")]


def test_a_full_sweep_is_queued_every_few_hours(scene):
    sweep.queue(scene.services)
    scene.shift += sweep.FULL_SWEEP_INTERVAL
    sweep.queue(scene.services)
    assert [job.ids[1] for job in scene.jobs.waiting] == [1, 1]
    with scene.sessions() as session:
        assert sweeps.state(session).full_at is not None


def test_a_sweep_raises_while_github_is_away(scene):
    """The engine tries the job again."""
    scene.weather.faults.append(("GET", "/app/hook/deliveries", 502))
    with pytest.raises(Unreachable):
        sweep.sweep(0, scene.services, full=True)


def test_a_review_whose_job_was_lost_is_queued_again(scene):
    scene.sign(scene.mia)
    pull, clone = scene.pull()
    scene.settle()
    clone.commit("Two", files={"two.txt": "2"})
    clone.push()
    scene.hear()
    with scene.sessions() as session:
        change(session, PullRecord, {"id": scene.row(pull).id}, due_at=None, queued=2)
    scene.settle()
    assert scene.conclusion(pull) is None

    swept(scene, starting=False)

    assert scene.conclusion(pull) == "success"


@pytest.fixture(name="seen")
def _seen(scene):
    """Whether a closed and an open pull request of cann/ops are shown to every visitor, and open as far as we know."""
    closed, still_open = scene.pull(branch="closed")[0], scene.pull(branch="open")[0]
    scene.settle()
    scene.world.close_pull(closed, scene.ada)
    scene.settle()

    def seen():
        return [(not scene.row(pull).private, scene.row(pull).open) for pull in (closed, still_open)]

    assert seen() == [(True, False), (True, True)]
    return seen


def test_a_sweep_hides_and_shows_pull_requests_as_github_lists_their_repository(scene, seen):
    scene.ops.private = True
    swept(scene, starting=False)
    assert seen() == [(False, False), (False, True)]

    scene.shift += sweep.SWEEP_INTERVAL
    scene.ops.private = False
    swept(scene, starting=False)
    assert seen() == [(True, False), (True, True)]


def test_a_list_that_may_be_older_than_an_event_shows_nothing(scene, seen):
    house = events.EventRepository(scene.ops.id, scene.cann.id, "cann", "ops")
    moved = events.RepositoryMoved(installation=scene.installation.id, repository=house, private=True)
    scene.accept(moved, guid="private", name="repository")
    scene.weather.faults.append(("GET", "/pulls$", 502))  # What judges the open ones again asks GitHub, too.
    scene.settle()
    assert seen() == [(False, False), (False, True)]
    swept(scene)
    assert seen() == [(False, False), (False, True)]

    scene.shift += sweep.SWEEP_INTERVAL
    swept(scene)
    assert seen() == [(True, False), (True, True)]


def test_a_repository_that_becomes_private_while_a_sweep_reads_its_list_stays_hidden(scene, seen):
    scene.ops.private = True
    swept(scene, starting=False)
    assert seen() == [(False, False), (False, True)]
    scene.shift += sweep.SWEEP_INTERVAL
    scene.ops.private = False
    scene.weather.faults.append(("GET", "/pulls$", 502))  # What judges the open ones again asks GitHub, too.
    begun = []

    @contextmanager
    def sessions():
        begun.append(1)
        if len(begun) == 2:  # The sweep knows what is stored, and is about to show it.
            house = events.EventRepository(scene.ops.id, scene.cann.id, "cann", "ops")
            moved = events.RepositoryMoved(installation=scene.installation.id, repository=house, private=True)
            scene.accept(moved, guid="private", name="repository")
            scene.jobs.run_all()
        with scene.sessions() as session:
            yield session

    services = replace(scene.services, sessions=sessions)
    sweep.installation(scene.installation.id, scene.cann.id, services, full=False)
    assert seen() == [(False, False), (False, True)]


def test_a_sweep_finds_that_a_repository_was_taken_from_the_app_and_given_back(scene, seen):
    scene.world.choose(scene.installation, scene.ada, removed=[scene.ops])
    away(scene)
    swept(scene, starting=False)
    assert seen() == [(False, False), (False, False)]

    scene.world.choose(scene.installation, scene.ada, added=[scene.ops])
    away(scene)
    scene.shift += sweep.SWEEP_INTERVAL
    swept(scene, starting=False)
    assert seen() == [(True, False), (True, True)]


def test_a_repository_that_goes_between_two_pages_of_the_list_hides_no_other(scene, seen, monkeypatch):
    monkeypatch.setattr(transport, "PAGE_SIZE", 1)
    first = scene.world.repository(scene.cann, "aaa")
    repositories = scene.world.repositories
    scene.world.repositories = {
        first.id: first,
        **repositories,
    }  # Before cann/ops, which moves to the page that was read.

    def go():
        scene.weather.before.append(
            ("GET", "/installation/repositories", lambda: scene.world.repositories.pop(first.id))
        )

    scene.weather.before.append(("GET", "/installation/repositories", go))
    with pytest.raises(Unreachable, match="changed while it was being read"):
        sweep.installation(scene.installation.id, scene.cann.id, scene.services, full=False)
    assert seen() == [(True, False), (True, True)]


@pytest.mark.parametrize(
    "leaves",
    [
        lambda scene: github_deeds.uninstall(scene.world, scene.installation, scene.ada),
        lambda scene: setattr(scene.installation, "suspended_at", scene.clock()),
        lambda scene: setattr(scene, "services", replace(scene.services, served=Served())),
    ],
    ids=["uninstalled", "suspended", "not served"],
)
def test_a_full_sweep_hides_and_closes_what_no_sweep_looks_at(scene, seen, leaves):
    leaves(scene)
    away(scene)
    sweep.sweep(0, scene.services, full=False)
    assert seen() == [(True, False), (True, True)]
    sweep.sweep(0, scene.services, full=True)
    assert seen() == [(False, False), (False, False)]


@pytest.mark.parametrize(
    "doubt",
    [
        lambda scene: setattr(scene, "services", replace(scene.services, served=Served(is_settled=False))),
        lambda scene: scene.weather.altered.append(("GET", "/app/installations$", lambda _: b'[{"id": 5}]')),
    ],
    ids=["a login is not known", "an odd installation"],
)
def test_a_full_sweep_that_does_not_know_all_accounts_hides_none(scene, seen, doubt):
    doubt(scene)
    sweep.sweep(0, scene.services, full=True)
    assert seen() == [(True, False), (True, True)]


def test_an_installation_that_went_since_it_was_listed_is_left_to_its_event(scene, seen):
    github_deeds.uninstall(scene.world, scene.installation, scene.ada)
    assert sweep.installation(scene.installation.id, scene.cann.id, scene.services, full=True) == 0
    scene.settle()
    assert seen() == [(False, False), (False, False)]


class Served(frozenset):
    """No account is served; `is_settled` as the settings' logins have it."""

    def __new__(cls, *, is_settled=True):
        """The empty set."""
        made = super().__new__(cls)
        made.is_settled = is_settled
        return made
