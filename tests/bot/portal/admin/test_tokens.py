"""Administrators make and revoke tokens; a token is shown once; each change is one entry of the log."""

import re
from datetime import timedelta

import pytest
from sqlmodel import select
from structlog.testing import capture_logs

from agreements.store.people import person_rows
from agreements.store.tables.ledger_records import LedgerEntry
from bot.store import tokens
from bot.store.tokens import ApiToken
from tests.bot.conftest import AUDITOR
from tests.within import within

PATH = "/admin/tokens"


@pytest.fixture(name="root")
def _root(portal):
    """The administrator's browser."""
    return portal.signed_in(id=90, login="root")


def form(portal, browser, **changed):
    fields = {
        "csrf_token": portal.proof(browser, PATH),
        "name": "ci",
        "scopes": ["covered:read"],
        "until": "2027-01-31",
    }
    return fields | changed


def kinds(portal):
    with portal.services.sessions() as session:
        found = session.exec(select(LedgerEntry.kind).order_by(LedgerEntry.number))
        return [kind for kind in found if kind != "person.added"]


@pytest.mark.slow
def test_a_token_is_shown_once_and_works_until_it_is_revoked(portal, root):
    answer = root.post(PATH, data=form(portal, root))
    assert (answer.status_code, answer.headers["Location"]) == (302, PATH)
    words = re.search(r"cst_\w{40}", root.get(PATH).text)[0]
    assert words not in root.get(PATH).text

    def asked():
        return portal.browser().get("/api/v1/covered/11", headers={"Authorization": f"Bearer {words}"}).status_code

    assert asked() == 200
    with portal.services.sessions() as session:
        (token,) = session.exec(select(ApiToken)).all()
    assert root.post(f"{PATH}/{token.id}/revoke", data=form(portal, root)).status_code == 302
    assert (asked(), kinds(portal)) == (401, ["token.made", "token.used", "token.revoked"])
    assert root.post(f"{PATH}/{token.id}/revoke", data=form(portal, root)).status_code == 404


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"name": " "}, "name"), ({"name": "x" * 101}, "name"), ({"scopes": []}, "scope"), ({"scopes": ["personal"]}, "scope"),
        ({"scopes": ["all"]}, "scope"), ({"until": "2026-11-21"}, "until"), ({"until": "2028-01-01"}, "until"),
        ({"until": "soon"}, "until"),
    ],
)  # fmt: skip
def test_mistakes_are_shown_at_their_field_and_no_token_is_made(portal, root, changed, field):
    answer = root.post(PATH, data=form(portal, root, **changed))
    assert (answer.status_code, f'href="#{field}' in answer.text) == (400, True)
    assert kinds(portal) == []


def test_an_auditor_reads_tokens_and_cannot_make_them(portal, root):
    root.post(PATH, data=form(portal, root))
    auditor = portal.signed_in(id=91, login="olga")
    page = auditor.get(PATH).text
    assert "covered:read" in page
    assert f'action="{PATH}' not in page
    assert auditor.post(PATH, data={"csrf_token": portal.proof(auditor, "/me")}).status_code == 404


@pytest.mark.parametrize("count", [50, 51])
def test_every_token_is_on_one_of_the_pages(portal, root, count):
    services = portal.services
    with services.sessions() as session:
        context = within(session, services.vault, services.clock(), services.new_id, by=90)
        for number in range(count):
            tokens.make(context, f"ci {number}", ["covered:read"], until=services.clock() + timedelta(days=9))
    pages = [root.get(f"{PATH}?page={page}").text for page in (1, 2)]
    assert [page.count('<td data-label="Token">ci ') for page in pages] == [50, count - 50]
    assert (">Next</a>" in pages[0]) == (count > 50)


def test_the_servers_log_names_a_token_by_its_id_and_never_by_its_secret(portal, root):
    with capture_logs() as lines:
        root.post(PATH, data=form(portal, root))
        words = re.search(r"cst_\w{40}", root.get(PATH).text)[0]
        with portal.services.sessions() as session:
            token = session.exec(select(ApiToken.id)).one()

        def ask(path, header):
            portal.browser().get(f"/api/v1{path}", headers={"Authorization": header} if header else {})

        ask("/covered/11", f"Bearer {words}")
        ask("/companies", f"Bearer {words}")
        root.post(f"{PATH}/{token}/revoke", data={"csrf_token": portal.proof(root, PATH)})
        ask("/covered/11", f"Bearer {words}")
        ask("/covered/11", "Bearer cst_" + "0" * 40)
        ask("/covered/11", "")
    events = [
        {key: line[key] for key in line if key != "log_level"} for line in lines if line["event"].startswith("token.")
    ]
    assert events == [
        {"event": "token.made", "account": 90, "token": token, "scopes": "covered:read"},
        {"event": "token.used", "token": token, "endpoint": "api.covered"},
        {"event": "token.used", "token": token, "endpoint": "api.companies"},
        {"event": "token.refused", "token": token, "endpoint": "api.companies", "why": "scope"},
        {"event": "token.revoked", "account": 90, "token": token},
        {"event": "token.refused", "token": token, "endpoint": "api.covered", "why": "ended"},
        {"event": "token.refused", "token": None, "endpoint": "api.covered", "why": "unknown"},
        {"event": "token.refused", "token": None, "endpoint": "api.covered", "why": "missing"},
    ]
    assert words not in str(lines)


@pytest.mark.parametrize("restricted", [False, True])
def test_the_maker_of_a_token_is_named_by_login_unless_they_are_restricted(portal, root, restricted):
    root.post(PATH, data=form(portal, root))
    with portal.services.sessions() as session:
        person_rows.find(session, 90).restricted_at = portal.at if restricted else None
    name = "account 90" if restricted else "root"
    auditor = portal.signed_in(id=AUDITOR, login="eye")
    assert f'<a href="/admin/people/90">{name}</a>' in auditor.get(PATH).text
