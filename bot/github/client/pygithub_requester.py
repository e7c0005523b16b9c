"""PyGithub's requester, with our redirects and no repeats of its own. It is loaded for the first call to GitHub."""

import logging
from typing import Any, Final

import urllib3
from github.Requester import HTTPRequestsConnectionClass, HTTPSRequestsConnectionClass, Requester, RequestsResponse
from requests import PreparedRequest, RequestException
from requests.adapters import HTTPAdapter
from requests.exceptions import ReadTimeout
from requests.structures import CaseInsensitiveDict
from requests.utils import get_environ_proxies, select_proxy

from bot.github.client.answer_headers import readable
from bot.github.client.failures import NoAnswer, Redirect

_BROKEN: Final = (RequestException, urllib3.exceptions.HTTPError, OSError)

for _name in ("github", "urllib3"):
    logging.getLogger(_name).setLevel(logging.ERROR)  # Below, they quote addresses and whole answers


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
    session = connection.session
    address = f"{connection.protocol}://{connection.host}:{connection.port}"
    # Read once: requests would look at the environment at every call.
    found = session.merge_environment_settings(address, {}, None, connection.verify, None)
    # Neither a netrc file nor cookies are used, since one connection serves all installations.
    session.proxies, connection.verify = found["proxies"], found["verify"]
    connection.adapter = _Adapter(
        max_retries=connection.retry, pool_connections=connection.pool_size, pool_maxsize=connection.pool_size
    )
    session.mount(f"{connection.protocol}://", connection.adapter)


def _answer(connection: _Http | _Https) -> RequestsResponse:
    # Without the session, which would merge its settings with each call's: as much work as to send it.
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
    if response.status == 202:  # PyGithub would ask again and again, without an end.
        response.status = 201
    return response


class PooledRequester(Requester):
    """PyGithub's requester with the connections above; its own way to inject them would open one for every call."""

    # These names are private, and a minor version may change them: PyGithub is pinned below its next one.
    _Requester__httpConnectionClass = _Http
    _Requester__httpsConnectionClass = _Https

    def exchange(self, *call: Any) -> tuple[int, dict[str, Any], str]:
        """The status, headers and text of one exchange, as `requestJson` gives them. Raises `NoAnswer`."""
        try:
            return self.requestJson(*call)
        except _BROKEN as error:
            missing = self._missing(error)
        # Raised outside of the `except`: the library's text may quote an answer or a token.
        raise missing

    def _missing(self, error: BaseException) -> NoAnswer:
        by_proxy = select_proxy(self.base_url, get_environ_proxies(self.base_url)) is not None
        return NoAnswer(
            self.hostname_and_port,
            type(error).__name__,
            is_late=isinstance(error, ReadTimeout),
            by_proxy=by_proxy,
        )
