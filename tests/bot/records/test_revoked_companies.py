"""An agreement that outlives its revoked signature is ended by the server, and its people's pull requests are judged again."""

from datetime import timedelta

from sqlmodel import select

from agreements.facts import Entry
from agreements.store import public_records
from agreements.store.tables.company_records import CompanyRecord
from agreements.store.tables.records import Withdrawal
from bot.job_queue import Job
from bot.records.revoked_companies import RevokedCompanies
from tests.bot.jobs.inline import InlineEngine
from tests.bot.portal.company import office
from tests.logged import log_rows

TEXTS = (("ccla", "2.0", "en", "a" * 64),)


def test_such_an_agreement_ends_once_and_its_people_are_judged_again(portal):
    services, engine = portal.services, InlineEngine()
    office.company(portal)
    office.company(portal, Entry(domain="other.org"), name="Other", key="c2")
    office.lose_text(portal)  # Both were imported: this one gets a signature.
    with services.sessions() as session:
        row = session.get(CompanyRecord, "c1")
        session.add(Withdrawal(signature_id=row.signature_id, at=portal.at, by_account_id=90, kind="revocation"))
        log_rows(session, services.vault)
        assert public_records.domains(session, TEXTS, portal.at) == ("huawei.com", "other.org")
    portal.at += timedelta(days=1)
    for _twice in range(2):
        RevokedCompanies(services, engine).round()

    assert engine.waiting == (Job("company", ("c1",)),)
    with services.sessions() as session:
        ended = dict(session.exec(select(CompanyRecord.id, CompanyRecord.ended_at)).all())
        assert ended == {"c1": portal.at - timedelta(days=1), "c2": None}
        assert public_records.domains(session, TEXTS, portal.at) == ("other.org",)


def test_a_company_whose_row_is_not_as_logged_is_left_and_judges_nothing_again(portal):
    services, engine = portal.services, InlineEngine()
    office.company(portal)
    office.lose_text(portal)
    with services.sessions() as session:
        row = session.get(CompanyRecord, "c1")
        session.add(Withdrawal(signature_id=row.signature_id, at=portal.at, by_account_id=90, kind="revocation"))
        log_rows(session, services.vault)
        session.get(CompanyRecord, "c1").version = "9.0"
        session.commit()
    portal.at += timedelta(days=1)
    RevokedCompanies(services, engine).round()

    assert engine.waiting == ()
    with services.sessions() as session:
        assert session.get(CompanyRecord, "c1").ended_at is None
