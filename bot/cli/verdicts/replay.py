"""`countersign replay`: what a changed rulebook would do to the open pull requests, judged again by their stored facts."""

import json
import sys
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

import click

from agreements.domains.masking import masked_text, visible
from agreements.json.verdict_writer import Plain, finding
from bot.cli import database
from bot.cli.command_error import CommandError
from bot.cli.options import FILE, form_option, has_terminal, standard_output, text_of
from bot.cli.setting import key_ring, settings

if TYPE_CHECKING:
    from sqlmodel import Session

    from agreements.github_server import GitHubServer
    from agreements.vault import Vault
    from bot.github.ports import RuleFile
    from bot.rulebook.facts_replay import ProposedRules, ReplayOutcome, ReplayProblem
    from bot.rulebook.text_files import Texts
    from bot.store.pulls.stored_facts import PullWithFacts, StoredFacts

_MAX_NAMES = 5
"""How many people or commits a line names for one code."""


def line(name: str, outcome: "ReplayOutcome | str") -> str:
    """`cann/ops#7  success → failure  + CLA cla/unsigned bo`; a text says why there is no outcome.

    `+` stands before what would be new, `-` before what would be gone, `?` before what decides about more and is not known.
    """
    if isinstance(outcome, str):
        return visible(f"{name}  {outcome}")
    ends = outcome.before if outcome.before == outcome.after else f"{outcome.before} → {outcome.after}"
    parts = [f"{name}  {ends}"]
    parts += [f"mode {' → '.join(outcome.mode)}"] if outcome.mode else []
    parts += [f"+ {said}" for said in _said(outcome.new)]
    parts += [f"- {said}" for said in _said(outcome.gone)]
    parts += [f"? {outcome.unknown}"] if outcome.unknown else []
    return visible("  ".join(parts))


def plain(name: str, outcome: "ReplayOutcome | str") -> Plain:
    """The outcome as JSON; a problem has the keys of evaluate's verdict, but for its words, and its check's name."""
    if isinstance(outcome, str):
        return {"pull_request": name, "error": outcome}
    return {
        "pull_request": name,
        "before": outcome.before,
        "after": outcome.after,
        "new": [{"check": problem.check, **finding(problem.problem)} for problem in outcome.new],
        "gone": [{"check": problem.check, **finding(problem.problem)} for problem in outcome.gone],
        **({"mode": list(outcome.mode)} if outcome.mode else {}),  # Only where there is something to say.
        **({"unknown": outcome.unknown} if outcome.unknown else {}),
    }


def summary(outcomes: "Sequence[ReplayOutcome | str]") -> str:
    """`3 of 120 pull requests would change; 2 could not be replayed; 1 is known in part`."""
    changed = sum(1 for outcome in outcomes if not isinstance(outcome, str) and outcome.changes)
    lost = sum(1 for outcome in outcomes if isinstance(outcome, str))
    said = f"{changed} of {len(outcomes)} pull request{'' if len(outcomes) == 1 else 's'} would change"
    partly = sum(1 for outcome in outcomes if not isinstance(outcome, str) and outcome.unknown)
    said += f"; {lost} could not be replayed" if lost else ""
    return f"{said}; {partly} {'is' if partly == 1 else 'are'} known in part" if partly else said


def _said(findings: "Sequence[ReplayProblem]") -> Iterator[str]:
    about: dict[str, list[str]] = {}
    for problem in findings:
        about.setdefault(f"{problem.check} {problem.problem.code}", []).append(_whom(problem))
    for code, found in about.items():
        more = f" and {len(found) - _MAX_NAMES} more" if len(found) > _MAX_NAMES else ""
        yield " ".join(filter(None, [code, ", ".join(filter(None, found[:_MAX_NAMES]))])) + more


def _whom(replay_problem: "ReplayProblem") -> str:
    problem = replay_problem.problem
    errors = problem.values.get("errors")
    if isinstance(errors, tuple) and errors:
        return f"({masked_text(errors[0])})"
    if problem.sha:
        return masked_text(problem.sha)[:7]
    account = problem.account
    return "" if account is None else masked_text(account.login) or f"account {account.id}"


@click.command(name="replay")
@click.option("--rulebook", "above", type=FILE, help="The changed rulebook of the organisation.")
@click.option("--own", type=FILE, help="The changed rulebook of a repository; needs --repository.")
@click.option(
    "--repository",
    "patterns",
    metavar="OWNER/REPO",
    multiple=True,
    help="Only this repository. You can use patterns as in a rulebook, and give it several times.",
)
@form_option(help="json: one object per line, for each pull request that would change or cannot be replayed.")
def command(above: Path | None, own: Path | None, patterns: tuple[str, ...], form: str) -> None:
    """Check the open pull requests again with their stored facts and a changed rulebook, and show which would change.

    Nothing is changed, and GitHub is not asked.

    Exit codes: 0 nothing would change, 1 something would change or could not be checked, 2 wrong input, or nothing is open.
    """
    from agreements.vault import Vault
    from bot import db
    from bot.records.agreement_texts import Library
    from bot.rulebook.facts_replay import ProposedRules
    from bot.rulebook.text_files import beside

    if above is None and own is None:
        raise click.UsageError("give the changed file: --rulebook FILE, --own FILE, or both")
    if own is not None and not patterns:
        raise click.UsageError("--own needs --repository, to say which repository the file belongs to")
    server = settings().github_server
    # Before the database is opened: a broken file needs no key ring.
    proposal, keys = ProposedRules(_rule_file(above), _rule_file(own)), Vault(key_ring())
    with database.opened() as engine, db.sessions(engine)() as session:
        for path in (above, own):  # Once more, now that the database can say which texts were released
            _rule_file(path, Library(beside(path), db.sessions(engine)))
        _check(session, keys)
        chosen = _chosen(session, patterns, own=own is not None)
        replayed = [
            (f"{pull.owner}/{pull.name}#{pull.number}", _outcome(session, pull, proposal, keys, server))
            for pull in _open(session)
            if (pull.owner, pull.name) in chosen
        ]
    _print(replayed, form)
    raise click.exceptions.Exit(1 if any(_differs(outcome) for _, outcome in replayed) else 0)


