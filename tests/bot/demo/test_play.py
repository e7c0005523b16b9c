"""The demo plays until it is told to end, says what to try, and touches nothing that is not its own."""

import os
import re
import socket
import subprocess
import threading
import time
import urllib.request

import pytest

from bot.demo import play as demo
from bot.demo.play import LOCK_FILE, DemoFailed, play
from tests.conftest import two_free_ports


@pytest.fixture(name="playing")
def _playing(tmp_path, capsys):
    """The demo, ready, in a thread: its folder, its port and what it said; then ended."""
    ended, port, said, failed = threading.Event(), two_free_ports(), [], []

    def run():
        try:
            play(tmp_path / "demo", port=port, browser=False, until=ended)
        except BaseException as error:  # noqa: BLE001 - shown by the test that waits
            failed.append(error)

    player = threading.Thread(target=run)
    player.start()
    try:
        until(lambda: said.append(capsys.readouterr().out) or failed or "ends the demo." in "".join(said), within=90)
        assert failed == []
        yield tmp_path / "demo", port, "".join(said)
    finally:
        ended.set()
        player.join()
    assert failed == []
    assert capsys.readouterr().out == ended_in(tmp_path / "demo")
    for number in (port, port + 1):
        with socket.socket() as probe:
            assert probe.connect_ex(("127.0.0.1", number)) != 0


def ended_in(folder):
    """The last line: where everything is, and for how long."""
    return f"The demo has ended. Its data is in {folder}. The next start replaces it.\n"


def until(condition, *, within):
    """Wait until it holds."""
    deadline = time.monotonic() + within
    while not condition():
        assert time.monotonic() < deadline, "it did not come to be"
        time.sleep(0.1)


def check(port, path):
    """The conclusion that the page of a pull request shows."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port + 1}/cann/{path}", timeout=60) as answer:
        page = answer.read().decode()
    return re.findall(r'title="Countersign: (\w+)"', page), page


@pytest.mark.slow
def test_the_printed_addresses_answer_and_the_printed_commands_work(playing, tmp_path):
    folder, port, said = playing
    for address in re.findall(r"http://127[^\s@)]+", said):
        with urllib.request.urlopen(address, timeout=60) as answer:
            assert answer.status == 200
    assert {str(port), str(port + 1)} == set(re.findall(r"http://127.0.0.1:(\d+)", said))
    assert all(f"\n  {login} " in said for login in ("ada", "bo ", "lin"))
    assert check(port, "ops-math/pull/1")[0] == check(port, "cann-learning-hub/pull/1")[0] == ["failure"]

    commands = [line.strip() for line in said.splitlines() if line.strip().startswith(("git ", "cd "))]
    assert len(commands) == 8
    # A person's own settings are theirs: an empty home stands for them, without a name or an address.
    own, before = tmp_path / "own", set(folder.rglob(".git"))
    own.mkdir()
    ran = subprocess.run(
        ["bash", "-e"], input="\n".join(commands), cwd=tmp_path,
        env={"HOME": str(tmp_path), "PATH": os.defpath, "TMPDIR": str(own)},
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    until(lambda: check(port, "cann-learning-hub/pull/1")[0] == ["success"], within=30)
    assert "Make it faster still" in check(port, "ops-math/pull/1")[1]
    assert len(list(own.rglob(".git"))) == 2, "it leaves something outside its folders"
    assert set(folder.rglob(".git")) == before, "the next start would delete what a person made"

    with pytest.raises(DemoFailed, match=r"another demo is running in .*: choose another with --folder"):
        play(folder, port=two_free_ports(), browser=False)
    assert check(port, "ops-math/pull/1")[0] == ["failure"], "the first demo was harmed"


@pytest.mark.slow
def test_a_demo_ended_during_its_start_says_only_that_it_ended(tmp_path, capsys):
    ended = threading.Event()
    ended.set()
    play(tmp_path / "demo", port=two_free_ports(), browser=False, until=ended)

    said = capsys.readouterr().out
    assert "ready" not in said
    assert said.endswith(ended_in(tmp_path / "demo"))


def test_a_folder_that_is_not_the_demos_is_left_alone(tmp_path):
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(DemoFailed, match="is not empty and not the demo's: choose another with --folder"):
        play(tmp_path, port=two_free_ports(), browser=False)

    assert (tmp_path / "thesis.txt").read_text() == "years of work"
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


@pytest.mark.parametrize("path", ["file/demo", "file", "/proc/demo"])
def test_a_folder_that_cannot_be_made_is_one_line(tmp_path, path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(DemoFailed, match=r"^[^\n]* cannot be used \([^\n]+\): choose another with --folder$"):
        play(tmp_path / path, port=two_free_ports(), browser=False)


def test_the_demos_own_folder_is_made_anew(tmp_path):
    """A link in the folder is cut, not followed."""
    folder, other = tmp_path / "demo", tmp_path / "other"
    other.mkdir()
    (other / "kept.txt").write_text("x")
    with demo._held(folder):
        pass
    (folder / "old.txt").write_text("x")
    (folder / "older").mkdir()
    (folder / "link").symlink_to(other)
    with demo._held(folder):
        assert [path.name for path in folder.iterdir()] == [LOCK_FILE]

    assert (other / "kept.txt").exists()
    (tmp_path / "empty").mkdir()
    with demo._held(tmp_path / "empty"):
        pass
    assert (tmp_path / "empty" / LOCK_FILE).exists()


def test_missing_git_is_one_line_and_nothing_is_made(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(DemoFailed, match=r"^the demo needs git, which is not on the PATH: install it and try again$"):
        play(tmp_path / "demo", port=two_free_ports(), browser=False)

    assert not (tmp_path / "demo").exists()


@pytest.mark.parametrize("which", [0, 1])
def test_a_port_in_use_is_one_line_and_nothing_is_made(tmp_path, which):
    port = two_free_ports()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", port + which))
        taken.listen()
        with pytest.raises(DemoFailed, match=f"^port {port + which} is in use: choose another with --port"):
            play(tmp_path / "demo", port=port, browser=False)

    assert not (tmp_path / "demo").exists()
