"""The commits of a local clone, judged by the rules of their base: what `countersign check` prints."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from agreements.clone.history import Clone, HistoryUnreadable, Range
from agreements.domains.masking import visible
from agreements.facts import Account, Facts, Verdict
from agreements.json.verdict_writer import Wording, plain
from agreements.whitelist import Whitelist, WhitelistInvalid
from agreements.whitelist import read as read_whitelist
from bot import clock, local_check
from bot.cli.command_error import CommandError, file_access
from bot.cli.options import text_of
from bot.cli.setting import server_of_clone
from bot.cli.verdicts import verdict_text, workflow_annotations
from bot.report import local_cla_check


@dataclass(frozen=True, slots=True)
class CloneVerdict:
    """The `verdict` on the commits of `span`, its `words` and `facts`; `elsewhere`: a head that is not checked out."""

    verdict: Verdict
    words: Wording
    span: Range
    facts: Facts | None = None  # None: the rules are broken.
    elsewhere: str = ""


def judged_clone(  # noqa: PLR0913 - the options of the command
    *,
    path: str,
    rulebook: Path | None,
    whitelist: Path | None,
    commits: str | None,
    repository: str | None,
    opener: Account | None,
    senders: tuple[Account, ...],
) -> CloneVerdict:
    """The verdict on the clone at that path, by the options of `countersign check`. Raises CommandError."""
    organization_file, listed = _organization_file(rulebook), _listed(whitelist)
    if not Path(path).is_dir():
        raise CommandError(f"cannot read {visible(path)}: no such folder")
    try:
        clone = Clone(path)
        span = clone.range(commits, repository)
        name = repository or clone.name()
        rules = local_check.rules(clone, span, name, organization_file)
        if isinstance(rules, Verdict):  # A broken rulebook is a verdict, as at GitHub.
            return CloneVerdict(rules, verdict_text.wording(None, rules), span)
        server = server_of_clone()
        facts = local_check.facts(clone, span, rules, name, clock.now, opener=opener, senders=senders, server=server)
        if commits is None and not facts.commits:  # On the default branch, say. A range that is named is judged.
            raise CommandError(f"{visible(path)}: {visible(_nothing_in(span))}")
        verdict = local_check.judge(facts, span, listed)
        situation = local_check.situation(facts, verdict, clone.identity(), local_check.push(clone, span))
        words = verdict_text.wording(facts, verdict, situation)
        # Commands that mend commits act on what is checked out.
        elsewhere = "" if clone.is_head(span.head) else span.head_name or span.head
        return CloneVerdict(verdict, words, span, facts, elsewhere)
    except HistoryUnreadable as error:
        raise CommandError(f"{visible(path)}: {error}") from None


def _nothing_in(span: Range) -> str:
    own, base = span.head_name or "HEAD", span.base_name or span.base[:12]
    return (
        f"nothing to check: {own} has no commits that {base} lacks; switch to your branch, or give --range BASE..HEAD"
    )


def printed(judged: CloneVerdict, form: str) -> Iterator[str]:
    """The lines that the command prints: as text, as JSON, or as annotations of GitHub Actions (`github`)."""
    if form == "json":
        yield json.dumps(plain(judged.verdict, judged.words), indent=2)
    elif form == "github":
        yield from workflow_annotations.lines(judged.verdict, judged.words)
    else:
        yield from _text(judged)


def _text(judged: CloneVerdict) -> Iterator[str]:
    count = len(judged.facts.commits) if judged.facts else 0
    yield visible(f"{judged.span}, {count:,} commit{'' if count == 1 else 's'}" if count else str(judged.span))
    yield from verdict_text.lines(judged.verdict, judged.words, verdict_text.subjects(judged.facts))
    advised = [check.name for check in judged.verdict.checks if not check.conclusion.passes]
    advised = [name for name in advised if name in local_cla_check.ADVISORY]
    if advised:
        yield f"Advice only, because this is a clone: {', '.join(advised)}. It does not change the exit code."
    unproven = any(problem.code == "dco/bot-unproven" for check in judged.verdict.checks for problem in check.problems)
    if unproven and judged.facts and judged.facts.pull_request.opener is None:
        yield "If a bot opened the pull request, add --opener ID:LOGIN:TYPE. Then its own commits need no sign-off."
    if judged.elsewhere and not local_cla_check.passes(judged.verdict):
        yield visible(f"Not checked out here: {judged.elsewhere}. Check it out before you run a command on it.")


def _organization_file(path: Path | None) -> tuple[str, str] | None:
    if path is None:
        return None
    from bot.rulebook import effective  # Late: YAML is read only where an organisation's file is given.
    from bot.rulebook.yaml_document import DocumentInvalid

    try:
        text = text_of(path)
        # At once: else a mistake in it would be told after all commits were read.
        effective.parse_rulebook(text, None)
    except DocumentInvalid as error:
        more = f" (and {len(error.errors) - 1} more: countersign rulebook check)" if error.errors[1:] else ""
        raise CommandError(f"{visible(str(path))}, {error.errors[0]}{more}") from None
    return str(path), text


def _listed(path: Path | None) -> Whitelist | None:
    try:
        return None if path is None else read_whitelist(_bytes(path))
    except WhitelistInvalid as error:
        raise CommandError(f"{visible(str(path))}: not a whitelist: {error}") from None


def _bytes(path: Path) -> bytes:
    with file_access("read", path):
        return path.read_bytes()
