"""One-time codes: right once, with limited tries, time and number, also for concurrent requests."""

import threading
from datetime import timedelta

import pytest
from sqlmodel import select

from agreements.facts import Account
from agreements.store.ledger import transient_rows
from agreements.store.ledger.transient_rows import RowRefused
from agreements.store.people import email_codes, person_rows
from agreements.store.people.email_codes import TooManyCodes
from agreements.store.tables.company_records import CompanyRecord
from agreements.store.tables.records import OneTimeCode
from agreements.vault import KeyRing, Vault
from tests.within import within

MINUTE = timedelta(minutes=1)
ADA = 11


@pytest.fixture(name="issue")
def _issue(session, vault, person, at, fresh):
    """Ask for a code to ada@huawei.com for Ada, some minutes after the start, unless told otherwise."""

    def issue(minutes=0, address="ada@huawei.com", company_id=None, whose=person):
        moment = at + minutes * MINUTE
        return email_codes.issue(within(session, vault, moment, fresh), whose, address, company_id=company_id)

    return issue


@pytest.fixture(name="try_")
def _try(session, vault, at):
    """Answer a code as Ada, some minutes after the start."""

    def try_(code_id, code, minutes=0, account_id=ADA):
        moment = at + minutes * MINUTE
        return email_codes.answer(within(session, vault, moment, by=account_id), code_id, code)

    return try_


@pytest.fixture(name="company_id")
def _company_id(session, at):
    session.add(
        CompanyRecord(
            id="c1", name="One", agreement="ccla", version="2.0", signed_at=at, wrapped_key=b"k", ring_key_id="k1"
        )
    )  # fmt: skip
    session.flush()
    return "c1"


def another(code):
    """Eight digits that are not these."""
    return f"{(int(code) + 1) % 100_000_000:08d}"


def test_a_right_code_is_right_once(issue, try_, company_id):
    issued = issue(address="Ada@HUAWEI.com.", company_id=company_id)
    answer = try_(issued.id, issued.code)

    assert len(issued.code) == 8
    assert issued.code.isdecimal()
    assert (answer.outcome, answer.address, answer.company_id) == ("right", "ada@huawei.com", "c1")
    again = try_(issued.id, issued.code)
    assert (again.outcome, again.address, again.company_id) == ("repeated", "ada@huawei.com", "c1")
    assert try_(issued.id, another(issued.code)).outcome == "used-up"
    assert try_(issued.id, issued.code, minutes=10 / 60).outcome == "used-up"


def test_blanks_and_wide_digits_in_a_code_are_forgiven(issue, try_):
    """A Chinese keyboard types wide digits."""
    first, second = issue(address="a@huawei.com"), issue(address="b@huawei.com")
    wide = second.code.translate({48 + digit: 0xFF10 + digit for digit in range(10)})

    assert try_(first.id, f" {first.code[:3]} {first.code[3:]}\n").outcome == "right"
    assert try_(second.id, wide).outcome == "right"


def test_five_wrong_tries_end_a_code(issue, try_):
    issued = issue()
    answers = [try_(issued.id, wrong) for wrong in (another(issued.code), "", "abc", "1" * 1000, another(issued.code))]

    assert [(answer.outcome, answer.tries_left) for answer in answers] == [
        ("wrong", 4), ("wrong", 3), ("wrong", 2), ("wrong", 1), ("used-up", 0),
    ]  # fmt: skip
    assert all(not answer.address for answer in answers)
    assert try_(issued.id, issued.code).outcome == "used-up"


def test_a_code_ends_after_ten_minutes(issue, try_):
    first, second = issue(address="a@huawei.com"), issue(address="b@huawei.com")

    assert try_(first.id, first.code, minutes=10).outcome == "expired"
    assert try_(second.id, second.code, minutes=9.99).outcome == "right"


def test_a_newer_code_ends_the_older_one_of_the_same_account_address_and_company(issue, try_, company_id):
    old, other_address, for_company = issue(), issue(address="b@huawei.com"), issue(company_id=company_id)
    new = issue(1)

    assert try_(old.id, old.code, minutes=1).outcome == "expired"
    assert [try_(mail.id, mail.code, minutes=1).outcome for mail in (other_address, for_company, new)] == ["right"] * 3


