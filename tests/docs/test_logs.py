"""docs/reference/logs.md lists every line that the product may log, as it stands in the code; none has a field for personal data."""

import re

from bot.telemetry.security_log import Event
from tests.docs.log_events import ROOT, found

PERSONAL = {"email", "address_of", "ip", "body", "text", "token", "who"}


def test_every_event_is_listed_with_its_levels_and_fields():
    page = (ROOT / "docs" / "reference" / "logs.md").read_text(encoding="utf-8")
    rows = re.findall(
        r"^\| `([\w.-]+)` \| ([\w, ]+) \| ([^|]*) \| (.+) \|$",
        page.partition("\n## Events")[2].partition("\n### Security")[0],
        re.MULTILINE,
    )
    listed = {
        name: (tuple(levels.split(", ")), tuple(re.findall(r"`(\w+)`", fields))) for name, levels, fields, _ in rows
    }

    assert len(rows) == len(listed)
    assert listed == found()


def test_events_have_distinct_names_of_one_form():
    assert [name for name in found() if not re.fullmatch(r"[a-z]+(-[a-z]+)*(\.[a-z]+([-_][a-z]+)*)?", name)] == []
    assert found().keys().isdisjoint({one.value for one in Event})


def test_no_field_is_personal():
    assert [name for name, (_, fields) in found().items() if not PERSONAL.isdisjoint(fields)] == []
