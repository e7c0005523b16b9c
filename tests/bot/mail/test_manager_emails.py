"""E-mails to a company's managers: to each in office whom we can write to, in the language of what they signed."""

from dataclasses import replace

from agreements.facts import Account
from agreements.github_server import GITHUB_COM
from agreements.store.record_context import RecordContext
from bot.mail import manager_emails, smtp
from bot.mail.manager_emails import ManagerNotice
from tests.bot.portal.company import office

VALUES = {"login": "ada", "company": "Huawei", "domain": "huawei.com", "url": "http://localhost"}


def test_each_manager_gets_one_email_an_occasion(portal):
    office.company(portal, managers=((12, "bob"), (13, "cyd")))
    office.company(portal, office.Entry(domain="redhat.com"), key="c2", name="Red Hat", managers=((14, "dan"),))
    for _ in range(2):
        with portal.services.sessions() as session:
            occasion = ManagerNotice(kind="enrolled", values=VALUES, once="first")
            manager_emails.write(
                RecordContext(session, portal.services.vault, None, portal.at, portal.services.new_id),
                "c1",
                occasion,
                server=GITHUB_COM,
            )

    written = office.outbox_emails(portal)
    assert [(email.to, email.account_id, email.language) for email in written] == [
        ("bob@boss.example", 12, "en"),
        ("cyd@boss.example", 13, "en"),
    ]
    assert [email.values for email in written] == [VALUES | {"manager": "bob"}, VALUES | {"manager": "cyd"}]


def welcome(portal, company_id, *whom):
    """Welcome these accounts there."""
    url = f"http://localhost/company/{company_id}"
    with portal.services.sessions() as session:
        for who in whom:
            manager_emails.welcome(
                RecordContext(session, portal.services.vault, None, portal.at, portal.services.new_id),
                Account(*who),
                (company_id, "Huawei"),
                url=url,
                by="ada",
                server=GITHUB_COM,
            )


def test_a_new_manager_is_written_to_in_the_language_of_the_last_signature(portal):
    office.known(portal, 15, "eve", "eve@partner.org")
    welcome(portal, "c1", (15, "eve"), (16, "fay"))
    (email,) = office.outbox_emails(portal)

    assert (email.kind, email.to, email.account_id) == ("manager-appointed", "eve@partner.org", 15)
    assert "eve" not in repr(email).replace("'manager-appointed'", "")
    for language, words in (("en", "ada added your GitHub account eve"), ("zh", "ada 已将您的 GitHub 账号 eve")):
        page = smtp.read(replace(email, language=language))
        assert words in page.body
        assert "http://localhost/company/c1" in page.body


def test_one_welcome_a_day_is_sent_at_one_company(portal):
    for account_id, login in ((1, "ann"), (15, "eve")):
        office.known(portal, account_id, login, f"{login}@partner.org")
    office.company(portal, managers=((13, "cyd"),))
    with portal.services.sessions() as session:
        once = manager_emails.welcomed("http://localhost/company/c1", portal.at)
        occasion = ManagerNotice(kind="company-countersigned", values=VALUES, once=once)
        manager_emails.write(
            RecordContext(session, portal.services.vault, None, portal.at, portal.services.new_id),
            "c1",
            occasion,
            server=GITHUB_COM,
        )

    written = []
    for hours in (0, 0, 23.9, 0.1):
        portal.later(hours=hours)
        for company_id in ("c11", "c1"):
            welcome(portal, company_id, (15, "eve"), (1, "ann"), (13, "cyd"))
        written.append(len(office.outbox_emails(portal)))
    assert written == [1 + 5, 6, 6, 6 + 6]


def test_a_manager_of_two_companies_reads_each_email_at_that_company(portal):
    for name, key, domain in (("Huawei", "c1", "huawei.com"), ("Red Hat", "c2", "redhat.com")):
        office.company(portal, office.Entry(domain=domain), name=name, key=key, managers=())
    office.known(portal, 12, "bob", "bob@huawei.com")
    portal.later(days=30)
    office.known(portal, 12, "bob", "bob@redhat.com")
    office.known(portal, 13, "cyd", "cyd@redhat.com")
    with portal.services.sessions() as session:
        for key in ("c1", "c2"):
            for who, login in ((12, "bob"), (13, "cyd")):
                session.add(office.CompanyManager(
                    id=f"{key}{who}", company_id=key, account_id=who, login=login, since=portal.at, added_by=1
                ))  # fmt: skip
    for key in ("c1", "c2"):
        with portal.services.sessions() as session:
            occasion = ManagerNotice(kind="enrolled", values=VALUES, once=key)
            manager_emails.write(
                RecordContext(session, portal.services.vault, None, portal.at, portal.services.new_id),
                key,
                occasion,
                server=GITHUB_COM,
            )

    assert [email.to for email in office.outbox_emails(portal)] == [
        "bob@huawei.com",
        "bob@redhat.com",
        "cyd@redhat.com",
    ]
