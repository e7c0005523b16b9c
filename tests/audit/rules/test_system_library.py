"""The GPL leaves out system libraries on a condition that is named."""

from datetime import date

import pytest

from audit.facts import Dependency, Learned, Repository, Source, Usage
from audit.licenses import osadl
from audit.verdict.outbound import candidates
from audit.verdict.policy import Policy
from audit.verdict.repository_verdict import Judge

MATRIX = osadl.shipped()
POLICY = Policy()
DEB = "pkg:deb/debian/libssl1.1@1.1.1w"


def judged(own, used, purl=DEB, usage=Usage.DYNAMIC_LINK, source=Source.UNSTATED):
    """One dependency of one repository."""
    thing = Dependency(name="x", purl=purl, usage=usage, license=Learned(used, source))
    repository = Repository(name="a/b", license=Learned(own), dependencies=(thing,))
    (cell,) = Judge(POLICY, MATRIX, date(2026, 1, 1)).audited(repository).cells
    return cell.judgement


@pytest.mark.parametrize("usage", [Usage.DYNAMIC_LINK, Usage.RUNTIME_IMPORT, Usage.HEADER_ONLY])
@pytest.mark.parametrize("used", ["OpenSSL", "LGPL-3.0-only", "Apache-2.0", "CDDL-1.0 AND BSD-4-Clause"])
def test_a_distribution_s_package_is_a_system_library_on_one_condition(used, usage):
    found = judged("GPL-2.0-only", used, usage=usage)
    assert (found.verdict, found.rule, found.basis) == ("conditional", "copyleft/system-library", "usage")
    assert found.reason == (
        f"{used} cannot be included in work under GPL-2.0-only, but the GPL makes an exception for operating system libraries, "
        "which applies as long as it comes with the system and is not distributed with the work"
    )


def test_a_work_under_agpl_leaves_out_system_libraries_too():
    assert judged("AGPL-3.0-only", "OpenSSL").rule == "copyleft/system-library"


@pytest.mark.parametrize(
    ("own", "used", "purl", "usage"),
    [
        ("GPL-2.0-only", "OpenSSL", "pkg:generic/openssl", Usage.DYNAMIC_LINK), ("GPL-2.0-only", "OpenSSL", None, Usage.DYNAMIC_LINK),
        ("GPL-2.0-only", "OpenSSL", DEB, Usage.STATIC_LINK), ("GPL-2.0-only", "OpenSSL", DEB, Usage.BUNDLED),
        ("GPL-2.0-only", "GPL-3.0-only", DEB, Usage.DYNAMIC_LINK), ("Apache-2.0", "GPL-3.0-only", DEB, Usage.DYNAMIC_LINK),
        ("Apache-2.0 AND GPL-2.0-only", "AGPL-3.0-only", DEB, Usage.DYNAMIC_LINK),
    ],
)  # fmt: skip
def test_unknown_shipped_or_strong_copyleft_libraries_stay_refused(own, used, purl, usage):
    assert judged(own, used, purl, usage).verdict == "incompatible"


def test_the_way_out_by_system_libraries_is_named_for_a_dynamic_link():
    assert "operating system libraries" in judged("GPL-2.0-only", "OpenSSL", None).reason


def test_compatible_and_unknown_licences_are_judged_as_before():
    assert judged("GPL-2.0-only", "MIT").rule == "osadl/compatible"
    assert judged("GPL-2.0-only", None).rule == "license/none"
    assert judged(None, "OpenSSL").rule == "outbound/unknown"


def test_a_system_package_blocks_no_gpl_as_outbound_licence():
    system = Dependency(name="x", purl=DEB, usage=Usage.DYNAMIC_LINK, license=Learned("OpenSSL"))
    other = Dependency(name="y", purl="pkg:generic/y", usage=Usage.DYNAMIC_LINK, license=Learned("OpenSSL"))
    clean = {candidate.license for candidate in candidates([system], POLICY.delivery, MATRIX) if candidate.is_clean}
    assert "GPL-2.0-only" in clean
    (gpl,) = [
        candidate
        for candidate in candidates([system, other], POLICY.delivery, MATRIX)
        if candidate.license == "GPL-2.0-only"
    ]
    assert [dependency.name for dependency, _ in gpl.blockers] == ["y"]


def test_a_library_that_the_build_finds_on_the_system_needs_a_distribution_as_source():
    found = {
        source: judged("GPL-2.0-only", "Apache-2.0", "pkg:generic/openssl", source=source).rule for source in Source
    }
    assert [source for source, rule in found.items() if rule == "copyleft/system-library"] == [Source.DISTRIBUTION]


def test_a_system_library_under_strong_copyleft_is_refused():
    for own in ("MIT", "GPL-2.0-only"):
        found = judged(own, "GPL-3.0-or-later", "pkg:generic/readline", source=Source.DISTRIBUTION)
        assert found.verdict == "incompatible"


def test_a_statically_linked_library_is_no_system_library():
    found = judged("GPL-2.0-only", "Apache-2.0", "pkg:generic/openssl", Usage.STATIC_LINK, Source.DISTRIBUTION)
    assert found.verdict == "incompatible"
