"""A unit of work: all that a run writes between two calls to GitHub is one transaction, committed before the next call.

Every transaction waits for the disk, and for its turn. A run that is killed loses what it has not told anybody yet.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import cache, wraps
from typing import Any, cast

from sqlmodel import Session

from bot.access.served_accounts import ServedAccounts
from bot.db import Sessions
from bot.flows.flow_services import Services
from bot.github.hub import Hub
from bot.github.ports import History, PullRequestSnapshot


@contextmanager
def unit_of_work(services: Services) -> Iterator[Services]:
    """The same services for one run on one thread: whatever asks somebody else commits first, and so does the end.

    A block of `sessions` that raises takes back what was written since the last call: what is to stay beside an error is
    not written in that block's transaction, or the error is raised after the block.
    """
    work = _Transaction(services.sessions)
    with work.stack:
        yield replace(
            services,
            sessions=work.session,
            look_ups=work.committing(services.look_ups),
            texts=cache(services.texts),  # one run judges by the same texts from its beginning to its end
            hub=cast("Hub", _CommittingHub(services.hub, work)),
            served=cast("ServedAccounts", _CommittingAccounts(services.served, work)),
        )


class _Transaction:
    """One session, as long as nobody else is asked."""

    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions
        self._session: Session | None = None
        self.stack = ExitStack()

    @contextmanager
    def session(self) -> Iterator[Session]:
        """The session of this transaction; a block that raises ends it without a trace."""
        if self._session is None:
            self._session = self.stack.enter_context(self._sessions())
        try:
            yield self._session
        except BaseException as error:
            self._session = None
            self.stack.__exit__(type(error), error, error.__traceback__)
            raise

    def commit(self) -> None:
        """End the transaction."""
        self._session = None
        self.stack.close()

    def committing(self, ask: Callable[..., Any]) -> Callable[..., Any]:
        """The same question, asked in no transaction of ours."""

        @wraps(ask)
        def asked(*arguments: Any, **named: Any) -> Any:
            self.commit()
            return ask(*arguments, **named)

        return asked


class _CommittingHub:
    """GitHub, which is never asked in a transaction."""

    def __init__(self, hub: Hub, work: _Transaction) -> None:
        self._hub, self._work = hub, work

    def history(self, snapshot: PullRequestSnapshot, *, coauthors: bool = True) -> History:
        """Of a small pull request all commits are here by now, and nobody is asked."""
        if not snapshot.holds_history:
            self._work.commit()
        return self._hub.history(snapshot, coauthors=coauthors)

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._hub, name)
        return self._work.committing(found) if callable(found) else found


class _CommittingAccounts:
    """The accounts that are served; as long as some are not known, GitHub may be asked, and what it says is written down."""

    def __init__(self, served: ServedAccounts, work: _Transaction) -> None:
        self._served, self._work = served, work

    def __contains__(self, owner_id: object) -> bool:
        if not self._served.is_settled:
            self._work.commit()
        return owner_id in self._served

    def __getattr__(self, name: str) -> Any:
        return getattr(self._served, name)
