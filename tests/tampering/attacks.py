"""An attacker with all rights on the database changes records or log: each attack is one way, chosen at random."""

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from sqlmodel import SQLModel

from agreements import ledger
from agreements.ledger import Checkpoint, MerkleTree
from agreements.store.tables.declarations import of_table
from bot.store.logged_tables import TABLES

RECORDS = tuple(str(table.__tablename__) for table in TABLES)
LOG = ("ledger_entry", "ledger_checkpoint")
KEPT = {"ledger_key": ["public_key", "sealed"]}
"""Of the log's keys; their id is asked for by name."""


def columns(database, table):
    """The columns that the log stands for: all but dates of reminders, and keys that are wrapped anew."""
    if table in KEPT:
        return KEPT[table]
    loose = of_table(SQLModel.metadata.tables[table]).free
    return [row[1] for row in database.execute(f"PRAGMA table_info({table})") if row[1] not in loose]


def filled(database, *tables, least=1):
    """Those of the tables that have at least so many rows."""
    return [table for table in tables if database.execute(f"SELECT count(*) FROM {table}").fetchone()[0] >= least]


def rows(database, table):
    """The row ids of a table."""
    return [row[0] for row in database.execute(f"SELECT rowid FROM {table}")]


def flip(database, random):
    """One bit of one value; an empty value is filled."""
    table = random.choice(filled(database, *RECORDS, *LOG, *LOG, "ledger_key"))
    column, row = random.choice(columns(database, table)), random.choice(rows(database, table))
    value = database.execute(f"SELECT {column} FROM {table} WHERE rowid = ?", [row]).fetchone()[0]
    if isinstance(value, int):
        changed, form = value ^ (1 << random.randrange(16)), "?"
    elif value is None:
        changed, form = random.choice([1, "2026-05-01 12:00:00.000000", b"x"]), "?"
    else:
        held = bytearray(value.encode("utf-8", "surrogateescape") if isinstance(value, str) else value) or bytearray(1)
        held[random.randrange(len(held))] ^= 1 << random.randrange(8)
        changed, form = bytes(held), "CAST(? AS TEXT)" if isinstance(value, str) else "?"
    database.execute(f"UPDATE {table} SET {column} = {form} WHERE rowid = ?", [changed, row])
    return f"{table}.{column}"


def respell(database, random):
    """The same value as another kind: bytes as their hexadecimal, a text as bytes, what looks the same to who prints it."""
    table = random.choice(filled(database, *RECORDS, *LOG, "ledger_key"))
    column, row = random.choice(columns(database, table)), random.choice(rows(database, table))
    value = database.execute(f"SELECT {column} FROM {table} WHERE rowid = ?", [row]).fetchone()[0]
    if isinstance(value, bytes):
        changed = random.choice([value.hex(), value.decode("latin-1")])
    elif isinstance(value, str):
        is_hex = len(value) % 2 == 0 and set(value) <= set("0123456789abcdef")
        bare = bytes.fromhex(value) if is_hex else value.encode()
        changed = random.choice([bare, value.encode(), f"{value}\0", f"{value}\0x"])
    else:
        changed = random.choice(["", b""]) if value is None else random.choice([value + 0.5, str(value).encode()])
    database.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", [changed, row])
    return f"{table}.{column}"


def remove(database, random):
    """One row."""
    table = random.choice(filled(database, *RECORDS, *LOG, "ledger_key"))
    database.execute(f"DELETE FROM {table} WHERE rowid = ?", [random.choice(rows(database, table))])
    return table


def copy(database, random):
    """A row once more, under a key of its own."""
    table = random.choice(filled(database, *RECORDS, *LOG))
    names = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
    row = list(
        database.execute(f"SELECT * FROM {table} WHERE rowid = ?", [random.choice(rows(database, table))]).fetchone()
    )
    unique = {"receipt", "id", "key", "signature_id", "number", "size", "version"} & set(names)
    for name in unique - {"signature_id"} if "id" in names else unique:
        place = names.index(name)
        if isinstance(row[place], int):
            row[place] = random.choice([row[place] + random.randrange(1, 50), -1])
        else:
            row[place] = f"{row[place]}x"
    database.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", row)
    return table


def swap(database, random):
    """The values of one column of two rows: reordered numbers, exchanged ids, another's evidence."""
    table = random.choice(filled(database, *RECORDS, *LOG, *LOG, least=2))
    column = random.choice(columns(database, table))
    first, second = random.sample(rows(database, table), 2)
    held = [
        database.execute(f"SELECT {column} FROM {table} WHERE rowid = ?", [row]).fetchone()[0]
        for row in (first, second)
    ]
    if column in ("number", "size"):
        moved = [[-99, first], [first, second], [second, -99]]  # it is the row's id itself
    else:
        moved = [[_like(held[0]), first], [held[0], second], [held[1], first]]
    for value, row in moved:
        database.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", [value, row])
    return f"{table}.{column}"


def _like(value):
    """Something that no other row has, for a moment."""
    return -98 if isinstance(value, int) else "x-moment"


def cut(database, random):
    """The end of the log with its signed roots; the rows that it named are there."""
    size = database.execute("SELECT count(*) FROM ledger_entry").fetchone()[0]
    left = random.randrange(size)
    database.execute("DELETE FROM ledger_entry WHERE number >= ?", [left])
    if random.random() < 0.5:
        database.execute("DELETE FROM ledger_checkpoint WHERE size > ?", [left])
    return f"{size - left} entries"


def exchange_key(database, random):
    """A key of the attacker's own under which every root is signed anew."""
    key = Ed25519PrivateKey.from_private_bytes(random.randbytes(32))
    _resign(database, key, [row[0] for row in database.execute("SELECT root FROM ledger_checkpoint ORDER BY size")])
    public = key.public_key().public_bytes_raw()
    database.execute("UPDATE ledger_key SET public_key = ? WHERE id = 'checkpoint'", [public])
    if random.random() < 0.5:
        database.execute("UPDATE ledger_key SET sealed = ? WHERE id = 'checkpoint'", [random.randbytes(64)])
    return "key"


def rewrite(database, random):
    """A row is changed, its entry's hash, and all roots after it: only the signatures cannot be made."""
    table = random.choice(filled(database, *RECORDS))
    database.execute(f"DELETE FROM {table} WHERE rowid = ?", [random.choice(rows(database, table))])
    names = [row[1] for row in database.execute("PRAGMA table_info(ledger_entry)")]
    tree, previous = MerkleTree(), ""
    number = random.choice(rows(database, "ledger_entry"))
    database.execute("UPDATE ledger_entry SET rows = '[]' WHERE number = ?", [number])
    for row in database.execute("SELECT * FROM ledger_entry ORDER BY number").fetchall():
        tree.add(ledger.leaf(dict(zip(names, row, strict=True)), previous))
        made = [tree.root.hex(), tree.frontier_text, random.randbytes(64), tree.size]
        database.execute("UPDATE ledger_checkpoint SET root = ?, frontier = ?, signature = ? WHERE size = ?", made)
        previous = ledger.signed_hash(made[3], *made[:3])
    return "all roots"


def _resign(database, key, roots):
    origin = ledger.origin(key.public_key().public_bytes_raw())
    for size, root in enumerate(roots, 1):
        signature = ledger.sign(Checkpoint(origin, size, bytes.fromhex(root)), key)
        database.execute("UPDATE ledger_checkpoint SET signature = ? WHERE size = ?", [signature, size])


ATTACKS = (flip, flip, flip, flip, respell, respell, remove, copy, swap, swap, cut, exchange_key, rewrite)
"""Flips are the most: there are so many places."""
