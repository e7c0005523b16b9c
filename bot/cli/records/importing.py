"""`countersign import`: take over what another tool recorded, shown first as a diff; needs no GitHub."""

import json
import sys
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from agreements import versions
from agreements.imports.entries import (
    Domain,
    ImportDefaults,
    ImportEntry,
    ImportFile,
    RejectedEntry,
    UnreadableImport,
    is_party,
    shown,
)
from agreements.imports.files import MAX_FILE_BYTES
from agreements.imports.formats import FORMATS
from agreements.moments import moment_or_day, text
from bot import clock
from bot.cli import database
from bot.cli.command_error import CommandError, file_access
from bot.cli.options import FILE, form_option, has_terminal, standard_output
from bot.cli.records.long_transactions import following
from bot.cli.setting import settings, vault

if TYPE_CHECKING:
    from agreements.store.imports.imported import ImportSource
    from agreements.store.record_context import RecordContext
    from bot.db import Sessions
    from bot.job_queue import Engine
    from bot.records.party_derivation import RulebookParties
    from bot.records.record_access import RecordAccess

_AT_ONCE, _WAITS = "counts, if the rulebook accepts this version", "waits until GitHub says whose login it is"
_DOUBTS = {
    "erased": "the account's data were erased here",
    "restricted": "the account's data are restricted here",
    "ended": "a signature of this agreement was withdrawn or revoked here since then",
}
_NO_PARTY = (
    "{why} with whom these agreements were made, so they count for nobody until an administrator decides;"
    " to decide it now, run this again with --party NAME"
)
_UNDECIDED = "counts for nobody until an administrator decides with whom it was made"
_UNLISTED = "counts for nobody until the rulebook lists its party under agreements.parties"
_COMPANY = "a company that waits for an administrator; it counts once it is countersigned"
_COMPANY_UNDECIDED = "a company that waits for an administrator, who decides with whom its agreement was made"
_STATES = {
    "broken": "a rulebook has mistakes, so it does not say which agreements count: countersign rulebook check names them",
    "unread": "the server has not read every rulebook yet, so what is said here of parties may change",
}


@dataclass
class Diff:
    """The entries that were `added`, left `unchanged` or `refused`, each with its place in the file; and `remarks`."""

    added: list[dict[str, Any]] = field(default_factory=list)
    unchanged: list[dict[str, Any]] = field(default_factory=list)
    refused: list[dict[str, Any]] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


def _day(_context: click.Context, _option: click.Parameter, value: str | None) -> datetime | None:
    # A signature cannot lie ahead: the day and the month may have been exchanged.
    found = moment_or_day(value)
    if value is not None and (found is None or found > clock.now()):
        raise click.BadParameter(f"{value!r} is not a past day such as 2024-05-31")
    return found


def _version(_context: click.Context, _option: click.Parameter, value: str | None) -> str | None:
    if value is not None and versions.parts(value) is None:
        raise click.BadParameter(f"{value!r} is not a version such as 1.0")
    return value


def _party(_context: click.Context, _option: click.Parameter, value: str | None) -> str | None:
    if value is not None and not is_party(value):
        raise click.BadParameter(f"{value[:60]!r} is not a name such as 'The Example Foundation'")
    return value


@click.command(name="import", epilog=f"Formats: {', '.join(FORMATS)} (see 'Imports' in the documentation).")
@click.argument("format_name", metavar="FORMAT", type=click.Choice(list(FORMATS)))
@click.argument("file", type=FILE)
@click.option("--dry-run", is_flag=True, help="Print the result without writing anything.")
@click.option("--agreement", default="icla", show_default=True, help="The agreement that the people signed.")
@click.option("--signed-version", metavar="VERSION", callback=_version, help="The version, if the file does not say.")
@click.option(
    "--signed-at", metavar="DAY", callback=_day, help="The latest day on which they signed, if the file does not say."
)
@click.option("--corporate", default="ccla", show_default=True, help="The agreement that the companies signed.")
@click.option(
    "--corporate-version", metavar="VERSION", callback=_version, default="2.0", show_default=True, help="Its version."
)
@click.option(
    "--party",
    metavar="NAME",
    callback=_party,
    help="With whom they signed, if the file does not say; by default the organization of the rulebook.",
)
@form_option()
def command(  # noqa: PLR0913 - one argument for each option, as click hands them over
    format_name: str,
    file: Path,
    *,
    dry_run: bool,
    agreement: str,
    signed_version: str | None,
    signed_at: datetime | None,
    corporate: str,
    corporate_version: str,
    party: str | None,
    form: str,
) -> None:
    """Import people and company domains from another tool's FILE, and print what is added, unchanged and refused.

    An entry with an account id counts at once, if the rulebook accepts its version. An entry with only a login counts when GitHub has said whose it is.
    Running it twice changes nothing.

    Exit codes: 0 everything was imported or already there, 1 something was refused, 2 wrong usage, file or database.
    """
    from agreements.store.imports.imported import ImportSource

    content = _content(file)
    try:
        found = FORMATS[format_name](
            content, ImportDefaults(now=clock.now(), version=signed_version or "", signed_at=signed_at)
        )
    except UnreadableImport as error:
        raise CommandError(f"{file}: {error}") from None
    # The digest tells later from which file an entry came.
    source = ImportSource(format=format_name, sha256=sha256(content).hexdigest(), agreement=agreement, party=party)
    diff = _done(found, source, (corporate, corporate_version), dry_run=dry_run)
    with standard_output() as out:
        if form == "json":
            click.echo(json.dumps({"dry_run": dry_run, **vars(diff)}, ensure_ascii=False, indent=2), file=out)
        else:
            for line in _as_text(diff, dry_run=dry_run):
                click.echo(line, file=out)
    if diff.refused:
        raise click.exceptions.Exit(1)


