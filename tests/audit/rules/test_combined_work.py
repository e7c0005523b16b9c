"""Every refused cell into GPL and AGPL: its verdict and its reason; docs/reference/into-gpl.csv has all of them."""

import pytest

from audit.facts import Delivery, LicenseVerdict, Usage
from audit.licenses import osadl, strength
from audit.licenses.expression import Atom
from audit.licenses.osadl import OsadlAnswer
from audit.licenses.strength import Strength
from audit.rules import combined_work
from audit.rules.combined_work import LINKED, REASONS, SEPARABLE, effective, needs_another, takes_in
from audit.rules.expression_compatibility import judge
from audit.rules.ruling import Ruling

MATRIX = osadl.shipped()
CLASSPATH = "GPL-2.0-only WITH Classpath-exception-2.0"
GNU = [name for name in MATRIX.names if name.startswith(("GPL-", "AGPL-"))]
CELLS = [(own, used) for used in MATRIX.names for own in GNU if MATRIX.answer(own, used) is OsadlAnswer.NO]
USAGES = [usage for usage in Usage if usage in LINKED]


def asked(own, used, usage=Usage.DYNAMIC_LINK, delivery=Delivery.BINARY):
    """By the shipped matrix."""
    return judge(own, used, usage, delivery, MATRIX)


@pytest.mark.parametrize("usage", USAGES)
def test_no_refusal_passes_by_how_far_the_library_reaches(usage):
    counted = 0
    for own, used in CELLS:
        if CLASSPATH not in (own, used) and strength.scope(used) in (Strength.FILE, Strength.WEAK, Strength.UNCLEAR):
            found = asked(own, used, usage)
            counted += 1
            assert (found.verdict, found.rule) in {
                ("incompatible", "copyleft/combined"), ("conditional", "copyleft/upgrade"), ("conditional", "copyleft/conversion"),
            }, (own, used)  # fmt: skip
            assert "replace" not in found.reason
    assert counted == 98


WORKS_THAT_LINK = {
    "GPL-1.0-only", "GPL-1.0-or-later", "GPL-2.0-or-later", "GPL-3.0-only", "GPL-3.0-or-later", "AGPL-3.0-only", "AGPL-3.0-or-later",
}  # fmt: skip
LINKED_BY_CLASSPATH = {
    "Apache-1.0", "Apache-1.1", "Apache-2.0", "BSD-4-Clause", "BSD-4-Clause-UC", "BSD-4.3TAHOE", "CDDL-1.0", "CDDL-1.1", "CPL-1.0",
    "ECL-2.0", "EPL-1.0", "EPL-2.0", "FTL", "IJG", "IPL-1.0", "LGPL-3.0-only", "LGPL-3.0-or-later",
    "LicenseRef-scancode-bsla-no-advert", "MPL-1.1", "MPL-2.0-no-copyleft-exception", "MS-RL", "Minpack", "OpenSSL", "PHP-3.01",
    "Python-2.0", "XFree86-1.1", "zlib-acknowledgement",
}  # fmt: skip


def test_only_exceptions_make_an_obligation_of_a_refusal():
    mild = {
        (own, used) for own, used in CELLS for usage in USAGES
        if asked(own, used, usage).verdict in ("not-applicable", "compatible", "obligations")
    }  # fmt: skip
    assert mild == {(own, CLASSPATH) for own in WORKS_THAT_LINK} | {(CLASSPATH, used) for used in LINKED_BY_CLASSPATH}


