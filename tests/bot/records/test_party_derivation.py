"""The party of an agreement of an earlier release is found by the hash of its page, or left undecided."""

from datetime import UTC, datetime
from itertools import count

import pytest
from sqlalchemy import text
from sqlmodel import select

import migrations
from agreements.catalog import Catalog
from agreements.facts import Account
from agreements.store import parties
from agreements.store.integrity import verification
from agreements.store.integrity.verification import VerificationOptions
from agreements.store.ledger import log_subjects
from agreements.store.ledger.stored_ledger import Change
from agreements.store.people import person_rows, signatures
from agreements.store.people.signatures import SignatureDraft
from agreements.store.tables.ledger_records import LedgerEntry
from agreements.vault import KeyRing, Vault
from bot import db
from bot.records import agreement_view
from bot.records.party_derivation import Candidates, DerivationChore, PartyDerivation, shown_by
from bot.records.record_access import RecordAccess
from bot.store import owners
from bot.store.logged_tables import TABLES
from tests.within import within

pytestmark = pytest.mark.slow

AT = datetime(2026, 1, 1, tzinfo=UTC)
CANN, OTHER = "The CANN Authors", "Other  Foundation"
BOOKS = {7: f"version: 1\norganization: {CANN}\n", 8: f'version: 1\norganization: "{OTHER}"\n'}
CATALOG = Catalog.load()


class Before:
    """A database of the release before, in which people signed; then it is brought up to date."""

    def __init__(self, url):
        self.engine = db.open_engine(url)
        migrations.upgrade(self.engine)
        self.sessions, self.vault = db.sessions(self.engine), Vault(KeyRing.parse(KeyRing.generate("k1")))
        self._ids = count(1)
        self.told = []

    def fresh(self):
        return f"{next(self._ids):032x}"

    def books(self, books):
        """Rulebooks as they were read last."""
        with self.sessions() as session:
            for account_id, book in books.items():
                owners.remember_rules(session, account_id, book, valid=True, at=AT)

    def sign(self, account_id, name, *, banner=False, language="en", shown=None, agreement="icla"):
        """A signature whose row says no party, of the page with that name, logged as it was then."""
        released = CATALOG.get(agreement, "2.0", language)
        page = agreement_view.variants(released, name)[banner]
        draft = SignatureDraft(
            agreement=agreement, version="2.0", language=language, source_sha256=released.sha256,
            shown_sha256=shown or page.shown_sha256, statement_id="agree-1", statement_sha256="c" * 64,
            identity_proof="github-oauth", party=None, name="A", email="a@x.org",
        )  # fmt: skip
        with self.sessions() as session:
            person = person_rows.ensure(within(session, self.vault, AT, self.fresh), Account(account_id, "a"))
            row = signatures.add(
                within(session, self.vault, AT, self.fresh),
                person,
                draft,
                receipt=f"R-{account_id}-{self.fresh()}",
                anew=True,
            ).row
            about = log_subjects.subject_of(session, self.vault, account_id)
            change = Change(kind="signature.added", actor_id=account_id, subject=about, rows=[row])
            within(session, self.vault, AT, self.fresh).append(change)

    def derivation(self, accounts=("7", "8"), file=None):
        """What finds the parties."""
        return PartyDerivation(records=RecordAccess(self.sessions, self.vault, lambda: AT, self.fresh), file=file, accounts=accounts, texts=lambda: CATALOG, decided=lambda _session, found: self.told.append(found))  # fmt: skip

    def derive(self, **given):
        made = self.derivation(**given)
        return made.run(made.candidates())

    def verify(self):
        """Nothing of the log or the rows is other than it was written."""
        with self.sessions() as session:
            verification.verify(session, self.vault, TABLES, VerificationOptions())

    def counting(self, *account_ids):
        """Account and party of what counts."""
        with self.sessions() as session:
            found = signatures.of(session, account_ids, accepted=CATALOG.accepted())
        return [(signature.account_id, signature.party) for signature in found]


@pytest.fixture(name="before")
def _before(database_url):
    made = Before(database_url)
    yield made
    made.engine.dispose()


@pytest.mark.slow
def test_the_hash_of_the_page_tells_the_party_of_each_signature(before):
    before.books(BOOKS)
    before.sign(1, CANN)
    before.sign(2, OTHER, banner=True)
    before.sign(3, CANN, language="zh")
    before.sign(3, OTHER)
    before.sign(4, "Somebody else")
    assert before.counting(1, 2, 3, 4) == []

    assert before.derive() == 4
    assert before.counting(1, 2, 3, 4) == [
        (1, CANN), (2, "Other Foundation"), (3, CANN), (3, "Other Foundation"),
    ]  # fmt: skip
    assert sorted(account_id for some in before.told for account_id in some) == [1, 2, 3, 3]
    with before.sessions() as session:
        assert parties.count(session) == 1
        assert {entry.kind for entry in session.exec(select(LedgerEntry))} == {"signature.added", "party.derived"}
    before.verify()
    assert before.derive() == 0


