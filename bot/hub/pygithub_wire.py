"""The wire to GitHub: PyGithub's requester with our patience, our redirects, and our errors."""

import json
from collections.abc import Callable, Iterator
from typing import Any, Literal

import requests
import urllib3
from github import Auth
from github.GithubException import GithubException, RateLimitExceededExceedsMaxWait
from github.GithubRetry import GithubRetry
from github.Requester import (
    HTTPRequestsConnectionClass,
    HTTPSRequestsConnectionClass,
    Requester,
    RequestsResponse,
)

from bot import clock
from bot.hub.failures import Limited, doing, failure, wait
from bot.hub.line import Answer, Down, Json, Parameters
from bot.hub.outside import fetched
from bot.hub.ports import HubError, Missing, Refused, Unreachable
from bot.hub.reading import Garbled, understanding

API_VERSION = "2022-11-28"
_ACCEPT = "application/vnd.github+json"
TIMEOUT = 10
"""Seconds to wait for a connection, and for each piece of an answer."""

PAGE = 100
_VERBS = ("HEAD", "GET", "POST", "PATCH", "PUT", "DELETE")
_BROKEN = (requests.RequestException, urllib3.exceptions.HTTPError, OSError)
_NONSENSE = (ValueError, RuntimeError, AssertionError, AttributeError, TypeError)


class _Redirect(Exception):  # noqa: N818 - reads as what happened
    """PyGithub follows a 301 without its query and takes a 307 on a write for success, so neither reaches it."""

    def __init__(self, status: int, location: str) -> None:
        super().__init__(status)
        self.status = status
        self.location = location


class _Http(HTTPRequestsConnectionClass):
    def getresponse(self) -> RequestsResponse:
        return _straight(super().getresponse())


class _Https(HTTPSRequestsConnectionClass):
    def getresponse(self) -> RequestsResponse:
        return _straight(super().getresponse())


def _straight(response: RequestsResponse) -> RequestsResponse:
    if response.status in (301, 302, 307, 308):
        raise _Redirect(response.status, str(response.headers.get("Location") or ""))
    if response.status == 202:  # which PyGithub asks again and again, without an end, before it gives an answer
        response.status = 201
    return response


class PatientRetry(GithubRetry):
    """GitHub's rate limits and bad moments, but never a POST, and never a wait longer than `max_rate_limit_wait`."""

    def get_retry_after(self, response: Any) -> float | None:
        """Seconds to sleep; a longer wait than allowed is handed to the caller as `Limited`."""
        asked: float | None = super().get_retry_after(response)
        if asked is not None and self.max_rate_limit_wait is not None and asked > self.max_rate_limit_wait:
            raise Limited(f"GitHub asks to wait {asked:.0f} s", asked)
        return asked


class PatientRequester(Requester):
    """PyGithub's requester with the connections above; its own way to inject them would open one for every call."""

    _Requester__httpConnectionClass = _Http
    _Requester__httpsConnectionClass = _Https


def requester(api_url: str, auth: Auth.Auth | None, *, patience: float, pause: float) -> Requester:
    """A requester that many threads may use; `patience` bounds each wait for a rate limit, in seconds.

    Repeats wait 0, 2 and 4 times `pause` seconds.
    """
    retry = PatientRetry(
        total=3,
        backoff_factor=pause,
        status_forcelist=[429, 502, 503, 504],
        allowed_methods={"GET", "HEAD", "PUT", "DELETE", "PATCH"},
        raise_on_status=False,
        max_rate_limit_wait=patience,
    )
    made = PatientRequester(
        auth=auth, base_url=api_url, timeout=TIMEOUT, user_agent="countersign", per_page=PAGE, verify=True,
        retry=retry, pool_size=32, seconds_between_requests=None, seconds_between_writes=None, api_version=API_VERSION,
    )  # fmt: skip
    # PyGithub walks through this dictionary while other threads may add a verb to it: so all verbs are in it at once.
    made._Requester__last_requests.update(dict.fromkeys(_VERBS, 0.0))  # type: ignore[attr-defined]  # noqa: SLF001 - no public way
    return made


