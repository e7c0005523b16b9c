"""The present visitor: who signed in, which addresses GitHub verified, which pull request they came for."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from flask import abort, request, session

from agreements.facts import Account
from bot.portal.portal_services import once, portal_services
from bot.portal.session import kept_form
from bot.portal.session.redirects import PullName, named_pull
from bot.store import portal_sessions
from bot.store.pulls import named_pulls


@dataclass(frozen=True, slots=True)
class Visitor:
    """A signed-in person: their `account`, and the `emails` that GitHub said are verified, the primary one first."""

    account: Account
    emails: tuple[str, ...] = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class VisiblePull:
    """A stored pull request that this visitor may be told about: our `id`, `name`, `owner_id`, `url`; `mine` if they take part."""

    id: int
    name: PullName
    owner_id: int
    url: str
    mine: bool | None  # None: no person is signed in.


def visitor() -> Visitor | None:
    """The person who is signed in; None for a stranger."""
    account: Mapping[str, Any] = session.get("account") or {}
    if not account:
        return None
    return Visitor(Account(account["id"], account["login"]), tuple(session.get("emails", ())))


def signed_in() -> Visitor:
    """The visitor of a page that only signed-in people reach; 403 else."""
    who = visitor()
    if who is None:
        abort(403)
    return who


def remember(who: Visitor) -> None:
    """Sign a person in: what was known of the session before is forgotten, also its cookie."""
    # A session that began before signing in may be known to another person.
    session.renew()  # type: ignore[attr-defined]  # bot.portal.session.session_store.ServerSession
    session["account"] = {"id": who.account.id, "login": who.account.login}
    session["emails"] = list(who.emails)
    kept_form.begin(who.account.id)
    session["since"] = portal_services().clock().isoformat()
    with portal_services().sessions() as records:
        remember_time_zone(portal_sessions.time_zone(records, who.account.id))


def remember_time_zone(name: str) -> None:
    """From now on pages show times in the zone of that name; "" for the one of the settings."""
    session["time_zone"] = name  # In the session, so that no page has to ask the database for it.


def time_zone() -> str:
    """The name of the time zone that the visitor chose; "" for none, as for a stranger."""
    name: str = session.get("time_zone", "")
    return name


def signed_in_within(how_long: timedelta) -> bool:
    """Whether the visitor came from GitHub's sign-in so recently; False for a stranger."""
    since = session.get("since")
    return since is not None and portal_services().clock() - datetime.fromisoformat(since) < how_long


@once
def wanted_pull() -> VisiblePull | None:
    """The pull request that the address names, if stored and no secret to this visitor; looked up once a request."""
    asked = named_pull(request.args, portal_services().settings)
    if asked is None:
        return None
    who = visitor()
    with portal_services().sessions() as records:
        pull = named_pulls.find(records, asked.owner, asked.name, asked.number)
        mine = named_pulls.takes_part(records, pull, who.account.id) if pull and who else None
        # A private repository is no secret to those who take part, and does not exist for others.
        if pull is None or pull.id is None or (pull.private and not mine):
            return None
        found = PullName(pull.owner, pull.name, pull.number)
    return VisiblePull(
        id=pull.id,
        name=found,
        owner_id=pull.owner_id,
        url=f"{portal_services().settings.github_url}/{found.owner}/{found.name}/pull/{found.number}",
        mine=mine,
    )
