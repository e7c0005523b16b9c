"""Fixtures of the API's tests: tokens, records and a client that asks with a token."""

from datetime import timedelta

import pytest

from agreements.facts import Account, Entry
from agreements.store.companies import companies
from agreements.store.people import emails, person_rows, signatures
from agreements.store.people.emails import MAILED_CODE, ProvenAddress
from bot.store import tokens
from tests.drafts import company_draft, signature_draft
from tests.logged import log_rows
from tests.within import within

DAY = timedelta(days=1)


@pytest.fixture(name="token")
def _token(portal):
    """Makes a token with these scopes, good for a day."""

    def make(*scopes):
        with portal.services.change(90) as context:
            until = portal.at + timedelta(days=1)
            row, words = tokens.make(
                within(context.session, context.vault, portal.at, context.new_id, by=90), "ci", scopes, until=until
            )
            context.log("token.made", rows=[row])
        return words

    return make


@pytest.fixture(name="ask")
def _ask(portal, token):
    """Asks with a token of these scopes: status and JSON."""

    def ask(path, *scopes, **query):
        headers = {"Authorization": f"Bearer {token(*scopes)}"}
        answer = portal.browser().get(f"/api/v1{path}", headers=headers, query_string=query)
        return answer.status_code, answer.json

    return ask


@pytest.fixture(name="records")
def _records(portal):
    """Ada signed; the company names huawei.com, bob by his number and an address; bob proved an address of his."""
    text = portal.services.catalog.get("icla", "2.0", "en")
    draft = signature_draft(source_sha256=text.sha256, name="Ada 爱", email="a@x.org")
    at, vault, fresh = portal.at - 2 * DAY, portal.services.vault, portal.services.new_id
    with portal.services.sessions() as session:
        ada = person_rows.ensure(within(session, vault, at, fresh), Account(11, "ada"))
        signatures.add(within(session, vault, at, "s1"), ada, draft, receipt="R1")
        bob = person_rows.ensure(within(session, vault, at, fresh), Account(12, "bob"))
        proven = ProvenAddress(address="bob@huawei.com", how=MAILED_CODE, at=portal.at - DAY, until=portal.at + DAY)
        emails.prove(within(session, vault, new_id=fresh), bob, proven)
        draft = company_draft("One", at, countersigned=True)
        company = companies.add(within(session, vault, new_id="c1"), draft)
        for entry in (Entry(domain="huawei.com"), Entry(account_id=13), Entry(email="eve@x.org")):
            companies.add_entry(within(session, vault, at, fresh), company, entry)
        log_rows(session, vault)


@pytest.fixture(name="restricted")
def _restricted(portal, records):
    """Ada asked to be erased; her evidence is kept."""
    with portal.services.sessions() as session:
        person = person_rows.find(session, 11)
        person.restricted_at = portal.at
        session.add(person)
