"""What an import does to the records: what is new (`plan`) is written lot by lot, each with its log entries.

An entry with an account's number becomes a signature at once, unless what happened to that account here speaks against it;
one without waits: a login alone names nobody.
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
from agreements.store.ledger.ledger import SERVER, Change, LedgerSubject
from agreements.store.lookup import account_chunks, text_chunks, text_key
from agreements.store.people import person_rows, signatures
from agreements.store.people.signatures import SignatureDraft
from agreements.store.record_context import RecordContext
from agreements.store.tables.records import ImportedEntry, PersonRecord, SignatureRecord, Withdrawal
from agreements.vault import Vault, place, receipt_number

WAITING, COUNTED, DOUBTFUL, REFUSED = "waiting", "counted", "needs-administrator", "refused"
"""The states of an entry: nobody knows yet whose login it is; it is a signature; a person decides; it counts for nobody."""

BATCH_ENTRIES = 100
"""Entries in one transaction: short enough that nobody waits for the database."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportSource:
    """Where entries come from: the format, the SHA-256 of the file, the agreement that they are about, and its other party.

    An entry may name another party. None: nobody knows, so what is imported counts nowhere until an administrator decides.
    """

    format: str
    sha256: str
    agreement: str
    party: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedDetails:
    """What of an entry is personal or evidence, and therefore sealed; `login` only where the entry itself may not say it."""

    name: str = field(default="", repr=False)
    email: str = field(default="", repr=False)
    where: str = ""
    sha256: str = ""
    dated: bool = True
    notes: Sequence[str] = ()
    refusal: str = field(default="", repr=False)
    login: str = field(default="", repr=False)
    party: str | None = None
    """With whom; None of an entry that an earlier release imported: its signature waits for an administrator."""


def party(entry: ImportEntry, source: ImportSource) -> str | None:
    """With whom the entry's agreement was made; None while nobody knows."""
    stated = entry.party or source.party
    return canonical_party(stated) if stated else None


def add(context: RecordContext, lot: Sequence[ImportEntry], source: ImportSource) -> tuple[ImportedEntry, ...]:
    """Write one lot of new entries and its log entries: one for each signature or doubt, one for all that wait. The rows."""
    session, vault = context.session, context.vault
    rows, changes, waiting = [], [], []
    # Those who are here are kept from others before it is asked what became of them.
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
    """Make the entry a signature of that person, and log it as that `kind` of change.

    A person who has the same version from elsewhere already keeps that one. The entry's own sealed part is emptied: the
    evidence is the signature's, under the person's key alone.
    """
    person_rows.lock(context.session, person)
    with_whom = opened(context.vault, row).party
    standing = None
    if with_whom is not None:
        found = _standing(context.session, [person], row.agreement)
        standing = found.get((person.account_id, row.version, with_whom))
    signed = standing or _signature(context, row, person, reason)
    change = _counted(context, row, person, signed, kind, reason)
    context.session.add(row)
    context.append(change)


def key(entry: ImportEntry, source: ImportSource) -> str:
    """Who agreed to what with whom, as one word: nothing of it is secret, so it needs no key of ours."""
    whom = party(entry, source)
    return _key(source.agreement, entry.version, _who(entry), *([whom] if whom else []))


def key_without_party(entry: ImportEntry, source: ImportSource) -> str:
    """The same as releases wrote it that did not know parties."""
    return _key(source.agreement, entry.version, _who(entry))


def _who(entry: ImportEntry) -> str | int:
    return entry.login.lower() if entry.account_id is None else entry.account_id


def _key(*words: str | int) -> str:
    return sha256(json.dumps(words).encode()).hexdigest()


def doubts(session: Session, entries: Iterable[ImportEntry], source: ImportSource) -> dict[ImportEntry, str]:
    """Why an administrator has to decide entries with an account's number: one of `import_doubts`; the others are left out."""
    numbered = [(entry, (entry.account_id, entry.signed_at)) for entry in entries if entry.account_id is not None]
    found = import_doubts.found(session, [claim for _, claim in numbered], source.agreement)
    return {entry: found[claim] for entry, claim in numbered if claim in found}


