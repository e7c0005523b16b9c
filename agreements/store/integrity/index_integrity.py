"""Verifies the blind indexes of addresses and of tokens: no hash covers them, as another key changes them, so each is computed again."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, FromClause

from agreements.store import key_rotation
from agreements.store.key_rotation import IndexedTable
from agreements.store.ledger.row_serialization import as_it_is
from agreements.store.people.emails import EMAIL_INDEX
from agreements.vault import DecryptionFailed, Vault, WrappedKey, place


class HashIndex(NamedTuple):
    """A look-up that is the blind index of another column, which the log holds; it may be missing, and finds nothing then."""

    column: str
    look_up: str
    kind: str


HASH_INDEXES: Mapping[str, HashIndex] = {"api_token": HashIndex("token_hash", "token_index", "api-token")}
"""The tables that have such a look-up, by name."""

INDEXED: Mapping[str, IndexedTable] = {one.table.name: one for one in key_rotation.BLIND_INDEXES}
"""The tables that have such a look-up, by name."""


def wanted(indexed: IndexedTable) -> list[ColumnElement[Any]]:
    """What to select for `is_wrong_index`, from what `owned` joins."""
    own = [indexed.table.c[name] for name in (indexed.sealed, indexed.look_up, indexed.link)]
    return [as_it_is(one) for one in (*own, indexed.owner.c.ring_key_id, indexed.owner.c.wrapped_key)]


def owned(indexed: IndexedTable, rows: FromClause) -> FromClause:
    """The rows, each with its owner, if there is one."""
    return rows.outerjoin(indexed.owner, indexed.owner.c.id == indexed.table.c[indexed.link])


def is_wrong_index(vault: Vault, indexed: IndexedTable, row_id: str, row: Sequence[Any]) -> bool:
    """Whether that is the look-up of another address, given what `wanted` asks for.

    Of an address that does not open nothing is said: the row's hash, or the log, tells what is wrong with it.
    """
    sealed, index, owner_id, ring_key_id, wrapped = row
    if sealed is None:
        return index is not None
    try:
        key = vault.unwrap(WrappedKey(ring_key_id, wrapped), indexed.owner.name, owner_id)
        address = vault.decrypt(key, sealed, place(indexed.table.name, indexed.sealed, row_id)).decode()
    except (DecryptionFailed, TypeError, ValueError):
        return False
    return index not in vault.blind_indexes(EMAIL_INDEX, address)


def is_wrong_hash_index(vault: Vault, indexed: HashIndex, row: Sequence[Any]) -> bool:
    """The same of a column and its blind index."""
    value, index = row
    return index is not None and index not in vault.blind_indexes(indexed.kind, value or " ")
