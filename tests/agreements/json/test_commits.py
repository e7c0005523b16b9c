"""Commits as JSON."""

from agreements.facts import Account, Coauthor, Identity
from agreements.json import commits


def read(**values):
    return commits.read([({"sha": "a", **values}, "commits.0")])[0]


def test_what_is_given_is_kept():
    """Co-authors that GitHub told are taken, with their accounts; the message's are then not read."""
    found = read(
        message="Co-authored-by: Eve <e@x>",
        coauthors=[{"name": "Bo", "email": "b@x", "account": {"id": 12, "login": "bo"}}],
    )
    assert found.coauthors == (Coauthor("Bo", "b@x", Account(12, "bo")),)


def test_what_is_not_given_is_read():
    """Without them the trailers speak."""
    assert read(message="Co-authored-by: Eve <e@x>").coauthors == (Coauthor("Eve", "e@x"),)
    assert read(message="Co-authored-by: Eve <e@x>", coauthors=None).coauthors == (Coauthor("Eve", "e@x"),)


def test_half_an_identity():
    """A name or an address alone leaves the other empty."""
    assert read(author={"name": "Ada", "email": None}).author == Identity("Ada", "")
