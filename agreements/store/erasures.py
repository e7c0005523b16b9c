"""Erasing people: their deletion, the evidence that is kept and restricted, and its destruction at the end of retention.

These functions see to the tables of the records; `bot.records.erasure` adds those of the bot, the log and the e-mail.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, NamedTuple

from sqlalchemy import false
from sqlalchemy import select as select_columns
from sqlmodel import Session, SQLModel, col, or_, select
from sqlmodel.sql.expression import SelectOfScalar

from agreements.store import lookup
from agreements.store.companies import company_agreements, company_rows
from agreements.store.ledger.stored_ledger import written
from agreements.store.lookup import account_key, from_row, text_key
from agreements.store.people import erasure_requests, person_rows, portal_signoffs, signatures, withdrawals
from agreements.store.people.emails import opened
from agreements.store.people.erasure_requests import ASKED
from agreements.store.record_context import RecordContext
from agreements.store.tables.company_records import CompanyEntry, CompanyManager, CompanyRecord, Enrolment
from agreements.store.tables.declarations import declaration, declared, table_of
from agreements.store.tables.records import Erasure, PersonRecord, Proof, SignatureRecord, Withdrawal
from agreements.vault import Vault, place

DELETED, RESTRICTED, SHREDDED = "deleted", "restricted", "shredded"
"""The outcomes of a request: nothing is left; evidence is left, restricted; and that has been destroyed, too."""

_ORDER = {RESTRICTED: 1, DELETED: 2, SHREDDED: 2}  # A restored backup may be behind, never ahead.
"""The order of the states."""

ERASED_LOGIN = "erased"
"""The word in place of an erased login."""


class ErasureRefused(Exception):
    """The erasure cannot be done; `reason` is `unknown`, `decided`, `kept` (there is evidence) or `nothing` (there is none)."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


@dataclass(frozen=True, slots=True)
class ErasureBlockers:
    """The records for which a person cannot be deleted: `signatures` (of these `in_force`), `offices` at companies, and `signoffs`.

    `last_end`: the last end of a signature, None without one.
    """

    signatures: int = 0
    in_force: int = 0
    offices: int = 0
    last_end: datetime | None = None
    signoffs: int = 0

    @property
    def evidence(self) -> bool:
        """Whether there are records that must be kept."""
        return bool(self.signatures or self.offices or self.signoffs)


@dataclass(frozen=True, slots=True, kw_only=True)
class DecidedErasure:
    """A decided request (`id`, `account_id`, `person_id`, `asked_at`): ids and moments alone, so that it can be repeated after a restore.

    `state` is DELETED, RESTRICTED or SHREDDED since `decided_at`, by `decided_by` (None: by time alone). `due_at` is
    when the retention of evidence ends, None where nothing was kept.
    """

    id: str
    account_id: int
    person_id: str | None
    state: str
    asked_at: datetime
    decided_at: datetime
    decided_by: int | None
    due_at: datetime | None


class ClaimedErasure(NamedTuple):
    """A request (`row`) and its `person` (None: the account is not known), locked until the transaction ends."""

    row: Erasure
    person: PersonRecord | None


@dataclass(slots=True)
class RowChanges:
    """The `rows` that were changed, and (table, key) of those `deleted`: for the log."""

    rows: list[SQLModel] = field(default_factory=list)
    deleted: list[tuple[str, str]] = field(default_factory=list)


def find(session: Session, erasure_id: str) -> Erasure | None:
    """The erasure with that id."""
    return session.exec(select(Erasure).where(col(Erasure.id) == text_key(erasure_id))).one_or_none()


def listed(session: Session, *, skip: int = 0, most: int = 50) -> Sequence[Erasure]:
    """Requests: undecided ones first, then the newest."""
    query = select(Erasure).order_by(col(Erasure.state) != ASKED, col(Erasure.asked_at).desc(), col(Erasure.id))
    return session.exec(query.offset(skip).limit(most)).all()


