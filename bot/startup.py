"""Checks before serving: each mistake in settings or files is one line that says what to do."""

import shlex
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

import structlog
from sqlalchemy import Engine as Database
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import Session

import migrations
from agreements.catalog import CatalogBroken
from agreements.store.integrity import upgrade
from agreements.store.people import texts as released
from agreements.vault import KeyRing, KeysInvalid, Vault
from audit.licenses.osadl import MatrixInvalid
from bot import branding, clock, db, plugins, vacuum
from bot.backup import database_match
from bot.branding import LogoInvalid
from bot.db import Sessions
from bot.github.connection import connect
from bot.github.ports import Refused
from bot.job_queue import Chore, Engine
from bot.jobs.durable import DurableEngine
from bot.jobs.liveness import Chores
from bot.licenses import matrix_file
from bot.mail.smtp import MailServer
from bot.notifications import endpoints
from bot.notifications.endpoints import EndpointsInvalid
from bot.pdf import pdf_signature
from bot.records import agreement_texts, erasure_keys, row_codes
from bot.records.party_derivation import DERIVE_INTERVAL, DerivationChore, PartyDerivation
from bot.records.record_access import RecordAccess
from bot.records.revoked_companies import END_INTERVAL, RevokedCompanies
from bot.records.row_codes import LogUpgrade
from bot.rulebook import effective, lint, text_files
from bot.rulebook.text_files import Texts
from bot.rulebook.yaml_document import DocumentInvalid
from bot.secret import Secret
from bot.server.database_wait import DatabaseAway
from bot.settings import Settings
from bot.store import owners
from bot.store.logged_tables import TABLES
from bot.store.pulls import rejudge

log = structlog.get_logger()

_Value = TypeVar("_Value", Path, Secret, tuple[str, ...])


def unreadable(settings: Settings, role: str) -> tuple[str, ...]:
    """The mistakes in the settings that reading alone can find: no network is used, and nothing is written."""

    def connected(key: Secret) -> None:
        connect(app_id=settings.app_id, private_key=key.reveal(), server=settings.github_server).close()

    def signing(_is_set: object) -> None:
        pdf_signature.read_signer(settings.pdf_certificate, settings.pdf_key, at=clock.now())

    found = (
        _refused("COUNTERSIGN_KEYS", settings.keys, lambda keys: KeyRing.parse(keys.reveal())),
        _refused("COUNTERSIGN_PRIVATE_KEY", settings.private_key, connected),
        rulebook_problem(settings),
        _refused("COUNTERSIGN_PLUGINS", settings.plugins, plugins.load),  # They add formats of webhooks.
        _refused("COUNTERSIGN_WEBHOOKS", settings.webhooks_path, endpoints.load),
        _refused("COUNTERSIGN_LOGO", settings.logo, branding.read_logo),
        _refused("COUNTERSIGN_PDF_CERTIFICATE", Secret(settings.pdf_certificate + settings.pdf_key.reveal()), signing),
        _catalog(settings),
        _refused("COUNTERSIGN_SMTP_URL", settings.smtp_url, lambda url: MailServer.parse(url.reveal())),
        _alone(settings, role),
    )
    return tuple(problem for problem in found if problem is not None)


def check(settings: Settings, role: str, warn: Callable[[str], None] = lambda _said: None) -> str | None:
    """The first thing that would keep the server from working; None when all is well.

    Raises DatabaseAway where the database of a replica may still come.
    """
    # Cheap checks first. GitHub is not asked: what it sends meanwhile would be lost (`bot.access` asks beside serving).
    for problem in unreadable(settings, role):
        return problem
    try:
        trouble = _database(settings, role, warn)
        if trouble is None:
            for said in (*_license_data_warnings(settings), *template_warnings(settings)):
                warn(said)
    except SQLAlchemyError as error:
        trouble = db.explain_setting(error, settings.database_file)
        if role != "all" and db.may_come(error):
            raise DatabaseAway(trouble) from None
    return trouble


