"""Rows of the licence check: names readable, people masked, the first places only."""

from audit.facts import Place, Usage
from bot.report.license_tables import named, place, where
from tests.audit.runs import audited, used


def test_names_of_packages_stay_readable_and_addresses_are_masked():
    assert named("@types/node") == "`@types/node`"
    assert named("ada@huawei.com") == "`a…a@huawei.com`"
    assert (named(None), named("x" * 500)) == ("", "`" + "x" * 119 + "…`")


def test_the_first_two_places_are_listed_once_each():
    assert place(Place("go.mod", 4, "x")) == "`go.mod:4`"
    assert place(Place("vendor/x")) == "`vendor/x`"
    places = (Place("a", 1), Place("a", 1, "again"), Place("b"))
    (cell,) = audited(used("x", "MIT", Usage.VENDORED, places=places)).cells
    assert where(cell) == "`a:1`"
