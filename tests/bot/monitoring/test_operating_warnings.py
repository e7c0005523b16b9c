"""Each fact's warning has its words, stands as long as the fact, and is logged once a minute."""

from dataclasses import replace
from datetime import timedelta

import pytest
from structlog.testing import capture_logs

from bot.monitoring import operating_warnings
from bot.monitoring.operating_warnings import OperatingWarnings
from bot.telemetry.outages import Minute
from tests.bot.monitoring.test_operating_facts import HOUR, MB, NOON, WELL

LOOK = timedelta(seconds=15)
NO_WORKER = "no worker is running, so every pull request waits: start `countersign serve`, role worker or all"


@pytest.mark.parametrize(
    ("changes", "what", "said"),
    [
        ({"backed_up_at": None, "served_since": NOON - 37 * HOUR}, "backup-due",
         "no backup of this database was ever recorded: run `countersign backup`, and see why the regular one is missing"),
        ({"backed_up_at": NOON - 80 * HOUR}, "backup-due",
         "the last backup that was recorded is 3 days old: run `countersign backup`, and see why the regular one is missing"),
        ({"delivered_at": NOON - 130 * HOUR}, "deliveries-silent",
         "no webhook has come for 5 days: see in the App's settings at GitHub (Advanced, Recent deliveries) whether it sends any"),
        ({"lost_deliveries": 1, "lost_since": NOON - HOUR, "asked_at": NOON}, "deliveries-lost",
         "since 2026-11-21 11:00 UTC GitHub sends webhooks that do not arrive, a webhook by now: run countersign doctor"),
        ({"lost_deliveries": 1200, "lost_since": NOON - HOUR, "asked_at": NOON}, "deliveries-lost",
         "since 2026-11-21 11:00 UTC GitHub sends webhooks that do not arrive, 1,200 webhooks by now: run countersign doctor"),
        ({"disk_free_bytes": 100 * MB, "database_bytes": 80 * MB}, "disk-scarce",
         "the disk of the database has 105 MB left for a database of 84 MB: make room"),
    ],
)  # fmt: skip
def test_each_warning_is_said_at_once_with_its_remedy(changes, what, said):
    warnings = OperatingWarnings()
    with capture_logs() as lines:
        warnings.look(WELL)
        assert (warnings.standing, lines) == ((), [])
        warnings.look(replace(WELL, **changes))
    assert warnings.standing == (said,)
    assert lines == [{"event": "operation.warning", "log_level": "warning", "what": what, "why": said}]


def test_a_missing_worker_is_told_from_the_second_look_on():
    warnings = OperatingWarnings()
    found = []
    with capture_logs() as lines:
        for number, workers in enumerate((0, 1, 0, 0, 2)):
            warnings.look(replace(WELL, workers=workers, at=NOON + number * LOOK))
            found.append(warnings.standing)
    assert found == [(), (), (NO_WORKER,), (NO_WORKER,), ()]
    assert [(line["event"], line["what"]) for line in lines] == [
        ("operation.warning", "no-worker"),
        ("operation.well", "no-worker"),
    ]


def test_each_warning_is_one_line_a_minute(monkeypatch):
    seconds = 0.0
    monkeypatch.setattr(operating_warnings, "Minute", lambda: Minute(lambda: seconds))
    warnings = OperatingWarnings()
    facts = replace(WELL, delivered_at=NOON - 999 * HOUR)
    told = []
    for number in range(13):
        seconds = 15.0 * number
        with capture_logs() as lines:
            warnings.look(replace(facts, backed_up_at=NOON - 99 * HOUR if number >= 2 else NOON))
        told.append([line["what"] for line in lines])
    silent, old = ["deliveries-silent"], ["backup-due"]
    assert told == [silent, [], old, [], silent, [], old, [], silent, [], old, [], silent]
