"""An administrator decides for which party agreements of an earlier release were made; auditors only read."""

from html import unescape

import pytest

from agreements.facts import Account
from agreements.store import parties
from agreements.store.companies import companies, company_agreements
from agreements.store.people import person_rows, signatures
from bot.job_queue import Job
from tests.drafts import company_draft
from tests.within import within

PATH = "/admin/parties"
CANN = "The CANN Authors"


@pytest.fixture(name="undecided")
def _undecided(office):
    """Three signatures whose rows say no party, one of them the administrator's, and a company without a signature."""
    services = office.portal.services
    with services.sessions() as session:
        for account_id in (11, 12, 90):
            who = Account(account_id, f"u{account_id}")
            person = person_rows.ensure(within(session, services.vault, services.clock(), services.new_id), who)
            signatures.add(within(session, services.vault, services.clock(), services.new_id), person, office.draft(party=None), receipt=f"0000-0000-0000-0000-00{account_id}", anew=True)  # fmt: skip
        draft = company_draft("Imported Ltd", services.clock(), party=None)
        companies.add(within(session, services.vault, new_id="c0ffee"), draft)
    return office


def key(office):
    """What the form of the group of signatures is about."""
    page = office.root.get(PATH).text
    return page.partition('name="about" value="')[2].partition('"')[0]


def counting(office):
    """Whose signature counts, and with whom."""
    services = office.portal.services
    with services.sessions() as session:
        found = signatures.of(session, [11, 12, 90], accepted=services.catalog.accepted())
    return [(signature.account_id, signature.party) for signature in found]


def test_undecided_agreements_are_shown_with_the_parties_and_without_a_form_for_auditors(undecided):
    page, eye = undecided.root.get(PATH).text, undecided.eye.get(PATH).text

    assert f'<option value="{CANN}">{CANN}</option>' in page
    assert "Imported Ltd" in page
    assert "<dd>3</dd>" in page
    assert '<a href="/admin/parties">' in undecided.root.get("/admin").text
    assert "Imported Ltd" in eye
    assert 'name="about"' not in eye
    assert 'name="party"' not in eye


def test_a_decision_on_a_group_covers_all_but_the_administrators_own_signature(undecided):
    answer = undecided.post(PATH, about=key(undecided), party=CANN)

    assert answer.headers["Location"] == PATH
    assert counting(undecided) == [(11, CANN), (12, CANN)]
    entry = undecided.entries()[0]
    assert (entry.kind, entry.actor_id, len(entry.rows)) == ("party.decided", 90, 2)
    assert Job("recheck", (11, 12), "later") in undecided.portal.engine.waiting
    assert "2 agreements were decided." in undecided.root.get(PATH).text

    again = undecided.post(PATH, about=key(undecided), party=CANN)
    assert again.status_code == 409
    assert "your own signature" in unescape(again.text)


def test_a_decision_covers_only_the_ticked_signatures(undecided):
    undecided.post(PATH, about=key(undecided), party=CANN, receipt="0000-0000-0000-0000-0012")
    assert counting(undecided) == [(12, CANN)]


def test_the_list_and_the_page_of_a_signature_name_its_party_once_decided(undecided):
    receipt = "0000-0000-0000-0000-0012"
    pages = ("/admin/signatures", f"/admin/signatures/{receipt}")
    before = [undecided.eye.get(page).text for page in pages]
    undecided.post(PATH, about=key(undecided), party=CANN, receipt=receipt)

    assert all("not known" in page and CANN not in page for page in before)
    assert all(CANN in undecided.eye.get(page).text for page in pages)


def test_the_party_of_a_company_is_decided_by_its_own_form(undecided):
    undecided.post(PATH, about="c0ffee", party=CANN)
    with undecided.portal.services.sessions() as session:
        assert company_agreements.party(session, "c0ffee") == CANN
        assert parties.companies(session) == ()
    assert undecided.entries()[0].kind == "party.decided"


@pytest.mark.parametrize("party", ["", "Other Foundation", "the cann authors"])
def test_a_party_that_no_rulebook_names_cannot_be_chosen(undecided, party):
    answer = undecided.post(PATH, about=key(undecided), party=party)

    assert answer.status_code == 400
    assert "Choose with whom it was signed." in answer.text
    assert counting(undecided) == []


@pytest.mark.parametrize("about", ["", "x" * 32, "' OR 1", "../c0ffee"])
def test_a_decision_on_an_unknown_group_changes_nothing(undecided, about):
    undecided.post(PATH, about=about, party=CANN)
    with undecided.portal.services.sessions() as session:
        assert parties.count(session) == 4


def test_a_party_without_a_rulebook_is_shown_with_the_line_to_add(office):
    """An organisation that was renamed leaves such a party behind."""
    office.signed()
    assert "parties: [" not in office.root.get(PATH).text
    office.portal.rules = type(office.portal.rules)(organization="New name")

    page = unescape(office.root.get(PATH).text)
    assert 'parties: ["The CANN Authors"]' in page
    assert "1 agreement" in page
