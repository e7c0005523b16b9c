"""docs/reference/log-events.csv lists every line that the product may log, as it stands in the code; none has a field for personal data."""

import csv
import re

from bot.telemetry.security_log import Event
from tests.docs.log_events import ROOT, found

PERSONAL = {"email", "address_of", "ip", "body", "text", "token", "who"}


def test_every_event_is_listed_with_its_levels_and_fields():
    with (ROOT / "docs" / "reference" / "log-events.csv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    listed = {row["event"]: (tuple(row["level"].split(", ")), tuple(re.findall(r"\w+", row["fields"]))) for row in rows}

    assert len(rows) == len(listed)
    assert listed == found()
    assert all(row["about"] and row["when"] for row in rows)


def test_events_have_distinct_names_of_one_form():
    assert [name for name in found() if not re.fullmatch(r"[a-z]+(-[a-z]+)*(\.[a-z]+([-_][a-z]+)*)?", name)] == []
    assert found().keys().isdisjoint({event.value for event in Event})


def test_no_field_is_personal():
    assert [name for name, (_, fields) in found().items() if not PERSONAL.isdisjoint(fields)] == []
