"""One authenticated transport to GitHub's API: a requester of the pool for each exchange, credentials beside it, and our errors."""

import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, NoReturn, Protocol, TypeVar
from urllib.parse import parse_qs, urlsplit

from bot import clock
from bot.github.availability import CircuitOpen, current_priority
from bot.github.client import failures
from bot.github.client.admission_control import Admission, AdmissionControl, Caller, kind_of
from bot.github.client.answer_headers import links, moment
from bot.github.client.graphql_errors import GraphqlAnswer, Unavailable, is_graphql_limit
from bot.github.client.repeats import Repeats
from bot.github.client.requester_pool import PAGE_SIZE, RequesterPool
from bot.github.client.server_features import ServerFeatures, undefined_names
from bot.github.client.write_pacer import PacedWrite, rank
from bot.github.ports import HubError, Missing, Refused, Unreachable
from bot.github.reading import Garbled, Json, understanding
from bot.telemetry import metrics, tracing

_ACCEPT = "application/vnd.github+json"
# PyGithub raises these for answers that it cannot read.
_NONSENSE = (ValueError, RuntimeError, AssertionError, AttributeError, TypeError)

Parameters = Mapping[str, str | int]
_T = TypeVar("_T")


class Credentials(Protocol):
    """The credentials of a call."""

    def header(self) -> str:
        """The value of the Authorization header."""

    def renew(self, refused: str, headers: Mapping[str, Any]) -> bool:
        """True if there is another header to try now, after GitHub answered 401 to `refused`, with these headers."""


class _Renewed(Exception):
    """GitHub does not accept these credentials, and there are others now."""


@dataclass(frozen=True, slots=True)
class _Request:
    """A call by `verb` and `path` with `parameters` and `body`. Its repeats share its `number`.

    `following`: a redirect is handed to the caller. `is_graphql`: a question, though it is a POST.
    """

    number: int
    verb: str
    path: str
    parameters: Parameters | None
    body: Json | None
    following: bool
    is_graphql: bool

    @property
    def name(self) -> str:
        return failures.describe_call(self.verb, self.path)

    @property
    def write(self) -> PacedWrite | None:
        if self.verb == "GET" or self.is_graphql:
            return None
        # Check runs of all heads are posted to one path: the head tells their places in the queue apart.
        key = f"{self.verb} {self.path} {(self.body or {}).get('head_sha', '')}"
        return PacedWrite(key, rank(self.path), current_priority())


