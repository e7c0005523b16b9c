"""Only what is in force is public: logins with a signature, domains of countersigned companies, and the last change."""

from datetime import timedelta

import pytest

from agreements.facts import Account, Entry
from agreements.store import public_records
from agreements.store.ledger import ledger
from agreements.store.ledger.ledger import Change
from agreements.store.people import person_rows, signatures
from agreements.store.public_records import NEVER, PublicList, listing
from agreements.whitelist import pieces, render
from tests.agreements.store.company import add_company
from tests.within import within

DAY = timedelta(days=1)


@pytest.fixture(name="sign")
def _sign(session, vault, at, draft, fresh):
    def sign(account_id, login, at=at, **changes):
        person = person_rows.ensure(within(session, vault, at, fresh), Account(account_id, login))
        return signatures.add(within(session, vault, at, fresh), person, draft(**changes), receipt=f"R{fresh()}")

    return sign


@pytest.fixture(name="company")
def _company(session, vault, at, fresh):
    def company(*entries, excludes=(), **changes):
        return add_company(session, vault, at, fresh(), *entries, excludes=excludes, **changes)

    return company


def test_nothing_recorded_nothing_public(session, at):
    """Empty lists, and a time that never changes by itself."""
    assert listing(session, accepted=(), at=at) == PublicList((), (), NEVER)


def test_people_with_a_signature_in_force(session, vault, at, sign):
    """Each once, under the login of now; withdrawn ones, future ones and those who never signed are left out."""
    sign(12, "bo")
    sign(12, "bo", version="3.0")
    gone = sign(13, "cy")
    sign(14, "di", at + 5 * DAY)
    person_rows.ensure(within(session, vault, at, "p15"), Account(15, "never"))
    signatures.withdraw(session, gone.row.receipt, account_id=13, by_account_id=13, at=at + DAY)
    assert listing(session, accepted=(), at=at).individuals == (("bo", 12), ("cy", 13))
    person_rows.ensure(within(session, vault, at + 2 * DAY, "x"), Account(12, "bo-new"))
    assert listing(session, accepted=(), at=at + 2 * DAY).individuals == (("bo-new", 12),)
    assert listing(session, accepted=(), at=at - DAY).individuals == ()


def test_one_signature_withdrawn_and_another_kept(session, at, sign):
    """Whoever still has one in force stays."""
    first = sign(11, "ada")
    sign(11, "ada", version="3.0")
    signatures.withdraw(session, first.row.receipt, account_id=11, by_account_id=11, at=at)
    assert listing(session, accepted=(), at=at).individuals == (("ada", 11),)


def test_domains_of_countersigned_companies(session, at, company):
    """In force now; not of companies that wait, ended or exclude them, and never an address or an account."""
    company(Entry(domain="huawei.com"), Entry(email="a@b.org"), Entry(account_id=11))
    company(Entry(domain="later.org", since=at + DAY), Entry(domain="soon-over.org", until=at + DAY))
    company(Entry(domain="waits.org"), countersigned_at=None)
    company(Entry(domain="ended.org"), ended_at=at + DAY)
    company(
        Entry(domain="out.org"), Entry(domain="in.org"), excludes=[Entry(domain="out.org"), Entry(domain="huawei.com")]
    )
    assert listing(session, accepted=(), at=at).domains == ("ended.org", "huawei.com", "in.org", "soon-over.org")
    assert listing(session, accepted=(), at=at + DAY).domains == ("huawei.com", "in.org", "later.org")
    assert listing(session, accepted=(), at=at - DAY).domains == ()


def test_no_domain_of_a_company_whose_text_the_catalog_lacks(session, at, sign, company):
    """It covers nobody; the others are listed as before."""
    company(Entry(domain="paper.org"))
    company(Entry(domain="lost.org")).signature_id = sign(11, "ada", agreement="ccla").row.id
    session.flush()
    assert listing(session, accepted=(), at=at).domains == ("paper.org",)
    known = [("ccla", "2.0", "en", "a" * 64)]
    assert listing(session, accepted=known, at=at).domains == ("lost.org", "paper.org")


