"""Helpers of the company pages' tests: a company with a manager, people with addresses, codes read from the outbox."""

import json

from sqlmodel import select

from agreements.facts import Account, Entry
from agreements.store.companies import companies
from agreements.store.companies.companies import CompanyDraft
from agreements.store.people import emails, person_rows, signatures
from agreements.store.people.emails import ProvenAddress
from agreements.store.people.signatures import SignatureDraft
from agreements.store.tables.company_records import CompanyManager, CompanyRecord, Enrolment
from agreements.store.tables.ledger_records import LedgerEntry
from bot.store import outbox
from tests.logged import log_rows
from tests.within import within

WORK = "ada@rd.huawei.com"
SEEN = ("person", "ledger_entry")
"""Whom an entry names beside what was done, because they are new."""
MANAGER = {"id": 12, "login": "bob"}


def company(portal, *entries, name="Huawei", key="c1", managers=((12, "bob"),), excludes=(), **changes):
    """A countersigned company with these entries (huawei.com when none is given) and managers whose addresses are proven."""
    fields = {
        "party": "The CANN Authors",
        "agreement": "ccla",
        "version": "2.0",
        "signed_at": portal.at,
        "countersigned_at": portal.at,
    } | changes
    vault = portal.services.vault
    with portal.services.sessions() as session:
        row = companies.add(within(session, vault, new_id=key), CompanyDraft(name=name, **fields))
        for number, entry in enumerate(entries or (Entry(domain="huawei.com"),)):
            companies.add_entry(within(session, vault, portal.at, f"{key}e{number}"), row, entry)
        for number, entry in enumerate(excludes):
            companies.add_entry(within(session, vault, portal.at, f"{key}x{number}"), row, entry, excluded=True)
        for account_id, login in managers:
            session.add(
                CompanyManager(
                    id=f"{key}m{account_id}",
                    company_id=key,
                    account_id=account_id,
                    login=login,
                    since=portal.at,
                    added_by=1,
                )
            )
            known(portal, account_id, login, f"{login}@boss.example", how="github-verified", session=session)
        log_rows(session, vault)
    return key


def lose_text(portal, key="c1", by=12):
    """What the company signed, by one of its managers, is a text that the catalog does not have."""
    draft = SignatureDraft(party="The CANN Authors",
        agreement="ccla", version="2.0", language="en", source_sha256="a" * 64, shown_sha256="b" * 64,
        statement_id="agree-1", statement_sha256="c" * 64, identity_proof="github-oauth",
        name="Bob", email="bob@boss.example",
    )  # fmt: skip
    with portal.services.sessions() as session:
        signer = person_rows.find(session, by)
        signed = signatures.add(
            within(session, portal.services.vault, portal.at, portal.services.new_id),
            signer,
            draft,
            receipt=key,
            anew=True,
        ).row
        session.get(CompanyRecord, key).signature_id = signed.id
        log_rows(session, portal.services.vault)


def known(portal, account_id, login, *addresses, how="mailed-code", session=None):
    """A person whom we know, with these addresses proven for a year."""
    if session is None:
        with portal.services.sessions() as own:
            return known(portal, account_id, login, *addresses, how=how, session=own)
    new_id, vault = portal.services.new_id, portal.services.vault
    row = person_rows.ensure(within(session, vault, portal.at, new_id), Account(account_id, login))
    for address in addresses:
        proven = ProvenAddress(address=address, how=how, at=portal.at, until=portal.at.replace(year=portal.at.year + 1))
        emails.prove(within(session, vault, new_id=new_id), row, proven)
    log_rows(session, vault)
    return row.id


def works(portal, *addresses):
    """GitHub has verified these addresses for the person who signs in next."""
    portal.github.emails = [
        {"email": address, "verified": True, "primary": number == 0} for number, address in enumerate(addresses)
    ]


def outbox_emails(portal):
    """Every e-mail in the outbox, opened, oldest first."""
    with portal.services.sessions() as session:
        mails = session.exec(select(outbox.Mail).order_by(outbox.Mail.made_at, outbox.Mail.id)).all()
        return [outbox.opened(portal.services.vault, mail) for mail in mails]


def code(portal):
    """The newest code that was mailed."""
    return [email.values["code"] for email in outbox_emails(portal) if email.kind == "code"][-1]


def log(portal):
    """The log, as (kind, by whom, about whom, tables of the rows); not what `log_rows` wrote, nor who was seen for the first time."""
    with portal.services.sessions() as session:
        entries = session.exec(select(LedgerEntry).order_by(LedgerEntry.number)).all()
    return [
        (
            entry.kind,
            entry.actor_id,
            entry.subject_kind,
            [row[0] for row in json.loads(entry.rows) if row[0] not in SEEN],
        )
        for entry in entries
        if not entry.kind.startswith(("person.", "records.adopted"))
    ]


def enrolled(portal, browser=None, address=WORK):
    """Ada, or the person at that browser, enrols from the page to the code; gives the browser."""
    works(portal, address)
    browser = browser or portal.signed_in()
    asked = browser.post("/enrol", data={"csrf_token": portal.proof(browser, "/enrol"), "email": address})
    assert asked.status_code == 302, asked.text
    there = asked.headers["Location"]
    answered = browser.post(
        there, data={"csrf_token": portal.proof(browser, there), "code": code(portal), "works": "y"}
    )
    assert answered.headers["Location"] == "/me/enrolments", answered.text
    return browser


def held(session):
    """The id of the newest enrolment."""
    return session.exec(select(Enrolment.id).order_by(Enrolment.since.desc())).first()


def held_in(portal):
    """The same, of that portal."""
    with portal.services.sessions() as session:
        return held(session)
