"""A vault, a clock that tests turn, a receiver that is away until it is started, and records that change."""

from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from itertools import count

import pytest

from agreements.facts import Account
from agreements.store.companies import companies, company_rows
from agreements.store.companies.companies import CompanyDraft
from agreements.store.people import person_rows, signatures
from agreements.store.people.signatures import SignatureDraft
from agreements.store.tables.records import SignatureRecord
from agreements.vault import KeyRing, Vault
from bot.notifications.chat_formats import CHAT_FORMATS
from bot.notifications.endpoints import EVENTS, Endpoint, Webhooks
from bot.notifications.webhook_sender import WebhookSender
from bot.records.record_access import RecordAccess
from bot.store import outgoing_webhooks
from tests.bot.claims import send_due
from tests.bot.notifications.chat_server import chat_server
from tests.bot.notifications.receiver import SECRET, Receiver
from tests.conftest import free_port
from tests.within import within

AT = datetime(2026, 1, 1, tzinfo=UTC)
SITE = "https://cla.example.org"


class Told:
    """One server with its records, its endpoint and its sender."""

    def __init__(self, sessions, receiver):
        self.sessions, self.receiver = sessions, receiver
        self.vault = Vault(KeyRing.parse(KeyRing.generate("k1")))
        self.at = AT
        self.ids = count(1)
        self.endpoints = (Endpoint("warehouse", receiver.url, SECRET.encode(), frozenset(EVENTS)),)

    def new_id(self):
        return f"n{next(self.ids)}"

    @property
    def webhooks(self):
        """Who stores."""
        return Webhooks(records=RecordAccess(self.sessions, self.vault, new_id=self.new_id), endpoints=self.endpoints)

    @property
    def sender(self):
        """Who sends."""
        records = RecordAccess(self.sessions, self.vault, lambda: self.at, url=SITE)
        return WebhookSender(records=records, endpoints=self.endpoints)

    def later(self, **how_much):
        self.at += timedelta(**how_much)

    def round(self):
        """What the worker does."""
        self.webhooks.follow_log()
        send_due(self.sender)

    def context(self, session):
        return within(session, self.vault, self.at, self.new_id, by=11)

    def sign(self, account_id=11, login="ada"):
        """That account signs; the entry is written in the same transaction."""
        words = ("language", "source_sha256", "shown_sha256", "statement_id", "statement_sha256", "identity_proof")
        draft = SignatureDraft(
            party="The CANN Authors",
            **dict.fromkeys(words, "x"),
            agreement="icla",
            version="2.0",
            name="Ada Lovelace",
            email="ada@example.org",
        )
        with self.sessions() as session:
            person = person_rows.ensure(within(session, self.vault, self.at, self.new_id), Account(account_id, login))
            row_id = self.new_id()
            signatures.add(within(session, self.vault, self.at, row_id), person, draft, receipt=f"R{row_id}")
            row = session.get(SignatureRecord, row_id)
            self.context(session).log("signature.added", account_id, rows=[row])

    def change_company(self, name="Huawei"):
        """A company's record is there, and was countersigned."""
        with self.sessions() as session:
            company = companies.add(
                within(session, self.vault, new_id=self.new_id),
                CompanyDraft(party="The CANN Authors", name=name, agreement="ccla", version="1.0", signed_at=self.at),
            )
            session.flush()
            subject = company_rows.subject(self.vault, company_rows.find(session, company.id))
            self.context(session).log("company.countersigned", subject, rows=[company])

    def rows(self):
        """Id → state, attempts, error."""
        with self.sessions() as session:
            return {
                webhook.id: (webhook.state, webhook.attempts, webhook.error)
                for webhook in outgoing_webhooks.QUEUE.listed(session)
            }


@pytest.fixture(name="told")
def _told(sessions, tmp_path):
    """The receiver does not run yet; the log is followed from now on."""
    receiver = Receiver(tmp_path, free_port())
    made = Told(sessions, receiver)
    made.webhooks.follow_log()
    yield made
    receiver.stop()


@pytest.fixture(name="chats")
def _chats(told):
    """Start the server of a chat, which becomes the only endpoint, with that secret."""
    with ExitStack() as stack:

        def start(name, secret=b""):
            chat = stack.enter_context(chat_server(name, lambda: told.at))
            told.endpoints = (Endpoint("chat", chat.url, secret, frozenset(EVENTS), chat=CHAT_FORMATS[name]),)
            return chat

        yield start
