"""`countersign rulebook check FILE`: every mistake and every doubt of a rulebook, with its line, before it is pushed."""

from pathlib import Path

import click

from bot.cli.mistake import Mistake


@click.group(name="rulebook")
def command() -> None:
    """Check a rulebook before it is pushed."""


@command.command(name="check")
@click.argument("file", type=click.Path(path_type=Path))
def check(file: Path) -> None:
    """Print ok, or every mistake of FILE with its line.

    Exit codes: 0 fine, 1 mistakes or doubts found, 2 the file cannot be read.
    """
    from bot import clock, rulebook, rulebook_lint  # noqa: PLC0415 - start-up time of the other commands
    from bot.documents import DocumentInvalid  # noqa: PLC0415 - start-up time of the other commands

    text = _text(file)
    try:
        page = rulebook.page(text)
    except DocumentInvalid as error:
        lines = error.errors
    else:
        doubts = rulebook_lint.doubts(page.rules, clock.now())
        lines = tuple(page.document.error(at, f"{'.'.join(map(str, at))}: {said}") for at, said in doubts)
    for line in lines:
        click.echo(line)
    if lines:
        raise click.exceptions.Exit(1)
    click.echo("ok")


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
        raise Mistake(f"cannot read {file}: {why}") from None
