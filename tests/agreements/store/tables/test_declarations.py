"""A table says of itself what the log, the export, an erasure and a rotation do with it."""

from sqlalchemy import Column, MetaData, Table, Text

from agreements.store.tables.declarations import BlindIndex, LoggedColumns, declaration, declare, declared, of_table


def table(*names, **what):
    """A table with these columns that declares that."""
    return Table("t", MetaData(), *(Column(name, Text) for name in names), **what)


def test_what_a_table_declares():
    """It stands at the table, for whoever knows the table alone; every column of which it says nothing is hashed."""
    index = {"index": BlindIndex("address")}
    given = declare(logged=True, unless_null="late", sealed="reason", indexes=index, free={"seen_at": "shown"})
    columns = of_table(table("id", "late", "reason", "address", "index", "seen_at", **given))

    assert (columns.hashed, columns.unless_null, columns.sealed) == ({"id", "late", "address"}, {"late"}, "reason")
    assert columns.present.keys() == {"reason"}
    assert columns.derived == {"index": "computed again, with the key ring, from the address"}
    assert declaration(table("id", **given)).left_out == {"index", "wrapped_key", "ring_key_id"}


def test_a_table_without_a_declaration():
    """All of it is hashed, as an entry of the log is; it is neither exported nor erased."""
    assert of_table(table("a")) == LoggedColumns(frozenset({"a"}))
    assert not declaration(table("a")).exported
    assert declaration(table("a", **declare(logged=True))).exported


def test_parents_come_first():
    """As in every export; what one table is asked for says the table alone."""
    names = [str(one.__tablename__) for one in declared(lambda said: said.logged)]

    assert names[:4] == ["person", "signature", "withdrawal", "proof"]
    assert "one_time_code" not in names
