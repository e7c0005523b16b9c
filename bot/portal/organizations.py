"""Which organisation's rules a page shows that names no pull request: where several are served, one can be chosen."""

from dataclasses import dataclass

from flask import request

from agreements.rulebook.rules import Rules
from bot.portal.portal_services import portal_services
from bot.portal.session.visitor import wanted_pull
from bot.store import owners


@dataclass(frozen=True, slots=True)
class Organization:
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
    pull, chosen = wanted_pull(), _chosen()
    return portal_services().rules(pull.owner_id if pull else chosen.id if chosen else None)


def _chosen() -> Organization | None:
    """The one that the address names, else the first in the settings: never whichever was busy last."""
    served = () if wanted_pull() else _served()
    if len(served) < 2:
        return None
    wanted = request.args.get("organization", "").lower()
    return next((one for one in served if one.name.lower() == wanted), served[0])


def _served() -> tuple[Organization, ...]:
    """Those in the settings whose rules are known, in that order; none where one file has the rules of all."""
    settings = portal_services().settings
    if settings.rulebook_path is not None or len(settings.accounts) < 2:
        return ()
    with portal_services().sessions() as records:
        known = owners.names(records)
    found = {}
    for account in settings.accounts:
        for (account_id, login), name in known.items():
            if account.lower() in {login, str(account_id)}:
                found[account_id] = name or account
    return tuple(Organization(account_id, name) for account_id, name in found.items())
