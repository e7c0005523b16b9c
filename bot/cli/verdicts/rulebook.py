"""`countersign rulebook check FILE`, `show OWNER/REPO`, `schema`: what is wrong with a rulebook, and which rules are in force."""

import json
import re
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bot import clock, shipped_files
from bot.cli.options import FILE, form_option, text_of
from bot.cli.setting import server_of_clone
from bot.settings import SettingsInvalid, load

if TYPE_CHECKING:
    from agreements.rulebook.rules import ExemptAccount, Rules
    from bot.rulebook.lint import Doubt
    from bot.rulebook.yaml_document import Path as At
    from bot.rulebook.yaml_document import YamlDocument

_LINE = re.compile(r"line (\d+): (.*)", re.DOTALL)


@click.group(name="rulebook")
def command() -> None:
    """Check a rulebook before it is pushed, show the rules in force for a repository, or print the schema for editors."""


@dataclass(frozen=True, slots=True)
class _FileReport:
    """A file of that `kind`, with its `data`: `errors` and `warnings` as `line 7: …`, bots `proposed` to be exempt.

    `advice`: what agreements still lack before people sign. The rulebook is right as it is, which is what a script asks.
    """

    kind: str
    errors: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    advice: tuple[str, ...] = ()
    proposed: "tuple[ExemptAccount, ...]" = ()
    data: object = None


@command.command(name="check", short_help="Check a rulebook.")
@click.argument("file", type=FILE)
@form_option()
def check(file: Path, form: str) -> None:
    """Check FILE, and print every mistake with its line. Warns about rules that are valid but probably not intended.

    Only FILE is checked. To see whether a repository's file fits the organisation's, use `rulebook show`. A file that is
    called dco.yml, or has the keys of the DCO apps, is checked as a .github/dco.yml.

    If COUNTERSIGN_DATABASE_URL names the server's database, texts that were released in the portal are known, too, and
    agreements that no longer count because organization was renamed. The line for agreements.parties that makes these count
    is printed.

    If a CLA is required, gives advice: common bots of github.com for people.exempt, agreements that counsel has not reviewed, and
    a missing organization, which a repository's own file need not have.

    Exit codes: 0 fine, or advice only, 1 mistakes or warnings found, 2 the file cannot be read.
    """
    found = _checked(text_of(file), file)
    click.echo(_as_json(found) if form == "json" else "\n".join(_as_text(found)))
    if found.errors or found.warnings:
        raise click.exceptions.Exit(1)


def _checked(text: str, file: Path) -> _FileReport:
    from bot.cli.verdicts.rule_files import with_texts
    from bot.rulebook import dco_file, effective, exempt_bots, license_lint, lint, text_files
    from bot.rulebook.yaml_document import DocumentInvalid

    form = "rulebook"
    try:
        if dco_file.is_one(text, file.name):
            form = "dco.yml"
            dco_file.rules(text)
            return _FileReport(form, warnings=dco_file.unknown_keys(text))
        parsed = with_texts(partial(effective.parse_rulebook, text), text_files.beside(file))
    except DocumentInvalid as error:
        return _FileReport(form, error.errors)
    server = server_of_clone()
    renamed, is_certain = _renamed(parsed.rules, file)
    doubts = (
        *lint.doubts(parsed.rules, clock.now(), server),
        *license_lint.doubts(parsed.policy, clock.now()),
        *(renamed if is_certain else ()),  # Else advice: it may be another organisation's.
    )
    warnings = tuple(parsed.document.error(at, f"{'.'.join(map(str, at))}: {said}") for at, said in doubts)
    nameless, templates = lint.nameless(parsed.rules), lint.templates(parsed.rules, parsed.templates)
    told = (*nameless, *templates, *(() if is_certain else renamed), *lint.loosened(parsed.rules))
    advice = tuple(_placed(parsed.document, *doubt) for doubt in told)
    proposed = exempt_bots.proposed(parsed.rules, server)
    return _FileReport(form, warnings=warnings, advice=advice, proposed=proposed, data=parsed.document.data)


