"""The log names every row of every table that is a record; what is left out is left out for a reason."""

import pytest
from sqlmodel import SQLModel

from agreements.store.tables import company_records, party_records, records
from agreements.store.tables.logged_columns import of_table
from bot.store.logged_tables import TABLES

NO_RECORD = {
    "one_time_code": "gone after minutes",
    "signatory_request": "gone after months; what was signed is a signature",
    "employee_invitation": "e-mails to employees; who enrolled is an enrolment",
}


def test_every_table_of_the_records_is_looked_at():
    """A table that somebody adds to the records is either verified or named here."""
    tables = {
        one.__tablename__
        for module in (records, company_records, party_records)
        for one in vars(module).values()
        if isinstance(one, type) and issubclass(one, SQLModel) and one.__module__ == module.__name__
    }

    assert tables - set(NO_RECORD) == {one.__tablename__ for one in TABLES} - {"override", "api_token"}


@pytest.mark.parametrize("model", TABLES, ids=lambda model: model.__tablename__)
def test_each_column_is_declared(model):
    """Whoever adds a column says whether it is hashed, derived or free, and why: once, and of no column that is not there."""
    table = SQLModel.metadata.tables[model.__tablename__]
    declared = of_table(table)
    kinds = [declared.hashed, declared.present, declared.derived, declared.free]

    assert table.info, "the table declares nothing"
    assert declared.columns == set(table.c.keys())
    assert sum(map(len, kinds)) == len(declared.columns), "a column is declared twice"
    assert all(why for kind in kinds[1:] for why in kind.values())
    assert len(declared.unless_null) <= 1, "the database spells such a row in two ways, not in more"
    assert declared.unless_null <= {one.name for one in table.c if one.nullable}
