"""An ordinary year of a database: people sign, prove, withdraw, are erased; a company comes, names some, changes."""

from datetime import UTC, datetime, timedelta
from itertools import count

from sqlmodel import select

from agreements.facts import Account, Entry
from agreements.store.companies import companies, company_rows
from agreements.store.companies.companies import CompanyDraft
from agreements.store.integrity.verification import VerificationOptions, verify
from agreements.store.ledger import log_subjects, stored_ledger
from agreements.store.ledger.stored_ledger import SERVER, Change, LedgerSubject
from agreements.store.people import emails, person_rows, signatures, withdrawals
from agreements.store.people.emails import ProvenAddress
from agreements.store.people.signatures import SignatureDraft
from agreements.store.tables.company_records import (
    CompanyEntry,
    CompanyManager,
    CompanyRecord,
    DomainClaim,
    Enrolment,
)
from agreements.store.tables.records import (
    Campaign,
    DocumentRecord,
    Erasure,
    ImportedEntry,
    PortalSignoffRecord,
    Proof,
    ReleasedText,
    SignatureRecord,
    Withdrawal,
)
from agreements.vault import place
from bot import db
from bot.store.logged_tables import TABLES
from bot.store.pulls.cover_choices import CoverChoice
from bot.store.pulls.overrides import OverrideRow
from bot.store.pulls.small_changes import SmallChangeRow
from bot.store.records import PullRecord
from bot.store.tokens import ApiToken
from tests.within import within

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
        within(session, self.vault, self.at, self.fresh).append(change)

    def sign(self, account_id):
        """A signature with a proven address; its receipt."""
        draft = SignatureDraft(party="The CANN Authors",
            agreement="icla", version="2.0", language="en", source_sha256="a" * 64, shown_sha256="b" * 64,
            statement_id="agree-1", statement_sha256="c" * 64, identity_proof="github-oauth", name="Ada 爱达", email="a@x.org",
        )  # fmt: skip
        at, receipt = self.now(), f"R-{account_id}-{self.fresh()}"
        with self.sessions() as session:
            account = Account(account_id, f"u{account_id}")
            person = person_rows.ensure(within(session, self.vault, at, self.fresh), account)
            signed = signatures.add(within(session, self.vault, at, self.fresh), person, draft, receipt=receipt)  # fmt: skip
            proven = ProvenAddress(address=f"u{account_id}@x.org", how="mailed-code", at=at, until=at + timedelta(365))
            proof = emails.prove(within(session, self.vault, new_id=self.fresh), person, proven)
            subject = log_subjects.subject_of(session, self.vault, account_id)
            self.write(session, "signature.added", subject, [signed.row, proof], actor=account_id, agreement="icla")
        return receipt

    def withdraw(self, account_id, receipt):
        """The signer takes it back."""
        with self.sessions() as session:
            withdrawals.withdraw(within(session, self.vault, self.now(), by=account_id), receipt)
            signed = session.exec(select(SignatureRecord).where(SignatureRecord.receipt == receipt)).one()
            rows = [session.get(Withdrawal, signed.id)]
            self.write(session, "signature.withdrawn", log_subjects.subject_of(session, self.vault, account_id), rows)

    def company(self):
        """A company names a domain, an address and an account; one of them ends, one is taken off."""
        at = self.now()
        draft = CompanyDraft(
            party="The CANN Authors", name="Huawei", agreement="ccla", version="2.0", signed_at=at, countersigned_at=at
        )
        named = (Entry(domain="huawei.com"), Entry(email="b@huawei.com"), Entry(account_id=5))
        with self.sessions() as session:
            made = companies.add(within(session, self.vault, new_id=self.fresh), draft)
            rows = [companies.add_entry(within(session, self.vault, at, self.fresh), made, entry) for entry in named]
            manager = CompanyManager(
                id=self.fresh(), company_id=made.id, account_id=7, login="u7", since=at, added_by=90
            )  # fmt: skip
            session.add(manager)
            subject = company_rows.subject(self.vault, company_rows.find(session, made.id))
            self.write(
                session, "company.countersigned", subject, [made, *companies.party_rows(session, made), *rows, manager]
            )
        with self.sessions() as session:
            session.get(CompanyEntry, rows[0].id).until = self.now()
            session.delete(session.get(CompanyEntry, rows[2].id))
            changed = session.get(CompanyEntry, rows[0].id)
            self.write(session, "entry.ended", subject, [changed], deleted=[("company_entry", rows[2].id)])

    def administer(self):
        """A text, a campaign, an imported entry, a person's wish to be erased."""
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
            person = person_rows.find(session, account_id)
            person.wrapped_key, person.ring_key_id, person.erased_at = b"", "", self.now()
            proofs = session.exec(select(Proof).where(Proof.account_id == account_id)).all()
            for proof in proofs:
                session.delete(proof)
            gone = [("proof", proof.id) for proof in proofs]
            subject = LedgerSubject("person", person.id)
            self.write(session, "erasure.shredded", subject, [person], actor=90, deleted=gone)

    def rest(self):
        """Rows of the tables that an ordinary year leaves empty, so that each has two."""
        at, seal = self.now(), self.vault.encrypt_for_server
        with self.sessions() as session:
            person = person_rows.find(session, 11)
            company = session.exec(select(CompanyRecord)).first()
            draft = CompanyDraft(
                party="The CANN Authors",
                name="Alpha",
                agreement="ccla",
                version="2.0",
                signed_at=at,
                countersigned_at=at,
            )
            second = companies.add(within(session, self.vault, new_id=self.fresh), draft)
            session.add(PullRecord(id=1, repository_id=1, number=2, installation_id=3, owner_id=4, owner="o", name="n"))
            session.flush()
            signed = session.exec(select(SignatureRecord).where(SignatureRecord.account_id == 14)).one()
            rows = [second, *companies.party_rows(session, second)]
            rows.append(Withdrawal(signature_id=signed.id, at=at, by_account_id=90, kind="revocation", reason=b"why"))
            for number in range(2):
                row, later = self.fresh(), at + timedelta(days=number)
                rows += [
                    CompanyManager(id=row, company_id=company.id, account_id=50 + number, login=f"m{number}", since=at, added_by=90),
                    DomainClaim(
                        id=row, company_id=company.id, domain=f"d{number}.org", subdomains=bool(number), token=f"t{number}",
                        claimed_at=at, claimed_by=7, expires_at=later + timedelta(days=7), proven_at=later, how="dns",
                        missing_since=later if number else None,
                    ),
                    Enrolment(
                        id=row, company_id=company.id, person_id=person.id, account_id=11, proof_id=f"p{number}",
                        domain="huawei.com", since=at, until=later + timedelta(days=365),
                    ),
                    DocumentRecord(
                        id=row, person_id=person.id, service=f"s{number}", name=b"n%d" % number, media_type="application/pdf",
                        size=7 + number, sha256=f"{number}" * 64, content=b"c%d" % number, recorded_at=later, recorded_by=90,
                    ),
                    PortalSignoffRecord(
                        id=row, person_id=person.id, account_id=11, repository_id=1, number=number, shas=f"{number}" * 40,
                        text_sha256=f"{number}" * 64, statement_id=f"s{number}", statement_sha256=f"{number}" * 64, language="en",
                        identity_proof="p", signed_at=at, evidence=b"e%d" % number, revoked_at=later if number else None,
                    ),
                    ReleasedText(
                        name="ccla", version=f"{number}.5", language="en", source=f"# {number}", sha256=f"{number}" * 64,
                        released_at=later, released_by=90,
                    ),
                    Campaign(id=row, agreement="ccla", version=f"{number}.0", until=later, started_at=at, started_by=90 + number),
                    ImportedEntry(
                        id=row, key=f"k{number}", format="plain", login=f"y{number}", agreement="icla", version="2.0",
                        signed_at=later, sealed=seal(b"{}", place("imported", "sealed", row)), state="waiting", imported_at=later,
                    ),
                    Erasure(
                        id=row, account_id=60 + number, asked_at=later, state="asked",
                        reason=seal(b"x", place("erasure", "reason", row)) if number else None,
                    ),
                    OverrideRow(
                        id=row, pull_id=1, kind="cla", account_id=70 + number, head_sha=f"{number}" * 40, by_account_id=90,
                        by_login=f"b{number}", by_role="admin", comment_id=number + 1, at=later,
                        reason=seal(b"x", place("override", "reason", row)),
                    ),
                    CoverChoice(
                        id=row, pull_id=1, account_id=80 + number, company_id=second.id, comment_id=number + 1 if number else None, at=later,
                    ),
                    SmallChangeRow(id=row, pull_id=1, account_id=80 + number, lines=3 + number, counts=not number, at=later),
                    ApiToken(
                        id=row, name=f"t{number}", token_hash=f"{number}" * 64, scopes="covered:read", made_at=later,
                        made_by=90, expires_at=later + timedelta(days=9), revoked_at=later if number else None,
                    ),
                ]  # fmt: skip
            session.add_all(rows)
            subject = company_rows.subject(self.vault, company_rows.find(session, second.id))
            self.write(session, "things.done", subject, rows, actor=90)

    def checkpoint(self):
        """What an outsider would keep."""
        with self.sessions() as session:
            return stored_ledger.newest(session)

    def verified(self, kept=None, tables=TABLES):
        """What `verify` says."""
        with self.sessions() as session:
            return verify(session, self.vault, tables, VerificationOptions(kept=kept))
