"""Step 0027 adds columns that the program fills in; what is there stays, and who does not know them goes on."""

import pytest
from sqlalchemy import inspect, text

import migrations
from tests.migrations.test_0003_visits import INSERT

pytestmark = pytest.mark.from_step("0026")

TOKEN = (
    "INSERT INTO api_token (id, name, token_hash, scopes, made_at, made_by)"
    " VALUES (:id, 'ci', :id, 'covered:read', '2026-11-21 12:00:00+00:00', 90)"
)


@pytest.mark.slow
def test_rows_from_before_have_no_code_and_are_written_as_before(engine):
    with engine.begin() as connection:
        connection.execute(text(TOKEN), {"id": "t1"})
        connection.execute(text(INSERT), {"sealed": b"sealed"})

    assert migrations.upgrade(engine, "0027") == ("0027",)

    with engine.begin() as connection:
        connection.execute(text(TOKEN), {"id": "t2"})
        assert connection.execute(text("SELECT id, token_index FROM api_token ORDER BY id")).all() == [
            ("t1", None),
            ("t2", None),
        ]
        assert connection.execute(text("SELECT account_id, mac FROM visit")).all() == [(7, None)]
        for table in ("one_time_code", "signatory_request"):
            assert connection.execute(text(f"SELECT mac FROM {table}")).all() == []
    assert "ix_ledger_entry_kind_number" in {index["name"] for index in inspect(engine).get_indexes("ledger_entry")}
