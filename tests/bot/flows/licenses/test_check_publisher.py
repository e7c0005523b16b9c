"""The check run about licences is made once, updated, and says when it could not be judged."""

from datetime import timedelta

import pytest
from sqlalchemy import delete

from bot.demo.github.git import bare_repository
from bot.flows import lot
from bot.flows.journey import LostClaim, hold
from bot.flows.licenses import check_publisher
from bot.flows.licenses.check_publisher import NAME, publisher_of
from bot.report import license_check
from bot.store import sweeps
from bot.store.license_checks import LICENSE_CHECKS, Head
from bot.store.pulls import heads
from bot.store.pulls.published_item_rows import PullRequestItem
from bot.store.records import PublishedItemRow
from tests.bot.flows.licensed import AUDITED, LEFT_PAD, locked, only_reviewed, run, runs


@pytest.fixture(name="claimed")
def _claimed(staged):
    """A pull request whose licences a job has begun to judge: the scene, the pull request, the claim."""
    scene = staged(rulebook=AUDITED)
    pull, _ = scene.pull(files=locked(LEFT_PAD))
    only_reviewed(scene)
    return scene, pull, scene.begin(LICENSE_CHECKS, Head(scene.ops.id, pull.head_sha))


def shown(claimed):
    """What is shown of the head."""
    scene, pull, claim = claimed
    return publisher_of(claim, scene.hub.fetch_snapshot(scene.place, pull.number, ()), scene.services)


@pytest.mark.slow
def test_the_run_is_made_once_and_written_only_when_it_changes(claimed):
    scene, pull, _ = claimed
    show = shown(claimed)
    assert not show.is_there
    show.in_progress("en")
    show.in_progress("en")
    assert (run(scene, pull).status, show.is_there, run(scene, pull).name) == ("in_progress", True, NAME)

    scene.writes()
    for _ in range(2):
        show.put(license_check.not_asked_for("en"), "neutral")
    assert [call[0] for call in scene.writes()] == ["PATCH"]
    assert (len(runs(scene, pull)), run(scene, pull).conclusion) == (1, "neutral")


@pytest.mark.slow
def test_no_run_is_made_to_say_that_github_is_away(claimed):
    scene, pull, claim = claimed
    check_publisher.could_not_judge(claim, scene.services, "GitHub is away")
    assert runs(scene, pull) == []


def test_an_existing_run_says_why_the_licenses_could_not_be_judged(claimed):
    scene, pull, claim = claimed
    shown(claimed).put(license_check.not_asked_for("en"), "neutral")
    scene.weather.faults.append(("PATCH", "/check-runs/", 500))
    check_publisher.could_not_judge(claim, scene.services, "GitHub is away")
    assert run(scene, pull).conclusion == "neutral"

    scene.weather.faults.clear()
    check_publisher.could_not_judge(claim, scene.services, "GitHub is away")
    assert run(scene, pull).conclusion == "action_required"
    assert "`GitHub is away`" in run(scene, pull).output["summary"]


def test_writing_anew_forgets_what_the_run_shows(claimed):
    scene, pull, claim = claimed
    show = shown(claimed)
    show.in_progress("en")
    check_publisher.write_anew(claim.head, scene.services)
    check_publisher.write_anew(Head(1, "f" * 40), scene.services)
    with scene.sessions() as session:
        assert PullRequestItem(show.keeper.pull_id, "licenses", pull.head_sha).get(session).digest == ""


def test_a_job_that_lost_its_claim_writes_nothing(claimed):
    scene, pull, claim = claimed
    scene.shift += timedelta(hours=1)
    lot.repair(scene.services)
    assert scene.begin(LICENSE_CHECKS, claim.head, "other")
    with pytest.raises(LostClaim):
        hold(LICENSE_CHECKS, claim, scene.services)
    with pytest.raises(LostClaim):
        shown(claimed).in_progress("en")
    assert runs(scene, pull) == []


def test_a_run_that_a_restored_database_forgot_is_found_again(claimed):
    scene, pull, claim = claimed
    shown(claimed).in_progress("en")
    with scene.sessions() as session:
        session.execute(delete(heads.HeadRow))
        session.execute(delete(PublishedItemRow))
        sweeps.restored(session, at=scene.clock())
    bare_repository.point(pull.head_repository.git, "refs/heads/again", pull.head_sha)
    again = scene.world.open_pull(scene.ops, scene.mia, "again", source=pull.head_repository)
    scene.hear()

    shown((scene, again, claim)).put(license_check.not_asked_for("en"), "neutral")

    assert [(check_run.conclusion, check_run.external_id.split(":")[2]) for check_run in runs(scene, pull)] == [
        ("neutral", str(again.number))
    ]
