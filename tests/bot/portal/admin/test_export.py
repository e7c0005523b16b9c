"""An administrator takes everything, and the log says so; an auditor may not."""

import json

import pytest
from sqlmodel import select
from structlog.testing import capture_logs

from agreements.facts import Account
from agreements.store.ledger import pending_rows
from agreements.store.people import emails, people
from agreements.store.people.emails import ProvenAddress
from agreements.store.tables.ledger_records import LedgerEntry
from agreements.vault import DecryptionFailed, KeyRing, Vault

PATH = "/admin/export"


def test_an_administrator_takes_everything(portal):
    """One JSON object as a file, never stored on the way; one log entry, which is in the file already."""
    root = portal.signed_in(id=90, login="root")
    answer = root.post(PATH, data={"csrf_token": portal.proof(root, PATH)})

    assert (answer.status_code, answer.headers["Cache-Control"]) == (200, "no-store")
    assert answer.headers["Content-Disposition"].startswith("attachment")
    assert json.loads(answer.text)["complete"] is True
    tables = json.loads(answer.text)["tables"]
    assert [one["kind"] for one in tables["ledger_entry"]] == ["person.added", "records.exported"]
    with portal.services.sessions() as session:
        assert session.exec(select(LedgerEntry.actor_id)).all() == [None, 90]


def test_one_that_fails_on_the_way_is_cut_off(portal):
    """The error comes out of the stream, so that the server cuts the connection: it never ends as if it were all."""
    root = portal.signed_in(id=90, login="root")
    word, other = portal.proof(root, PATH), Vault(KeyRing.parse(KeyRing.generate("k0")))
    with portal.services.sessions() as session:
        row = people.ensure(session, other, account=Account(12, "bob"), at=portal.at, new_id="p2")
        emails.prove(session, other, row, ProvenAddress(address="a@x.org", how="mailed-code", at=portal.at), new_id="q")
        pending_rows.take(session)  # no entry could be written with those keys
    with pytest.raises(DecryptionFailed):
        _ = root.post(PATH, data={"csrf_token": word}).text


def test_nobody_else_does(portal):
    """It is not there for auditors and others; without a session it leads to signing in."""
    for who in ({"id": 91, "login": "olga"}, {"id": 11, "login": "ada"}):
        browser = portal.signed_in(**who)
        assert browser.get(PATH).status_code == 404
        assert browser.post(PATH, data={"csrf_token": portal.proof(browser, "/me")}).status_code == 404
    assert portal.browser().get(PATH).status_code == 302
    assert portal.browser().post(PATH).status_code == 403


def test_it_is_in_the_log_of_the_server(portal):
    """By the account's id."""
    root = portal.signed_in(id=90, login="root")
    word = portal.proof(root, PATH)
    with capture_logs() as lines:
        root.post(PATH, data={"csrf_token": word})
    assert lines == [{"event": "export.made", "log_level": "info", "account": 90, "what": "records", "subject": None}]
