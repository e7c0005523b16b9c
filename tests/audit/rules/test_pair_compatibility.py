"""The first rule that fits decides, and gives its reason in one sentence."""

import csv
import re
from itertools import product
from pathlib import Path

import pytest

from audit.facts import OWN_UNKNOWN, Delivery, LicenseVerdict, Usage
from audit.licenses import osadl, spdx
from audit.licenses.exceptions import is_made_for
from audit.licenses.expression import Atom
from audit.licenses.osadl import OsadlAnswer
from audit.rules import pair_compatibility
from audit.rules.pair_compatibility import pair
from audit.usage import MODELS_AND_DATA

ROOT = Path(__file__).parents[3]
MATRIX = osadl.shipped()
KNOWN = [Atom(license_id) for license_id in (*spdx.lists().licenses, "BSD", "LicenseRef-x", "Nobody-1.0")]


@pytest.mark.parametrize("usage", Usage)
def test_every_pair_usage_and_delivery_has_a_verdict_and_a_reason(usage):
    for delivery in Delivery:
        for outbound in (Atom("Apache-2.0"), Atom("GPL-2.0-or-later"), Atom("LicenseRef-x"), None):
            for inbound in KNOWN:
                found = pair(outbound, inbound, usage, delivery, MATRIX)
                assert found.reason
                assert "\n" not in found.reason


@pytest.mark.slow
def test_no_usage_is_judged_worse_than_merged_source():
    for outbound in MATRIX.names:
        for inbound in MATRIX.names:
            merged = pair(Atom(outbound), Atom(inbound), Usage.SOURCE_MERGED, Delivery.BINARY, MATRIX)
            for usage in (Usage.STATIC_LINK, Usage.DYNAMIC_LINK, Usage.UNKNOWN, Usage.VENDORED):
                other = pair(Atom(outbound), Atom(inbound), usage, Delivery.BINARY, MATRIX)
                assert other.verdict.rank <= merged.verdict.rank


def test_looser_links_are_judged_no_worse():
    order = [Usage.STATIC_LINK, Usage.DYNAMIC_LINK, Usage.SEPARATE_PROCESS]
    for inbound in KNOWN:
        ranks = [pair(Atom("MIT"), inbound, usage, Delivery.BINARY, MATRIX).verdict.rank for usage in order]
        assert ranks == sorted(ranks, reverse=True)


LICENSED = ("GPL-2.0-or-later", "LGPL-2.1-only", "Apache-2.0", "MIT", "CC-BY-SA-4.0")


def test_an_exception_makes_nothing_worse_unless_made_for_another_licence():
    worse, passed = set(), set()
    made_for, made_for_another = 0, 0
    for exception, license_id in product(pair_compatibility.LIFTS, LICENSED):
        fits = is_made_for(exception, license_id)
        made_for, made_for_another = made_for + fits, made_for_another + (not fits)
        for usage in Usage:
            alone = pair(Atom("Apache-2.0"), Atom(license_id), usage, Delivery.BINARY, MATRIX).verdict.rank
            freed = pair(Atom("Apache-2.0"), Atom(license_id, exception), usage, Delivery.BINARY, MATRIX).verdict.rank
            worse |= {(exception, license_id, usage)} if fits and freed > alone else set()
            passed |= {(exception, license_id, usage)} if not fits and freed != max(alone, 4) else set()

    assert (worse, passed) == (set(), set())
    assert LicenseVerdict.REVIEW.rank == 4
    assert (len(pair_compatibility.LIFTS), made_for, made_for_another) == (82, 127, 283)


NOT_ASKED = {
    Usage.BUILD_TOOL, Usage.DEV_TOOL, Usage.TEST_ONLY, Usage.AGGREGATE, Usage.SEPARATE_PROCESS, Usage.NETWORK_SERVICE,
}  # fmt: skip
"""Uses in which the work's own licence has no say."""


