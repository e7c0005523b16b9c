"""Which organisation's rules a page shows that names no pull request, and whether people can sign by them."""

from dataclasses import dataclass

from flask import request

from agreements.rulebook.rules import Rules
from bot.portal.portal_services import portal_services
from bot.portal.session.visitor import wanted_pull
from bot.portal.text.languages import language
from bot.records import agreement_view
from bot.records.agreement_view import AgreementView
from bot.store import owners


class CannotSign(Exception):
    """The owner's rulebook has mistakes, and none without mistakes was ever read: nobody knows what it asks people to sign."""


@dataclass(frozen=True, slots=True)
class ServedOrganization:
    """One that is served: GitHub's id, and its name as it was configured."""

    id: int
    name: str


def shown() -> tuple[str, ...]:
    """Whose rules the page shows, then whose it could show as well.

    Empty where that is no question: the pull request says it, one organization is served, or all have the same rulebook.
    """
    chosen = _chosen()
    return (chosen.name, *(one.name for one in _served() if one != chosen)) if chosen else ()


def query() -> str:
    """What an address of ours ends with that is to show the same rules; empty where that is no question."""
    chosen = _chosen()
    return f"?organization={chosen.name}" if chosen else ""


def remembered() -> str:
    """What an address of ours ends with that remembers for which pull request somebody came, else whose rules they read."""
    pull = wanted_pull()
    return f"?pr={pull.name}" if pull else query()


def rules() -> Rules:
    """The rules of the pull request's owner, else of the organization that `shown` names."""
    return portal_services().rules(owner_id())


def owner_id() -> int | None:
    """Whose rules those are; None: those of the first account that is served."""
    pull, chosen = wanted_pull(), _chosen()
    return pull.owner_id if pull else chosen.id if chosen else None


def agreement_to_sign(owner: int | None, name: str) -> AgreementView | None:
    """The agreement as that owner's rules ask for it; None when they ask for no such one. Raises CannotSign."""
    if portal_services().rules_state(owner) == "broken":
        raise CannotSign
    return agreement_view.show(portal_services().catalog, portal_services().rules(owner), name, language())


def rulebooks_to_correct() -> int:
    """How many rulebooks have mistakes."""
    owners_of_rules: list[int | None] = [one.id for one in _served()] or [None]
    return sum(portal_services().rules_state(owner) in ("outdated", "broken") for owner in owners_of_rules)


def _chosen() -> ServedOrganization | None:
    """The one that the address names, else the first in the settings: never whichever was busy last."""
    served = () if wanted_pull() else _served()
    if len(served) < 2:
        return None
    wanted = request.args.get("organization", "").lower()
    return next((one for one in served if one.name.lower() == wanted), served[0])


def _served() -> tuple[ServedOrganization, ...]:
    """Those in the settings whose rules are known, in that order; none where one file has the rules of all."""
    settings = portal_services().settings
    if settings.rulebook_path is not None or len(settings.accounts) < 2:
        return ()
    with portal_services().sessions() as records:
        return tuple(ServedOrganization(*one) for one in owners.served(records, settings.accounts).items())
