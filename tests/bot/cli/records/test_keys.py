"""`keys` generates, lists and rotates key rings, overwrites no file and prints ids alone."""

import base64
import errno
import re
import stat
from pathlib import Path

import pytest

import migrations
from agreements.facts import Account
from agreements.store.people import person_rows
from agreements.vault import KeyRing, Vault
from bot import clock, db
from bot.cli.records.keys import command
from bot.records.erasure_keys import ErasureKeyFile
from tests.terminal import TerminalRunner
from tests.within import within


@pytest.fixture(name="run")
def _run():
    """Runs `keys …` with the given environment."""

    def run(*arguments, **environ):
        empty = {"COUNTERSIGN_KEYS": None, "COUNTERSIGN_KEYS_FILE": None}
        return TerminalRunner().invoke(command, list(arguments), env=empty | environ)

    return run


def test_generate_prints_one_line_named_after_the_day(run):
    result = run("generate")
    assert result.exit_code == 0
    assert result.stdout.count("\n") == 1
    (key_id,) = KeyRing.parse(result.stdout).ids
    assert re.fullmatch(rf"{clock.now().date().isoformat()}-[0-9a-f]{{6}}", key_id)
    assert KeyRing.parse(run("generate").stdout).ids != (key_id,)
    assert run("generate", "--id", "k1").stdout.startswith("k1:")


def test_generate_writes_a_file_that_only_its_owner_reads(run, tmp_path):
    path = tmp_path / "ring"
    result = run("generate", "--out", str(path), "--id", "k1")
    assert (result.exit_code, result.stdout) == (0, "")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.read_text().partition(":")[2].strip() not in result.stderr
    assert run("list", COUNTERSIGN_KEYS_FILE=str(path)).stdout == "id\nk1\n"


def test_generate_never_overwrites_a_file(run, tmp_path):
    path = tmp_path / "ring"
    path.write_text("precious")
    result = run("generate", "--out", str(path))
    assert result.exit_code == 2
    assert "already exists" in result.stderr
    assert path.read_text() == "precious"


def test_a_key_that_cannot_be_written_leaves_no_file(run, tmp_path, monkeypatch):
    """An empty file would keep the next try from writing."""

    def full(_file):
        raise OSError(errno.ENOSPC, "No space left on device")

    path = tmp_path / "ring"
    monkeypatch.setattr("os.fsync", full)
    result = run("generate", "--out", str(path))
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"countersign: cannot write {path}: No space left on device\n"
    assert not path.exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["generate", "--id", "a:b"], "--id: a key id is 1 to 32"),
        (["generate", "--out", "/nowhere/at/all/ring"], "cannot write /nowhere/at/all/ring: No such file or directory"),
    ],
)
def test_wrong_usage_exits_with_2_in_one_line(run, arguments, message):
    result = run(*arguments)
    assert result.exit_code == 2
    assert message in result.stderr


def test_list_prints_the_ids_alone_current_first(run):
    ring = "\n".join(KeyRing.generate(key_id) for key_id in ("new", "old"))
    result = run("list", COUNTERSIGN_KEYS=ring)
    assert (result.exit_code, result.stdout, result.stderr) == (0, "id\nnew\nold\n", "")


def test_without_a_ring_list_says_how_to_make_one(run):
    result = run("list")
    assert result.exit_code == 2
    assert "countersign keys generate --out FILE" in result.stderr


def test_a_broken_ring_is_named_without_its_key(run):
    key = base64.b64encode(b"k" * 16).decode()
    result = run("list", COUNTERSIGN_KEYS=f"k1:{key}")
    assert result.exit_code == 2
    assert "COUNTERSIGN_KEYS: key ring line 1: the key has 16 bytes, it must have 32" in result.stderr
    assert key[:-2] not in result.output


@pytest.fixture(name="ringed")
def _ringed(tmp_path):
    """The settings of a database with one person in it, whose ring is a file."""
    ring = tmp_path / "ring"
    ring.write_text(KeyRing.generate("k1") + "\n")
    url = f"sqlite:///{tmp_path / 'x.db'}"
    engine = db.open_engine(url)
    migrations.upgrade(engine)
    with db.sessions(engine)() as session:
        vault = Vault(KeyRing.parse(ring.read_text()))
        person_rows.ensure(within(session, vault, clock.now(), "p1"), Account(11, "ada"))
    engine.dispose()
    return {"COUNTERSIGN_KEYS_FILE": str(ring), "COUNTERSIGN_DATABASE_URL": url}


