"""Tests run in several processes (`--processes`), forked from the one that has collected them: to collect takes long.

Each of them takes the tests of one file after the other, as the first process hands them out, and tells it of each result.
"""

import mmap
import os
import sys
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import Pipe
from multiprocessing.connection import wait

import pytest

_DONE = "done"

_number = 0


def number() -> int:
    """Which one of the processes this is, from 0 on."""
    return _number


def pytest_addoption(parser):
    """`--processes`."""
    parser.addoption("--processes", type=int, default=1, help="how many processes run the tests")


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session):
    """In place of pytest's own loop, in the first process and in each that it forks."""
    many = session.config.option.processes
    if many < 2 or session.testsfailed or session.config.option.collectonly:
        return None
    run = Run(session)
    for each in range(many):
        if link := run.fork():
            return _work(session, link, run.stopped, each)
    return run.listen()


@dataclass
class Process:
    """A forked process, and the places of the tests that it was given and has not yet told of."""

    id: int
    given: list[int] = field(default_factory=list)


class Run:
    """What the first process does: hand out files, report results."""

    def __init__(self, session):
        self._session, self._hook = session, session.config.hook
        self._processes = {}
        files = {}
        for place, item in enumerate(session.items):
            files.setdefault(item.location[0], []).append(place)
        self._files = deque(files.values())
        self.stopped = mmap.mmap(-1, 1)
        """One byte that all of them see: whether no more tests are to run."""

    def fork(self):
        """Begin one more process; gives what it talks by, there, and nothing here."""
        ours, theirs = Pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        process = os.fork()
        if process:
            theirs.close()
            self._processes[ours] = Process(process)
            return None
        for link in (ours, *self._processes):
            link.close()
        return theirs

    def listen(self):
        """Until all have ended."""
        try:
            while self._processes:
                for link in wait(self._processes):
                    self._hear(link)
                self.stopped[0] = bool(self._session.shouldfail or self._session.shouldstop)
        finally:
            self.stopped[0] = 1
            for link, process in self._processes.items():
                link.close()
                os.waitpid(process.id, 0)
        if self._session.shouldfail:
            raise self._session.Failed(self._session.shouldfail)
        if self._session.shouldstop:
            raise self._session.Interrupted(self._session.shouldstop)
        return True

    def _hear(self, link):
        given = self._processes[link].given
        try:
            said = link.recv()
        except (EOFError, ConnectionResetError):
            self._ended(link)
            return
        if said is None:
            file = self._files.popleft() if self._files else []
            given += file
            link.send(file)
        elif isinstance(said, dict):
            report = self._hook.pytest_report_from_serializable(config=self._session.config, data=said)
            self._hook.pytest_runtest_logreport(report=report)
        else:
            item = self._session.items[given.pop(0)]
            self._hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)

    def _ended(self, link):
        """What was running in a process that broke off has failed; others do the rest of what it had."""
        process = self._processes.pop(link)
        link.close()
        code = os.waitstatus_to_exitcode(os.waitpid(process.id, 0)[1])
        if process.given and not self.stopped[0]:
            item = self._session.items[process.given.pop(0)]
            why = f"the process that ran it ended with code {code}"
            report = pytest.TestReport(item.nodeid, item.location, {}, "failed", why, "call")
            self._hook.pytest_runtest_logreport(report=report)
            self._files.append(process.given)
        elif code not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
            self._session.shouldstop = self._session.shouldstop or f"a process ended with code {code}"
        if any(self._files) and not self._processes:
            self._session.shouldstop = "no process is left for the other tests"


def _work(session, link, stopped, each):
    """Run what this process is given."""
    global _number  # noqa: PLW0603 - the process is another one from here on
    _number = each
    config, items = session.config, session.items
    config.workerinput = {}  # by which pytest's plugins know that another process does what is done once
    capture = config.pluginmanager.getplugin("capturemanager")
    capture.stop_global_capturing()  # into files that are the first process's
    capture.start_global_capturing()
    capture.suspend_global_capture()
    config.pluginmanager.unregister(name="terminalreporter")
    config.pluginmanager.register(teller := Teller(config, link))
    file = teller.ask()
    while file:
        following = []
        for place, after in zip(file, [*file[1:], None], strict=True):
            if after is None:  # asked before the last one ends: fixtures that the next file needs as well stay
                following = teller.ask()
                after = following[0] if following else None  # noqa: PLW2901
            then = None if after is None else items[after]
            config.hook.pytest_runtest_protocol(item=items[place], nextitem=then)
            if stopped[0] or session.shouldfail or session.shouldstop:
                return True
        file = following
    return True


class Teller:
    """Tells the first process of what happens, as a plugin."""

    def __init__(self, config, link):
        self._config, self._link = config, link

    def ask(self):
        """The places of the tests of one more file; none when all are given out, or nobody is there any more."""
        self._say(None)
        try:
            return self._link.recv()
        except (EOFError, OSError):
            return []

    def pytest_runtest_logreport(self, report):
        """Not of what went well before and after a test: nobody sees it, unless how long it took."""
        if report.when == "call" or not report.passed or self._config.option.durations:
            self._say(self._config.hook.pytest_report_to_serializable(config=self._config, report=report))

    def pytest_runtest_logfinish(self):
        """The first of the tests that were given and not yet told of is done."""
        self._say(_DONE)

    def _say(self, what):
        with suppress(OSError):
            self._link.send(what)
