"""Remembers answers of registries: in the server's database, or in a file of the user's that may be broken."""

from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import TypeVar
from weakref import finalize

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.schema import CreateIndex, CreateTable
from sqlmodel import SQLModel

from audit.sources.answers import Answer
from audit.store import answer_rows
from bot import db
from bot.clock import Clock
from bot.db import Sessions

_Found = TypeVar("_Found")


class DatabaseAnswers:
    """Answers in a table; each is written in a transaction of its own, which no question holds open."""

    def __init__(self, sessions: Sessions, clock: Clock) -> None:
        self._sessions = sessions
        self._clock = clock

    def known(self, purls: Collection[str]) -> Mapping[str, Answer]:
        with self._sessions() as session:
            return answer_rows.known(session, purls, at=self._clock())

    def keep(self, purl: str, answer: Answer) -> None:
        with self._sessions() as session:
            answer_rows.keep(session, purl, answer, at=self._clock())


class FileAnswers:
    """The same table in a file of its own, for several processes at once; where it can't be used, `say` is told so once."""

    def __init__(self, path: Path, clock: Clock, say: Callable[[str], None]) -> None:
        self._path = path
        self._clock = clock
        self._say = say
        self._table: DatabaseAnswers | None = None
        self._broken = False
        self._memory: dict[str, Answer] = {}

    def known(self, purls: Collection[str]) -> Mapping[str, Answer]:
        kept = self._tried(lambda table: table.known(purls)) or {}
        return {**kept, **{purl: self._memory[purl] for purl in purls if purl in self._memory}}

    def keep(self, purl: str, answer: Answer) -> None:
        """Write the answer; beside a broken file it is remembered for as long as this process lives."""
        self._tried(lambda table: table.keep(purl, answer))
        if self._broken:
            self._memory[purl] = answer

    def _tried(self, use: Callable[[DatabaseAnswers], _Found]) -> _Found | None:
        if self._broken:
            return None
        try:
            self._table = self._table or self._opened()
            return use(self._table)
        except (SQLAlchemyError, OSError, ValueError) as error:
            self._broken = True  # Not tried again: one line says it.
            why = db.explain(error) if isinstance(error, SQLAlchemyError) else getattr(error, "strerror", None) or error
            self._say(f"answers of registries are not remembered in {self._path}: {why}; remove it if it is broken")
            return None

    def _opened(self) -> DatabaseAnswers:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        engine = db.open_engine(f"sqlite:///{self._path}")
        finalize(self, engine.dispose)  # The file is closed with us, as it is not known which question is the last
        table = SQLModel.metadata.tables["asked_license"]
        with engine.begin() as connection:
            connection.execute(CreateTable(table, if_not_exists=True))  # Two processes may make it at once.
            for index in table.indexes:
                connection.execute(CreateIndex(index, if_not_exists=True))
        sessions = db.sessions(engine)
        with sessions() as session:
            answer_rows.purge(session, at=self._clock())  # No chore of a server does it here.
        return DatabaseAnswers(sessions, self._clock)
