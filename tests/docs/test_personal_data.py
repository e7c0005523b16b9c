"""docs/reference/personal-data.csv and erasure.csv name every table that tells of people, and only tables that there are."""

import csv
import re
from pathlib import Path

from sqlmodel import SQLModel

import audit.store.records  # noqa: F401 - with bot.app, defines all tables
import bot.app  # noqa: F401 - as above

REFERENCE = Path(__file__).parents[2] / "docs/reference"
STORED, ERASED = REFERENCE / "personal-data.csv", REFERENCE / "erasure.csv"
ABOUT_PEOPLE = re.compile(
    r"(?:.*_)?(?:account_id|person_id|login|sender_id|actor_id|address_index|by)|made_by|evidence|sealed|ids"
)
NOT_PEOPLE = {
    "audit_account": "an organisation's login",
    "owner": "an organisation's login",
    "ledger_key": "the log's own key",
}
NO_PERSON = {"lease_by": "a process", "renew_by": "a day", "reversed_by": "an App, or that it was some person"}


def named(file):
    """The tables in the first column."""
    with file.open(encoding="utf-8", newline="") as lines:
        return {name for row in csv.DictReader(lines) for name in row["tables"].split(", ")}


def about_people():
    """The tables with a column that names a person, or is encrypted."""
    return {
        name
        for name, table in SQLModel.metadata.tables.items()
        if name not in NOT_PEOPLE
        and any(ABOUT_PEOPLE.fullmatch(column.name) and column.name not in NO_PERSON for column in table.columns)
    }


def test_every_table_about_people_is_listed():
    assert about_people() - named(STORED) == set()


def test_every_listed_table_exists():
    assert named(STORED) | named(ERASED) <= set(SQLModel.metadata.tables)


def test_an_erasure_is_described_for_tables_of_one_person():
    whose = {
        name
        for name in about_people()
        if {"account_id", "person_id"} & {column.name for column in SQLModel.metadata.tables[name].columns}
    }
    assert whose - named(ERASED) == set()