def _content(file: Path) -> bytes:
    with file_access("read", file):
        if file.stat().st_size > MAX_FILE_BYTES:
            raise CommandError(f"{file} is larger than {MAX_FILE_BYTES // 1024**2} MB: split it")
        return file.read_bytes()


def _done(found: ImportFile, source: "ImportSource", corporate: tuple[str, str], *, dry_run: bool) -> Diff:
    from agreements.store.imports import imported, imported_companies
    from bot import db
    from bot.jobs.durable import DurableEngine
    from bot.records.record_access import RecordAccess

    diff = Diff(remarks=list(found.remarks))
    diff.refused += map(asdict, found.refused)
    keys = vault()
    with database.opened() as opened:
        sessions, engine = db.sessions(opened), DurableEngine(opened, executor_id="import")
        rulebooks = _rulebooks(sessions)
        source = _with_party(source, rulebooks)
        diff.remarks += _about_parties(found, source, rulebooks)
        diff.remarks += _unreleased(sessions, found, source.agreement, corporate)
        with sessions() as session:
            plan = imported.plan(session, found.entries, source)
            domains, kept = imported_companies.plan(session, found.domains, party=source.party, at=clock.now())
        for entry in plan.added:
            doubt, whom = plan.doubts.get(entry), imported.party(entry, source)
            waits = f"waits for an administrator: {_DOUBTS[doubt]}" if doubt else ""
            diff.added.append(_entry(entry, source, waits or _what(entry, whom, rulebooks.counting)))
        diff.unchanged += [_entry(entry, source, why) for entry, why in plan.unchanged]
        diff.unchanged += [_domain(domain, why) for domain, why in kept.unchanged]
        diff.refused += map(asdict, [*plan.refused, *kept.refused])
        late: dict[Domain, RejectedEntry] = {}  # Refused while writing: taken since the plan.
        if not dry_run:
            # Writing takes long: `keys rotate` waits until this process has the new key, too.
            with following(sessions, keys) as lots:
                records = RecordAccess(lots, keys)
                _write(records, engine, plan.added, source)
                late = _write_companies(records, domains, source, corporate)
        company = _COMPANY if source.party else _COMPANY_UNDECIDED
        diff.added += [_domain(domain, company) for domain in domains if domain not in late]
        diff.refused += map(asdict, late.values())
    return diff


def _what(entry: ImportEntry, whom: str | None, counting: Collection[str]) -> str:
    """The fate of an entry with that party, where these count."""
    if not entry.account_id:  # Logins change hands: an entry counts at once only by an account's id.
        return _WAITS
    if whom is None:
        return _UNDECIDED
    return _AT_ONCE if whom in counting or not counting else _UNLISTED


def _rulebooks(sessions: "Sessions") -> "RulebookParties":
    from bot import startup
    from bot.records import party_derivation

    catalog = database.catalog(sessions)
    if problem := startup.rulebook_problem(settings()):  # One with a mistake would count as one that names no party.
        raise CommandError(problem)
    return party_derivation.of_rulebooks(settings(), sessions, lambda: catalog)


def _with_party(source: "ImportSource", rulebooks: "RulebookParties") -> "ImportSource":
    """The source with the party that was given, else the rulebook's. Raises CommandError where there are several."""
    if source.party is not None:
        return source
    found = rulebooks.named
    if len(found) > 1:
        names = ", ".join(party.name for party in found)
        raise CommandError(f"the rulebooks name several parties: say with --party which of them it is ({names})")
    # With a mistake in another rulebook, this party may be the wrong one of two.
    return replace(source, party=found[0].id if found and "broken" not in rulebooks.states else None)


def _about_parties(found: ImportFile, source: "ImportSource", rulebooks: "RulebookParties") -> Iterator[str]:
    """A remark where the party of entries is not known, and where a rulebook is not known well enough to say what counts."""
    is_broken = "broken" in rulebooks.states
    if source.party is None and (found.domains or not all(entry.party for entry in found.entries)):
        yield _NO_PARTY.format(why="a rulebook has mistakes and does not say" if is_broken else "no rulebook says")
    if is_broken or ("unread" in rulebooks.states and rulebooks.named):
        yield _STATES["broken" if is_broken else "unread"]


