"""The log of the records as pages: newest first, filtered by kind, subject and day; one entry with what it told; and the overrides."""

from collections.abc import Collection
from dataclasses import replace

from flask import abort, request
from flask.typing import ResponseReturnValue
from flask_babel import lazy_gettext
from sqlmodel import Session

from agreements.moments import moment
from agreements.store import log_listing
from agreements.store.log_listing import EntryFilter, EntryNames, LogEntry
from agreements.store.people import signatures
from agreements.vault import Vault
from bot.portal.admin.page_context import list_page, render, with_reader
from bot.portal.forms.typed_values import account_number, chosen_days
from bot.portal.portal_services import reading
from bot.portal.text.languages import language
from bot.report import comment_commands
from bot.store.pulls import overrides

_MAX_FILTER_CHARACTERS = 64
ACCOUNTS = ("account", "manager", "second", "signer")
"""The keys under which entries hold the number of an account."""

KINDS = {
    "address.proven": lazy_gettext("An address was verified"),
    "address.removed": lazy_gettext("A verified address was removed"),
    "campaign.ended": lazy_gettext("A campaign was ended"),
    "campaign.reminded": lazy_gettext("A campaign sent reminders"),
    "campaign.started": lazy_gettext("A campaign was started"),
    "company.changed": lazy_gettext("A company changed which addresses count"),
    "company.countersigned": lazy_gettext("A company's agreement was countersigned"),
    "company.ended": lazy_gettext("A company's agreement was ended"),
    "company.exported": lazy_gettext("A company's data was downloaded"),
    "company.imported": lazy_gettext("A company was imported from another tool"),
    "company.refused": lazy_gettext("A company's request was declined"),
    "company.renewed": lazy_gettext("A company's annual review was completed"),
    "company.requested": lazy_gettext("A company agreement was signed"),
    "cover.chosen": lazy_gettext("A person chose for whom they contribute"),
    "cover.requested": lazy_gettext("A person asked a company's managers about their cover"),
    "document.kept": lazy_gettext("A file was added to a company"),
    "document.opened": lazy_gettext("A restricted file was opened"),
    "domain.claimed": lazy_gettext("A company requested a domain"),
    "domain.missing": lazy_gettext("The DNS record of a domain was not found"),
    "domain.proven": lazy_gettext("A domain was verified or approved"),
    "domain.refused": lazy_gettext("A domain was declined"),
    "domain.returned": lazy_gettext("The DNS record of a domain was found again"),
    "enrolment.added": lazy_gettext("A person enrolled at a company"),
    "enrolment.ended": lazy_gettext("An enrolment was ended"),
    "enrolment.renewed": lazy_gettext("An enrolment was renewed"),
    "entries.added": lazy_gettext("A company added people from a list"),
    "entry.added": lazy_gettext("A company added or excluded a person"),
    "entry.changed": lazy_gettext("A company's domain was changed"),
    "entry.ended": lazy_gettext("A company's entry was ended"),
    "erasure.asked": lazy_gettext("A person requested erasure"),
    "erasure.deleted": lazy_gettext("All data about a person was deleted"),
    "erasure.ordered": lazy_gettext("An erasure was opened without a request"),
    "erasure.restricted": lazy_gettext("A person's data was restricted"),
    "erasure.shredded": lazy_gettext("A person's key was destroyed"),
    "erasure.withdrawn": lazy_gettext("A person withdrew an erasure request"),
    "invitation.withdrawn": lazy_gettext("A company withdrew an invitation"),
    "invitations.sent": lazy_gettext("A company invited employees"),
    "letters.chosen": lazy_gettext("A manager chose the address for e-mails about companies"),
    "lines.counted": lazy_gettext("Lines of a small change count for a person"),
    "lines.released": lazy_gettext("Lines of a small change count no longer"),
    "list.exported": lazy_gettext("A list was downloaded"),
    "login.confirmed": lazy_gettext("An imported login was confirmed"),
    "login.doubted": lazy_gettext("An imported login is in doubt"),
    "login.imported": lazy_gettext("Logins were imported from another tool"),
    "login.refused": lazy_gettext("An imported login was refused"),
    "manager.appointed": lazy_gettext("A manager was added to a company"),
    "manager.left": lazy_gettext("A manager of a company left"),
    "override.granted": lazy_gettext("A maintainer granted an override"),
    "party.decided": lazy_gettext("An administrator decided with whom agreements were made"),
    "party.derived": lazy_gettext("With whom agreements were made was found by the page that was shown"),
    "person.added": lazy_gettext("A person is known from now on"),
    "person.renamed": lazy_gettext("A person has a new login"),
    "person.returned": lazy_gettext("A person came back after an erasure"),
    "records.adopted": lazy_gettext("The log took in earlier records"),
    "records.exported": lazy_gettext("All records were downloaded"),
    "session.ended": lazy_gettext("Sessions of an account were ended"),
    "signature.added": lazy_gettext("A person signed"),
    "signature.imported": lazy_gettext("A signature was imported from another tool"),
    "signature.opened": lazy_gettext("A restricted signature was opened"),
    "signature.recorded": lazy_gettext("An agreement signed elsewhere was recorded"),
    "signature.revoked": lazy_gettext("A signature was revoked"),
    "signature.withdrawn": lazy_gettext("A signature was withdrawn"),
    "signoff.added": lazy_gettext("A person signed off commits"),
    "signoff.revoked": lazy_gettext("A person withdrew a sign-off of commits"),
    "text.released": lazy_gettext("A version of an agreement was released"),
    "token.expired": lazy_gettext("An API token expired"),
    "token.made": lazy_gettext("An API token was created"),
    "token.revoked": lazy_gettext("An API token was revoked"),
    "token.used": lazy_gettext("An API token was used for the first time that day"),
}
"""Every kind that is written, in alphabetical order; docs/reference/ledger-kinds.csv has this table."""