def test_a_code_of_another_account_is_unknown_and_spends_no_try(issue, try_):
    issued = issue()

    assert try_(issued.id, issued.code, account_id=12) == try_("r999", issued.code)
    assert try_(issued.id, another(issued.code)).tries_left == 4


def test_an_empty_id_or_account_is_an_error(try_):
    for arguments in ({"code_id": ""}, {"account_id": None}, {"account_id": 0}):
        with pytest.raises(ValueError, match="look-up"):
            try_(**{"code_id": "r1", "code": "1", **arguments})


def test_neither_the_row_nor_its_print_holds_the_code_or_the_address(issue, session):
    issued = issue()
    row = session.exec(select(OneTimeCode)).one()

    assert b"huawei" not in row.address
    assert issued.code not in repr(issued)
    assert all(issued.code not in str(value) for name, value in row.model_dump().items() if name == "code_hash")


def test_a_hash_copied_to_another_code_s_row_is_not_right(issue, try_, session, vault):
    mine, theirs = issue(address="a@huawei.com"), issue(address="b@huawei.com")
    rows = {row.id: row for row in session.exec(select(OneTimeCode))}
    rows[theirs.id].code_hash = rows[mine.id].code_hash
    session.flush()
    with pytest.raises(RowRefused):
        try_(theirs.id, mine.code)
    transient_rows.authenticate(vault, rows[theirs.id])
    assert try_(theirs.id, mine.code).outcome == "wrong"


def test_an_account_gets_five_codes_an_hour(issue, at):
    for minute in range(5):
        issue(minute, address=f"a{minute}@huawei.com")
    with pytest.raises(TooManyCodes) as refused:
        issue(30)

    with pytest.raises(TooManyCodes):
        issue(59.9)
    issue(60)
    assert "huawei" not in str(refused.value)
    assert refused.value.again_at == at + timedelta(hours=1)


def test_an_account_gets_twenty_codes_a_day(issue, at):
    for number in range(20):
        issue(number * 20, address=f"a{number}@huawei.com")
    with pytest.raises(TooManyCodes) as refused:
        issue(12 * 60)

    assert refused.value.again_at == at + timedelta(days=1)
    issue(24 * 60)


@pytest.fixture(name="strangers")
def _strangers(session, vault, at):
    """Other accounts."""
    return [person_rows.ensure(within(session, vault, at, f"q{n}"), Account(20 + n, f"u{n}")) for n in range(5)]


SPELLINGS = ("ada@huawei.com", "Ada@Huawei.com", "ada@HUAWEI.COM.")


def test_an_account_gets_three_codes_an_hour_for_an_address(issue, company_id, at):
    for number, address in enumerate(SPELLINGS):
        issue(number, address=address, company_id=company_id if number else None)
    with pytest.raises(TooManyCodes) as refused:
        issue(3)

    assert refused.value.again_at == at + timedelta(hours=1)
    issue(3, address="other@huawei.com")
    issue(60)


