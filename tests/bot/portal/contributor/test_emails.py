"""A person proves an address by a mailed code, with one plain line for each mistake."""

import json
import re
from dataclasses import replace

import pytest
from sqlalchemy import text

from agreements.facts import Account
from agreements.store.companies import companies
from agreements.store.people import emails, person_rows
from agreements.store.people.emails import ProvenAddress
from agreements.store.tables.company_records import CompanyRecord, Enrolment
from bot.store import outbox
from bot.store.outbox import Mail
from tests.bot.portal.company import office
from tests.bot.portal.sentences import without_times
from tests.drafts import company_draft
from tests.within import within

PAGE = "/me/emails"


def rows(portal, query: str) -> list:
    """What that query finds."""
    with portal.database.connect() as connection:
        return connection.execute(text(query)).all()


def outbox_emails(portal) -> list:
    """All mail, opened, in the order in which it was written."""
    ids = [row.id for row in rows(portal, "SELECT id FROM mail ORDER BY made_at, id")]
    with portal.services.sessions() as session:
        return [outbox.opened(portal.services.vault, session.get(Mail, mail_id)) for mail_id in ids]


def send(portal, browser, path=PAGE, **form):
    """Send that form."""
    return browser.post(path, data={"csrf_token": portal.proof(browser, PAGE), **form})


def code_id(browser) -> str:
    """The id that the newest code's form carries."""
    return re.search(r'action="/me/emails/code".*?name="id" value="([^"]+)"', browser.get(PAGE).text, re.DOTALL)[1]


def proven(portal, account_id=11) -> tuple:
    """What a verdict would rest on."""
    with portal.services.sessions() as session:
        found = emails.proven(session, portal.services.vault, [account_id], portal.at, how=("mailed-code",))
    return found.get(account_id, ())


def test_a_mailed_code_proves_an_address_and_queues_its_pull_requests(portal):
    pull_id = portal.pull(7)
    browser = portal.signed_in()
    asked = send(portal, browser, address=" Ada@Work.example ")
    (email,) = outbox_emails(portal)
    answer = send(portal, browser, PAGE + "/code", id=code_id(browser), code=email.values["code"])
    page = browser.get(PAGE).text

    assert asked.headers["Location"] == "/me/emails#code"
    assert (email.kind, email.to, email.language) == ("code", "ada@work.example", "en")
    assert answer.headers["Location"] == PAGE
    assert "The address is verified." in page
    assert "Verified with a code on 2026-11-21" in without_times(page)
    assert "until 2027-11-21" in without_times(page)
    assert proven(portal) == ("ada@work.example",)
    new = "kind NOT IN ('records.adopted', 'person.added')"
    (entry,) = rows(portal, f"SELECT kind, actor_id, rows FROM ledger_entry WHERE {new}")
    assert (entry.kind, entry.actor_id) == ("address.proven", 11)
    assert [row[0] for row in json.loads(entry.rows)] == ["proof"]
    assert [(job.name, job.ids) for job in portal.engine.waiting] == [("review", (pull_id,)), ("recheck", (11,))]


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("", "Enter a valid e-mail address"),
        ("ada", "Enter a valid e-mail address"),
        ("a@b@c.org", "Enter a valid e-mail address"),
        ('"a b"@c.org', "Enter a valid e-mail address"),
        ("11+ada@users.noreply.github.com", "noreply address, which receives no e-mail"),
        ("11+ada@Users.Noreply.GHE.corp.example", "noreply address, which receives no e-mail"),
        ("ada@x.users.noreply.ghe.corp.example", "noreply address, which receives no e-mail"),
    ],
)
def test_an_unusable_address_is_explained_at_the_field_and_gets_no_mail(portal, monkeypatch, typed, says):
    settings = replace(portal.services.settings, github_url="https://ghe.corp.example")
    monkeypatch.setattr(type(portal.services), "server", settings.github_server)
    answer = send(portal, portal.signed_in(), address=typed)

    assert answer.status_code == 400
    assert says in answer.text
    assert outbox_emails(portal) == []


def test_a_wrong_code_costs_one_of_five_tries_and_an_empty_field_none(portal):
    browser = portal.signed_in()
    send(portal, browser, address="ada@work.example")
    right = outbox_emails(portal)[0].values["code"]
    wrong = "000000" if right != "000000" else "111111"
    known = code_id(browser)
    empty = send(portal, browser, PAGE + "/code", id=known, code=" ")
    said = [send(portal, browser, PAGE + "/code", id=known, code=wrong).text for _try in range(5)]
    late = send(portal, browser, PAGE + "/code", id=known, code=right)

    assert "Enter the eight-digit code." in empty.text
    assert "That code is incorrect. Attempts left: 4." in said[0]
    assert "That code is incorrect. Attempts left: 1." in said[3]
    assert "can no longer be used" in said[4]
    assert "can no longer be used" in late.text
    assert proven(portal) == ()


