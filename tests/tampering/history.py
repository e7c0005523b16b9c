"""An ordinary year of a database: people sign, prove, withdraw, are erased; a company comes, names some, changes."""

from datetime import UTC, datetime, timedelta
from itertools import count

from sqlmodel import select

from agreements.facts import Account, Entry
from agreements.store.companies import companies
from agreements.store.companies.companies import CompanyDraft
from agreements.store.integrity.verification import verify
from agreements.store.ledger import ledger
from agreements.store.ledger.ledger import SERVER, Change, LedgerSubject
from agreements.store.people import emails, people, signatures, subjects
from agreements.store.people.emails import ProvenAddress
from agreements.store.people.signatures import SignatureDraft
from agreements.store.tables.company_records import CompanyEntry, CompanyManager
from agreements.store.tables.records import (
    Campaign,
    Erasure,
    ImportedEntry,
    Proof,
    ReleasedText,
    SignatureRecord,
    Withdrawal,
)
from agreements.vault import place
from bot import db
from bot.store.logged_tables import TABLES

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


class History:
    """Writes changes as the portal does, each with its entry."""

    def __init__(self, engine, vault):
        self.engine, self.vault, self.sessions = engine, vault, db.sessions(engine)
        self._ids, self.at = count(1), NOON

    def live(self):
        """A bit of everything."""
        receipts = {account: self.sign(account) for account in range(11, 17)}
        self.withdraw(12, receipts[12])
        self.company()
        self.administer()
        self.sign(12)
        self.erase(13)
        self.sign(18)

    def fresh(self):
        """A new id."""
        return f"{next(self._ids):032x}"

    def now(self):
        """A little later each time."""
        self.at += timedelta(minutes=7)
        return self.at

    def write(self, session, kind, subject, rows, **details):
        """One entry."""
        deleted = details.pop("deleted", ())
        change = Change(
            kind=kind, actor_id=details.pop("actor", None), subject=subject, rows=rows, deleted=deleted, details=details
        )
        ledger.append(session, self.vault, change, at=self.at, new_id=self.fresh())

    def sign(self, account_id):
        """A signature with a proven address; its receipt."""
        draft = SignatureDraft(party="The CANN Authors",
            agreement="icla", version="2.0", language="en", source_sha256="a" * 64, shown_sha256="b" * 64,
            statement_id="agree-1", statement_sha256="c" * 64, identity_proof="github-oauth", name="Ada 爱达", email="a@x.org",
        )  # fmt: skip
        at, receipt = self.now(), f"R-{account_id}-{self.fresh()}"
        with self.sessions() as session:
            account = Account(account_id, f"u{account_id}")
            person = people.ensure(session, self.vault, account=account, at=at, new_id=self.fresh())
            signed = signatures.add(
                session, self.vault, person, draft, at=at, new_id=self.fresh(), receipt=receipt
            )  # fmt: skip
            proven = ProvenAddress(address=f"u{account_id}@x.org", how="mailed-code", at=at, until=at + timedelta(365))
            proof = emails.prove(session, self.vault, person, proven, new_id=self.fresh())
            subject = subjects.of_account(session, self.vault, account_id)
            self.write(session, "signature.added", subject, [signed.row, proof], actor=account_id, agreement="icla")
        return receipt

    def withdraw(self, account_id, receipt):
        """The signer takes it back."""
        with self.sessions() as session:
            signatures.withdraw(session, receipt, account_id=account_id, by_account_id=account_id, at=self.now())
            signed = session.exec(select(SignatureRecord).where(SignatureRecord.receipt == receipt)).one()
            rows = [session.get(Withdrawal, signed.id)]
            self.write(session, "signature.withdrawn", subjects.of_account(session, self.vault, account_id), rows)

    def company(self):
        """A company names a domain, an address and an account; one of them ends, one is taken off."""
        at = self.now()
        draft = CompanyDraft(
            party="The CANN Authors", name="Huawei", agreement="ccla", version="2.0", signed_at=at, countersigned_at=at
        )
        named = (Entry(domain="huawei.com"), Entry(email="b@huawei.com"), Entry(account_id=5))
        with self.sessions() as session:
            made = companies.add(session, self.vault, draft, new_id=self.fresh())
            rows = [companies.add_entry(session, self.vault, made, one, at=at, new_id=self.fresh()) for one in named]
            manager = CompanyManager(
                id=self.fresh(), company_id=made.id, account_id=7, login="u7", since=at, added_by=90
            )  # fmt: skip
            session.add(manager)
            subject = subjects.of_company(session, self.vault, made.id)
            self.write(
                session, "company.countersigned", subject, [made, *companies.party_rows(session, made), *rows, manager]
            )
        with self.sessions() as session:
            session.get(CompanyEntry, rows[0].id).until = self.now()
            session.delete(session.get(CompanyEntry, rows[2].id))
            changed = session.get(CompanyEntry, rows[0].id)
            self.write(session, "entry.ended", subject, [changed], deleted=[("company_entry", rows[2].id)])

    def administer(self):
        """A text, a campaign, an imported entry, somebody's wish to be erased."""
        at, row, seal = self.now(), self.fresh(), self.vault.encrypt_for_server
        rows = [
            ReleasedText(
                name="icla", version="3.0", language="en", source="# Text", sha256="d" * 64, released_at=at, released_by=90,
            ),
            Campaign(id=self.fresh(), agreement="icla", version="3.0", until=at, started_at=at, started_by=90),
            ImportedEntry(
                id=row, key="k", format="plain", login="x", agreement="icla", version="2.0", signed_at=at,
                sealed=seal(b"{}", place("imported", "sealed", row)), state="waiting", imported_at=at,
            ),
            Erasure(id=row, account_id=5, asked_at=at, state="asked", reason=seal(b"x", place("erasure", "reason", row))),
        ]  # fmt: skip
        with self.sessions() as session:
            session.add_all(rows)
            self.write(session, "things.done", SERVER, rows, actor=90, note="four at once")

    def erase(self, account_id):
        """The person's key is destroyed and the proof deleted; the signature's row stays."""
        with self.sessions() as session:
            person = people.find(session, account_id)
            person.wrapped_key, person.erased_at = b"", self.now()
            proofs = session.exec(select(Proof).where(Proof.account_id == account_id)).all()
            for proof in proofs:
                session.delete(proof)
            gone = [("proof", proof.id) for proof in proofs]
            self.write(session, "erasure.shredded", LedgerSubject("person", person.id), [], actor=90, deleted=gone)

    def checkpoint(self):
        """What an outsider would keep."""
        with self.sessions() as session:
            return ledger.newest(session)

    def verified(self, kept=None, tables=TABLES):
        """What `verify` says."""
        with self.sessions() as session:
            return verify(session, self.vault, tables, kept=kept)
