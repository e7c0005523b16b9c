"""A verdict is said once: until then the head has no run, which is never taken for a pass."""

import sqlite3
import urllib.request

import pytest

pytestmark = pytest.mark.slow

CHANGELOG = "version: 1\norganization: The CANN Authors\nchangelog: {require: true}\n"


def shown(play, pull):
    """The merge box of the pull request, as text."""
    with urllib.request.urlopen(f"{play.stage.github_url}/{pull.repository.full_name}/pull/{pull.number}") as page:
        text = page.read().decode()
    return text[text.index('id="checks"') :]


def test_the_sweep_finds_a_head_whose_run_was_never_made(staged):
    play = staged(latency=0.4)
    play.community()
    play.stage.serve()
    play.calm()
    _, pull = play.opens(play.person("ada", "ada@example.org"))
    play.until(
        lambda: any(delivery.action == "opened" and delivery.statuses == [202] for delivery in play.world.hooks.log)
    )
    play.stage.kill()
    assert [] == play.runs(pull)
    database = sqlite3.connect(play.stage.folder / "countersign.db")
    with database:
        for table in (
            "push",
            "participant",
            "first_seen",
            "head",
            "delivery",
            "pull",
            "workflow_input",
            "workflow_status",
        ):
            database.execute(f"DELETE FROM {table}")
    database.close()
    play.world.hooks.log.clear()

    play.world.latency = 0.0
    play.stage.serve()
    play.judged(pull, "failure")
    assert (1, 1, 1) == (len(play.runs(pull)), len(play.labels(pull)), len(play.comments(pull)))


def test_on_a_slow_github_the_run_is_in_progress_first(staged):
    play = staged()
    play.community(CHANGELOG)
    play.stage.serve()
    play.calm()
    play.world.latency = 1.3
    _, pull = play.opens(play.person("ada", "ada@example.org"), sign_off=True)
    play.until(lambda: play.runs(pull))
    (run,) = play.runs(pull)
    assert ("in_progress", None) == (run.status, run.conclusion)
    assert "1 in progress" in shown(play, pull)
    play.judged(pull, "failure")
    assert [run] == play.runs(pull)


def test_the_merge_box_waits_for_the_required_check(staged):
    play = staged(latency=0.3)
    play.community()
    play.world.find_repository("cann", "ops-math").required_checks["Countersign"] = play.stage.app.id
    play.stage.serve()
    play.calm()
    _, pull = play.opens(play.person("ada", "ada@example.org"))
    meanwhile = shown(play, pull)
    assert "All checks have passed" not in meanwhile
    assert "No check has reported on this commit yet" in meanwhile
    play.judged(pull, "failure")
    assert "Some checks were not successful" in shown(play, pull)
    assert 1 == len([call for call in play.writes() if "check-runs" in call.template])
