"""Schedules fire when the cron that Kubernetes uses says, and what it refuses is refused."""

import pytest

from bot.doctor.manifests.cron import ScheduleInvalid, longest_pause


@pytest.mark.parametrize(
    ("schedule", "days"),
    [
        ("17 1 * * *", 1),
        ("*/5 * * * *", 1),
        ("@daily", 1),
        ("@hourly", 1),
        ("@every 6h", 1),
        ("@every 240h", 10),
        ("@weekly", 7),
        ("0 3 * * sun", 7),
        ("0 3 * * 1-5", 3),
        ("0 3 */2 * *", 2),
        ("0 3 1,15 * *", 17),
        ("0 3 1 * mon", 7),  # either is enough
        ("0 3 1 jan *", 366),
        ("0 0 30 2 *", None),
        ("0 0 31 4,6,9,11 *", None),
        ("0 0 29 2 *", 1461),
    ],
)
def test_pauses(schedule, days):
    """The longest, in days."""
    assert longest_pause(schedule) == days


@pytest.mark.parametrize(
    "schedule",
    [
        "",
        "* * * *",
        "every night",
        "60 * * * *",
        "0 24 * * *",
        "0 0 0 * *",
        "0 0 * 13 *",
        "0 0 * * 7",
        "0 0 * * fry",
        "*/0 * * * *",
        "5-1 * * * *",
        "TZ=UTC 0 1 * * *",
    ],
)
def test_what_is_refused(schedule):
    """With a reason."""
    with pytest.raises(ScheduleInvalid, match=r"\w"):
        longest_pause(schedule)
