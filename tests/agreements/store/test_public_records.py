"""Only what is in force is public: logins with a signature, domains of countersigned companies, and the last change."""

from datetime import timedelta

import pytest

from agreements.facts import Account, Entry
from agreements.store import public_records
from agreements.store.ledger import stored_ledger
from agreements.store.ledger.stored_ledger import Change
from agreements.store.people import person_rows, signatures, withdrawals
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


def test_an_empty_database_publishes_empty_lists_and_a_fixed_time(session, at):
    assert listing(session, accepted=(), at=at) == PublicList((), (), NEVER)


def test_people_with_a_signature_in_force_are_listed_once_by_their_present_login(session, vault, at, sign):
    sign(12, "bo")
    sign(12, "bo", version="3.0")
    gone = sign(13, "cy")
    sign(14, "di", at + 5 * DAY)
    person_rows.ensure(within(session, vault, at, "p15"), Account(15, "never"))
    withdrawals.withdraw(within(session, vault, at + DAY, by=13), gone.row.receipt)
    assert listing(session, accepted=(), at=at).individuals == (("bo", 12), ("cy", 13))
    person_rows.ensure(within(session, vault, at + 2 * DAY, "x"), Account(12, "bo-new"))
    assert listing(session, accepted=(), at=at + 2 * DAY).individuals == (("bo-new", 12),)
    assert listing(session, accepted=(), at=at - DAY).individuals == ()


def test_a_person_with_one_of_two_signatures_left_is_listed(session, vault, at, sign):
    first = sign(11, "ada")
    sign(11, "ada", version="3.0")
    withdrawals.withdraw(within(session, vault, at, by=11), first.row.receipt)
    assert listing(session, accepted=(), at=at).individuals == (("ada", 11),)


def test_only_domains_of_countersigned_companies_in_force_are_listed(session, at, company):
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


def test_a_company_with_a_text_that_the_catalog_lacks_is_not_listed(session, at, sign, company):
    company(Entry(domain="paper.org"))
    company(Entry(domain="lost.org")).signature_id = sign(11, "ada", agreement="ccla").row.id
    session.flush()
    assert listing(session, accepted=(), at=at).domains == ("paper.org",)
    known = [("ccla", "2.0", "en", "a" * 64)]
    assert listing(session, accepted=known, at=at).domains == ("lost.org", "paper.org")


def test_the_time_moves_with_each_change_and_not_by_looking(session, vault, at, sign, company):
    signed = sign(11, "ada")
    assert listing(session, accepted=(), at=at + 9 * DAY).updated == at
    withdrawals.withdraw(within(session, vault, at + DAY, by=11), signed.row.receipt)
    assert listing(session, accepted=(), at=at + 9 * DAY).updated == at + DAY
    person_rows.ensure(within(session, vault, at + 2 * DAY, "x"), Account(11, "ada-new"))
    assert listing(session, accepted=(), at=at + 9 * DAY).updated == at + 2 * DAY
    company(Entry(domain="a.org", since=at + 3 * DAY, until=at + 7 * DAY), ended_at=at + 8 * DAY)
    moments = [listing(session, accepted=(), at=at + days * DAY).updated for days in (2, 3, 6, 7, 8, 9)]
    assert moments == [at + days * DAY for days in (2, 3, 3, 7, 8, 8)]


def test_the_listing_holds_no_names_and_no_addresses(session, at, sign, company):
    sign(11, "ada")
    company(Entry(domain="huawei.com"), name="Secret Ltd")
    shown = repr(public_records.listing(session, accepted=(), at=at))
    assert not any(word in shown for word in ("Ada", "@", "Secret", "icla"))


def test_a_person_who_signed_only_for_a_company_is_not_listed(session, vault, company, sign, draft, at):
    person = person_rows.ensure(within(session, vault, at, "p11"), Account(11, "ada"))
    signatures.add(within(session, vault, at, "s1"), person, draft(agreement="ccla"), receipt="R1", anew=True)
    company(Entry(domain="huawei.com")).signature_id = "s1"
    session.flush()

    assert listing(session, accepted=(), at=at).individuals == ()
    sign(11, "ada")
    assert listing(session, accepted=(), at=at).individuals == (("ada", 11),)


def test_a_restricted_or_erased_person_is_not_listed_from_that_moment_on(session, vault, at, sign):
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


def test_people_are_sorted_by_the_bytes_of_their_lower_case_logins(session, at, sign):
    """The sort order of a database depends on its locale."""
    for number, login in enumerate(("b-a", "B", "ba", "a-b", "ab", "Aa", "b2"), start=11):
        sign(number, login)
    found = listing(session, accepted=(), at=at)

    assert [login for login, _ in found.individuals] == ["a-b", "Aa", "ab", "B", "b-a", "b2", "ba"]
    assert render(found.individuals, (), at) == b"".join(
        pieces(public_records.individuals(session, at), (), at, ids=True)
    )


def test_the_newest_public_change_is_found_by_the_number_of_its_entry(session, vault, at, sign, fresh):
    assert public_records.newest_change(session) == -1
    context = within(session, vault, at, fresh, by=11)
    row = sign(11, "ada").row
    context.log("signature.added", 11, rows=[row])
    signed = public_records.newest_change(session)
    context.log("list.exported", details={"list": "people"})
    assert public_records.newest_change(session) == signed
    within(session, vault, at, fresh).append(Change(kind="erasure.deleted", actor_id=11, subject=stored_ledger.SERVER, deleted=[("signature", row.id)]))  # fmt: skip
    assert public_records.newest_change(session) == signed + 2
