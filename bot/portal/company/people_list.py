"""A pasted or uploaded list of people, read forgivingly: one person a line, by login, account number or address."""

import csv
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from flask import request
from flask_babel import lazy_gettext as _

from agreements.domains.canonical_form import domains_over
from agreements.domains.confusables import inspect_domain, skeleton
from agreements.github_server import GitHubServer, is_login
from bot.portal.forms.form_action import FormRefused
from bot.portal.forms.typed_values import account_number, day_start

MAX_LINES = 2000
"""Lines of one list."""

_MAX_LINE_CHARACTERS = 1000  # More than five cells have, and fewer than the limit of Python's `csv`.

_HEADINGS = {
    **dict.fromkeys(("login", "github", "github login", "user", "username"), "login"),
    **dict.fromkeys(("id", "account", "account id", "github id", "number"), "id"),
    **dict.fromkeys(("email", "e-mail", "mail", "address", "email address"), "address"),
    **dict.fromkeys(("from", "since", "first day", "start"), "from"),
    **dict.fromkeys(("until", "to", "last day", "end"), "until"),
}
"""The names that columns may have, in any case."""

_ORDER = ("login", "id", "address", "from", "until")
"""The columns of a line with all five of them, where no heading says otherwise."""

_DAY = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})")
_ENCODINGS = ("utf-8-sig", "gb18030")  # In China spreadsheets save CSV as GBK, a part of GB 18030.

UNREADABLE = {
    "encoding": _("The file could not be read. Save it as CSV in UTF-8."),
    "empty": _("Paste a list or choose a file."),
    "long": _("The list can have at most 2,000 lines. Split it."),
}
"""The reasons for which a list cannot be read at all."""

LOOK_ALIKE = _("The domain looks like one of yours but is different.")

Fault = Literal["nobody", "login", "bot", "address", "day", "columns", "several"]


@dataclass(frozen=True, slots=True)
class PeopleListLine:
    """The content of line `number`: one of `login`, `account_id` and `address`, unless `fault` says what is wrong with it.

    A login beside a number has to be that account's. `since` and `until` are year-month-day or ""; `shown` is the line itself.
    """

    number: int
    login: str = ""
    account_id: int | None = None
    address: str = field(default="", repr=False)
    since: str = ""
    until: str = ""
    fault: Fault | None = None
    shown: str = field(default="", repr=False)


def sent() -> str:
    """The list of the form, from the file if one was chosen. Raises FormRefused."""
    upload = request.files.get("file")
    content = upload.read() if upload else b""
    return decode(content) if content else request.form.get("list", "")


def decode(content: bytes) -> str:
    """The text of an uploaded file: UTF-8, UTF-16 with its mark, or GB 18030. Raises FormRefused."""
    # "Unicode text" of a spreadsheet is UTF-16 with a mark.
    encodings = ("utf-16",) if content[:2] in (b"\xff\xfe", b"\xfe\xff") else _ENCODINGS
    for encoding in encodings:
        try:
            return content.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise FormRefused({"list": UNREADABLE["encoding"]})


def read(text: str) -> tuple[PeopleListLine, ...]:
    """The people, in the order of the list; blank lines and a heading are left out. Raises FormRefused."""
    # A text that was copied from a file may begin with the file's mark.
    rows = [(number, row) for number, row in enumerate(text.removeprefix("\ufeff").splitlines(), 1) if row.strip()]
    if len(rows) > MAX_LINES + 1:  # One more: it may be a heading.
        raise FormRefused({"list": UNREADABLE["long"]})
    # The mark that stands on most lines; a space where none does.
    marks = Counter(mark for _number, row in rows for mark in ";\t," if mark in row)
    mark = max(marks, key=lambda mark: marks[mark], default=" ")
    cells = [(number, _cells(row[:_MAX_LINE_CHARACTERS], mark)) for number, row in rows]
    columns: tuple[str, ...] | None = None
    if cells and all(cell.lower() in _HEADINGS for cell in cells[0][1]):
        columns = tuple(_HEADINGS[cell.lower()] for cell in cells[0][1])
        cells = cells[1:]
    if not cells:
        raise FormRefused({"list": UNREADABLE["empty"]})
    if len(cells) > MAX_LINES:
        raise FormRefused({"list": UNREADABLE["long"]})
    return tuple(_line(number, row, columns) for number, row in cells)


def _cells(row: str, mark: str) -> list[str]:
    if mark == " ":
        return row.split()
    return [cell.strip() for cell in next(csv.reader([row], delimiter=mark, skipinitialspace=True))]


def _line(number: int, cells: list[str], columns: tuple[str, ...] | None) -> PeopleListLine:
    shown = " ".join(cell for cell in cells if cell)[:254]
    if columns is None and len(cells) == len(_ORDER):
        columns = _ORDER
    named = _by_columns(cells, columns) if columns else _by_look(cells)
    if named is None:
        return PeopleListLine(number, fault="columns", shown=shown)
    account_id = account_number(named.get("id", ""))
    days = [_day(named.get(name, "")) for name in ("from", "until")]
    login, address = named.get("login", "").removeprefix("@"), named.get("address", "")
    fault: Fault | None = None
    if not (login or address or named.get("id")):
        fault = "nobody"
    elif address and (login or named.get("id")):
        fault = "several"
    elif login.lower().endswith("[bot]"):
        fault = "bot"
    elif (login and not is_login(login)) or (named.get("id") and account_id is None):
        fault = "login"
    elif address and "@" not in address:
        fault = "address"
    elif None in days:
        fault = "day"
    return PeopleListLine(number, login, account_id, address, days[0] or "", days[1] or "", fault, shown)


def _by_columns(cells: list[str], columns: tuple[str, ...]) -> dict[str, str] | None:
    # More cells than columns, or two columns of one name: it is not guessed which of them is meant.
    if len(set(columns)) < len(columns) or any(cells[len(columns) :]):
        return None
    return dict(zip(columns, cells, strict=False))


def _by_look(cells: list[str]) -> dict[str, str] | None:
    """The person in the first cell, then the first and the last day; None for more cells."""
    named: dict[str, str] = {}
    rest = list(cells)
    while rest and rest[0] and not _DAY.fullmatch(rest[0]):
        cell = rest.pop(0)
        kind = "address" if "@" in cell.removeprefix("@") else "id" if cell.isascii() and cell.isdecimal() else "login"
        if kind in named:
            return None
        named[kind] = cell
    if any(rest[2:]):
        return None
    return named | dict(zip(("from", "until"), rest, strict=False))


def _day(text: str) -> str | None:
    """The day as year-month-day; "" for none, None for what is no day."""
    found = _DAY.fullmatch(text)
    if found is None:
        return None if text else ""
    day = f"{found[1]}-{found[2]:0>2}-{found[3]:0>2}"
    return day if day_start(day) else None


def address_origin(
    address: str, domains: Sequence[str], server: GitHubServer
) -> Literal["own", "look-alike", "foreign"]:
    """The origin of a canonical address: a domain of the company, one that only looks like one of them, or another."""
    over = domains_over(address, server)
    if set(domains).intersection(over):
        return "own"
    # A domain that only looks like one of the company's is more likely a mistake or a fraud than a foreign one.
    found, held = ({skeleton(inspect_domain(name).letters) for name in names} for names in (over, domains))
    return "foreign" if found.isdisjoint(held) else "look-alike"
