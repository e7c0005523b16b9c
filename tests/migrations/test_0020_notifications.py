"""Step 0020 adds how often administrators want mail beside what is there, and takes only what the pages know."""

import pytest
from sqlalchemy import inspect, text
from sqlalchemy.exc import IntegrityError

import migrations
from tests.migrations.test_0015_sweep import PULL

pytestmark = pytest.mark.from_step("0019")

WISH = (
    "INSERT INTO notification (account_id, often, told_entry, told_at)"
    " VALUES ({}, '{}', 0, '2026-01-01 00:00:00+00:00')"
)


def test_rows_are_kept_and_an_administrator_has_one_wish(engine):
    with engine.begin() as connection:
        connection.execute(text(PULL))
    migrations.upgrade(engine, "0020")

    with engine.begin() as connection:
        assert connection.execute(text("SELECT number, head_sha FROM pull")).one() == (5, "a")
        connection.execute(text(WISH.format(90, "daily")))
    for wrong in (WISH.format(91, "hourly"), WISH.format(90, "never")):
        with pytest.raises(IntegrityError), engine.begin() as connection:
            connection.execute(text(wrong))
    for table, name in (
        ("signature", "ix_signature_signed_at"), ("person", "ix_person_created_at"), ("verdict", "ix_verdict_judged_at"),
    ):  # fmt: skip
        assert name in {index["name"] for index in inspect(engine).get_indexes(table)}
