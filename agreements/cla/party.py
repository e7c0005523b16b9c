"""The party with which an agreement is made: the one that the rulebook names, and the earlier names that it lists."""

import unicodedata

from agreements.rulebook.rules import Rules

ACCOUNT_PREFIX = "github:"  # The rulebook's reader refuses it at the start of a name.
"""The words before the id of an account that is itself the party."""


def canonical_party(name: str) -> str:
    """The form in which two names are compared."""
    # NFC and one space: editors write the same name differently.
    return " ".join(unicodedata.normalize("NFC", name).split())


def party_of(rules: Rules, owner_id: int | None) -> str | None:
    """The party of the rulebook in its canonical form: `organization`, else the owner's account as `github:ID`.

    None when the rulebook names no party and the owner is not known: then no recorded party is the same.
    """
    named = canonical_party(rules.organization)
    if named:
        return named
    return None if owner_id is None else f"{ACCOUNT_PREFIX}{owner_id}"


def account_of(party: str) -> int | None:
    """The id of the account that is the party; None for a party with a name."""
    number = party.removeprefix(ACCOUNT_PREFIX)
    return int(number) if party != number and number.isascii() and number.isdecimal() else None


class Parties:
    """The parties whose agreements count under a rulebook."""

    def __init__(self, rules: Rules, owner_id: int | None) -> None:
        self.current = party_of(rules, owner_id)
        named = (self.current, *map(canonical_party, rules.parties))
        self.counting = frozenset(party for party in named if party)
        """Every party that counts, in its canonical form."""

    def admit(self, party: str | None) -> bool:
        """Whether an agreement with that party counts; None stands for the party of the rulebook."""
        return party is None or canonical_party(party) in self.counting
