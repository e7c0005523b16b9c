"""The administration's pages of domains that companies claim: the evidence, and the decision with its reason."""

from dataclasses import replace

import pytest

from agreements.facts import Account
from agreements.store.companies import domain_claims
from agreements.store.people import emails, person_rows
from agreements.store.people.emails import ProvenAddress
from bot.network.resolvers import Server
from tests.bot.network.test_dns import SmallDns
from tests.within import within

ZONE = {
    ("huawei.com.", "MX"): ["20 b.mail.huawei.com.", "10 a.mail.huawei.com."],
    ("huawei.com.", "NS"): ["ns1.huawei.com."],
}


@pytest.fixture(name="dns")
def _dns(office):
    """A DNS server that the portal asks."""
    server = SmallDns(dict(ZONE)).start()
    servers = (Server("127.0.0.1", server.port), Server("127.0.0.1", server.port))
    object.__setattr__(
        office.portal.services, "settings", replace(office.portal.services.settings, dns_servers=servers)
    )
    yield server
    server.stop()


@pytest.mark.slow
def test_the_page_of_a_claim_shows_mail_servers_managers_addresses_and_rival_claims(office, dns):
    services = office.portal.services
    claim_id = office.claim(office.company())
    other = office.company("Other")
    office.claim(other)
    with services.sessions() as session:
        ada = person_rows.ensure(within(session, services.vault, services.clock(), services.new_id), Account(11, "ada"))
        proven = ProvenAddress(address="ada@huawei.com", how="mailed-code", at=services.clock())
        emails.prove(within(session, services.vault, new_id=services.new_id), ada, proven)
    assert office.eye.get("/admin/domains").text.count("/admin/domains/") == 2
    page = office.eye.get(f"/admin/domains/{claim_id}").text

    assert "a.mail.huawei.com, b.mail.huawei.com" in page
    assert "ns1.huawei.com" in page
    assert "anyone can register under com" in page
    assert "a…a@huawei.com" in page
    assert f'<a href="/admin/companies/{other}">Other</a> · <code>huawei.com</code> · also requested it' in page
    assert "<form" not in page.split("<main")[1]
    assert "/approve" in office.root.get(f"/admin/domains/{claim_id}").text


def test_a_look_alike_domain_is_shown_in_letters_and_as_dns_writes_it(office, dns):
    claim_id = office.claim(office.company(), "xn--huwei-5ve.com")
    dns.zone["xn--huwei-5ve.com.", "MX"] = ["0 ."]
    page = office.root.get(f"/admin/domains/{claim_id}").text

    assert "Mixed scripts" in page
    assert "huаwei.com" in page
    assert "xn--huwei-5ve.com" in page
    assert "none, this domain receives no e-mail" in page


def test_the_page_of_a_claim_is_shown_while_dns_does_not_respond(office, dns):
    dns.behave = "SERVFAIL"
    claim_id = office.claim(office.company())
    assert office.root.get(f"/admin/domains/{claim_id}").text.count("DNS is not responding right now.") == 2


@pytest.mark.slow
def test_approving_a_claim_needs_a_reason_and_is_one_entry_of_the_log(office, dns):
    company_id = office.company()
    claim_id = office.claim(company_id)
    assert office.post(f"/admin/domains/{claim_id}/approve", reason="").status_code == 409
    before = len(office.entries())
    answer = office.post(f"/admin/domains/{claim_id}/approve", reason="Their letter head")

    assert (answer.status_code, answer.location) == (302, f"/admin/companies/{company_id}")
    entries = office.entries()
    assert (len(entries), entries[0].kind, entries[0].actor_id) == (before + 1, "domain.proven", 90)
    with office.portal.services.sessions() as session:
        assert domain_claims.held(session, company_id, at=office.portal.at) == ("huawei.com",)
    assert ("company", (company_id,)) in {(job.name, job.ids) for _, job in office.portal.engine._committed}
    assert "Their letter head" in office.eye.get(f"/admin/domains/{claim_id}").text
    again = office.post(f"/admin/domains/{claim_id}/refuse", reason="no")
    assert (again.status_code, "This was already decided." in again.text) == (409, True)


def test_a_company_does_not_hold_a_refused_domain(office, dns):
    company_id = office.company()
    claim_id = office.claim(company_id)
    assert office.post(f"/admin/domains/{claim_id}/refuse", reason="Not theirs").status_code == 302

    assert office.entries()[0].kind == "domain.refused"
    with office.portal.services.sessions() as session:
        assert domain_claims.held(session, company_id, at=office.portal.at) == ()


def test_a_domain_that_another_company_holds_is_not_approved(office, dns):
    first, second = office.claim(office.company()), office.claim(office.company("Other"))
    office.post(f"/admin/domains/{first}/approve", reason="theirs")
    answer = office.post(f"/admin/domains/{second}/approve", reason="theirs too")

    assert (answer.status_code, "Another company has this domain" in answer.text) == (409, True)
    assert office.root.get("/admin/domains/gone").status_code == 404
    assert office.post("/admin/domains/gone/approve", reason="r").status_code == 404


def test_the_managers_get_an_email_with_the_reason_of_each_decision(office, dns):
    company_id = office.company()
    claim, other = office.claim(company_id), office.claim(company_id, "huawei.cn")
    office.reach()
    office.post(f"/admin/domains/{claim}/approve", reason="Their letter head")
    office.post(f"/admin/domains/{other}/refuse", reason="Not theirs")

    written = [(kind, values["domain"], values["reason"]) for kind, _, values in office.outbox_emails()]
    assert written == [
        ("domain-approved", "huawei.com", "Their letter head"),
        ("domain-refused", "huawei.cn", "Not theirs"),
    ]
