"""The demo plays until it is told to end, says what to try, and touches nothing that is not its own."""

import socket
import threading

import pytest

from bot.demo import play as playing
from bot.demo.play import MARK, Mishap, play
from tests.conftest import free_port


def two_free_ports():
    """A port whose next one is free as well."""
    while True:
        port = free_port()
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port + 1))
            except OSError:
                continue
            return port


@pytest.mark.story
def test_the_whole_demo(tmp_path, capsys):
    """Ready with addresses, people and steps; ended it says where everything is, and both ports are free."""
    ended, port = threading.Event(), two_free_ports()
    said = {}

    def end_when_ready():
        for _ in range(900):
            if (tmp_path / "demo" / "countersign.db").exists() and playing_ready(said, capsys):
                break
            ended.wait(0.1)
        ended.set()

    watcher = threading.Thread(target=end_when_ready)
    watcher.start()
    try:
        play(tmp_path / "demo", port=port, browser=False, until=ended)
    finally:
        ended.set()
        watcher.join()

    text = said["text"]
    assert f"http://127.0.0.1:{port + 1}/cann/ops-math/pull/1" in text
    assert f"Countersign        http://127.0.0.1:{port}\n" in text
    assert all(name in text for name in ("ada", "bo", "lin", "git clone", "Ctrl-C ends the demo."))
    assert str(tmp_path / "demo") in capsys.readouterr().out
    for number in (port, port + 1):
        with socket.socket() as probe:
            assert probe.connect_ex(("127.0.0.1", number)) != 0


def playing_ready(said, capsys):
    """Collect what was printed; true once it says that it is ready."""
    said["text"] = said.get("text", "") + capsys.readouterr().out
    return "\nready\n" in said["text"]


def test_a_folder_of_somebody_else_is_left_alone(tmp_path):
    """Not empty and not ours: nothing in it is touched."""
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(Mishap, match="is not empty and not the demo's: choose another with --folder"):
        play(tmp_path, port=two_free_ports(), browser=False)

    assert (tmp_path / "thesis.txt").read_text() == "years of work"
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_our_own_folder_is_made_anew(tmp_path):
    """The mark says that it is ours; an empty one is taken, too."""
    folder = tmp_path / "demo"
    playing._fresh(folder)
    (folder / "old.txt").write_text("x")
    playing._fresh(folder)

    assert [path.name for path in folder.iterdir()] == [MARK]
    (tmp_path / "empty").mkdir()
    playing._fresh(tmp_path / "empty")
    assert (tmp_path / "empty" / MARK).exists()


@pytest.mark.parametrize("which", [0, 1])
def test_a_port_in_use_is_one_line(tmp_path, which):
    """Countersign's own or the next one; nothing is made."""
    port = two_free_ports()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", port + which))
        taken.listen()
        with pytest.raises(Mishap, match=f"^port {port + which} is in use: choose another with --port"):
            play(tmp_path / "demo", port=port, browser=False)

    assert not (tmp_path / "demo").exists()
