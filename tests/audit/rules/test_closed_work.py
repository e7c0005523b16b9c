"""Closed and source-available works: permissive parts go in, copyleft as far as it reaches; tests/cases/licenses/golden.txt has the cases."""

import pytest

from audit.facts import Delivery, LicenseVerdict, Usage
from audit.licenses import osadl, spdx, strength
from audit.licenses.expression import Atom
from audit.licenses.strength import Strength
from audit.rules.closed_work import restricted, ruling, unlisted
from audit.rules.expression_compatibility import judge
from audit.rules.ruling import Ruling

MATRIX = osadl.shipped()
LINK = Usage.STATIC_LINK
SHIPPED = (
    Usage.STATIC_LINK,
    Usage.DYNAMIC_LINK,
    Usage.RUNTIME_IMPORT,
    Usage.BUNDLED,
    Usage.HEADER_ONLY,
    Usage.VENDORED,
)


@pytest.mark.parametrize("own", ["LicenseRef-Proprietary", "UNLICENSED", "BUSL-1.1"])
def test_no_copyleft_passes_into_a_closed_work_and_nothing_permissive_fails(own):
    known = [license_id for license_id in spdx.lists().licenses if strength.is_known(license_id)]
    permissive = [license_id for license_id in known if strength.is_permissive(license_id)]
    strong = [
        license_id
        for license_id in known
        if strength.scope(license_id) is Strength.STRONG and not strength.restricts_use(license_id)
    ]
    strong.append("SSPL-1.0")  # limited, and copyleft by its text
    weak = [
        license_id
        for license_id in known
        if strength.is_copyleft_of_parts(license_id) and not strength.restricts_use(license_id)
    ]
    limited = [
        license_id
        for license_id in known
        if strength.category(license_id) == "Copyleft Limited" and strength.scope(license_id) is Strength.UNCLEAR
    ]
    others = set(known) - {*permissive, *strong, *weak}

    def verdicts(licenses, *usages):
        return {judge(own, used, usage, Delivery.BINARY, MATRIX).verdict for used in licenses for usage in usages}

    assert [len(group) for group in (permissive, strong, weak, others)] == [411, 64, 132, 104]
    assert [
        license_id
        for license_id in limited
        if judge(own, license_id, Usage.DYNAMIC_LINK, Delivery.BINARY, MATRIX).verdict != "review"
    ] == []
    assert verdicts(permissive, *SHIPPED, Usage.SOURCE_MERGED) == {"compatible", "obligations"}
    assert verdicts(strong, *SHIPPED, Usage.SOURCE_MERGED) == {"incompatible"}
    assert verdicts(weak, Usage.SOURCE_MERGED) == {"incompatible"}
    assert verdicts(others, Usage.SOURCE_MERGED) == {"review"}


def test_works_that_are_not_closed_are_judged_by_other_rules():
    assert ruling(Atom("MIT"), Atom("MIT"), Usage.STATIC_LINK) is None
    assert ruling(Atom("proprietary"), Atom("CC-BY-NC-4.0"), Usage.STATIC_LINK) is None
    assert ruling(Atom("proprietary"), Atom("OpenSSL"), Usage.STATIC_LINK) is None


def test_source_available_parts_do_not_go_into_a_work_that_promises_every_use():
    assert "Additional Use Grant" in restricted(Atom("Apache-2.0"), Atom("BUSL-1.1"), LINK).reason
    assert "as a service" in restricted(Atom("GPL-3.0-only"), Atom("Elastic-2.0"), LINK).reason
    assert restricted(Atom("proprietary"), Atom("BUSL-1.1"), LINK) is None
    assert restricted(Atom("MIT"), Atom("SSPL-1.0"), LINK) is None


@pytest.mark.parametrize("own", ["SSPL-1.0", "PolyForm-Noncommercial-1.0.0", "CC-BY-NC-4.0", "JSON"])
def test_works_that_restrict_their_use_take_permissive_parts_and_no_strong_copyleft(own):
    assert judge(own, "GPL-2.0-only", Usage.DYNAMIC_LINK, Delivery.BINARY, MATRIX).verdict == "incompatible"
    assert judge(own, "GPL-3.0-or-later", Usage.BUILD_TOOL, Delivery.BINARY, MATRIX).verdict == "not-applicable"
    assert judge(own, "MIT", Usage.BUNDLED, Delivery.BINARY, MATRIX).rule == "closed/permissive"
    assert judge(own, "LGPL-2.1-only", Usage.BUNDLED, Delivery.BINARY, MATRIX).verdict == "review"
    assert unlisted(Atom("LicenseRef-ours"), Atom("MIT"), LINK) is None
    assert unlisted(Atom("LicenseRef-scancode-unknown-license-reference"), Atom("MIT"), LINK) is None


