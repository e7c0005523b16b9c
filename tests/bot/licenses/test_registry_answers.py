"""Answers are remembered in a database or in a file; a file that can't be used is one line, and the work goes on."""

import subprocess
import sys
from datetime import UTC, datetime, timedelta

import pytest

from audit.facts import Source
from audit.licenses.declared_license import DeclaredLicense
from audit.sources.answers import Answer
from bot.licenses.registry_answers import DatabaseAnswers, FileAnswers

AT = datetime(2026, 11, 22, tzinfo=UTC)
MIT = Answer(DeclaredLicense("MIT"), Source.REGISTRY, "https://pypi.org/pypi/a/1/json")


def test_answers_in_a_database_are_shared_and_expire(sessions):
    DatabaseAnswers(sessions, lambda: AT).keep("pkg:pypi/a@1", MIT)

    assert DatabaseAnswers(sessions, lambda: AT).known(["pkg:pypi/a@1"]) == {"pkg:pypi/a@1": MIT}
    assert DatabaseAnswers(sessions, lambda: AT + timedelta(days=180)).known(["pkg:pypi/a@1"]) == {}


def test_answers_in_a_file_are_found_by_the_next_process_and_expire(tmp_path):
    path = tmp_path / "cache" / "countersign" / "licenses.db"
    said = []
    FileAnswers(path, lambda: AT, said.append).keep("pkg:pypi/a@1", MIT)
    assert FileAnswers(path, lambda: AT, said.append).known(["pkg:pypi/a@1"]) == {"pkg:pypi/a@1": MIT}
    FileAnswers(path, lambda: AT + timedelta(days=180), said.append).known([])
    assert FileAnswers(path, lambda: AT, said.append).known(["pkg:pypi/a@1"]) == {}
    assert said == []


def broken(tmp_path):
    """A file that is no database."""
    (tmp_path / "x.db").write_text("This is not SQLite's. " * 100)
    return tmp_path / "x.db"


def occupied(tmp_path):
    """A file stands where the folder should be."""
    (tmp_path / "x").write_text("")
    return tmp_path / "x" / "y" / "licenses.db"


def other(tmp_path):
    """A database whose table is another."""
    import sqlite3

    with sqlite3.connect(tmp_path / "x.db") as connection:
        connection.execute("CREATE TABLE asked_license (purl TEXT)")
    connection.close()
    return tmp_path / "x.db"


@pytest.mark.parametrize("made", [broken, occupied, other, lambda folder: folder])
def test_an_unusable_file_is_one_line_and_the_process_remembers(tmp_path, made):
    path = made(tmp_path)
    said = []
    cache = FileAnswers(path, lambda: AT, said.append)
    cache.keep("pkg:pypi/a@1", MIT)
    cache.keep("pkg:pypi/b@1", MIT)

    assert cache.known(["pkg:pypi/a@1", "pkg:pypi/c@1"]) == {"pkg:pypi/a@1": MIT}
    assert len(said) == 1
    assert str(path) in said[0]
    assert "\n" not in said[0]


@pytest.mark.slow
def test_several_processes_share_a_file_without_losing_an_answer(tmp_path):
    program = (
        "import sys; from pathlib import Path; from bot import clock; from bot.licenses.registry_answers import FileAnswers;"
        "from audit.sources.answers import Answer, DeclaredLicense; from audit.facts import Source\n"
        "cache = FileAnswers(Path(sys.argv[1]), clock.now, lambda said: sys.exit(said))\n"
        "for n in range(30): cache.keep(f'pkg:npm/{sys.argv[2]}-{n}@1', Answer(DeclaredLicense('MIT'), Source.REGISTRY, 'https://x'))"
    )
    path = tmp_path / "licenses.db"
    started = [subprocess.Popen([sys.executable, "-c", program, str(path), name]) for name in "abcd"]
    assert [popen.wait(60) for popen in started] == [0, 0, 0, 0]
    every = [f"pkg:npm/{name}-{n}@1" for name in "abcd" for n in range(30)]
    assert set(FileAnswers(path, lambda: datetime.now(UTC), pytest.fail).known(every)) == set(every)  # noqa: TID251 - as the processes did