def order(context: RecordContext, account_id: int, reason: str) -> Erasure:
    """Open an erasure that the person did not ask for. Raises ErasureRefused (`decided`) while one waits already."""
    row = erasure_requests.open_request(context, account_id)
    if row is None:
        raise ErasureRefused("decided")
    row.reason = _sealed(context.vault, row.id, reason)
    return row


def decided(session: Session, *, since: datetime | None = None) -> tuple[DecidedErasure, ...]:
    """The requests decided, or whose retention ended, at `since` or later (None: ever), by time of decision."""
    query = select(Erasure).where(col(Erasure.state).in_(tuple(_ORDER)))
    if since is not None:
        query = query.where(or_(col(Erasure.decided_at) >= since, col(Erasure.done_at) >= since))
    rows = session.exec(query.order_by(col(Erasure.decided_at), col(Erasure.id))).all()
    return tuple(from_row(DecidedErasure, row) for row in rows)


def claim_again(session: Session, erasure: DecidedErasure) -> ClaimedErasure | None:
    """The request of a list and its person, locked; None where it is done already. A request that is missing is made.

    Raises ErasureRefused (`decided`) where the request with that id is of another account, or was withdrawn.
    """
    if find(session, erasure.id) is None:  # A restored backup lacks what came after it.
        session.add(
            Erasure(
                id=text_key(erasure.id),
                account_id=account_key(erasure.account_id),
                person_id=erasure.person_id,
                asked_at=erasure.asked_at,
                state=ASKED,
            )
        )
        session.flush()
    claimed = claim(session, erasure.id, among=(ASKED, *_ORDER))
    if claimed.row.account_id != erasure.account_id:
        raise ErasureRefused("decided")
    return None if _ORDER.get(claimed.row.state, 0) >= _ORDER[erasure.state] else claimed


def claim(session: Session, erasure_id: str, *, among: Collection[str] = (ASKED,)) -> ClaimedErasure:
    """The request in one of these states, and its person, locked. Raises ErasureRefused (`unknown`, `decided`)."""
    row = find(session, erasure_id)
    if row is None:
        raise ErasureRefused("unknown")
    # Companies before people, as everywhere: none of these is countersigned before this transaction ends.
    for company_id in session.exec(_offices(row.account_id).distinct().order_by(col(CompanyManager.company_id))).all():
        company_rows.locked(session, company_id)
    person = person_rows.find_locked(session, row.account_id)
    # There may be no person to lock: of two decisions about one request the second waits here, on both databases.
    lookup.locked(session, Erasure, col(Erasure.id) == row.id)
    if row.state not in among:
        raise ErasureRefused("decided")
    if person is not None:  # The person may have come after the request.
        row.person_id = person.id
    return ClaimedErasure(row, person)


def holds(session: Session, account_id: int, *, at: datetime) -> ErasureBlockers:
    """The records of that account that must be kept."""
    query = (
        select_columns(col(SignatureRecord.id), col(Withdrawal.at), col(CompanyRecord.ended_at))
        .outerjoin(Withdrawal, col(Withdrawal.signature_id) == col(SignatureRecord.id))
        .outerjoin(CompanyRecord, col(CompanyRecord.signature_id) == col(SignatureRecord.id))
        .where(col(SignatureRecord.account_id) == account_key(account_id))
    )
    # A signature for a company ends with the company's agreement.
    ends = {key: withdrawn if withdrawn is not None else ended for key, withdrawn, ended in session.execute(query)}
    # Before the countersignature others may have named them, unasked.
    offices = _offices(account_id).join(CompanyRecord).where(col(CompanyRecord.countersigned_at).is_not(None))
    asked = select(CompanyRecord.id).where(col(CompanyRecord.requested_by) == account_id)
    return ErasureBlockers(
        signatures=len(ends),
        in_force=sum(end is None or end > at for end in ends.values()),
        offices=len(session.execute(offices.union(asked)).all()),  # A company of both counts once.
        last_end=max((end for end in ends.values() if end), default=None),
        signoffs=portal_signoffs.count(session, account_id),
    )