def _renamed(rules: "Rules", file: Path) -> "tuple[tuple[Doubt, ...], bool]":
    """A doubt for each party whose agreements do not count under these rules, and whether that is certain."""
    from sqlalchemy.exc import SQLAlchemyError

    import migrations
    from agreements.cla.party import Parties, canonical_party
    from bot import db
    from bot.records import party_derivation
    from bot.rulebook import lint
    from bot.store import owners

    try:
        chosen = load()
    except SettingsInvalid as error:
        chosen = error.rest
    given = chosen.rulebook_path is not None and chosen.rulebook_path.resolve() == file.resolve()
    is_there = chosen.database_file is None or chosen.database_file.exists()
    if not is_there or not (given or canonical_party(rules.organization)):
        return (), True  # A repository's own file names no party.
    try:
        with db.opened(chosen.database_url) as engine:
            if migrations.problem(engine):
                return (), True
            with db.sessions(engine)() as session:
                ids = owners.ids(session) | owners.configured(session, chosen.accounts).keys()
                only = next(iter(ids)) if len(ids) == 1 else None
                found = party_derivation.unlisted(session, Parties(rules, only).counting)
    except SQLAlchemyError:
        return (), True  # A file is checked without a database, too.
    return tuple(lint.renamed(found, party_derivation.line_for)), given or len(ids) < 2


def _placed(document: "YamlDocument", at: "At", said: str) -> str:
    # Without a line where the file leaves that whole part to the defaults.
    line = f"{'.'.join(map(str, at))}: {said}"
    return document.error(at, line) if at[:1] in document.lines else line


def _as_text(found: _FileReport) -> tuple[str, ...]:
    from bot.rulebook import exempt_bots

    fine = "ok" if found.kind == "rulebook" else "ok, as a .github/dco.yml"
    lines = (*found.errors, *(f"warning: {line}" for line in found.warnings))
    lines = (*(lines or (fine,)), *(f"advice: {line}" for line in found.advice))
    return (*lines, *exempt_bots.advice(found.proposed, found.data))


def _as_json(found: _FileReport) -> str:
    said = [("error", line) for line in found.errors] + [("warning", line) for line in found.warnings]
    is_fine = not said
    said += [("advice", line) for line in found.advice]
    placed = [(severity, _LINE.fullmatch(line), line) for severity, line in said]
    whole = {
        "kind": found.kind,
        "ok": is_fine,
        "problems": [
            {"severity": severity, "line": int(at[1]) if at else None, "message": at[2] if at else line}
            for severity, at, line in placed
        ],
        "proposals": {"people.exempt": [{"id": account.id, "login": account.login} for account in found.proposed]},
    }
    return json.dumps(whole, indent=2, ensure_ascii=False)


@command.command(name="show", short_help="Print the rules in force for a repository.")
@click.argument("repository", metavar="OWNER/REPO")
@click.option("--rulebook", "above", type=FILE, help="The organisation's rulebook, instead of GitHub's.")
@click.option("--own", type=FILE, help="The repository's own rulebook, instead of GitHub's.")
@click.option("--dco", type=FILE, help="The repository's .github/dco.yml, instead of GitHub's.")
@form_option(help="text: YAML.")
def show(repository: str, above: Path | None, own: Path | None, dco: Path | None, form: str) -> None:
    """Print the rules in force for OWNER/REPO, and for each rule the file and line that sets it.

    The files are read through the App, as the server reads them. If you give files, only those are read.

    Agreement texts that were released in the portal are known only if COUNTERSIGN_DATABASE_URL names the server's
    database.

    If people.agents.known is on, the coding agents that Countersign knows are listed below the rules.

    Exit codes: 0 printed, 1 the rulebook has mistakes, 2 wrong usage, or the files cannot be read.
    """
    from bot.cli.verdicts import rules_in_force
    from bot.cli.verdicts.rule_files import read_files
    from bot.rulebook import rule_origins

    found = read_files(repository, rule_origins.in_force, above=above, own=own, dco=dco)
    click.echo(rules_in_force.as_json(found) if form == "json" else "\n".join(rules_in_force.as_yaml(found)))


@command.command(name="schema", short_help="Print the JSON Schema for editors.")
def schema() -> None:
    """Print the JSON Schema of a rulebook, for editors.

    Exit code: 0.
    """
    click.echo(shipped_files.path("rulebook.schema.json").read_text(encoding="utf-8"), nl=False)
