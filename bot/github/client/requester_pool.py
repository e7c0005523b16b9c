"""PyGithub's requesters out of a pool, each used by one thread at a time, made when they are needed."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING

from bot.github.client.server_features import ServerFeatures

if TYPE_CHECKING:
    from bot.github.client.pygithub_requester import PooledRequester

API_VERSION = "2022-11-28"  # Every supported server knows it. See docs/decisions/api-version.md.
TIMEOUT_SECONDS = 10  # For a connection, and for each piece of an answer.

PAGE_SIZE = 100  # GitHub gives no more on a page.


class RequesterPool:
    """Requesters without credentials, as many as there are exchanges at the same time, with a connection each.

    A requester keeps verb, address and body on its connection and reads them when it sends: two threads with one
    requester send one request twice and the other never.
    """

    def __init__(
        self,
        api_url: str,
        *,
        patience: float,
        pause: float,
        api_version: str = API_VERSION,
        timeout: int = TIMEOUT_SECONDS,
    ) -> None:
        """`patience` and `pause`, in seconds, are read by the sender: see `repeats`. `timeout`: seconds for each step of an exchange."""
        self.base_url = api_url
        self._api_version = api_version
        self.patience, self.pause, self.timeout = patience, pause, timeout
        self._lock = threading.Lock()
        self._closed = False
        self._idle: list[PooledRequester] = []
        self.features = ServerFeatures()

    @cached_property
    def graphql_url(self) -> str:
        """The address of GitHub's GraphQL API, as PyGithub derives it from that of its REST API."""
        with self.requester() as wire:
            return wire.graphql_url

    @contextmanager
    def requester(self) -> Iterator["PooledRequester"]:
        """A requester for this caller alone."""
        with self._lock:
            wire = self._idle.pop() if self._idle else None  # The last one used: its connection may be open.
        wire = wire or self._made()
        try:
            yield wire
        finally:
            with self._lock:
                if self._closed:
                    wire.close()
                else:
                    self._idle.append(wire)

    def close(self) -> None:
        """Close all connections; one that is in use is closed when it comes back."""
        with self._lock:
            self._closed, idle, self._idle = True, self._idle, []
        for wire in idle:
            wire.close()

    def _made(self) -> "PooledRequester":
        from bot.github.client.pygithub_requester import PooledRequester  # noqa: PLC0415 - PyGithub is slow to load

        return PooledRequester(
            auth=None, base_url=self.base_url, timeout=self.timeout, user_agent="countersign", per_page=PAGE_SIZE, verify=True,
            # It neither repeats nor pauses by itself: `repeats` and the pacer do, and both would multiply.
            retry=0, pool_size=1, seconds_between_requests=None, seconds_between_writes=None,
            api_version=self._api_version,
        )  # fmt: skip