def test_an_expired_code_and_another_persons_get_the_same_answer(portal):
    """Different answers would tell whether the code exists."""
    browser, stranger = portal.signed_in(), portal.signed_in(id=12, login="bob")
    send(portal, browser, address="ada@work.example")
    right, known = outbox_emails(portal)[0].values["code"], code_id(browser)
    foreign = send(portal, stranger, PAGE + "/code", id=known, code=right)
    none = send(portal, stranger, PAGE + "/code", code=right)
    portal.later(minutes=10)
    late = send(portal, browser, PAGE + "/code", id=known, code=right)

    for answer in (foreign, none, late):
        assert answer.status_code == 400
        assert "has expired" in answer.text
    assert proven(portal) == proven(portal, 12) == ()


def test_a_fourth_code_for_an_address_and_a_sixth_within_an_hour_are_refused_with_the_time_of_the_next(portal):
    browser = portal.signed_in()
    answers = []
    for name in "aaaabbb":
        answers.append(send(portal, browser, address=f"ada@{name}.example"))
        portal.later(seconds=10)

    assert [answer.status_code for answer in answers] == [302] * 3 + [429] + [302] * 2 + [429]
    for refused in (answers[3], answers[-1]):
        assert "You can request another one from 13:00 UTC." in refused.text
    assert len(outbox_emails(portal)) == 5


def test_the_answer_does_not_tell_that_another_person_has_proven_the_address(portal):
    def asked():
        browser = portal.signed_in()
        answer = send(portal, browser, address="shared@work.example")
        page = re.sub(r'value="[^"]*"', "", browser.get(PAGE).text)
        return answer.status_code, answer.headers["Location"], page

    alone = asked()
    with portal.services.sessions() as session:
        bob = person_rows.ensure(within(session, portal.services.vault, portal.at, "p12"), Account(12, "bob"))
        known = ProvenAddress(address="shared@work.example", how="mailed-code", at=portal.at)
        emails.prove(within(session, portal.services.vault, new_id="e12"), bob, known)

    assert asked() == alone


def test_removing_an_address_ends_the_enrolment_that_rests_on_it(portal):
    browser = portal.signed_in()
    send(portal, browser, address="ada@work.example")
    send(portal, browser, PAGE + "/code", id=code_id(browser), code=outbox_emails(portal)[0].values["code"])
    proof = rows(portal, "SELECT id, person_id FROM proof")[0]
    with portal.services.sessions() as session:
        draft = company_draft("Work", portal.at)
        companies.add(within(session, portal.services.vault, new_id="c1"), draft)
        session.flush()
        fields = {"company_id": "c1", "person_id": proof.person_id, "account_id": 11, "proof_id": proof.id}
        session.add(
            Enrolment(id="n1", domain="work.example", since=portal.at, until=portal.at.replace(year=2027), **fields)
        )
    stranger = portal.signed_in(id=12, login="bob")
    send(portal, stranger, PAGE + "/remove", id=proof.id)
    kept = len(rows(portal, "SELECT id FROM proof"))
    portal.later(minutes=1)
    send(portal, browser, PAGE + "/remove", id=proof.id)
    send(portal, browser, PAGE + "/remove", id=proof.id)

    assert kept == 1
    assert rows(portal, "SELECT id FROM proof") == []
    with portal.services.sessions() as session:
        assert session.get(Enrolment, "n1").ended_at == portal.at
        assert session.get(CompanyRecord, "c1").ended_at is None
    (entry,) = rows(portal, "SELECT rows FROM ledger_entry WHERE kind = 'address.removed'")
    assert sorted((row[0], row[2] is None) for row in json.loads(entry.rows)) == [("enrolment", False), ("proof", True)]


def test_a_manager_chooses_the_address_for_e_mails_about_companies(portal):
    office.known(portal, 12, "bob", "bob@home.example", "bob@redhat.com")
    browser = portal.signed_in(**office.MANAGER)
    assert "company e-mails" not in browser.get(PAGE).text.lower()
    office.company(portal)
    office.company(portal, office.Entry(domain="redhat.com"), key="c2", name="Red Hat")

    page = browser.get(PAGE).text
    assert "<dt>Red Hat</dt><dd>bob@redhat.com</dd>" in page
    assert "We never use an address of another company that we know, unless you signed with it." in page
    chosen = re.search(r'name="id" value="([^"]+)">\s*<button[^>]*company e-mails to bob@home', page)[1]
    for proof_id in (chosen, "nothing"):
        sent = {"csrf_token": portal.proof(browser, PAGE), "id": proof_id}
        assert browser.post(f"{PAGE}/letters", data=sent).headers["Location"] == PAGE
    page = browser.get(PAGE).text
    assert "<dt>Huawei</dt><dd>bob@home.example</dd>" in page
    assert "<dt>Red Hat</dt><dd>bob@redhat.com</dd>" in page
    assert page.count("E-mails about the companies that you manage go to this address") == 1
