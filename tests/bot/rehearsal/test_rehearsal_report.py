"""The table and the JSON of a rehearsal."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from bot.rehearsal import rehearsal_report
from bot.rehearsal.observation import STEPS, Observation, StepResult
from bot.rehearsal.rehearsal_report import RehearsalReport

NINE = datetime(2026, 11, 21, 9, 0, 1, tzinfo=UTC)


def results(**others):
    """All steps seen, but for those named by their ids with `_` for `-`."""
    usual = Observation("seen", "at GitHub", NINE, "in our database", NINE + timedelta(milliseconds=1500))
    return tuple(StepResult(step, others.get(step.id.replace("-", "_"), usual), 1.25) for step in STEPS)


def test_the_table_has_a_row_for_github_and_one_for_our_server():
    done = RehearsalReport("cann/ops", 7, results(label=Observation("not-expected", recorded="no label")))
    lines = rehearsal_report.as_text(done, 100).splitlines()
    assert done.is_fine
    assert lines[0].split() == ["Step", "Who", "UTC", "What", "happened", "Seconds"]
    assert lines[1].split() == ["ok", "1", "Commit", "GitHub", "09:00:01", "at", "GitHub", "1.2"]
    assert lines[2].split() == ["Server", "09:00:02", "in", "our", "database"]
    assert [line.split() for line in lines if " 6 Label" in line] == [
        ["-", "6", "Label", "Server", "no", "label", "1.2"]
    ]
    assert lines[-1] == "All 11 steps of the rehearsal in cann/ops were seen."
    assert len([line for line in lines if "Delete branch" in line]) == 1


def test_a_missing_step_has_its_remedy_once_below_the_table():
    lost = Observation("missing", "GitHub lists no such delivery", remedy="Set the webhook URL.")
    done = RehearsalReport(
        "cann/ops",
        7,
        results(webhook=lost, check=Observation("skipped", "not tried")),
        ("branch https://x/tree/b: 403",),
    )
    text = rehearsal_report.as_text(done, 100)
    assert not done.is_fine
    assert "\nWebhook: Set the webhook URL.\n" in text
    assert "\nLeft behind: branch https://x/tree/b: 403\n" in text
    assert text.endswith("2 of 11 steps of the rehearsal in cann/ops were not seen.")
    assert "FAIL   4 Webhook" in text
    assert [line.split() for line in text.splitlines() if "Check" in line] == [
        ["skip", "5", "Check", "not", "tried", "1.2"]
    ]


def test_a_rehearsal_that_left_something_behind_or_ended_early_is_not_fine():
    assert not RehearsalReport("cann/ops", 7, results(), ("branch x",)).is_fine
    assert not RehearsalReport("cann/ops", None, results()[:3]).is_fine


@pytest.mark.parametrize("width", [60, 80, 100, 200])
def test_the_table_fits_and_githubs_words_are_no_markup(width):
    odd = Observation("seen", "[bold]x[/bold] :smile: " + "https://ghe.example.org/" + "y" * 90)
    text = rehearsal_report.as_text(RehearsalReport("cann/ops", 7, results(branch=odd)), width)
    table = text.split("\n\n", maxsplit=1)[0].splitlines()
    assert max(map(len, table)) <= width
    assert width < 80 or "[bold]x[/bold] :smile:" in text


def test_the_json_is_one_line_with_moments_in_utc():
    done = RehearsalReport("cann/ops", 7, results(label=Observation("not-expected", recorded="no label")), ("x",))
    text = rehearsal_report.as_json(done)
    assert "\n" not in text
    found = json.loads(text)
    assert (found["repository"], found["number"], found["ok"], found["left"]) == ("cann/ops", 7, False, ["x"])
    assert found["steps"][0] == {
        "id": "commit", "status": "seen", "github": "at GitHub", "github_at": "2026-11-21T09:00:01.000Z",
        "recorded": "in our database", "recorded_at": "2026-11-21T09:00:02.500Z", "seconds": 1.25, "remedy": "",
    }  # fmt: skip
    assert found["steps"][5]["github_at"] is None
    assert [step["id"] for step in found["steps"]] == [step.id for step in STEPS]


def test_progress_is_a_line_for_each_step():
    close = results()[9]
    assert rehearsal_report.begun(close.step) + rehearsal_report.ended(close) == "10 Close          ok      1.2 s"