def write_to(session: Session, vault: Vault, account_id: int) -> tuple[str, Literal["en", "zh"]] | None:
    """An address of that person, and their language: of what they signed last, else a proven one; None without any."""
    query = select(SignatureRecord).where(col(SignatureRecord.account_id) == account_key(account_id))
    last = session.exec(query.order_by(col(SignatureRecord.signed_at).desc(), col(SignatureRecord.id))).first()
    language: Literal["en", "zh"] = "zh" if last is not None and last.language == "zh" else "en"
    view = signatures.opened(session, vault, last.id) if last else None
    if view is not None and view.draft.email:  # An imported signature may have no address.
        return view.draft.email, language
    proofs = session.exec(select(Proof.id).where(col(Proof.account_id) == account_id)).all()
    return next(((address, language) for address in sorted(opened(session, vault, proofs).values())), None)


def delete(session: Session, account_id: int, person: PersonRecord | None) -> RowChanges:
    """Delete everything about an account of which nothing must be kept: its offices, and the person if there is one."""
    changes = RowChanges()
    offices = select(CompanyManager).where(col(CompanyManager.account_id) == account_key(account_id))
    _gone(session, changes, session.exec(offices).all())
    _unname(session, changes, account_id)
    if person is not None:
        _gone(session, changes, _all_of(session, person))
        changes.deleted.append(("person", person.id))
        session.delete(person)
    session.flush()
    return changes


def restrict(session: Session, vault: Vault, person: PersonRecord, *, at: datetime) -> RowChanges:
    """Take a person off lists, and delete the rows that are no evidence and that no company needs."""
    changes = RowChanges()
    _gone(session, changes, _no_evidence(session, vault, person, at=at))
    person.restricted_at = at
    changes.rows.append(person)
    return changes


def going(session: Session, vault: Vault, account_id: int, *, everything: bool, at: datetime) -> Counter[str]:
    """The number of rows that the erasure would delete, by table: `everything`, or what `restrict` does not keep."""
    rows: list[SQLModel] = []
    if everything:
        offices = select(CompanyManager).where(col(CompanyManager.account_id) == account_key(account_id))
        rows += session.exec(offices).all()
    person = person_rows.find(session, account_id)
    if person is not None:
        rows += _all_of(session, person) if everything else _no_evidence(session, vault, person, at=at)
    return Counter(table_of(row).name for row in rows)


def _no_evidence(session: Session, vault: Vault, person: PersonRecord, *, at: datetime) -> list[SQLModel]:
    """The person's rows that are no evidence and that no company needs."""
    rows = _all_of(session, person)
    kept = _named_by_companies(session, vault, rows, at=at)  # They keep the person covered, or excluded.
    for row in rows:
        if isinstance(row, Enrolment) and row.ended_at is None and row.until > at:
            kept |= {("enrolment", row.id), ("proof", row.proof_id)}
    return [row for row in rows if not _needed(row, kept)]


def shred(session: Session, person: PersonRecord, *, at: datetime) -> RowChanges:
    """Destroy a person's key, and all their rows but those that prove that an account signed."""
    changes = RowChanges()
    changes.rows += withdrawals.withdraw_all(session, person, at=at)  # A restored backup may lack them.
    _gone(session, changes, _all_of(session, person))
    _unname(session, changes, person.account_id)
    person.wrapped_key, person.ring_key_id = b"", ""  # From now on nothing sealed with it opens.
    person.login, person.login_since, person.erased_at, person.restricted_at = ERASED_LOGIN, at, at, None
    changes.rows.append(person)
    return changes


def decide(vault: Vault, row: Erasure, state: str, **what: object) -> None:
    """Store the outcome of a request: `reason`, `decided_by`, `decided_at`, `due_at`, `done_at`, if given."""
    row.state = state
    if what.get("reason"):
        row.reason = _sealed(vault, row.id, str(what.pop("reason")))
    for name, value in what.items():
        setattr(row, name, value)


