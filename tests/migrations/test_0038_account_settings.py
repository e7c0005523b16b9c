"""Step 0038 adds the settings of accounts; nobody has chosen anything yet."""

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

import migrations
from tests.migrations.test_0005_overrides import write

pytestmark = pytest.mark.from_step("0037")

INSERT = "INSERT INTO account_settings (account_id, time_zone) VALUES (:account_id, :time_zone)"


@pytest.mark.slow
def test_an_account_has_one_row_of_settings(engine):
    assert migrations.upgrade(engine, "0038") == ("0038",)
    write(engine, INSERT, account_id=2**40, time_zone="Asia/Shanghai")
    with pytest.raises(DBAPIError, match=r"(?i)unique"):
        write(engine, INSERT, account_id=2**40, time_zone="Europe/Berlin")
    migrations.upgrade(engine)
    with engine.connect() as connection:
        found = connection.execute(text("SELECT account_id, time_zone FROM account_settings")).all()
    assert [tuple(row) for row in found] == [(2**40, "Asia/Shanghai")]
