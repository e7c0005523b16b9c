"""Published answers on licences that the matrix does not hold, and on data beside code."""

import re
from pathlib import Path

import pytest

from audit.facts import Delivery, LicenseVerdict, Usage
from audit.licenses import aliases, license_review, osadl, strength
from audit.licenses.expression import Atom
from audit.licenses.osadl import OsadlAnswer
from audit.licenses.strength import Strength
from audit.rules.expression_compatibility import judge
from audit.rules.published_answer import (
    FONT_LICENSES,
    NAMED,
    OTHER_YES,
    beside,
    into_apache,
    published,
    ruling,
    where_osadl_knows_none,
)
from audit.rules.ruling import Ruling

MATRIX = osadl.shipped()
FSF, ASF = published()["fsf"], published()["asf"]
GPL = FSF["gpl"]
PAGE = (Path(__file__).parents[3] / "docs/reference/license-rules.md").read_text(encoding="utf-8")
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
GNU = [name for name in MATRIX.names if name.startswith(("GPL-", "LGPL-", "AGPL-"))]
SHIPPED = (
    Usage.SOURCE_MERGED,
    Usage.STATIC_LINK,
    Usage.DYNAMIC_LINK,
    Usage.RUNTIME_IMPORT,
    Usage.BUNDLED,
    Usage.VENDORED,
)
UNLISTED = [license_id for license_id in GPL if license_id not in MATRIX.names]


def test_the_page_names_the_sources_and_their_dates():
    assert [said for said in (FSF["url"], FSF["date"], FSF["copy"], ASF["url"], ASF["date"]) if said not in PAGE] == []


def test_published_ids_are_known_and_in_one_category():
    assert set(GPL) | set(BESIDE) | set(NAMED) <= aliases.known()
    assert {answer for answer, _ in GPL.values()} == {"2 3", "3", "no", "nonfree"}
    assert all(re.fullmatch("[A-Za-z0-9.-]+", anchor) for _, anchor in GPL.values())
    sorted_out = [license_id for ids in ASF["categories"].values() for license_id in ids]
    assert len(sorted_out) == len(set(sorted_out))
    assert set(sorted_out) <= aliases.known()


def test_the_fsf_never_refuses_what_osadl_takes_in():
    yes = (OsadlAnswer.YES, OsadlAnswer.SAME)
    refused_by_fsf = {value for value, (answer, _) in GPL.items() if answer in ("no", "nonfree")}
    assert [
        (own, license_id)
        for own in GNU
        if own.startswith("GPL-")
        for license_id in refused_by_fsf
        if MATRIX.answer(own, license_id) in yes
    ] == []


@pytest.mark.parametrize("used", UNLISTED)
def test_published_answers_into_gnu_licences_name_their_author(used):
    answer, anchor = GPL[used]
    reach = strength.scope(used)
    for own in GNU:
        for usage in SHIPPED:
            found = ruling(Atom(own), Atom(used), usage)
            is_lgpl = own.startswith("LGPL-")
            if answer in ("no", "nonfree"):
                asked = not is_lgpl or usage is Usage.SOURCE_MERGED
                assert (found and found.verdict) == ("incompatible" if asked else None)
            elif reach is not Strength.NONE and not own.startswith("GPL-"):
                assert found is None
            else:
                version = "3" if "-3.0" in own else "2"
                fine = ("compatible", "obligations") if version in answer.split() else ("conditional",)
                assert found is None or found.verdict in fine
            if found is not None and found.verdict != "conditional":
                assert (OTHER_YES.get(used) or f"{FSF['url']}#{anchor}").removeprefix(
                    "https://"
                ) in found.reason or used in NAMED


