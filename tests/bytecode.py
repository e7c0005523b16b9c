"""Test modules are compiled by all processes of a run together, before the first of them collects alone."""

import os
import sys
from pathlib import Path

from _pytest.assertion import rewrite


def pytest_sessionstart(session):
    """Compile the modules of the chosen folders with their assertions rewritten, where that was not done before.

    To rewrite them takes longer than all the rest of collecting.
    """
    many = session.config.option.processes
    if many < 2 or sys.dont_write_bytecode:
        return
    modules = sorted(module for folder in session.config.args for module in Path(folder).rglob("*.py"))
    helpers = []
    for share in range(1, many):
        helper = os.fork()
        if not helper:
            try:
                _compile(session.config, modules[share::many])
            finally:
                os._exit(0)  # what it left out is compiled when it is collected
        helpers.append(helper)
    _compile(session.config, modules[::many])
    for helper in helpers:
        os.waitpid(helper, 0)


def _compile(config, modules):
    state = config.stash[rewrite.assertstate_key]
    for source in modules:
        compiled = rewrite.get_cache_dir(source.resolve()) / f"{source.stem}{rewrite.PYC_TAIL}"
        if compiled.exists() and compiled.stat().st_mtime > source.stat().st_mtime:
            continue
        if rewrite.try_makedirs(compiled.parent):
            checksum, code = rewrite._rewrite_test(source.resolve(), config)
            rewrite._write_pyc(state, code, checksum, compiled)
