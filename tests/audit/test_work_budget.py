"""A repository's budget: files beyond it are counted in one finding."""

from audit.facts import Finding, Place
from audit.work_budget import WorkBudget


def test_files_beyond_the_budget_are_one_finding_and_smaller_ones_may_fit():
    budget = WorkBudget(100)
    assert budget.findings("a", "b") == ()
    assert budget.is_left("x", 60)
    budget.spend(60)
    assert not budget.is_left("z", 41)
    assert budget.is_left("y", 40)
    budget.spend(50)
    assert not budget.is_left("a")
    assert not budget.is_left("a"), "the same file counts once"
    said = "2 manifests are not read: together they take more work than is done for one repository"
    found = budget.findings("manifest is not read", "manifests are not read")
    assert found == (Finding("tree/cut-short", Place("a"), said),)
