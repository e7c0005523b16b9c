"""The log names every row of every table that is a record; what is left out is left out for a reason."""

from sqlmodel import SQLModel

from agreements.store.ledger.ledger import HASHED_IF_SET, NOT_HASHED, SEALED_COLUMN_OF
from agreements.store.tables import company_records, party_records, records
from bot.store.logged_tables import TABLES

NO_RECORD = {
    "person": "a label and a key; what people did is in the other tables",
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


def test_what_is_not_hashed_exists():
    """Each name of a column that may change is a column."""
    for name, columns in NOT_HASHED.items():
        assert columns <= set(SQLModel.metadata.tables[name].c.keys()), name
    for name, columns in HASHED_IF_SET.items():
        assert len(columns) == 1, "the database spells such a row in two ways, not in more"
        assert columns <= {one.name for one in SQLModel.metadata.tables[name].c if one.nullable}, name
    assert set(SEALED_COLUMN_OF) <= {one.__tablename__ for one in TABLES}
