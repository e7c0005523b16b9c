"""Pairs that OSADL's matrix does not hold are judged by the review and by the reach of copyleft."""

from pathlib import Path

import pytest

from audit.facts import Delivery, LicenseVerdict, Usage
from audit.licenses import aliases, osadl, spdx, strength
from audit.licenses.expression import Atom
from audit.licenses.osadl import OsadlAnswer
from audit.licenses.strength import Strength
from audit.rules.expression_compatibility import judge
from audit.rules.unlisted_license import why_unknown

MATRIX = osadl.shipped()
TABLE = (Path(__file__).parents[2] / "cases/licenses/hard-pairs.txt").read_text(encoding="utf-8")
HARD = [
    [cell.strip() for cell in line.split("|")]
    for line in TABLE.splitlines()
    if line.strip() and not line.startswith("#")
]
LISTED = [name for name in MATRIX.names if " " not in name]
UNLISTED = [
    license_id
    for license_id in spdx.lists().licenses
    if aliases.became(license_id) == license_id and license_id not in MATRIX.names
]
USAGES = (
    Usage.SOURCE_MERGED,
    Usage.VENDORED,
    Usage.STATIC_LINK,
    Usage.BUNDLED,
    Usage.DYNAMIC_LINK,
    Usage.RUNTIME_IMPORT,
    Usage.HEADER_ONLY,
)


def asked(outbound, inbound, usage=Usage.SOURCE_MERGED):
    """The judgement by the shipped matrix, of work that is handed on."""
    return judge(outbound, inbound, usage, Delivery.BINARY, MATRIX)


@pytest.mark.parametrize("row", HARD, ids=lambda row: " ".join(row[:3]))
def test_hard_pairs_are_judged_as_published(row):
    outbound, inbound, usage, expected, source = row
    found = asked(outbound, inbound, Usage(usage))
    assert found.verdict in expected.split("/"), found.reason
    assert source


def test_there_are_405_hard_pairs_and_each_once():
    assert len(HARD) == len({tuple(row[:3]) for row in HARD}) == 405


def test_the_permissive_rows_of_the_matrix_agree_on_copyleft():
    """So one of them may stand for a permissive licence that the matrix lacks."""
    permissive = [spdx_id for spdx_id in LISTED if strength.is_permissive(spdx_id)]
    copyleft = [spdx_id for spdx_id in LISTED if strength.scope(spdx_id) is not Strength.NONE]
    assert (len(permissive), len(copyleft)) == (79, 30)
    assert [
        (license_id, used)
        for license_id in permissive
        for used in copyleft
        if MATRIX.answer(license_id, used) is not MATRIX.answer("MIT", used)
    ] == []


@pytest.mark.parametrize(
    "own",
    ["MulanPSL-2.0", "MulanPSL-1.0", "MIT-0", "CC0-1.0", "Xnet", "ISC-Veillard", "CERN-OHL-P-2.0", "Python-2.0.1"],
)
def test_permissive_works_that_the_matrix_lacks_are_judged_as_mit(own):
    for used in LISTED:
        for usage in USAGES:
            found, like = asked(own, used, usage), asked("MIT", used, usage)
            assert found.verdict is like.verdict or (found.verdict, like.verdict) == ("compatible", "review")
    found = asked("MulanPSL-2.0", "GPL-3.0-only", Usage.STATIC_LINK)
    assert (found.rule, found.basis) == ("osadl/incompatible", "category")
    assert found.reason == (
        "GPL-3.0-only cannot be statically linked into work under MulanPSL-2.0 (MulanPSL-2.0 is permissive, so it is judged like MIT)"
    )


@pytest.mark.parametrize(
    "own",
    [
        "CECILL-2.1",
        "Vim",
        "Ruby",
        "OSL-2.1",
        "LiLiQ-R-1.1",
        "LiLiQ-Rplus-1.1",
        "LPPL-1.3c",
        "QPL-1.0",
        "RPL-1.5",
        "MulanPubL-2.0",
        "CC-BY-SA-4.0",
    ],
)
def test_permissive_parts_go_into_unlisted_copyleft_where_the_gpl_takes_them(own):
    for used in (spdx_id for spdx_id in LISTED if strength.is_permissive(spdx_id)):
        found = asked(own, used)
        fine = MATRIX.answer("GPL-3.0-only", used) in (OsadlAnswer.YES, OsadlAnswer.SAME)
        strong = (
            strength.scope(Atom(own).license if own != "MulanPubL-2.0" else "LicenseRef-scancode-mulanpubl-2.0")
            is Strength.STRONG
        )
        assert found.verdict == ("compatible" if fine else "review" if strong else "obligations"), found.reason


