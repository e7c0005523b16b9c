"""`countersign check`: the commits of a local clone, judged by the rules of their base, without any server."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from agreements.clone.history import Clone, HistoryUnreadable, Range
from agreements.domains.domains import visible
from agreements.facts import Account, Facts, Verdict
from agreements.github_server import LOGIN
from agreements.json.values import ACCOUNT_TYPES
from agreements.json.verdict_writer import Wording, plain
from agreements.whitelist import Whitelist, WhitelistInvalid
from agreements.whitelist import read as read_whitelist
from bot import clock, local_check
from bot.cli.command_error import CommandError, file_access
from bot.cli.options import FILE, form_option, standard_output
from bot.cli.setting import server_of_clone
from bot.cli.verdicts import verdict_text, workflow_annotations
from bot.report import local_cla_check

_REPOSITORY = re.compile(rf"{LOGIN}/[A-Za-z0-9._-]+")


class _Account(click.ParamType[Account]):
    """An account as a workflow is told of it by GitHub, `ID:LOGIN` or `ID:LOGIN:TYPE`; an App's login ends in [bot]."""

    name = "account"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Account:
        """The account that the text names."""
        number, _, rest = str(value).partition(":")
        login, colon, kind = rest.partition(":")
        if not colon:
            kind = "Bot" if login.endswith("[bot]") else "User"
        is_id = number.isascii() and number.isdigit() and 0 < len(number) < 19  # At most 63 bits.
        if not is_id or not login or kind not in ACCOUNT_TYPES:
            said = f"{visible(str(value))!r} is not ID:LOGIN or ID:LOGIN:TYPE, such as 49699333:dependabot[bot]:Bot"
            self.fail(said, param, ctx)
        return Account(int(number), login, kind)


def _repository(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    if value is not None and not _REPOSITORY.fullmatch(value):
        raise click.BadParameter(f"{visible(value)!r} is not OWNER/REPO, such as cann/ops-math", ctx, param)
    return value


@dataclass(frozen=True, slots=True)
class _JudgedCheck:
    """The `verdict` on the commits of `span`, its `words` and `facts`; `elsewhere`: a head that is not checked out."""

    verdict: Verdict
    words: Wording
    span: Range
    facts: Facts | None = None  # None: the rules are broken.
    elsewhere: str = ""


@click.command(name="check")
@click.argument("path", default=".")
@click.option("--range", "commits", metavar="A..B", help="The commits that are in B but not in A.")
@click.option(
    "--rulebook", type=FILE, help="The organisation's rulebook. The rulebook in the clone can only be stricter."
)
@click.option("--whitelist", type=FILE, help="A copy of /whitelist.json, to show who has signed.")
@click.option(
    "--repository",
    metavar="OWNER/REPO",
    callback=_repository,
    help="Name of the repository, to find its rules. Default: from the remote.",
)
@click.option(
    "--opener",
    metavar="ID:LOGIN[:TYPE]",
    type=_Account(),
    help="Who opened the pull request. A bot's own commits need no sign-off; an AI agent's do. "
    "TYPE is GitHub's: User, Bot, Organization or Mannequin.",
)
@click.option(
    "--sender",
    "senders",
    metavar="ID:LOGIN[:TYPE]",
    type=_Account(),
    multiple=True,
    help="Who pushed commits to it. Can be repeated.",
)
@form_option("text", "json", "github", help="How to print.")
def command(form: str, rulebook: Path | None, whitelist: Path | None, **wanted: Any) -> None:
    """Check the commits of the clone at PATH (default: the current folder), as a pull request would be checked.

    By default, checks the commits since the branch left its upstream, or the remote's default branch. The rulebook and
    .mailmap are read from there, not from the commits under check. Without a rulebook, a DCO sign-off is required.

    For a clone from GitHub Enterprise Server or GHE.com, set COUNTERSIGN_GITHUB_URL to its address. In GitHub Actions,
    GITHUB_SERVER_URL says it.

    Only the DCO decides the exit code. A CLA is advice here, because a clone does not know GitHub accounts.

    Exit codes: 0 fine, 1 problems found, 2 wrong usage or input.
    """
    judged = _judged(_organization_file(rulebook), _listed(whitelist), **wanted)
    with standard_output() as out:
        if form == "json":
            out.write(json.dumps(plain(judged.verdict, judged.words), indent=2) + "\n")
        else:
            made = workflow_annotations.lines(judged.verdict, judged.words) if form == "github" else _text(judged)
            out.writelines(f"{line}\n" for line in made)
    # A CLA is advice: a clone knows no accounts.
    raise click.exceptions.Exit(0 if local_cla_check.passes(judged.verdict) else 1)


def _judged(  # noqa: PLR0913 - the options of the command
    organization_file: tuple[str, str] | None,
    listed: Whitelist | None,
    *,
    path: str,
    commits: str | None,
    repository: str | None,
    opener: Account | None,
    senders: tuple[Account, ...],
) -> _JudgedCheck:
    if not Path(path).is_dir():
        raise CommandError(f"cannot read {visible(path)}: no such folder")
    try:
        clone = Clone(path)
        span = clone.range(commits, repository)
        name = repository or clone.name()
        rules = local_check.rules(clone, span, name, organization_file)
        if isinstance(rules, Verdict):  # A broken rulebook is a verdict, as at GitHub.
            return _JudgedCheck(rules, verdict_text.wording(None, rules), span)
        server = server_of_clone()
        facts = local_check.facts(clone, span, rules, name, clock.now, opener=opener, senders=senders, server=server)
        verdict = local_check.judge(facts, span, listed)
        situation = local_check.situation(facts, verdict, clone.identity(), local_check.push(clone, span))
        words = verdict_text.wording(facts, verdict, situation)
        # Commands that mend commits act on what is checked out.
        elsewhere = "" if clone.is_head(span.head) else span.head_name or span.head
        return _JudgedCheck(verdict, words, span, facts, elsewhere)
    except HistoryUnreadable as error:
        raise CommandError(f"{visible(path)}: {error}") from None


def _text(judged: _JudgedCheck) -> Iterator[str]:
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
    from bot.rulebook import effective as rulebook
    from bot.rulebook.yaml_document import DocumentInvalid

    try:
        text = _bytes(path).decode()
        # At once: else a mistake in it would be told after all commits were read.
        rulebook.parse_rulebook(text, None)
    except UnicodeDecodeError:
        raise CommandError(f"{visible(str(path))}: not UTF-8 text") from None
    except DocumentInvalid as error:
        more = f" (and {len(error.errors) - 1} more: countersign rulebook check)" if error.errors[1:] else ""
        raise CommandError(f"{visible(str(path))}, {error.errors[0]}{more}") from None
    return str(path), text


def _listed(path: Path | None) -> Whitelist | None:
    try:
        return None if path is None else read_whitelist(_bytes(path))
    except WhitelistInvalid as error:
        raise CommandError(f"{visible(str(path))} is not a whitelist: {error}") from None


def _bytes(path: Path) -> bytes:
    with file_access("read", path):
        return path.read_bytes()
