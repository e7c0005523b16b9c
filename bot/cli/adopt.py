"""`countersign adopt`: what a project puts into its README, CONTRIBUTING and pull-request template, ready to copy."""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bot.cli.options import FILE, form_option, standard_output
from bot.cli.setting import public_address, settings

if TYPE_CHECKING:
    from agreements.rulebook.rules import RepositoryRule, Rules
    from bot.github.ports import RuleFiles
    from bot.rulebook.effective import RulebookProblem
    from bot.rulebook.text_files import Texts
    from bot.settings import Settings
    from bot.store.pulls.red_pulls import OpenTotals

_REQUIREMENTS = {
    "cla": "a contributor agreement (CLA)",
    "dco": "a sign-off (DCO)",
    "both": "a contributor agreement (CLA) and a sign-off (DCO)",
    "either": "a contributor agreement (CLA) or a sign-off (DCO)",
    "none": "nothing",
}
_LANGUAGES = {"en": "English", "zh": "简体中文"}
_FILES = {"CONTRIBUTING.md": "contributing", ".github/pull_request_template.md": "pull_request_template"}
_TOTALS = {
    "known": "Open",
    "red": "Red",
    "passing": "Passing",
    "before_since": "Passing, because they were opened before `since`",
    "replayable": "`countersign replay` can check again",
}
_HEADING = "=== {} ==="  # No mark of Markdown: what stands below it is copied.


@dataclass(frozen=True, slots=True)
class _Adoption:
    """The `rules` for `full_name`, as GitHub writes it, and the `badge_rule`, which is the organisation's alone."""

    full_name: str
    rules: "Rules"
    badge_rule: "RepositoryRule"


@click.command(name="adopt")
@click.argument("repository", metavar="[OWNER/REPO]", required=False)
@click.option("--organization", metavar="ORG", help="Print the texts for each rule of this organisation's rulebook.")
@click.option("--rulebook", "above", type=FILE, help="The organisation's rulebook, instead of GitHub's.")
@click.option("--own", type=FILE, help="The repository's own rulebook, instead of GitHub's.")
@click.option("--url", help="The public address of the server, instead of COUNTERSIGN_URL.")
@form_option()
def command(
    repository: str | None, organization: str | None, above: Path | None, own: Path | None, url: str | None, form: str
) -> None:
    """Print texts for OWNER/REPO, ready to copy.

    They are the badge for its README, the paragraphs for its CONTRIBUTING and the line for its pull-request template,
    in English and Chinese. Where nothing is required, only the badge is printed.

    The rules in force are read through the App, as the server reads them. If you give files, only those are read.

    If COUNTERSIGN_DATABASE_URL names the server's database, the open pull requests that it knows are counted.

    Exit codes: 0 printed, 1 the rulebook has mistakes, 2 wrong usage, or the files cannot be read.
    """
    from bot.cli.verdicts.rule_files import read_files

    if (repository is None) == (organization is None):
        raise click.UsageError("give OWNER/REPO or --organization ORG")
    if organization is not None and own is not None:
        raise click.UsageError("--own is a repository's file: give OWNER/REPO")
    if organization is not None and "/" in organization:
        raise click.UsageError(f"--organization: {organization!r} is not the login of an account")
    chosen = settings()
    address = public_address(url, chosen)
    # The organisation's rulebook is the file of its repository `.github`.
    found = read_files(repository or f"{organization}/.github", _read, above=above, own=own)
    owner = found.full_name.partition("/")[0]
    whole = _of_organization(found, owner, address) if repository is None else _of_repository(found, address)
    totals = _totals(owner, chosen)
    whole |= {"open_pull_requests": totals and asdict(totals), "first_day": f"{address}/admin/first-day"}
    with standard_output() as out:
        print(
            json.dumps(whole, indent=2, ensure_ascii=False) if form == "json" else "\n".join(_as_text(whole)), file=out
        )


