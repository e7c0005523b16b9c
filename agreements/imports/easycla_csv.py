"""EasyCLA's CSV: individual signatures by GitHub username, and companies with their approval lists.

Source: linuxfoundation/easycla, cla-backend-go/v2/signatures/converters.go (`iclaSigCsvHeader`, `cclaSigCsvHeader`,
dates as `Jan 2,2006`) and service.go (`GitHub ID,LF_ID,Name,Email,Date Signed`, where "GitHub ID" is the username). Of
approval lists plain domains are taken, the rest is named and refused. The version is not in it: the importer says it.
"""

from collections.abc import Iterator

from agreements.imports.entries import (
    Domain,
    FoundEntry,
    ImportDefaults,
    ImportFile,
    RawEntry,
    RejectedEntry,
    UnreadableImport,
    ended_by,
    shown,
)
from agreements.imports.files import TableRow, unescaped_rows_of

_LISTS = {
    "domainapprovallist": "domain",
    "emailapprovallist": "e-mail",
    "githuborgapprovallist": "organisation",
    "githubusernameapprovallist": "login",
}
_LOGIN = ("github username", "github id")
_DATE = ("signed date", "date signed")
_BY_COMPANY = "{kind} of {company}: let the company ask for its agreement here and name it"


def read(content: bytes, defaults: ImportDefaults) -> ImportFile:
    """The signatures of an individual list, or the domains of a company list. Raises UnreadableImport."""
    head, rows = unescaped_rows_of(content)  # Cells are written as `"%s"`, and nothing in them is escaped.
    says_approved = {"approved", "signed"}.issubset(head)
    if "domainapprovallist" in head:
        if not says_approved:
            raise UnreadableImport("line 1: without Approved and Signed it does not say which agreements are in force")
        found: list[FoundEntry] = [
            entry for row in rows for entry in (_company(row) if isinstance(row, TableRow) else [row])
        ]
    elif set(head).intersection(_LOGIN) and set(head).intersection(_DATE):
        # An employee's acknowledgement is no signature, and only lacks these two columns.
        if not says_approved:
            raise UnreadableImport(
                "line 1: without Approved and Signed this may be a list of employees, who signed nothing"
            )
        found = [_individual(row) if isinstance(row, TableRow) else row for row in rows]
    else:
        raise UnreadableImport(
            'line 1: neither "GitHub Username" and "Signed Date" nor "DomainApprovalList" is a column'
        )
    return ImportFile.of(found, defaults, ["dates have no zone and were read as UTC"] if found else [])


def _individual(row: TableRow) -> RawEntry | RejectedEntry:
    cells, where = row.cells, f"line {row.line}"
    login = row.first(_LOGIN)
    if not login:
        only = "GitLab" if cells.get("gitlab username") else "Gerrit"
        return RejectedEntry(where, "", f"the GitHub username is missing: it was signed for {only}")
    for name, word in (("approved", "withdrawn or never approved"), ("signed", "never signed")):
        if cells[name].lower() != "true":
            return RejectedEntry(where, shown(login), f"it was {word}")
    if reason := ended_by(cells):
        return RejectedEntry(where, shown(login), reason)
    return RawEntry(
        where=where,
        login=login,
        name=cells.get("name"),
        email=cells.get("email"),
        signed_at=row.first(_DATE),
        notes=[f"lf_id: {cells['lf_id']}"] if cells.get("lf_id") else [],
    )


def _company(row: TableRow) -> Iterator[Domain | RejectedEntry]:
    """A company's domains; the people it names are refused, as it has to name them here again."""
    cells, where = row.cells, f"line {row.line}"
    company = shown(cells.get("company name", "")) or "a company"
    is_in_force = cells["approved"].lower() == cells["signed"].lower() == "true"
    if reason := ended_by(cells) if is_in_force else "its agreement is not in force there":
        yield RejectedEntry(where, company, reason)
        return
    for column, kind in _LISTS.items():
        for item in filter(None, map(str.strip, cells.get(column, "").split(","))):
            if "*" in item or item.startswith("."):  # A pattern may take in what is not the company's.
                yield RejectedEntry(where, shown(item), "patterns are not allowed: list each domain")
            elif kind == "domain":
                yield Domain(where, item)
            else:
                yield RejectedEntry(where, shown(item), _BY_COMPANY.format(kind=kind, company=company))
