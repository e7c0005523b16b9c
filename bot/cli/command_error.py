"""The error that ends a command: one line that begins with `countersign:`, exit code 2."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import click

from agreements.domains.domains import visible


class CommandError(click.ClickException):
    """The fault of a file, a setting or a database, and what to do, in one line.

    Words that the command line itself does not take stay click's own `UsageError`, which repeats the usage.
    """

    exit_code = 2  # As click's UsageError; 1 means that problems were found.

    def show(self, file: IO[Any] | None = None) -> None:
        """`countersign: …` on standard error."""
        click.echo(f"countersign: {self.format_message()}", file=file, err=True)


@contextmanager
def file_access(deed: str, file: Path | None = None) -> Iterator[None]:
    """Turn an OSError into a CommandError; `deed` is `read` or `write`. Without `file` the error names it."""
    try:
        yield
    except OSError as error:
        # Names of files may hold escape sequences.
        raise CommandError(f"cannot {deed} {visible(str(file or error.filename))}: {error.strerror}") from None
