"""The entries of an import: people, domains, refusals with a reason, and the checks that tell them apart."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Self

from agreements import versions
from agreements.domains.canonical_form import canonical_address
from agreements.domains.invisible import INVISIBLE_CHARACTERS
from agreements.form_fields import normalized, printable
from agreements.github_server import is_login
from agreements.imports.dates import UNREADABLE, signing_date

MAX_NAME_CHARACTERS, MAX_NOTE_CHARACTERS = 200, 500
MAX_ID = 2**63 - 1
"""The largest number that a database keeps as an account's id."""


# Titles of three words at most: a longer one is a sentence that a signer confirmed, such as "I tell you when my work ends".
_MAX_TITLE_WORDS = 3
_END = re.compile(
    r"\b(?:revo[ck]|withdr[ae]w|expir|terminat|cancel|rescind|inactiv|deactivat|delet)"
    r"|^(?:cla |signature |agreement )?(?:end(?:s|ed|ing)?(?: ?(?:date|at|on))?$|valid (?:until|till|to)$)"
    r"|撤销|撤回|吊销|终止|失效|过期"
)
_STATES = frozenset({"status", "state", "状态"})
_NOT_SAID = frozenset({"", "false", "no", "n", "0", "-", "–", "none", "null", "n/a", "never", "否", "无"})


class UnreadableImport(Exception):
    """The file as a whole is not of its format; one line: where, and what should be there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportEntry:
    """A person (`login`, `name`, `email`) who signed the `version` at `signed_at`, as the file says; `where` is their place there.

    Without `account_id` the login waits. `dated` is False when the importer gave the date; `notes` are about the
    documents; `party` is the agreement's other side, "" where the file does not say.
    """

    where: str
    login: str
    account_id: int | None
    name: str = field(default="", repr=False)
    email: str = field(default="", repr=False)
    signed_at: datetime
    version: str
    dated: bool = True
    notes: tuple[str, ...] = field(default=(), repr=False)
    party: str = ""


@dataclass(frozen=True, slots=True)
class RejectedEntry:
    """An entry that is not imported: its place (`where`), the login or domain it names (`who`, never an address), and the `reason`."""

    where: str
    who: str
    reason: str


@dataclass(frozen=True, slots=True)
class Domain:
    """A company's domain (`name`), as the file spells it; `where` is its place there."""

    where: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportDefaults:
    """The values that the importer adds to a file: the present moment (`now`), and a `version` and a date (`signed_at`) that it lacks."""

    now: datetime
    version: str = ""
    signed_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RawEntry:
    """One entry as it stands in the file, before it is believed: `login`, `account_id`, `name`, `email`, `signed_at`, `version`, `party`.

    `where` is its place, `notes` are about the documents; what it does not say is None or empty.
    """

    where: str
    login: object
    account_id: object = None
    name: object = ""
    email: object = ""
    signed_at: object = None
    version: object = None
    notes: Sequence[str] = ()
    party: object = None


FoundEntry = ImportEntry | RawEntry | Domain | RejectedEntry
"""The outcome of one entry of a file."""


@dataclass(frozen=True, slots=True)
class ImportFile:
    """The contents of one file: `entries`, `refused` ones and `domains`, in its order; `remarks` say how it was understood."""

    entries: tuple[ImportEntry, ...] = ()
    refused: tuple[RejectedEntry, ...] = ()
    domains: tuple[Domain, ...] = ()
    remarks: tuple[str, ...] = ()

    @classmethod
    def of(cls, found: Iterable[FoundEntry], defaults: ImportDefaults, remarks: Iterable[str] = ()) -> Self:
        """The found entries by kind; a raw entry is judged."""
        everything = [judge(entry, defaults) if isinstance(entry, RawEntry) else entry for entry in found]
        return cls(
            entries=tuple(entry for entry in everything if isinstance(entry, ImportEntry)),
            refused=tuple(entry for entry in everything if isinstance(entry, RejectedEntry)),
            domains=tuple(entry for entry in everything if isinstance(entry, Domain)),
            remarks=tuple(remarks),
        )


