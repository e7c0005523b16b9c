"""An import: its new entries (`plan`) are written lot by lot, each with its log entries.

An entry with an account's number becomes a signature at once, unless that account's history here speaks against it;
one without waits: a login alone names no one.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256

from sqlmodel import Session, col, select

from agreements.cla.party import canonical_party
from agreements.facts import Account
from agreements.imports.entries import ImportEntry, RejectedEntry
from agreements.store.erasures import ERASED_LOGIN
from agreements.store.imports import import_doubts
from agreements.store.ledger.stored_ledger import SERVER, Change, LedgerSubject
from agreements.store.lookup import account_chunks, text_chunks, text_key
from agreements.store.people import person_rows, signatures
from agreements.store.people.signatures import SignatureDraft
from agreements.store.record_context import RecordContext
from agreements.store.tables.records import ImportedEntry, PersonRecord, SignatureRecord, Withdrawal
from agreements.vault import Vault, place, receipt_number

WAITING, COUNTED, DOUBTFUL, REFUSED = "waiting", "counted", "needs-administrator", "refused"
"""The states of an entry: its login's owner is to be found; it is a signature; an administrator decides; it counts for no one."""

BATCH_ENTRIES = 100
"""Entries in one transaction: few enough that other writers do not wait long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportSource:
    """A list: its `format`, the SHA-256 of the file (`sha256`), its `agreement` and the other `party`.

    An entry may name another party. None: not known, so its signatures count nowhere until an administrator decides.
    """

    format: str
    sha256: str
    agreement: str
    party: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedDetails:
    """The sealed part of an entry: `name`, `email`, its place in the file (`where`, `sha256`), `notes`, and the reason of a `refusal`.

    `dated`: the date is the list's own; `login` is set only where the entry itself may not say it.
    """

    name: str = field(default="", repr=False)
    email: str = field(default="", repr=False)
    where: str = ""
    sha256: str = ""
    dated: bool = True
    notes: Sequence[str] = ()
    refusal: str = field(default="", repr=False)
    login: str = field(default="", repr=False)
    party: str | None = None
    """The agreement's other party; None for an entry that an earlier release imported: its signature waits for an administrator."""


def party(entry: ImportEntry, source: ImportSource) -> str | None:
    """The party of the entry's agreement; None while it is not known."""
    stated = entry.party or source.party
    return canonical_party(stated) if stated else None


def add(context: RecordContext, lot: Sequence[ImportEntry], source: ImportSource) -> tuple[ImportedEntry, ...]:
    """Write one lot of new rows, and log entries: one for each signature or doubt, one for all that wait."""
    session, vault = context.session, context.vault
    rows, changes, waiting = [], [], []
    # Known people are locked before their erasures and withdrawals are read.
    person_rows.lock_all(
        session, person_rows.find_all(session, [entry.account_id for entry in lot if entry.account_id]).values()
    )
    doubtful = doubts(session, lot, source)
    accounts = {entry.account_id: entry.login for entry in lot if entry.account_id and entry not in doubtful}
    persons = _made(context, accounts)
    standing = _standing(session, persons.values(), source.agreement)
    for entry in lot:
        row = _row(context, entry, source)
        rows.append(row)
        if entry.account_id is None:
            waiting.append(row)
        elif entry in doubtful:
            changes.append(doubted(vault, row, doubtful[entry]))
        else:
            whom = party(entry, source)
            # A second import of the same signature adds none.
            found = standing.get((entry.account_id, entry.version, whom)) if whom else None
            signed = found or _signature(context, row, persons[entry.account_id])
            changes.append(_counted(context, row, persons[entry.account_id], signed, "signature.imported"))
        session.add(row)
    if waiting:
        details = {"format": source.format, "sha256": source.sha256}
        changes.append(Change(kind="login.imported", actor_id=None, subject=SERVER, rows=waiting, details=details))
    # All rows first: the log is locked from its first entry to the end of the transaction.
    if changes:
        context.append(*changes)
    return tuple(rows)


def sign(context: RecordContext, row: ImportedEntry, person: PersonRecord, kind: str, reason: str = "") -> None:
    """Make the entry a signature of that person, and log it as that `kind` of change."""
    person_rows.lock(context.session, person)
    with_whom = opened(context.vault, row).party
    standing = None
    if with_whom is not None:
        found = _standing(context.session, [person], row.agreement)
        standing = found.get((person.account_id, row.version, with_whom))
    signed = standing or _signature(context, row, person, reason)  # A signature that stands is kept.
    change = _counted(context, row, person, signed, kind, reason)
    context.session.add(row)
    context.append(change)


def key(entry: ImportEntry, source: ImportSource) -> str:
    """The identity of the entry (the person, the text, the party) as one word."""
    whom = party(entry, source)
    # A plain hash: nothing of it is secret.
    return _key(source.agreement, entry.version, _who(entry), *([whom] if whom else []))


