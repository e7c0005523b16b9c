"""Lists to browse, filter and sort, each also as a CSV file: a list is one class here, and one route."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, ClassVar, Generic

from flask import abort, request
from flask.typing import ResponseReturnValue

from agreements.moments import text as written
from agreements.store import admin_lists
from agreements.store.admin_lists import ListFilter, PersonRow, SignatureRow
from agreements.store.companies import company_agreements, company_requests
from agreements.store.companies.company_requests import Overview
from bot import verdict_codes
from bot.portal import organizations
from bot.portal.admin.companies import name_warnings
from bot.portal.admin.page_context import Row, list_page, render
from bot.portal.downloads import download, log_export, table
from bot.portal.forms.form_action import change
from bot.portal.forms.typed_values import chosen_days
from bot.portal.portal_services import ReadContext, portal_services, reading
from bot.portal.text.languages import language
from bot.report.words import phrase
from bot.store.pulls import agent_pulls, commit_findings, red_pulls
from bot.store.pulls.agent_pulls import AgentPull
from bot.store.pulls.commit_findings import CommitFinding
from bot.store.pulls.red_pulls import RedFilter, RedPull

MAX_EXPORTED_ROWS = 50_000
"""Rows of one file; a longer list is exported in parts, by its filter."""

_MAX_FILTER_CHARACTERS = 140
Filters = Mapping[str, str]


class AdminList(ABC, Generic[Row]):
    """A list called `name`, as its template and its file are, with the names of its `filters` and the file's `header`."""

    name: ClassVar[str]
    filters: ClassVar[tuple[str, ...]]
    header: ClassVar[tuple[str, ...]]

    @abstractmethod
    def rows(self, context: ReadContext, filters: Filters, skip: int, most: int) -> Sequence[Row]:
        """The rows under these filters: at most so many, after those that are skipped."""

    @abstractmethod
    def cells(self, row: Row) -> Sequence[object]:
        """The values of the row in the file, below `header`."""

    @abstractmethod
    def page_values(self, rows: Sequence[Row]) -> dict[str, Any]:
        """The further values that the template needs for these rows."""

    def page(self) -> str:
        """The page of the list that the address asks for."""
        filters = self.chosen(request.args)
        with reading() as context:
            part = list_page(lambda skip, most: self.rows(context, filters, skip, most))
        template = f"admin/{self.name.replace('-', '_')}.html"
        return render(template, part=part, filters=filters, listed=self.name, **self.page_values(part.rows))

    def chosen(self, values: Mapping[str, str]) -> Filters:
        """The filters of this list, as in the address or the form."""
        return {name: values.get(name, "").strip()[:_MAX_FILTER_CHARACTERS] for name in self.filters}


class SignatureList(AdminList[SignatureRow]):
    """Signatures, the newest first."""

    name = "signatures"
    filters = ("agreement", "state", "from", "to", "sort")
    header = ("receipt", "account_id", "login", "agreement", "version", "for", "signed_at", "ended_at")

    def rows(self, context: ReadContext, filters: Filters, skip: int, most: int) -> Sequence[SignatureRow]:
        return admin_lists.signature_rows(context.records, _filter(filters), skip=skip, most=most)

    def cells(self, row: SignatureRow) -> Sequence[object]:
        signer = "company" if row.company else "person"
        return row.receipt, row.account_id, row.login, row.agreement, row.version, signer, row.signed_at, row.ended_at

    def page_values(self, rows: Sequence[SignatureRow]) -> dict[str, Any]:
        with reading() as context:
            agreements = admin_lists.agreements(context.records)
        return {
            "agreements": [(name, name) for name in agreements],
            "names": organizations.party_names(row.party for row in rows),
            "named": [row.account_id for row in rows if not row.login],  # A signatory without an account has a name.
        }


class PersonList(AdminList[PersonRow]):
    """Accounts that something is kept of."""

    name = "people"
    filters = ("state", "from", "to", "sort")
    header = ("account_id", "login", "known_since", "signatures", "restricted_at", "erased_at")

    def rows(self, context: ReadContext, filters: Filters, skip: int, most: int) -> Sequence[PersonRow]:
        return admin_lists.person_rows(context.records, _filter(filters), skip=skip, most=most)

    def cells(self, row: PersonRow) -> Sequence[object]:
        return row.account_id, row.login, row.created_at, row.signed, row.restricted_at, row.erased_at

    def page_values(self, rows: Sequence[PersonRow]) -> dict[str, Any]:
        return {"named": [row.account_id for row in rows if not row.login]}


