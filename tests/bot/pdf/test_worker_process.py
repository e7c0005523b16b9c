"""A worker gives its answer or one reason, keeps its limits, and leaves its turn to the next."""

import subprocess
import sys
import threading

import pytest

from bot.pdf import worker_process
from bot.pdf.worker_process import WorkerFailed


def test_a_worker_answers_fails_or_waits_and_its_turn_comes_free_again():
    turns = threading.BoundedSemaphore(1)
    assert worker_process.run("base64", b"abc", turns, patience=30).stdout == b"YWJj\n"
    with pytest.raises(WorkerFailed, match="TimeoutExpired"):
        worker_process.run("base64", b"abc", turns, patience=0.01)
    with turns, pytest.raises(WorkerFailed, match="waiting"):
        worker_process.run("base64", b"abc", turns, patience=0.01)

    assert turns.acquire(blocking=False)


@pytest.mark.parametrize(
    ("wish", "said"),
    [("bytearray(300 * 1024**2)", "MemoryError"), ("open('x', 'wb').write(bytes(17 * 1024**2))", "File too large")],
)
def test_memory_and_files_are_limited(tmp_path, wish, said):
    program = (
        "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        f"from bot.pdf import worker_process as w; w.limit(256 * 1024**2, 5); {wish}"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, cwd=tmp_path)

    assert done.returncode
    assert said in done.stderr
