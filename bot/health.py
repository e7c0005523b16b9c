"""/livez: this process answers. /readyz: it can do its work."""

import asyncio
from collections.abc import Callable, Mapping, Sequence

import structlog
from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import SQLAlchemyError

import migrations
from bot import db
from bot.access import served_accounts as accounts
from bot.access.served_accounts import ServedAccounts
from bot.access.teams import Teams
from bot.github.availability import GitHubState
from bot.server.database_wait import NO_DATABASE, on_thread
from bot.server.exchange import Exchange, Rejected
from bot.telemetry import outages
from bot.telemetry.logs import scrubbed

log = structlog.get_logger()


class Health:
    """Both pages; neither asks GitHub. All callers share one look at the database at a time."""

    def __init__(  # noqa: PLR0913 - all but three are keywords with a default
        self,
        engine: Engine,
        served: ServedAccounts,
        teams: Teams,
        *reasons: Callable[[], str | None],
        github: Callable[[], Sequence[GitHubState]] = tuple,
        warnings: Callable[[], Sequence[str]] = tuple,
        records: Callable[[Connection], str | None] = lambda _connection: None,
        patience: float = 5.0,
    ) -> None:
        """`reasons` give at once why the server cannot work, or None; `patience`: seconds for the database.

        `records` gives why the database's contents cannot be used, or None.

        `github` says how GitHub answers lately, without asking it. `warnings` are shown and keep us from nothing.
        """
        self._warnings = warnings
        self._github = github
        self._records = records
        self._patience = patience
        self._engine = engine
        self._served = served
        self._teams = teams
        self._reasons = reasons
        self._look: asyncio.Future[str | None] | None = None

    async def livez(self, exchange: Exchange, *, process: str = "") -> None:
        """200 as long as the event loop runs; `process` is the id by which the database knows this process."""
        # By the id `doctor` tells this deployment from another one.
        await _answer(exchange, 200, {"status": "alive", "process": process})

    async def readyz(self, exchange: Exchange) -> None:
        """200, or 503 with the reason."""
        why = await self._database() or next(filter(None, (reason() for reason in self._reasons)), None)
        if why is not None:
            await _answer(exchange, 503, {"status": "not ready", "why": scrubbed(why)})
        else:
            status, body = _configured(self._served, self._teams, self._warnings())
            # Not 503: a restart would bring GitHub back no sooner.
            away = [_shown(state) for state in self._github() if state.condition != "healthy"]
            await _answer(exchange, status, {**body, **({"github": away} if away else {})})

    async def _database(self) -> str | None:
        if self._look is None or self._look.done():  # One that hangs is not begun a second time.
            self._look = on_thread(self._problem, name="health")
        try:
            # Shielded: other callers wait for the same look.
            return await asyncio.wait_for(asyncio.shield(self._look), self._patience)
        except TimeoutError:
            _tell("the database does not answer in time")
            return NO_DATABASE

    def _problem(self) -> str | None:
        try:
            with self._engine.connect() as connection:
                connection.execute(text("SELECT 1"))
                return migrations.problem(self._engine) or self._records(connection)
        except SQLAlchemyError as error:
            _tell(db.outage(error) or type(error).__name__)
            return NO_DATABASE


def _tell(why: str) -> None:
    if entry := outages.DATABASE.failed(why):  # Probes come every few seconds: one line a minute says it all.
        log.warning(**entry)


def _shown(state: GitHubState) -> dict[str, object]:
    """The state of GitHub for one of our callers: no reason for 503, since deliveries are stored all the same."""
    return {
        "scope": state.scope,
        **({"installation": state.installation} if state.installation is not None else {}),
        "condition": state.condition,
        "why": scrubbed(state.cause),
        **({"until": f"{state.until:%Y-%m-%dT%H:%M:%SZ}"} if state.until else {}),
    }


def _configured(served: ServedAccounts, teams: Teams, more: Sequence[str]) -> tuple[int, Mapping[str, object]]:
    warnings = [scrubbed(line) for line in (*map(accounts.unknown, served.unknown), *teams.refused, *more)]
    if served.unknown and served.known == frozenset():  # Ready as long as one account is served or may be.
        why = f"GitHub knows none of the accounts in {accounts.SETTING}, so nothing is served"
        return 503, {"status": "not ready", "why": why, "warnings": warnings}
    return 200, {"status": "ready", **({"warnings": warnings} if warnings else {})}


async def _answer(exchange: Exchange, status: int, body: Mapping[str, object]) -> None:
    if exchange.method not in ("GET", "HEAD"):
        raise Rejected(405, "only to be read", ("Allow", "GET, HEAD"))
    await exchange.answer(status, body)
