"""PyGithub's requesters out of a pool, each used by one thread at a time, with our redirects and no repeats of its own."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from github.Requester import (
    HTTPRequestsConnectionClass,
    HTTPSRequestsConnectionClass,
    Requester,
    RequestsResponse,
)
from requests import PreparedRequest
from requests.adapters import HTTPAdapter
from requests.structures import CaseInsensitiveDict

from bot.github.client.answer_headers import readable
from bot.github.client.server_features import ServerFeatures

API_VERSION = "2022-11-28"
"""Of GitHub's REST API: the one that every supported server knows. See docs/decisions/api-version.md."""
TIMEOUT_SECONDS = 10
"""Seconds to wait for a connection, and for each piece of an answer."""

PAGE_SIZE = 100


class Redirect(Exception):
    """PyGithub follows a 301 without its query and takes a 307 on a write for success, so neither reaches it."""

    def __init__(self, status: int, location: str) -> None:
        super().__init__(status)
        self.status = status
        self.location = location


class _Http(HTTPRequestsConnectionClass):
    def __init__(self, *place: Any, **options: Any) -> None:
        super().__init__(*place, **options)
        _configure(self)

    def getresponse(self) -> RequestsResponse:
        return _answer(self)


class _Https(HTTPSRequestsConnectionClass):
    def __init__(self, *place: Any, **options: Any) -> None:
        super().__init__(*place, **options)
        _configure(self)

    def getresponse(self) -> RequestsResponse:
        return _answer(self)


class _Adapter(HTTPAdapter):
    """Finds urllib3's pool for the first call: all others go to the same host, by the same way."""

    _found: Any = None

    def get_connection_with_tls_context(self, *request: Any, **options: Any) -> Any:
        if self._found is None:
            self._found = super().get_connection_with_tls_context(*request, **options)
        return self._found


def _configure(connection: _Http | _Https) -> None:
    """Proxies and CA bundle as requests finds them in the environment: once, it would look again at every call.

    It looks no further: neither for credentials in a netrc file, nor for cookies, since one connection serves all
    installations.
    """
    session = connection.session
    address = f"{connection.protocol}://{connection.host}:{connection.port}"
    found = session.merge_environment_settings(address, {}, None, connection.verify, None)
    session.proxies, connection.verify = found["proxies"], found["verify"]
    connection.adapter = _Adapter(
        max_retries=connection.retry, pool_connections=connection.pool_size, pool_maxsize=connection.pool_size
    )
    session.mount(f"{connection.protocol}://", connection.adapter)


def _answer(connection: _Http | _Https) -> RequestsResponse:
    """One exchange, without the session, which would merge its settings with each call's: as much work as to send it."""
    request = PreparedRequest()
    request.prepare_method(connection.verb)
    request.prepare_url(f"{connection.protocol}://{connection.host}:{connection.port}{connection.url}", None)
    request.prepare_headers({**connection.session.headers, **connection.headers})
    request.prepare_body(connection.input, None)
    proxies = connection.session.proxies
    found = connection.adapter.send(request, timeout=connection.timeout, verify=connection.verify, proxies=proxies)
    found.content  # noqa: B018 - once it is read, the connection is free for the next call
    response = RequestsResponse(found)
    response.headers = CaseInsensitiveDict(readable(found.headers))
    if response.status in (301, 302, 307, 308):
        raise Redirect(response.status, str(found.headers.get("Location") or ""))
    if response.status == 202:  # which PyGithub asks again and again, without an end, before it gives an answer
        response.status = 201
    return response


class PooledRequester(Requester):
    """PyGithub's requester with the connections above; its own way to inject them would open one for every call."""

    _Requester__httpConnectionClass = _Http
    _Requester__httpsConnectionClass = _Https


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
        """`patience` and `pause`, in seconds, are for whoever sends: see `repeats`. `timeout`: seconds for each step of an exchange."""
        self.base_url = api_url
        self._api_version = api_version
        self.patience, self.pause, self.timeout = patience, pause, timeout
        self._lock = threading.Lock()
        self._closed = False
        self._idle = [self._made()]
        self.graphql_url = self._idle[0].graphql_url
        self.features = ServerFeatures()

    @contextmanager
    def requester(self) -> Iterator[Requester]:
        """One that nobody else has meanwhile: the one used last, so that its connection is still open."""
        with self._lock:
            wire = self._idle.pop() if self._idle else None
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

    def _made(self) -> Requester:
        return PooledRequester(
            auth=None, base_url=self.base_url, timeout=self.timeout, user_agent="countersign", per_page=PAGE_SIZE, verify=True,
            retry=0, pool_size=1, seconds_between_requests=None, seconds_between_writes=None,
            api_version=self._api_version,
        )  # fmt: skip
