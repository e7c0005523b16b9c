"""Licence data older than three years, or broken, is said; newer data is named, and no failure."""

from datetime import UTC, datetime, timedelta

from audit.licenses import osadl
from bot.doctor import license_data
from bot.registries import Registries
from bot.settings import Settings

NO_REGISTRIES = Registries(())


def test_the_age_of_the_data_is_that_of_its_day(tmp_path):
    shipped = osadl.shipped().moment
    settings = Settings(license_data=tmp_path / "none", registries=NO_REGISTRIES)
    fresh = license_data.judge(settings, lambda: shipped + timedelta(days=1000))
    old = license_data.judge(settings, lambda: shipped + timedelta(days=1100))

    assert (fresh.status, old.status) == ("pass", "fail")
    assert "license refresh" in old.remedy


def test_newer_data_at_osadl_is_named_and_no_failure(tmp_path, registry):
    settings = Settings(license_data=tmp_path / "none")

    def said(begin, **changed):
        registry.says["/matrix.json"] = begin
        at = osadl.shipped().moment
        item = license_data.judge(
            settings, lambda: at, source=f"{registry.address}/{changed.get('path', 'matrix.json')}"
        )
        assert item.status == "pass"
        return item.message

    newer = said(b'{"timestamp":"2026-02-12T10:00:00+0000","licenses":[' + b" " * 100_000)
    assert "OSADL has newer data of 2026-02-12: to use it, download https://www.osadl.org/" in newer
    assert "license refresh" in newer
    for begin in (b'{"timestamp":"2024-11-04T13:45:00+0000"', b"<html>", b""):
        assert "newer" not in said(begin)
    assert "newer" not in said(b"", path="nowhere")
    asked = len(registry.asked)
    assert (
        "newer"
        not in license_data.judge(
            Settings(license_data=tmp_path / "none", registries=NO_REGISTRIES),
            lambda: osadl.shipped().moment,
            source=registry.address,
        ).message
    )
    assert len(registry.asked) == asked


def test_a_broken_data_file_fails_with_its_name_and_reason(tmp_path):
    (tmp_path / "data").write_text("[")
    item = license_data.judge(Settings(license_data=tmp_path / "data"), lambda: datetime(2026, 1, 1, tzinfo=UTC))

    assert item.status == "fail"
    assert str(tmp_path / "data") in item.message
