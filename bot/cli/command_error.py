"""The error that ends a command: one line that begins with `countersign:`, exit code 2."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import click

from agreements.domains.masking import visible


class CommandError(click.ClickException):
    """The fault of a file, a setting, a database or the command line itself, and what to do, in one line."""

    exit_code = 2  # As click's UsageError; 1 means that problems were found.

    def show(self, file: IO[Any] | None = None) -> None:
        """`countersign: …` on standard error, a line for each mistake."""
        for line in self.format_message().split("\n"):
            # Names of files, and words of the command line, may hold escape sequences.
            click.echo(f"countersign: {visible(line)}", file=file, err=True)


@contextmanager
def usage_in_one_line() -> Iterator[None]:
    """Turn click's UsageError, which repeats the usage in lines of its own, into a CommandError."""
    try:
        yield
    except click.exceptions.NoArgsIsHelpError:  # It is the help.
        raise
    except click.UsageError as error:
        where = error.ctx.command_path if error.ctx else "countersign"
        raise CommandError(f"{_said(error)} (`{where} --help` shows the usage)") from None


def _said(error: click.UsageError) -> str:
    if isinstance(error, click.BadParameter) and not isinstance(error, click.MissingParameter) and error.param:
        # As of a setting: its name, and what is wrong.
        return f"{error.param.get_error_hint(error.ctx).strip(chr(39))}: {error.message.rstrip('.')}"
    said = " ".join(error.format_message().split()).rstrip(".")  # Click writes each choice on a line of its own.
    return f"{said[0].lower()}{said[1:]}"


@contextmanager
def file_access(deed: str, file: Path | None = None) -> Iterator[None]:
    """Turn an OSError into a CommandError; `deed` is `read` or `write`. Without `file` the error names it."""
    try:
        yield
    except OSError as error:
        # Names of files may hold escape sequences.
        raise CommandError(f"cannot {deed} {visible(str(file or error.filename))}: {error.strerror}") from None
