"""A table says of each column whether the log stands for it."""

from sqlalchemy import Column, MetaData, Table, Text

from agreements.store.tables.logged_columns import LoggedColumns, logged, of_table


def test_what_a_table_declares():
    """It stands at the table, for whoever knows the table alone."""
    given = logged("id", unless_null="late", sealed="reason", derived={"index": "computed"}, free={"seen_at": "shown"})
    names = ("id", "late", "reason", "index", "seen_at")
    declared = of_table(Table("t", MetaData(), *(Column(name, Text) for name in names), **given))

    assert (declared.hashed, declared.unless_null, declared.sealed) == ({"id", "late"}, {"late"}, "reason")
    assert declared.present.keys() == {"reason"}
    assert declared.columns == set(names)


def test_a_table_without_a_declaration():
    """All of it is hashed, as an entry of the log is."""
    assert of_table(Table("t", MetaData(), Column("a", Text))) == LoggedColumns(frozenset({"a"}))