def key_without_party(entry: ImportEntry, source: ImportSource) -> str:
    """The same as releases wrote it that did not know parties."""
    return _key(source.agreement, entry.version, _who(entry))


def _who(entry: ImportEntry) -> str | int:
    # Logins are equal in any case of letters on GitHub.
    return entry.login.lower() if entry.account_id is None else entry.account_id


def _key(*words: str | int) -> str:
    return sha256(json.dumps(words).encode()).hexdigest()


def doubts(session: Session, entries: Iterable[ImportEntry], source: ImportSource) -> dict[ImportEntry, str]:
    """The doubts of `import_doubts` about entries with an account's number; entries without a doubt are left out."""
    numbered = [(entry, (entry.account_id, entry.signed_at)) for entry in entries if entry.account_id is not None]
    found = import_doubts.found(session, [claim for _, claim in numbered], source.agreement)
    return {entry: found[claim] for entry, claim in numbered if claim in found}


def doubted(vault: Vault, row: ImportedEntry, doubt: str) -> Change:
    """Have the entry wait for an administrator because of that doubt; the change for the log."""
    if doubt in import_doubts.UNNAMED:
        # What the list says of erased or restricted people is not kept; the login, for the administrator, is sealed.
        details = replace(opened(vault, row), name="", email="", notes=(), login=row.login)
        row.sealed = sealed(vault, row.id, details)
        row.login = ERASED_LOGIN
    row.state, row.reason = DOUBTFUL, doubt
    return Change(kind="login.doubted", actor_id=None, subject=SERVER, rows=[row], details={"reason": doubt})


def opened(vault: Vault, row: ImportedEntry) -> ImportedDetails:
    """The sealed part of the entry. Raises DecryptionFailed."""
    return ImportedDetails(**json.loads(vault.decrypt_for_server(row.sealed, place("imported", "sealed", row.id))))


def sealed(vault: Vault, row_id: str, details: ImportedDetails) -> bytes:
    """The sealed form of the details, bound to the entry."""
    return vault.encrypt_for_server(
        json.dumps(asdict(details), ensure_ascii=False).encode(), place("imported", "sealed", row_id)
    )


def _row(context: RecordContext, entry: ImportEntry, source: ImportSource) -> ImportedEntry:
    new_id = text_key(context.new_id())
    details = ImportedDetails(
        name=entry.name,
        email=entry.email,
        where=entry.where,
        sha256=source.sha256,
        dated=entry.dated,
        notes=entry.notes,
        party=party(entry, source),
    )
    return ImportedEntry(
        id=new_id,
        key=key(entry, source),
        format=source.format,
        login=entry.login,
        account_id=entry.account_id,
        agreement=text_key(source.agreement),
        version=entry.version,
        signed_at=entry.signed_at,
        sealed=sealed(context.vault, new_id, details),
        state=WAITING,
        imported_at=context.at,
    )


def _signature(context: RecordContext, row: ImportedEntry, person: PersonRecord, reason: str = "") -> SignatureRecord:
    draft = _draft(row, opened(context.vault, row), reason)
    # The callers have looked for a signature that stands: `_standing`.
    return signatures.add(context, person, draft, receipt=receipt_number(), signed_at=row.signed_at, anew=True).row


def _counted(
    context: RecordContext,
    row: ImportedEntry,
    person: PersonRecord,
    signed: SignatureRecord | str,
    kind: str,
    reason: str = "",
) -> Change:
    vault = context.vault
    said = {"agreement": row.agreement, "version": row.version, "format": row.format, "reason": reason}
    said["sha256"] = opened(vault, row).sha256
    row.signature_id = signed if isinstance(signed, str) else signed.id
    row.state, row.account_id, row.reason = COUNTED, person.account_id, ""
    # The evidence is the signature's now, under the person's key alone: an erasure ends it.
    row.sealed = sealed(vault, row.id, ImportedDetails())
    rows = [row] if isinstance(signed, str) else [signed, row]
    subject = LedgerSubject("person", person.id, person_rows.data_key(vault, person))
    return Change(
        kind=kind, actor_id=context.by, subject=subject, rows=rows, details={k: v for k, v in said.items() if v}
    )


def _made(context: RecordContext, accounts: Mapping[int, str]) -> dict[int, PersonRecord]:
    """The people of these accounts, new ones made, all locked until the transaction ends."""
    session = context.session
    known = person_rows.find_all(session, list(accounts))
    # A known person keeps the login they have here.
    new = [Account(number, login) for number, login in accounts.items() if number not in known]
    person_rows.make_all(context, new)
    found = person_rows.find_all(session, list(accounts))  # Read again: another session may have made one of them.
    person_rows.lock_all(session, found.values())
    return found


