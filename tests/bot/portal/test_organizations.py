"""With several organizations a page that names no pull request says whose rules it shows."""

from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from html import unescape

import pytest
from sqlmodel import select

from agreements.catalog import Catalog
from agreements.rulebook.rules import AgreementRef, Rules
from agreements.store.people import signatures
from bot.secret import Secret
from bot.store import owners
from bot.store.records import PullRecord

AT = datetime(2026, 1, 2, tzinfo=UTC)
PAGES = ("/", "/guide", "/faq", "/sign/icla", "/me")
SAYS = "These are the rules of"


@pytest.fixture(name="several")
def _several(tmp_path, make_portal, github):
    """Two organizations of three in the settings have rules that were read; the second was read last."""

    def several(*accounts):
        portal = make_portal(
            f"sqlite:///{tmp_path / 'portal.db'}", github, accounts=accounts, client_secret=Secret("client-secret")
        )
        rules = {1: Rules(organization="Alpha", individual=AgreementRef("icla", "2.0")), 2: Rules(organization="Beta")}
        object.__setattr__(portal.services, "rules", lambda owner: rules.get(owner, Rules(organization="whichever")))
        with portal.services.sessions() as records:
            for number, login in ((1, "alpha"), (2, "beta"), (4, "gone")):
                owners.remember_login(records, login, number)
                owners.remember_rules(records, number, "version: 1", valid=True, at=AT.replace(hour=number))
        return portal

    made = []

    def keep(*accounts):
        made.append(several(*accounts))
        return made[-1]

    yield keep
    for site in made:
        site.database.dispose()


@pytest.mark.slow
def test_with_one_known_organization_no_page_names_whose_rules_it_shows(several):
    for accounts in ((), ("alpha",), ("alpha", "unread")):
        browser = several(*accounts).signed_in()
        assert [path for path in PAGES if SAYS in browser.get(path).text] == []


def test_with_several_organizations_every_page_names_whose_rules_it_shows(several):
    browser = several("Alpha", "beta", "unread").signed_in()
    for path in PAGES:
        page = unescape(browser.get(path).text)
        assert f"{SAYS} alpha." in page, path
        assert 'href="?organization=beta"' in page
        assert "gone" not in page
        assert f"{SAYS} beta." in browser.get(f"{path}?organization=Beta").text, path
        assert f"{SAYS} alpha." in browser.get(f"{path}?organization=gone").text, path
    assert "Before Alpha can merge" in browser.get("/").text
    assert "Before Beta can merge" in browser.get("/?organization=beta").text


def test_an_address_with_an_organizations_new_login_shows_its_rules(several):
    portal = several("alpha", "beta")
    portal.pull(1)
    with portal.services.sessions() as records:
        records.exec(select(PullRecord)).one().owner_id = 2

    assert f"{SAYS} beta." in portal.browser().get("/?organization=CANN").text


def test_the_chosen_organization_is_kept_up_to_the_form_that_signs(several):
    portal = several("alpha", "beta")
    stranger = portal.browser()
    assert 'href="/sign/icla?organization=beta"' in stranger.get("/?organization=beta").text
    assert "next=%2Fsign%2Ficla%3Forganization%3Dbeta" in stranger.get("/sign/icla?organization=beta").text
    browser = portal.sign_in("/sign/icla?organization=beta")
    assert 'action="/sign/icla?organization=beta"' in browser.get("/sign/icla?organization=beta").text


@pytest.mark.parametrize("path", ["/sign/icla", "/company/request"])
@pytest.mark.parametrize(
    ("state", "said"),
    [
        ("broken", "The organisation's rules have errors"),
        ("unread", "We have not read the organisation's rules yet"),
    ],
)
def test_nothing_is_signed_while_the_rulebook_is_broken_or_unread(portal, path, state, said):
    browser = portal.signed_in()
    form = portal.form(browser, path, second="grace")
    portal.rules, portal.rules_state = Rules(), state

    for answer in (browser.get(path), browser.post(path, data=form)):
        page = unescape(answer.text)
        assert answer.status_code == 409
        assert said in page
        assert "Nothing was signed." in page
        assert "the project" not in page
    with portal.services.sessions() as records:
        assert signatures.mine(records, 11) == ()
    assert "您" in browser.get(f"{path}?lang=zh").text


def test_the_last_rulebook_without_mistakes_is_in_force_while_the_newest_has_some(portal):
    portal.rules_state = "outdated"
    browser = portal.signed_in()

    assert browser.post("/sign/icla", data=portal.form(browser)).status_code == 302


def test_the_broken_rulebook_of_one_organization_does_not_stop_another(several):
    portal = several("alpha", "beta")
    states = {1: "valid", 2: "broken"}
    object.__setattr__(portal.services, "rules_state", lambda owner: states.get(owner, "broken"))
    browser = portal.sign_in("/company/request")

    assert browser.get("/company/request?organization=alpha").status_code == 200
    assert browser.get("/company/request?organization=beta").status_code == 409


def test_a_text_that_names_no_organization_is_signed_without_one(portal):
    text = portal.services.catalog.get("icla", "2.0", "en")
    source = text.source.replace("{organization}", "us")
    own = replace(text, version="3.0", source=source, sha256=sha256(source.encode()).hexdigest())
    object.__setattr__(portal.services, "texts", lambda: Catalog.load().with_texts([own]))
    portal.rules = Rules(individual=AgreementRef("icla", "3.0"))
    browser = portal.signed_in()

    assert browser.post("/sign/icla", data=portal.form(browser)).status_code == 302


@pytest.mark.slow
def test_one_text_is_signed_separately_with_each_party(several):
    portal = several("alpha", "beta")
    browser = portal.signed_in()
    pages = {name: f"/sign/icla?organization={name}" for name in ("alpha", "beta")}
    first = browser.post(pages["alpha"], data=portal.form(browser, pages["alpha"])).headers["Location"]

    signed, other = (unescape(browser.get(page).text) for page in pages.values())
    assert "You have signed this version" in signed
    assert "<strong>Alpha</strong>" in signed
    assert "You have signed" not in other
    assert "<strong>Beta</strong>" in other
    assert 'action="/sign/icla?organization=beta"' in other

    second = browser.post(pages["beta"], data=portal.form(browser, pages["beta"])).headers["Location"]
    assert first != second
    assert "You have signed this version" in browser.get(pages["beta"]).text
    me = browser.get("/me").text
    assert ("with Alpha" in me, "with Beta" in me) == (True, True)
    for receipt, name in ((first, "Alpha"), (second, "Beta")):
        page = browser.get(receipt).text
        assert f"<dt>Signed with</dt><dd>{name}</dd>" in page
        assert "The text that you signed" in page
        assert browser.get(f"{receipt}.json").get_json(force=True)["party"] == name


def test_the_company_form_is_that_of_the_agreements_organization(several):
    portal = several("alpha", "beta")
    browser = portal.signed_in()
    page = unescape(browser.get("/company/request?organization=beta").text)
    assert "<strong>Beta</strong>" in page
    assert 'action="/company/request?organization=beta"' in page
    assert 'href="/company/request?organization=beta"' in browser.get("/sign/ccla?organization=beta").text
