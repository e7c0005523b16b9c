"""The pages of the log: newest entries first, filters, and the page of one entry."""

import ast
import csv
import re
from pathlib import Path

import pytest
from flask_babel import force_locale

from agreements.facts import Account
from agreements.store.companies import companies
from agreements.store.ledger.stored_ledger import SERVER, Change
from agreements.store.people import person_rows
from bot.portal.admin.log import KINDS
from bot.report import comment_commands
from bot.store.pulls import overrides
from bot.store.pulls.overrides import OverrideDraft
from tests.bot.conftest import AUDITOR
from tests.bot.portal.sentences import without_times
from tests.drafts import company_draft
from tests.within import within


@pytest.fixture(name="log")
def _log(office):
    """A company that asks (entry 0) for a domain (entry 1), a day later a revocation (entry 3) by who is new (entry 2)."""
    company_id = office.company()
    office.claim(company_id)
    office.signed()
    office.later(1)
    browser = office.portal.signed_in(id=90, login="root")
    office.post("/admin/signatures/AAAA-BBBB-CCCC-DDDD-EEEE/revoke", browser, reason="Stolen")
    office.browser = browser
    office.company_id = company_id
    return office


def shown(log, query=""):
    """Numbers of the entries on the page."""
    return re.findall(r'<a href="/admin/log/(\d+)">', log.browser.get(f"/admin/log{query}").text)


def test_the_log_is_filtered_and_unreadable_filters_are_ignored(log):
    for query, numbers in (
        ("", ["3", "2", "1", "0"]), ("?kind=company.requested", ["0"]), ("?subject=11", ["3"]), ("?subject=12", []),
        ("?from=2026-11-22", ["3", "2"]), ("?to=2026-11-21", ["1", "0"]), ("?from=2026-11-21&to=2026-11-22", ["3", "2", "1", "0"]),
        ("?from=tomorrow&page=0", ["3", "2", "1", "0"]), ("?page=2", []), (f"?subject={log.company_id}", ["1", "0"]),
    ):  # fmt: skip
        assert shown(log, query) == numbers, query


def test_the_page_of_an_entry_shows_its_details_and_the_rows_it_wrote(log):
    page = log.browser.get("/admin/log/3").text

    assert "<code>signature.revoked</code>" in page
    assert "Stolen" in page
    assert ">withdrawal</td>" in page
    assert '<dd><a href="/admin/people/11">ada</a> <code>' in page
    for gone in ("4", str(2**70), "x"):
        assert log.browser.get(f"/admin/log/{gone}").status_code == 404


def test_entries_link_to_names_and_logins_but_to_the_number_of_a_restricted_person(log):
    assert '<a href="/admin/people/90">root</a>' in log.browser.get("/admin/log").text
    auditor = log.portal.signed_in(id=AUDITOR, login="eye")
    page = auditor.get("/admin/log").text

    assert f'<a href="/admin/companies/{log.company_id}">Huawei</a>' in page
    assert page.count('<a href="/admin/people/11">ada</a>') == 3
    assert '<a href="/admin/people/90">root</a>' in page
    with log.portal.services.sessions() as session:
        person_rows.find(session, 11).restricted_at = log.portal.at
    page = log.browser.get("/admin/log").text
    assert ">ada<" not in page
    assert page.count('<a href="/admin/people/11">account 11</a>') == 3
    assert ">ada<" not in log.browser.get("/admin/log/3").text


def test_an_override_links_to_its_pull_request_on_github(log):
    services, pull = log.portal.services, log.portal.pull(7)
    draft = OverrideDraft(pull_id=pull, kind="cla", account_id=11, head_sha="a" * 40, by=Account(90, "root"), by_role="admin", comment_id=1, reason="Known")  # fmt: skip
    with services.change(90) as context:
        row = overrides.add(within(context.session, services.vault, context.at, context.new_id), draft)
        context.log("override.granted", rows=[row])

    for address in ("/admin/log", "/admin/log/4"):
        assert re.search(r'<a href="[^"]+/pull/7">[^<]+#7</a>', log.browser.get(address).text)


def test_a_long_log_has_pages_of_fifty_that_keep_the_filter(office):
    services = office.portal.services
    with services.sessions() as session:
        for number in range(51):
            draft = company_draft(f"Company {number:03}", services.clock())
            companies.add(within(session, services.vault, new_id=services.new_id), draft)
            change = Change(kind="company.requested", actor_id=11, subject=SERVER)
            within(session, services.vault, services.clock(), services.new_id).append(change)
    page = office.root.get("/admin/log?kind=company.requested").text

    assert page.count('<a href="/admin/log/') == 50
    assert "page=2" in page
    assert "kind=company.requested" in page.replace("&amp;", "&")
    assert len(page.encode()) < 60_000
    assert len(office.root.get("/admin/companies").text.encode()) < 60_000


def test_a_kind_is_shown_with_words_beside_its_code_in_both_languages(log):
    for language, words in (("en", "A signature was revoked"), ("zh", "撤销了一份签署")):
        listed = log.browser.get(f"/admin/log?lang={language}").text
        page = log.browser.get(f"/admin/log/3?lang={language}").text

        assert f"{words}<br><code>signature.revoked</code>" in listed
        assert f'<option value="signature.revoked">signature.revoked – {words}</option>' in listed
        assert f"<h1>{words}</h1>" in page
        assert "<code>signature.revoked</code>" in page


