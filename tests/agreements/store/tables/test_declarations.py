"""A table declares how log, export, erasure and rotation treat its columns."""

from sqlalchemy import Column, MetaData, Table, Text

from agreements.store.tables.declarations import BlindIndex, LoggedColumns, declaration, declare, declared, of_table


def table(*names, **what):
    """A table with these columns that declares that."""
    return Table("t", MetaData(), *(Column(name, Text) for name in names), **what)


def test_every_column_that_a_declaration_leaves_out_is_hashed():
    index = {"index": BlindIndex("address")}
    given = declare(logged=True, unless_null="late", sealed="reason", indexes=index, free={"seen_at": "shown"})
    columns = of_table(table("id", "late", "reason", "address", "index", "seen_at", **given))

    assert (columns.hashed, columns.unless_null, columns.sealed) == ({"id", "late", "address"}, {"late"}, "reason")
    assert columns.present.keys() == {"reason"}
    assert columns.derived == {"index": "computed again, with the key ring, from the address"}
    assert declaration(table("id", **given)).left_out == {"index", "wrapped_key", "ring_key_id"}


def test_a_table_without_a_declaration_is_hashed_and_neither_exported_nor_erased():
    assert of_table(table("a")) == LoggedColumns(frozenset({"a"}))
    assert not declaration(table("a")).exported
    assert declaration(table("a", **declare(logged=True))).exported


def test_declared_tables_come_parents_first():
    names = [str(model.__tablename__) for model in declared(lambda said: said.logged)]

    assert names[:4] == ["person", "signature", "withdrawal", "proof"]
    assert "one_time_code" not in names
