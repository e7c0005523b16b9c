"""Commits as JSON."""

from agreements.facts import Account, Coauthor, Identity
from agreements.json import commits


def read(**values):
    return commits.read([({"sha": "a", **values}, "commits.0")])[0]


def test_given_coauthors_are_kept_with_their_accounts_and_the_message_is_not_read():
    found = read(
        message="Co-authored-by: Eve <e@x>",
        coauthors=[{"name": "Bo", "email": "b@x", "account": {"id": 12, "login": "bo"}}],
    )
    assert found.coauthors == (Coauthor("Bo", "b@x", Account(12, "bo")),)


def test_coauthors_are_read_from_the_trailers_if_none_are_given():
    assert read(message="Co-authored-by: Eve <e@x>").coauthors == (Coauthor("Eve", "e@x"),)
    assert read(message="Co-authored-by: Eve <e@x>", coauthors=None).coauthors == (Coauthor("Eve", "e@x"),)


def test_an_identity_of_a_name_or_an_address_alone_has_the_other_empty():
    assert read(author={"name": "Ada", "email": None}).author == Identity("Ada", "")
