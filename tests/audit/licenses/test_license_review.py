"""No licence passes as permissive without a row in the review."""

import json
import re
from pathlib import Path

import pytest

from audit.facts import Delivery, LicenseVerdict, Usage
from audit.licenses import aliases, license_review, osadl, spdx, strength
from audit.licenses.license_review import Grade
from audit.rules.expression_compatibility import judge

ROOT = Path(__file__).parents[3]
DATA = (ROOT / "audit/data/license-review.json").read_text(encoding="utf-8")
ROWS = license_review.rows()
MATRIX = osadl.shipped()
FINE = (LicenseVerdict.COMPATIBLE, LicenseVerdict.OBLIGATIONS)


def test_every_licence_that_passes_into_apache_2_has_been_read():
    fine = [
        license_id
        for license_id in spdx.lists().licenses
        if aliases.became(license_id) == license_id
        and judge("Apache-2.0", license_id, Usage.SOURCE_MERGED, Delivery.BINARY, MATRIX).verdict in FINE
    ]
    assert len(fine) == 416
    assert [license_id for license_id in fine if license_id not in ROWS and license_id not in MATRIX.names] == []


def test_every_permissive_licence_of_the_list_has_been_read():
    """A newer list of SPDX fails here until its new licences are read."""
    called = [
        license_id
        for license_id in spdx.lists().licenses
        if aliases.became(license_id) == license_id and strength.category(license_id) in ("Permissive", "Public Domain")
    ]
    assert [license_id for license_id in called if strength.is_unread(license_id)] == []
    assert len(called) == 430


def test_a_licence_without_a_row_needs_review_in_any_category(monkeypatch):
    left = {license_id: row for license_id, row in ROWS.items() if license_id != "ADSL"}
    caches = (strength.of, strength.scope, strength.is_permissive, strength.restricts_use, strength.is_unread)
    monkeypatch.setattr(license_review, "rows", lambda: left)
    for cache_wrapper in caches:
        cache_wrapper.cache_clear()
    try:
        found = judge("ISC", "ADSL", Usage.VENDORED, Delivery.SOURCE, MATRIX)
    finally:
        monkeypatch.undo()
        for cache in caches:
            cache.cache_clear()
    assert (strength.category("ADSL"), found.verdict, found.rule) == (
        "Permissive",
        LicenseVerdict.REVIEW,
        "category/unclear",
    )
    assert (
        found.reason == "ADSL is called permissive in AboutCode's list, but its conditions are not reviewed: read them"
    )


def test_unread_references_of_aboutcode_need_review_except_the_public_domain():
    found = judge("MIT", "LicenseRef-scancode-bsd-unchanged", Usage.VENDORED, Delivery.SOURCE, MATRIX)
    assert (strength.category("LicenseRef-scancode-bsd-unchanged"), found.rule) == ("Permissive", "category/unclear")
    assert (
        judge("MIT", "LicenseRef-scancode-public-domain", Usage.VENDORED, Delivery.SOURCE, MATRIX).verdict
        == "compatible"
    )


def test_the_rows_are_sorted_and_name_known_licences():
    names = re.findall(r'^  "([^"]+)": \[', DATA, re.MULTILINE)
    assert names == sorted(names, key=lambda name: (name.casefold(), name))
    assert len(names) == len(set(names)) == len(ROWS) == 419
    assert set(ROWS) <= aliases.known() | set(spdx.lists().licenses)
    assert {row.like for row in ROWS.values()} - {""} <= set(MATRIX.names)
    assert [
        license_id for license_id, row in ROWS.items() if not row.condition and row.grade is not Grade.NOTICES
    ] == []
    assert [
        license_id for license_id, row in ROWS.items() if row.like and row.grade not in license_review.PERMISSIVE
    ] == []
    assert [row for row in ROWS if row in MATRIX.names] == []
    assert json.loads(DATA)["reviewed"] == "2026-11-28"


@pytest.mark.parametrize(("license_id", "verdict", "words"), [
    ("Abstyles", "incompatible", "same terms"), ("CERN-OHL-1.1", "incompatible", "changed designs"), ("CERN-OHL-1.2", "incompatible", "changed designs"),
    ("MS-LPL", "incompatible", "Microsoft Windows"), ("Aspell-RU", "incompatible", "patches"), ("python-ldap", "review", "changed or passed on"),
    ("MIPS", "review", "reproduction and use"), ("EFL-1.0", "incompatible", "files"), ("Knuth-CTAN", "obligations", "another name"),
    ("BSD-4-Clause-Shortened", "obligations", "advertising"), ("ISC-Veillard", "compatible", "keep the notices"),
    ("Leptonica", "compatible", "mark what you change"),
])  # fmt: skip
def test_the_reason_of_a_verdict_names_the_finding_of_the_review(license_id, verdict, words):
    found = judge("Apache-2.0", license_id, Usage.SOURCE_MERGED, Delivery.BINARY, MATRIX)
    assert (found.verdict, words in found.reason) == (verdict, True)


def test_a_licence_has_a_condition_or_a_limit_or_neither():
    assert license_review.condition("Knuth-CTAN") == "give changed versions another name"
    assert (
        license_review.limit("Knuth-CTAN")
        == license_review.limit("GPL-3.0-only")
        == license_review.condition("MIT")
        == ""
    )
    assert (license_review.condition("MS-LPL"), license_review.limit("MS-LPL")) == (
        "",
        "covers only what runs on Microsoft Windows",
    )
    assert license_review.of("MIT") is None