def without_key(session: Session, person_ids: Collection[str]) -> tuple[str, ...]:
    """Those of these people whose data keys were destroyed; none of them can begin anew before the transaction ends."""
    asked = (col(Erasure.state).in_((DELETED, SHREDDED)), col(Erasure.person_id).is_not(None))
    erased = set(session.exec(select(Erasure.person_id).where(*asked))) & set(person_ids)
    gone = []
    # Always in one order, so that two do not wait for each other.
    for person_id in sorted(str(erased_id) for erased_id in erased):
        person = session.exec(select(PersonRecord).where(col(PersonRecord.id) == person_id)).one_or_none()
        if person is not None:
            person_rows.lock(session, person)  # They could come back, and get a new key, at this moment.
            session.refresh(person)
        if person is None or person_rows.is_erased(person):
            gone.append(person_id)
    return tuple(gone)


def due(session: Session, *, at: datetime) -> tuple[str, ...]:
    """Ids of the restricted requests whose retention may have ended by `at`."""
    query = select(Erasure.id).where(col(Erasure.state) == RESTRICTED, col(Erasure.due_at) <= at)
    return tuple(session.exec(query.order_by(col(Erasure.due_at), col(Erasure.id))))


def later(moment: datetime, years: int) -> datetime:
    """The moment that many years later; the 29th of February becomes the 1st of March."""
    try:
        return moment.replace(year=moment.year + years)
    except ValueError:
        return moment.replace(year=moment.year + years, month=3, day=1)


def _offices(account_id: int) -> SelectOfScalar[str]:
    return select(CompanyManager.company_id).where(col(CompanyManager.account_id) == account_key(account_id))


def _all_of(session: Session, person: PersonRecord) -> list[SQLModel]:
    """The person's rows, as their tables declare them, but for signatures and offices."""
    signed = select(SignatureRecord.id).where(col(SignatureRecord.person_id) == person.id)
    found: list[SQLModel] = []
    for model in declared(lambda said: said.erased == "person"):
        columns = table_of(model).c
        by_person = "person_id" in columns
        mine = columns.person_id == person.id if by_person else columns.account_id == person.account_id
        # Files about a company may prove their signature.
        proves = columns.signature_id.in_(signed) if "signature_id" in columns else false()
        found += session.exec(select(model).where(or_(mine, proves)))
    return found


def _needed(row: SQLModel, kept: Collection[tuple[str, str]]) -> bool:
    """Whether the row stays while its person is restricted: as evidence, or as one of these (table and key)."""
    table = table_of(row)
    evidence = declaration(table).evidence
    return bool(evidence and getattr(row, evidence) is not None) or (table.name, getattr(row, "id", "")) in kept


def _named_by_companies(
    session: Session, vault: Vault, rows: Iterable[SQLModel], *, at: datetime
) -> set[tuple[str, str]]:
    """The running proofs (table and key) among a person's rows, of addresses by which a company covers, or excludes."""
    proofs = [row.id for row in rows if isinstance(row, Proof) and (row.until is None or row.until > at)]
    addresses = opened(session, vault, proofs)
    return {
        ("proof", proof)
        for proof, address in addresses.items()
        if company_agreements.relevant(session, vault, (), (address,), accepted=None)
    }


def _unname(session: Session, changes: RowChanges, account_id: int) -> None:
    for table in (CompanyManager, CompanyEntry):
        query = select(table).where(col(table.account_id) == account_key(account_id), col(table.login) != "")
        for row in session.exec(query):
            row.login = ERASED_LOGIN
            changes.rows.append(row)


def _gone(session: Session, changes: RowChanges, rows: Iterable[SQLModel]) -> None:
    for row in rows:
        if declaration(table_of(row)).logged:  # The log never named codes, nor rows that wait.
            named = written(row)
            changes.deleted.append((named.table, named.id))
        session.delete(row)
    session.flush()


def _sealed(vault: Vault, erasure_id: str, reason: str) -> bytes:
    return vault.encrypt_for_server(text_key(reason).encode(), place("erasure", "reason", erasure_id))
