"""An administrator takes everything, and the log says so; an auditor may not."""

import json

from sqlmodel import select

from agreements.store.ledger_records import LedgerEntry

PATH = "/admin/export"


def test_an_administrator_takes_everything(portal):
    """One JSON object as a file, never stored on the way; one log entry, which is in the file already."""
    root = portal.signed_in(id=90, login="root")
    answer = root.post(PATH, data={"csrf_token": portal.proof(root, PATH)})

    assert (answer.status_code, answer.headers["Cache-Control"]) == (200, "no-store")
    assert answer.headers["Content-Disposition"].startswith("attachment")
    tables = json.loads(answer.text)["tables"]
    assert [one["kind"] for one in tables["ledger_entry"]] == ["records.exported"]
    with portal.parts.sessions() as session:
        assert session.exec(select(LedgerEntry.actor_id)).all() == [90]


def test_nobody_else_does(portal):
    """It is not there for auditors and others; without a visit it leads to signing in."""
    for who in ({"id": 91, "login": "olga"}, {"id": 11, "login": "ada"}):
        browser = portal.signed_in(**who)
        assert browser.get(PATH).status_code == 404
        assert browser.post(PATH, data={"csrf_token": portal.proof(browser, "/me")}).status_code == 404
    assert portal.browser().get(PATH).status_code == 302
    assert portal.browser().post(PATH).status_code == 403