def doubted(vault: Vault, row: ImportedEntry, doubt: str) -> Change:
    """Have the entry wait for an administrator because of that doubt; what the log has to be told.

    What the list says of people who were erased or restricted is not kept; the login, for whoever decides, is sealed.
    """
    if doubt in import_doubts.UNNAMED:
        details = replace(opened(vault, row), name="", email="", notes=(), login=row.login)
        row.sealed = sealed(vault, row.id, details)
        row.login = ERASED_LOGIN
    row.state, row.reason = DOUBTFUL, doubt
    return Change(kind="login.doubted", actor_id=None, subject=SERVER, rows=[row], details={"reason": doubt})


def opened(vault: Vault, row: ImportedEntry) -> ImportedDetails:
    """What was sealed with the entry. Raises DecryptionFailed."""
    return ImportedDetails(**json.loads(vault.decrypt_for_server(row.sealed, place("imported", "sealed", row.id))))


def sealed(vault: Vault, row_id: str, details: ImportedDetails) -> bytes:
    """Its sealed form, bound to the entry."""
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
    return signatures.add(context, person, draft, receipt=receipt_number(), signed_at=row.signed_at, anew=True).row


def _counted(
    context: RecordContext,
    row: ImportedEntry,
    person: PersonRecord,
    signed: SignatureRecord | str,
    kind: str,
    reason: str = "",
) -> Change:
    """The entry is a signature now: a new one, or (its id) one that stood already. What the log has to be told."""
    vault = context.vault
    said = {"agreement": row.agreement, "version": row.version, "format": row.format, "reason": reason}
    said["sha256"] = opened(vault, row).sha256
    row.signature_id = signed if isinstance(signed, str) else signed.id
    row.state, row.account_id, row.reason = COUNTED, person.account_id, ""
    row.sealed = sealed(vault, row.id, ImportedDetails())
    rows = [row] if isinstance(signed, str) else [signed, row]
    subject = LedgerSubject("person", person.id, person_rows.data_key(vault, person))
    return Change(
        kind=kind, actor_id=context.by, subject=subject, rows=rows, details={k: v for k, v in said.items() if v}
    )


def _made(context: RecordContext, accounts: Mapping[int, str]) -> dict[int, PersonRecord]:
    """The people of these accounts, those made who are new, all of them kept from others until the transaction ends.

    Who is known keeps the login they have here: it is newer than any list.
    """
    session = context.session
    known = person_rows.find_all(session, list(accounts))
    new = [Account(number, login) for number, login in accounts.items() if number not in known]
    person_rows.make_all(context, new)
    found = person_rows.find_all(session, list(accounts))
    person_rows.lock_all(session, found.values())
    return found


def _standing(session: Session, persons: Iterable[PersonRecord], agreement: str) -> dict[tuple[int, str, str], str]:
    """The signatures from elsewhere that are in force, of a party that is known: account, version and party → id."""
    found: dict[tuple[int, str, str], str] = {}
    for chunk in account_chunks([person.account_id for person in persons]):
        query = (
            select(SignatureRecord.account_id, SignatureRecord.version, SignatureRecord.id, signatures.party())
            .join(Withdrawal, isouter=True)
            .where(
                col(SignatureRecord.account_id).in_(chunk),
                col(SignatureRecord.agreement) == text_key(agreement),
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
    """Entries to add, those that are there already and why, and those that contradict an earlier one of the list.

    `doubts` says of those to add that wait for an administrator why: one of `import_doubts`.
    """

    added: tuple[ImportEntry, ...] = ()
    unchanged: tuple[tuple[ImportEntry, str], ...] = ()
    refused: tuple[RejectedEntry, ...] = ()
    doubts: Mapping[ImportEntry, str] = field(default_factory=dict)


def plan(session: Session, entries: Sequence[ImportEntry], source: ImportSource) -> Plan:
    """Part what is new from what is known. One person's agreement of one version is one entry: the earliest counts."""
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
    """Whether the list gives one account's number two logins, so that one of them is somebody else's."""
    return entry.login.lower() != stated.login.lower()


def _known_before(session: Session, entries: Mapping[str, ImportEntry], source: ImportSource) -> set[str]:
    """Those of these keys whose entry a release imported that did not know parties, and whose signature is of the same party."""
    before = {key_without_party(entry, source): key for key, entry in entries.items()}
    found: set[str] = set()
    for chunk in text_chunks(list(before)):
        query = (
            select(ImportedEntry.key, signatures.party())
            .join(SignatureRecord, col(SignatureRecord.id) == col(ImportedEntry.signature_id))
            .where(col(ImportedEntry.key).in_(chunk))
        )
        found |= {before[one] for one, whom in session.exec(query) if whom == party(entries[before[one]], source)}
    return found