@pytest.mark.parametrize(("used", "usage", "said"), [
    ("MS-LPL", "bundled", "MIT allows every use of the work, but MS-LPL does not: it covers only what runs on Microsoft Windows"),
    ("CC-BY-ND-4.0", "bundled", "MIT allows every change of the work, but CC-BY-ND-4.0 does not: it forbids passing on changed versions"),
    ("PolyForm-Noncommercial-1.0.0", "data-or-doc", "MIT allows every use of the work, but PolyForm-Noncommercial-1.0.0 does not: it allows only noncommercial purposes"),
    ("LicenseRef-scancode-polyform-shield-1.0.0", "runtime-import",
     "MIT allows every use of the work, but LicenseRef-scancode-polyform-shield-1.0.0 does not: it forbids uses that compete with its licensor"),
    ("CC-BY-NC-4.0", "data-or-doc", None), ("Leptonica", "bundled", None),
])  # fmt: skip
def test_a_limit_of_the_used_licence_is_named(used, usage, said):
    found = restricted(Atom("MIT"), Atom(used), Usage(usage))
    assert (found and found.reason) == said


def test_reverse_engineering_is_named_for_lgpl():
    """The LGPL asks that the work's own terms allow it."""
    assert "reverse engineering" in ruling(Atom("proprietary"), Atom("LGPL-2.1-only"), Usage.DYNAMIC_LINK).reason


PARTS_OF_FILES = "files that contain parts of it must be under it, with their source"
ANEW = (
    "LGPL-2.1-only allows this if users can relink the work with a changed library "
    "and reverse engineer it for debugging: provide object files, or link dynamically"
)
REPLACED = (
    "LGPL-2.1-only covers only the library: provide its text, notices and source, let users replace it, "
    "and do not let proprietary forbid reverse engineering for that"
)
APART = "LGPL-2.1-only allows this if it stays in separate files and users can replace what is built from them"


@pytest.mark.parametrize(
    ("used", "usage", "verdict", "rule", "reason"),
    [
        ("MIT", "static-link", "compatible", "closed/permissive", "MIT is permissive and may be included in work under proprietary; keep its notices"),
        ("GPL-3.0-only", "dynamic-link", "incompatible", "closed/copyleft",
         "GPL-3.0-only cannot be included in work under proprietary: its copyleft requires the whole work to be under it"),
        ("MPL-2.0", "source-merged", "incompatible", "closed/copyleft", f"MPL-2.0 cannot be included in work under proprietary: {PARTS_OF_FILES}"),
        ("LGPL-2.1-only", "generated-output", "incompatible", "closed/copyleft", f"LGPL-2.1-only cannot be included in work under proprietary: {PARTS_OF_FILES}"),
        ("MPL-2.0", "static-link", "obligations", "copyleft/file",
         "MPL-2.0 covers only its own files: they stay under it, with their source, in work under proprietary"),
        ("LGPL-2.1-only", "static-link", "conditional", "copyleft/static", ANEW), ("LGPL-2.1-only", "bundled", "conditional", "copyleft/static", ANEW),
        ("LGPL-2.1-only", "dynamic-link", "obligations", "copyleft/dynamic", REPLACED), ("LGPL-2.1-only", "runtime-import", "obligations", "copyleft/dynamic", REPLACED),
        ("LGPL-2.1-only", "vendored", "conditional", "copyleft/apart", APART),
    ],
)  # fmt: skip
def test_a_ruling_on_a_closed_work_has_verdict_rule_and_reason(used, usage, verdict, rule, reason):
    found = ruling(Atom("proprietary"), Atom(used), Usage(usage))
    assert found == Ruling(LicenseVerdict(verdict), rule, "category", reason)


def test_a_ruling_on_source_available_parts_names_their_limits():
    found = restricted(Atom("Apache-2.0"), Atom("Elastic-2.0"), LINK)
    limit = "it forbids offering it as a service, and removing its licence keys"
    reason = f"Apache-2.0 allows every use of the work, but Elastic-2.0 does not: {limit}"
    assert found == Ruling(LicenseVerdict.INCOMPATIBLE, "closed/restricted", "review", reason)
    assert unlisted(Atom("Apache-2.0"), Atom("Elastic-2.0"), LINK) == found
    assert unlisted(Atom("SSPL-1.0"), Atom("Elastic-2.0"), LINK) is None
    assert unlisted(Atom("Apache-2.0"), Atom("MIT"), LINK) is None