@pytest.mark.parametrize("usage", Usage)
def test_an_unknown_outbound_licence_is_unknown_where_the_work_s_licence_counts(usage):
    mit, gpl = Atom("MIT"), Atom("GPL-2.0-only")
    # Of weights and data the terms themselves decide, but for copyleft.
    for inbound in (gpl,) if usage in MODELS_AND_DATA else (mit, gpl):
        unknown = pair(Atom("Apach-2.0"), inbound, usage, Delivery.BINARY, MATRIX)
        assert unknown.verdict is pair(None, inbound, usage, Delivery.BINARY, MATRIX).verdict
        asked = usage not in NOT_ASKED
        assert (unknown.rule == "outbound/unknown") is asked
        assert unknown.reason.endswith("Apach-2.0 is not a known licence; the nearest id is Apache-2.0") is asked
    assert pair(Atom("Apach-2.0"), mit, Usage.BUNDLED, Delivery.BINARY, MATRIX).rule == "outbound/unknown"
    assert pair(Atom("LicenseRef-own"), gpl, Usage.BUNDLED, Delivery.BINARY, MATRIX).rule == "category/review"


@pytest.mark.parametrize("word", ["UNLICENSED", "Proprietary", "LicenseRef-Proprietary", "LicenseRef-Commercial"])
def test_a_closed_inbound_licence_is_unknown_and_leads_to_its_owner(word):
    found = pair(Atom("MIT"), Atom(word), Usage.BUNDLED, Delivery.BINARY, MATRIX)
    assert (found.verdict, found.rule) == (LicenseVerdict.UNKNOWN_LICENSE, "license/unknown")
    assert found.reason == f"{word} names no public licence: ask its owner what is allowed"


