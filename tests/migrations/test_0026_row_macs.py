"""Step 0026 adds an empty table for codes, which need keys that a migration has not; nothing that is there changes."""

import pytest
from sqlalchemy import text

import migrations
from tests.migrations.test_0005_overrides import PULL, write

pytestmark = pytest.mark.from_step("0025")


def test_rows_are_kept_without_a_code_and_may_get_one_each(engine):
    write(engine, PULL)
    with engine.connect() as connection:
        before = connection.execute(text("SELECT * FROM pull")).all()
    assert migrations.upgrade(engine, "0026") == ("0026",)
    with engine.connect() as connection:
        assert connection.execute(text("SELECT * FROM pull")).all() == before
        assert connection.execute(text("SELECT count(*) FROM row_mac")).scalar_one() == 0
    write(engine, "INSERT INTO row_mac VALUES ('signature', 's1', 3, NULL, 'k1', '00')")
    with pytest.raises(Exception, match=r"(?i)unique"):
        write(engine, "INSERT INTO row_mac VALUES ('signature', 's1', 4, NULL, 'k1', '00')")
