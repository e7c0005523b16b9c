"""The log names every row of every table of the records, and each exception has a reason."""

import subprocess
import sys
from pathlib import Path

import pytest
from sqlmodel import SQLModel

from agreements.store.tables import company_records, records
from agreements.store.tables.declarations import declaration, declared, of_table, table_of
from bot.store.logged_tables import TABLES

ROOT = Path(__file__).parents[3]
NO_RECORD = {
    "one_time_code": "gone after minutes",
    "signatory_request": "gone after months; what was signed is a signature",
    "employee_invitation": "e-mails to employees; who enrolled is an enrolment",
}


def test_every_table_of_the_records_is_verified_or_an_exception():
    tables = {
        var.__tablename__
        for module in (records, company_records)
        for var in vars(module).values()
        if isinstance(var, type) and issubclass(var, SQLModel) and var.__module__ == module.__name__
    }

    assert tables - set(NO_RECORD) == {table.__tablename__ for table in TABLES} - {
        "override",
        "small_change",
        "cover_choice",
        "api_token",
    }


@pytest.mark.parametrize("model", TABLES, ids=lambda model: model.__tablename__)
def test_each_exception_is_a_column_of_its_table_with_a_reason(model):
    table = SQLModel.metadata.tables[model.__tablename__]
    columns = of_table(table)
    kinds = [columns.present, columns.derived, columns.free]
    names = [name for kind in kinds for name in kind]

    assert len(names) == len(set(names)), "a column is declared twice"
    assert columns.hashed | set(names) == set(table.c.keys())
    assert all(why for kind in kinds for why in kind.values())
    assert len(columns.unless_null) <= 1, "the database spells such a row in two ways, not in more"
    assert columns.unless_null <= columns.hashed & {column.name for column in table.c if column.nullable}


@pytest.mark.parametrize("model", declared(lambda said: True), ids=lambda model: model.__tablename__)
def test_a_declaration_names_columns_of_its_table_alone(model):
    said, columns = declaration(table_of(model)), set(table_of(model).c.keys())
    owners = {"person": {"person_id", "account_id"}, "account": {"account_id"}}.get(said.erased, columns)
    named = {said.sealed, said.evidence, *said.forms, *said.secret, *said.indexes} - {""}

    assert named | {index.column for index in said.indexes.values()} <= columns
    assert columns & owners
    assert not said.retention or said.retention.column in columns
    assert not said.authenticated or "mac" in columns


@pytest.mark.slow
def test_one_declaration_makes_a_table_exported_erased_logged_and_purged(tmp_path):
    script = Path(__file__).with_name("new_table.py")
    found = subprocess.run([sys.executable, script, tmp_path], capture_output=True, text=True, cwd=ROOT, check=False)

    assert (found.returncode, found.stdout.split()) == (
        0,
        ["logged", "documented", "exported", "verified", "rotated", "purged", "erased"],
    ), found.stderr
