"""Repositories and people: who may do what, who is a member, where the App is installed, who has a login."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import structlog

from agreements.facts import Account
from agreements.identity.certifiers import is_bot
from agreements.identity.subjects import GHOST
from bot.github.by_rest import segment
from bot.github.client.graphql_errors import judge_graphql
from bot.github.client.transport import Transport
from bot.github.client.transport_pool import TransportPool
from bot.github.documents import LOGIN_SLOTS, logins_query
from bot.github.permissions import in_rest
from bot.github.ports import AccountWithAge, Installation, Missing, RepositoryPlace, Role, Team
from bot.github.reading import Garbled, Json, has_no_id, moment, understanding
from bot.github.reading import account as account_of
from bot.github.renames import RepositoryClient, root

log = structlog.get_logger()

ENTERPRISE = "Enterprise"  # The type of an account that has a slug and no login.


class GitHubRepositories(RepositoryClient):
    """Repositories, people and installations."""

    def __init__(self, pool: TransportPool) -> None:
        super().__init__(pool)
        self._odd: set[str] = set()  # The installations that were logged once.

    def may_read(self, place: RepositoryPlace, account: Account) -> bool:
        """True when that very account (ids compared) may read the repository; False whenever in doubt."""
        found = self._permission(place, account)
        with understanding():
            return found is not None and found["permission"] in ("admin", "maintain", "write", "triage", "read")

    def role(self, place: RepositoryPlace, account: Account) -> Role:
        """The role in the repository of the account with that id, even if its login changed; `none` when in doubt."""
        found = self._permission(place, account)
        with understanding():
            return "none" if found is None else _role(found)

    def _permission(self, place: RepositoryPlace, account: Account) -> Json | None:
        """GitHub's answer about that very account; None when there is none."""

        def ask(transport: Transport, there: RepositoryPlace) -> Json | None:
            # Asked by login; where another account has it now, once more by the present login of the id.
            found = _permission_of(transport, there, account) if account.login else None
            if found is not None:
                return found
            if is_bot(account) or account.id == GHOST.id:  # They take no other name
                return None
            login = _present_login(transport, account.id)
            if login is None or login.casefold() == account.login.casefold():
                return None
            return _permission_of(transport, there, Account(account.id, login))

        return self._following(place, ask)

    def members(self, place: RepositoryPlace) -> frozenset[int]:
        """Account ids of the members of the owning organisation; empty where GitHub knows none."""

        def ask(transport: Transport, there: RepositoryPlace) -> frozenset[int]:
            try:
                items = list(transport.pages(f"/orgs/{segment(there.owner)}/members"))
            except Missing:  # A person owns it, not an organisation.
                return frozenset()
            with understanding():
                return frozenset(int(item["id"]) for item in items)

        return self._following(place, ask)

    def team_by_name(self, organization: str, team: str) -> Team:
        """The team of that name now. `Missing` when there is none, or the App is not installed in the organisation."""
        login = organization.casefold()
        installation = self._installed(lambda account: account.login.casefold() == login)
        found = self._pool.installation(installation.id).read(f"/orgs/{segment(organization)}/teams/{segment(team)}")
        with understanding():
            return Team(installation.account.id, int(found["id"]))

    def team_members(self, team: Team) -> frozenset[int]:
        """The account ids of the team's members; `Missing` as above."""
        installation = self._installed(lambda account: account.id == team.organization_id)
        transport = self._pool.installation(installation.id)
        # By ids alone, since the names of organisations and teams change.
        items = list(transport.pages(f"/organizations/{team.organization_id}/team/{team.id}/members"))
        with understanding():
            return frozenset(int(item["id"]) for item in items)

    def _installed(self, wanted: Callable[[Account], bool]) -> Installation:
        for installation in self.installations():
            if (
                installation.account.type == "Organization"
                and not installation.suspended
                and wanted(installation.account)
            ):
                return installation
        raise Missing("the App is not installed in the organisation")

    def repository_by_name(self, owner: str, name: str) -> tuple[RepositoryPlace, Account]:
        """A repository that the App is installed on, and its owner. `Missing` when there is none of that name."""
        path = f"/repos/{segment(owner)}/{segment(name)}"
        installed = self._pool.app().read(f"{path}/installation")
        with understanding():
            number = int(installed["id"])
        found = self._pool.installation(number).read(path)
        with understanding():
            holder = _existing(found["owner"])
            return RepositoryPlace(number, holder.login, str(found["name"]), int(found["id"])), holder

    def account_by_login(self, login: str) -> Account:
        """Resolve a login (for `COUNTERSIGN_ACCOUNTS`), once, to its id. `Missing` when no account has it."""
        # An enterprise never counts: its slug is no login, and its owner may choose an organisation's login as slug.
        active = [
            installation
            for installation in self.installations()
            if not installation.suspended and installation.account.type != ENTERPRISE
        ]
        for place in active:
            if place.account.login.casefold() == login.casefold():
                return place.account
        return _existing(self._profile(login, active))

    def accounts_by_login(self, logins: Sequence[str]) -> Iterator[Mapping[str, Account | None]]:
        """The account that has each of these logins now, or None: in batches, each asked for when it is taken."""
        active = [installation for installation in self.installations() if not installation.suspended]
        size = LOGIN_SLOTS if active else 1  # GraphQL takes no call without a token.
        for start in range(0, len(logins), size):
            asked = logins[start : start + size]
            yield self._named(asked, active) if active else {asked[0]: self._if_there(asked[0], active)}

    def accounts_by_id(self, account_ids: Sequence[int]) -> Iterator[Mapping[int, Account | None]]:
        """The account that has each of these ids, or None when it is gone: one by one, each asked for when it is taken."""
        # GraphQL finds no account by its number.
        line = self._asking([installation for installation in self.installations() if not installation.suspended])
        for account_id in account_ids:
            try:
                found = _existing(line.read(f"/user/{account_id}"))
            except Missing:
                yield {account_id: None}
            else:
                yield {account_id: found if found.id == account_id else None}

    def _named(self, logins: Sequence[str], active: list[Installation]) -> Mapping[str, Account | None]:
        slots = {f"login{slot}": login for slot, login in enumerate(logins)}
        answer = self._pool.installation(active[0].id).query(logins_query(len(logins)), slots)
        lost = judge_graphql(answer, optional=slots)
        # Only NOT_FOUND for the slot itself is an answer: there is no such account.
        hidden = {field.path[0] for field in lost if (field.path, field.kind) != ((field.path[0],), "NOT_FOUND")}
        # Who an account is of which GitHub left the id out has to be asked again.
        hidden |= {slot for slot in slots if slot not in hidden and has_no_id(answer.data.get(slot))}
        with understanding():
            found = {login: account_of(answer.data[slot]) for slot, login in slots.items() if slot not in hidden}
        return found | {slots[slot]: self._if_there(slots[slot], active) for slot in hidden}

    def _if_there(self, login: str, active: list[Installation]) -> Account | None:
        try:
            return _existing(self._profile(login, active))
        except Missing:
            return None

    def account_with_age(self, login: str) -> AccountWithAge:
        """The account that has that login now, and since when it exists. `Missing` when there is none."""
        profile = self._profile(
            login, [installation for installation in self.installations() if not installation.suspended]
        )
        with understanding():
            return AccountWithAge(_existing(profile), moment(profile["created_at"]))

    def _profile(self, login: str, active: list[Installation]) -> Any:
        return self._asking(active).read(f"/users/{segment(login)}")

    def _asking(self, active: list[Installation]) -> Transport:
        return self._pool.installation(active[0].id) if active else self._pool.anonymous()

    def installations(self, *, on_odd: Callable[[str], None] | None = None) -> tuple[Installation, ...]:
        """The App's installations, all pages; an enterprise's has the slug as login.

        An entry that is not as GitHub describes it, or without an account, stops no other one: `on_odd` is told of it, else
        the log, once in the life of this process.
        """
        found = []
        for item in self._pool.app().pages("/app/installations"):
            try:
                with understanding():
                    permissions = in_rest(item["permissions"])
                    suspended = bool(item.get("suspended_at"))
                    found.append(Installation(int(item["id"]), _holder(item["account"]), suspended, permissions))
            except Garbled:
                said = _described(item)
                if on_odd is not None:
                    on_odd(said)
                elif said not in self._odd:  # The list is read often.
                    self._odd.add(said)
                    log.warning("installations.odd", why=said)
        return tuple(found)


