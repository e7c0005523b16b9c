"""The progress of an audit as bars on a terminal: checkouts, and the answers that came for the one in hand."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from agreements.domains.masking import visible

if TYPE_CHECKING:
    from rich.progress import Progress

    from bot.licenses.checkouts import AuditProgress, OnStep

_MAX_NAME_CHARACTERS = 40
"""Letters of a checkout's name that are shown."""


@contextmanager
def bars() -> "Iterator[OnStep]":
    """A function to call at each step; the bars go to standard error, and are removed at the end."""
    if not sys.stderr.isatty():  # A log would be full of bars.
        yield lambda _step: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}", markup=False),  # A name may hold what rich takes for markup.
        BarColumn(),
        TextColumn("{task.fields[count]}", markup=False),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:  # Beside the answer.
        yield _ProgressBars(progress).step


class _ProgressBars:
    """One bar for all checkouts, if there are several, and one for what is being done."""

    def __init__(self, progress: "Progress") -> None:
        self.progress = progress
        self.all = progress.add_task("checkouts", total=None, visible=False, count="")
        self.now = progress.add_task("", total=None, count="")

    def step(self, step: "AuditProgress") -> None:
        """Show the step."""
        update, name = self.progress.update, visible(step.name)
        name = name if len(name) <= _MAX_NAME_CHARACTERS else f"{name[: _MAX_NAME_CHARACTERS - 1]}…"
        update(
            self.all,
            total=step.of,
            completed=step.number - 1,  # The one in hand is not done.
            visible=step.of > 1,
            count=f"{step.number:,}/{step.of:,}",
        )
        if step.asked is None:
            update(self.now, description=f"reading {name}", total=None, count=f"{step.done:,} files and folders")
        else:
            count = f"{step.done:,}/{step.asked:,} licences asked of registries"
            update(self.now, description=f"asking for {name}", total=step.asked, completed=step.done, count=count)
