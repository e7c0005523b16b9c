"""The rule files of a repository as commands read them: those that are given, else those that the App reads at GitHub."""

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Protocol, TypeVar

import click

from bot.cli import github_app
from bot.cli.command_error import CommandError
from bot.cli.options import text_of
from bot.cli.setting import settings
from bot.github.ports import RuleFile, RuleFiles
from bot.report import words
from bot.rulebook import text_files
from bot.rulebook.effective import RulebookProblem
from bot.rulebook.text_files import Texts
from bot.rulebook.yaml_document import DocumentInvalid

_T = TypeVar("_T")
_T_co = TypeVar("_T_co", covariant=True)
_TARGET = re.compile(r"[\w.-]+/[\w.-]+", re.ASCII)


class _FilesReader(Protocol[_T_co]):
    """Makes something of a repository's rule files, as `effective.read` and `rule_origins.in_force` do."""

    def __call__(
        self, files: RuleFiles, organization_file: tuple[str, str] | None, full_name: str, *, texts: Texts | None
    ) -> _T_co | RulebookProblem: ...


def read_files(
    repository: str,
    read: _FilesReader[_T],
    *,
    above: Path | None = None,
    own: Path | None = None,
    dco: Path | None = None,
) -> _T:
    """The result of `read` for the files that are given or, without any, those that the App reads at GitHub.

    Prints the mistakes in them and ends the command with exit code 1. Raises UsageError and CommandError.
    """
    if _TARGET.fullmatch(repository) is None:
        raise click.UsageError(f"{repository!r} is not owner/repository")
    if above or own or dco:
        name, files, organization_file = repository, _local_files(above, own, dco), None
    else:
        name, files, organization_file = _of_github(repository)
    beside = Path(organization_file[0]) if organization_file else above or own
    try:
        return with_texts(partial(_valid, read, files, organization_file, name), text_files.beside(beside))
    except DocumentInvalid as error:
        click.echo("\n".join(error.errors))
        raise click.exceptions.Exit(1) from None


def _valid(
    read: _FilesReader[_T],
    files: RuleFiles,
    organization_file: tuple[str, str] | None,
    name: str,
    texts: Texts | None,
) -> _T:
    found = read(files, organization_file, name, texts=texts)
    if not isinstance(found, RulebookProblem):
        return found
    if found.code == "rulebook/unreachable":
        said = words.text(found.problem(), "en").message
        raise CommandError(f"{said} Let the App read it, or give the file by --rulebook.")
    errors = found.values["errors"]
    raise DocumentInvalid(errors if isinstance(errors, tuple) else ())


def with_texts(parse: Callable[[Texts | None], _T], files: Texts) -> _T:
    """The result of `parse` with the texts of files or, where it needs more, of the database. Raises DocumentInvalid."""
    try:
        # The database is opened only for a text that no file has.
        return parse(files)
    except DocumentInvalid as alone:
        errors = alone.errors
    try:
        # What is wrong without any texts, too, is no missing text.
        parse(None)
        others: tuple[str, ...] = ()
    except DocumentInvalid as invalid:
        others = invalid.errors
    if set(errors) <= set(others):
        raise DocumentInvalid(errors)  # Nothing of what is wrong is a text that files do not have
    return _with_database(parse, files, errors, others)


def _with_database(
    parse: Callable[[Texts | None], _T], files: Texts, errors: tuple[str, ...], others: tuple[str, ...]
) -> _T:
    """The same with the texts of the database. Where there is none, errors that are not among `others` say so."""
    from sqlalchemy.exc import SQLAlchemyError

    from bot import db
    from bot.records import agreement_texts

    chosen = settings()
    try:
        return agreement_texts.parse_with_database(parse, files, chosen)
    except FileNotFoundError:
        why = "set COUNTERSIGN_DATABASE_URL to include texts that were released in the portal"
    except SQLAlchemyError as error:
        why = f"the texts released in the portal could not be read: {db.explain_setting(error, chosen.database_file)}"
    raise DocumentInvalid(tuple(said if said in others else f"{said} in this release; {why}" for said in errors))


def _local_files(above: Path | None, own: Path | None, dco: Path | None) -> RuleFiles:
    # A file that is not given is not there: GitHub is not asked.
    organization, repository, of_dco = (
        RuleFile(str(path or ""), text_of(path) if path else None) for path in (above, own, dco)
    )
    return RuleFiles(organization, repository, of_dco)


def _of_github(repository: str) -> tuple[str, RuleFiles, tuple[str, str] | None]:
    """The repository as GitHub writes its name, its files, and the organisation's rulebook if the settings name one."""
    with github_app.connected(patience=10, otherwise="Or name the files, such as --rulebook FILE.") as hub:
        path = settings().rulebook_path
        organization_file = None if path is None else (str(path), text_of(path))
        owner = repository.partition("/")[0].casefold()
        # Generators: the listing ends where the repository is found.
        reached = (
            installation.id for installation in hub.installations() if installation.account.login.casefold() == owner
        )
        places = (listed.place for number in reached for listed in hub.listed(number))
        place = next((place for place in places if place.full_name.casefold() == repository.casefold()), None)
        if place is None:
            raise CommandError(f"the App cannot read {repository}: check that it is installed there")
        return place.full_name, hub.rule_files(place), organization_file
