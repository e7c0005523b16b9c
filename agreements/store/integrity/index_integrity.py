"""Verifies the blind indexes of addresses: no hash covers them, as another key changes them, so each is computed again."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, FromClause, Table

from agreements.store import key_rotation
from agreements.store.integrity.row_serialization import as_it_is
from agreements.store.key_rotation import Indexed
from agreements.store.people.emails import INDEX
from agreements.vault import DecryptionFailed, Vault, WrappedKey, place

INDEXED: Mapping[str, Indexed] = {one.table.name: one for one in key_rotation.INDEXED}
"""The tables that have such a look-up, by name."""


def wanted(table: Table) -> list[ColumnElement[Any]]:
    """What to select for `astray`, from what `owned` joins."""
    _, sealed, index, link, owner = INDEXED[table.name]
    return [
        as_it_is(one)
        for one in (table.c[sealed], table.c[index], table.c[link], owner.c.ring_key_id, owner.c.wrapped_key)
    ]


def owned(table: Table, rows: FromClause) -> FromClause:
    """The rows, each with its owner, if there is one."""
    link, owner = INDEXED[table.name][3:]
    return rows.outerjoin(owner, owner.c.id == table.c[link])


def astray(vault: Vault, table: Table, row_id: str, row: Sequence[Any]) -> bool:
    """Whether that is the look-up of another address, given what `wanted` asks for.

    Of an address that does not open nothing is said: the row's hash, or the log, tells what is wrong with it.
    """
    sealed, index, owner_id, ring_key_id, wrapped = row
    if sealed is None:
        return index is not None
    indexed = INDEXED[table.name]
    try:
        key = vault.unwrap(WrappedKey(ring_key_id, wrapped), indexed.owner.name, owner_id)
        address = vault.decrypt(key, sealed, place(table.name, indexed.sealed, row_id)).decode()
    except (DecryptionFailed, TypeError, ValueError):
        return False
    return index not in vault.blind_indexes(INDEX, address)
