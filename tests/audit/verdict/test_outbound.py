"""Each licence of the matrix is tried as outbound licence, and its blockers are named."""

from audit.facts import Delivery, Dependency, Learned, LicenseVerdict, Usage
from audit.licenses import osadl
from audit.verdict.outbound import MORE, candidates

MATRIX = osadl.shipped()


def asked(*uses, delivery=Delivery.BINARY):
    """The candidates for these licences and usages, by name."""
    dependencies = [
        Dependency(name=f"d{number}", usage=usage, license=Learned(expression))
        for number, (expression, usage) in enumerate(uses)
    ]
    return candidates(dependencies, delivery, MATRIX)


def test_every_licence_fits_a_work_that_uses_nothing_and_the_freest_come_first():
    found = asked()
    assert {candidate.license for candidate in found} == {*MATRIX.names, *MORE}
    assert (len(found), MORE) == (117, ("MIT-0", "MulanPSL-2.0"))
    assert all(candidate.is_clean and candidate.worst is LicenseVerdict.NOT_APPLICABLE for candidate in found)
    assert found[0].license == "0BSD"
    assert found[-1].license == "OSL-3.0"


def test_mulan_is_offered_where_mit_is():
    for used, is_clean in (("GPL-3.0-only", False), ("LGPL-2.1-only", True), ("MPL-2.0", True), ("BSD-4-Clause", True)):
        found = {candidate.license: candidate for candidate in asked((used, Usage.DYNAMIC_LINK))}
        assert found["MulanPSL-2.0"].is_clean is found["MIT"].is_clean is is_clean


def test_merged_gpl_leaves_only_its_family_and_names_its_blockers():
    found = asked(
        ("GPL-3.0-only", Usage.SOURCE_MERGED), ("Apache-2.0", Usage.SOURCE_MERGED), ("GPL-3.0-only", Usage.BUILD_TOOL)
    )
    clean = [candidate.license for candidate in found if candidate.is_clean]
    assert "GPL-3.0-only" in clean
    assert "Apache-2.0" not in clean
    (apache,) = [candidate for candidate in found if candidate.license == "Apache-2.0"]
    assert [(use.name, judgement.verdict) for use, judgement in apache.blockers] == [("d0", "incompatible")]
    assert apache.worst is LicenseVerdict.INCOMPATIBLE
    assert [candidate.is_clean for candidate in found] == sorted(
        (candidate.is_clean for candidate in found), reverse=True
    )


def test_an_unknown_licence_blocks_all_outbound_licences():
    found = asked(("Nobody-1.0", Usage.DYNAMIC_LINK))
    assert not any(candidate.is_clean for candidate in found)
    assert found == asked(("Nobody-1.0", Usage.DYNAMIC_LINK))


def test_a_condition_does_not_block():
    (apache,) = [
        candidate for candidate in asked(("LGPL-2.1-only", Usage.STATIC_LINK)) if candidate.license == "Apache-2.0"
    ]
    assert (apache.is_clean, apache.worst) == (True, LicenseVerdict.CONDITIONAL)