def _write(records: "RecordAccess", engine: "Engine", added: Sequence[ImportEntry], source: "ImportSource") -> None:
    # Each lot in a transaction of its own: locks are short, and what was written stays written.
    from sqlalchemy.exc import IntegrityError

    from agreements.store.imports import imported

    asked = 0
    lots = [added[start : start + imported.BATCH_ENTRIES] for start in range(0, len(added), imported.BATCH_ENTRIES)]
    hidden = len(lots) < 2 or not has_terminal()
    with click.progressbar(lots, label="importing", file=sys.stderr, hidden=hidden) as steps:
        for lot in steps:
            try:
                with records.change() as context:
                    asked += _write_lot(context, engine, lot, source, asked)
            except IntegrityError:  # Entries of the file may be there since the plan; any other error is ours.
                with records.sessions() as session:
                    if not imported.plan(session, lot, source).unchanged:
                        raise
                raise CommandError(
                    "another import wrote entries of this file at the same time: run this again"
                ) from None


def _unreleased(sessions: "Sessions", found: ImportFile, agreement: str, corporate: tuple[str, str]) -> list[str]:
    """A remark for each version that no text of ours has. Raises CommandError for an agreement that no text has."""
    catalog = database.catalog(sessions)
    known = sorted({text.name for text in catalog.texts() if text.signable})
    for option, name in (("--agreement", agreement), ("--corporate", corporate[0])):
        if name not in known:
            raise CommandError(f"{option} {name[:60]!r}: there is no such agreement; choose from {', '.join(known)}")
    stated_versions = {(agreement, entry.version) for entry in found.entries} | (
        {corporate} if found.domains else set()
    )
    return [
        f"{name} {version} was not released here: it counts only if the rulebook's agreements.accept allows it"
        for name, version in sorted(stated_versions)
        if not any(versions.admits(ours, version) for ours in catalog.versions(name))
    ]


def _write_companies(
    records: "RecordAccess", domains: Sequence[Domain], source: "ImportSource", corporate: tuple[str, str]
) -> dict[Domain, RejectedEntry]:
    """Write each company in a transaction of its own; gives those whose domain was taken since the plan was made."""
    from agreements.store.companies.companies import DomainRefused
    from agreements.store.imports import imported_companies

    late = {}
    for domain in domains:
        try:
            with records.change() as context:
                imported_companies.add(context, domain, source, corporate)
        except DomainRefused as refused:  # Another company took it since the plan.
            late[domain] = imported_companies.refusal(domain, refused)
    return late


def _write_lot(
    context: "RecordContext", engine: "Engine", lot: Sequence[ImportEntry], source: "ImportSource", asked: int
) -> int:
    """Write a lot and queue what follows from it; how many logins GitHub will be asked for, behind those `asked`."""
    from agreements.store.imports import imported
    from bot.flows import login_resolution
    from bot.store.pulls import rejudge

    counted = [entry.account_id for entry in lot if entry.account_id is not None]
    if counted:
        rejudge.people(context.session, engine, counted, queue="later")
    rows = imported.add(context, lot, source)
    waiting = [row.id for row in rows if row.state == imported.WAITING]
    login_resolution.queue(context.session, engine, waiting, behind=asked)  # Each waits for the lots before it.
    return len(waiting)


def _entry(entry: ImportEntry, source: "ImportSource", what: str) -> dict[str, Any]:
    return {
        "where": entry.where,
        "login": entry.login,
        "id": entry.account_id,
        "agreement": source.agreement,
        "version": entry.version,
        "signed_at": text(entry.signed_at),
        "what": what,
    }


def _domain(domain: Domain, what: str) -> dict[str, Any]:
    return {"where": domain.where, "domain": domain.name, "what": what}


def _as_text(diff: Diff, *, dry_run: bool) -> Iterator[str]:
    for sign, lines in (("+", diff.added), ("=", diff.unchanged)):
        for line in lines:
            yield f"{sign} {line['where']}: {_who(line)} - {line['what']}"
    for refusal in diff.refused:
        yield f"! {refusal['where']}: {refusal['who'] + ' - ' if refusal['who'] else ''}{refusal['reason']}"
    yield from (f"  {remark}" for remark in diff.remarks)
    counted = f"{len(diff.added)} added, {len(diff.unchanged)} unchanged, {len(diff.refused)} refused"
    yield f"{counted} (dry run: nothing was written)" if dry_run else counted


def _who(line: dict[str, Any]) -> str:
    if "domain" in line:
        return shown(line["domain"])
    number = f" ({line['id']})" if line["id"] else ""
    return f"{line['login']}{number} {line['agreement']} {line['version']} of {line['signed_at'][:10]}"
