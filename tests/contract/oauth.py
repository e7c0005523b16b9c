"""Signing in with GitHub and registering an App: a description of ours, since GitHub publishes none for machines.

Sources, all pages of docs.github.com: "Authorizing OAuth apps", "Generating a user access token for a GitHub App", "Refreshing
user access tokens", "Troubleshooting authorization request errors", "Troubleshooting OAuth app access token request errors",
"Registering a GitHub App from a manifest"; recorded answers in PyGithub, tests/ReplayData/ApplicationOAuth.*.txt; for a client id that no App has, octokit/auth-oauth-user.js#239.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit

AUTHORIZE, TOKEN = "/login/oauth/authorize", "/login/oauth/access_token"
_MANIFEST = re.compile(r"(/organizations/[^/]+)?/settings/apps/(new|manifest)")

ASKED = {
    "client_id": r"\S+",
    "redirect_uri": r"https?://\S+",
    "login": r"[\w-]+",
    "scope": r".*",  # an App has none; it is passed over
    "state": r".+",
    "allow_signup": r"true|false",
    "prompt": r"select_account",
    "code_challenge": r"[A-Za-z0-9_-]{43}",
    "code_challenge_method": r"S256",
    "response_type": r"code",  # RFC 6749, 4.1.1: each client sends it
}
"""Parameters of the page that asks; `client_id` is required."""

EXCHANGED = frozenset({
    "client_id", "client_secret", "code", "redirect_uri", "code_verifier", "repository_id", "grant_type", "refresh_token",
})  # fmt: skip
"""Fields with which a code or a refresh token becomes an access token."""

AUTHORIZE_ERRORS = frozenset({"access_denied", "application_suspended", "redirect_uri_mismatch"})
TOKEN_ERRORS = frozenset({
    "bad_refresh_token", "bad_verification_code", "incorrect_client_credentials", "redirect_uri_mismatch", "unverified_user_email",
    "unsupported_grant_type",
})  # fmt: skip
"""They come with HTTP 200."""
UNKNOWN_CLIENT = '{"error":"Not Found"}'
"""With HTTP 404, for a client id that no App has."""

_EXPIRING = frozenset({"expires_in", "refresh_token", "refresh_token_expires_in"})


@dataclass(frozen=True, slots=True)
class Page:
    """One exchange beside the interface: `sent` and `received` are text, header names are lower-case."""

    method: str
    path: str
    query: Mapping[str, str]
    asked: Mapping[str, str]
    sent: str
    status: int | None
    headers: Mapping[str, str]
    received: str


def is_described(path: str) -> bool:
    """Whether this module knows what is said there."""
    return path in (AUTHORIZE, TOKEN) or _MANIFEST.fullmatch(path) is not None


def check(page: Page) -> Iterator[str]:
    """Findings about a request and its answer."""
    steps = {AUTHORIZE: _authorize, TOKEN: _token}
    for finding in steps.get(page.path, _manifest)(page):
        yield f"{page.method} {page.path}: {finding}"


def _authorize(page: Page) -> Iterator[str]:
    if page.method == "GET":
        yield from (f"parameter {name} is unknown" for name in sorted(page.query.keys() - ASKED.keys()))
        for name, form in ASKED.items():
            if name in page.query and not re.fullmatch(form, page.query[name]):
                yield f"parameter {name} is {page.query[name]!r}"
        if "client_id" not in page.query:
            yield "parameter client_id is missing"
        if ("code_challenge" in page.query) != ("code_challenge_method" in page.query):
            yield "code_challenge and its method come together"
    if page.status in (302, 303):
        yield from _back(page, dict(page.query) or dict(parse_qsl(page.sent)))


def _back(page: Page, asked: Mapping[str, str]) -> Iterator[str]:
    """The browser is sent to the App's own address, with a code or with the reason why there is none, and with its state."""
    place = page.headers.get("location", "")
    if urlsplit(place).path == "/login":
        return  # GitHub asks for a password first
    said = dict(parse_qsl(urlsplit(place).query, keep_blank_values=True))
    if (
        asked.get("redirect_uri")
        and not place.startswith(asked["redirect_uri"])
        and said.get("error") != "redirect_uri_mismatch"
    ):
        yield f"the browser is sent to {place.partition('?')[0]}"
    if said.get("state") != asked.get("state"):
        yield "the state does not come back"
    if ("code" in said) == ("error" in said):
        yield "neither a code nor an error comes back, or both"
    if "error" in said and said["error"] not in AUTHORIZE_ERRORS:
        yield f"error {said['error']} is unknown"
    if "error" in said and not {"error_description", "error_uri"} <= said.keys():
        yield "an error comes without error_description and error_uri"


