"""Which webhooks are about rule files."""

import pytest

from bot.webhook import rule_files


@pytest.mark.parametrize("kind", ["added", "modified", "removed"])
@pytest.mark.parametrize("path", [".github/countersign.yml", ".github/dco.yml"])
def test_a_push_that_names_one(kind, path):
    """In any of its commits."""
    assert rule_files.may_change({"commits": [{"added": ["x"]}, {kind: ["y", path]}]})


@pytest.mark.parametrize(("count", "may"), [(0, True), (1, False), (19, False), (20, True)])
def test_a_push_that_names_none(count, may):
    """Unless there may be more commits than it lists."""
    assert rule_files.may_change({"commits": [{"modified": ["README.md"]}] * count}) is may


def test_a_push_by_force():
    """What it threw away is not listed."""
    assert rule_files.may_change({"commits": [{"modified": ["README.md"]}], "forced": True})


@pytest.mark.parametrize(
    ("name", "former", "its"),
    [
        (".github", None, True),
        (".GitHub", None, True),
        ("ops", ".github", True),
        (".github", "ops", True),
        ("ops", "ge", False),
        ("ops", None, False),
        (".github-private", None, False),
        (None, None, False),
        (7, 7, False),
    ],
)
def test_the_organisations_repository(name, former, its):
    """Now, or until this rename."""
    payload = {"repository": {"name": name}, "changes": {"repository": {"name": {"from": former}}}}
    assert rule_files.is_organizations(payload) is its
    assert rule_files.is_organizations({"repository": {"name": name}}) is (its and former in (None, "ops"))