def test_a_stranger_alone_cannot_use_up_the_codes_of_an_address(issue, strangers):
    """Nor can three together."""
    for number in range(9):
        issue(number, address=SPELLINGS[number % 3], whose=strangers[number // 3])
    for stranger in strangers[:3]:
        with pytest.raises(TooManyCodes):
            issue(10, whose=stranger)

    issue(10)


def test_an_address_gets_ten_codes_an_hour_from_all_accounts(issue, strangers, at):
    """Many accounts must not flood one person."""
    for number in range(10):
        issue(number, address=SPELLINGS[number % 3], whose=strangers[number % 4])
    with pytest.raises(TooManyCodes) as refused:
        issue(10, whose=strangers[4])

    assert refused.value.again_at == at + timedelta(hours=1)
    issue(10, address="other@huawei.com", whose=strangers[4])
    issue(60, whose=strangers[4])


def test_the_limit_of_an_address_and_a_code_outlive_a_new_key(issue, session, person, at):
    old = KeyRing.generate("k1")
    before, after = Vault(KeyRing.parse(old)), Vault(KeyRing.parse(KeyRing.generate("k2") + "\n" + old))
    someone = person_rows.ensure(within(session, before, at, "p31"), Account(31, "eve"))
    for number in range(3):
        issued = email_codes.issue(within(session, before, at, f"k{number}"), someone, "a@b.example", company_id=None)

    with pytest.raises(TooManyCodes):
        email_codes.issue(within(session, after, at, "k9"), someone, "a@b.example", company_id=None)
    answer = email_codes.answer(within(session, after, at, by=31), issued.id, issued.code)
    assert answer.outcome == "right"


def test_an_invalid_address_gets_no_code_and_is_not_repeated(issue):
    with pytest.raises(ValueError, match="valid e-mail") as refused:
        issue(address="kanarienvogel@@x")

    assert "kanarienvogel" not in str(refused.value)


def test_waiting_codes_are_the_account_s_running_ones_newest_first(issue, try_, session, vault, at, company_id):
    old, used, kept = issue(), issue(address="b@huawei.com"), issue(1, company_id=company_id)
    new = issue(2)
    try_(used.id, used.code)
    try_(new.id, another(new.code), minutes=2)
    found = email_codes.waiting(session, vault, ADA, at + 3 * MINUTE)

    assert [(code.id, code.address, code.company_id, code.tries_left) for code in found] == [
        (new.id, "ada@huawei.com", None, 4), (kept.id, "ada@huawei.com", "c1", 5),
    ]  # fmt: skip
    assert old.id not in {code.id for code in found}
    assert email_codes.waiting(session, vault, 12, at) == ()
    assert email_codes.waiting(session, vault, ADA, at + 12 * MINUTE) == ()


def test_a_code_is_purged_after_the_day_that_a_limit_counts(issue, session, at):
    issue()
    issue(60)

    assert transient_rows.purge(session, at=at + timedelta(hours=23)) == 0
    assert transient_rows.purge(session, at=at + timedelta(hours=24, minutes=30)) == 1
    assert session.exec(select(OneTimeCode)).one().made_at == at + timedelta(hours=1)


@pytest.mark.parametrize("right", [True, False])
def test_concurrent_tries_are_counted_and_a_right_code_is_right_once(sessions, vault, at, right):
    with sessions() as session:
        person = person_rows.ensure(within(session, vault, at, "p11"), Account(ADA, "ada"))
        issued = email_codes.issue(within(session, vault, at, "c"), person, "a@b.example", company_id=None)
    answers, begin = [], threading.Barrier(12)

    def attempt():
        begin.wait()
        with sessions() as session:
            code = issued.code if right else another(issued.code)
            answers.append(email_codes.answer(within(session, vault, at, by=ADA), "c", code))

    at_once(attempt)
    outcomes = sorted(answer.outcome for answer in answers)
    assert outcomes == (["repeated"] * 11 + ["right"] if right else ["used-up"] * 8 + ["wrong"] * 4)
    if not right:
        assert sorted(answer.tries_left for answer in answers if answer.outcome == "wrong") == [1, 2, 3, 4]


def test_concurrent_requests_for_one_address_get_ten_codes(sessions, vault, at):
    with sessions() as session:
        for number in range(1, 13):
            person_rows.ensure(within(session, vault, at, f"p{number}"), Account(number, f"u{number}"))
    numbers, made, begin = iter(range(1, 13)), [], threading.Barrier(12)

    def ask():
        begin.wait()
        number = next(numbers)
        try:
            with sessions() as session:
                person = person_rows.find(session, number)
                email_codes.issue(within(session, vault, at, f"c{number}"), person, "a@b.example", company_id=None)
        except TooManyCodes:
            return
        made.append(number)

    at_once(ask)
    assert len(made) == 10


def test_asking_and_answering_at_once_do_not_deadlock(sessions, vault, at):
    """Both lock the person first."""
    with sessions() as session:
        person = person_rows.ensure(within(session, vault, at, "p11"), Account(ADA, "ada"))
        email_codes.issue(within(session, vault, at, "c"), person, "a@b.example", company_id=None)
    made, answered = [], threading.Event()

    def ask():
        answered.wait()
        with sessions() as session:
            person = person_rows.find(session, ADA)
            made.append(email_codes.issue(within(session, vault, at, "d"), person, "a@b.example", company_id=None))

    asking = threading.Thread(target=ask)
    asking.start()
    with sessions() as session:
        email_codes.answer(within(session, vault, at, by=ADA), "c", "000000")
        answered.set()
        asking.join(0.3)  # until it waits for what the answer holds
        person_rows.lock(session, person_rows.find(session, ADA))  # as what follows a right code does
    asking.join()
    assert len(made) == 1


def at_once(do):
    """Run it in twelve threads."""
    threads = [threading.Thread(target=do) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