@pytest.mark.parametrize(
    "own", ["MIT", "Apache-2.0", "MulanPSL-2.0", "GPL-3.0-only", "GPL-2.0-or-later", "MPL-2.0", "EUPL-1.2"]
)
def test_strong_copyleft_is_never_fine_by_a_guess(own):
    passed = set()
    for used in (spdx_id for spdx_id in UNLISTED if strength.scope(spdx_id) is Strength.STRONG):
        for usage in USAGES:
            found = asked(own, used, usage)
            if found.verdict.rank <= LicenseVerdict.CONDITIONAL.rank:
                assert found.rule in ("published/obligations", "copyleft/upgrade", "data/beside")
                passed.add(used)
    allowed = {
        "GPL-3.0-only": {"CECILL-1.0", "CECILL-1.1", "CECILL-2.0", "CECILL-2.1", "EUPL-1.0", "LiLiQ-Rplus-1.1"},
        "EUPL-1.2": {"CECILL-2.0", "CECILL-2.1", "LiLiQ-Rplus-1.1", "OSL-2.1"},
    }
    assert passed <= allowed.get(own, allowed["GPL-3.0-only"] if own.startswith("GPL") else set())


def test_a_licence_like_another_has_its_answer_and_says_so():
    found = asked("GPL-2.0-only", "MulanPSL-2.0", Usage.STATIC_LINK)
    assert (found.verdict, found.rule, found.basis) == ("incompatible", "osadl/incompatible", "review")
    assert found.reason.startswith(
        "MulanPSL-2.0 is judged like Apache-2.0, whose terms are much the same: Apache-2.0 cannot be included in work under GPL-2.0-only: its terms on patents"
    )
    later = asked("GPL-2.0-or-later", "MulanPSL-2.0", Usage.STATIC_LINK)
    assert (later.verdict, later.rule) == ("conditional", "copyleft/upgrade")
    into = asked("MPL-2.0", "Leptonica")
    assert (
        into.reason
        == "Leptonica asks for no more than Zlib: Zlib may be included in work under MPL-2.0; keep its notices, and mark what you change"
    )
    asks = asked("GPL-3.0-only", "MIT-advertising", Usage.STATIC_LINK)
    assert (asks.verdict, "advertising clause" in asks.reason) == ("incompatible", True)


@pytest.mark.parametrize(("own", "used", "usage", "rule", "reason"), [
    ("MIT", "CECILL-2.1", "static-link", "category/copyleft", "CECILL-2.1 cannot be included in work under MIT: its copyleft requires the whole work to be under it"),
    ("MIT", "SSPL-1.0", "bundled", "category/copyleft",
     "SSPL-1.0 cannot be included in work under MIT: it requires everything that offers it as a service to be under it, with its source"),
    ("MIT", "OFL-1.1", "source-merged", "category/copyleft", "OFL-1.1 cannot be included in work under MIT: files that contain parts of it must be under it"),
    ("MIT", "GFDL-1.3-only", "source-merged", "category/copyleft", "GFDL-1.3-only cannot be included in work under MIT: what is adapted from it must be under it"),
    ("OSL-2.1", "OSL-2.1", "source-merged", "category/same", "the work is under OSL-2.1 as well; keep its notices, and provide its source"),
    ("Vim", "MIT", "bundled", "category/into-copyleft", "MIT is permissive and may be included in work under Vim; keep its notices"),
    ("Vim", "BSD-4-Clause", "bundled", "category/condition", "BSD-4-Clause is permissive and may be included in work under Vim; keep its notices, and meet its other conditions"),
    ("MIT", "python-ldap", "vendored", "category/unclear", "python-ldap does not say that it may be changed or passed on: ask its owner, or replace it"),
    ("MIT", "GFDL-1.3-only", "static-link", "category/review",
     "OSADL's matrix does not contain GFDL-1.3-only, and no other rule decides this pair: read the two licences"),
])  # fmt: skip
def test_a_ruling_on_an_unlisted_licence_has_rule_and_reason(own, used, usage, rule, reason):
    found = asked(own, used, Usage(usage))
    assert (found.rule, found.reason) == (rule, reason)


def test_an_unknown_id_has_its_nearest_id_or_its_owner_as_advice():
    assert why_unknown("Apach-2.0") == "Apach-2.0 is not a known licence; the nearest id is Apache-2.0"
    assert why_unknown("UNLICENSED") == "UNLICENSED names no public licence: ask its owner what is allowed"
