"""People sign by the owner's rulebook, or by its last one without mistakes."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from agreements.rulebook.rules import Rules
from bot.records.owner_rules import OwnerRules
from bot.rulebook import effective
from bot.rulebook.text_files import shipped
from bot.store import owners

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
GOOD, OTHER = "version: 1\norganization: CANN\n", "version: 1\norganization: Others\n"
BROKEN = "version: 1\npeoples: {}\n"


@pytest.fixture(name="read")
def _read(sessions):
    """Rulebooks that were read, one after the other; then what is known."""

    def read(*texts, owner=7):
        for hour, text in enumerate(texts):
            with sessions() as session:
                valid = effective.is_valid(text, shipped)
                owners.remember_rules(session, owner, text, valid=valid, at=NOON.replace(hour=hour))
        return OwnerRules(None, ("7",), sessions, shipped)

    return read


@pytest.mark.parametrize(
    ("texts", "organization", "state"),
    [
        ((), "", "unread"),
        ((None,), "", "valid"),
        ((GOOD,), "CANN", "valid"),
        ((GOOD, BROKEN), "CANN", "outdated"),
        ((GOOD, BROKEN, OTHER), "Others", "valid"),
        ((BROKEN,), "", "broken"),
        ((GOOD, None, BROKEN), "", "broken"),
    ],
)
def test_a_rulebook_with_mistakes_leaves_the_last_valid_one_in_force(read, texts, organization, state):
    rules = read(*texts)

    for owner in (7, None):
        assert (rules(owner).organization, rules.state(owner)) == (organization, state)
    assert (rules(8), rules.state(8)) == (Rules(), "unread")


def test_without_an_owner_the_first_configured_account_that_was_read_counts(read, sessions):
    read(OTHER, owner=8)
    read(GOOD, OTHER, owner=9)
    found = {
        accounts: OwnerRules(None, accounts, sessions, shipped).state(None) for accounts in ((), ("7",), ("7", "8"))
    }
    assert found == {(): "unread", ("7",): "unread", ("7", "8"): "valid"}
    read(GOOD, owner=7)
    assert OwnerRules(None, ("7", "8"), sessions, shipped)(None).organization == "CANN"


def test_the_rules_of_one_owner_do_not_count_for_another(read):
    read(GOOD)
    rules = read(BROKEN, owner=8)

    assert (rules(7).organization, rules.state(7)) == ("CANN", "valid")
    assert (rules(8).organization, rules.state(8)) == ("", "broken")


@pytest.mark.parametrize(("text", "state"), [(OTHER, "valid"), (BROKEN, "broken")])
def test_a_rulebook_file_counts_for_every_owner(read, sessions, text, state):
    read(GOOD)
    rules = OwnerRules(text, (), sessions, shipped)

    assert rules.state(7) == rules.state(None) == rules.state(8) == state
    assert rules(7).organization == ("Others" if state == "valid" else "")


def test_a_rulebook_becomes_valid_when_its_text_is_released(read, sessions):
    later = "version: 1\norganization: CANN\nagreements:\n  individual: {text: icla, version: '3.0'}\n"
    assert read(GOOD, later).state(7) == "outdated"
    text = shipped().get("icla", "2.0", "en")
    catalog = shipped().with_texts([replace(text, version="3.0")])

    assert OwnerRules(None, (), sessions, lambda: catalog).state(7) == "valid"