class Transport:
    """Calls on behalf of the App, of one installation, or (without `auth`) without credentials; any number of threads may use it.

    Every failure is a HubError. What the server's version lacks is `Unsupported`, and is not asked for.

    `control` says whether a call of that `caller` may be sent, and is told what came of it. `unfit` is what to say of
    an `auth` that GitHub does not accept, where it would have to: then it counts as away for this caller.
    """

    def __init__(
        self,
        pool: RequesterPool,
        auth: Credentials | None = None,
        *,
        control: AdmissionControl | None = None,
        caller: Caller = "nobody",
        unfit: str = "",
    ) -> None:
        self._pool = pool
        self._auth = auth
        self._control = control or AdmissionControl()
        self._caller = caller
        self._unfit = unfit

    @property
    def features(self) -> ServerFeatures:
        """The server's features, which all its transports share."""
        return self._pool.features

    def read(self, path: str, parameters: Parameters | None = None) -> Any:
        """GET one answer. `Moved` when GitHub redirects: it is never followed, the query would be lost."""
        data = self._send("GET", path, parameters)[1]
        if data is None:
            raise Garbled(f"GitHub's answer to {failures.describe_call('GET', path)} is empty")
        return data

    def date(self, path: str) -> datetime:
        """GET an answer for the moment alone at which GitHub says that it gave it: its Date header (RFC 9110)."""
        headers, _ = self._send("GET", path)
        shown = moment(headers.get("date"))
        if shown is None:
            raise Garbled(f"GitHub's answer to {failures.describe_call('GET', path)} has no valid Date header")
        return shown

    def pages(
        self, path: str, parameters: Parameters | None = None, *, under: str = "", by_cursor: bool = False
    ) -> Iterator[Any]:
        """The items of all pages, 100 a page; `under` names the list when the answer wraps it.

        Raises Unreachable where such a list became shorter between two pages.
        """
        page, more, total = 1, True, 0
        where: Parameters = {} if by_cursor else {"page": page}
        while more:
            headers, data = self._send("GET", path, {**(parameters or {}), "per_page": PAGE_SIZE, **where})
            with understanding():
                items = list(data[under] if under else data)
                left = int(data.get("total_count") or 0) if under else 0
            # What came after an entry that is gone moved up, over the end of the page before: an entry was left out.
            if left < total:
                raise Unreachable(f"the list of {under} changed while it was being read")
            total = left
            yield from items
            named = links(headers.get("link"))
            if by_cursor:  # Such a list has no numbered pages: its links name the next one.
                cursors = parse_qs(urlsplit(named.get("next", "")).query).get("cursor", [])
                more, where = bool(cursors), {"cursor": cursors[0]} if cursors else {}
                continue
            # Without a Link header only a full page may have a successor.
            more = "next" in named if named else len(items) >= PAGE_SIZE
            more, page = more and bool(items), page + 1
            where = {"page": page}

    def fetch_redirected(self, path: str, most: int) -> bytes | None:
        """GET what GitHub keeps at another host, `most` bytes at most; None while it still works on it (201, 202)."""
        try:
            self._send("GET", path, following=True)
        except failures.Redirect as redirect:
            location = redirect.location
        else:
            return None
        from bot.github.client.external_download import fetched  # noqa: PLC0415 - its library is slow to load

        # Without credentials: the address itself lets its bearer read, and another host must not see a token.
        return fetched(location, most, timeout=self._pool.timeout, plain=self._pool.base_url.startswith("http:"))

    def write(self, verb: Literal["POST", "PATCH", "PUT", "DELETE"], path: str, body: Json | None = None) -> Any:
        """Change something. A POST is sent once, ever; the others are repeated on 429 and 5xx."""
        return self._send(verb, path, body=body)[1]

    def query(self, document: str, variables: Json) -> GraphqlAnswer:
        """Ask GraphQL; its errors are handed over, not judged. `Unavailable` when it does not answer properly."""
        while True:
            answer = self._queried(self.features.supported(document), variables)
            unknown = undefined_names(answer.errors)
            if not unknown:
                return answer
            # A document with an unknown name is refused as a whole: it is asked without that name from then on.
            if not self.features.learn(unknown):
                raise Unavailable(f"GitHub's GraphQL API does not know {', '.join(sorted(unknown))}")

    def _queried(self, document: str, variables: Json) -> GraphqlAnswer:
        # GraphQL is asked by POST, but only reads: it may be asked once more.
        body = {"query": document, "variables": variables}
        for is_last in (False, True):
            try:
                _, data = self._send("POST", self._pool.graphql_url, body=body)
            except (CircuitOpen, failures.Limited):  # Asking again at once would make it worse
                raise
            except (Unreachable, Missing) as error:
                down = Unavailable(str(error))
                if is_last or isinstance(error, Missing):
                    break
            else:
                errors, found = (data.get("errors"), data.get("data")) if isinstance(data, dict) else (None, None)
                is_one = isinstance(found or {}, dict) and isinstance(errors or [], list)
                if not is_one or (found is None and not errors):
                    raise Unavailable("the answer of GitHub's GraphQL API is not in the expected format")
                return GraphqlAnswer(found or {}, tuple(errors or ()))
        raise down

    def _send(
        self, verb: str, path: str, parameters: Parameters | None = None, *, body: Json | None = None,
        following: bool = False,
    ) -> tuple[dict[str, Any], Any]:  # fmt: skip
        """The headers and the JSON of an answer; with `following` a redirect is handed to the caller."""
        is_graphql = path == self._pool.graphql_url
        self.features.check(path)
        request = _Request(self._control.new_call(), verb, path, parameters, body, following, is_graphql)
        repeats = Repeats(verb != "POST", self._pool.patience, self._pool.pause, self._pool.timeout)
        self._repeated(lambda: self._control.check(self._caller), repeats)  # Before a token is minted for nothing
        credentials = self._credentials(request)
        try:
            return self._repeated(lambda: self._exchange(request, credentials), repeats)
        except _Renewed:
            renewed = self._credentials(request)
        return self._repeated(lambda: self._exchange(request, renewed, is_renewed=True), repeats)

    @staticmethod
    def _repeated(step: Callable[[], _T], repeats: Repeats) -> _T:
        begun = clock.monotonic()
        while True:
            try:
                return step()
            except Unreachable as error:
                delay = repeats.delay(error, clock.monotonic() - begun)
                if delay is None:
                    raise
            time.sleep(delay)

    def _credentials(self, request: _Request) -> dict[str, str]:
        # An installation's token may have to be minted first, by an exchange of its own.
        try:
            return {} if self._auth is None else {"Authorization": self._auth.header()}
        except (Missing, Refused):  # It has no token any more: that is an answer, no probe will bring another
            with suppress(CircuitOpen), self._control.admit(self._caller, request.number) as admission:
                admission.answered({})
            raise

    def _exchange(
        self, request: _Request, credentials: dict[str, str], *, is_renewed: bool = False
    ) -> tuple[dict[str, Any], Any]:
        """One exchange: the headers and the JSON of success. `_Renewed`, once, when other credentials are to be tried."""
        with (
            self._control.admit(self._caller, request.number, request.write) as admission,
            tracing.call(request.name, kind_of(self._caller)),
        ):
            status, headers, text = self._sent(request, credentials, admission)
            self.features.saw(headers.get("x-github-enterprise-version"))
            self.features.sunset = str(headers.get("sunset") or "")
            try:
                data, is_broken = json.loads(text) if text else None, False
            except ValueError:  # Judged below, after the status, which tells more.
                data, is_broken = text, True
            if status == 401:
                if not is_renewed and self._auth and self._auth.renew(credentials["Authorization"], headers):
                    admission.unclear()
                    raise _Renewed
                self._unauthorized(request, admission, headers, data)
            if status >= 300:
                _fail(request, admission, status, headers, data)
            if is_broken:
                _failed(request, admission, f"answer to {request.name} is not JSON")
                raise Garbled(f"GitHub's answer to {request.name} is not JSON")
            # GraphQL answers 200 also where its rate limit is used up.
            errors = data.get("errors") if request.is_graphql and isinstance(data, dict) else None
            if isinstance(errors, list) and any(map(is_graphql_limit, errors)):
                text = "the rate limit of GitHub's GraphQL API is used up"
                raise failures.Limited(text, admission.limited(text, headers))
            admission.answered(headers)
            return headers, data

    def _unauthorized(self, request: _Request, admission: Admission, headers: dict[str, Any], data: Any) -> NoReturn:
        bad = failures.failure(401, headers, data, call=request.name, now=clock.now())
        if not self._unfit:
            admission.answered(headers)
            raise bad
        cause = f"{self._unfit}: {bad}"
        admission.unauthorized(cause)
        self._control.check(self._caller)  # Raises what every other call meets from now on
        raise Unreachable(cause)  # It was accepted meanwhile

    def _sent(
        self, request: _Request, credentials: dict[str, str], admission: Admission
    ) -> tuple[int, dict[str, Any], str]:
        bad: HubError
        parameters = dict(request.parameters or {})
        try:
            with self._pool.requester() as wire, metrics.GITHUB_SECONDS.labels(kind_of(self._caller)).time():
                return wire.exchange(
                    request.verb, request.path, parameters, {"Accept": _ACCEPT, **credentials}, request.body
                )
        except failures.Redirect as error:
            admission.answered({})
            if request.following and error.status == 302:
                raise
            bad = failures.failure(error.status, {}, {"message": "redirected"}, call=request.name, now=clock.now())
        except failures.NoAnswer as error:
            if not (request.is_graphql and error.is_late):  # A heavy question, see `_failed`
                admission.unreached(str(error))
            bad = failures.Transient(f"{request.name}: {error}")
        except _NONSENSE as error:
            _failed(request, admission, f"invalid answer to {request.name}")
            bad = Garbled(f"GitHub's answer to {request.name} is not valid ({type(error).__name__})")
        # Raised here: the causes' own texts may quote an answer or a token, so they are left behind.
        raise bad


def _fail(request: _Request, admission: Admission, status: int, headers: dict[str, Any], data: Any) -> NoReturn:
    """Tell what the answer means for the calls to come, and raise what it means for this one."""
    bad = failures.failure(status, headers, data, call=request.name, now=clock.now())
    # A bare 403 is a proxy's, perhaps for one path only.
    is_bare = status == 403 and not data and failures.named_wait(headers, clock.now()) is None
    # A limit of one kind of question must not stop all other calls.
    if isinstance(bad, failures.Limited) and failures.is_shared_limit(headers) and not is_bare:
        raise failures.Limited(str(bad), admission.limited(str(bad), headers))
    if isinstance(bad, Unreachable) and (is_bare or not isinstance(bad, failures.Limited)):
        _failed(request, admission, f"{status} to {request.name}", headers)
    else:
        admission.answered(headers)
    raise bad


def _failed(request: _Request, admission: Admission, cause: str, headers: dict[str, Any] | None = None) -> None:
    # GraphQL also fails for a question that is too much for it: REST is asked next, and tells.
    if request.is_graphql:
        admission.unclear()
    else:
        admission.failed(cause, headers)