class CompanyList(AdminList[Overview]):
    """Companies by name; those that wait for a decision stand first."""

    name = "companies"
    filters = ("state", "sort")
    header = ("id", "name", "agreement", "version", "state", "signed_at", "renew_by")

    def rows(self, context: ReadContext, filters: Filters, skip: int, most: int) -> Sequence[Overview]:
        records, at, accepted = context.records, context.at, portal_services().catalog.accepted()
        # An agreement whose text the catalog lacks covers no person, so it is listed by that state.
        missing = company_agreements.without_text(records, accepted=accepted)
        ids = admin_lists.company_ids(records, _filter(filters), missing=missing, at=at, skip=skip, most=most)
        return [*company_requests.overviews(records, ids, accepted=accepted, at=at)]

    def cells(self, row: Overview) -> Sequence[object]:
        return row.id, row.name, row.agreement, row.version, row.state, row.signed_at, row.renew_by

    def page_values(self, rows: Sequence[Overview]) -> dict[str, Any]:
        with reading() as (records, _vault, at):
            waiting = company_requests.pending(records, accepted=portal_services().catalog.accepted(), at=at)
            return {"waiting": waiting, "warnings": name_warnings(records, (*waiting, *rows))}


class AgentPullList(AdminList[AgentPull]):
    """Open pull requests in which AI agents take part, and who answers for them."""

    name = "agents"
    filters = ("repository", "answer")
    header = ("repository", "number", "since", "passes", "roles", "answering_account_ids")

    def rows(self, context: ReadContext, filters: Filters, skip: int, most: int) -> Sequence[AgentPull]:
        repository, unanswered = filters["repository"], filters["answer"] == "none"
        return agent_pulls.listed(context.records, repository=repository, unanswered=unanswered, skip=skip, most=most)

    def cells(self, row: AgentPull) -> Sequence[object]:
        passes, answering = "yes" if row.passes else "no", " ".join(map(str, row.answering))
        return f"{row.owner}/{row.name}", row.number, row.since, passes, " ".join(row.roles), answering

    def page_values(self, rows: Sequence[AgentPull]) -> dict[str, Any]:
        return {
            "roles": {role: phrase(language(), "role", role) for row in rows for role in row.roles},
            "named": [account_id for row in rows for account_id in row.answering],
        }


class CommitList(AdminList[CommitFinding]):
    """Commits in protected branches that no checked pull request brought."""

    name = "commits"
    filters = ("repository", "kind")
    header = ("repository", "branch", "commit", "finding", "number", "count", "found_at")

    def rows(self, context: ReadContext, filters: Filters, skip: int, most: int) -> Sequence[CommitFinding]:
        return commit_findings.listed(context.records, **filters, skip=skip, most=most)

    def cells(self, row: CommitFinding) -> Sequence[object]:
        repository = f"{row.owner}/{row.name}"
        return repository, row.branch, row.sha, row.kind, row.number or "", row.count, row.found_at

    def page_values(self, _rows: Sequence[CommitFinding]) -> dict[str, Any]:
        kinds = commit_findings.KINDS
        return {"kinds": {kind: phrase(language(), "page", f"title-commit-{kind}") for kind in kinds}}


class PullRequestList(AdminList[RedPull]):
    """Open pull requests that do not pass, and why."""

    name = "pull-requests"
    filters = ("repository", "code", "sort")
    header = ("repository", "number", "since", "codes")

    def rows(self, context: ReadContext, filters: Filters, skip: int, most: int) -> Sequence[RedPull]:
        code = filters["code"] if _is_problem(filters["code"]) else ""
        wanted = RedFilter(repository=filters["repository"], code=code, oldest=filters["sort"] == "oldest")
        return red_pulls.listed(context.records, wanted, skip=skip, most=most)

    def cells(self, row: RedPull) -> Sequence[object]:
        return f"{row.owner}/{row.name}", row.number, row.since, " ".join(filter(_is_problem, row.codes))

    def page_values(self, _rows: Sequence[RedPull]) -> dict[str, Any]:
        return {"reasons": verdict_codes.each("short", language())}


LISTS: Mapping[str, AdminList[Any]] = {declared.name: declared() for declared in AdminList.__subclasses__()}


def export_list(listed: str) -> ResponseReturnValue:
    """The list as a CSV file under the filter of the form. It hands out logins, so the log says who took it."""
    found = LISTS.get(listed) or abort(404)
    with reading() as context:
        rows = found.rows(context, found.chosen(request.form), 0, MAX_EXPORTED_ROWS + 1)
        cells = [[_text(value) for value in found.cells(row)] for row in rows[:MAX_EXPORTED_ROWS]]
    # A long list takes seconds: no other request waits for its reader to write.
    with change() as changing:
        changing.log("list.exported", details={"list": listed, "rows": len(cells)})
    log_export(listed, "list")
    content = table(found.header, cells, is_whole=len(rows) <= MAX_EXPORTED_ROWS)
    return download(content, "text/csv", f"{listed}-{changing.at:%Y-%m-%d}.csv")


def _filter(filters: Filters) -> ListFilter:
    """The filter; what cannot be read asks for all."""
    since, until = chosen_days(filters)
    texts = {name: filters.get(name, "") for name in ("agreement", "state", "sort")}
    return ListFilter(**texts, since=since, until=until)


def _is_problem(code: str) -> bool:
    return verdict_codes.of(code).kind == "problem"  # Notes turn nothing red.


def _text(value: object) -> str:
    """The text of a cell; None is an empty one."""
    return written(value) if isinstance(value, datetime) else "" if value is None else str(value)