def test_the_fsf_s_no_counts_where_osadl_says_unknown():
    found = judge("GPL-3.0-only", "AFL-3.0", Usage.DYNAMIC_LINK, Delivery.BINARY, MATRIX)
    assert MATRIX.answer("GPL-3.0-only", "AFL-3.0") is OsadlAnswer.UNKNOWN
    assert (found.verdict, found.rule, found.basis) == ("incompatible", "published/incompatible", "published")
    assert found.reason.endswith(
        "it is incompatible with the GPL, according to www.gnu.org/licenses/license-list.html#AcademicFreeLicense"
    )
    lifted = judge("GPL-2.0-only WITH Classpath-exception-2.0", "AFL-3.0", Usage.DYNAMIC_LINK, Delivery.BINARY, MATRIX)
    assert (lifted.verdict, lifted.rule) == ("obligations", "exception/outbound")
    assert where_osadl_knows_none(Atom("MPL-2.0"), Atom("AFL-3.0"), Usage.STATIC_LINK) is None
    apache = judge("Apache-2.0", "MS-PL", Usage.BUNDLED, Delivery.BINARY, MATRIX)
    assert (apache.verdict, apache.rule, "category A" in apache.reason) == (
        "obligations",
        "published/obligations",
        True,
    )


@pytest.mark.parametrize(("used", "usage", "verdict"), [
    ("NPL-1.1", "bundled", "incompatible"), ("SSPL-1.0", "runtime-import", "incompatible"), ("Ruby", "bundled", "obligations"),
    ("IPA", "vendored", "obligations"), ("Ruby", "source-merged", None), ("Xnet", "bundled", "obligations"), ("NPL-1.1", "build-tool", None), ("ISC-Veillard", "bundled", None),
])  # fmt: skip
def test_apache_s_categories_decide_for_works_under_apache_2(used, usage, verdict):
    found = into_apache(Atom("Apache-2.0"), Atom(used), Usage(usage))
    assert (found and found.verdict) == verdict
    assert into_apache(Atom("MIT"), Atom(used), Usage(usage)) is None


def test_a_licence_that_names_others_can_be_combined_with_them():
    into = ruling(Atom("AGPL-3.0-only"), Atom("CECILL-2.1"), Usage.STATIC_LINK)
    assert (into.verdict, into.rule) == ("obligations", "published/obligations")
    whole = ruling(Atom("CECILL-2.1"), Atom("GPL-3.0-only"), Usage.STATIC_LINK)
    assert (whole.verdict, whole.rule) == ("conditional", "copyleft/upgrade")
    assert whole.reason.endswith("release the whole work under GPL-3.0-only")
    assert ruling(Atom("LiLiQ-R-1.1"), Atom("MPL-2.0"), Usage.STATIC_LINK) is None


def test_share_alike_goes_only_into_later_versions():
    assert ruling(Atom("CC-BY-SA-4.0"), Atom("CC-BY-SA-3.0"), Usage.SOURCE_MERGED).verdict == "obligations"
    assert ruling(Atom("CC-BY-SA-3.0"), Atom("CC-BY-SA-4.0"), Usage.SOURCE_MERGED) is None
    assert ruling(Atom("CC-BY-SA-4.0"), Atom("CC-BY-SA-1.0"), Usage.SOURCE_MERGED) is None


def test_a_condition_makes_the_fsf_s_yes_an_obligation():
    found = ruling(Atom("GPL-2.0-only"), Atom("EUDatagrid"), Usage.STATIC_LINK)
    assert (found.verdict, found.reason.endswith(license_review.condition("EUDatagrid"))) == ("obligations", True)


@pytest.mark.parametrize("used", FONT_LICENSES)
def test_fonts_may_be_bundled_with_any_software(used):
    for own in ("MIT", "GPL-3.0-only", "LicenseRef-Proprietary", "CECILL-2.1"):
        for usage in (Usage.BUNDLED, Usage.VENDORED):
            assert judge(own, used, usage, Delivery.BINARY, MATRIX).rule == "data/beside"
    assert beside(Atom(used), Usage.STATIC_LINK) is None


@pytest.mark.parametrize("used", BESIDE)
@pytest.mark.parametrize("own", ["GPL-2.0-only", "Apache-2.0", "LicenseRef-Proprietary"])
def test_licences_of_data_may_stand_beside_code_as_data_alone(own, used):
    shared = used in FONT_LICENSES or "-SA-" in used
    found = judge(own, used, Usage.DATA_OR_DOC, Delivery.BINARY, MATRIX)
    assert (found.verdict, found.rule) == (
        ("obligations", "data/beside") if shared else ("compatible", "data/attribution")
    )
    assert beside(Atom(used), Usage.SOURCE_MERGED) is None


