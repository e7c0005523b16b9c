"""A request to sign for a company: one answer, codes that are spent, and nothing in the clear, on both databases."""

from datetime import timedelta

import pytest

from agreements.facts import Account
from agreements.store.companies import signatory_requests
from agreements.store.companies.company_rows import CompanyRefused
from agreements.store.companies.signatory_requests import LINK_LIFETIME, SignatoryDraft
from agreements.store.people import email_codes
from agreements.store.people.email_codes import TooManyCodes
from agreements.store.record_context import RecordContext
from agreements.store.tables.company_records import SignatoryRequest

DRAFT = SignatoryDraft(company="Huawei", address="CEO@huawei.com", second=Account(12, "bob"), language="en")


@pytest.fixture(name="context")
def _context(session, vault, at, fresh):
    """Ada, who sends it."""
    return RecordContext(session, vault, 11, at, fresh)


@pytest.fixture(name="sent")
def _sent(context, person):
    """The request and its token."""
    return signatory_requests.send(context, person, DRAFT, "r1")


def test_a_token_finds_its_request(session, vault, at, sent):
    """Only the newest one; what is stored of it is a hash."""
    found, token = sent
    assert signatory_requests.by_token(session, vault, token, at=at) == found
    assert (found.draft.address, found.state, found.draft.company) == ("ceo@huawei.com", "sent", "Huawei")
    assert signatory_requests.by_token(session, vault, "another", at=at) is None
    assert token not in repr(session.get(SignatoryRequest, "r1").model_dump())


def test_the_same_form_is_one_request(context, person, sent):
    """And no second link."""
    assert signatory_requests.send(context, person, DRAFT, "r1") == (sent[0], None)


def test_a_code_is_right_once(session, vault, at, sent):
    """A wrong one spends a try; the right one opens, and is over then."""
    code = signatory_requests.issue_code(session, vault, "r1", at=at)
    wrong = signatory_requests.answer_code(session, vault, "r1", "x", at=at)
    assert (wrong.outcome, wrong.tries_left) == ("wrong", email_codes.MAX_CODE_ATTEMPTS - 1)
    assert signatory_requests.answer_code(session, vault, "r1", code, at=at).outcome == "right"
    assert signatory_requests.answer_code(session, vault, "r1", code, at=at).outcome == "expired"
    assert signatory_requests.find(session, vault, "r1", at=at).state == "opened"


@pytest.mark.usefixtures("sent")
def test_a_code_of_another_request_is_wrong(context, person, session, vault, at, monkeypatch):
    """It is bound to the request that it was made for, also where its hash was moved to another row."""
    signatory_requests.send(context, person, DRAFT, "r2")
    monkeypatch.setattr(signatory_requests, "one_time_code", iter(["11111111", "22222222"]).__next__)
    assert signatory_requests.issue_code(session, vault, "r1", at=at) == "11111111"
    assert signatory_requests.issue_code(session, vault, "r2", at=at) == "22222222"

    assert signatory_requests.answer_code(session, vault, "r1", "22222222", at=at).outcome == "wrong"
    session.get(SignatoryRequest, "r1").code_hash = session.get(SignatoryRequest, "r2").code_hash
    session.flush()
    assert signatory_requests.answer_code(session, vault, "r1", "22222222", at=at).outcome == "wrong"
    assert signatory_requests.answer_code(session, vault, "r2", "22222222", at=at).outcome == "right"


def test_codes_are_few(session, vault, at, sent):
    """Five an hour, then again; none for a link that is over."""
    for _ in range(5):
        signatory_requests.issue_code(session, vault, "r1", at=at)
    with pytest.raises(TooManyCodes):
        signatory_requests.issue_code(session, vault, "r1", at=at)
    assert signatory_requests.issue_code(session, vault, "r1", at=at + timedelta(hours=1))
    assert signatory_requests.issue_code(session, vault, "r1", at=at + LINK_LIFETIME) is None


def test_one_answer(context, session, vault, at, sent):
    """Declined, it is neither signed, nor sent again, nor taken back; the address is gone."""
    assert signatory_requests.decline(session, vault, "r1", at=at).draft.address == "ceo@huawei.com"
    assert signatory_requests.decline(session, vault, "r1", at=at) is None
    assert signatory_requests.claim(session, vault, "r1", at=at) is None
    for change in (signatory_requests.send_again, signatory_requests.revoke):
        with pytest.raises(CompanyRefused, match="decided"):
            change(context, "r1")
    assert signatory_requests.find(session, vault, "r1", at=at).draft.address == ""


def test_signed_is_signed(context, session, vault, at, sent):
    """The company stands there, also for the form that comes a second time."""
    request, sender = signatory_requests.claim(session, vault, "r1", at=at)
    assert (request.company_id, sender.account_id) == (None, 11)
    signatory_requests.sign(context, "r1", "c9")
    request, _ = signatory_requests.claim(session, vault, "r1", at=at)
    assert (request.company_id, request.state) == ("c9", "signed")


def test_nobody_else_changes_it(session, vault, at, fresh, sent):
    """It is the sender's alone."""
    other = RecordContext(session, vault, 12, at, fresh)
    for change in (signatory_requests.send_again, signatory_requests.revoke):
        with pytest.raises(LookupError):
            change(other, "r1")


def test_refused(context, person):
    """An address that is none; the sender as second manager."""
    with pytest.raises(ValueError, match="valid e-mail"):
        signatory_requests.send(context, person, SignatoryDraft(company="X", address="x", second=Account(12, "bob"), language="en"), "r1")  # fmt: skip
    with pytest.raises(CompanyRefused, match="same-person"):
        signatory_requests.send(context, person, SignatoryDraft(company="X", address="a@x.org", second=Account(11, "ada"), language="en"), "r1")  # fmt: skip
