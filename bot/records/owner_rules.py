"""An owner's rules for the portal: of the file, else of the last rulebook without mistakes, and whether they can be relied on."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from agreements.catalog import Catalog
from agreements.rulebook.rules import Rules
from bot.db import Sessions
from bot.rulebook import effective
from bot.rulebook.text_files import Texts
from bot.rulebook.yaml_document import DocumentInvalid
from bot.store import owners
from bot.store.owners import KnownOwners

RulesState = Literal["valid", "outdated", "broken", "unread"]
"""`outdated`: the rulebook has mistakes, and the last one without any counts. `broken`: there is none without any."""


@dataclass(frozen=True, slots=True)
class OwnerAccount:
    """The account whose rules are meant, by `id` and `login`; without `organization` in them it is itself the party."""

    id: int
    login: str


class OwnerRules:
    """The rules by the owner's id, None for the first of `accounts`; `known` gives the accounts that they are read from."""

    def __init__(
        self,
        file: str | None,
        accounts: Sequence[str],
        sessions: Sessions,
        texts: Texts,
        read: Callable[[], KnownOwners] | None = None,
    ) -> None:
        self._file = file
        self._accounts = accounts
        self._sessions = sessions
        self._texts = texts
        self.known = read or self._read_owners
        # By text and catalog: a released text makes another catalog, with which the rulebook is parsed again.
        self._parsed = lru_cache(maxsize=32)(_parsed)

    def __call__(self, owner_id: int | None) -> Rules:
        """The rules of that owner."""
        return self._known(owner_id)[0]

    def state(self, owner_id: int | None) -> RulesState:
        """The state of these rules: how far they are what the rulebook says now."""
        return self._known(owner_id)[1]

    def owner(self, owner_id: int | None) -> OwnerAccount | None:
        """The account whose rules these are; None while no account is known."""
        known = self.known()
        if owner_id is None and self._file is None:
            owner_id = next(iter(known.served(self._accounts)), None)
        if owner_id is None:
            owner_id = next(iter(known.configured(self._accounts)), None)
        if owner_id is None:
            return None
        if login := known.names.get(owner_id):
            return OwnerAccount(owner_id, login)
        with self._sessions() as session:
            return OwnerAccount(owner_id, owners.name_of(session, owner_id))

    def read_by(self, once: Callable[[Callable[[], Any]], Callable[[], Any]]) -> "OwnerRules":
        """The same rules, read from the database through `once`, which may remember what was read."""
        return OwnerRules(self._file, self._accounts, self._sessions, once(self._texts), once(self.known))

    def _read_owners(self) -> KnownOwners:
        with self._sessions() as session:
            return owners.known(session, self._accounts)

    def _known(self, owner_id: int | None) -> tuple[Rules, RulesState]:
        newest, last_valid = self._file, None
        if newest is None:
            known = self.known()
            if owner_id is None:
                owner_id = next(iter(known.served(self._accounts)), None)
            row = known.rows.get(owner_id) if owner_id is not None else None
            if row is None or row.read_at is None:
                return Rules(), "unread"  # The defaults, under which no person can sign.
            newest, last_valid = row.rules, row.last_valid
        if newest is None:  # It was read, and there is none: the defaults are the rules.
            return Rules(), "valid"
        catalog = self._texts()
        if rules := self._parsed(newest, catalog):
            return rules, "valid"
        # A mistake in a new rulebook must not switch off the rules of the last one without any.
        rules = self._parsed(last_valid, catalog) if last_valid is not None else None
        return (rules, "outdated") if rules else (Rules(), "broken")


def _parsed(text: str, catalog: Catalog) -> Rules | None:
    """The rules in a rulebook; None when it has mistakes, which the checks name."""
    try:
        return effective.parse_rulebook(text, lambda: catalog).rules
    except DocumentInvalid:
        return None
