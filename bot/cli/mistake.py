"""How a command says that it cannot go on: one line that begins with its name, exit code 2."""

from typing import IO, Any

import click


class Mistake(click.ClickException):
    """What is wrong with a file, a setting or a database, and what to do, in one line.

    Words that the command line itself does not take stay click's own `UsageError`, which repeats the usage.
    """

    exit_code = 2

    def show(self, file: IO[Any] | None = None) -> None:
        """`countersign: …` on standard error."""
        click.echo(f"countersign: {self.format_message()}", file=file, err=True)