def _standing(session: Session, persons: Iterable[PersonRecord], agreement: str) -> dict[tuple[int, str, str], str]:
    """The signatures made elsewhere in force, with a known party: account, version and party → id."""
    found: dict[tuple[int, str, str], str] = {}
    for chunk in account_chunks([person.account_id for person in persons]):
        query = (
            select(SignatureRecord.account_id, SignatureRecord.version, SignatureRecord.id, signatures.party())
            .join(Withdrawal, isouter=True)
            .where(
                col(SignatureRecord.account_id).in_(chunk),
                col(SignatureRecord.agreement) == text_key(agreement),
                # A signature made here is of another text.
                col(SignatureRecord.source_sha256) == signatures.EXTERNAL_TEXT,
                col(Withdrawal.signature_id).is_(None),
                signatures.personal(),
            )
        )
        rows = session.exec(query)
        found |= {(account_id, version, whom): row_id for account_id, version, row_id, whom in rows if whom is not None}
    return found


def _draft(row: ImportedEntry, details: ImportedDetails, reason: str) -> SignatureDraft:
    fields = {
        "source-format": row.format,
        "source-sha256": details.sha256,
        "source-place": details.where,
        "source-login": details.login or row.login,
        "source-date": "of the list" if details.dated else "given by whoever imported the list",
        "source-notes": "; ".join(details.notes),
        "confirmed-because": reason,
    }
    return SignatureDraft(
        agreement=row.agreement,
        version=row.version,
        language=signatures.UNDETERMINED_LANGUAGE,
        source_sha256=signatures.EXTERNAL_TEXT,
        shown_sha256=signatures.EXTERNAL_TEXT,
        statement_id=signatures.IMPORTED,
        statement_sha256=signatures.EXTERNAL_TEXT,
        identity_proof=signatures.IMPORTED,
        party=details.party,
        name=details.name,
        email=details.email,
        fields={name: value for name, value in fields.items() if value},
    )


_CONTRADICTS = "{where} has the same account's number with another login: leave the one that is wrong out"


@dataclass(frozen=True, slots=True)
class Plan:
    """A list compared with the records: entries `added`, those `unchanged` and why, those `refused` as they contradict an earlier one.

    `doubts` says which of the added will wait for an administrator, and why.
    """

    added: tuple[ImportEntry, ...] = ()
    unchanged: tuple[tuple[ImportEntry, str], ...] = ()
    refused: tuple[RejectedEntry, ...] = ()
    doubts: Mapping[ImportEntry, str] = field(default_factory=dict)


def plan(session: Session, entries: Sequence[ImportEntry], source: ImportSource) -> Plan:
    """Part new entries from known ones. One person's agreement of one version is one entry: the earliest counts."""
    keys = [key(entry, source) for entry in entries]
    stated: dict[str, ImportEntry] = {}
    first: dict[str, ImportEntry] = {}
    for whose, entry in zip(keys, entries, strict=True):
        if not _contradicts(entry, stated.setdefault(whose, entry)) and (
            whose not in first or entry.signed_at < first[whose].signed_at
        ):
            first[whose] = entry
    known = _known_before(session, dict(zip(keys, entries, strict=True)), source)
    for chunk in text_chunks(first):
        known.update(session.exec(select(ImportedEntry.key).where(col(ImportedEntry.key).in_(chunk))))
    added, unchanged, refused = [], [], []
    for whose, entry in zip(keys, entries, strict=True):
        if _contradicts(entry, stated[whose]):
            refused.append(RejectedEntry(entry.where, entry.login, _CONTRADICTS.format(where=stated[whose].where)))
        elif whose in known:
            unchanged.append((entry, "imported before"))
        elif first[whose] is not entry:
            unchanged.append((entry, f"the same person and version as {first[whose].where}"))
        else:
            added.append(entry)
    return Plan(tuple(added), tuple(unchanged), tuple(refused), doubts(session, added, source))


def _contradicts(entry: ImportEntry, stated: ImportEntry) -> bool:
    return entry.login.lower() != stated.login.lower()  # One number with two logins: one of them is another person's.


def _known_before(session: Session, entries: Mapping[str, ImportEntry], source: ImportSource) -> set[str]:
    # A release that did not know parties imported these: the same entry with another party is a new one.
    before = {key_without_party(entry, source): key for key, entry in entries.items()}
    found: set[str] = set()
    for chunk in text_chunks(list(before)):
        query = (
            select(ImportedEntry.key, signatures.party())
            .join(SignatureRecord, col(SignatureRecord.id) == col(ImportedEntry.signature_id))
            .where(col(ImportedEntry.key).in_(chunk))
        )
        found |= {
            before[old_key] for old_key, whom in session.exec(query) if whom == party(entries[before[old_key]], source)
        }
    return found
