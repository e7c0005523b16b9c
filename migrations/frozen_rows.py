"""Triggers that keep the rows of a table as they were written."""

from alembic import op

_ON_SQLITE = (
    "CREATE TRIGGER {table}_no_update BEFORE UPDATE ON {table} BEGIN SELECT RAISE(ABORT, '{table} rows never change'); END",
    "CREATE TRIGGER {table}_no_delete BEFORE DELETE ON {table} BEGIN SELECT RAISE(ABORT, '{table} rows never change'); END",
    # INSERT OR REPLACE would delete the row that is there without a word.
    """
    CREATE TRIGGER {table}_no_replace BEFORE INSERT ON {table} WHEN EXISTS (SELECT 1 FROM {table} WHERE {same})
    BEGIN SELECT RAISE(ABORT, '{table} rows never change'); END
""",
)
_ON_POSTGRESQL = (
    (
        "CREATE FUNCTION {table}_never_changes() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION '{table} rows never change'; END $$"
    ),
    (
        "CREATE TRIGGER {table}_no_change BEFORE UPDATE OR DELETE ON {table} "
        "FOR EACH ROW EXECUTE FUNCTION {table}_never_changes()"
    ),
    (
        "CREATE TRIGGER {table}_no_truncate BEFORE TRUNCATE ON {table} "
        "FOR EACH STATEMENT EXECUTE FUNCTION {table}_never_changes()"
    ),
)


def freeze(table: str, *keys: tuple[str, ...]) -> None:
    """Refuse UPDATE and DELETE, TRUNCATE on PostgreSQL, and on SQLite INSERT OR REPLACE over a row of one of these keys.

    A later step that rebuilds the table (batch mode) drops these triggers and must create them again.
    """
    alike = [" AND ".join(f"{column} = NEW.{column}" for column in key) for key in (("rowid",), *keys)]
    same = " OR ".join(f"({condition})" if " AND " in condition else condition for condition in alike)
    for statement in _ON_SQLITE if op.get_bind().dialect.name == "sqlite" else _ON_POSTGRESQL:
        op.execute(statement.format(table=table, same=same))