@pytest.mark.parametrize(("used", "rule", "words"), [
    ("ODbL-1.0", "data/beside", "say in works made of it where the data are from"), ("CDLA-Sharing-1.0", "data/beside", "results of computing are free"),
    ("GFDL-1.3-or-later", "data/beside", "section 7"), ("GFDL-1.1-invariants-only", "data/beside", "invariant parts"), ("LAL-1.3", "data/beside", "name its authors"),
    ("ODC-By-1.0", "data/attribution", "where the data are from"), ("etalab-2.0", "data/attribution", "name the source"),
])  # fmt: skip
def test_data_and_documents_under_their_own_licences_are_collections(used, rule, words):
    found = beside(Atom(used), Usage.DATA_OR_DOC)
    assert (found.rule, words in found.reason) == (rule, True), found.reason
    assert beside(Atom(used), Usage.SOURCE_MERGED) is beside(Atom(used), Usage.BUNDLED) is None
    assert judge("GPL-3.0-only", used, Usage.DATA_OR_DOC, Delivery.BINARY, MATRIX).rule == rule


def test_no_answer_is_published_for_noncommercial_data_or_other_pairs():
    for text in ("CC-BY-NC-4.0", "CC-BY-NC-SA-3.0", "CC-BY-ND-2.0", "CC-BY-NC-ND-3.0-IGO", "C-UDA-1.0", "GPL-3.0-only"):
        assert beside(Atom(text), Usage.DATA_OR_DOC) is None
    assert ruling(Atom("GPL-2.0-only"), Atom("CC-BY-SA-4.0"), Usage.SOURCE_MERGED) is None
    assert ruling(Atom("GPL-3.0-only"), Atom("CC-BY-SA-3.0"), Usage.SOURCE_MERGED) is None
    assert ruling(Atom("Nobody-1.0"), Atom("MIT-0"), Usage.SOURCE_MERGED) is None


WIKI = "wiki.creativecommons.org/wiki/ShareAlike_compatibility:_GPLv3"
SAID = [
    ("GPL-2.0-only", "CC0-1.0", "compatible", "published/compatible",
     "CC0-1.0 may be included in work under GPL-2.0-only, according to www.gnu.org/licenses/license-list.html#CC0; keep its notices"),
    ("GPL-3.0-only", "CC-BY-SA-4.0", "obligations", "published/obligations", f"CC-BY-SA-4.0 may be included in work under GPL-3.0-only, according to {WIKI}; credit its authors"),
    ("GPL-3.0-or-later", "CC-BY-SA-4.0", "conditional", "copyleft/upgrade",
     "CC-BY-SA-4.0 cannot be included in work under GPL-3.0-or-later, but it can under GPL-3.0-only: release the whole work under GPL-3.0-only"),
    ("GPL-1.0-or-later", "CC-BY-SA-4.0", "conditional", "copyleft/upgrade",
     "CC-BY-SA-4.0 cannot be included in work under GPL-1.0-or-later, but it can under GPL-3.0-only: release the whole work under GPL-3.0-only"),
    ("GPL-2.0-or-later", "CC-BY-SA-4.0", "conditional", "copyleft/upgrade",
     "CC-BY-SA-4.0 cannot be included in work under GPL-2.0-or-later, but it can under GPL-3.0-only: release the whole work under GPL-3.0-only"),
]  # fmt: skip


@pytest.mark.parametrize(("own", "used", "verdict", "rule", "reason"), SAID)
def test_a_published_ruling_has_verdict_rule_and_reason(own, used, verdict, rule, reason):
    assert ruling(Atom(own), Atom(used), Usage.SOURCE_MERGED) == Ruling(
        LicenseVerdict(verdict), rule, "published", reason
    )


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
def test_a_ruling_on_data_names_its_conditions(used, verdict, rule, asked):
    reason = f"{used} may be kept next to code under any licence: {asked}"
    assert beside(Atom(used), Usage.DATA_OR_DOC) == Ruling(LicenseVerdict(verdict), rule, "published", reason)
