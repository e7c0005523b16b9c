"""The stores, clients and settings that the portal works with, handed over once by `bot.app`."""

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, ParamSpec, TypeVar, cast

from sqlmodel import Session

from agreements.catalog import Catalog
from agreements.github_server import GitHubServer
from agreements.rulebook.rules import Rules
from agreements.store import coverage_records
from agreements.store.coverage_records import Records
from agreements.store.ledger.row_check import RowCheck
from agreements.vault import Vault
from bot import branding
from bot.access.roles import ReadPermission, Roles
from bot.branding import Branding
from bot.db import Sessions
from bot.flows.flow_services import Services
from bot.github.hub import Hub
from bot.job_queue import Engine
from bot.records import agreement_view, row_codes
from bot.records.agreement_view import NamedParty
from bot.records.owner_rules import OwnerAccount, OwnerRules, RulesState
from bot.records.record_access import RecordAccess
from bot.rulebook.text_files import Texts
from bot.settings import Settings
from bot.store.owners import KnownOwners

_NAME = "countersign.portal"

_Arguments = ParamSpec("_Arguments")
_Answer = TypeVar("_Answer")


@dataclass(frozen=True, slots=True, kw_only=True)
class PortalServices(RecordAccess):
    """The outside world as the portal sees it: settings, `brand`, `roles`, and in `readers` who may read a private repository.

    `rules` gives an owner's rules, None those of the first account that is served; `owner` says which that is, if it is known.
    `rules_state` says whether they are what the owner's rulebook says now. `known_owners` are or were served. `catalog` asks `texts`.
    """

    settings: Settings
    brand: Branding
    engine: Engine
    hub: Hub
    roles: Roles
    readers: ReadPermission
    texts: Texts
    rules: Callable[[int | None], Rules]
    owner: Callable[[int | None], OwnerAccount | None]
    rules_state: Callable[[int | None], RulesState]
    known_owners: Callable[[], KnownOwners]

    @property
    def server(self) -> GitHubServer:
        """The GitHub server whose accounts these are."""
        return self.settings.github_server

    @property
    def catalog(self) -> Catalog:
        """The agreement texts as released now. Raises CatalogBroken when one changed."""
        return self.texts()

    def owner_id(self, owner: int | None) -> int | None:
        """The id of the account whose rules `rules(owner)` gives."""
        account = self.owner(owner)
        return account.id if account else None

    def party(self, owner: int | None) -> NamedParty | None:
        """The party of agreements under the rules of that owner; None while its account is not known."""
        return agreement_view.party(self.rules(owner), self.owner(owner))

    def records_of(self, account_id: int, addresses: Collection[str], *, at: datetime) -> Records:
        """The records that a verdict on that account would rest on at a moment; `addresses` find further companies."""
        accepted = self.catalog.accepted()

        def ask() -> Records:
            with self.sessions() as session:
                check, now = RowCheck(session.connection(), self.vault), self.clock()
                return coverage_records.records(check, [account_id], addresses, accepted=accepted, at=at, now=now)

        return row_codes.checked(self.sessions, self.vault, ask, lambda found: found.unlogged)


def of_flows(
    settings: Settings, services: Services, sessions: Sessions, roles: Roles, rules: OwnerRules
) -> PortalServices:
    """The portal's services beside those flows; pages write by `sessions`."""
    rules = rules.read_by(once)  # All of a page goes by one reading of them.
    return PortalServices(
        settings=settings,
        brand=branding.of(settings),
        sessions=sessions,
        engine=services.engine,
        hub=services.hub,
        readers=ReadPermission(services.hub.may_read, services.clock),
        roles=roles,
        vault=services.vault,
        url=services.url,
        texts=once(services.texts),
        rules=rules,
        owner=rules.owner,
        rules_state=rules.state,
        known_owners=rules.known,
        clock=services.clock,
        new_id=services.new_id,
    )


def portal_services() -> PortalServices:
    """The services of the app that answers the present request."""
    from flask import current_app  # noqa: PLC0415 - a page is asked for by now: see `bot.portal.application`

    found = current_app.extensions[_NAME]
    if not isinstance(found, PortalServices):
        raise TypeError("bot.portal.site.prepare was not called for this app")
    return found


class ReadContext(NamedTuple):
    """The transaction (`records`), keys (`vault`) and moment (`at`) of a look into the records."""

    records: Session
    vault: Vault
    at: datetime


@contextmanager
def reading() -> Iterator[ReadContext]:
    """A transaction that reads for the present page. What the records do not know has no page."""
    services = portal_services()
    at = services.clock()
    with known_records(), services.sessions() as session:
        yield ReadContext(session, services.vault, at)


@contextmanager
def known_records() -> Iterator[None]:
    """Answer 404 where the records raise LookupError."""
    try:
        yield
    except LookupError as error:
        from flask import abort  # noqa: PLC0415 - as above

        if type(error) is not LookupError:  # A KeyError or an IndexError is a mistake of ours.
            raise
        abort(404)


def attach(extensions: dict[str, object], services: PortalServices) -> None:
    """Give the services to an app: `attach(app.extensions, services)`."""
    extensions[_NAME] = services


def once(ask: Callable[_Arguments, _Answer]) -> Callable[_Arguments, _Answer]:
    """The same function; within one request its answer for the same (hashable, unnamed) arguments is remembered."""

    def remembering(*args: _Arguments.args, **kwargs: _Arguments.kwargs) -> _Answer:
        from flask import g, has_request_context  # noqa: PLC0415 - a page is asked for by then

        if kwargs or not has_request_context():
            return ask(*args, **kwargs)
        answers: dict[object, object] = g.setdefault("answers", {})
        key = (ask, args)
        if key not in answers:
            answers[key] = ask(*args, **kwargs)  # What it raises is not remembered.
        return cast("_Answer", answers[key])

    return remembering
