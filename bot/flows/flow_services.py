"""The stores, clients and settings that every flow works with, handed over once by `bot.app`."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar, cast

from sqlmodel import Session

from agreements.catalog import Catalog
from agreements.github_server import GitHubServer
from bot.access.served_accounts import ServedAccounts
from bot.db import LookUps
from bot.github.hub import Hub
from bot.job_queue import Engine
from bot.network.resolvers import Server
from bot.notifications.payloads import Notification
from bot.records.erasure_keys import ErasureKeyFile
from bot.records.record_access import RecordAccess
from bot.rulebook.text_files import Texts
from bot.whitelist_target import WhitelistTarget

if TYPE_CHECKING:
    from audit.licenses.osadl import Matrix
    from bot.licenses.registry_lookup import LicenseLookup

T = TypeVar("T")
Notify = Callable[[Session, Iterable[Notification]], None]
"""Stores outgoing webhooks with the caller's transaction."""


def _no_notification(_session: Session, _notifications: Iterable[Notification]) -> None:
    """For a server without outgoing webhooks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Services(RecordAccess):
    """The outside world as flows see it.

    `served` are the accounts that we serve, `github_url` is GitHub's website, `look_ups` gives connections for short
    questions, `dns_servers` are the resolvers that are asked. `erasure_keys` is the file of keys, `whitelist_target`
    the place of the public list, None without one. `notify` stores outgoing webhooks, `group` writes together with the
    others of a lot.
    """

    github_url: str
    server: GitHubServer  # The GitHub server whose accounts these are.
    look_ups: LookUps
    engine: Engine
    hub: Hub
    texts: Texts  # As released now; `catalog` asks it.
    served: ServedAccounts
    organization_file: tuple[str, str] | None
    """Path and text of a rulebook that stands in for the organisation's."""
    dns_servers: tuple[Server, ...]
    licenses: Callable[[], "Matrix"]
    """The licence data in use. Raises MatrixInvalid, OSError."""
    learner: Callable[[], "LicenseLookup"]
    """Learns for one job what registries state."""
    wipe: Callable[[], bool]
    """Removes deleted rows from the database's files; False when it could not."""
    erasure_keys: ErasureKeyFile | None
    whitelist_target: WhitelistTarget | None = None
    notify: Notify = _no_notification
    group: Callable[[Callable[[Session], Any]], Any] | None = None

    def write(self, do: Callable[[Session], T]) -> T:
        """Run `do`, perhaps twice, in a transaction; gives its result once that is committed. Raises what it raises."""
        if self.group is not None:
            return cast("T", self.group(do))
        with self.sessions() as session:
            return do(session)

    @property
    def catalog(self) -> Catalog:
        """The agreement texts as released now. Raises CatalogBroken when one changed."""
        return self.texts()
