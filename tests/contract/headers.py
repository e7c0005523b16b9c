"""What GitHub sends in the headers of its answers, as its documentation says and its recorded answers since 2023 show."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from urllib.parse import parse_qsl, unquote, urlsplit

Pairs = Sequence[tuple[str, str]]

DATE = re.compile(
    r"(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d\d:\d\d:\d\d GMT"
)
"""RFC 9110, 5.6.7: a sender writes this form only."""

FORMS = {
    "date": DATE.pattern,
    "last-modified": DATE.pattern,
    "content-type": r"(application/json|text/html|text/plain|application/octet-stream|application/vnd\.github[\w.+-]*)(; ?charset=utf-8)?",
    "etag": r'(W/)?"[^"]+"',
    "location": r"https?://[^/\s]+/\S*",
    "retry-after": rf"\d+|{DATE.pattern}",
    "x-accepted-github-permissions": r"[a-z_]+=[a-z]+([;,] ?[a-z_]+=[a-z]+)*",
    "x-github-api-version-selected": r"\d{4}-\d\d-\d\d",
    "x-github-media-type": r"github\.[\w-]+(; [\w-]+=[\w-]+)*",
    "x-github-request-id": r"[0-9A-F]+(:[0-9A-F]+){3,4}",
    "x-ratelimit-limit": r"\d+",
    "x-ratelimit-remaining": r"\d+",
    "x-ratelimit-reset": r"\d{10}",
    "x-ratelimit-resource": r"core|graphql|search|code_search|integration_manifest|dependency_snapshots|dependency_sbom"
    r"|source_import|code_scanning_upload|code_scanning_autofix|copilot_usage_records|actions_runner_registration|scim|audit_log|audit_log_streaming",
    "x-ratelimit-used": r"\d+",
}  # fmt: skip
"""How a value looks. The limits' names are those of GET /rate_limit, described and recorded; the rest is as in 'Rate limits for the REST API'."""

ALWAYS = ("date", "x-github-request-id", "x-github-api-version-selected")
"""In each of the recorded answers of REST since 2023, but for a few that the recorder edited."""

LIMITS = tuple(f"x-ratelimit-{part}" for part in ("limit", "remaining", "reset", "resource", "used"))
FIRST_IS_BARE = ("/repos/{owner}/{repo}/compare/{basehead}",)
"""Where the link `first` forgets per_page: recorded answer of 2023 (PyGithub, Repository.testCompareCommitPagination)."""

SLACK_SECONDS = 5
"""Between the Date of an answer and the moment when its limit was counted."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The request behind the headers: `origin` is scheme, host and port, `path` is raw, with the API's prefix."""

    method: str
    template: str
    origin: str
    path: str
    query: Mapping[str, str]


def check(asked: Asked, status: int, headers: Pairs, described: Mapping[str, object], *, whole: bool) -> Iterator[str]:
    """Findings about the headers of an answer; `described` are those of GitHub's description.

    `whole`: all that GitHub sends has to be there. Else only what is there is looked at.
    """
    values = {name.lower(): value for name, value in headers}
    for name, many in Counter(name.lower() for name, _ in headers).items():
        if many > 1 and name in FORMS:
            yield f"header {name} comes {many} times"
    for name, form in FORMS.items():
        if name in values and not re.fullmatch(form, values[name]):
            yield f"header {name} is not in GitHub's form: {values[name]!r}"
    yield from _limits(values)
    if "link" in values:
        yield from _links(asked, values["link"])
    if whole:
        yield from (f"header {name} is missing" for name in _due(asked, status, described) if name not in values)


def _due(asked: Asked, status: int, described: Mapping[str, object]) -> Iterator[str]:
    """The headers that such an answer of GitHub's has."""
    yield from ALWAYS
    if status not in (302, 304):
        yield "x-github-media-type"
    if status in (200, 201) and asked.template != "/rate_limit":
        yield "etag"
    if status in (301, 302, 307, 308) or (status == 201 and "Location" in described):
        yield "location"
    if status not in (204, 304):
        yield "content-type"
    if not asked.template.startswith("/app") and status != 401:
        yield from LIMITS  # what an App asks by its JWT is answered without: recorded, GET /app/installations of 2024