@pytest.mark.parametrize(
    ("accounts", "books", "party"),
    [
        (("7",), {7: None}, "github:7"),
        (("7",), {7: "version: 1\n"}, "github:7"),
        (("7",), {7: BOOKS[7]}, "github:7"),
        (("7", "8"), {7: BOOKS[7]}, None),
        (("7",), {7: None, 8: BOOKS[8]}, None),
        ((), {}, None),
    ],
)
def test_a_page_without_a_name_is_of_the_only_account_ever_served(before, accounts, books, party):
    before.books(books)
    before.sign(1, "")
    before.derive(accounts=accounts)
    assert before.counting(1) == ([] if party is None else [(1, party)])


def test_a_page_that_several_parties_may_have_shown_proves_nothing(before):
    """An organization may be named like the words that nameless pages use."""
    before.books({7: "version: 1\norganization: the project\n"})
    before.sign(1, "")
    before.derive(accounts=("7",))
    assert before.counting(1) == []


def test_a_name_with_markup_or_entities_is_no_other_partys(before):
    before.books(
        {7: BOOKS[7], 8: "version: 1\norganization: The CANN &#65;uthors\n", 9: 'version: 1\norganization: "*CANN*"\n'}
    )
    before.sign(1, CANN)
    before.derive()
    assert before.counting(1) == [(1, CANN)]


def test_a_text_that_names_no_party_proves_nothing(before):
    text_without = CATALOG.get("icla", "2.0", "en")
    nameless = type(text_without)(**{**_plain(text_without), "source": "# Ours\n\nI agree.\n"})
    shown = agreement_view.of(nameless, CANN).shown_sha256
    group = parties.SignatureGroup(
        agreement="icla", version="2.0", language="en", source_sha256=nameless.sha256, shown_sha256=shown, format=""
    )

    class One:
        """A catalog of that text."""

        def get(self, *_names):
            return nameless

    assert shown_by(group, One(), Candidates(frozenset({CANN}), None)) is None


def _plain(row):
    return {name: getattr(row, name) for name in type(row).__dataclass_fields__}


def test_an_unknown_hash_is_left_and_a_name_waits_until_a_rulebook_has_it(before):
    before.books({7: BOOKS[7]})
    before.sign(1, CANN, shown="0" * 64)
    before.sign(2, "Old name")
    assert before.derive(accounts=("7",)) == 0
    before.books({7: f"version: 1\norganization: {CANN}\nagreements: {{parties: [Old name]}}\n"})
    assert before.derive(accounts=("7",)) == 1
    assert before.counting(1, 2) == [(2, "Old name")]


def test_the_rulebook_file_names_a_party_unless_it_has_mistakes(before):
    before.sign(1, CANN)
    assert before.derive(accounts=("7",), file="version: 1\norganisation: X\n") == 0
    assert before.derive(accounts=("7",), file=BOOKS[7]) == 1


def test_signatures_are_decided_in_lots_and_by_one_process_alone(before, monkeypatch):
    monkeypatch.setattr(parties, "BATCH_DECISIONS", 2)
    before.books(BOOKS)
    for number in range(1, 6):
        before.sign(number, CANN)
    derivation, other = before.derivation(), before.derivation()
    candidates = derivation.candidates()

    assert derivation.run(candidates) == 5
    assert other.run(candidates) == 0
    with before.sessions() as session:
        assert len(session.exec(select(LedgerEntry).where(LedgerEntry.kind == "party.derived")).all()) == 3
    before.verify()


def test_the_derivation_runs_again_for_a_new_name_and_now_and_then(before):
    before.books({7: "version: 1\norganization: New\n"})
    before.sign(1, CANN)
    chore = DerivationChore(before.derivation(accounts=("7",)), at_least=3)
    chore.round()
    before.books({7: BOOKS[7]})
    chore.round()
    assert before.counting(1) == [(1, CANN)]

    before.sign(2, CANN)
    chore.round()
    assert before.counting(2) == []
    chore.round()
    chore.round()
    assert before.counting(2) == [(2, CANN)]


def test_the_migration_adds_the_party_column_without_a_value(database_url):
    engine = db.open_engine(database_url)
    migrations.upgrade(engine, "0022")
    statement = text(
        "INSERT INTO person (id, account_id, login, login_since, wrapped_key, ring_key_id, created_at)"
        " VALUES ('p1', 11, 'ada', '2026-01-01 00:00:00', :bytes, 'k1', '2026-01-01 00:00:00')"
    )
    words = ("agreement", "version", "language", "source_sha256", "shown_sha256", "statement_id", "statement_sha256")
    signed = text(
        f"INSERT INTO signature (id, person_id, account_id, login, {', '.join(words)}, identity_proof, signed_at,"
        f" receipt, evidence) VALUES ('s1', 'p1', 11, '', {', '.join(repr(word) for word in words)}, 'x',"
        " '2026-01-01 00:00:00', 'R1', :bytes)"
    )
    with engine.begin() as connection:
        for clause in (statement, signed):
            connection.execute(clause, {"bytes": b"x"})
        before = connection.execute(text("SELECT * FROM signature")).mappings().one()
    migrations.upgrade(engine)
    with engine.begin() as connection:
        after = connection.execute(text("SELECT * FROM signature")).mappings().one()
        assert dict(after) == {**before, "party": None}
        # The release before goes on signing.
        connection.execute(text(str(signed).replace("'s1'", "'s2'").replace("'R1'", "'R2'")), {"bytes": b"x"})
    with db.sessions(engine)() as session:
        assert parties.count(session) == 2
    engine.dispose()
