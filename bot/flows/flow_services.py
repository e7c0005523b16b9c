"""What every flow works with, handed over once by `bot.app`."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from sqlmodel import Session

from agreements.catalog import Catalog
from agreements.vault import Vault
from audit.licenses.osadl import Matrix
from bot.access.served_accounts import ServedAccounts
from bot.clock import Clock
from bot.db import LookUps, Sessions
from bot.github.hub import Hub
from bot.job_queue import Engine
from bot.licenses.registry_lookup import Learner
from bot.notifications.payloads import Notification
from bot.records.erasure_keys import ErasureKeyFile
from bot.resolvers import Server
from bot.rulebook.text_files import Texts
from bot.whitelist_target import WhitelistTarget

Notify = Callable[[Session, Iterable[Notification]], None]
"""Stores outgoing webhooks with the caller's transaction."""


def _tell_nobody(_session: Session, _notifications: Iterable[Notification]) -> None:
    """For a server without outgoing webhooks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """The outside world as flows see it; `url` is our public address, `github_url` that of GitHub's website, `organization_file` a rulebook given as a file.

    `look_ups` are connections for short questions that change nothing.
    `texts` gives the agreement texts as they are released now; `catalog` asks it. `licenses` gives the licence data in use
    (raises MatrixInvalid, OSError), `learner` who learns for one job what registries state. `wipe` takes out of the
    database's files what was deleted; whether it could. `erasure_keys` is their file, where there is one. `notify` stores outgoing webhooks with the caller's transaction.
    """

    url: str
    github_url: str
    sessions: Sessions
    look_ups: LookUps
    engine: Engine
    hub: Hub
    vault: Vault
    texts: Texts
    served: ServedAccounts
    organization_file: tuple[str, str] | None
    dns_servers: tuple[Server, ...]
    licenses: Callable[[], Matrix]
    learner: Callable[[], Learner]
    wipe: Callable[[], bool]
    erasure_keys: ErasureKeyFile | None
    clock: Clock
    new_id: Callable[[], str]

    @property
    def catalog(self) -> Catalog:
        """The agreement texts as released now. Raises CatalogBroken when one changed."""
        return self.texts()

    whitelist_target: WhitelistTarget | None = None
    notify: Notify = _tell_nobody