def _license_data_warnings(settings: Settings) -> tuple[str, ...]:
    """A line where the file of newer licence data cannot be used: agreements need it not, so the server starts."""
    path = settings.license_data
    try:
        if path.exists():  # Else the data that comes with Countersign counts.
            matrix_file.current(path)
    except (MatrixInvalid, OSError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        remedy = "remove it, or run `countersign license refresh` again; until then licences are not checked"
        return (f"COUNTERSIGN_LICENSE_DATA: {path} cannot be used: {why}: {remedy}",)
    return ()


def template_warnings(settings: Settings) -> tuple[str, ...]:
    """A line for each agreement that is in use although counsel has not reviewed it. Raises SQLAlchemyError."""
    file = settings.rulebook_path
    found: dict[str, None] = {}
    with db.opened(settings.database_url) as engine:
        sessions = db.sessions(engine)
        with sessions() as session:
            here, read = released.released(session), owners.all_rules(session)
        catalog = agreement_texts.Library(text_files.beside(file), sessions)
        for source in read if file is None else [file.read_text(encoding="utf-8")]:
            try:
                parsed = effective.parse_rulebook(source, catalog)
            except DocumentInvalid:  # Of GitHub's: every check says so.
                continue
            for _, said in lint.templates(parsed.rules, parsed.templates):
                found[said] = None
    for text in here:
        if text.is_template and not any(said.startswith(f"{text.name} {text.version} ") for said in found):
            found[lint.template(text.name, text.version, [text.language])] = None
    return tuple(found)


def _refused(name: str, value: _Value | None, read: Callable[[_Value], object]) -> str | None:
    """The mistake in a setting that is set, in the words of its reader."""
    try:
        if value:
            read(value)
    except (KeysInvalid, Refused, EndpointsInvalid, LogoInvalid, ValueError) as error:
        return f"{name}: {error}"
    return None


def rulebook_problem(settings: Settings) -> str | None:
    """The first mistake in the organisation's rulebook, if it is a file."""
    file = settings.rulebook_path
    if file is None:
        return None
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
        return f"COUNTERSIGN_RULEBOOK: cannot read {file}: {why}"
    try:
        _parse_organization_file(settings, text)
    except DocumentInvalid as error:
        count = len(error.errors) - 1
        more = f" (and {count} more: countersign rulebook check {shlex.quote(str(file))})" if count else ""
        return f"COUNTERSIGN_RULEBOOK: {file}, {error.errors[0]}{more}"
    return None


def _parse_organization_file(settings: Settings, text: str) -> None:
    """Raises DocumentInvalid with the mistakes."""
    files = text_files.beside(settings.rulebook_path)
    try:
        effective.parse_rulebook(text, files)
    except DocumentInvalid as alone:
        # Only a rulebook that seems to have a mistake asks for the texts in the database.
        try:
            agreement_texts.parse_with_database(partial(effective.parse_rulebook, text), files, settings)
        except FileNotFoundError:
            raise alone from None
        except SQLAlchemyError as error:
            if not db.may_come(error) or settings.database_file is not None:
                raise alone from None
            effective.parse_rulebook(text, None)  # Its texts are looked at once the database is there.


def _catalog(settings: Settings) -> str | None:
    try:
        text_files.beside(settings.rulebook_path)()
    except CatalogBroken as error:
        return str(error)
    return None


def _alone(settings: Settings, role: str) -> str | None:
    if not settings.database_url.startswith("sqlite"):
        return None
    if role != "all":
        return f"--role {role} needs PostgreSQL: set COUNTERSIGN_DATABASE_URL=postgresql://…"
    if settings.database_file is None:  # A `file:` address, which has no one file that could be locked.
        return "COUNTERSIGN_DATABASE_URL must name the SQLite file by its path, as sqlite:///countersign.db"
    return None


def _database(settings: Settings, role: str, warn: Callable[[str], None]) -> str | None:
    exposed = db.exposed(settings.database_file) if settings.database_file else {}
    with db.opened(settings.database_url) as engine:
        if role == "all":  # Replicas leave the schema to `migrate`: several would change it at once.
            for revision in migrations.upgrade(engine):
                log.info("migration.applied", revision=revision)
            DurableEngine(engine, executor_id="startup").prepare()
        problem = migrations.problem(engine) or _records(engine, settings, role, warn)
        if problem is None and role == "all":
            derive_parties(engine, settings)
        _deleted(engine, settings, warn)
    for file, rights in exposed.items():
        is_kept = bool(db.exposed(file))
        now = "set its rights to 600, which this account may not do" if is_kept else "its rights are 600 now"
        warn(f"{file} could be used by other accounts of this machine ({rights:o}): {now}")
    return problem


def derive_parties(engine: Database, settings: Settings) -> int:
    """Find the party of agreements of earlier releases before anything is judged; how many. Raises CatalogBroken."""
    sessions = db.sessions(engine)
    texts = agreement_texts.Library(text_files.beside(settings.rulebook_path), sessions)
    derivation = _party_derivation(settings, sessions, _vault(settings), texts)
    return derivation.run(derivation.candidates())


def party_chores(settings: Settings, sessions: Sessions, vault: Vault, texts: Texts, jobs: Engine) -> Chores:
    """The same beside serving, for rulebooks that are read later; what it may change is judged again."""
    derivation = _party_derivation(settings, sessions, vault, texts)

    def decided(session: Session, account_ids: list[int]) -> None:
        rejudge.people(session, jobs, account_ids, queue="later")

    chore = Chore("parties", DERIVE_INTERVAL, DerivationChore(replace(derivation, decided=decided)).round)
    # The log takes in what a process of the release before writes, while both run.
    taking_in = LogUpgrade(RecordAccess(sessions, vault)).round
    revoked = RevokedCompanies(RecordAccess(sessions, vault), jobs).round
    # On a thread of its own: there may be many.
    chores = (
        Chore("log-upgrade", row_codes.CHECK_INTERVAL, taking_in),
        chore,
        Chore("revoked-companies", END_INTERVAL, revoked),
    )
    return Chores(chores, name="parties", at_once=True)


def _party_derivation(settings: Settings, sessions: Sessions, vault: Vault, texts: Texts) -> PartyDerivation:
    file = settings.rulebook_path
    return PartyDerivation(
        file=file.read_text(encoding="utf-8") if file else None,
        accounts=settings.accounts,
        records=RecordAccess(sessions, vault),
        texts=texts,
    )


def _deleted(engine: Database, settings: Settings, warn: Callable[[str], None]) -> None:
    try:
        vacuum.rewrite(engine)  # Earlier releases left in it what was deleted.
    except SQLAlchemyError as error:  # Without room for that on the disk the server still starts.
        said = db.explain_setting(error, settings.database_file)
        warn(
            f"what earlier releases deleted can still be read in the database's file ({said}): run `countersign migrate`"
        )


def _records(engine: Database, settings: Settings, role: str, warn: Callable[[str], None]) -> str | None:
    with db.sessions(engine)() as session:
        for look in REFUSALS.values():
            if problem := look(session, settings, lambda _said: None):
                return problem
        if problem := erasure_keys.check(settings.erasure_keys_file, session, warn, serving=True):
            return problem
    if role != "all":
        return None
    problem = row_codes.problem(db.sessions(engine), _vault(settings))
    if problem is None:
        LogUpgrade(RecordAccess(db.sessions(engine), _vault(settings))).take_in()
    return problem


def _vault(settings: Settings) -> Vault:
    return Vault(KeyRing.parse(settings.keys.reveal()))


REFUSALS: Final[Mapping[str, Callable[[Session, Settings, Callable[[str], None]], str | None]]] = {
    # There are no records without a log of them: a log that was removed is not begun anew, which would hide its loss.
    "log": lambda session, *_: upgrade.WITHOUT_LOG if upgrade.lacks_log(session, TABLES) else None,
    "ring": lambda session, settings, _warn: database_match.problem(session.connection(), _vault(settings)),
    "log-changed": lambda session, settings, _warn: row_codes.changed(session, _vault(settings)),
    "erasure-keys": lambda session, settings, warn: erasure_keys.problem(settings.erasure_keys_file, session, warn),
}
"""Why a database in the right schema is not served, by name; each reads alone, and `doctor` has an item for each."""