def log_page() -> ResponseReturnValue:
    """The entries that the filter asks for; a filter that cannot be read asks for all."""
    filters = {
        name: request.args.get(name, "").strip()[:_MAX_FILTER_CHARACTERS] for name in ("kind", "subject", "from", "to")
    }
    with reading() as (records, vault, _at):
        wanted = _wanted(filters)
        found = list_page(lambda skip, most: log_listing.page(records, wanted, skip=skip, most=most))
        kinds = log_listing.kinds(records)
        names, pulls = _names(records, vault, found.rows), _pulls(records, found.rows)
    return render(
        "admin/log.html",
        part=found,
        filters=filters,
        kinds=kinds,
        words=KINDS,
        names=names,
        pulls=pulls,
    )


def entry_page(number: int) -> ResponseReturnValue:
    """The page of one entry, opened as long as its subject's key exists."""
    if number >= 2**63:  # A BIGINT column takes no more.
        abort(404)
    with reading() as (records, vault, _at):
        found = log_listing.opened(records, vault, number) or abort(404)
        # The details may name accounts beside the subject.
        told = [value for name, value in (found.details or {}).items() if name in ACCOUNTS and is_account(value)]
        names, pulls = _names(records, vault, [found], told), _pulls(records, [found])
    details = found.details and {
        name: (moment(value) or value) if isinstance(value, str) else value for name, value in found.details.items()
    }
    return render(
        "admin/log_entry.html",
        entry=found,
        details=details,
        words=KINDS,
        accounts=ACCOUNTS,
        names=names,
        pulls=pulls,
    )


def is_account(value: object) -> bool:
    """True if a value that an entry told may be the number of an account."""
    return isinstance(value, int) and not isinstance(value, bool) and value > 0  # JSON's `true` is an int to Python.


def _names(records: Session, vault: Vault, entries: Collection[LogEntry], told: Collection[int] = ()) -> EntryNames:
    names = log_listing.names(records, entries, told)
    signatories = signatures.signatory_names(records, vault, names.accounts.values())
    return replace(names, logins={**with_reader(names.logins), **signatories})


def _pulls(records: Session, entries: Collection[LogEntry]) -> dict[int, tuple[str, str, int]]:
    """The pull request at which each override among these entries was granted, by the entry's number."""
    granted = {row.id: entry.number for entry in entries for row in entry.rows if row.table == "override"}
    return {granted[row_id]: place for row_id, place in overrides.places(records, granted).items()}


def _wanted(filters: dict[str, str]) -> EntryFilter:
    subject, (since, until) = filters["subject"], chosen_days(filters)
    # A number is an account of GitHub's, anything else our own id of a subject.
    account = account_number(subject)
    return EntryFilter(
        kind=filters["kind"] or None,
        subject_id=(subject or None) if account is None else None,
        about_account=account,
        since=since,
        until=until,
    )


def overrides_page() -> ResponseReturnValue:
    """The list of overrides: who granted one, where, on which head and why, newest first."""
    with reading() as (records, vault, _at):
        found = list_page(lambda skip, most: overrides.newest(records, vault, skip=skip, most=most))
    return render(
        "admin/overrides.html",
        part=found,
        named=[row.account_id for row in found.rows],
        commands=comment_commands.shown(language()),
    )
