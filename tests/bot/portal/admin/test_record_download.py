"""All records as one download: for administrators alone, logged, and never complete when it was cut."""

import json

import pytest
from sqlmodel import select
from structlog.testing import capture_logs

from agreements.facts import Account
from agreements.store.ledger import pending_people
from agreements.store.people import emails, person_rows
from agreements.store.people.emails import ProvenAddress
from agreements.store.tables.ledger_records import LedgerEntry
from agreements.vault import DecryptionFailed, KeyRing, Vault
from tests.within import within

PATH = "/admin/export"


def test_an_administrator_downloads_all_records_with_one_log_entry_that_the_file_has_too(portal):
    root = portal.signed_in(id=90, login="root")
    answer = root.post(PATH, data={"csrf_token": portal.proof(root, PATH)})

    assert (answer.status_code, answer.headers["Cache-Control"]) == (200, "no-store")
    assert answer.headers["Content-Disposition"].startswith("attachment")
    assert json.loads(answer.text)["complete"] is True
    tables = json.loads(answer.text)["tables"]
    assert [table["kind"] for table in tables["ledger_entry"]] == ["person.added", "records.exported"]
    with portal.services.sessions() as session:
        assert session.exec(select(LedgerEntry.actor_id)).all() == [None, 90]


def test_an_export_that_fails_midway_raises_so_that_the_server_cuts_the_connection(portal):
    """A stream that ended normally would look like a complete file."""
    root = portal.signed_in(id=90, login="root")
    word, other = portal.proof(root, PATH), Vault(KeyRing.parse(KeyRing.generate("k0")))
    with portal.services.sessions() as session:
        row = person_rows.ensure(within(session, other, portal.at, "p2"), Account(12, "bob"))
        emails.prove(
            within(session, other, new_id="q"), row, ProvenAddress(address="a@x.org", how="mailed-code", at=portal.at)
        )
        pending_people.take(session)  # no entry could be written with those keys
    with pytest.raises(DecryptionFailed):
        _ = root.post(PATH, data={"csrf_token": word}).text


def test_only_administrators_download_all_records(portal):
    for who in ({"id": 91, "login": "olga"}, {"id": 11, "login": "ada"}):
        browser = portal.signed_in(**who)
        assert browser.get(PATH).status_code == 404
        assert browser.post(PATH, data={"csrf_token": portal.proof(browser, "/me")}).status_code == 404
    assert portal.browser().get(PATH).status_code == 302
    assert portal.browser().post(PATH).status_code == 403


def test_an_export_is_in_the_servers_log_with_the_accounts_number(portal):
    root = portal.signed_in(id=90, login="root")
    word = portal.proof(root, PATH)
    with capture_logs() as lines:
        root.post(PATH, data={"csrf_token": word})
    assert lines == [{"event": "export.made", "log_level": "info", "account": 90, "what": "records", "subject": None}]
