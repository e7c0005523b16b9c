"""Look-ups of rows: checked keys, queries for columns, several queries as one, and one row locked or made into a value.

A key that is missing or empty is an error: it never means `IS NULL`, and never all rows.
"""

from collections import Counter, namedtuple
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, TypeVar, cast

from sqlalchemy import (
    ARRAY,
    ColumnElement,
    Connection,
    Executable,
    Select,
    any_,
    bindparam,
    literal_column,
    null,
    union_all,
)
from sqlalchemy import cast as cast_to
from sqlalchemy.orm import Mapped
from sqlmodel import Session, SQLModel, select

from agreements.domains.canonical_form import canonical_address, with_parents
from agreements.vault import Vault

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

NewId = Callable[[], str]
"""Makes the id of a new row; no two are the same."""

MAX_KEYS_PER_QUERY = 500
"""The most keys of one query; well below what SQLite (32,766) and PostgreSQL (65,535) allow."""


def account_key(account_id: int | None) -> int:
    """The account id, checked to be one: a positive whole number. Raises ValueError."""
    if not isinstance(account_id, int) or isinstance(account_id, bool) or account_id < 1:  # `True` is an int.
        raise ValueError("a look-up needs an account id")
    return account_id


def text_key(text: str | None) -> str:
    """The text, checked not to be missing or blank. Raises ValueError."""
    if not isinstance(text, str) or not text.strip():
        raise ValueError("a look-up needs a key that is not empty")
    return text


def canonical_key(address: str | None) -> str:
    """The address in its one spelling. Raises ValueError for an invalid one; the message never repeats it."""
    canonical = canonical_address(text_key(address))
    if canonical is None:
        raise ValueError("a look-up needs a valid e-mail address")
    return canonical


def account_chunks(account_ids: Collection[int]) -> Iterator[list[int]]:
    """The distinct ids, checked, in order, in batches of at most MAX_KEYS_PER_QUERY; no ids, no lots."""
    return _chunks(sorted({account_key(account_id) for account_id in account_ids}))


def text_chunks(texts: Collection[str]) -> Iterator[list[str]]:
    """The distinct texts, checked, in order, in batches of at most MAX_KEYS_PER_QUERY."""
    return _chunks(sorted({text_key(text) for text in texts}))


def byte_chunks(keys: Collection[bytes]) -> Iterator[list[bytes]]:
    """The distinct fingerprints in order, in batches of at most MAX_KEYS_PER_QUERY. An empty one raises ValueError."""
    if not all(keys):
        raise ValueError("a look-up needs a key that is not empty")
    return _chunks(sorted(set(keys)))


def keys_of_people(
    vault: Vault, account_ids: Collection[int], addresses: Collection[str], *, kind: str
) -> Iterator[dict[str, Sequence[object]]]:
    """In lots, the keys that together find every entry about these people; no kind of key is empty.

    `accounts` are ids, `addresses` blind indexes of that `kind`, `domains` those of the addresses and all above them.
    """
    if any(address is None for address in addresses):  # A missing address is a mistake of the caller.
        raise ValueError("a look-up needs addresses, not None")
    wanted = {canonical for address in addresses if (canonical := canonical_address(address))}
    # During a rotation rows have indexes under the old key or the new one.
    indexes = [index for address in wanted for index in vault.blind_indexes(kind, address)]
    # A company's domain covers those below it.
    domains = {domain for address in wanted for domain in with_parents(address.rpartition("@")[2])}
    chunks = (account_chunks(account_ids), byte_chunks(indexes), text_chunks(domains))
    for lots in zip_longest(*chunks, fillvalue=()):  # Few queries: each takes a lot of each kind.
        yield {name: lot for name, lot in zip(("accounts", "addresses", "domains"), lots, strict=True) if lot}


_Key = TypeVar("_Key")


def _chunks(keys: list[_Key]) -> Iterator[list[_Key]]:
    for start in range(0, len(keys), MAX_KEYS_PER_QUERY):
        yield keys[start : start + MAX_KEYS_PER_QUERY]


Made = TypeVar("Made", bound="DataclassInstance")


