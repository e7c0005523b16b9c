"""Which status GitHub gives where an operation's description does not list it: each under a condition, with its source."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

OUTAGES = frozenset({500, 502, 503, 504})
"""GitHub itself is unwell: any answer may be one, in any form, often a load balancer's page."""

REDIRECTS = frozenset({301, 302, 307, 308})


@dataclass(frozen=True, slots=True)
class Answer:
    """What a condition may look at: headers have lower-case names, `message` is that of the body, "" without one."""

    method: str
    template: str
    status: int
    takes_body: bool
    message: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    asked: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """A status beyond the description: it is right when the condition holds."""

    statuses: frozenset[int]
    why: str
    when: Callable[[Answer], bool]


_LIMIT = re.compile(
    r"api rate limit exceeded|secondary rate limit|abuse detection|rate limit exceeded for",
    re.IGNORECASE,
)
_UNAUTHENTICATED = re.compile(
    r"Bad credentials|Requires authentication|A JSON web token could not be decoded|'(Expiration time|Issued at|Issuer)' claim"
    r"|Must specify two-factor authentication OTP code"
)
_NOT_ALLOWED = re.compile(
    r"Resource not accessible by (integration|personal access token)|This installation has been suspended"
    r"|Must have (push|admin) (access|rights) to|organization has an IP allow list enabled|Resource protected by organization SAML"
    r"|You must authenticate (with an installation access token|via a GitHub App)|Missing or invalid User Agent"
    r"|Max number of login attempt exceeded|can only be modified by the GitHub App that created it|Repository was archived"
)


def _is_limited(answer: Answer) -> bool:
    used_up = answer.headers.get("x-ratelimit-remaining") == "0"
    return bool(_LIMIT.search(answer.message)) and (used_up or "retry-after" in answer.headers or answer.status == 429)


ELSEWHERE = (
    Elsewhere(
        frozenset({304}),
        "'Best practices for using the REST API', Use conditional requests if appropriate: a GET with If-None-Match or "
        "If-Modified-Since is answered by 304.",
        lambda answer: answer.method == "GET" and not {"if-none-match", "if-modified-since"}.isdisjoint(answer.asked),
    ),
    Elsewhere(
        REDIRECTS,
        "'Best practices for using the REST API', Follow redirects: 301, 302 and 307, with the address in Location; only what "
        "is addressed by a name can move. 308: RFC 9110, 15.4.9, for a proxy or a server of one's own.",
        lambda answer: (
            "location" in answer.headers
            and re.search(r"\{(owner|org|username)\}", answer.template) is not None
        ),
    ),
    Elsewhere(
        frozenset({400}),
        "'Troubleshooting the REST API' and recorded answer of api.github.com to POST /app/installations/{installation_id}/"
        "access_tokens of 2022-10-24 ('Problems parsing JSON'): a body is needed that can be misread.",
        lambda answer: answer.takes_body and re.match(r"Problems parsing JSON|Body should be a JSON", answer.message) is not None,
    ),
    Elsewhere(
        frozenset({401}),
        "'Authenticating to the REST API', Failed login limit: invalid credentials are answered by 401, with the words of "
        "_UNAUTHENTICATED, most of them in PyGithub's recorded answers (GET /user, POST access_tokens).",
        lambda answer: _UNAUTHENTICATED.match(answer.message) is not None,
    ),
    Elsewhere(
        frozenset({403}),
        "'Troubleshooting the REST API', Resource not accessible; 'Authenticating to the REST API', Failed login limit; "
        "'Managing allowed IP addresses for your organization'; 'User agent required': the words of _NOT_ALLOWED.",
        lambda answer: _NOT_ALLOWED.search(answer.message) is not None,
    ),
    Elsewhere(
        frozenset({403, 429}),
        "'Rate limits for the REST API', Exceeding the rate limit: 403 or 429, says so, with x-ratelimit-remaining 0 or, for a "
        "secondary limit, perhaps retry-after.",
        lambda answer: _is_limited(answer) or "secondary rate limit" in answer.message,
    ),
    Elsewhere(
        frozenset({404}),
        "'Troubleshooting the REST API', 404 Not Found for an existing resource: what one may not know of is not found, so the "
        "address has to name something.",
        lambda answer: "{" in answer.template,
    ),
    Elsewhere(
        frozenset({404}),
        "An App that does not exist cannot be asked about: 'Integration not found' (by a JWT of an unknown issuer): GitHub's answer in octokit/rest.js#218.",
        lambda answer: answer.template.startswith("/app") and answer.message == "Integration not found",
    ),
    Elsewhere(
        frozenset({410}),
        "'API versions', Supported API versions: a version of the REST API that has ended is answered by 410 from then on.",
        lambda answer: re.fullmatch(r"Version [\d-]{10} of the REST API is no longer supported\.", answer.message) is not None,
    ),
    Elsewhere(
        frozenset({422}),
        "'Troubleshooting the REST API', Validation failed: what is sent is looked at, so something has to be sent.",
        lambda answer: answer.takes_body,
    ),
    Elsewhere(
        frozenset({422}),
        "GET /repos/{owner}/{repo}/commits/{ref} lists 422 in the description, and so answers what lies below a reference: "
        "'No commit found for SHA'.",
        lambda answer: "{ref}" in answer.template and answer.message.startswith("No commit found for"),
    ),
)  # fmt: skip


def may_answer(answer: Answer) -> bool:
    """Whether GitHub may give that status though the operation's description does not list it."""
    return any(answer.status in rule.statuses and rule.when(answer) for rule in ELSEWHERE)