def test_the_time_is_that_of_the_last_change(session, vault, at, sign, company):
    """Signing, withdrawing, renaming, entries that begin or end: each moves it on, looking again does not."""
    signed = sign(11, "ada")
    assert listing(session, accepted=(), at=at + 9 * DAY).updated == at
    signatures.withdraw(session, signed.row.receipt, account_id=11, by_account_id=11, at=at + DAY)
    assert listing(session, accepted=(), at=at + 9 * DAY).updated == at + DAY
    person_rows.ensure(within(session, vault, at + 2 * DAY, "x"), Account(11, "ada-new"))
    assert listing(session, accepted=(), at=at + 9 * DAY).updated == at + 2 * DAY
    company(Entry(domain="a.org", since=at + 3 * DAY, until=at + 7 * DAY), ended_at=at + 8 * DAY)
    moments = [listing(session, accepted=(), at=at + days * DAY).updated for days in (2, 3, 6, 7, 8, 9)]
    assert moments == [at + days * DAY for days in (2, 3, 3, 7, 8, 8)]


def test_the_listing_is_all_that_leaves(session, at, sign, company):
    """Names, addresses and companies' names are nowhere in it."""
    sign(11, "ada")
    company(Entry(domain="huawei.com"), name="Secret Ltd")
    shown = repr(public_records.listing(session, accepted=(), at=at))
    assert not any(word in shown for word in ("Ada", "@", "Secret", "icla"))


def test_who_signed_for_a_company_only_is_not_listed(session, vault, company, sign, draft, at):
    """Their login becomes public when they sign for themselves, not before."""
    person = person_rows.ensure(within(session, vault, at, "p11"), Account(11, "ada"))
    signatures.add(within(session, vault, at, "s1"), person, draft(agreement="ccla"), receipt="R1", anew=True)
    company(Entry(domain="huawei.com")).signature_id = "s1"
    session.flush()

    assert listing(session, accepted=(), at=at).individuals == ()
    sign(11, "ada")
    assert listing(session, accepted=(), at=at).individuals == (("ada", 11),)


def test_who_is_restricted_or_erased_is_not_listed(session, vault, at, sign):
    """From that moment on; who was erased and signs again is, and the time says when it changed."""
    sign(11, "ada")
    sign(12, "bo")
    ada, bo = (person_rows.find(session, account_id) for account_id in (11, 12))
    ada.restricted_at, bo.erased_at, bo.wrapped_key = at + DAY, at + 2 * DAY, b""
    session.flush()

    assert listing(session, accepted=(), at=at).individuals == (("ada", 11), ("bo", 12))
    assert listing(session, accepted=(), at=at + DAY).individuals == (("bo", 12),)
    assert listing(session, accepted=(), at=at + 2 * DAY).individuals == ()
    assert listing(session, accepted=(), at=at + 2 * DAY).updated == at + 2 * DAY
    sign(12, "bo", at=at + 3 * DAY)
    assert listing(session, accepted=(), at=at + 3 * DAY).individuals == (("bo", 12),)


def test_people_come_in_the_order_of_the_list(session, at, sign):
    """By their bytes in small letters, in whatever country the database stands: a file made of them has the same order."""
    for number, login in enumerate(("b-a", "B", "ba", "a-b", "ab", "Aa", "b2"), start=11):
        sign(number, login)
    found = listing(session, accepted=(), at=at)

    assert [login for login, _ in found.individuals] == ["a-b", "Aa", "ab", "B", "b-a", "b2", "ba"]
    assert render(found.individuals, (), at) == b"".join(
        pieces(public_records.individuals(session, at), (), at, ids=True)
    )


def test_the_newest_change_of_what_is_public(session, vault, at, sign, fresh):
    """The number of its entry; an entry about something else is none, one of a row that is gone is."""
    assert public_records.newest_change(session) == -1
    context = within(session, vault, at, fresh, by=11)
    row = sign(11, "ada").row
    context.log("signature.added", 11, rows=[row])
    signed = public_records.newest_change(session)
    context.log("list.exported", details={"list": "people"})
    assert public_records.newest_change(session) == signed
    within(session, vault, at, fresh).append(Change(kind="erasure.deleted", actor_id=11, subject=ledger.SERVER, deleted=[("signature", row.id)]))  # fmt: skip
    assert public_records.newest_change(session) == signed + 2