def _read(
    files: "RuleFiles", organization_file: tuple[str, str] | None, full_name: str, *, texts: "Texts | None"
) -> "_Adoption | RulebookProblem":
    from agreements.rulebook.rules import for_repository
    from bot.github.ports import RuleFile
    from bot.rulebook import effective
    from bot.rulebook.effective import RulebookProblem

    found = effective.read(files, organization_file, full_name, texts=texts)
    if isinstance(found, RulebookProblem):
        return found
    # The server makes the badge from the organisation's rulebook alone; it has been parsed just now without mistakes.
    alone = effective.read(
        replace(files, repository=RuleFile("", None), dco=RuleFile("", None)), organization_file, full_name, texts=texts
    )
    assert not isinstance(alone, RulebookProblem)
    return _Adoption(full_name, found.rules, for_repository(alone.rules, full_name))


def _of_organization(found: _Adoption, owner: str, address: str) -> dict[str, Any]:
    from agreements.rulebook.rules import enforced_rules

    parts = [_part(f"{owner}/REPO", rule, found.rules, address) for rule in enforced_rules(found.rules)]
    return {"organization": owner, "rules": parts}


def _of_repository(found: _Adoption, address: str) -> dict[str, Any]:
    from agreements.rulebook.rules import for_repository

    rule = for_repository(found.rules, found.full_name)
    part = _part(found.full_name, replace(rule, require=rule.enforced), found.rules, address)
    return {"repository": found.full_name, **part, "badge_says": found.badge_rule.enforced}


def _part(target: str, rule: "RepositoryRule", rules: "Rules", address: str) -> dict[str, Any]:
    """The texts for a rule that requires only what is enforced, as plain values."""
    from agreements.dco.portal_signoff import is_counted
    from bot.report import adoption

    made = adoption.texts(
        rule.require,
        url=address,
        repository=target,
        agreement=rules.individual.text,
        signs_off_here=is_counted(rules),
    )
    return {
        "match": list(rule.match),
        "require": rule.require,
        "mode": rule.mode,
        "badge": {"image": made.image, "link": made.link, "markdown": made.badge},
        "contributing": dict(made.contributing) or None,
        "pull_request_template": dict(made.template) or None,
    }


def _totals(owner: str, chosen: "Settings") -> "OpenTotals | None":
    """The numbers of the owner's open pull requests; None without the server's database."""
    from sqlalchemy.exc import SQLAlchemyError

    import migrations
    from bot import db
    from bot.store import owners
    from bot.store.pulls import red_pulls

    if chosen.database_file is not None and not chosen.database_file.exists():
        return None
    try:
        with db.opened(chosen.database_url) as engine:
            if migrations.problem(engine):
                return None
            with db.sessions(engine)() as session:
                owner_id = owners.known(session, chosen.accounts).find(owner, chosen.accounts)
                return None if owner_id is None else red_pulls.open_totals(session, owner_id)
    except SQLAlchemyError as error:  # The texts need no database.
        said = db.explain_setting(error, chosen.database_file)
        click.echo(f"countersign: the open pull requests could not be counted: {said}", err=True)
        return None


def _as_text(whole: dict[str, Any]) -> Iterator[str]:
    for part in whole.get("rules", [whole]):
        patterns = ", ".join(part["match"]) or "all other repositories"
        name = whole.get("repository") or f"{whole['organization']}, {patterns}"
        yield f"{name}: requires {_REQUIREMENTS[part['require']]}."
        yield from _notes(part)
        yield from ("", _HEADING.format("README.md"), part["badge"]["markdown"], "")
        for file, key in _FILES.items():
            for language, text in (part[key] or {}).items():
                yield from (_HEADING.format(f"{file}, {_LANGUAGES[language]}"), text, "")
    if totals := whole["open_pull_requests"]:
        yield _HEADING.format("Open pull requests that the server knows")
        yield from (f"{said}: {totals[name]}" for name, said in _TOTALS.items())
        yield f"What happens to them: {whole['first_day']}"


def _notes(part: dict[str, Any]) -> Iterator[str]:
    if part["mode"] == "shadow":
        yield "It is in shadow mode: GitHub shows nothing. Run this command again when you have removed `mode: shadow`."
    elif part["require"] == "none":
        yield "CONTRIBUTING and the pull-request template need no text."
    if part["badge"]["markdown"].count("/REPO.svg"):
        yield "In the badge, replace REPO by the name of the repository."
    badge_says = part.get("badge_says", part["require"])
    if badge_says != part["require"]:
        said = _REQUIREMENTS[badge_says]
        yield f"The badge says {said}: it shows the organisation's rule, not the repository's own rulebook."
