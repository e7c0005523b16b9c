"""`countersign license detect`: which licence the text of a file is, or that it is not known."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bot.cli.command_error import CommandError
from bot.cli.options import FILE, form_option, standard_output

if TYPE_CHECKING:
    from audit.texts.identification import DetectedText

_WORTH_ASKING = frozenset({"none", "similar", "altered", "contains"})
_MAX_FILE_BYTES = 64_000_000
"""Bytes of a file that are read; a text in four bytes a letter may be that large and no longer than what is looked at."""


@click.command(name="detect", short_help="Identify the licence of a file's text.")
@click.argument("files", metavar="FILE…", nargs=-1, required=True, type=FILE)
@click.option(
    "--scancode",
    type=FILE,
    metavar="COMMAND",
    help="Command of a ScanCode installation to ask about unknown texts. Its answers are compared with the text.",
)
@form_option()
def detect_files(files: tuple[Path, ...], form: str, scancode: Path | None) -> None:
    """Identify the licence text in each FILE by its SPDX id. An id is given only for a tag or an exact text, never as a guess.

    Exit codes: 0 all are known, 1 one is not known, 2 one cannot be read.
    """
    unknown, unread = False, ""
    with standard_output() as out:
        for path, found, problem in _detected(files, scancode):
            out.write(_plain(path, found) if form == "json" else _said(path, found, problem))
            unknown, unread = unknown or found.spdx is None, unread or problem
    if unread:  # Each file has its line first.
        raise CommandError(unread)
    if unknown:
        raise click.exceptions.Exit(1)


def _detected(files: tuple[Path, ...], scancode: Path | None) -> Iterator[tuple[Path, "DetectedText", str]]:
    """Each file, what it is, and why it could not be read (empty: it could)."""
    from audit.scan.decoding import decode
    from audit.texts.identification import DetectedText, detect, is_license_file

    for path in files:
        try:
            with path.open("rb") as file:
                data = file.read(_MAX_FILE_BYTES + 1)
        except OSError as error:
            yield path, DetectedText(None, "unreadable"), f"cannot read {path}: {error.strerror}"
            continue
        if len(data) > _MAX_FILE_BYTES:
            yield path, DetectedText(None, "too-long"), ""
            continue
        text = decode(data)[0]  # Also UTF-16 and UTF-32.
        found = detect(text, is_license=is_license_file(path.as_posix()))
        if scancode is not None and found.spdx is None and found.method in _WORTH_ASKING:
            found = _asked(scancode, text, found)
        yield path, found, ""


def _asked(scancode: Path, text: str, found: "DetectedText") -> "DetectedText":
    # ScanCode only proposes: an id is given for a text that was compared here.
    from audit.sources.scancode import ScanCodeFailed, ask
    from audit.texts.identification import detect

    try:
        (said,) = ask(scancode, [text])
    except ScanCodeFailed as error:
        raise CommandError(str(error)) from None
    again = detect(text, proposals=[said]) if said else found
    # Where ScanCode alone knows a name, that is the nearest.
    return replace(again, nearest=again.nearest or said) if again.spdx is None else again


def _plain(path: Path, found: "DetectedText") -> str:
    named = {"spdx": found.spdx, "method": found.method, "confidence": found.confidence}
    plain: dict[str, object] = {"path": str(path), **named}
    if found.nearest is not None:
        plain["nearest"] = found.nearest
    if found.remarks:
        plain["remarks"] = [
            {"text": remark.text, "start_line": remark.start_line, "end_line": remark.end_line}
            for remark in found.remarks
        ]
    return json.dumps(plain) + "\n"


def _said(path: Path, found: "DetectedText", problem: str) -> str:
    """One line for people, and one for each sentence beside the licence that was put aside."""
    from agreements.domains.masking import visible

    if problem:
        return f"{visible(str(path))}: not read\n"
    if found.spdx is None:
        near = f"; nearest: {found.nearest}" if found.nearest else ""
        return f"{visible(str(path))}: not known ({found.method}{near})\n"
    lines = f", lines {min(part.start_line for part in found.found)}-{max(part.end_line for part in found.found)}"
    more = "".join(
        f"  beside it, lines {remark.start_line}-{remark.end_line}: {visible(remark.text)}\n"
        for remark in found.remarks
    )
    return f"{visible(str(path))}: {found.spdx} ({found.method}{lines})\n{more}"
