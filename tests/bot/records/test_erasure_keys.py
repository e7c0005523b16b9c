"""The file of erasure keys loses no key by accident and brings no destroyed one back."""

import multiprocessing
import os
import pickle
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest

from agreements.facts import Account
from agreements.store.people import person_rows
from agreements.vault import KeyRing, Vault
from bot import atomic_file
from bot.records import erasure_keys
from bot.records.erasure_keys import ErasureKeyFile
from tests.carving import found
from tests.within import within

AT = datetime(2026, 1, 1, tzinfo=UTC)
RING = KeyRing.parse(KeyRing.generate("k1"))


@pytest.fixture(name="file")
def _file(tmp_path):
    """A file that was made, with no person in it."""
    file = ErasureKeyFile(tmp_path / "erasure-keys")
    file.make()
    return file


def another(file):
    """As another process has it."""
    return pickle.loads(pickle.dumps(file))


def test_a_key_is_random_and_the_same_when_asked_for_again(file):
    keys = file.give(["a", "b"], anew=False)

    assert {len(key) for key in keys.values()} == {32}
    assert keys["a"] != keys["b"]
    assert another(file).give(["a", "b"], anew=False) == keys
    assert [another(file).find(key_id) for key_id in ("a", "b", "c")] == [keys["a"], keys["b"], None]
    assert file.path.stat().st_mode & 0o777 == 0o600
    file.make()
    assert file.ids() == {"a", "b"}, "making it again does nothing"


def test_a_destroyed_key_is_in_no_file_and_the_others_stay(file):
    other, keys = another(file), file.give(["a", "b", "c"], anew=False)
    assert other.find("b") == keys["b"]
    number = file.path.stat().st_ino
    assert file.destroy(["b", "unknown"]) == 1
    assert file.destroy(["b"]) == 0

    assert file.path.stat().st_ino != number
    assert other.ids() == {"a", "c"}
    assert other.find("b") is None
    assert found({"b": keys["b"]}, list(file.path.parent.iterdir())) == set()
    assert other.give(["b"], anew=False)["b"] != keys["b"]


def test_a_new_key_for_an_erased_person_destroys_the_old_key(file):
    old = file.give(["a", "b"], anew=True)
    new = file.give(["a"], anew=True)

    assert new["a"] != old["a"]
    assert another(file).find("b") == old["b"]
    assert found({"a": old["a"]}, [file.path]) == set()


def test_a_line_broken_off_by_a_crash_is_no_key_and_is_overwritten(file):
    keys = file.give(["a"], anew=False)
    with file.path.open("ab") as torn:
        torn.write(b"b:AAAA")
    other = another(file)
    assert other.ids() == {"a"}
    more = other.give(["c"], anew=False)

    assert {key_id: another(file).find(key_id) for key_id in "abc"} == {"a": keys["a"], "b": None, "c": more["c"]}
    assert file.ids() == {"a", "c"}


def test_a_full_disk_leaves_the_file_as_it_was(file, monkeypatch):
    keys = file.give(["a", "b"], anew=False)

    def refused(*_about):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", refused)
    with pytest.raises(OSError, match="No space"):
        file.destroy(["a"])
    monkeypatch.undo()

    assert another(file).find("a") == keys["a"]
    assert sorted(path.name for path in file.path.parent.iterdir()) == ["erasure-keys", "erasure-keys.lock"]


@pytest.mark.parametrize("content", [None, "", "something else\n" * 20])
def test_a_missing_or_damaged_file_gets_no_key_and_no_person_counts_as_erased(file, content, monkeypatch):
    """The file may only be unmounted: a key in a new file would be lost with the next mount."""
    file.give(["a"], anew=False)
    file.path.unlink()
    if content is not None:
        file.path.write_text(content)
    with pytest.raises(FileNotFoundError):
        file.give(["b"], anew=True)
    later = erasure_keys.monotonic() + 2
    monkeypatch.setattr(erasure_keys, "monotonic", lambda: later)
    for asked in ("a", "c"):
        with pytest.raises(FileNotFoundError):
            file.find(asked)


def test_an_older_copy_written_into_the_file_loses_no_later_key(file):
    keys = file.give(["a"], anew=False)
    before = file.path.read_bytes()
    file.give(["b"], anew=False)
    file.path.write_bytes(before)
    more = file.give(["c"], anew=False)
    assert {key_id: another(file).find(key_id) for key_id in "abc"} == {"a": keys["a"], "b": None, "c": more["c"]}

    file.path.write_bytes(before)
    third = another(file).give(["d"], anew=False)
    assert file.find("d") == third["d"]
    assert file.destroy(["a"]) == 1
    assert another(file).ids() == {"d"}


def test_the_leftover_of_a_killed_exchange_is_deleted(file):
    """The leftover would bring back a person who was erased after it."""
    keys = file.give(["a", "b"], anew=False)
    (file.path.parent / f".{file.path.name}.new-1234").write_bytes(file.path.read_bytes())
    file.destroy(["b"])

    assert found({"b": keys["b"]}, list(file.path.parent.iterdir())) == set()


def test_a_link_to_the_file_uses_the_same_lock(file, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "link").symlink_to(file.path)
    ErasureKeyFile(tmp_path / "elsewhere" / "link").give(["a"], anew=True)

    assert file.ids() == {"a"}
    assert [path.name for path in (tmp_path / "elsewhere").iterdir()] == ["link"]