def used(result):
    """The rows below the header of `list --used`: id, values, whether the ring has the key."""
    return [line.split("\t") for line in result.stdout.splitlines()[1:]]


@pytest.mark.slow
def test_rotate_adds_a_key_and_moves_everything_under_it(run, ringed):
    first, second = run("rotate", **ringed), run("rotate", "--id", "k3", **ringed)

    assert (first.exit_code, second.exit_code) == (0, 0), first.output + second.output
    assert "data keys" not in first.stderr
    assert "everything is encrypted with the key k3" in second.stdout
    _, newest, named, oldest = run("list", **ringed).stdout.split()
    assert (newest, named[:10], oldest) == ("k3", clock.now().date().isoformat(), "k1")
    assert used(run("list", "--used", **ringed)) == [["k3", "4", "yes"], [named, "0", "yes"], ["k1", "0", "yes"]]
    assert run("rotate", **ringed).exit_code == 0
    assert run("list", **ringed).stdout.split()[2:] == ["k3", named, "k1"]
    assert "--id: the key ring already has a key 'k3'" in run("rotate", "--id", "k3", **ringed).stderr


@pytest.mark.slow
def test_rotate_gives_erasure_keys_to_people_without_one(run, ringed, tmp_path):
    file = tmp_path / "erasure-keys"
    named = {**ringed, "COUNTERSIGN_ERASURE_KEYS_FILE": str(file)}
    nowhere = {**named, "COUNTERSIGN_ERASURE_KEYS_FILE": str(tmp_path / "no" / "where")}
    assert "cannot use" in run("rotate", **nowhere).stderr
    file.write_text("something else\n" * 20)
    assert "is no file of erasure keys, or lacks its first line" in run("rotate", **named).stderr
    file.unlink()
    assert run("rotate", **named).exit_code == 0

    assert ErasureKeyFile(file).ids() == {"p1"}
    assert "COUNTERSIGN_ERASURE_KEYS_FILE is not set" in run("rotate", **ringed).stderr
    held = file.read_bytes()
    assert run("rotate", "--id", "k9", **named).exit_code == 0
    assert file.read_bytes() == held
    assert used(run("list", "--used", **named))[0] == ["k9", "4", "yes"]
    file.write_text("")
    assert "has no key of any person in this database" in run("rotate", **named).stderr


@pytest.mark.slow
def test_an_interrupted_rotation_continues_with_the_key_it_had_made(run, ringed):
    file = Path(ringed["COUNTERSIGN_KEYS_FILE"])
    file.write_text(KeyRing.generate("k2") + "\n" + file.read_text())

    assert run("rotate", **ringed).exit_code == 0
    assert used(run("list", "--used", **ringed)) == [["k2", "4", "yes"], ["k1", "0", "yes"]]


@pytest.mark.slow
def test_keys_in_the_environment_are_rotated_after_the_new_one_is_put_first(run, ringed):
    old = Path(ringed.pop("COUNTERSIGN_KEYS_FILE")).read_text()
    refused = run("rotate", COUNTERSIGN_KEYS=old, **ringed)
    both = KeyRing.generate("k2") + "\n" + old
    moved = run("rotate", COUNTERSIGN_KEYS=both, **ringed)

    assert refused.exit_code == 2
    assert "put its line first in COUNTERSIGN_KEYS" in refused.stderr
    assert moved.exit_code == 0
    assert used(run("list", "--used", COUNTERSIGN_KEYS=both, **ringed)) == [["k2", "4", "yes"], ["k1", "0", "yes"]]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "says"), [(("--id", "k1"), "already has a key 'k1'"), (("--id", "a b"), "a key id is 1 to 32")]
)
def test_a_refused_rotation_leaves_the_ring_unchanged(run, ringed, arguments, says):
    before = Path(ringed["COUNTERSIGN_KEYS_FILE"]).read_text()
    result = run("rotate", *arguments, **ringed)

    assert result.exit_code == 2
    assert says in result.stderr
    assert Path(ringed["COUNTERSIGN_KEYS_FILE"]).read_text() == before


@pytest.mark.slow
def test_rotate_without_the_old_key_says_what_is_missing(run, ringed):
    Path(ringed["COUNTERSIGN_KEYS_FILE"]).write_text(KeyRing.generate("other") + "\n")
    result = run("rotate", **ringed)

    assert result.exit_code == 2
    assert "COUNTERSIGN_KEYS opens nothing in this database" in result.stderr