def _described(item: object) -> str:
    """The entry's number and what is wrong with it, without quoting it."""
    fields = item if isinstance(item, Mapping) else {}
    number = fields.get("id")
    which = f"the installation {number}" if isinstance(number, int) else "an installation without an id"
    return f"{which} has no account" if not fields.get("account") else f"{which} is not in the expected format"


def _permission_of(transport: Transport, there: RepositoryPlace, account: Account) -> Json | None:
    """GitHub's answer about that login; None when it knows none, or has given it to another account."""
    try:
        found: Json = transport.read(f"{root(there)}/collaborators/{segment(account.login)}/permission")
    except Missing:
        return None
    with understanding():
        return found if (found.get("user") or {}).get("id") == account.id else None


def _present_login(transport: Transport, account_id: int) -> str | None:
    """The login of that id now; None when the account is gone."""
    try:
        profile = transport.read(f"/user/{account_id}")
    except Missing:
        return None
    with understanding():
        return str(profile["login"]) if profile["id"] == account_id else None


def _existing(profile: Json) -> Account:
    with understanding():
        found = account_of(profile)
    if found is None:
        raise Missing("no GitHub account has this login")
    return found


def _holder(data: Json) -> Account:
    """The account of an installation: a user or an organisation with a login, or an enterprise with a slug alone."""
    if data.get("login"):
        return Account(int(data["id"]), str(data["login"]), str(data.get("type") or "User"))
    return Account(int(data["id"]), str(data.get("slug") or ""), ENTERPRISE)


def _role(found: Json) -> Role:
    permission = found["permission"]
    if permission in ("maintain", "write"):
        # `permission` has but admin, write, read and none: that a writer maintains stands in `role_name`.
        return "maintain" if "maintain" in (permission, found.get("role_name")) else "write"
    # A role that the organisation made up itself counts as what `permission` says, never as more.
    return "admin" if permission == "admin" else "none"
