"""New entries are written once: with a number as a signature, without one as something that waits and covers nobody."""

import json
from datetime import timedelta

import pytest
from sqlmodel import select

from agreements.facts import Account
from agreements.imports.entries import Entry
from agreements.store import imported, people, signatures
from agreements.store.imported import COUNTED, WAITING, Source, Told
from agreements.store.ledger_records import LedgerEntry
from agreements.store.records import Imported, Person
from agreements.vault import SealBroken

SOURCE = Source(format="plain", sha256="f" * 64, agreement="icla")


@pytest.fixture(name="entry")
def _entry(at):
    """A maker of entries: ada with her number, who signed 1.0 a year ago."""

    def make(**changes):
        told = {
            "where": "individuals.0", "login": "ada", "account_id": 11, "name": "Ada 爱达", "email": "ada@huawei.com",
            "signed_at": at - timedelta(days=365), "version": "1.0", "notes": ("repo: x",),
        }  # fmt: skip
        return Entry(**(told | changes))

    return make


@pytest.fixture(name="take")
def _take(session, vault, at, fresh):
    """Plans and writes entries as one lot; what the plan was."""

    def take(*entries, source=SOURCE):
        plan = imported.plan(session, entries, source)
        imported.add(session, vault, plan.added, source, at=at, new_id=fresh)
        return plan

    return take


def kinds(session):
    """The kinds of all log entries in order."""
    return list(session.exec(select(LedgerEntry.kind).order_by(LedgerEntry.number)))


def test_an_entry_with_a_number_counts_at_once(session, vault, take, entry):
    """As a signature of a text that is not ours; the evidence is sealed with the person's key, the entry emptied."""
    take(entry())

    (fact,) = signatures.of(session, [11], accepted=[])
    assert (fact.agreement, fact.version, fact.signed_at) == ("icla", "1.0", entry().signed_at)
    row = session.exec(select(Imported)).one()
    assert (row.state, row.signature_id is not None, imported.opened(vault, row)) == (COUNTED, True, Told(notes=[]))
    (mine,) = signatures.mine(session, 11)
    told = signatures.receipt(session, vault, mine.receipt, 11).draft
    assert (told.name, told.email, told.identity_proof) == ("Ada 爱达", "ada@huawei.com", "imported")
    assert told.fields["source-sha256"] == "f" * 64
    assert told.fields["source-place"] == "individuals.0"
    assert kinds(session) == ["signature.imported"]


def test_a_login_alone_waits_and_covers_nobody(session, vault, take, entry):
    """Nobody is made a person for it; what is personal is sealed; one log entry for all of a lot that wait."""
    take(entry(account_id=None), entry(account_id=None, login="bob", where="x"))

    assert session.exec(select(Person)).all() == []
    rows = session.exec(select(Imported)).all()
    assert [(row.state, row.account_id) for row in rows] == [(WAITING, None)] * 2
    assert all(b"huawei" not in row.sealed for row in rows)
    assert imported.opened(vault, rows[0]).email == "ada@huawei.com"
    assert kinds(session) == ["login.imported"]


def test_what_is_sealed_opens_only_where_it_stands(session, vault, take, entry):
    """Sealed bytes of one entry are refused in another."""
    take(entry(account_id=None), entry(account_id=None, login="bob"))
    one, other = session.exec(select(Imported)).all()
    one.sealed, other.sealed = other.sealed, one.sealed

    with pytest.raises(SealBroken):
        imported.opened(vault, one)


def test_twice_changes_nothing(session, take, entry):
    """Also from another tool, with another date or another case of the login: one person's version is one entry."""
    take(entry(), entry(account_id=None, login="Bob"))
    before = kinds(session)
    other = Source(format="clabot", sha256="0" * 64, agreement="icla")
    plan = take(entry(signed_at=entry().signed_at + timedelta(1)), entry(account_id=None, login="bob"), source=other)

    assert (plan.added, [why for _, why in plan.unchanged]) == ((), ["imported before"] * 2)
    assert kinds(session) == before


def test_the_earliest_of_several_rows_counts(session, take, entry):
    """A list with a row for each repository; another version is another entry."""
    late = entry(signed_at=entry().signed_at + timedelta(1), where="a")
    plan = take(late, entry(where="b"), entry(where="c", version="1.1"))

    assert [one.where for one in plan.added] == ["b", "c"]
    assert plan.unchanged == ((late, "the same person and version as b"),)


def test_a_known_person_keeps_their_login(session, vault, at, take, entry):
    """What they are called here is newer than any list."""
    people.ensure(session, vault, account=Account(11, "ada-now"), at=at, new_id="p1")
    take(entry())

    assert session.exec(select(Person.login)).all() == ["ada-now"]


def test_an_erased_person_is_not_made_again(session, vault, at, take, entry):
    """Their wish stands against any list."""
    person = people.ensure(session, vault, account=Account(11, "ada"), at=at, new_id="p1")
    person.wrapped_key, person.erased_at = b"", at
    session.add(person)
    plan = take(entry())

    assert (plan.added, plan.refused[0].reason[:22]) == ((), "their data were erased")
    assert signatures.of(session, [11], accepted=[]) == ()


def test_the_log_says_no_name(session, take, entry):
    """Its rows are hashes, what was told is sealed."""
    take(entry())
    said = session.exec(select(LedgerEntry)).one()
    shown = json.dumps(said.model_dump(), default=str)
    assert not [word for word in ("huawei", "爱达", "individuals.0") if word in shown]