def test_a_file_that_cannot_be_exchanged_is_refused_at_the_start(sessions, file, monkeypatch):
    keys = file.give(["a"], anew=False)

    def busy(*_about):
        raise OSError(16, "Device or resource busy")

    with sessions() as session:
        assert erasure_keys.check(file.path, session, print, serving=True) is None
        monkeypatch.setattr(atomic_file.Path, "replace", busy)
        said = erasure_keys.check(file.path, session, print, serving=True)
        assert erasure_keys.check(file.path, session, print) is None
    assert said == f"COUNTERSIGN_ERASURE_KEYS_FILE: cannot use {file.path}: Device or resource busy"
    assert another(file).find("a") == keys["a"]


def test_ids_with_a_colon_or_line_break_are_refused(file):
    for name in ("a:b", "a\nb", ""):
        with pytest.raises(ValueError, match="no colon and no blank"):
            file.give([name], anew=False)


def test_the_file_is_read_again_only_when_it_has_changed(file, monkeypatch):
    file.give(["a"], anew=False)
    another(file).destroy(["a"])
    assert file.find("a")
    later = erasure_keys.monotonic() + 2
    monkeypatch.setattr(erasure_keys, "monotonic", lambda: later)

    assert file.find("a") is None


def test_concurrent_threads_lose_no_key(file):
    def work(number):
        mine = another(file)
        mine.give([f"keep{number}", f"go{number}"], anew=False)
        mine.destroy([f"go{number}"])

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(40)))

    assert file.ids() == {f"keep{number}" for number in range(40)}


def _add(path, first):
    mine = ErasureKeyFile(path)
    for number in range(first, first + 25):
        mine.give([f"p{number}"], anew=False)
        if number % 5 == 0:
            mine.destroy([f"p{number}"])


@pytest.mark.slow
def test_concurrent_processes_lose_no_key(file):
    run = multiprocessing.get_context("spawn")
    started = [run.Process(target=_add, args=(file.path, first)) for first in (0, 25, 50)]
    for spawn_process in started:
        spawn_process.start()
    for process in started:
        process.join()

    assert file.ids() == {f"p{number}" for number in range(75) if number % 5}


def test_the_lock_file_is_never_exchanged(file, tmp_path):
    """With an exchanged lock two processes could hold it."""
    number = (tmp_path / "erasure-keys.lock").stat().st_ino
    file.give(["a"], anew=True)
    file.destroy(["a"])

    assert (tmp_path / "erasure-keys.lock").stat().st_ino == number
    assert atomic_file.PRIVATE_MODE == (tmp_path / "erasure-keys.lock").stat().st_mode & 0o777


def test_a_missing_or_foreign_file_is_reported_at_the_start(sessions, tmp_path):
    path, said = tmp_path / "erasure-keys", []

    def check(file=path):
        with sessions() as session:
            return erasure_keys.check(file, session, said.append)

    assert check(None) is None
    assert check() is None
    vault = Vault(RING, erasure_keys=ErasureKeyFile(path))
    with sessions() as session:
        for number in (1, 2):
            person_rows.ensure(within(session, vault, AT, f"p{number}"), Account(number, "x"))
    assert check() is None
    assert check(None) == (
        "COUNTERSIGN_ERASURE_KEYS_FILE is not set, and the records of 2 of the people here open only with it"
    )
    assert check(tmp_path / "no" / "file").startswith(
        f"COUNTERSIGN_ERASURE_KEYS_FILE: {tmp_path / 'no' / 'file'} is not there: put the one"
    )
    other = ErasureKeyFile(tmp_path / "other")
    other.make()
    assert "has no key of any person in this database" in check(other.path)
    assert said == []
    ErasureKeyFile(path).destroy(["p1"])
    assert check() is None
    assert said[0].startswith(f"{path} lacks the erasure keys of 1 of the people in this database")
    path.unlink()
    assert f"{path} is not there" in check()
    assert not path.exists()


@pytest.mark.parametrize(
    "spoil",
    [
        lambda content: content.partition(b"\n")[2],  # Without the first line.
        lambda content: b"\xef\xbb\xbf" + content,
        lambda content: content.replace(b"\n", b"\r\n"),
        lambda content: content[:60],
        lambda _content: b"k1:AAAA\n",
        lambda _content: b"\n",
    ],
)
@pytest.mark.parametrize("people", [[], ["p1"]])
def test_a_file_with_other_content_is_no_file_of_erasure_keys(file, sessions, spoil, people):
    """No key is found in it, and none may be added: what is not said at the start would fail in the middle."""
    vault = Vault(RING, erasure_keys=file)
    with sessions() as session:
        for person_id in people:
            person_rows.ensure(within(session, vault, AT, person_id), Account(1, "x"))
    file.give(["stranger"], anew=False)
    spoilt = spoil(file.path.read_bytes())
    file.path.write_bytes(spoilt)
    with sessions() as session:
        said = erasure_keys.check(file.path, session, print)
    assert said == (
        f"COUNTERSIGN_ERASURE_KEYS_FILE: {file.path} is no file of erasure keys, or lacks its first line: put a whole one in"
        " its place"
    )
    assert file.path.read_bytes() == spoilt


def test_an_empty_file_is_filled_where_no_person_has_a_key(tmp_path, sessions):
    (tmp_path / "erasure-keys").touch()
    with sessions() as session:
        assert erasure_keys.check(tmp_path / "erasure-keys", session, print) is None
    assert ErasureKeyFile(tmp_path / "erasure-keys").give(["a"], anew=False)
