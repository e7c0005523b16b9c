"""Lists to browse, filter and sort: signatures, people, pull requests that are red and why, those of AI agents, unchecked commits; each also as a CSV file; and all records as one download."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from flask import abort, request
from flask.typing import ResponseReturnValue
from sqlmodel import Session

from agreements.catalog import Catalog
from agreements.moments import text as written
from agreements.store import admin_lists
from agreements.store.admin_lists import ListFilter
from agreements.store.companies import company_agreements, company_requests
from bot import verdict_codes
from bot.portal import organizations
from bot.portal.admin.page_context import ListPage, list_page, render
from bot.portal.downloads import download, log_export, table
from bot.portal.forms.form_action import change
from bot.portal.forms.typed_values import chosen_days
from bot.portal.portal_services import PortalServices, portal_services, reading
from bot.portal.text.languages import language
from bot.records import export_files
from bot.report.words import phrase
from bot.store.pulls import agent_pulls, commit_findings, red_pulls
from bot.store.pulls.red_pulls import RedFilter

MAX_EXPORTED_ROWS = 50_000
"""Rows of one file; a longer list is exported in parts, by its filter."""

_MAX_FILTER_CHARACTERS = 140
Filters = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class AdminList:
    """One list: the names of its `filters`, its `rows` under them, and each row as `cells` below `header` in a file."""

    filters: tuple[str, ...]
    rows: Callable[[Session, Filters, int, int], Sequence[Any]]
    header: tuple[str, ...]
    cells: Callable[[Any], Sequence[str]]


def signatures_page() -> str:
    """Signatures, the newest first."""
    with reading() as (records, _vault, _at):
        agreements = admin_lists.agreements(records)
    part, filters = _part("signatures")
    names = organizations.party_names(row.party for row in part.rows)
    return _page(
        "signatures", part, filters, names=names, agreements=[(one, one) for one in agreements], named=_unnamed(part)
    )


def people_page() -> str:
    """Accounts that something is kept of."""
    part, filters = _part("people")
    return _page("people", part, filters, named=_unnamed(part))


def pulls_page() -> str:
    """Open pull requests that do not pass, and why."""
    return _page("pull-requests", *_part("pull-requests"), reasons=verdict_codes.each("short", language()))


def agents_page() -> str:
    """Open pull requests in which AI agents take part, and who answers for them."""
    part, filters = _part("agents")
    roles = {role: phrase(language(), "role", role) for row in part.rows for role in row.roles}
    return _page("agents", part, filters, roles=roles, named=[one for row in part.rows for one in row.answering])


def commits_page() -> str:
    """Commits in protected branches that no checked pull request brought."""
    kinds = {kind: phrase(language(), "page", f"title-commit-{kind}") for kind in commit_findings.KINDS}
    return _page("commits", *_part("commits"), kinds=kinds)


def export_list(listed: str) -> ResponseReturnValue:
    """The list as a CSV file under the filter of the form. It hands out logins, so the log says who took it."""
    found = LISTS.get(listed) or abort(404)
    filters = chosen(listed, request.form)
    with reading() as (records, _vault, _at):
        rows = [found.cells(row) for row in found.rows(records, filters, 0, MAX_EXPORTED_ROWS + 1)]
    is_whole = len(rows) <= MAX_EXPORTED_ROWS
    # A long list takes seconds: no other request waits for its reader to write.
    with change() as context:
        context.log("list.exported", details={"list": listed, "rows": min(len(rows), MAX_EXPORTED_ROWS)})
    log_export(listed, "list")
    content = table(found.header, rows[:MAX_EXPORTED_ROWS], is_whole=is_whole)
    return download(content, "text/csv", f"{listed}-{context.at:%Y-%m-%d}.csv")


def chosen(listed: str, values: Mapping[str, str]) -> dict[str, str]:
    """The filters of that list, as in the address or the form."""
    return {name: values.get(name, "").strip()[:_MAX_FILTER_CHARACTERS] for name in LISTS[listed].filters}


def wanted(filters: Filters) -> ListFilter:
    """The filter; what cannot be read asks for all."""
    since, until = chosen_days(filters)
    return ListFilter(
        agreement=filters.get("agreement", ""),
        state=filters.get("state", ""),
        since=since,
        until=until,
        sort=filters.get("sort", ""),
    )


def _part(listed: str) -> tuple[ListPage[Any], Filters]:
    filters = chosen(listed, request.args)
    with reading() as (records, _vault, _at):
        return list_page(lambda skip, most: LISTS[listed].rows(records, filters, skip, most)), filters


def _unnamed(part: ListPage[Any]) -> list[int]:
    """The accounts without a login: a signatory without an account has a name."""
    return [row.account_id for row in part.rows if not row.login]


def _page(listed: str, part: ListPage[Any], filters: Filters, **values: Any) -> str:
    return render(f"admin/{listed.replace('-', '_')}.html", part=part, filters=filters, listed=listed, **values)


def _red(filters: Filters) -> RedFilter:
    code = filters.get("code", "")
    return RedFilter(
        repository=filters.get("repository", ""),
        code=code if verdict_codes.of(code).kind == "problem" else "",  # Notes turn nothing red.
        oldest=filters.get("sort") == "oldest",
    )


def companies(records: Session, filters: Filters, skip: int, most: int) -> list[company_requests.Overview]:
    """Companies under that filter, as they stand now."""
    at, accepted = portal_services().clock(), portal_services().catalog.accepted()
    # An agreement whose text the catalog lacks covers no person, so it is listed by that state.
    missing = company_agreements.without_text(records, accepted=accepted)
    ids = admin_lists.company_ids(records, wanted(filters), missing=missing, at=at, skip=skip, most=most)
    return [*company_requests.overviews(records, ids, accepted=accepted, at=at)]


def _moment(at: datetime | None) -> str:
    return written(at) if at else ""


LISTS: Mapping[str, AdminList] = {
    "signatures": AdminList(
        ("agreement", "state", "from", "to", "sort"),
        lambda records, filters, skip, most: admin_lists.signature_rows(
            records, wanted(filters), skip=skip, most=most
        ),
        ("receipt", "account_id", "login", "agreement", "version", "for", "signed_at", "ended_at"),
        lambda row: (
            row.receipt, str(row.account_id), row.login or "", row.agreement, row.version,
            "company" if row.company else "person", _moment(row.signed_at), _moment(row.ended_at),
        ),
    ),
    "people": AdminList(
        ("state", "from", "to", "sort"),
        lambda records, filters, skip, most: admin_lists.person_rows(records, wanted(filters), skip=skip, most=most),
        ("account_id", "login", "known_since", "signatures", "restricted_at", "erased_at"),
        lambda row: (
            str(row.account_id), row.login or "", _moment(row.created_at), str(row.signed),
            _moment(row.restricted_at), _moment(row.erased_at),
        ),
    ),
    "companies": AdminList(
        ("state", "sort"),
        companies,
        ("id", "name", "agreement", "version", "state", "signed_at", "renew_by"),
        lambda row: (
            row.id, row.name, row.agreement, row.version, row.state, _moment(row.signed_at), _moment(row.renew_by)
        ),
    ),
    "agents": AdminList(
        ("repository", "answer"),
        lambda records, filters, skip, most: agent_pulls.listed(
            records, repository=filters.get("repository", ""), unanswered=filters.get("answer") == "none",
            skip=skip, most=most,
        ),
        ("repository", "number", "since", "passes", "roles", "answering_account_ids"),
        lambda row: (
            f"{row.owner}/{row.name}", str(row.number), _moment(row.since), "yes" if row.passes else "no",
            " ".join(row.roles), " ".join(map(str, row.answering)),
        ),
    ),
    "commits": AdminList(
        ("repository", "kind"),
        lambda records, filters, skip, most: commit_findings.listed(
            records, repository=filters.get("repository", ""), kind=filters.get("kind", ""), skip=skip, most=most
        ),
        ("repository", "branch", "commit", "finding", "number", "count", "found_at"),
        lambda row: (
            f"{row.owner}/{row.name}", row.branch, row.sha, row.kind, str(row.number or ""),
            "" if row.count is None else str(row.count), _moment(row.found_at),
        ),
    ),
    "pull-requests": AdminList(
        ("repository", "code", "sort"),
        lambda records, filters, skip, most: red_pulls.listed(records, _red(filters), skip=skip, most=most),
        ("repository", "number", "since", "codes"),
        lambda row: (
            f"{row.owner}/{row.name}", str(row.number), _moment(row.since),
            " ".join(code for code in row.codes if verdict_codes.of(code).kind == "problem"),
        ),
    ),
}  # fmt: skip


def ask_for_all() -> ResponseReturnValue:
    """The page that says what the download holds, with its button."""
    return render("admin/export.html")


def take_all() -> ResponseReturnValue:
    """The download, written as it is read."""
    services = portal_services()
    # In the log before its first byte: one that is cut off was taken, too.
    with change() as context:
        context.log("records.exported")
    log_export("records", None)
    # Handed over now: pieces are written when the request's context has ended.
    pieces = _pieces(services, services.catalog)
    return download(pieces, "application/json", f"countersign-{context.at:%Y-%m-%d}.json")


def _pieces(services: PortalServices, catalog: Catalog) -> Iterator[str]:
    with export_files.snapshot(services.sessions) as records:
        yield from export_files.as_json(records, services.vault, catalog, at=services.clock())
