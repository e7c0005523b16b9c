"""Options and arguments that several commands take, and how they read files and print lists."""

import errno
import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from io import TextIOWrapper
from pathlib import Path
from typing import Any, TextIO

import click

from bot.cli.command_error import CommandError, file_access


class WholeNumber(click.IntRange):
    """A whole number between two others, which are both given."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number; fails with click's own line about the option."""
        # Click would call it no "valid integer range", or "not in the range 1<=x<=65535".
        try:
            return super().convert(int(value), param, ctx)
        except ValueError:
            self.fail(f"{value!r} is not a whole number", param, ctx)
        except click.BadParameter:
            self.fail(f"{value} is not between {self.min} and {self.max}", param, ctx)


PORT = WholeNumber(1, 65535)
"""A TCP port."""

_MAX_NOTE_CHARACTERS = 64 * 1024  # More than any checkpoint has.
_PUBLIC_MODE = 0o644
_AGO = re.compile(r"([1-9][0-9]{0,4})([mhd])")
_UNITS = {"m": "minutes", "h": "hours", "d": "days"}


class FilePath(click.Path):
    """The path of a file or folder. `-` is refused: of commands that take no stream it would name a file called `-`."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path; fails with click's own line about the option."""
        if os.fsdecode(value) == "-":
            self.fail("'-' does not stand for standard input or output here: give a path", param, ctx)
        return super().convert(value, param, ctx)


FILE = FilePath(path_type=Path)
"""A file, looked for by the command itself."""
FOLDER = FilePath(path_type=Path, file_okay=False)
"""A folder, looked for by the command itself."""


def form_option(*more: str, kind: type[click.Choice[str]] = click.Choice, help: str = "") -> Callable[[Any], Any]:  # noqa: A002 - click's own word
    """`--format`, handed over as `form`: text on a terminal and JSON elsewhere, unless a format is asked for."""

    def chosen(_context: click.Context, _option: click.Parameter, form: str | None) -> str:
        return form or ("text" if is_terminal(sys.stdout) else "json")

    said = f"{help} Default: text on a terminal, otherwise json.".strip()
    # By a callback: a default would be chosen when this module is imported.
    return click.option("--format", "form", type=kind(("text", "json", *more)), callback=chosen, help=said)


list_form = form_option(
    help="text: fields separated by tabs, with a header line; json: one object per line, with the same fields."
)
"""`--format` of a command that prints by `print_rows`."""


def print_rows(rows: Iterable[object], fields: Sequence[str], form: str) -> None:
    """Print these fields of each row, one row a line."""
    if form == "text":
        click.echo("\t".join(fields))
    for row in rows:
        shown = {name: _plain(getattr(row, name)) for name in fields}
        click.echo(json.dumps(shown) if form == "json" else "\t".join(map(_cell, shown.values())))


def _cell(value: object) -> str:
    return {None: "", True: "yes", False: "no"}[value] if value is None or isinstance(value, bool) else str(value)


def _plain(value: object) -> object:
    return value.isoformat().replace("+00:00", "Z") if isinstance(value, datetime) else value


def moment_option(name: str, *, default: str | None, help: str) -> Callable[[Any], Any]:  # noqa: A002 - click's own word
    """An option that takes `90m`, `12h`, `3d` ago, or a past ISO 8601 date-time (UTC without a zone), as a datetime."""
    return click.option(
        name, default=default, show_default=default is not None, metavar="TIME", callback=_moment, help=help
    )


def _moment(_context: click.Context, _option: click.Parameter, text: str | None) -> datetime | None:
    from bot import clock

    try:
        if text is None:
            return None
        if ago := _AGO.fullmatch(text):
            return clock.now() - timedelta(**{_UNITS[ago[2]]: int(ago[1])})
        found = datetime.fromisoformat(text)
        found = (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):  # The latter for the first day of all in a zone east of UTC.
        raise click.BadParameter(f"{text!r} is not a time such as 90m, 12h, 3d or 2026-11-21T08:00Z") from None
    if found > clock.now():  # Nothing has happened since then: an empty answer would look like none to give.
        raise click.BadParameter(f"{text!r} lies ahead; it is not a time such as 90m, 12h, 3d or 2026-11-21T08:00Z")
    return found


def has_terminal() -> bool:
    """Whether standard error is a terminal, where a progress bar is worth showing; elsewhere only its label shows."""
    return is_terminal(sys.stderr)


def is_terminal(stream: TextIO | None) -> bool:
    """Whether the output shows on a terminal; None, Python's value for one closed before the start, does not."""
    return stream is not None and stream.isatty()


def text_of(file: Path) -> str:
    """The text of a file. Raises CommandError where there is none to be read."""
    try:
        with file_access("read", file):
            return file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise CommandError(f"cannot read {file}: not UTF-8 text") from None


def note_of(path: Path) -> str:
    """The text of a checkpoint, of which more than it can hold is not read. Raises CommandError."""
    try:
        with file_access("read", path), path.open(encoding="utf-8") as file:
            return file.read(_MAX_NOTE_CHARACTERS)
    except UnicodeDecodeError:
        raise CommandError(f"cannot read {path}: not UTF-8 text") from None


def write_out(body: bytes, out: Path | None) -> None:
    """Print the body, which is public, or put it in the place of that file."""
    from bot import atomic_file

    if out is None:
        click.echo(body, nl=False)
        return
    # Whole or not at all: on a full disk the last checkpoint that was kept would be lost.
    mode = None if out.exists() else _PUBLIC_MODE
    with file_access("write", out), atomic_file.replacement(out, mode=mode) as made:
        made.write(body)


@contextmanager
def standard_output() -> Iterator[TextIO]:
    """Standard output, whole at the end. Raises CommandError for what cannot be written there, as on a full disk."""
    out: TextIO | None = sys.stdout
    if out is None:
        raise CommandError("cannot write to standard output: it is closed")
    if isinstance(out, TextIOWrapper):
        out.reconfigure(errors="backslashreplace")  # A terminal may lack letters of people's names.
    try:
        yield out
        out.flush()
    except OSError as error:
        if error.errno == errno.EPIPE:  # A reader that went away (`| head -1`): click ends quietly.
            raise
        # Let what is left in the buffer go nowhere, or Python would try again at its end and complain.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, out.fileno())
        os.close(nowhere)
        raise CommandError(f"cannot write to standard output: {error.strerror}") from None


def check_ids(ids: Iterable[str], kind: str, lister: str) -> None:
    """Raises CommandError for an id that cannot be one; `lister` shows the right ones."""
    for row_id in ids:
        if not row_id.isprintable():  # PostgreSQL takes neither NUL nor bytes that are not UTF-8.
            raise CommandError(f"{row_id!r} is not the id of {kind}: `{lister}` shows the ids")


def check_queued(ids: Iterable[str], queued: Sequence[str], resendable: str) -> None:
    """Raises CommandError unless all were queued."""
    # Within the transaction, so that none is queued and the command can be given again.
    if missing := sorted(set(ids) - set(queued)):
        raise CommandError(f"nothing was queued: {', '.join(missing)} cannot be sent again; only {resendable} can")
