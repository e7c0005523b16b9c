"""What is published on licences that the matrix does not hold, and what may stand beside code."""

import re
from pathlib import Path

import pytest

from audit.facts import Delivery, LicenseVerdict, Usage
from audit.licenses import aliases, osadl
from audit.licenses.expression import Atom
from audit.licenses.osadl import OsadlAnswer
from audit.rules.compatibility import judge
from audit.rules.published_answer import FONT_LICENSES, INTO_GNU, NO_MORE_THAN, beside, ruling
from audit.rules.ruling import Ruling

MATRIX = osadl.shipped()
PAGE = (Path(__file__).parents[3] / "docs/reference/license-rules.md").read_text(encoding="utf-8")
SECTION = PAGE.partition("## Published answers")[2].partition("\n## ")[0]
BESIDE = [
    *FONT_LICENSES,
    "CC-BY-1.0",
    "CC-BY-2.5-AU",
    "CC-BY-3.0-IGO",
    "CC-BY-4.0",
    "CC-BY-SA-2.0-UK",
    "CC-BY-SA-3.0",
    "CC-BY-SA-4.0",
]
GNU = [one for one in MATRIX.names if one.startswith(("GPL-", "LGPL-", "AGPL-"))]


def test_the_page():
    """It has each licence with its source, and those that ask for no more than another."""
    rows = re.findall(r"^\| `([^`]+)` \| GPL, LGPL and AGPL of every version \| <([^>]+)> \|$", SECTION, re.MULTILINE)
    assert dict(rows) == dict(INTO_GNU)
    assert ", ".join(f"`{one}` ({like})" for one, like in NO_MORE_THAN.items()) in SECTION
    assert ", ".join(f"`{one}`" for one in FONT_LICENSES) in SECTION


def test_ids_are_known_and_the_matrix_does_not_hold_them():
    """Else the matrix would answer, and the row would never count."""
    assert set(INTO_GNU) | set(NO_MORE_THAN) | set(BESIDE) <= aliases.known()
    assert not (set(INTO_GNU) | set(NO_MORE_THAN)) & set(MATRIX.names)
    assert set(NO_MORE_THAN.values()) <= set(MATRIX.names)


@pytest.mark.parametrize("used", INTO_GNU)
def test_into_gnu(used):
    """However it is used, and whoever says so is named."""
    for own in GNU:
        for usage in (Usage.SOURCE_MERGED, Usage.STATIC_LINK, Usage.RUNTIME_IMPORT):
            found = judge(own, used, usage, Delivery.BINARY, MATRIX)
            assert (found.verdict, found.basis) == ("compatible", "published")
            assert INTO_GNU[used].removeprefix("https://") in found.reason


@pytest.mark.parametrize("used", NO_MORE_THAN)
def test_where_the_other_one_goes(used):
    """Only there."""
    for own in MATRIX.names:
        good = MATRIX.answer(own, NO_MORE_THAN[used]) in (OsadlAnswer.YES, OsadlAnswer.SAME)
        found = ruling(Atom(own), Atom(used), MATRIX)
        assert (found is not None) == (good or own in GNU)


@pytest.mark.parametrize("used", BESIDE)
@pytest.mark.parametrize("own", ["GPL-2.0-only", "Apache-2.0", "LicenseRef-Proprietary"])
def test_beside_code(own, used):
    """Data alone: as code each is judged like any other licence."""
    shared = used in FONT_LICENSES or "-SA-" in used
    found = judge(own, used, Usage.DATA_OR_DOC, Delivery.BINARY, MATRIX)
    assert (found.verdict, found.rule) == (
        ("obligations", "data/beside") if shared else ("compatible", "data/attribution")
    )
    assert beside(Atom(used), Usage.SOURCE_MERGED) is None


def test_nobody_has_published_an_answer():
    """Noncommercial data, another pair, another version."""
    for one in ("CC-BY-NC-4.0", "CC-BY-NC-SA-3.0", "CC-BY-ND-2.0", "CC-BY-NC-ND-3.0-IGO", "ODbL-1.0", "GFDL-1.3-only"):
        assert beside(Atom(one), Usage.DATA_OR_DOC) is None
    assert ruling(Atom("GPL-2.0-only"), Atom("CC-BY-SA-4.0"), MATRIX) is None
    assert ruling(Atom("GPL-3.0-only"), Atom("CC-BY-SA-3.0"), MATRIX) is None
    assert ruling(Atom("Nobody-1.0"), Atom("MIT-0"), MATRIX) is None


WIKI = "wiki.creativecommons.org/wiki/ShareAlike_compatibility:_GPLv3"
SAID = [
    ("GPL-2.0-only", "CC0-1.0", "compatible", "published/compatible",
     "CC0-1.0 may be included in work under GPL-2.0-only, according to www.gnu.org/licenses/license-list.html#CC0; keep its notices"),
    ("Apache-2.0", "MIT-0", "compatible", "published/compatible", "MIT-0 asks for no more than MIT, which may be included in work under Apache-2.0; keep its notices"),
    ("MIT", "CC-PDDC", "compatible", "published/compatible", "CC-PDDC asks for no more than MIT, which may be included in work under MIT; keep its notices"),
    ("GPL-3.0-only", "CC-BY-SA-4.0", "obligations", "published/obligations", f"CC-BY-SA-4.0 may be included in work under GPL-3.0-only, according to {WIKI}; credit its authors"),
    ("GPL-3.0-or-later", "CC-BY-SA-4.0", "conditional", "copyleft/upgrade",
     "CC-BY-SA-4.0 cannot be included in work under GPL-3.0-or-later, but it can under GPL-3.0-only: release the whole work under GPL-3.0-only"),
    ("GPL-1.0-or-later", "CC-BY-SA-4.0", "conditional", "copyleft/upgrade",
     "CC-BY-SA-4.0 cannot be included in work under GPL-1.0-or-later, but it can under GPL-3.0-only: release the whole work under GPL-3.0-only"),
    ("GPL-2.0-or-later", "CC-BY-SA-4.0", "conditional", "copyleft/upgrade",
     "CC-BY-SA-4.0 cannot be included in work under GPL-2.0-or-later, but it can under GPL-3.0-only: release the whole work under GPL-3.0-only"),
]  # fmt: skip


@pytest.mark.parametrize(("own", "used", "verdict", "rule", "reason"), SAID)
def test_what_is_said(own, used, verdict, rule, reason):
    """The whole answer: the verdict, the rule on the page, that it was published, by whom, and what is asked for."""
    assert ruling(Atom(own), Atom(used), MATRIX) == Ruling(LicenseVerdict(verdict), rule, "published", reason)


@pytest.mark.parametrize(
    ("used", "verdict", "rule", "asked"),
    [
        ("CC-BY-4.0", "compatible", "data/attribution", "credit its authors, name its licence, and say what was changed (creativecommons.org/faq)"),
        ("CC-BY-SA-3.0", "obligations", "data/beside",
         "credit its authors, name its licence, and keep adaptations under it; code next to it keeps its own licence (creativecommons.org/faq)"),
        ("OFL-1.1", "obligations", "data/beside",
         "include its copyright line and its text, and do not sell the font by itself (openfontlicense.org, conditions 1 and 2)"),
    ],
)  # fmt: skip
def test_what_is_said_of_data(used, verdict, rule, asked):
    """What it asks for, with the place where that can be read."""
    reason = f"{used} may be kept next to code under any licence: {asked}"
    assert beside(Atom(used), Usage.DATA_OR_DOC) == Ruling(LicenseVerdict(verdict), rule, "published", reason)
