"""Test modules are compiled once for all processes of a run: each process begins with a share of its own."""

import sys
from pathlib import Path

from _pytest.assertion import rewrite


def pytest_sessionstart(session):
    """Compile every so many-th module of the chosen folders with its assertions rewritten, where that was not done before.

    To rewrite them takes longer than all the rest of collecting; each process would do it for all modules at the same time.
    """
    run = getattr(session.config, "workerinput", None)  # nothing outside a process that shares the run with others
    if run is None or sys.dont_write_bytecode:
        return
    modules = sorted(module for folder in session.config.args for module in Path(folder).rglob("*.py"))
    state = session.config.stash[rewrite.assertstate_key]
    for source in modules[int(run["workerid"].removeprefix("gw")) :: run["workercount"]]:
        compiled = rewrite.get_cache_dir(source.resolve()) / f"{source.stem}{rewrite.PYC_TAIL}"
        if rewrite._read_pyc(source, compiled) is None and rewrite.try_makedirs(compiled.parent):
            checksum, code = rewrite._rewrite_test(source.resolve(), session.config)
            rewrite._write_pyc(state, code, checksum, compiled)