@pytest.mark.parametrize(
    ("own", "used", "verdict", "words"),
    [
        ("GPL-2.0-only", "CDDL-1.0", "incompatible", "section 3.1"), ("GPL-2.0-only", "EPL-2.0", "incompatible", "Secondary License"),
        ("GPL-3.0-only", "EPL-2.0", "incompatible", "Secondary License"), ("GPL-3.0-or-later", "MPL-1.1", "incompatible", "section 13"),
        ("GPL-2.0-only", "MPL-2.0-no-copyleft-exception", "incompatible", "Exhibit B"),
        ("GPL-2.0-only", "LGPL-3.0-only", "incompatible", "version 3 with additional permissions"),
        ("GPL-2.0-only", "LGPL-3.0-or-later", "incompatible", "version 3"),
        ("GPL-2.0-or-later", "LGPL-3.0-only", "conditional", "under GPL-3.0-only"),
        ("GPL-2.0-or-later", "LGPL-3.0-or-later", "conditional", "under GPL-3.0-or-later"),
        ("GPL-3.0-or-later", "LGPL-3.0-only", "conditional", "under GPL-3.0-only"),
        ("GPL-2.0-or-later", "GPL-2.0-only", "conditional", "under GPL-2.0-only"),
        ("AGPL-3.0-only", "LGPL-2.0-only", "conditional", "under GPL-3.0-only"),
        ("AGPL-3.0-or-later", "LGPL-2.0-or-later", "conditional", "under GPL-3.0-or-later"),
        ("GPL-1.0-only", "LGPL-2.0-only", "incompatible", "GPL version 2 or later"), ("GPL-1.0-only", "MPL-2.0", "incompatible", "version 2"),
        ("GPL-2.0-only", "OpenSSL", "incompatible", "advertising"), ("GPL-3.0-only", "EUPL-1.1", "incompatible", "only GPL version 2"),
        ("GPL-1.0-or-later", "EUPL-1.2", "conditional", "under GPL-2.0-or-later"),
        (CLASSPATH, "EUPL-1.2", "conditional", "under GPL-2.0-only"), (CLASSPATH, "GPL-3.0-only", "incompatible", "only version 3"),
        (CLASSPATH, "CDDL-1.0", "obligations", "Classpath-exception-2.0"), ("GPL-3.0-only", CLASSPATH, "obligations", "Classpath-exception-2.0"),
    ],
)  # fmt: skip
def test_cells_by_hand_are_judged_as_counsel_would(own, used, verdict, words):
    found = asked(own, used)
    assert found.verdict == verdict
    assert words in found.reason


@pytest.mark.parametrize(
    ("own", "used", "whole"),
    [
        ("GPL-2.0-or-later", "AGPL-3.0-only", "GPL-3.0-or-later"), ("GPL-1.0-or-later", "MPL-2.0", "GPL-2.0-or-later"),
        ("GPL-1.0-or-later", "LGPL-2.1-only", "GPL-2.0-or-later"), ("LGPL-2.1-only", "AGPL-3.0-only", "GPL-3.0-only"),
        ("LGPL-2.1-or-later", "EUPL-1.1", "GPL-2.0-or-later"),
    ],
)  # fmt: skip
def test_check_dependency_may_need_another_licence_for_the_work_first(own, used, whole):
    assert MATRIX.answer(own, used) is OsadlAnswer.CHECK
    assert needs_another(own, used, MATRIX)
    found = asked(own, used)
    assert (found.verdict, found.rule) == ("conditional", "copyleft/upgrade")
    assert found.reason.endswith(f"release the whole work under {whole}")


def test_check_dependency_may_allow_the_link_as_it_is():
    """GPL version 3 may be linked with AGPL by its section 13, and LGPL-2.1 with GPL version 2 by its section 3."""
    for own, used in (("GPL-3.0-or-later", "AGPL-3.0-only"), ("GPL-2.0-only", "LGPL-2.1-only")):
        assert asked(own, used).rule == "osadl/linked"
    merged = asked("GPL-2.0-only", "LGPL-2.1-only", Usage.SOURCE_MERGED)
    assert (merged.verdict, merged.rule) == ("conditional", "copyleft/conversion")
    assert merged.reason.endswith(
        "its section 3 allows you to take this copy under GPL-2.0-only, which can: say so in its notices"
    )


def test_data_beside_a_program_is_an_aggregate():
    assert asked("GPL-2.0-only", "MPL-1.1", Usage.DATA_OR_DOC).rule == "copyleft/file"
    assert asked("GPL-2.0-only", "CDDL-1.0", Usage.VENDORED).rule == "copyleft/combined"
    assert asked("GPL-3.0-only", CLASSPATH, Usage.VENDORED).rule == "copyleft/apart"
    assert asked("GPL-2.0-only", "CDDL-1.0", Usage.GENERATED_OUTPUT).rule == "copyleft/combined"


def test_a_hosted_work_has_no_duties_except_under_agpl():
    assert asked("GPL-2.0-only", "CDDL-1.0", delivery=Delivery.HOSTED).rule == "delivery/kept"
    for delivery in (Delivery.HOSTED, Delivery.INTERNAL):
        assert asked("AGPL-3.0-only", "CDDL-1.0", delivery=delivery).rule == "copyleft/combined"
        assert asked("AGPL-3.0-only", "GPL-2.0-only", Usage.SOURCE_MERGED, delivery=delivery).verdict == "incompatible"
    assert asked("EUPL-1.2", "GPL-3.0-only", delivery=Delivery.HOSTED).verdict == "incompatible"