class PyGithubLine:
    """A Line over one requester; `renew` gets new credentials when GitHub no longer takes the old ones.

    `unfit` is what to say when GitHub does not take them at all.
    """

    def __init__(self, wire: Requester, *, renew: Callable[[], bool] | None = None, unfit: str = "") -> None:
        self._wire = wire
        self._renew = renew
        self._unfit = unfit

    def read(self, path: str, parameters: Parameters | None = None) -> Any:
        """GET one answer."""
        return self._send("GET", path, parameters)[1]

    def pages(self, path: str, parameters: Parameters | None = None, *, under: str = "") -> Iterator[Any]:
        """The items of all pages."""
        page, more = 1, True
        while more:
            headers, data = self._send("GET", path, {**(parameters or {}), "per_page": PAGE, "page": page})
            with understanding():
                items = list(data[under] if under else data)
            yield from items
            link = headers.get("link")
            more = 'rel="next"' in link if link else len(items) >= PAGE
            more, page = more and bool(items), page + 1

    def elsewhere(self, path: str, most: int) -> bytes | None:
        """GET what GitHub keeps at another host."""
        try:
            self._send("GET", path, following=True)
        except _Redirect as redirect:
            location = redirect.location
        else:
            return None
        return fetched(location, most, timeout=TIMEOUT, plain=self._wire.base_url.startswith("http:"))

    def write(self, verb: Literal["POST", "PATCH", "PUT", "DELETE"], path: str, body: Json | None = None) -> Any:
        """Change something."""
        return self._send(verb, path, body=body)[1]

    def query(self, document: str, variables: Json) -> Answer:
        """Ask GraphQL, once more after a failure: reading by POST may be repeated."""
        body = {"query": document, "variables": variables}
        try:
            try:
                headers, data = self._send("POST", self._wire.graphql_url, body=body)
            except Limited:
                raise
            except Unreachable:
                headers, data = self._send("POST", self._wire.graphql_url, body=body)
        except Limited:
            raise
        except (Unreachable, Missing) as error:
            down = Down(str(error))
        else:
            return _answer(headers, data)
        raise down

    def _send(
        self, verb: str, path: str, parameters: Parameters | None = None, *, body: Json | None = None,
        following: bool = False,
    ) -> tuple[dict[str, Any], Any]:  # fmt: skip
        """One answer; with `following` a redirect is handed to the caller."""
        call = doing(verb, path)
        status, headers, text = self._exchange(call, verb, path, parameters, body, following=following)
        if status == 401 and self._renew and self._renew():
            status, headers, text = self._exchange(call, verb, path, parameters, body, following=following)
        data, broken = _parsed(text)
        if status == 401 and self._unfit:
            raise Refused(f"{self._unfit}: {failure(status, headers, data, call=call, now=clock.now())}")
        if status >= 300:
            raise failure(status, headers, data, call=call, now=clock.now())
        if broken:
            raise Garbled(f"GitHub's answer to {call} is not JSON")
        return headers, data

    def _exchange(
        self, call: str, verb: str, path: str, parameters: Parameters | None, body: Json | None, *, following: bool
    ) -> tuple[int, dict[str, Any], str]:
        """One exchange; the causes' own texts may quote an answer or a token, so they are left behind."""
        try:
            return self._wire.requestJson(verb, path, dict(parameters or {}), {"Accept": _ACCEPT}, body)
        except HubError:
            raise
        except _Redirect as error:
            if following and error.status == 302:
                raise
            bad = failure(error.status, {}, {"message": "redirected"}, call=call, now=clock.now())
        except RateLimitExceededExceedsMaxWait as error:
            bad = Limited(f"GitHub's rate limit is used up, asked by {call}", error.wait)
        except GithubException as error:
            bad = failure(error.status, error.headers or {}, error.data, call=call, now=clock.now())
        except _BROKEN as error:
            bad = Unreachable(f"GitHub could not be reached for {call}: {type(error).__name__}")
        except _NONSENSE as error:
            bad = Garbled(f"GitHub's answer to {call} was not understood: {type(error).__name__}")
        raise bad


def _parsed(text: str) -> tuple[Any, bool]:
    """The JSON, and whether it was none."""
    if not text:
        return None, False
    try:
        return json.loads(text), False
    except ValueError:
        return text, True


def _answer(headers: dict[str, Any], data: Any) -> Answer:
    errors = data.get("errors") if isinstance(data, dict) else None
    found = data.get("data") if isinstance(data, dict) else None
    if not isinstance(found or {}, dict) or not isinstance(errors or [], list) or (found is None and not errors):
        raise Down("GraphQL's answer has not the expected shape")
    return Answer(found or {}, tuple(errors or ()), wait(headers, None, clock.now()))
