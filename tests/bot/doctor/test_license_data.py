"""Licence data older than a year, or broken, is said."""

from datetime import UTC, datetime

from audit.licenses import osadl
from bot.doctor import license_data
from bot.settings import Settings


def test_its_age(tmp_path):
    """By the day of the data, not of the file."""
    shipped = osadl.shipped().moment
    settings = Settings(license_data=tmp_path / "none")
    fresh = license_data.judge(settings, lambda: shipped)
    old = license_data.judge(settings, lambda: datetime(shipped.year + 2, 1, 1, tzinfo=UTC))

    assert (fresh.status, old.status) == ("pass", "fail")
    assert "license refresh" in old.remedy


def test_a_file_that_is_no_data(tmp_path):
    """The file's name and why."""
    (tmp_path / "data").write_text("[")
    item = license_data.judge(Settings(license_data=tmp_path / "data"), lambda: datetime(2026, 1, 1, tzinfo=UTC))

    assert item.status == "fail"
    assert str(tmp_path / "data") in item.message
