"""My page: what somebody signed, how they stand, their addresses and companies, and the ways to their data."""

from datetime import timedelta

from agreements.facts import Account
from agreements.rulebook.rules import AgreementRef
from agreements.store.companies import companies
from agreements.store.companies.companies import CompanyDraft
from agreements.store.people import emails, people, signatures
from agreements.store.people.emails import ProvenAddress
from agreements.store.tables.company_records import CompanyManager
from tests.bot.portal.sentences import without_times
from tests.logged import log_rows


def test_everything_on_one_page(portal):
    """Signatures with receipts and the way to withdraw, addresses with how and until, companies, data."""
    browser = portal.signed_in()
    empty = browser.get("/me").text
    receipt = browser.post("/sign/icla", data=portal.form(browser)).headers["Location"]
    with portal.services.sessions() as session:
        draft = CompanyDraft(
            party="The CANN Authors", name="Huawei & Co", agreement="ccla", version="2.0", signed_at=portal.at
        )
        companies.add(session, portal.services.vault, draft, new_id="c1")
        session.add(CompanyManager(id="m1", company_id="c1", account_id=11, login="ada", since=portal.at, added_by=90))
        log_rows(session, portal.services.vault)
    page = without_times(browser.get("/me").text)

    assert "You have not signed anything here yet" in empty
    for shown in (
        f'href="{receipt}"', f'href="{receipt}/withdraw"', "ada@example.com · verified by GitHub", "until 2027-11-21",
        'href="/me/emails"', 'href="/me/enrolments"', '<a href="/company/c1">Huawei &amp; Co</a>',
        'href="/me/export"', 'href="/me/erasure"',
    ):  # fmt: skip
        assert shown in page
    assert "Huawei" not in portal.signed_in(id=12, login="bob").get("/me").text


def test_how_somebody_stands(portal, covered):
    """Covered by a company: said with its name, to that person alone, and nothing is asked for."""
    covered(account=11)
    page = portal.signed_in().get("/me").text

    assert "<strong>Huawei</strong> covers you under its company agreement." in page
    assert "you do not need to at the moment" in page
    assert "/sign/icla" not in page
    assert "Huawei" not in portal.signed_in(id=12, login="bob").get("/me").text


def test_an_erased_signature_is_listed_as_erased(portal):
    """Whoever was erased and comes back begins anew; what was before is named, and its receipt shows no name."""
    browser = portal.signed_in()
    receipt = browser.post("/sign/icla", data=portal.form(browser)).headers["Location"]
    portal.later(days=1)
    with portal.services.sessions() as session:
        person = people.find(session, 11)
        person.wrapped_key, person.erased_at = b"", portal.at
    portal.later(days=1)
    browser = portal.signed_in()
    page, old = browser.get("/me").text, browser.get(receipt).text
    again = browser.post("/sign/icla", data=portal.form(browser)).headers["Location"]

    assert "· erased" in page
    assert "nobody can read them any more" in old
    assert "Lovelace" not in old
    assert again != receipt
    assert "Ada Lovelace" in browser.get(again).text


def test_a_lapsed_address(portal):
    """It says since when it no longer counts."""
    with portal.services.sessions() as session:
        ada = people.ensure(session, portal.services.vault, account=Account(11, "ada"), at=portal.at, new_id="p1")
        old = ProvenAddress(
            address="a@old.org", how="mailed-code", at=portal.at - timedelta(9), until=portal.at - timedelta(1)
        )
        emails.prove(session, portal.services.vault, ada, old, new_id="e1")

    assert "a@old.org · verified with a code by e-mail · expired on 2026-11-20" in without_times(
        portal.signed_in().get("/me").text
    )


def test_a_title_without_its_text(portal):
    """A signature whose text is in no catalog is named by its short name."""
    browser = portal.signed_in()
    browser.post("/sign/icla", data=portal.form(browser))
    with portal.services.sessions() as session:
        one = signatures.mine(session, 11)[0]

    assert one.agreement == AgreementRef("icla", "2.0").text
    assert "Individual Contributor License Agreement" in browser.get("/me").text