OF_VERSION_3 = {"Apache-2.0", "ECL-2.0", "LGPL-3.0-or-later", "XFree86-1.1"}
_CP = "GPL-2.0-only WITH Classpath-exception-2.0"
_V2, _V3, _OF_LGPL = {"GPL-2.0-only", _CP}, {"GPL-3.0-only", "LGPL-3.0-only"}, {"GPL-1.0-or-later", "GPL-2.0-or-later"}
_OLD_LGPL = {"LGPL-2.0-only", "LGPL-2.0-or-later", "LGPL-2.1-only"}
UPGRADED = {
    ("AGPL-3.0-or-later", "AGPL-3.0-only"): {"AGPL-3.0-only"},
    ("GPL-1.0-or-later", "GPL-1.0-only"): {"GPL-1.0-only"}, ("GPL-1.0-or-later", "GPL-2.0-only"): _V2, ("GPL-1.0-or-later", "GPL-3.0-only"): _V3,
    ("GPL-1.0-or-later", "GPL-2.0-or-later"): {"EUPL-1.2", "GPL-2.0-or-later"},
    ("GPL-1.0-or-later", "GPL-3.0-or-later"): OF_VERSION_3 | {"GPL-3.0-or-later"},
    ("GPL-2.0-or-later", "GPL-3.0-or-later"): OF_VERSION_3 | {"GPL-3.0-or-later"},
    ("GPL-2.0-or-later", "GPL-2.0-only"): _V2, ("GPL-2.0-or-later", "GPL-3.0-only"): _V3, ("GPL-3.0-or-later", "GPL-3.0-only"): _V3,
    ("LGPL-2.0-only", "GPL-2.0-only"): _V2 | _OF_LGPL, ("LGPL-2.1-only", "GPL-2.0-only"): _V2 | _OF_LGPL,
    ("LGPL-2.0-only", "GPL-3.0-only"): _V3 | {"GPL-3.0-or-later", "LGPL-3.0-or-later", "LGPL-2.1-only", "LGPL-2.1-or-later"},
    ("LGPL-2.1-only", "GPL-3.0-only"): _V3 | {"GPL-3.0-or-later", "LGPL-3.0-or-later", "LGPL-2.0-only", "LGPL-2.0-or-later"},
    ("LGPL-2.0-or-later", "GPL-2.0-or-later"): _OF_LGPL, ("LGPL-2.0-or-later", "GPL-3.0-or-later"): {"GPL-3.0-or-later"},
    ("LGPL-2.1-or-later", "GPL-2.0-or-later"): _OF_LGPL | {"LGPL-2.0-only", "LGPL-2.0-or-later"}, ("LGPL-2.1-or-later", "GPL-3.0-or-later"): {"GPL-3.0-or-later"},
    **{("LGPL-2.0-or-later", name): {name} for name in ("GPL-3.0-only", "LGPL-2.0-only", "LGPL-2.1-only", "LGPL-3.0-only")},
    **{("LGPL-2.1-or-later", name): {name} for name in ("GPL-3.0-only", "LGPL-2.1-only", "LGPL-3.0-only")},
    **{("LGPL-3.0-or-later", name): {name} for name in ("GPL-3.0-only", "LGPL-3.0-only")},
    ("LGPL-2.0-or-later", "GPL-2.0-only"): _V2, ("LGPL-2.1-or-later", "GPL-2.0-only"): _V2,
    ("LGPL-3.0-only", "GPL-3.0-only"): _OF_LGPL | _OLD_LGPL | {"GPL-3.0-only", "GPL-3.0-or-later"},
    ("LGPL-3.0-or-later", "GPL-3.0-or-later"): _OF_LGPL | _OLD_LGPL | {"GPL-3.0-or-later"},
    ("LGPL-2.0-or-later", "LGPL-2.1-or-later"): {"LGPL-2.1-or-later"},
    ("LGPL-2.0-or-later", "LGPL-3.0-or-later"): OF_VERSION_3,
    ("LGPL-2.1-or-later", "LGPL-3.0-or-later"): OF_VERSION_3,
    ("EUPL-1.1", "EUPL-1.2"): {"EUPL-1.2", "MPL-2.0"},
    ("MPL-1.1", "MPL-2.0"): {"Apache-2.0", "EUPL-1.2", "MPL-2.0"},
}  # fmt: skip
"""What may be merged into a work once the work is released under another licence that its own allows, which OSADL allows.

GNU licences among themselves are those of the FSF's table (gnu.org/licenses/gpl-faq.html#AllCompatibility).
"""


def test_an_upgrade_names_the_later_licence_of_the_whole():
    found = {}
    for own, inbound in product(MATRIX.names, MATRIX.names):
        ruling = pair(Atom(own), Atom(inbound), Usage.SOURCE_MERGED, Delivery.BINARY, MATRIX)
        if ruling.rule == "copyleft/upgrade":
            found.setdefault((own, ruling.reason.rpartition(" release the whole work under ")[2]), set()).add(inbound)

    assert found == UPGRADED
    answers = {MATRIX.answer(later, older) for (_, later), inbound in UPGRADED.items() for older in inbound}
    assert answers == {OsadlAnswer.YES, OsadlAnswer.SAME}


def test_every_rule_is_in_its_page():
    judging = (
        ROOT / "audit/verdict" / f"{name}.py" for name in ("unknown_license", "allow_deny", "unknown_own_license")
    )
    files = [*(ROOT / "audit/rules").glob("*.py"), *judging, ROOT / "audit/facts.py"]
    kinds = "license|outbound|usage|delivery|exception|osadl|copyleft|category|closed|data|model|published|policy"
    rules = set(re.findall(rf'"((?:{kinds})/[a-z-]+)"', "".join(file.read_text() for file in files))) - {OWN_UNKNOWN}
    with (ROOT / "docs/reference/license-rules.csv").open(encoding="utf-8", newline="") as lines:
        rows = {row["rule"]: row["verdict"] for row in csv.DictReader(lines)}
    assert rules | {"usage/separate", "usage/network"} == set(rows)
    assert set(rows.values()) <= set(LicenseVerdict)
