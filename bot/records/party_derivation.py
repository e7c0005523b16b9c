"""Finds the party of agreements of earlier releases, which did not record it: the hash of the page that was shown tells its name.

What several parties may have shown, or none that is known, is left to an administrator (docs/decisions/party.md). The parties
of the rulebooks in force are read here, too.
"""

import json
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta

import structlog
from sqlmodel import Session

from agreements.catalog import Catalog, CatalogBroken
from agreements.cla.party import ACCOUNT_PREFIX, Parties, canonical_party
from agreements.store import parties
from agreements.store.parties import SignatureGroup
from bot.db import Sessions
from bot.records import agreement_view
from bot.records.agreement_view import NamedParty
from bot.records.owner_rules import OwnerRules, RulesState
from bot.records.record_access import RecordAccess
from bot.rulebook import effective
from bot.rulebook.text_files import Texts
from bot.rulebook.yaml_document import DocumentInvalid
from bot.settings import Settings
from bot.store import owners

log = structlog.get_logger()

DERIVE_INTERVAL = timedelta(minutes=1)
"""The pause between two looks for a new name in a rulebook."""

_NO_PARTY = "no party is called so: 7c9a4b"
"""A page that is the same with this name does not say with whom it is."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """The `names` that pages may have shown; `nameless` is the party of pages without one, None where several may have shown such."""

    names: frozenset[str]
    nameless: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PartyDerivation:
    """Decides what the records themselves tell. `file` is the text of the rulebook that is given for all `accounts`.

    `decided` is told, in the same transaction, whose signatures count from now on.
    """

    file: str | None
    accounts: Sequence[str]
    records: RecordAccess
    texts: Texts
    decided: Callable[[Session, list[int]], None] = lambda _session, _accounts: None

    def candidates(self) -> Candidates:
        """The names in the rulebooks that were read last, and the account that may have shown pages without one."""
        with self.records.sessions() as session:
            sources = owners.all_valid_rules(session)
            ids = owners.ids(session) | owners.configured(session, self.accounts).keys()
        names = [name for text in (*sources, *([self.file] if self.file else [])) for name in _names(text)]
        only = next(iter(ids)) if len(ids) == 1 else None  # With two, such a page may be either's.
        return Candidates(frozenset(names), None if only is None else f"{ACCOUNT_PREFIX}{only}")

    def run(self, candidates: Candidates) -> int:
        """Decide all that can be decided, lot by lot; how many agreements. Others may do the same at the same time."""
        with self.records.sessions() as session:
            groups = [group.group for group in parties.groups(session)]
        catalog, number = self.texts() if groups else None, 0
        for group in groups:
            party = shown_by(group, catalog, candidates) if catalog else None
            # A lot a transaction: others wait for the log meanwhile.
            while party is not None and (lot := self._lot(group, party)):
                number += lot
        if number:
            log.info("party.derived", agreements=number)
        return number

    def _lot(self, group: SignatureGroup, party: str) -> int:
        with self.records.change() as context:
            accounts = parties.decide(context, group, party)
            if accounts:
                self.decided(context.session, sorted(set(accounts)))
        return len(accounts)


class DerivationChore:
    """Derives parties at the start, whenever a rulebook names a new one, and now and then."""

    def __init__(self, derivation: PartyDerivation, *, at_least: int = 60) -> None:
        """`at_least` is the number of rounds without a new name after which it is done again."""
        self._derivation = derivation
        self._at_least = at_least
        self._last: Candidates | None = None
        self._skipped = 0

    def round(self) -> None:
        """Look once."""
        candidates = self._derivation.candidates()
        self._skipped += 1
        # Now and then all the same: a process of the release before may still write rows without a party.
        if candidates == self._last and self._skipped < self._at_least:
            return
        try:
            self._derivation.run(candidates)
        except CatalogBroken as broken:  # Every check says so.
            log.warning("party.not-derived", why=str(broken))
            return
        self._last, self._skipped = candidates, 0  # Only now: a run that failed is repeated.


def shown_by(group: SignatureGroup, catalog: Catalog, candidates: Candidates) -> str | None:
    """The one party whose page these people saw; None where no page has that hash, or those of several have it."""
    # Imported: no page of ours.
    text = None if group.format else catalog.get(group.agreement, group.version, group.language)
    if text is None or text.sha256 != group.source_sha256:
        return None
    found = {
        party
        for party, name in _pages(candidates)
        if any(variant.shown_sha256 == group.shown_sha256 for variant in agreement_view.variants(text, name))
    }
    return found.pop() if len(found) == 1 else None


def _pages(candidates: Candidates) -> Iterable[tuple[str | None, str]]:
    # No real party: a page that is the same with this name proves no other one.
    yield None, _NO_PARTY
    yield candidates.nameless, ""
    for name in candidates.names:
        yield canonical_party(name), name


def _names(source: str) -> tuple[str, ...]:
    """The present and earlier names of a rulebook's party; none of a rulebook with mistakes."""
    try:
        rules = effective.parse_rulebook(source, None).rules
    except DocumentInvalid:
        return ()
    return tuple(name for name in (rules.organization, *rules.parties) if canonical_party(name))


@dataclass(frozen=True, slots=True)
class RulebookParties:
    """The parties in the rulebooks in force."""

    named: tuple[NamedParty, ...]
    """Each rulebook's own party, once."""
    counting: frozenset[str]
    """Every party that counts under one of them."""
    states: frozenset[RulesState]
    """How far they are known."""


def of_rulebooks(settings: Settings, sessions: Sessions, texts: Texts) -> RulebookParties:
    """The parties of the rulebooks in force; for commands, which may know no served accounts, of all ever."""
    file = settings.rulebook_path
    rules = OwnerRules(file.read_text(encoding="utf-8") if file else None, settings.accounts, sessions, texts)
    with sessions() as session:
        accounts: list[int | None] = [*(owners.configured(session, settings.accounts) or sorted(owners.ids(session)))]
    found: dict[str, NamedParty] = {}
    counting: set[str] = set()
    for account in accounts or [None]:
        owner = rules.owner(account)
        party = agreement_view.party(rules(account), owner)
        if party is not None and rules.state(account) != "broken":
            found.setdefault(party.id, party)
            counting |= Parties(rules(account), owner.id if owner else None).counting
    states = frozenset(rules.state(account) for account in accounts or [None])
    return RulebookParties(tuple(found.values()), frozenset(counting), states)


def unlisted(session: Session, counting: Collection[str]) -> dict[str, int]:
    """The number of agreements, by name of their party, that do not count under rulebooks that count these."""
    return {party: number for party, number in parties.counts(session).items() if party not in counting}


def line_for(party: str) -> str:
    """The line to write under `agreements` so that signatures with that party count."""
    return f"parties: [{json.dumps(party, ensure_ascii=False)}]"  # A string of JSON is one of YAML.