def _token(page: Page) -> Iterator[str]:
    fields = _fields(page)
    yield from (f"field {name} is unknown" for name in sorted(fields.keys() - EXCHANGED))
    due = {"client_id", "client_secret", "refresh_token" if fields.get("grant_type") == "refresh_token" else "code"}
    yield from (f"field {name} is missing" for name in sorted(due - fields.keys()))
    if "json" not in page.asked.get("accept", ""):
        yield "without `Accept: application/json` the answer is a form"
    if page.status is None or page.status >= 500:
        return
    if page.status == 404 and page.received.strip() == UNKNOWN_CLIENT:
        return
    if page.status != 200:
        yield f"the status is {page.status}: GitHub's is 200, for an error, too"
        return
    try:
        answer = json.loads(page.received)
    except ValueError:
        answer = None
    if not isinstance(answer, dict):
        yield "the answer is no JSON object"
    else:
        yield from _refused(answer) if "error" in answer else _given(answer)


def _fields(page: Page) -> dict[str, object]:
    """As a form or as JSON."""
    if "json" in page.asked.get("content-type", ""):
        sent = json.loads(page.sent or "{}")
        return sent if isinstance(sent, dict) else {}
    return {**page.query, **dict(parse_qsl(page.sent, keep_blank_values=True))}


def _refused(answer: Mapping[str, object]) -> Iterator[str]:
    if answer["error"] not in TOKEN_ERRORS:
        yield f"error {answer['error']} is unknown"
    for name in ("error_description", "error_uri"):
        if not isinstance(answer.get(name), str):
            yield f"an error comes without {name}"
    yield from (
        f"an error has no {name}" for name in sorted(answer.keys() - {"error", "error_description", "error_uri"})
    )


def _given(answer: Mapping[str, object]) -> Iterator[str]:
    texts, numbers = (
        {"access_token", "token_type", "scope", "refresh_token"},
        {"expires_in", "refresh_token_expires_in"},
    )
    yield from (f"an answer has no {name}" for name in sorted(answer.keys() - texts - numbers))
    yield from (f"{name} is missing" for name in sorted({"access_token", "token_type", "scope"} - answer.keys()))
    yield from (f"{name} is no text" for name in sorted(texts & answer.keys()) if not isinstance(answer[name], str))
    yield from (f"{name} is no number" for name in sorted(numbers & answer.keys()) if type(answer[name]) is not int)
    if answer.get("token_type", "bearer") != "bearer":
        yield f"token_type is {answer['token_type']!r}"
    if _EXPIRING & answer.keys() and not answer.keys() >= _EXPIRING:
        yield f"of a token that expires only {', '.join(sorted(_EXPIRING & answer.keys()))}"


def _manifest(page: Page) -> Iterator[str]:
    if page.method != "POST" or page.status is None:
        return
    sent = dict(parse_qsl(page.sent, keep_blank_values=True))
    if page.status < 400:
        try:
            slip = json.loads(sent.get("manifest", ""))
        except ValueError:
            slip = None
        if not isinstance(slip, dict):
            yield "the form has no manifest in JSON"
            return
        if page.status in (302, 303):
            place = page.headers.get("location", "")
            said = dict(parse_qsl(urlsplit(place).query, keep_blank_values=True))
            if (
                place.partition("?")[0] != slip.get("redirect_url")
                or not said.get("code")
                or not said.keys() <= {"code", "state"}
            ):
                yield f"the browser is sent to {place}"
