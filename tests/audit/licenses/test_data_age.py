"""The age of the data is said, and data older than three years is warned of; nothing else of a report changes with the day."""

import re
from datetime import UTC, datetime, timedelta

import pytest

from audit.licenses.data_age import outdated, said, warning
from audit.output.all_reports import on_top
from audit.output.audit_run import build
from tests.audit.runs import ALL, audited

AT = datetime(2025, 11, 4, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("versions", "words"),
    [
        ((), "no date (no answer was looked up)"), (("2024-11-04",), "2024-11-04 (12 months old)"), (("2024-11-05",), "2024-11-05 (11 months old)"),
        (("2025-10-04",), "2025-10-04 (1 month old)"), (("2025-11-04",), "2025-11-04 (less than a month old)"),
        (("2026-01-01",), "2026-01-01"), (("soon",), "soon"), (("2023-11-05",), "2023-11-05 (23 months old)"),
        (("2023-11-04", "2021-12-01"), "2023-11-04 (2 years old), 2021-12-01 (3 years old)"),
    ],
)  # fmt: skip
def test_the_age_of_the_data_is_said_beside_each_date(versions, words):
    assert said(versions, AT) == words


def test_data_older_than_three_years_is_warned_of():
    at = datetime(2027, 11, 4, 12, tzinfo=UTC)
    assert outdated(("2024-11-04", "2024-11-03", "soon"), at) == ("2024-11-03",)
    assert warning(("2024-11-04",), at) is None
    assert "2024-11-03 is older than three years" in warning(("2024-11-03",), at)
    assert "countersign license refresh FILE" in warning(("2024-11-03",), at)


def reports(at):
    """The files on top, in words."""
    return {name: data.decode() for name, data in on_top(build([audited(*ALL)], at))}


def test_every_report_says_the_age_of_its_data():
    day = min(build([audited(*ALL)], AT).data_versions)
    begun = datetime.fromisoformat(day).replace(tzinfo=UTC)
    fresh, old = (begun + timedelta(days=days) for days in (3 * 365, 3 * 365 + 1))
    for name, text in reports(fresh).items():
        assert day in text
        assert "older than three years" not in text, name
    for name, text in reports(old).items():
        assert "older than three years" in text, name
        if name != "report.json":
            [line] = [line for line in text.splitlines() if "Licence data: " in line]
            assert f"{day} (3 years old)" in line
            assert "older than three years" in line
            assert "Licence data: " in text.rpartition("Data</h2>" if "</h2>" in text else "## Data")[2]


def test_the_next_day_changes_only_the_line_of_the_age():
    today, tomorrow = reports(AT + timedelta(days=10)), reports(AT + timedelta(days=11))
    for name, text in today.items():
        pairs = zip(text.splitlines(), tomorrow[name].splitlines(), strict=True)
        changed = [before for before, after in pairs if before != after]
        assert len(changed) == 1, name
        assert re.search("[Gg]enerated", changed[0])
