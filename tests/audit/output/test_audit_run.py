"""An run is the same whatever the order in which things come."""

import pytest

from audit.facts import Learned, LicenseVerdict, Usage
from audit.output.audit_run import build, license_of, stamp
from tests.audit.runs import AT, audited, organisation, used, whole


def test_sorted_by_name_and_stamped():
    """Repositories by name in any case; the moment in UTC to the second."""
    one = build([audited(name="org/b"), audited(name="org/A"), audited(name="org/c")], AT)

    assert [found.repository.name for found in one.repositories] == ["org/A", "org/b", "org/c"]
    assert stamp(one.at) == "2026-11-22T01:02:03Z"


def test_violations_are_what_fails_and_nobody_waived():
    """By what the rulebook lets fail."""
    assert [(one.repository.name, cell.dependency.name) for one, cell in whole().violations()] == [
        ("org/work", "mystery"),
        ("org/work", "own-terms"),
        ("org/work", "readline"),
    ]
    assert not list(build(organisation(), AT, (LicenseVerdict.CONDITIONAL,)).violations())


def test_the_data_that_judged():
    """Each date once; none where nothing was judged."""
    assert whole().data_versions == ("2024-11-04",)
    assert build([audited()], AT).data_versions == ()


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("MIT License", "MIT"),
        ("gpl-2.0+", "GPL-2.0-or-later"),
        ("see file", "see file"),
        (" ", "unknown"),
        (None, "unknown"),
    ],
)
def test_licences_are_shown_as_spdx_spells_them(said, shown):
    """So that one licence is one column, whoever wrote it how."""
    assert license_of(Learned(said)) == shown


def test_the_order_of_cells_does_not_matter():
    """Also of two uses of the same thing."""
    uses = [used("a", "MIT", Usage.VENDORED), used("a", "MIT", Usage.BUILD_TOOL), used("b", "ISC", Usage.VENDORED)]

    assert (
        build([audited(*uses)], AT).repositories[0].cells == build([audited(*reversed(uses))], AT).repositories[0].cells
    )