def test_an_entry_of_an_unknown_kind_is_shown_by_its_code(office):
    """A later version of the server may have written the entry."""
    services = office.portal.services
    with services.sessions() as session:
        change = Change(kind="some.thing", actor_id=11, subject=SERVER)
        within(session, services.vault, services.clock(), services.new_id).append(change)

    assert "<code>some.thing</code>" in office.root.get("/admin/log").text
    assert "<h1>some.thing</h1>" in office.root.get("/admin/log/0").text


def test_moments_in_the_details_of_an_entry_are_shown_as_times(office):
    services = office.portal.services
    details = {"until": "2027-01-31T12:00:00+00:00", "since": None, "reason": "2027", "renew_by": services.clock()}
    with services.sessions() as session:
        change = Change(kind="company.ended", actor_id=11, subject=SERVER, details=details)
        within(session, services.vault, services.clock(), services.new_id).append(change)
    page = office.root.get("/admin/log/0").text

    assert "<dt>until</dt><dd>2027-01-31 12:00:00 UTC</dd>" in without_times(page)
    assert f"<dt>renew_by</dt><dd>{services.clock():%Y-%m-%d %H:%M:%S} UTC</dd>" in without_times(page)
    assert "<dt>reason</dt><dd>2027</dd>" in page
    assert "<dt>since</dt><dd>–</dd>" in page


ROOT = Path(__file__).parents[4]
CODE = re.compile(r"[a-z]+\.[a-z]+")


def documented():
    """The kinds that the reference lists."""
    with (ROOT / "docs/reference/ledger-kinds.csv").open(encoding="utf-8", newline="") as lines:
        return {row["kind"] for row in csv.DictReader(lines)}


def choices(value):
    """The words that an argument may be."""
    parts = (value.body, value.orelse) if isinstance(value, ast.IfExp) else (value,)
    return {part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)}


def written():
    """The kinds in the code: what changes are made of, and what is handed to the functions that make them."""
    found = set()
    for folder in ("agreements/store", "bot"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call):
                    name = getattr(node.func, "id", getattr(node.func, "attr", ""))
                    arguments = [*node.args, *(keyword.value for keyword in node.keywords)]
                    found |= {
                        word
                        for value in arguments
                        for word in choices(value)
                        if CODE.fullmatch(word)
                        and name
                        in ("Change", "log", "log_entry", "_log", "_change", "_count", "_counted", "note_person")
                    }
                if isinstance(node, ast.Assign) and any(
                    isinstance(target, ast.Name) and target.id in ("kind", "ADOPTED") for target in node.targets
                ):
                    found |= {word for word in choices(node.value) if CODE.fullmatch(word)}
    return found


def test_each_kind_that_is_written_has_words_and_is_documented():
    assert set(KINDS) == documented() == written()
    assert list(KINDS) == sorted(KINDS)


def test_each_kind_has_its_own_words_in_both_languages(portal):
    for language in ("en", "zh_Hans_CN"):
        with portal.app.test_request_context(), force_locale(language):
            said = [str(words) for words in KINDS.values()]
        assert len(set(said)) == len(said)
        assert all(re.search("[\u4e00-\u9fff]", text) for text in said) == (language != "en")


def test_granted_overrides_are_listed_with_their_escaped_reason(office):
    services = office.portal.services
    pull_id = office.portal.pull(7)
    draft = OverrideDraft(
        pull_id=pull_id, kind="dco", head_sha="a" * 40, by=Account(12, "bob"), by_role="admin", comment_id=5,
        reason="<b>signed on paper</b>",
    )  # fmt: skip
    with services.sessions() as session:
        overrides.add(within(session, services.vault, services.clock(), services.new_id), draft)
    page = office.eye.get("/admin/overrides").text

    assert "cann/ops-math#7" in page
    assert "&lt;b&gt;signed on paper" in page
    assert "the DCO sign-off" in page
    assert '<a href="/admin/people/12">bob</a><br>administrator of the repository' in page


def test_an_override_of_account_0_is_listed_as_a_push_by_an_unknown_account(office):
    services = office.portal.services
    draft = OverrideDraft(
        pull_id=office.portal.pull(7), kind="cla", account_id=0, head_sha="a" * 40, by=Account(12, "bob"), by_role="admin", comment_id=6,
        reason="I saw who it was",
    )  # fmt: skip
    with services.sessions() as session:
        overrides.add(within(session, services.vault, services.clock(), services.new_id), draft)
    page = office.eye.get("/admin/overrides").text

    assert "a push by an unknown account" in page
    assert "the DCO sign-off" not in page
    assert "/admin/people/0" not in page


def test_the_page_names_the_commands_and_the_rules_that_grant_overrides(office):
    for language in ("en", "zh"):
        page = office.eye.get(f"/admin/overrides?lang={language}").text
        named = [comment_commands.shown(language)[command] for command in ("exempt", "address", "vouch", "override")]
        for shown in (*named, "people.override", "dco.override"):
            assert f"<code>{shown}</code>" in page


def test_an_empty_list_of_overrides_says_so(office):
    assert "No override has been granted yet." in office.eye.get("/admin/overrides").text
    assert "Nothing found." in office.eye.get("/admin/overrides?page=x").text
