"""Rows that the log does not name count only by their authentication code."""

from datetime import timedelta

import pytest
from sqlalchemy import text

from agreements.facts import Account
from agreements.store.ledger import transient_rows
from agreements.store.ledger.transient_rows import RowRefused
from agreements.store.people import email_codes, person_rows
from agreements.store.tables.records import OneTimeCode
from agreements.vault import KeyRing, Vault
from tests.within import within

OLD, NEW = KeyRing.generate("k1"), KeyRing.generate("k2")


@pytest.fixture(name="old")
def _old():
    return Vault(KeyRing.parse(OLD))


@pytest.fixture(name="rows")
def _rows(session, old, at):
    """Three codes of one person, as they are made."""
    person_rows.ensure(within(session, old, at, "p1"), Account(11, "ada"))
    for number in range(3):
        row = OneTimeCode(
            id=f"c{number}", person_id="p1", account_id=11, address=b"sealed", address_index=b"i", code_hash="h",
            made_at=at, expires_at=at + timedelta(minutes=10), tries_left=5,
        )  # fmt: skip
        transient_rows.authenticate(old, row)
        session.add(row)
    session.flush()
    session.expire_all()


def why(session, vault, row_id="c0"):
    """Why that row is refused; None where it counts."""
    session.expire_all()
    row = session.get(OneTimeCode, row_id)
    try:
        transient_rows.check(vault, row)
    except RowRefused as refused:
        return refused.why if (refused.table, refused.row) == ("one_time_code", row_id) else "another row's"
    return None


@pytest.mark.usefixtures("rows")
def test_a_change_of_any_column_breaks_the_code(session, old, at):
    others = {
        "id": "'x'", "account_id": "12", "company_id": "'c9'", "address": "address_index", "address_index": "address",
        "code_hash": "'other'", "made_at": "expires_at", "expires_at": "made_at", "tries_left": "tries_left + 1",
        "used_at": "made_at", "person_id": "'p2'",
    }  # fmt: skip
    assert others.keys() | {"mac"} == OneTimeCode.model_fields.keys()
    person_rows.ensure(within(session, old, at, "p2"), Account(12, "bob"))
    session.execute(text("INSERT INTO company (id, name, agreement, version, signed_at, wrapped_key, ring_key_id)"
                         " SELECT 'c9', 'H', 'ccla', '2.0', login_since, wrapped_key, 'k1' FROM person WHERE id = 'p1'"))  # fmt: skip
    assert why(session, old) is None
    for column, value in others.items():
        nested = session.begin_nested()
        session.execute(text(f"UPDATE one_time_code SET {column} = {value} WHERE id = 'c0'"))
        assert why(session, old, "x" if column == "id" else "c0") == "wrong-code", column
        nested.rollback()
        assert why(session, old) is None


@pytest.mark.usefixtures("rows")
def test_a_missing_moved_or_made_up_code_is_refused(session, old):
    for mac, said in (
        ("(SELECT mac FROM one_time_code WHERE id = 'c1')", "wrong-code"), ("NULL", "no-code"), ("''", "no-code"),
        (f"'k1:{'0' * 64}'", "wrong-code"), (f"'k9:{'0' * 64}'", "unknown-key"), ("'é'", "unknown-key"),
    ):  # fmt: skip
        session.execute(text(f"UPDATE one_time_code SET mac = {mac} WHERE id = 'c0'"))
        assert why(session, old) == said


@pytest.mark.usefixtures("rows")
def test_a_new_ring_key_makes_new_codes_and_drops_forged_ones(session, old):
    both, new = Vault(KeyRing.parse(f"{NEW}\n{OLD}")), Vault(KeyRing.parse(NEW))
    session.execute(text("UPDATE one_time_code SET tries_left = 99 WHERE id = 'c2'"))
    session.expire_all()
    assert transient_rows.authenticated_by(session, OneTimeCode) == {"k1": 3}

    assert transient_rows.authenticate_anew(session, both, OneTimeCode, None) == (3, "c2")
    assert transient_rows.authenticate_anew(session, both, OneTimeCode, "c2") == (0, None)

    assert transient_rows.authenticated_by(session, OneTimeCode) == {"k2": 2}
    assert [why(session, new, row_id) for row_id in ("c0", "c1", "c2")] == [None, None, "no-code"]
    assert why(session, old) == "unknown-key"


ATTACKS = {
    "more tries": "tries_left = 1000",
    "a longer time": "expires_at = '2030-01-01 00:00:00+00:00'",
    "a used one": "used_at = NULL",
    "for a company": "company_id = NULL",
    "a code of one's own": "code_hash = (SELECT code_hash FROM one_time_code WHERE id = 'mine')",
    "another's address": "address = (SELECT address FROM one_time_code WHERE id = 'mine')",
    "another's account": "account_id = 12, person_id = 'p12'",
}


@pytest.mark.parametrize("change", ATTACKS.values(), ids=ATTACKS)
def test_a_changed_one_time_code_proves_no_address(session, vault, person, at, change):
    """The attacker can write to the database and has an account and a mailbox."""
    other = person_rows.ensure(within(session, vault, at, "p12"), Account(12, "eve"))
    session.execute(
        text("INSERT INTO company (id, name, agreement, version, signed_at, wrapped_key, ring_key_id)"
             " SELECT 'c1', 'H', 'ccla', '2.0', login_since, wrapped_key, ring_key_id FROM person WHERE account_id = 11")
    )  # fmt: skip
    theirs = email_codes.issue(within(session, vault, at, "theirs"), person, "ada@huawei.com", company_id="c1")
    mine = email_codes.issue(within(session, vault, at, "mine"), other, "eve@x.org", company_id=None)
    if "used_at" in change:
        assert email_codes.answer(within(session, vault, at, by=11), "theirs", theirs.code).outcome == "right"
    if session.get_bind().dialect.name == "sqlite":
        change = change.replace("+00:00", ".000000")
    session.execute(text(f"UPDATE one_time_code SET {change} WHERE id = 'theirs'"))
    session.expire_all()

    whose = 12 if "account_id" in change else 11
    for code in (theirs.code, mine.code):
        with pytest.raises(RowRefused, match="wrong-code"):
            email_codes.answer(within(session, vault, at, by=whose), "theirs", code)
    assert "theirs" not in [code.id for code in email_codes.waiting(session, vault, whose, at)]
    assert email_codes.answer(within(session, vault, at, by=12), "mine", mine.code).address == "eve@x.org"


def test_a_copied_one_time_code_under_another_id_proves_no_address(session, vault, person, at):
    real = email_codes.issue(within(session, vault, at, "real"), person, "ada@huawei.com", company_id=None)
    session.execute(
        text(
            "INSERT INTO one_time_code SELECT 'copy', person_id, account_id, company_id, address, address_index, code_hash,"
            " made_at, expires_at, tries_left, used_at, mac FROM one_time_code"
        )
    )
    with pytest.raises(RowRefused):
        email_codes.answer(within(session, vault, at, by=11), "copy", real.code)
