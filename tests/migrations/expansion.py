"""What a step of the schema takes from the release before it: nothing, if it only expands."""

from dataclasses import dataclass

from sqlalchemy import inspect


@dataclass(frozen=True)
class Schema:
    """What the release before may rely on."""

    columns: dict[tuple[str, str], tuple[str, bool, bool]]  # table, column → type, may be null, has a default
    unique: frozenset[tuple[str, tuple[str, ...]]]
    bound: frozenset[tuple[str, str]]  # table, what its rows must fulfil


def read(engine):
    """The schema that is there, without the job queue's own tables."""
    seen = inspect(engine)
    columns, unique, bound = {}, set(), set()
    for table in seen.get_table_names():
        for column in seen.get_columns(table):
            told = (str(column["type"]), column["nullable"], column.get("default") is not None)
            columns[table, column["name"]] = told
        unique |= {(table, tuple(index["column_names"])) for index in seen.get_indexes(table) if index["unique"]}
        unique |= {(table, tuple(constraint["column_names"])) for constraint in seen.get_unique_constraints(table)}
        unique.add((table, tuple(seen.get_pk_constraint(table)["constrained_columns"])))
        bound |= {(table, constraint["sqltext"]) for constraint in seen.get_check_constraints(table)}
        bound |= {
            (table, f"{key['constrained_columns']} → {key['referred_table']}") for key in seen.get_foreign_keys(table)
        }
    return Schema(columns, frozenset(unique), frozenset(bound))


def taken(before, after, widened=None):
    """What the step took away from who knows only the schema before it, a line for each.

    `widened`: a table that has one rule in place of another, which allows more; the step's own test shows that.
    """
    tables = {table for table, _ in before.columns}
    lines = [f"{table}.{column} is gone" for table, column in before.columns.keys() - after.columns.keys()]
    for (table, column), (kind, may_be_null, has_default) in after.columns.items():
        if (table, column) in before.columns:
            kind_before, might_be_null, _ = before.columns[table, column]
            if kind != kind_before:
                lines.append(f"{table}.{column} was {kind_before} and is {kind}")
            if might_be_null and not may_be_null:
                lines.append(f"{table}.{column} must not be null any more")
        elif table in tables and not (may_be_null or has_default):
            lines.append(f"{table}.{column} is new, and whoever does not know it cannot insert")
    lines += [
        f"{table} has a new rule: unique {columns}"
        for table, columns in after.unique - before.unique
        if table in tables
    ]
    lines += [
        f"{table} has a new rule: {rule}"
        for table, rule in after.bound - before.bound
        if table in tables and not (table == widened and len(after.bound) == len(before.bound))
    ]
    # Whoever says "on conflict" names them.
    lines += [f"{table} lost a rule: unique {columns}" for table, columns in before.unique - after.unique]
    return sorted(lines)