def judge(claim: RawEntry, defaults: ImportDefaults) -> ImportEntry | RejectedEntry:
    """The entry, or why it is refused."""
    login = _text(claim.login).removeprefix("@")  # People write `@login` in lists.
    try:
        version, dated = _version(claim, defaults), claim.signed_at not in (None, "")
        return ImportEntry(
            where=claim.where,
            login=_login(login),
            account_id=_account_id(claim.account_id),
            name=_name(claim.name),
            email=_email(claim.email),
            signed_at=_signed_at(claim, defaults),
            version=version,
            dated=dated,
            # Cut, not refused: notes decide nothing.
            notes=tuple(note[:MAX_NOTE_CHARACTERS] for note in claim.notes if note),
            party=_party(claim.party),
        )
    except ValueError as error:
        return RejectedEntry(claim.where, shown(login), str(error))


def ended_by(fields: Mapping[str, object]) -> str:
    """The reason to refuse an entry of which one of the fields says that it ended, or when it ends; "" where none does.

    No form has such a field by itself, so its values are not compared: a person decides.
    """
    for title, value in fields.items():
        words = " ".join(re.findall(r"[^\W\d_]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", title))).lower()
        said = str(value).strip().lower() if value else ""
        is_end = len(words.split()) <= _MAX_TITLE_WORDS and _END.search(words) is not None
        if (is_end and said not in _NOT_SAID) or (words in _STATES and _END.search(said)):
            return f'"{shown(title)}" says that it ended, or when it ends'
    return ""


def shown(text: object) -> str:
    """A login or a domain as it may be shown: short, printable, and nothing that looks like an address."""
    plain = "".join(char if char.isprintable() else "?" for char in _text(text))
    return "(an address)" if "@" in plain else plain[:60]


def _text(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""


def _login(login: str) -> str:
    if not login:
        raise ValueError("the GitHub login is missing")
    if "@" in login:
        raise ValueError("this is an address, not a GitHub login")
    if "*" in login or "?" in login:
        raise ValueError("patterns are not allowed: list each account")
    if not is_login(login):
        raise ValueError("this is not a GitHub login")
    if login.endswith("[bot]"):
        raise ValueError("a bot signs nothing: list it under people.exempt in the rulebook")
    return login


def _account_id(value: object) -> int | None:
    if value is None or value == "":
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 0 < value <= MAX_ID:  # `True` is an int.
        raise ValueError("the id is not an account number: write a whole number above 0, without quotation marks")
    return value


def _name(value: object) -> str:
    name = normalized(_text(value))
    if value not in (None, "") and not isinstance(value, str):
        raise ValueError("the name is not text")
    if (
        len(name) > MAX_NAME_CHARACTERS
        or not printable(name)  # As in the form to sign: joiners are part of names in Persian and in scripts of India.
        # There are letters that show nothing, such as U+3164.
        or (name and INVISIBLE_CHARACTERS.issuperset(name.replace(" ", "")))
    ):
        raise ValueError(f"the name has characters that show nothing, or more than {MAX_NAME_CHARACTERS}")
    return name


def _party(value: object) -> str:
    if value is None:
        return ""
    if not isinstance(value, str) or not is_party(value):
        raise ValueError("the party is not a name")
    return normalized(value)


def is_party(name: str) -> bool:
    """Whether a party may be called that: readable, on one line, not longer than other names."""
    party = normalized(name)
    return (
        0 < len(party) <= MAX_NAME_CHARACTERS
        and printable(party)
        and not INVISIBLE_CHARACTERS.issuperset(party.replace(" ", ""))
    )


def _email(value: object) -> str:
    address = _text(value)
    if value not in (None, "") and not isinstance(value, str):
        raise ValueError("the e-mail address is not text")
    if address and canonical_address(address) is None:  # An invalid address is evidence of no person.
        raise ValueError("the e-mail address is not valid")
    return address


def _version(claim: RawEntry, defaults: ImportDefaults) -> str:
    version = _text(claim.version) or defaults.version
    if claim.version not in (None, "") and not isinstance(claim.version, str):
        raise ValueError('signed_version must be text, such as "1.0"')
    if not version:
        raise ValueError("it does not say which version was signed: give it with --signed-version")
    if versions.parts(version) is None:
        raise ValueError(f"{shown(version)!r} is not a version: write numbers separated by dots, such as 1.0")
    return version


def _signed_at(claim: RawEntry, defaults: ImportDefaults) -> datetime:
    if claim.signed_at in (None, ""):
        if defaults.signed_at is None:
            raise ValueError("it does not say when it was signed: give the day with --signed-at")
        return defaults.signed_at
    found = signing_date(claim.signed_at)
    if found is None:
        raise ValueError(UNREADABLE)
    if found > defaults.now:
        raise ValueError("it was signed in the future")
    if found.year < 2008:
        raise ValueError("it was signed before GitHub existed")
    return found
