"""A published item exists once: it is found again after a crash and written only when it changes."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from bot.flows.journey import LostClaim
from bot.flows.publishing import published_items
from bot.flows.publishing.published_items import CREATE_TIMEOUT, RESTORE_WINDOW, check_writer, comment_writer
from bot.github.ports import CheckRun, Unreachable
from bot.store import sweeps
from bot.store.pulls import published_item_rows
from bot.store.pulls.published_item_rows import ConfirmedItem, PullRequestItem

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
COMMENTS = ("POST", "/repos/{owner}/{repo}/issues/{issue_number}/comments")
RUNS = ("POST", "/repos/{owner}/{repo}/check-runs")


@pytest.fixture(name="pull")
def _pull(scene):
    """A pull request that we know and have not judged."""
    pull, _ = scene.pull()
    scene.hear()
    scene.calls()
    return pull


def comment(scene, pull, body="Hello"):
    """The writer of our comment, its marker in it."""
    marker = f"countersign:{scene.ops.id}:{pull.number}"
    return comment_writer(scene.place, pull.number, f"<!-- {marker} -->\n{body}", marker, scene.services.hub)


def check(scene, pull, title="Checking", external_id="countersign:1:1"):
    """The writer of our run on the head."""
    run = CheckRun(name="Countersign", head_sha=pull.head_sha, external_id=external_id, title=title,
                   details_url="https://cla.example.org/pr", summary="Soon")  # fmt: skip
    return check_writer(scene.place, run, scene.services.hub)


def item(scene, pull, kind):
    """Our comment or check of that pull request."""
    return PullRequestItem(scene.row(pull).id, kind, "" if kind == "comment" else pull.head_sha)


def put(where, writer, parts, **more):
    """Publish the item while no other run wants to."""
    published_items.put(where, writer, parts, **{"hold": lambda: None, **more})


def intend(scene, where, at=NOON):
    """The process died after it wrote down that it is about to make the thing."""
    with scene.sessions() as session:
        where.intend(session, at=at)


@pytest.mark.parametrize("kind", ["comment", "check"])
def test_an_item_is_made_once_and_written_only_when_it_changes(scene, pull, kind):
    where, make = item(scene, pull, kind), comment if kind == "comment" else check
    assert published_items.known(where, scene.services) is None

    for _ in range(3):
        put(where, make(scene, pull), scene.services)
    assert scene.writes() == [COMMENTS if kind == "comment" else RUNS]
    made = published_items.known(where, scene.services)

    put(where, make(scene, pull, "Changed"), scene.services)
    ((method, _),) = scene.writes()
    assert method == "PATCH"
    assert published_items.known(where, scene.services) == made


@pytest.mark.parametrize("kind", ["comment", "check"])
def test_an_update_that_was_not_noted_is_written_again(scene, pull, kind):
    where, make = item(scene, pull, kind), comment if kind == "comment" else check
    put(where, make(scene, pull), scene.services)
    writer = make(scene, pull, "Changed")

    def dying(remote_id):
        writer.update(remote_id)
        raise SystemExit

    with pytest.raises(SystemExit):
        put(where, replace(writer, update=dying), scene.services)
    scene.writes()

    put(where, make(scene, pull), scene.services)

    assert [method for method, _ in scene.writes()] == ["PATCH"]
    put(where, make(scene, pull), scene.services)
    assert scene.writes() == []


@pytest.mark.parametrize("kind", ["comment", "check"])
def test_an_item_whose_id_was_not_noted_is_found_and_not_made_twice(scene, pull, kind):
    where, make = item(scene, pull, kind), comment if kind == "comment" else check
    intend(scene, where)
    made = make(scene, pull).create()
    scene.writes()

    put(where, make(scene, pull, "Changed"), scene.services)

    assert [method for method, _ in scene.writes()] == ["PATCH"]
    assert published_items.known(where, scene.services) == made


@pytest.mark.parametrize("kind", ["comment", "check"])
def test_an_intent_without_an_item_makes_it(scene, pull, kind):
    where, make = item(scene, pull, kind), comment if kind == "comment" else check
    intend(scene, where)

    put(where, make(scene, pull), scene.services)

    assert [method for method, _ in scene.writes()] == ["POST"]
    assert published_items.known(where, scene.services) is not None


@pytest.mark.parametrize("kind", ["comment", "check"])
@pytest.mark.parametrize(
    ("since", "is_found"),
    [(NOON, True), (NOON + RESTORE_WINDOW, True), (NOON + RESTORE_WINDOW + timedelta(seconds=1), False), (None, False)],
)
def test_an_item_that_a_restored_database_forgot_is_looked_for(scene, pull, kind, since, is_found):
    where, make = item(scene, pull, kind), comment if kind == "comment" else check
    made = make(scene, pull).create()
    with scene.sessions() as session:
        sweeps.restored(session, at=NOON)
    scene.calls()

    put(where, make(scene, pull, "Judged"), scene.services, since=since)
    assert (published_items.known(where, scene.services) == made) is is_found
    assert [method for method, _ in scene.calls()] == (["GET", "PATCH"] if is_found else ["POST"])


def test_a_comment_of_a_person_that_quotes_our_marker_is_left_alone(scene, pull):
    quote = scene.world.comment(pull, scene.mia, f"What is <!-- countersign:{scene.ops.id}:1 --> ?")
    where = item(scene, pull, "comment")
    intend(scene, where)

    put(where, comment(scene, pull), scene.services)

    assert quote.body.startswith("What is")
    (ours,) = scene.comments(pull)
    assert ours is not quote
    assert published_items.known(where, scene.services) == ours.id


@pytest.mark.parametrize(
    "external_id", ["countersign:1:1:licenses", "countersign:1:merge-group", "countersign:2:1", ""]
)
def test_a_run_with_another_external_id_is_not_taken(scene, pull, external_id):
    other = check(scene, pull, external_id=external_id).create()
    where = item(scene, pull, "check")
    intend(scene, where)

    put(where, check(scene, pull), scene.services)

    assert published_items.known(where, scene.services) not in (None, other)


def test_a_shared_item_that_another_job_is_making_is_not_made_twice(scene, pull):
    where = item(scene, pull, "check")
    intend(scene, where, at=scene.clock())
    with pytest.raises(Unreachable, match="for another pull request"):
        put(where, check(scene, pull), scene.services, shared=True)
    assert scene.writes() == []

    scene.shift = CREATE_TIMEOUT + timedelta(seconds=1)
    put(where, check(scene, pull), scene.services, shared=True)
    assert scene.writes() == [RUNS]


def test_of_two_jobs_that_resume_a_crash_one_makes_the_item(scene, pull):
    where = item(scene, pull, "check")
    intend(scene, where)
    again = []

    def meanwhile():
        with pytest.raises(Unreachable):
            put(where, check(scene, pull), scene.services, shared=True)
        again.append(True)

    scene.weather.before.append(("GET", "/check-runs", meanwhile))
    put(where, check(scene, pull), scene.services, shared=True)

    assert again
    assert scene.writes() == [RUNS]


def test_an_overtaken_job_is_stopped_before_it_writes(scene, pull):
    def lost():
        raise LostClaim

    where = item(scene, pull, "comment")
    with pytest.raises(LostClaim):
        put(where, comment(scene, pull), scene.services, hold=lost)
    assert scene.writes() == []

    put(where, comment(scene, pull), scene.services)
    put(where, comment(scene, pull), scene.services, hold=lost)


def test_a_deleted_item_is_made_again_on_its_next_change(scene, pull):
    where = item(scene, pull, "comment")
    put(where, comment(scene, pull), scene.services)
    first = published_items.known(where, scene.services)
    pull.comments.clear()

    put(where, comment(scene, pull, "Changed"), scene.services)

    (again,) = scene.comments(pull)
    assert published_items.known(where, scene.services) == again.id != first


@pytest.mark.parametrize("kind", ["comment", "check"])
def test_an_item_known_by_a_wrong_id_is_found_and_not_made_twice(scene, pull, kind):
    where, make = item(scene, pull, kind), comment if kind == "comment" else check
    put(where, make(scene, pull), scene.services)
    made = published_items.known(where, scene.services)
    with scene.sessions() as session:
        published_item_rows.confirm_all(session, [ConfirmedItem(where, made + 1000, "")])
    scene.calls()

    put(where, make(scene, pull, "Changed"), scene.services)

    assert [method for method, _ in scene.calls()] == ["PATCH", "GET", "PATCH"]
    assert published_items.known(where, scene.services) == made
    put(where, make(scene, pull, "Changed"), scene.services)
    assert scene.writes() == []


def test_a_deleted_item_stays_away_if_it_may_not_be_made_again(scene, pull):
    where, asked = item(scene, pull, "comment"), []
    put(where, comment(scene, pull), scene.services)
    pull.comments.clear()
    for may in (False, True):
        scene.calls()
        writer = replace(comment(scene, pull, "Changed"), may_make_again=lambda may=may: asked.append(may) or may)
        put(where, writer, scene.services)
        assert [method for method, _ in scene.calls()] == ["PATCH", "GET", *(["POST"] if may else [])]

    assert asked == [False, True]
    assert len(scene.comments(pull)) == 1


def test_a_write_that_github_failed_is_tried_again(scene, pull):
    where = item(scene, pull, "comment")
    put(where, comment(scene, pull), scene.services)
    scene.weather.faults.append(("PATCH", "/comments/", 502))
    with pytest.raises(Unreachable):
        put(where, comment(scene, pull, "Changed"), scene.services)
    scene.weather.faults.clear()

    put(where, comment(scene, pull, "Changed"), scene.services)

    assert scene.comments(pull)[0].body.endswith("Changed")


def test_a_comment_whose_answer_was_lost_is_not_made_twice(scene, pull):
    scene.weather.faults.append(("POST", "/comments$", 502))
    scene.weather.before.append(("POST", "/comments$", lambda: comment_by_app(scene, pull)))
    where = item(scene, pull, "comment")
    with pytest.raises(Unreachable):
        put(where, comment(scene, pull), scene.services)
    scene.weather.faults.clear()

    put(where, comment(scene, pull), scene.services)

    assert len(scene.comments(pull)) == 1


def comment_by_app(scene, pull):
    """What GitHub did before the answer got lost."""
    scene.world.comment(pull, scene.app.bot, comment(scene, pull).body, app=scene.app)
