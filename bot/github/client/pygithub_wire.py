"""The wire to GitHub: a requester of the pool for each exchange, credentials beside it, and our errors."""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, Literal
from urllib.parse import unquote

import requests
import urllib3
from github import Auth
from github.GithubException import GithubException, RateLimitExceededExceedsMaxWait

from bot import clock
from bot.github.client.external_download import fetched
from bot.github.client.failures import Limited, doing, failure, wait
from bot.github.client.requester_pool import PAGE, TIMEOUT, Redirect, RequesterPool
from bot.github.client.transport import Answer, Json, Parameters, Unavailable
from bot.github.ports import HubError, Missing, Refused, Unreachable
from bot.github.reading import Garbled, understanding

_ACCEPT = "application/vnd.github+json"
_BROKEN = (requests.RequestException, urllib3.exceptions.HTTPError, OSError)
_CURSOR = re.compile(r"""[?&]cursor=([^&>]+)[^>]*>;\s*rel="next\"""")
_NONSENSE = (ValueError, RuntimeError, AssertionError, AttributeError, TypeError)


class PyGithubTransport:
    """A Transport that any number of threads may use; without `auth` it is nobody's.

    `renew` is told the credentials that GitHub no longer takes, those it then has are tried once; `unfit` is what to
    say when GitHub does not take them at all.
    """

    def __init__(
        self,
        pool: RequesterPool,
        auth: Auth.Auth | None = None,
        *,
        renew: Callable[[str], None] | None = None,
        unfit: str = "",
    ) -> None:
        self._pool = pool
        self._auth = auth
        self._renew = renew
        self._unfit = unfit

    def read(self, path: str, parameters: Parameters | None = None) -> Any:
        """GET one answer."""
        return self._send("GET", path, parameters)[1]

    def pages(
        self, path: str, parameters: Parameters | None = None, *, under: str = "", by_cursor: bool = False
    ) -> Iterator[Any]:
        """The items of all pages."""
        page, more = 1, True
        where: Parameters = {} if by_cursor else {"page": page}
        while more:
            headers, data = self._send("GET", path, {**(parameters or {}), "per_page": PAGE, **where})
            with understanding():
                items = list(data[under] if under else data)
            yield from items
            link = headers.get("link") or ""
            if by_cursor:
                next_page = _CURSOR.search(link)
                more, where = next_page is not None, {"cursor": unquote(next_page[1])} if next_page else {}
                continue
            more = 'rel="next"' in link if link else len(items) >= PAGE
            more, page = more and bool(items), page + 1
            where = {"page": page}

    def elsewhere(self, path: str, most: int) -> bytes | None:
        """GET what GitHub keeps at another host."""
        try:
            self._send("GET", path, following=True)
        except Redirect as redirect:
            location = redirect.location
        else:
            return None
        return fetched(location, most, timeout=TIMEOUT, plain=self._pool.base_url.startswith("http:"))

    def write(self, verb: Literal["POST", "PATCH", "PUT", "DELETE"], path: str, body: Json | None = None) -> Any:
        """Change something."""
        return self._send(verb, path, body=body)[1]

    def query(self, document: str, variables: Json) -> Answer:
        """Ask GraphQL, once more after a failure: reading by POST may be repeated."""
        body = {"query": document, "variables": variables}
        try:
            try:
                headers, data = self._send("POST", self._pool.graphql_url, body=body)
            except Limited:
                raise
            except Unreachable:
                headers, data = self._send("POST", self._pool.graphql_url, body=body)
        except Limited:
            raise
        except (Unreachable, Missing) as error:
            down = Unavailable(str(error))
        else:
            return _answer(headers, data)
        raise down

    def _send(
        self, verb: str, path: str, parameters: Parameters | None = None, *, body: Json | None = None,
        following: bool = False,
    ) -> tuple[dict[str, Any], Any]:  # fmt: skip
        """One answer; with `following` a redirect is handed to the caller."""
        call, credentials = doing(verb, path), self._credentials()
        status, headers, text = self._exchange(verb, path, parameters, body, credentials, following=following)
        if status == 401 and self._renew:
            self._renew(credentials.get("Authorization", ""))
            credentials = self._credentials()
            status, headers, text = self._exchange(verb, path, parameters, body, credentials, following=following)
        data, broken = _parsed(text)
        if status == 401 and self._unfit:
            raise Refused(f"{self._unfit}: {failure(status, headers, data, call=call, now=clock.now())}")
        if status >= 300:
            raise failure(status, headers, data, call=call, now=clock.now())
        if broken:
            raise Garbled(f"GitHub's answer to {call} is not JSON")
        return headers, data

    def _credentials(self) -> dict[str, str]:
        """The header that says on whose behalf; an installation's token may have to be minted, by an exchange of its own."""
        headers: dict[str, str] = {}
        if self._auth is not None:
            self._auth.authentication(headers)
        return headers

    def _exchange(
        self, verb: str, path: str, parameters: Parameters | None, body: Json | None, credentials: dict[str, str], *,
        following: bool,
    ) -> tuple[int, dict[str, Any], str]:  # fmt: skip
        """One exchange; the causes' own texts may quote an answer or a token, so they are left behind."""
        call = doing(verb, path)
        try:
            with self._pool.requester() as wire:
                return wire.requestJson(verb, path, dict(parameters or {}), {"Accept": _ACCEPT, **credentials}, body)
        except HubError:
            raise
        except Redirect as error:
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
        raise Unavailable("GraphQL's answer has not the expected shape")
    return Answer(found or {}, tuple(errors or ()), wait(headers, None, clock.now()))
