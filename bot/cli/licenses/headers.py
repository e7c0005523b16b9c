"""`countersign license headers`: which source files lack the licence header that the rulebook asks for, and adding it."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from agreements.domains.masking import visible
from bot.cli.command_error import CommandError
from bot.cli.licenses import audit_input
from bot.cli.options import FILE, form_option, standard_output

if TYPE_CHECKING:
    from audit.headers.header_rule import HeaderRule
    from audit.headers.license_headers import FileHeader
    from bot.licenses.source_headers import HeaderCheck


@click.command(name="headers", short_help="Find source files without the licence header.")
@click.argument("path", type=FILE)
@audit_input.rulebook_option
@click.option("--fix", is_flag=True, help="Add the header to files that lack it. Other headers are not changed.")
@form_option("github")
def headers(path: Path, rulebook: Path | None, form: str, *, fix: bool) -> None:
    """Find source files in the checkout at PATH that lack the header required by `licenses.headers` in the rulebook.

    Skips files that git ignores, generated and empty files, and folders with third-party code. A file with the header of
    another licence is listed, but never changed.

    Exit codes: 0 every file has it, 1 one does not, 2 wrong usage or input, or the rulebook requires no header.
    """
    from bot import clock
    from bot.licenses import source_headers

    header = _asked_for(path, rulebook)
    try:
        checked = source_headers.check(path, header)
        added = source_headers.fix(path, checked, header, clock.now().year) if fix else ()
    except OSError as error:
        raise CommandError(f"cannot read or write {error.filename or path}: {error.strerror}") from None
    if checked.unsure:
        click.echo(f"countersign: {visible(checked.unsure)}", err=True)
    with standard_output() as out:
        out.writelines(f"{line}\n" for line in _lines(checked, frozenset(added), form, fix=fix))
    # A file with another licence's header lacks this one, too.
    lacking = sum(1 for name, state in checked.files if state.kind != "present" and name not in added)
    raise click.exceptions.Exit(1 if lacking else 0)


def _asked_for(path: Path, rulebook: Path | None) -> "HeaderRule":
    from bot.licenses import checkouts

    if not path.is_dir():
        raise CommandError(f"cannot read {path}: no such folder")
    text = audit_input.rulebook_text(rulebook)
    with audit_input.reading_checkouts():
        (name,) = checkouts.names([path])
        policy = checkouts.policy(path, name, text)
    if policy.headers is None:
        raise CommandError(
            "the rulebook requires no licence header: set licenses.headers (see 'The rulebook' in the documentation)"
        )
    return policy.headers


def _lines(checked: "HeaderCheck", added: frozenset[str], form: str, *, fix: bool) -> Iterator[str]:
    from audit.scan.decoding import shown

    if form == "json":
        for path, state in checked.files:
            kind = "added" if path in added else str(state.kind)
            yield json.dumps({"path": path, "state": kind, "line": state.line, "message": state.message})
        return
    for path, state in checked.files:
        if path in added:
            yield visible(f"{shown(path)}: added")
        elif state.kind != "present":
            yield _line(shown(path), state, form, fix=fix)
    counts = Counter("present" if path in added else str(state.kind) for path, state in checked.files)
    said = f"countersign: {counts['present']:,} with the header, {counts['missing']:,} without, {counts['other']:,} with another"
    out = ", ".join(f"{count:,} {why}" for why, count in checked.left_out.items())
    said += f"; left out: {out}" if out else ""
    yield visible(f"{said}; `--fix` adds it" if counts["missing"] and not fix else said)


def _line(path: str, state: "FileHeader", form: str, *, fix: bool) -> str:
    from audit.facts import Place
    from bot.cli.verdicts.workflow_annotations import annotation

    by_hand = "; add it by hand, because its place is unclear" if fix and state.kind == "missing" else ""
    if form == "github":
        return annotation("error", f"licence header {state.kind}", f"{state.message}{by_hand}", Place(path, state.line))
    where = path if state.line is None else f"{path}:{state.line}"
    return visible(f"{where}: {state.kind}: {state.message}{by_hand}")
