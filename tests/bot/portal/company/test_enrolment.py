"""Enrolling and leaving are one transaction each: proof, enrolment, letters, rechecks and one entry in the log."""

from dataclasses import replace
from datetime import timedelta

import pytest
from sqlmodel import select

from agreements.facts import Account, Entry
from agreements.store.people import emails
from agreements.store.tables.company_records import CompanyEntry
from agreements.store.tables.records import OneTimeCode, Person
from bot.portal.company import enrolment
from bot.portal.company.enrolment import NoEmployer, Tried
from tests.bot.portal.company import office
from tests.bot.portal.company.office import WORK

ADA = Account(11, "ada")


@pytest.fixture(name="portal")
def _portal(database_url, github, make_portal):
    """The portal on each kind of database."""
    portal = make_portal(database_url, github)
    yield portal
    portal.database.dispose()


def ask(portal):
    """A code for ada's work address; its id."""
    return enrolment.ask(portal.services, ADA, WORK, "en")


def proven(portal):
    """Which addresses count for ada now."""
    with portal.services.sessions() as session:
        return emails.proven(session, portal.services.vault, [11], portal.at, how=("mailed-code",))


def test_a_code_enrols(portal):
    """The address counts from now on, open pull requests are queued, both managers hear of the login alone; one entry."""
    office.company(portal, managers=((12, "bob"), (13, "cyd")))
    pull = portal.pull()
    tried = enrolment.answer(portal.services, ADA, ask(portal), office.code(portal))

    assert tried == Tried("right")
    assert proven(portal) == {11: (WORK,)}
    assert [(job.name, job.ids) for job in portal.engine.waiting] == [("review", (pull,)), ("recheck", (11,))]
    assert office.log(portal) == [("enrolment.added", 11, "person", ["proof", "enrolment"])]
    code, *told = office.letters(portal)
    assert (code.to, code.values["login"]) == (WORK, "ada")
    assert [(one.kind, one.to, one.account_id) for one in told] == [
        ("enrolled", "bob@boss.example", 11), ("enrolled", "cyd@boss.example", 11),
    ]  # fmt: skip
    assert told[0].values == {
        "login": "ada", "company": "Huawei", "domain": "huawei.com", "url": "http://localhost/company/c1/roster",
        "manager": "bob",
    }  # fmt: skip


def test_a_year_later(portal):
    """It counts no more unless a new code prolonged it, which the managers need not hear of."""
    office.company(portal)
    enrolment.answer(portal.services, ADA, ask(portal), office.code(portal))
    portal.later(days=364)
    assert proven(portal) == {11: (WORK,)}
    enrolment.answer(portal.services, ADA, ask(portal), office.code(portal))
    portal.later(days=364)
    assert proven(portal) == {11: (WORK,)}
    portal.later(days=1)

    assert proven(portal) == {}
    assert [kind for kind, *_ in office.log(portal)] == ["enrolment.added", "enrolment.renewed"]
    assert [one.kind for one in office.letters(portal)].count("enrolled") == 1


def test_nothing_is_stored_of_whom_no_company_takes(portal):
    """No person, no code, no letter."""
    office.company(portal, excludes=[Entry(account_id=11)], managers=())
    with pytest.raises(NoEmployer):
        ask(portal)
    with portal.services.sessions() as session:
        assert [session.exec(select(table)).all() for table in (Person, OneTimeCode)] == [[], []]
    assert office.letters(portal) == []


def test_the_company_may_change_its_mind_before_the_answer(portal):
    """The code was right and is spent; nobody is enrolled."""
    office.company(portal)
    code_id = ask(portal)
    with portal.services.sessions() as session:
        session.exec(select(CompanyEntry)).one().until = portal.at

    assert enrolment.answer(portal.services, ADA, code_id, office.code(portal)) == Tried("gone")
    assert enrolment.answer(portal.services, ADA, code_id, office.code(portal)) == Tried("used-up")
    assert (proven(portal), office.log(portal)) == ({}, [])


def test_all_of_it_or_nothing(portal):
    """When the last step fails the code is still good."""
    office.company(portal)
    code_id, code = ask(portal), office.code(portal)

    class Full:
        """An engine that finds the disk full."""

        def enqueue(self, session, job):
            raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        enrolment.answer(replace(portal.services, engine=Full()), ADA, code_id, code)
    assert (proven(portal), office.log(portal), len(office.letters(portal))) == ({}, [], 1)
    assert enrolment.answer(portal.services, ADA, code_id, code) == Tried("right")


def test_an_end_is_told_to_the_log_and_judged(portal):
    """Once: from then on the address does not count; by whoever ended it."""
    office.company(portal)
    enrolment.answer(portal.services, ADA, ask(portal), office.code(portal))
    pull = portal.pull()
    with portal.services.sessions() as session:
        held = office.held(session)
    portal.later(days=1)

    assert enrolment.end(portal.services, held, by=12)
    assert not enrolment.end(portal.services, held, by=12)
    assert proven(portal) == {}
    assert office.log(portal)[1:] == [("enrolment.ended", 12, "person", ["proof", "enrolment"])]
    assert ("review", (pull,)) in [(job.name, job.ids) for job in portal.engine.waiting]
    assert timedelta(0) == max(job.delay for job in portal.engine.waiting)
