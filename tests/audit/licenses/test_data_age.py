"""The age of the data is said, and data older than a year is warned of; nothing else of a report changes with the day."""

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
def test_the_age_in_words(versions, words):
    """Beside each date; a day of the future, and what is none, have no age."""
    assert said(versions, AT) == words


def test_older_than_a_year():
    """From the day after a year on; what to do is said."""
    assert outdated(("2024-11-04", "2024-11-03", "soon"), AT) == ("2024-11-03",)
    assert warning(("2024-11-04",), AT) is None
    assert "2024-11-03 is older than a year" in warning(("2024-11-03",), AT)
    assert "countersign license refresh FILE" in warning(("2024-11-03",), AT)


def reports(at):
    """The files on top, in words."""
    return {name: data.decode() for name, data in on_top(build([audited(*ALL)], at))}


def test_every_report_says_it():
    """With its age on the line of the moment, and the warning from a year on."""
    day = min(build([audited(*ALL)], AT).data_versions)
    fresh, old = (datetime.fromisoformat(day).replace(tzinfo=UTC) + timedelta(days=days) for days in (365, 366))
    for name, text in reports(fresh).items():
        assert day in text
        assert "older than a year" not in text, name
    for name, text in reports(old).items():
        assert "older than a year" in text, name
        if name != "report.json":
            assert f"{day} (12 months old)" in next(line for line in text.splitlines() if "Generated at" in line)


def test_the_next_day_changes_one_line():
    """The promise of equal bytes holds but for the line of the moment."""
    one, two = reports(AT + timedelta(days=400)), reports(AT + timedelta(days=401))
    for name, text in one.items():
        pairs = zip(text.splitlines(), two[name].splitlines(), strict=True)
        assert 1 == sum(before != after for before, after in pairs), name
        assert all(
            re.search("[Gg]enerated", before)
            for before, after in zip(text.splitlines(), two[name].splitlines(), strict=True)
            if before != after
        )
