"""Maps bad answers of GitHub to our errors: unreachable, limited, refused, missing or moved."""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from bot.github.client.answer_headers import moment, number
from bot.github.ports import HubError, Missing, Moved, Refused, Unreachable

SECONDARY_WAIT = 60.0  # GitHub's documentation: at least a minute after a secondary limit without Retry-After.

# Parts of paths that are GitHub's own. All others may name people or repositories, and are not logged.
_WORDS = frozenset({
    "access_tokens", "activity", "app", "attempts", "blobs", "check-runs", "collaborators", "comments", "commits", "compare", "contents",
    "deliveries", "dependency-graph", "fetch-report", "files", "generate-report", "git", "graphql", "heads", "hook", "installation",
    "installations", "issues", "labels", "members", "orgs", "permission", "pulls", "reactions", "ref", "refs", "repos",
    "repositories", "sbom", "trees", "user", "users",
})  # fmt: skip
_SECRET = re.compile(r"\b(?:gh[a-z]|github_pat)_[A-Za-z0-9_.\-]+|\beyJ[A-Za-z0-9_.\-]+|[^\s@]{1,64}@[^\s@]{1,253}")
_LIMITS = ("api rate limit exceeded", "api rate limit already exceeded", "secondary rate limit", "please retry your request again later",
           "please wait a few minutes before you try again", "abuse detection")  # fmt: skip
_PERMISSIONS = re.compile(r"[a-z_]{1,40}=[a-z]{1,10}(?:[;,] ?[a-z_]{1,40}=[a-z]{1,10}){0,9}")
_MAX_MESSAGE_CHARACTERS = 160
_ENDED = ": GitHub may have ended the version of its REST API that Countersign uses; upgrade Countersign"


_SHARED_LIMITS = ("", "core", "graphql")  # Others, such as `dependency_sbom`, concern one kind of question.


class Limited(Unreachable):
    """A rate limit: trying elsewhere does not help, waiting does."""


class Transient(Unreachable):
    """A bad gateway or a connection that broke: the same again may help at once."""


class Redirect(Exception):
    """A redirect that GitHub answered with: its `status` and `location`."""

    # PyGithub follows a 301 without its query and takes a 307 on a write for success: neither may reach it.
    def __init__(self, status: int, location: str) -> None:
        super().__init__(status)
        self.status = status
        self.location = location


class NoAnswer(Exception):
    """A call to the `server` brought no answer; `kind` is the library's error, `is_late`: GitHub took too long.

    `by_proxy`: the call went through a proxy. Its address is not named, since pull requests show the text.
    """

    def __init__(self, server: str, kind: str, *, is_late: bool, by_proxy: bool) -> None:
        way = " through a proxy" if by_proxy else ""
        super().__init__(f"GitHub at {server} cannot be reached{way} ({kind})")
        self.is_late = is_late


def describe_call(verb: str, path: str) -> str:
    """The call without names or numbers of people and repositories: `GET /repos/…/…/collaborators/…/permission`."""
    parts = urlsplit(path).path.strip("/").split("/")
    return f"{verb} /" + "/".join(part if part in _WORDS else "…" for part in parts)


def plain(message: object) -> str:
    """GitHub's own message as one short line; tokens and addresses become `…`."""
    text = _SECRET.sub("…", " ".join(str(message or "")[:1000].split()))
    return text if len(text) <= _MAX_MESSAGE_CHARACTERS else text[:_MAX_MESSAGE_CHARACTERS] + "…"


def failure(status: int, headers: Mapping[str, Any], body: Any, *, call: str, now: datetime) -> HubError:
    """The error for an answer of 300 or more; `headers` answer to lower-case names, `call` comes from `describe_call`."""
    message = body.get("message") if isinstance(body, Mapping) else None
    text = f"GitHub answered {status} to {call}" + (f": {plain(message)}" if message else "")
    if _is_limit(status, headers, body, message):
        asked = wait(headers, message, now)
        return Limited(text, SECONDARY_WAIT if asked is None else asked)
    is_redirect = status in (301, 302, 307, 308)
    # A renamed repository or organisation redirects; elsewhere, the address of the API is wrong.
    if is_redirect and ("/repos/" in call or "/orgs/" in call):
        return Moved(f"{text}: the repository was renamed or transferred")
    # GitHub answers 410 for issues that are deleted or switched off; anything else is gone with its version of the API.
    is_gone = status == 404 or (status == 410 and "/issues" in call)
    if is_gone or (status == 409 and "is empty" in str(message)):  # The repository is empty.
        return Missing(text)
    if status == 408 or status >= 500:
        asked = wait(headers, message, now)
        return Transient(text) if status in (502, 503, 504) and asked is None else Unreachable(text, asked)
    advice = ": check COUNTERSIGN_GITHUB_API_URL" if is_redirect else _needed(headers) if status == 403 else ""
    return Refused(text + (_ENDED if status == 410 else advice))


def _needed(headers: Mapping[str, Any]) -> str:
    """The permissions that the call needs, as GitHub lists them: `,` for "and", `;` for "or"."""
    accepted = str(headers.get("x-accepted-github-permissions") or "")
    if not _PERMISSIONS.fullmatch(accepted):
        return ""
    words = accepted.replace(" ", "").replace("=", ": ").replace(",", " and ").replace(";", " or ")
    return f" (the call needs the permission {words})"


def wait(headers: Mapping[str, Any], message: object, now: datetime) -> float | None:
    """Seconds until another try makes sense, as the headers say; a minute for a secondary limit that says nothing."""
    asked = named_wait(headers, now)
    return SECONDARY_WAIT if asked is None and speaks_of_limit(message) else asked


def named_wait(headers: Mapping[str, Any], now: datetime) -> float | None:
    """Seconds until the moment that the headers name, if any."""
    now = moment(headers.get("date")) or now  # This machine's clock may be wrong; GitHub names moments by its own.
    asked = headers.get("retry-after")  # In either of its two forms (RFC 9110, 10.2.3)
    if (seconds := number(asked)) is not None:
        return float(seconds)
    if (at := moment(asked)) is not None:
        return max((at - now).total_seconds(), 0.0)
    reset = number(headers.get("x-ratelimit-reset"))
    if number(headers.get("x-ratelimit-remaining")) == 0 and reset is not None:
        # The header has whole seconds: the limit may end late in that second.
        return max(reset - now.timestamp(), 0.0) + 1.0
    return None


def is_used_up(headers: Mapping[str, Any]) -> bool:
    """Whether this was the last call of the hour that GitHub allows."""
    return number(headers.get("x-ratelimit-remaining")) == 0 and is_shared_limit(headers)


def is_shared_limit(headers: Mapping[str, Any]) -> bool:
    """Whether the limit in these headers is that of all calls, not that of one kind of question."""
    return str(headers.get("x-ratelimit-resource") or "") in _SHARED_LIMITS


def speaks_of_limit(message: object) -> bool:
    """Whether GitHub's message is one of those for a rate limit."""
    text = str(message or "").lower()
    return any(limit in text for limit in _LIMITS)


def _is_limit(status: int, headers: Mapping[str, Any], body: Any, message: object) -> bool:
    if status != 403:
        return status == 429
    used_up = number(headers.get("x-ratelimit-remaining")) == 0
    # GitHub explains each real refusal: a 403 without a body, too, is a limit, or of something on the way.
    return used_up or "retry-after" in headers or not body or speaks_of_limit(message)
