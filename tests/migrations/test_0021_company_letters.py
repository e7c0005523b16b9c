"""Step 0021 adds requests to sign for a company and invitations of employees beside what is there."""

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError

import migrations

pytestmark = pytest.mark.from_step("0020")

AT = "2026-01-01 00:00:00+00:00"
PERSON = (
    "INSERT INTO person (id, account_id, login, login_since, wrapped_key, ring_key_id, created_at)"
    f" VALUES ('p11', 11, 'ada', '{AT}', 'k', 'k1', '{AT}')"
)
COMPANY = (
    "INSERT INTO company (id, name, agreement, version, signed_at, wrapped_key, ring_key_id)"
    f" VALUES ('c1', 'Huawei', 'ccla', '2.0', '{AT}', 'k', 'k1')"
)
REQUEST = (
    "INSERT INTO signatory_request (id, person_id, account_id, token_hash, sealed, address_index, made_at, sent_at, sent,"
    f" expires_at, codes, code_tries, outcome) VALUES ('{{}}', '{{}}', 11, '{{}}', 's', 'i', '{AT}', '{AT}', 1, '{AT}', 0, 0, {{}})"
)
INVITATION = (
    "INSERT INTO employee_invitation (id, company_id, address, address_index, language, invited_at, invited_by, reminders)"
    f" VALUES ('{{}}', '{{}}', 'a', 'i', 'en', '{AT}', 11, 0)"
)


def test_rows_are_kept_and_invitations_are_unique_with_known_outcomes(engine):
    with engine.begin() as connection:
        connection.execute(text(PERSON))
        connection.execute(text(COMPANY))
    migrations.upgrade(engine, "0021")

    with engine.begin() as connection:
        assert connection.execute(text("SELECT login FROM person")).scalar_one() == "ada"
        assert connection.execute(text("SELECT name FROM company")).scalar_one() == "Huawei"
        connection.execute(text(REQUEST.format("r1", "p11", "t1", "NULL")))
        connection.execute(text(REQUEST.format("r2", "p11", "t2", "'declined'")))
        connection.execute(text(INVITATION.format("i1", "c1")))
    for wrong in (
        REQUEST.format("r3", "p11", "t1", "NULL"), REQUEST.format("r3", "p11", "t3", "'lost'"),
        REQUEST.format("r3", "nobody", "t3", "NULL"), INVITATION.format("i2", "c1"), INVITATION.format("i2", "none"),
    ):  # fmt: skip
        with pytest.raises(IntegrityError), engine.begin() as connection:
            connection.execute(text(wrong))
