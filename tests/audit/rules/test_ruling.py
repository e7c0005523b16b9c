"""Conditions of permissive parts beside their notices."""

import pytest

from audit.facts import LicenseVerdict
from audit.licenses.expression import Atom
from audit.rules.ruling import Ruling, permissive


@pytest.mark.parametrize(("license_id", "expected"), [
    ("MIT", (LicenseVerdict.COMPATIBLE, "closed/permissive", "category", "it goes in")),
    ("ADSL", (LicenseVerdict.COMPATIBLE, "closed/permissive", "category", "it goes in")),
    ("Leptonica", (LicenseVerdict.COMPATIBLE, "closed/permissive", "category", "it goes in, and mark what you change")),
    ("Knuth-CTAN", (LicenseVerdict.OBLIGATIONS, "category/condition", "review", "it goes in, and give changed versions another name")),
])  # fmt: skip
def test_a_permissive_part_asks_for_nothing_or_one_condition(license_id, expected):
    assert permissive(Atom(license_id), "closed/permissive", "it goes in") == Ruling(*expected)
