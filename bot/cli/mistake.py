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


class Whole(click.IntRange):
    """A whole number between two others; what is no number is called that."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number; fails with click's own line about the option."""
        try:
            int(value)
        except ValueError:
            self.fail(f"{value!r} is not a whole number", param, ctx)
        return super().convert(value, param, ctx)


PORT = Whole(1, 65535)
"""A TCP port."""