def _limits(values: Mapping[str, str]) -> Iterator[str]:
    """All five or none; what is used and what is left make the limit; it ends within the hour."""
    found = [name for name in LIMITS if name in values]
    if found and len(found) < len(LIMITS):
        yield f"of the limit's headers only {', '.join(found)}"
        return
    if not found or not all(re.fullmatch(FORMS[name], values[name]) for name in LIMITS):
        return
    limit, left, reset, used = (int(values[f"x-ratelimit-{part}"]) for part in ("limit", "remaining", "reset", "used"))
    if left != max(limit - used, 0):
        yield f"{used} of {limit} calls are used and {left} are left"
    shown = _moment(values.get("date", ""))
    if shown is not None and not -SLACK_SECONDS <= reset - shown.timestamp() <= 3600 + SLACK_SECONDS:
        yield f"the limit ends {reset - shown.timestamp():.0f} seconds after the answer, not within the hour"


def _moment(date: str) -> datetime | None:
    return parsedate_to_datetime(date) if DATE.fullmatch(date) else None


def parsed_links(value: str) -> dict[str, str] | None:
    """Relation → address; None for what is not in GitHub's form `<address>; rel="name", …`."""
    parts = [re.fullmatch(r'<([^<>\s]+)>; rel="(next|prev|first|last)"', part) for part in value.split(", ")]
    if not all(parts) or len({part[2] for part in parts if part}) != len(parts):
        return None
    return {part[2]: part[1] for part in parts if part}


def _links(asked: Asked, value: str) -> Iterator[str]:
    """Other pages of the same list, at the same host, asked for in the same way: 'Using pagination in the REST API'."""
    links = parsed_links(value)
    if links is None:
        yield f"header link is not in GitHub's form: {value!r}"
        return
    pages = {}
    for relation, address in links.items():
        parts = urlsplit(address)
        query = dict(parse_qsl(parts.query, keep_blank_values=True))
        if f"{parts.scheme}://{parts.netloc}" != asked.origin or not _same_list(parts.path, asked.path):
            yield f"link {relation} leads elsewhere: {address}"
        turning = {"page", "cursor", "before", "after", "since"}
        changed = {name for name in {*query, *asked.query} - turning if query.get(name) != asked.query.get(name)}
        if changed and not (relation == "first" and asked.template in FIRST_IS_BARE):
            yield f"link {relation} asks for another {', '.join(sorted(changed))}"
        if query.get("page", "").isdecimal():
            pages[relation] = int(query["page"])
    yield from _page_numbers(asked, pages)


def _same_list(there: str, here: str) -> bool:
    """GitHub names repositories and teams in these addresses by id."""
    by_name = r"/(repos/[^/]+/[^/]+|repositories/\d+)(?=/|$)|/(orgs/[^/]+/teams/[^/]+|organizations/\d+/team/\d+)(?=/|$)|/(orgs/[^/]+|organizations/\d+)(?=/|$)"
    return re.sub(by_name, "/…", unquote(there), count=1) == re.sub(by_name, "/…", unquote(here), count=1)


def _page_numbers(asked: Asked, pages: Mapping[str, int]) -> Iterator[str]:
    """Of a list with numbered pages."""
    if not pages:
        return
    here = int(asked.query["page"]) if asked.query.get("page", "").isdecimal() else 1
    right = {"next": here + 1, "prev": here - 1, "first": 1}
    for relation, page in pages.items():
        if relation in right and page != right[relation] and not (relation == "prev" and page < here):
            yield f"link {relation} of page {here} is page {page}"
    if ("prev" in pages) != (here > 1) or ("prev" in pages and "first" not in pages):
        yield f"page {here} has prev and first where it should not, or lacks them"
    if "last" in pages and "next" not in pages and pages["last"] > here:
        yield f"page {here} of {pages['last']} has no next"
    if "next" in pages and pages.get("last", here + 1) <= here:
        yield f"page {here} has a next though {pages['last']} is the last"