def from_row(kind: "type[Made]", row: SQLModel, /, **others: object) -> Made:
    """A value of that dataclass. `others` are the fields that are no columns, or are not shown as they are stored."""
    columns = type(row).model_fields.keys() - others.keys()
    return kind(**{field.name: getattr(row, field.name) for field in fields(kind) if field.name in columns}, **others)


Row = TypeVar("Row", bound=SQLModel)


def locked(session: Session, table: type[Row], wanted: ColumnElement[bool]) -> Row | None:
    """The one row that is wanted, as it is now, locked until this transaction ends; None without one."""
    # On PostgreSQL `FOR NO KEY UPDATE`: new rows may still refer to it. SQLite has one writer.
    query = select(table).where(wanted).with_for_update(key_share=True)
    return session.exec(query, execution_options={"populate_existing": True}).one_or_none()


Question = Select[*tuple[Any, ...]]
"""A query for columns; the values that it asks about are given by name."""

NamedRow = Any
"""A row of a question: an attribute for each column, of the column's name or label."""


def rows(session: Session, query: Executable, values: Mapping[str, object]) -> Iterable[NamedRow]:
    """The rows of a query for columns, in the session's transaction, after its pending changes are written."""
    session.flush()
    # Past the object mapper, which takes longer than the database.
    return session.connection().execute(query, dict(values))


def dialect(session: Session) -> str:
    """The database for which a look-up is put together: `sqlite` or `postgresql`."""
    return session.get_bind().dialect.name


def among(kind: str, column: Mapped[Any], name: str) -> ColumnElement[bool]:
    """Says of the column that it is one of the values given under that name."""
    # PostgreSQL takes them as one array, so that it knows the query again for any number; SQLite has no arrays.
    if kind == "postgresql":
        of = cast(ColumnElement[Any], column).type
        return column == any_(bindparam(name, type_=ARRAY(of)))
    return column.in_(bindparam(name, expanding=True))


_NULL: ColumnElement[Any] = literal_column("NULL")


class BatchQuery:
    """Several queries for columns as one UNION ALL, made once and asked often."""

    def __init__(self, *questions: Question) -> None:
        """The columns of each question have names, by which its rows have their values. An order would be lost."""
        held = [_shared_columns(question) for question in questions]
        types = {name: column.type for columns in held for name, column in columns.items()}

        def part(number: int, columns: Iterable[ColumnElement[Any]]) -> Question:
            return questions[number].with_only_columns(literal_column(str(number)), *columns)

        self._query = union_all(
            part(0, (held[0].get(name, cast_to(null(), kind)).label(name) for name, kind in types.items())),
            # In these, NULL takes over the type that the first part gives to the union's column.
            *(part(number, (columns.get(name, _NULL) for name in types)) for number, columns in enumerate(held[1:], 1)),
        )
        places = {name: place for place, name in enumerate(types, 1)}  # Behind the number of the question.
        self._rows: list[tuple[Any, list[int]]] = [
            (
                namedtuple("Row", question.selected_columns.keys()),  # noqa: PYI024 - its fields are the columns
                [places[name] for name in columns],
            )
            for question, columns in zip(questions, held, strict=True)
        ]

    def rows(self, connection: Connection, values: Mapping[str, object]) -> tuple[list[NamedRow], ...]:
        """The rows of each question, in no order; of a session's connection those that the session has written."""
        found: tuple[list[NamedRow], ...] = tuple([] for _ in self._rows)
        for row in connection.execute(self._query, dict(values)):
            named_row, own = self._rows[row[0]]
            found[row[0]].append(named_row._make([row[place] for place in own]))
        return found


def _shared_columns(question: Question) -> dict[str, ColumnElement[Any]]:
    """The question's columns by the name that each has in the union: its type, and a number among those of the type."""
    # Questions share the union's columns: if each had its own, a review's query would take twice as long.
    shared: dict[str, ColumnElement[Any]] = {}
    counts = Counter[str]()
    for column in question.selected_columns:
        kind = type(column.type).__name__.lower()
        counts[kind] += 1
        shared[f"{kind}_{counts[kind]}"] = column
    return shared
