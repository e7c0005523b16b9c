"""The parties with which agreements are made here, by the rulebooks of those who are served."""

import json
from collections.abc import Collection

from sqlmodel import Session

from agreements.store import parties
from bot.db import Sessions
from bot.records import agreement_view
from bot.records.agreement_view import NamedParty
from bot.records.owner_rules import OwnerRules
from bot.rulebook.text_files import Texts
from bot.settings import Settings
from bot.store import owners


def of_rulebooks(settings: Settings, sessions: Sessions, texts: Texts) -> tuple[NamedParty, ...]:
    """Each party of the rulebooks that are in force, once; for commands, which may know no served accounts: of all that ever were."""
    file = settings.rulebook_path
    rules = OwnerRules(file.read_text(encoding="utf-8") if file else None, settings.accounts, sessions, texts)
    with sessions() as session:
        accounts: list[int | None] = [*(owners.configured(session, settings.accounts) or sorted(owners.ids(session)))]
    found: dict[str, NamedParty] = {}
    for account in accounts or [None]:
        party = agreement_view.party(rules(account), rules.owner(account))
        if party is not None and rules.state(account) != "broken":
            found.setdefault(party.id, party)
    return tuple(found.values())


def unlisted(session: Session, counting: Collection[str]) -> dict[str, int]:
    """The parties with which agreements were made that do not count under rulebooks that count these: how many, by name."""
    return {party: number for party, number in parties.counts(session).items() if party not in counting}


def line_for(party: str) -> str:
    """What to write under `agreements` so that what was signed with that party counts."""
    return f"parties: [{json.dumps(party, ensure_ascii=False)}]"
