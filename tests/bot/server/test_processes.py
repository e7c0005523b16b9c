"""A process that only works ends with the process that it works for."""

import gc
import os
import platform
import signal
import struct
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from pathlib import Path
from threading import Event, Thread

import pytest

from bot.server import processes

PARENT = """
import multiprocessing, sys, time
from bot.server import processes

def work(pipe):
    processes.only_work()
    pipe.send(multiprocessing.current_process().pid)
    time.sleep(60)

if __name__ == "__main__":
    ours, theirs = multiprocessing.Pipe()
    multiprocessing.get_context("fork").Process(target=work, args=(theirs,)).start()
    print(ours.recv(), flush=True)
    time.sleep(60)
"""


def alive(pid):
    """Whether there is such a process that has not ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_a_worker_survives_ctrl_c_and_ends_with_its_parent():
    parent = subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True)
    worker = int(parent.stdout.readline())
    os.kill(worker, signal.SIGINT)
    time.sleep(0.2)
    survived = alive(worker)
    parent.kill()
    parent.communicate()
    deadline = time.monotonic() + 20
    while alive(worker) and time.monotonic() < deadline:
        time.sleep(0.05)

    assert survived
    assert not alive(worker)


@pytest.mark.skipif(sys.platform != "linux", reason="another system tells how many there are, not how many we may use")
def test_a_process_counts_the_processors_that_it_may_use():
    script = "import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\n"
    script += "from bot.server import processes; print(processes.usable())"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert (int(done.stdout), processes.usable()) == (1, len(os.sched_getaffinity(0)))


def test_no_process_is_forked_while_a_thread_runs():
    """The fork could hold a lock for ever."""
    end = Event()
    thread = Thread(target=end.wait)
    thread.start()
    try:
        assert "spawn" == processes.context().get_start_method()
    finally:
        end.set()
        thread.join()
    program = "from bot.server import processes; print(processes.context().get_start_method())"
    alone = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.strip()

    assert ("fork" if sys.platform == "linux" else "spawn") == alone


@pytest.mark.slow
def test_loading_ends_with_garbage_collection_switched_on():
    frozen = gc.get_freeze_count()
    with pytest.raises(ZeroDivisionError), processes.loading():
        1 / gc.isenabled()
    assert gc.isenabled()
    assert gc.get_freeze_count() == frozen
    with processes.loading():
        assert not gc.isenabled()
    assert gc.isenabled()
    assert gc.get_freeze_count() > frozen


def test_modules_that_print_for_people_are_not_loaded_to_stay():
    """A highlighter for every language takes 7 MiB."""
    script = (
        "import sys\n"
        "from bot.server import processes\n"
        "with processes.loading():\n"
        "    import structlog, migrations\n"
        "print('rich' in sys.modules, 'pygments' in sys.modules)\n"
        "import pygments, rich\n"
        "with processes.loading():\n"
        "    print(sys.modules['rich'] is rich)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert done.stdout.split() == ["False", "False", "True"]


HEAPS = """
import ctypes, sys, threading
from bot.server import processes

if sys.argv[1:] == ["shared"]:
    processes.share_heaps()
library, all_there = ctypes.CDLL(None), threading.Barrier(8)

def take():
    library.malloc(100)
    all_there.wait()

threads = [threading.Thread(target=take) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
library.malloc_stats()
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another C library has other heaps")
def test_threads_share_two_heaps():
    counts = {}
    for words in ((), ("shared",)):
        said = subprocess.run([sys.executable, "-c", HEAPS, *words], capture_output=True, text=True, check=True).stderr
        counts[words] = said.count("Arena ")

    assert counts["shared",] <= 2 < counts[()]


def half_an_answer():
    """The process is killed while it writes: the others' answers cannot be told from the rest of its own."""
    frame = sys._getframe()
    while "result_queue" not in frame.f_locals:
        frame = frame.f_back
    answers = frame.f_locals["result_queue"]
    with answers._wlock:
        os.write(answers._writer.fileno(), struct.pack("!i", 1_000) + b"half")
        os.kill(os.getpid(), signal.SIGKILL)


def too_late():
    raise TimeoutError("of the work itself")


def test_a_process_killed_while_it_answers_breaks_its_pool():
    with ProcessPoolExecutor(2, get_context("spawn"), processes.only_work) as pool:
        for _ in range(4):
            pool.submit(time.sleep, 0)
        with pytest.raises(BrokenProcessPool):
            processes.result(pool, pool.submit(half_an_answer))


def test_a_process_gives_back_its_value_or_its_error():
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        assert processes.result(pool, pool.submit(abs, -1)) == 1
        with pytest.raises(TimeoutError, match="of the work itself"):
            processes.result(pool, pool.submit(too_late))