def _rule_file(path: Path | None, texts: "Texts | None" = None) -> "RuleFile | None":
    from bot.github.ports import RuleFile
    from bot.rulebook import effective
    from bot.rulebook.yaml_document import DocumentInvalid

    if path is None:
        return None
    text = text_of(path)
    try:
        effective.parse_rulebook(text, texts)
    except DocumentInvalid as error:
        raise CommandError("\n".join(f"{path}, {problem}" for problem in error.errors)) from None
    return RuleFile(str(path), text)


def _check(session: "Session", keys: "Vault") -> None:
    """Raises CommandError when facts are stored and none of them opens."""
    from bot.store.pulls import stored_facts

    # One that opens is enough: a row that does not may have been changed.
    closed = False
    for pull in stored_facts.of_open(session):
        if pull.stored is not None and _opens(keys, pull.stored):
            return
        closed = closed or pull.stored is not None
    if closed:
        raise CommandError(
            "COUNTERSIGN_KEYS: this database is encrypted with other keys; set the key ring that belongs to it"
        )


def _opens(keys: "Vault", row: "StoredFacts") -> bool:
    from agreements.vault import DecryptionFailed
    from bot.store.pulls import stored_facts

    try:
        stored_facts.decrypt(keys, row)
    except DecryptionFailed:
        return False
    return True


def _chosen(session: "Session", patterns: tuple[str, ...], *, own: bool) -> frozenset[tuple[str, str]]:
    from bot.store.pulls import stored_facts

    known = stored_facts.repositories(session)
    if not known and not patterns:
        raise CommandError("no open pull request is known in this database")
    for pattern in patterns:
        if not any(_matches(pattern, owner, name) for _, owner, name in known):
            raise CommandError(f"no open pull request of {pattern} is known; use the name that GitHub reported last")
    # By id: an owner may have been renamed.
    owners = sorted({owner_id: owner for owner_id, owner, _ in known}.values(), key=str.casefold)
    if not patterns and len(owners) > 1:  # No organisation's rulebook is tried on another's unasked.
        raise CommandError(
            f"several organisations are known ({', '.join(owners)}): choose one, such as --repository '{owners[0]}/*'"
        )
    chosen = frozenset(
        (owner, name) for _, owner, name in known if not patterns or any(_matches(p, owner, name) for p in patterns)
    )
    if own and len(chosen) > 1:
        raise CommandError(
            f"--own is the file of one repository, but --repository matches {', '.join(map('/'.join, sorted(chosen)))}"
        )
    return chosen


def _matches(pattern: str, owner: str, name: str) -> bool:
    """Whether the pattern matches as in a rulebook: with a slash owner/name, else the bare name; whole, in any case."""
    whole = f"{owner}/{name}" if "/" in pattern else name
    return fnmatchcase(whole.casefold(), pattern.casefold())  # GitHub ignores case.


def _open(session: "Session") -> "Iterator[PullWithFacts]":
    from bot.store.pulls import stored_facts

    found = stored_facts.of_open(session)
    if not has_terminal():
        yield from found
        return
    with click.progressbar(found, length=stored_facts.count_open(session), file=sys.stderr) as bar:
        yield from bar


def _outcome(
    session: "Session", pull: "PullWithFacts", proposal: "ProposedRules", keys: "Vault", server: "GitHubServer"
) -> "ReplayOutcome | str":
    from agreements.vault import DecryptionFailed
    from bot.rulebook.facts_replay import replay
    from bot.rulebook.recorded_facts import CannotReplay, unpack
    from bot.store.pulls import stored_facts

    if pull.stored is None or pull.stored.head_sha != pull.head_sha:  # Older facts do not count.
        return f"cannot be replayed: {_why_without_facts(session, pull)}"
    try:
        return replay(unpack(stored_facts.decrypt(keys, pull.stored), server, owner_id=pull.owner_id), proposal)
    except DecryptionFailed as error:
        return f"cannot be replayed: {error}"
    except CannotReplay as error:
        return str(error)


def _why_without_facts(session: "Session", pull: "PullWithFacts") -> str:
    from bot.store.pulls import verdicts

    last = verdicts.latest(session, pull.pull_id)
    if last is not None and last.head_sha == pull.head_sha and any(code["check"] == "Rulebook" for code in last.codes):
        return "its rulebook has mistakes or cannot be read, so no facts were collected"
    if pull.stored is None:
        return "no facts are stored; run countersign recheck to store them"
    return "its newest commits have not been checked yet"


def _differs(outcome: "ReplayOutcome | str") -> bool:
    # What could not be replayed may change, too.
    return isinstance(outcome, str) or outcome.changes or bool(outcome.unknown)


def _print(replayed: "list[tuple[str, ReplayOutcome | str]]", form: str) -> None:
    with standard_output() as out:
        for name, outcome in replayed:
            if _differs(outcome):
                shown = json.dumps(plain(name, outcome)) if form == "json" else line(name, outcome)
                out.write(shown + "\n")
        if form == "text":
            out.write(summary([outcome for _, outcome in replayed]) + "\n")