@pytest.mark.parametrize("own", [license_id for license_id in SEPARABLE if license_id in MATRIX.names])
def test_weak_copyleft_is_conditional_in_strong_copyleft_that_ends_at_a_link(own):
    assert asked(own, "CDDL-1.0").rule == "copyleft/separable"
    assert asked(own, "LGPL-3.0-only", Usage.STATIC_LINK).verdict == "conditional"
    assert asked(own, "GPL-2.0-only").verdict == "incompatible"


def test_the_inbound_licence_s_reach_decides_under_other_outbound_licences():
    for own in ("Apache-2.0", "MPL-2.0", "LGPL-2.1-only", "EPL-1.0"):
        assert not takes_in(Atom(own), Usage.STATIC_LINK)
    assert asked("LGPL-2.1-only", "CDDL-1.0").rule == "copyleft/file"
    assert asked("LGPL-2.1-only", "OpenSSL").rule == "copyleft/unclear"
    assert asked("LGPL-2.1-only", "OpenSSL").verdict == "review"


def test_the_effective_licence_is_none_where_no_version_helps():
    own = Atom("GPL-2.0-or-later")
    assert effective(own, "CDDL-1.0", Usage.STATIC_LINK, MATRIX) is None
    assert effective(own, "AGPL-3.0-only", Usage.STATIC_LINK, MATRIX) == "GPL-3.0-or-later"
    assert effective(own, "AGPL-3.0-only", Usage.VENDORED, MATRIX) is None


def test_every_reason_is_used():
    assert len(CELLS) == 301
    assert {used.partition(" WITH ")[0] for _, used in CELLS} == set(REASONS)
    assert set(combined_work.USAGES_PART_OF_WORK) > set(LINKED)


@pytest.mark.parametrize(
    ("own", "used", "usage", "verdict", "rule", "reason"),
    [
        ("EUPL-1.2", "CDDL-1.0", "static-link", "conditional", "copyleft/separable",
         ("EUPL-1.2 covers works derived from it, which, as the European Commission reads it, leaves out works that are only linked: "
         "keep CDDL-1.0 a separate work under its own licence, and provide its source")),
        ("GPL-2.0-or-later", "LGPL-3.0-only", "static-link", "conditional", "copyleft/upgrade",
         "LGPL-3.0-only cannot be included in work under GPL-2.0-or-later, but it can under GPL-3.0-only: release the whole work under GPL-3.0-only"),
        ("AGPL-3.0-only", "LGPL-2.0-only", "static-link", "conditional", "copyleft/conversion",
         "LGPL-2.0-only cannot be included in work under AGPL-3.0-only, but its section 3 allows you to take this copy under GPL-3.0-only, which can: say so in its notices"),
        ("GPL-2.0-only", "CDDL-1.0", "static-link", "incompatible", "copyleft/combined",
         "GPL-2.0-only covers everything linked with it, and CDDL-1.0 cannot be included in it: its section 3.1 requires its source to stay under the CDDL"),
        ("GPL-2.0-only", "CDDL-1.0", "dynamic-link", "incompatible", "copyleft/combined",
         ("GPL-2.0-only covers everything linked with it, and CDDL-1.0 cannot be included in it: its section 3.1 requires its source to stay under the CDDL; "
         "the GPL makes an exception only for operating system libraries that are not distributed with the work")),
        ("GPL-2.0-only", "Apache-2.0", "static-link", "incompatible", "osadl/incompatible",
         "Apache-2.0 cannot be included in work under GPL-2.0-only: its terms on patents and indemnity are further restrictions for versions before 3"),
        ("EUPL-1.2", "GPL-3.0-only", "static-link", "incompatible", "osadl/incompatible",
         "GPL-3.0-only cannot be included in work under EUPL-1.2: OSADL finds no permission for this"),
    ],
)  # fmt: skip
def test_a_ruling_on_a_combined_work_has_verdict_rule_and_reason(own, used, usage, verdict, rule, reason):
    found = combined_work.ruling(Atom(own), Atom(used), Usage(usage), MATRIX)
    assert found == Ruling(LicenseVerdict(verdict), rule, "osadl", reason)


def test_a_copy_is_converted_for_a_link_only_where_a_link_is_allowed():
    own, used = Atom("AGPL-3.0-only"), Atom("LGPL-2.0-only")
    assert combined_work.converted(own, used, Usage.STATIC_LINK, MATRIX) == "GPL-3.0-only"
    assert combined_work.converted(own, used, Usage.SOURCE_MERGED, MATRIX) is None
    assert combined_work.ruling(own, used, Usage.SOURCE_MERGED, MATRIX).rule == "copyleft/combined"
