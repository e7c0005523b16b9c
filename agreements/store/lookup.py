"""Look-ups of rows: checked keys, queries for columns, several queries as one, and one row locked or made into a value.

A key that is missing or empty is an error: it never means `IS NULL`, and never all rows.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from itertools import zip_longest
from operator import itemgetter
from typing import TYPE_CHECKING, Any, TypeVar, cast

from sqlalchemy import (
    ARRAY,
    ColumnElement,
    Connection,
    Dialect,
    Executable,
    Select,
    any_,
    bindparam,
    literal_column,
    null,
    union_all,
)
from sqlalchemy import cast as cast_to
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Mapped
from sqlalchemy.types import TypeEngine
from sqlmodel import Session, SQLModel, select

from agreements.domains.domains import canonical_address, with_parents
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
    return kind(**{one.name: getattr(row, one.name) for one in fields(kind) if one.name in columns}, **others)


Row = TypeVar("Row", bound=SQLModel)


def locked(session: Session, table: type[Row], wanted: ColumnElement[bool]) -> Row | None:
    """The one row that is wanted, as it is now, locked until this transaction ends; None without one."""
    # On PostgreSQL `FOR NO KEY UPDATE`: new rows may still refer to it. SQLite has one writer.
    query = select(table).where(wanted).with_for_update(key_share=True)
    return session.exec(query, execution_options={"populate_existing": True}).one_or_none()


Question = Select[*tuple[Any, ...]]
"""A query for columns; the values that it asks about are given by name."""


def rows(session: Session, query: Executable, values: Mapping[str, object]) -> Iterable[Any]:
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


Rows = tuple[list[Sequence[Any]], ...]
_Process = Callable[[Any], Any] | None


class BatchQuery:
    """Several queries as one, made once for one kind of database, asked often."""

    def __init__(self, *questions: Question) -> None:
        """Each question asks for two columns or more, and for no order, which would be lost."""
        self._types: list[TypeEngine[Any]] = []
        places = [_places(one, self._types) for one in questions]
        self._query = union_all(
            *(
                one.with_only_columns(literal_column(str(number)), *_spread(one, places[number], self._types))
                for number, one in enumerate(questions)
            )
        )
        self._own = [itemgetter(*(1 + place for place in some)) for some in places]
        self._driver: _DriverQuery | None = None

    def rows(self, connection: Connection, values: Mapping[str, object]) -> Rows:
        """The rows of each question, in no order; of a session's connection those that the session has written."""
        found: Rows = tuple([] for _ in self._own)
        for row in self._asked(connection, values):
            found[row[0]].append(self._own[row[0]](row))
        return found

    def _asked(self, connection: Connection, values: Mapping[str, object]) -> Iterable[Sequence[Any]]:
        if connection.dialect.name == "sqlite":
            return connection.execute(self._query, dict(values))
        if self._driver is None:
            # Past SQLAlchemy, whose own part takes as long as the database's; its types and errors are kept.
            self._driver = _DriverQuery(self._query, self._types, connection.dialect)
        return self._driver.rows(connection, values)


class _DriverQuery:
    """A query in the words of PostgreSQL's driver, with the conversions of its parameters and columns."""

    def __init__(self, query: Any, types: Sequence[TypeEngine[Any]], dialect: Dialect) -> None:
        compiled = query.compile(dialect=dialect)
        self._text = str(compiled)
        self._constants = {name: one.value for one, name in compiled.bind_names.items() if not one.required}
        self._bind_processors: dict[str, _Process] = {
            name: one.type.dialect_impl(dialect).bind_processor(dialect) for one, name in compiled.bind_names.items()
        }
        processes = (one.dialect_impl(dialect).result_processor(dialect, None) for one in types)
        self._found = [(place, process) for place, process in enumerate(processes, 1) if process is not None]

    def rows(self, connection: Connection, values: Mapping[str, object]) -> list[list[Any]]:
        """All rows. Raises SQLAlchemy's DBAPIError, as any other look-up."""
        complete = {**self._constants, **values}
        parameters = {
            name: complete[name] if process is None else process(complete[name])
            for name, process in self._bind_processors.items()
        }
        cursor = connection.connection.cursor()
        try:
            cursor.execute(self._text, parameters)
            rows = [list(row) for row in cursor.fetchall()]
        except connection.dialect.loaded_dbapi.Error as error:
            raise _refused(connection, cursor, self._text, error) from error
        finally:
            cursor.close()
        for row in rows:
            for place, process in self._found:
                row[place] = process(row[place])
        return rows


def _refused(connection: Connection, cursor: Any, text: str, error: Any) -> BaseException:
    """The error as SQLAlchemy would raise it."""
    dialect = connection.dialect
    gone = dialect.is_disconnect(error, connection.connection.driver_connection, cursor)
    if gone:
        connection.invalidate(error)  # A connection that broke must not be used again.
    refused: BaseException = DBAPIError.instance(
        text,
        None,
        error,
        dialect.loaded_dbapi.Error,
        hide_parameters=True,  # An error is logged: it must not hold addresses.
        connection_invalidated=gone,
        dialect=dialect,
    )
    return refused


def _places(question: Question, types: list[TypeEngine[Any]]) -> list[int]:
    """A place for each of the question's columns among the shared ones of its type; `types` grows as needed."""
    free, taken = list(range(len(types))), []
    for column in question.selected_columns:
        place = next((one for one in free if type(types[one]) is type(column.type)), len(types))
        if place == len(types):
            types.append(column.type)
        else:
            free.remove(place)
        taken.append(place)
    return taken


def _spread(question: Question, places: list[int], types: list[TypeEngine[Any]]) -> list[ColumnElement[Any]]:
    own = dict(zip(places, question.selected_columns, strict=True))
    return [own.get(place, cast_to(null(), kind)).label(f"c{place}") for place, kind in enumerate(types)]
