"""The parties of the rulebooks in force, and those of agreements that no rulebook counts."""

import json

import pytest

from agreements.cla.party import Parties
from agreements.rulebook.rules import Rules
from bot.records import party_derivation
from bot.records.agreement_view import NamedParty
from bot.settings import Settings
from tests.bot.records.test_party_derivation import BOOKS, CANN, CATALOG, Before

pytestmark = pytest.mark.slow


@pytest.fixture(name="before")
def _before(database_url):
    made = Before(database_url)
    yield made
    made.engine.dispose()


@pytest.mark.parametrize(
    ("accounts", "books", "expected"),
    [
        (("7",), BOOKS, [CANN]),
        (("7", "8"), BOOKS, [CANN, "Other Foundation"]),
        ((), BOOKS, [CANN, "Other Foundation"]),
        (("7", "8"), {7: BOOKS[7], 8: BOOKS[7]}, [CANN]),
        (("7",), {7: None}, ["github:7"]),
        (("7",), {}, ["github:7"]),
        ((), {}, []),
    ],
)
def test_the_parties_are_those_of_the_served_accounts_rulebooks_once_each(before, accounts, books, expected):
    before.books(books)
    found = party_derivation.of_rulebooks(Settings(accounts=accounts), before.sessions, lambda: CATALOG)
    assert [party.id for party in found.named] == expected
    assert found.counting == set(expected)


def test_the_rulebook_file_names_the_party_of_every_account(before, tmp_path):
    file = tmp_path / "rules.yml"
    for text, expected in ((BOOKS[7], [CANN]), ("version: 1\n", ["github:7", "github:8"])):
        file.write_text(text, encoding="utf-8")
        chosen = Settings(accounts=("7", "8"), rulebook_path=file)
        assert [
            rulebook.id for rulebook in party_derivation.of_rulebooks(chosen, before.sessions, lambda: CATALOG).named
        ] == expected
    assert party_derivation.of_rulebooks(chosen, before.sessions, lambda: CATALOG).named[0] == NamedParty(
        "github:7", "7"
    )


def test_a_party_that_no_rulebook_counts_is_listed_with_the_yaml_line_to_add(before):
    before.books(BOOKS)
    before.sign(1, CANN)
    before.sign(2, CANN)
    before.derive()
    renamed, listed = Rules(organization="New"), Rules(organization="New", parties=(CANN,))
    with before.sessions() as session:
        assert party_derivation.unlisted(session, Parties(renamed, 7).counting) == {CANN: 2}
        assert party_derivation.unlisted(session, Parties(listed, 7).counting) == {}
    for name in ('He said "yes": #1', "github:7", "开源"):
        line = party_derivation.line_for(name)
        assert json.loads(line.removeprefix("parties: ")) == [name]
