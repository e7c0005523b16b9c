"""What the portal works with, handed over once by `bot.app`."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from flask import current_app

from agreements.catalog import Catalog
from agreements.rulebook.rules import Rules
from agreements.store.record_context import RecordContext
from agreements.vault import Vault
from bot.access.read_permission import ReadPermission
from bot.access.roles import Roles
from bot.branding import Branding
from bot.clock import Clock
from bot.db import Sessions
from bot.github.hub import Hub
from bot.job_queue import Engine
from bot.records.owner_rules import RulesState
from bot.rulebook.text_files import Texts
from bot.settings import Settings

_NAME = "countersign.portal"


@dataclass(frozen=True, slots=True, kw_only=True)
class PortalServices:
    """The outside world as the portal sees it; `rules` gives an owner's rules, None those of the first account that is served.

    `rules_state` says whether they are what the owner's rulebook says now. `texts` gives the agreement texts as they are released now; `catalog` asks it.
    """

    settings: Settings
    brand: Branding
    sessions: Sessions
    engine: Engine
    hub: Hub
    roles: Roles
    readers: ReadPermission
    vault: Vault
    texts: Texts
    rules: Callable[[int | None], Rules]
    rules_state: Callable[[int | None], RulesState]
    clock: Clock
    new_id: Callable[[], str]

    @property
    def catalog(self) -> Catalog:
        """The agreement texts as released now. Raises CatalogBroken when one changed."""
        return self.texts()

    @contextmanager
    def change(self, by: int) -> Iterator[RecordContext]:
        """A transaction in which that account changes the records."""
        with self.sessions() as session:
            yield RecordContext(session, self.vault, by, self.clock(), self.new_id)


def portal_services() -> PortalServices:
    """The services of the app that answers the present request."""
    found = current_app.extensions[_NAME]
    if not isinstance(found, PortalServices):
        raise TypeError("bot.portal.site.prepare was not called for this app")
    return found


def attach(extensions: dict[str, object], services: PortalServices) -> None:
    """Give the services to an app: `attach(app.extensions, services)`."""
    extensions[_NAME] = services
