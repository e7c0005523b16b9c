"""Keys are made into a file of their own, never over another, and only their ids are ever listed."""

import base64
import stat

import pytest
from click.testing import CliRunner

from agreements.vault import KeyRing
from bot import clock
from bot.cli.keys import command


@pytest.fixture(name="run")
def _run():
    """Runs `keys …` with the given environment."""

    def run(*arguments, **environ):
        empty = {"COUNTERSIGN_KEYS": None, "COUNTERSIGN_KEYS_FILE": None}
        return CliRunner().invoke(command, list(arguments), env=empty | environ)

    return run


def test_a_key_is_printed(run):
    """One line on standard output that parses, named after today."""
    result = run("generate")
    assert result.exit_code == 0
    assert result.stdout.count("\n") == 1
    assert KeyRing.parse(result.stdout).ids == (clock.now().date().isoformat(),)
    assert run("generate", "--id", "k1").stdout.startswith("k1:")


def test_a_key_is_written_for_its_owner_only(run, tmp_path):
    """Mode 0600, nothing secret on the screen, and the file does as COUNTERSIGN_KEYS_FILE."""
    path = tmp_path / "ring"
    result = run("generate", "--out", str(path), "--id", "k1")
    assert (result.exit_code, result.stdout) == (0, "")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.read_text().partition(":")[2].strip() not in result.stderr
    assert run("list", COUNTERSIGN_KEYS_FILE=str(path)).stdout == "k1\n"


def test_a_ring_is_never_overwritten(run, tmp_path):
    """What was there stays, byte for byte; exit code 2."""
    path = tmp_path / "ring"
    path.write_text("precious")
    result = run("generate", "--out", str(path))
    assert result.exit_code == 2
    assert "there already" in result.stderr
    assert path.read_text() == "precious"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["generate", "--id", "a:b"], "--id: a key id is 1 to 32"),
        (["generate", "--out", "/nowhere/at/all/ring"], "cannot write /nowhere/at/all/ring: No such file or directory"),
    ],
)
def test_mistakes_end_in_one_line(run, arguments, message):
    """Exit code 2 and what is wrong, no traceback."""
    result = run(*arguments)
    assert result.exit_code == 2
    assert message in result.stderr


def test_only_ids_are_listed(run):
    """One a line, the current one first, no key."""
    ring = "\n".join(KeyRing.generate(key_id) for key_id in ("new", "old"))
    result = run("list", COUNTERSIGN_KEYS=ring)
    assert (result.exit_code, result.stdout, result.stderr) == (0, "new\nold\n", "")


def test_without_a_ring_it_says_how_to_make_one(run):
    """Exit code 2 and the command to type."""
    result = run("list")
    assert result.exit_code == 2
    assert "countersign keys generate --out FILE" in result.stderr


def test_a_broken_ring_is_named_not_shown(run):
    """The line and the mistake, never the key."""
    key = base64.b64encode(b"k" * 16).decode()
    result = run("list", COUNTERSIGN_KEYS=f"k1:{key}")
    assert result.exit_code == 2
    assert "COUNTERSIGN_KEYS: key ring line 1: the key has 16 bytes, it must have 32" in result.stderr
    assert key[:-2] not in result.output
