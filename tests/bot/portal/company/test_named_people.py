"""Managers name and exclude people from a day on, by login or address, and find them again."""

import re

import pytest

from agreements.facts import Entry
from agreements.store.companies import company_entries
from agreements.store.record_context import RecordContext
from tests.bot.portal.company import office
from tests.bot.portal.sentences import without_times


def entries(desk, at=None):
    """What the company names: kind, key, excluded, state."""
    services = desk.portal.services
    with services.sessions() as session:
        page = company_entries.page(session, services.vault, desk.company_id, range(50), at=at or desk.portal.at)
    return [(entry.kind, entry.email or entry.account_id, entry.excluded, entry.state) for entry in page.entries]


def test_a_login_and_an_address_are_named_from_a_day_and_logged(requested):
    for filled in (
        {"who": "@Carol"},
        {"who": "Eve@Partner.ORG", "what": "exclude", "since": "2026-11-25", "until": "2026-11-30"},
    ):
        assert requested.send(requested.ada, "/people", **filled).status_code == 302

    assert entries(requested) == [("account", 13, False, "in force"), ("email", "eve@partner.org", True, "later")]
    assert requested.jobs == [0, 0, 3, 9]
    assert [kind for kind, *_ in office.log(requested.portal)] == ["company.requested", "entry.added", "entry.added"]
    page = without_times(requested.ada.get(f"/company/{requested.company_id}/people").text)
    for shown in ("carol", "number 13", "eve@partner.org", "2026-11-25", "2026-11-30</td>"):
        assert shown in page
    assert "2026-12-01" not in page


def test_an_exclusion_planned_for_later_allows_one_today(requested):
    for since, code in (("2026-12-31", 302), ("", 302), ("", 409), ("2026-12-31", 409)):
        sent = requested.send(requested.ada, "/people", who="carol", what="exclude", since=since)
        assert sent.status_code == code
    assert "There is already an entry for this." in sent.text
    assert sorted(entries(requested)) == [("account", 13, True, "in force"), ("account", 13, True, "later")]


@pytest.mark.slow
def test_a_person_who_left_is_not_called_covered_on_any_page(requested):
    for what in ("cover", "exclude"):
        assert requested.send(requested.ada, "/people", who="carol", what=what).status_code == 302
    home = f"/company/{requested.company_id}/people"
    pages = [requested.ada.get(home).text]
    pages += [requested.ada.get(match).text for match in dict.fromkeys(re.findall(rf'href="({home}/\w+)"', pages[0]))]
    words = [re.findall(r"(?:What</dt><dd>|data-label=\"What\">)([^<]+)", page) for page in pages]
    assert (
        sorted(words[0])
        == sorted(word for page in words[1:] for word in page)
        == ["excluded", "excluded by another entry"]
    )


MISTAKES = [
    ({"who": ""}, "who", 400),
    ({"who": "a@@b.org"}, "who", 409),
    ({"who": "nobody-has-this"}, "who", 400),
    ({"who": "a b"}, "who", 400),
    ({"who": "carol", "since": "2026-02-30"}, "since", 400),
    ({"who": "carol", "until": "20261130"}, "until", 400),
    ({"who": "carol", "since": "2026-11-20"}, "since", 409),
    ({"who": "carol", "since": "2026-11-30", "until": "2026-11-28"}, "until", 409),
    ({"who": "carol", "until": "9999-12-31"}, "until", 400),
]
"""What is filled in, the field that is named, the answer's status."""


@pytest.mark.parametrize("day", ["1900-01-01", "0001-01-01", "2026-11-20"])
def test_a_day_in_the_past_is_refused_at_its_field(requested, day):
    for name, said in (("since", "The day is in the past."), ("until", "The last day is in the past.")):
        sent = requested.send(requested.ada, "/people", who="carol", **{name: day})
        assert (sent.status_code, f'<a href="#{name}">{said}' in sent.text) == (409, True)


@pytest.mark.slow
def test_a_mistake_is_named_at_its_field_and_adds_no_entry(requested):
    for filled, field, code in MISTAKES:
        sent = requested.send(requested.ada, "/people", **filled)
        assert sent.status_code == code, filled
        assert re.findall(r'<li><a href="#([^"]+)">', sent.text) == [field]
        assert f'value="{filled["who"]}"' in sent.text
    assert entries(requested) == []


