"""Enrolling at a company and leaving it: code, proof, enrolment, recheck, mail and log, each step one transaction."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from sqlmodel import Session

from agreements.facts import Account
from agreements.store.companies import enrolments
from agreements.store.companies.enrolments import Employer, Written
from agreements.store.ledger import ledger
from agreements.store.ledger.ledger import Change
from agreements.store.people import email_codes, people, subjects
from agreements.store.people.email_codes import Answer
from bot.mail import manager_emails
from bot.mail.manager_emails import Occasion
from bot.portal.languages import Language
from bot.portal.portal_services import PortalServices
from bot.store import outbox
from bot.store.outbox import Email
from bot.store.pulls import rejudge


class NoEmployer(Exception):
    """No company covers that address, or none at which this account may enrol; which of them is not said."""


@dataclass(frozen=True, slots=True)
class Tried:
    """What became of a code; `gone` means that it was right, but the company does not take this account any more."""

    outcome: Literal["right", "wrong", "expired", "used-up", "gone"]
    tries_left: int = 0


def employer(services: PortalServices, account: Account, address: str, company_id: str | None) -> Employer | None:
    """The company at which that account may enrol with that address; only the named one if one is named."""
    with services.sessions() as session:
        return _employer(services, session, account.id, address, company_id, services.clock())


def ask(
    services: PortalServices, account: Account, address: str, language: Language, company_id: str | None = None
) -> str:
    """Mail a code to the work address; the code's id. Raises NoEmployer, and TooManyCodes when enough were mailed."""
    at = services.clock()
    with services.sessions() as session:
        found = _employer(services, session, account.id, address, company_id, at)
        if found is None:
            raise NoEmployer
        person = people.ensure(session, services.vault, account=account, at=at, new_id=services.new_id())
        issued = email_codes.issue(
            session, services.vault, person, address, company_id=found.company_id, at=at, new_id=services.new_id()
        )
        values = {"code": issued.code, "login": account.login, "url": services.settings.url}
        letter = Email(kind="code", to=address, language=language, values=values, account_id=account.id)
        outbox.add(session, services.vault, letter, at=at, new_id=services.new_id())
    return issued.id


def answer(services: PortalServices, account: Account, code_id: str, typed: str) -> Tried:
    """Try the code; the right one enrols for a year, or for one more. The try is spent whatever comes of it."""
    at = services.clock()
    with services.sessions() as session:
        tried = email_codes.answer(session, services.vault, account_id=account.id, code_id=code_id, code=typed, at=at)
        if tried.outcome != "right":
            return Tried(tried.outcome, tried.tries_left)
        found = (
            _employer(services, session, account.id, tried.address, tried.company_id, at) if tried.company_id else None
        )
        if found is None:
            return Tried("gone")
        _enrol(services, session, account, tried, found, at)
    return Tried("right")


def end(services: PortalServices, enrolment_id: str, *, by: int) -> bool:
    """End an enrolment now; False when there is none that runs. Whoever calls has checked that `by` may."""
    at = services.clock()
    with services.sessions() as session:
        written = enrolments.end(session, enrolment_id, at=at)
        if written is None:
            return False
        rejudge.people(session, services.engine, [written.enrolment.account_id])
        _log(services, session, "enrolment.ended", written, by, at)
    return True


def _employer(
    services: PortalServices, session: Session, account_id: int, address: str, company_id: str | None, at: datetime
) -> Employer | None:
    found = enrolments.employers(session, services.vault, account_id, address, at=at)
    return next((one for one in found if company_id in (None, one.company_id)), None)


def _enrol(
    services: PortalServices, session: Session, account: Account, tried: Answer, found: Employer, at: datetime
) -> None:
    person = people.ensure(session, services.vault, account=account, at=at, new_id=services.new_id())
    new_ids = (services.new_id(), services.new_id())
    written = enrolments.add(session, services.vault, person, found, tried.address, at=at, new_ids=new_ids)
    if written.new:
        values = {"login": account.login, "company": found.name, "domain": found.domain}
        values["url"] = f"{services.settings.url}/company/{found.company_id}/roster"
        occasion = Occasion(kind="enrolled", values=values, about=account.id)
        manager_emails.write(session, services.vault, found.company_id, occasion, at=at, new_id=services.new_id)
    rejudge.people(session, services.engine, [account.id])
    _log(services, session, "enrolment.added" if written.new else "enrolment.renewed", written, account.id, at)


def _log(services: PortalServices, session: Session, kind: str, written: Written, by: int, at: datetime) -> None:
    row = written.enrolment
    change = Change(
        kind=kind,
        actor_id=by,
        subject=subjects.of_account(session, services.vault, row.account_id),
        rows=[one for one in (written.proof, row) if one is not None],
        told={"company": row.company_id, "domain": row.domain, "until": row.until},
    )
    ledger.append(session, services.vault, change, at=at, new_id=services.new_id())
