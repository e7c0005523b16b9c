"""A manager claims a domain, publishes its DNS record and has it checked at once."""

import re

import pytest

from agreements.store.companies import domain_claims
from tests.bot.portal.company import office
from tests.within import within

CLAIMED = re.compile(r"<code>(cla-verify=[0-9a-f]{32})</code>")


@pytest.fixture(name="claimed")
def _claimed(requested):
    """huawei.com is asked for; gives the desk, which knows the record's text and the claim."""
    assert requested.send(requested.ada, "/domains", domain="Huawei.COM", subdomains="y").status_code == 302
    page = requested.ada.get(f"/company/{requested.company_id}/domains").text
    requested.text = CLAIMED.search(page)[1]
    requested.claim = re.search(r"/domains/([0-9a-f]{32})/check", page)[1]
    requested.check = lambda: requested.send(requested.ada, f"/domains/{requested.claim}/check", "/domains")
    return requested


def held(desk):
    """The company's domains."""
    with desk.portal.services.sessions() as session:
        return domain_claims.held(session, desk.company_id, at=desk.portal.at)


def test_the_record_to_publish_is_shown_and_the_claim_is_one_entry_of_the_log(claimed):
    page = claimed.ada.get(f"/company/{claimed.company_id}/domains").text
    assert "_cla-challenge.huawei.com" in page
    assert office.log(claimed.portal)[-1] == ("domain.claimed", 11, "company", ["domain_claim", "proof"])


@pytest.mark.slow
def test_a_domain_is_the_companys_once_all_its_servers_show_the_record(claimed):
    claimed.servers[0].zone["_cla-challenge.huawei.com.", "A"] = claimed.servers[1].zone["_cla-challenge.huawei.com.", "A"] = []  # fmt: skip
    absent = claimed.check()
    assert (absent.status_code, "The record was not found" in absent.text) == (409, True)
    claimed.servers[0].zone["_cla-challenge.huawei.com.", "TXT"] = [f'"{claimed.text}"']
    assert "The record is not visible everywhere" in claimed.check().text
    claimed.servers[1].behave = "SERVFAIL"
    assert "did not respond" in claimed.check().text
    assert (held(claimed), claimed.jobs) == ((), [])

    claimed.servers[1].behave = ""
    claimed.show("huawei.com", claimed.text)
    assert claimed.check().status_code == 302
    assert (held(claimed), claimed.jobs) == (("huawei.com",), [0])
    assert office.log(claimed.portal)[-1] == ("domain.proven", 11, "company", ["domain_claim", "company_entry"])
    assert "Verified on" in claimed.ada.get(f"/company/{claimed.company_id}/domains").text


def test_subdomains_are_left_out_unless_they_are_chosen(requested):
    form = requested.ada.get(f"/company/{requested.company_id}/domains").text
    assert 'name="subdomains" id="subdomains" value="y">' in form
    wrong = requested.send(requested.ada, "/domains", domain="example", subdomains="y").text
    assert 'name="subdomains" id="subdomains" value="y" checked>' in wrong


def test_the_page_has_every_domain_of_a_company_with_many(claimed):
    services, names = claimed.portal.services, [f"huawei-{number}.com" for number in range(50)]
    with services.sessions() as session:
        for name in names:
            context = within(session, services.vault, claimed.portal.at, services.new_id, by=11)
            domain_claims.claim(context, claimed.company_id, name, addresses=[f"ada@{name}"])
    page = claimed.ada.get(f"/company/{claimed.company_id}/domains").text

    assert [name for name in names if f"_cla-challenge.{name}<" not in page] == []
    assert f"/domains/{claimed.claim}/check" in page, "the oldest one waits for its record, too"


def test_the_record_of_another_claim_proves_no_domain(claimed):
    claimed.show("huawei.com", "cla-verify=" + "0" * 32)
    assert claimed.check().status_code == 409


@pytest.mark.slow
def test_subdomains_are_switched_off_and_on_and_a_domain_is_given_up(claimed):
    claimed.show("huawei.com", claimed.text)
    claimed.check()
    off = claimed.send(claimed.ada, f"/domains/{claimed.claim}/subdomains", "/domains")
    assert off.status_code == 302
    before = office.log(claimed.portal), claimed.jobs
    assert claimed.send(claimed.ada, f"/domains/{claimed.claim}/subdomains", "/domains").status_code == 302
    assert (office.log(claimed.portal), claimed.jobs) == before, "the same again is no change"
    page = claimed.ada.get(f"/company/{claimed.company_id}/domains").text
    assert "Only addresses at exactly this domain count" in page
    entry = re.search(r"/people/([0-9a-f]{32})", page)[1]
    gone = claimed.send(claimed.ada, f"/people/{entry}")
    assert gone.headers["Location"].endswith("/domains")
    assert held(claimed) == ()
    assert [kind for kind, *_ in office.log(claimed.portal)][-2:] == ["entry.changed", "entry.ended"]


REFUSED = [
    ("", "Enter a domain"),
    ("gmail.com", "Anyone can get an address"),
    ("com.cn", "Many organisations"),
    ("huawei", "at least two parts"),
    ("https://huawei.com/", "Enter the domain alone, such as example.com, without https:// or a path."),
    ("1.2.3.4", "not a domain"),
    ("hisilicon.com", "You have no verified address"),
    ("rd.huawei.com", "You have no verified address"),
]
"""What is asked for, and words of the sentence at the field."""


@pytest.mark.slow
def test_a_refused_domain_is_explained_at_its_field_and_stays_typed(requested):
    for domain, words in REFUSED:
        sent = requested.send(requested.ada, "/domains", domain=domain)
        assert sent.status_code in (400, 409)
        assert words in sent.text
        assert f'value="{domain}"' in sent.text
    assert [kind for kind, *_ in office.log(requested.portal)] == ["company.requested"]


def test_a_claim_of_another_company_is_not_found(claimed):
    assert claimed.send(claimed.ada, "/domains/x/check", "/domains").status_code == 404
    office.company(claimed.portal, key="c2", name="Other", managers=((11, "ada"),))
    claimed.company_id = "c2"
    assert claimed.check().status_code == 404


def test_a_claim_needs_an_address_there_that_was_verified_within_12_hours(requested):
    portal = requested.portal
    office.known(portal, 11, "ada", "ada@hisilicon.com")
    portal.later(hours=12, seconds=1)
    requested.ada = requested.sit(id=11, login="ada")
    late = requested.send(requested.ada, "/domains", domain="hisilicon.com")
    assert late.status_code == 409
    assert "verified more than 12 hours ago" in late.text
    assert [kind for kind, *_ in office.log(portal)] == ["company.requested"]

    office.known(portal, 11, "ada", "ada@hisilicon.com")
    assert requested.send(requested.ada, "/domains", domain="hisilicon.com").status_code == 302


def test_a_check_needs_a_manager_with_a_recently_verified_address_there(claimed):
    claimed.show("huawei.com", claimed.text)
    office.works(claimed.portal, "ada@home.example")
    claimed.ada = claimed.portal.signed_in(id=11, login="ada")
    old = claimed.check()
    assert (old.status_code, held(claimed)) == (409, ())
    assert "You have no verified address at exactly this domain" not in old.text, "it is known, and too old"
    assert "verified more than 12 hours ago" in old.text

    office.works(claimed.portal, "ada@huawei.com")
    claimed.ada = claimed.portal.signed_in(id=11, login="ada")
    assert claimed.check().status_code == 302
    assert held(claimed) == ("huawei.com",)
