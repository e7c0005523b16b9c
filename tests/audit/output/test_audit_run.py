"""An audit run is the same in any order of its input."""

import pytest

from audit.facts import Learned, LicenseVerdict, Usage
from audit.output.audit_run import build, license_of, stamp
from tests.audit.runs import AT, audited, organisation, used, whole


def test_repositories_are_sorted_by_name_and_the_moment_is_utc():
    run = build([audited(name="org/b"), audited(name="org/A"), audited(name="org/c")], AT)

    assert [found.repository.name for found in run.repositories] == ["org/A", "org/b", "org/c"]
    assert stamp(run.at) == "2026-11-22T01:02:03Z"


def test_violations_are_the_failing_verdicts_without_a_waiver():
    assert [(work.repository.name, cell.dependency.name) for work, cell in whole().violations()] == [
        ("org/work", "mystery"),
        ("org/work", "own-terms"),
        ("org/work", "readline"),
    ]
    assert not list(build(organisation(), AT, (LicenseVerdict.CONDITIONAL,)).violations())


def test_the_dates_of_the_judging_data_are_named_once():
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
    assert license_of(Learned(said)) == shown


def test_the_order_of_cells_does_not_matter():
    uses = [used("a", "MIT", Usage.VENDORED), used("a", "MIT", Usage.BUILD_TOOL), used("b", "ISC", Usage.VENDORED)]

    assert (
        build([audited(*uses)], AT).repositories[0].cells == build([audited(*reversed(uses))], AT).repositories[0].cells
    )