@pytest.mark.slow
def test_a_named_account_is_removed_at_once_or_at_the_end_of_a_day(requested):
    requested.send(requested.ada, "/people", who="carol")
    page = requested.ada.get(f"/company/{requested.company_id}/people").text
    entry = re.search(r"/people/([0-9a-f]{32})", page)[1]
    assert "number 13" in requested.ada.get(f"/company/{requested.company_id}/people/{entry}").text

    for typed, code in (("2026-11-20", 409), ("tomorrow", 400), ("2026-11-24", 302)):
        assert requested.send(requested.ada, f"/people/{entry}", until=typed).status_code == code
    assert requested.jobs == [0, 0, 3]
    assert "The end date is saved" in requested.ada.get(f"/company/{requested.company_id}/people").text
    longer = requested.send(requested.ada, f"/people/{entry}", until="2027-12-31")
    assert (longer.status_code, "This entry has already ended, or ends sooner." in longer.text) == (409, True)
    assert [kind for kind, *_ in office.log(requested.portal)].count("entry.ended") == 1
    assert requested.send(requested.ada, f"/people/{entry}", until="").status_code == 302
    assert entries(requested) == [("account", 13, False, "over")]
    assert requested.send(requested.ada, f"/people/{entry}", "/people", until="").status_code == 409
    assert requested.send(requested.ada, "/people/x", "/people").status_code == 404


@pytest.mark.slow
def test_named_people_are_shown_by_fifty_and_found_by_a_posted_search(requested):
    """A search by GET would leave addresses in histories and access logs."""
    services = requested.portal.services
    with services.sessions() as session:
        for number in range(60):
            company_entries.add(RecordContext(session, services.vault, 11, requested.portal.at, services.new_id), requested.company_id, Entry(account_id=1000 + number), login=f"dev{number}")  # fmt: skip
    home = f"/company/{requested.company_id}/people"
    page = requested.ada.get(home)
    assert len(page.data) < 60_000
    assert page.text.count('scope="row"') == 50
    assert requested.ada.get(f"{home}?page=2").text.count('scope="row"') == 10
    for number in ("0", "-1", "x", "9" * 40):
        assert requested.ada.get(f"{home}?page={number}").status_code == 200
    found = requested.send(requested.ada, "/people/search", "/people", wanted="DEV7").text
    assert found.count('scope="row"') == 1
    assert "number 1007" in found
    sorted_by = requested.send(requested.ada, "/people/search", "/people", kind="account", sort="name").text
    assert f'href="{home}?kind=account&amp;sort=name&amp;page=2"' in sorted_by
    assert "No entry matches." in requested.ada.get(f"{home}?kind=domain").text
    begun = requested.send(requested.ada, "/people/search", "/people", wanted="dev").text
    assert "Found: 60 · Only the first 50 are listed." in begun
    assert "No entry matches." in requested.send(requested.ada, "/people/search", "/people", wanted="x@y.org").text


def test_entries_of_another_company_are_neither_shown_nor_ended(portal):
    office.company(portal, Entry(account_id=77))
    office.company(portal, Entry(account_id=78), key="c2", name="Red Hat", managers=((13, "cyd"),))
    browser = portal.signed_in(**office.MANAGER)
    proof = {"csrf_token": portal.proof(browser, "/company/c1/people")}

    assert browser.get("/company/c1/people/c1e0").status_code == 200
    assert browser.get("/company/c1/people/c2e0").status_code == 404
    assert browser.post("/company/c1/people/c2e0", data=proof).status_code == 404
    assert browser.post("/company/c2/people/c2e0", data=proof).status_code == 404
    with portal.services.sessions() as session:
        assert company_entries.read_entry(session, portal.services.vault, "c2", "c2e0", at=portal.at).until is None


def test_a_foreign_address_needs_a_tick_and_a_look_alike_is_refused(portal):
    office.company(portal)
    browser = portal.signed_in(**office.MANAGER)
    path = "/company/c1/people"

    def send(**filled):
        return browser.post(path, data={"csrf_token": portal.proof(browser, path), **filled})

    look_alike = send(who="a@huawel.com", foreign="y")
    assert (look_alike.status_code, "looks like one of yours" in look_alike.text) == (409, True)
    asked = send(who="eve@partner.org")
    assert (asked.status_code, "outside your domains. Tick the box" in asked.text) == (409, True)
    assert 'name="foreign"' in asked.text
    assert 'value="eve@partner.org"' in asked.text
    assert 'name="foreign"' not in browser.get(path).text
    for good in (
        {"who": "ada@huawei.com"},
        {"who": "eve@partner.org", "foreign": "y"},
        {"who": "a@huawel.com", "what": "exclude"},
    ):
        assert send(**good).status_code == 302, good
