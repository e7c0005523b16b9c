"""Shared by the commands on licences: the data in use, the rulebook, checkouts that are judged, an answer in lines."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from agreements.domains.masking import visible
from bot.cli.command_error import CommandError, file_access
from bot.cli.options import FILE, text_of

if TYPE_CHECKING:
    from audit.facts import Dependency
    from audit.licenses.osadl import Matrix
    from audit.verdict.outbound import OutboundCandidate
    from bot.licenses.checkouts import AuditOptions, AuditResult

rulebook_option = click.option(
    "--rulebook",
    type=FILE,
    help="The organisation's rulebook. A repository's own rulebook can only be stricter.",
)
offline_option = click.option(
    "--offline",
    is_flag=True,
    help="Ask no registry for licences. Only files and earlier answers count; other licences stay unknown.",
)
_MAX_SHOWN = 10
"""Licences that would do, licences that would nearly do, and what stands in the way of one: as many of each."""


def data() -> "Matrix":
    """The licence data in use. Raises CommandError."""
    from audit.licenses.osadl import MatrixInvalid
    from bot.cli.setting import settings
    from bot.licenses import matrix_file

    path = settings().license_data
    try:
        with file_access("read", path):
            return matrix_file.current(path)
    except MatrixInvalid as error:
        raise CommandError(
            f"{path}: {error}; remove it, or replace it with `countersign license refresh FILE`"
        ) from None


def rulebook_text(rulebook: Path | None) -> tuple[str, str] | None:
    """The path and the text of the rulebook that was named; None where none was. Raises CommandError."""
    return None if rulebook is None else (str(rulebook), text_of(rulebook))


def options(rulebook: Path | None, *, offline: bool = True) -> "AuditOptions":
    """The basis of verdicts: that rulebook, the data in use, today, what registries know. Raises CommandError."""
    from bot import clock
    from bot.cli.setting import load_plugins, settings
    from bot.licenses import registry_lookup
    from bot.licenses.checkouts import AuditOptions

    load_plugins()  # First: a file that a plugin reads must not seem to be read without it.
    text = rulebook_text(rulebook)
    learner = registry_lookup.of_user(settings(), clock.now, say, offline=offline)
    return AuditOptions(text, data(), clock.now().date(), learner)


def audited(paths: Sequence[Path], options: "AuditOptions") -> "list[AuditResult]":
    """Each checkout, judged; on a terminal with bars that say how far it is. Raises CommandError."""
    from bot.cli.licenses import progress
    from bot.licenses import checkouts

    with reading_checkouts(), progress.bars() as on_step:
        found = list(checkouts.audit(paths, options, on_step))
    say_unlearned(found)  # One line for all of them.
    return found


@contextmanager
def reading_checkouts() -> Iterator[None]:
    """A rulebook with mistakes, and a file that cannot be read, are a CommandError."""
    from bot.licenses import checkouts

    try:
        with file_access("read"):
            yield
    except checkouts.RulebookBroken as broken:
        raise CommandError("\n".join(broken.lines)) from None


def say_unlearned(found: "Sequence[AuditResult]") -> None:
    """Say in one line what registries could not be asked."""
    failed: Counter[str] = Counter()
    for result in found:
        failed.update(result.failed)
    if failed:
        why = "; ".join(f"{why} ({count:,})" for why, count in sorted(failed.items()))
        say(f"{failed.total():,} licences stay unknown: {why}")


def say(line: str) -> None:
    """A line on standard error, beside the answer."""
    click.echo(f"countersign: {visible(line)}", err=True)


def choices(asked: "Sequence[OutboundCandidate]", uses: int, form: str) -> Iterator[str]:
    """The licences that would do, and what stands in the way of others; as JSON an object a line, all of them."""
    if form == "json":
        from audit.licenses.expression import spelled

        for candidate in asked:
            blocked = [
                {"name": use.name, "version": use.version, "license": spelled(use.license.expression), "usage": use.usage,
                 "verdict": judged.verdict, "rule": judged.rule, "reason": judged.reason}
                for use, judged in candidate.blockers
            ]  # fmt: skip
            answer = {
                "license": candidate.license,
                "clean": candidate.is_clean,
                "worst": candidate.worst,
                "blockers": blocked,
            }
            yield json.dumps(answer, ensure_ascii=False)
        return
    clean = [candidate for candidate in asked if candidate.is_clean]
    yield f"{uses:,} dependencies; {len(clean)} of {len(asked)} licences are compatible with all of them"
    yield from _first([f"  {candidate.license} ({candidate.worst})" for candidate in clean])
    if not clean:
        yield from map(visible, _in_the_way(asked))


def _in_the_way(asked: "Sequence[OutboundCandidate]") -> Iterator[str]:
    # What no licence would mend is said once, not below each of them.
    lines = {
        candidate.license: dict.fromkeys(
            f"{_called(use)}: {judged.verdict}, {judged.reason}" for use, judged in candidate.blockers
        )
        for candidate in asked
    }
    always = [line for line in lines[asked[0].license] if all(line in others for others in lines.values())]
    if always:
        yield "in the way of every licence:"
        yield from _first([f"  {line}" for line in always])
    left = {name: [line for line in found if line not in always] for name, found in lines.items()}
    for name in sorted(left, key=lambda name: len(left[name]))[:_MAX_SHOWN]:  # The nearest first.
        yield f"{name}: nothing else in the way" if not left[name] else f"{name}: {len(left[name])} in the way"
        yield from _first([f"  {line}" for line in left[name]], 3)
    if len(left) > _MAX_SHOWN:
        yield f"and {len(left) - _MAX_SHOWN} licences more: --format json lists all"


def _first(lines: list[str], most: int = _MAX_SHOWN) -> list[str]:
    return lines if len(lines) <= most else [*lines[:most], f"  and {len(lines) - most} more: --format json lists all"]


def _called(use: "Dependency") -> str:
    return f"{use.name} {use.version}" if use.version else use.name
