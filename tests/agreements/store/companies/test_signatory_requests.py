"""Requests to sign for a company: one answer, limited codes, nothing in the clear, on both databases."""

from datetime import timedelta

import pytest
from sqlalchemy import text

from agreements.facts import Account
from agreements.store.companies import signatory_requests
from agreements.store.companies.company_rows import CompanyRefused
from agreements.store.companies.signatory_requests import LINK_LIFETIME, SignatoryDraft
from agreements.store.ledger import transient_rows
from agreements.store.ledger.transient_rows import RowRefused
from agreements.store.people import email_codes, person_rows
from agreements.store.people.email_codes import TooManyCodes
from agreements.store.tables.company_records import SignatoryRequest
from tests.within import within

DRAFT = SignatoryDraft(company="Huawei", address="CEO@huawei.com", second=Account(12, "bob"), language="en")


@pytest.fixture(name="context")
def _context(session, vault, at, fresh):
    """Ada, who sends it."""
    return within(session, vault, at, fresh, by=11)


@pytest.fixture(name="sent")
def _sent(context, person):
    """The request and its token."""
    return signatory_requests.send(context, person, DRAFT, "r1")


def test_the_newest_token_finds_its_request_and_only_its_hash_is_stored(session, vault, at, sent):
    found, token = sent
    assert signatory_requests.by_token(session, vault, token, at=at) == found
    assert (found.draft.address, found.state, found.draft.company) == ("ceo@huawei.com", "sent", "Huawei")
    assert signatory_requests.by_token(session, vault, "another", at=at) is None
    assert token not in repr(session.get(SignatoryRequest, "r1").model_dump())


def test_the_same_form_is_one_request_with_one_link(context, person, sent):
    assert signatory_requests.send(context, person, DRAFT, "r1") == (sent[0], None)


def test_a_code_is_right_once_and_a_wrong_one_spends_a_try(session, vault, at, sent):
    code = signatory_requests.issue_code(within(session, vault, at), "r1")
    wrong = signatory_requests.answer_code(within(session, vault, at), "r1", "x")
    assert (wrong.outcome, wrong.tries_left) == ("wrong", email_codes.MAX_CODE_ATTEMPTS - 1)
    assert signatory_requests.answer_code(within(session, vault, at), "r1", code).outcome == "right"
    assert signatory_requests.answer_code(within(session, vault, at), "r1", code).outcome == "expired"
    assert signatory_requests.find(session, vault, "r1", at=at).state == "opened"


@pytest.mark.usefixtures("sent")
def test_a_code_of_another_request_is_wrong_even_with_a_moved_hash(context, person, session, vault, at, monkeypatch):
    signatory_requests.send(context, person, DRAFT, "r2")
    monkeypatch.setattr(email_codes, "one_time_code", iter(["11111111", "22222222"]).__next__)
    assert signatory_requests.issue_code(within(session, vault, at), "r1") == "11111111"
    assert signatory_requests.issue_code(within(session, vault, at), "r2") == "22222222"

    assert signatory_requests.answer_code(within(session, vault, at), "r1", "22222222").outcome == "wrong"
    row = session.get(SignatoryRequest, "r1")
    row.code_hash = session.get(SignatoryRequest, "r2").code_hash
    session.flush()
    with pytest.raises(RowRefused):
        signatory_requests.answer_code(within(session, vault, at), "r1", "22222222")
    transient_rows.authenticate(vault, row)
    assert signatory_requests.answer_code(within(session, vault, at), "r1", "22222222").outcome == "wrong"
    assert signatory_requests.answer_code(within(session, vault, at), "r2", "22222222").outcome == "right"


def test_codes_are_limited_to_five_an_hour(session, vault, at, sent):
    for _ in range(5):
        signatory_requests.issue_code(within(session, vault, at), "r1")
    with pytest.raises(TooManyCodes):
        signatory_requests.issue_code(within(session, vault, at), "r1")
    assert signatory_requests.issue_code(within(session, vault, at + timedelta(hours=1)), "r1")
    assert signatory_requests.issue_code(within(session, vault, at + LINK_LIFETIME), "r1") is None


def test_a_declined_request_takes_no_second_answer(context, session, vault, at, sent):
    assert signatory_requests.decline(within(session, vault, at), "r1").draft.address == "ceo@huawei.com"
    assert signatory_requests.decline(within(session, vault, at), "r1") is None
    assert signatory_requests.claim(within(session, vault, at), "r1") is None
    for change in (signatory_requests.send_again, signatory_requests.revoke):
        with pytest.raises(CompanyRefused, match="decided"):
            change(context, "r1")
    assert signatory_requests.find(session, vault, "r1", at=at).draft.address == ""


def test_a_signed_request_answers_a_second_form_with_its_company(context, session, vault, at, sent):
    request, sender = signatory_requests.claim(within(session, vault, at), "r1")
    assert (request.company_id, sender.account_id) == (None, 11)
    signatory_requests.sign(context, "r1", "c9")
    request, _ = signatory_requests.claim(within(session, vault, at), "r1")
    assert (request.company_id, request.state) == ("c9", "signed")


def test_only_the_sender_changes_a_request(session, vault, at, fresh, sent):
    other = within(session, vault, at, fresh, by=12)
    for change in (signatory_requests.send_again, signatory_requests.revoke):
        with pytest.raises(LookupError):
            change(other, "r1")


def test_one_account_alone_keeps_no_other_from_sending_to_an_address(session, vault, at, fresh):
    def send(account, name):
        context = within(session, vault, at, fresh, by=account)
        sender = person_rows.ensure(context, Account(account, f"sender-{account}"))
        signatory_requests.send(context, sender, DRAFT, name)

    for name in ("a", "b", "c"):
        send(21, name)
    with pytest.raises(CompanyRefused, match="too-many"):
        send(21, "d")
    for account in (22, 23):
        for number in range(3):
            send(account, f"{account}-{number}")
    send(24, "the tenth")
    with pytest.raises(CompanyRefused, match="too-many"):
        send(25, "one too many")


def test_an_invalid_address_and_the_sender_as_second_manager_are_refused(context, person):
    with pytest.raises(ValueError, match="valid e-mail"):
        signatory_requests.send(context, person, SignatoryDraft(company="X", address="x", second=Account(12, "bob"), language="en"), "r1")  # fmt: skip
    with pytest.raises(CompanyRefused, match="same-person"):
        signatory_requests.send(context, person, SignatoryDraft(company="X", address="a@x.org", second=Account(11, "ada"), language="en"), "r1")  # fmt: skip


ATTACKS = {
    "a link of one's own": "token_hash = :hash",
    "a longer time": "expires_at = made_at",
    "more tries": "code_tries = 99",
    "opened": "opened_at = made_at",
    "another's": "account_id = 12",
    "revived": "answered_at = NULL, outcome = NULL, expires_at = sent_at",
    "what another one says": "sealed = address_index",
    "no code of the row": "mac = NULL",
}


@pytest.mark.parametrize("change", ATTACKS.values(), ids=ATTACKS)
def test_a_changed_request_opens_with_neither_its_link_nor_its_code(context, session, vault, at, sent, change):
    _, token = sent
    code = signatory_requests.issue_code(within(session, vault, at), "r1")
    if "revived" in change or "outcome" in change:
        signatory_requests.revoke(context, "r1")
    own = "f" * 64
    session.execute(
        text(f"UPDATE signatory_request SET {change} WHERE id = 'r1'"),
        {"hash": signatory_requests._hash(own)} if ":hash" in change else {},
    )
    session.expire_all()

    for known in {token, own} if ":hash" in change else {token}:
        if known == token and ":hash" in change:
            assert signatory_requests.by_token(session, vault, known, at=at) is None
            continue
        with pytest.raises(RowRefused):
            signatory_requests.by_token(session, vault, known, at=at)
    for act in (
        lambda: signatory_requests.find(session, vault, "r1", at=at),
        lambda: signatory_requests.issue_code(within(session, vault, at), "r1"),
        lambda: signatory_requests.answer_code(within(session, vault, at), "r1", code),
        lambda: signatory_requests.decline(within(session, vault, at), "r1"),
        lambda: signatory_requests.claim(within(session, vault, at), "r1"),
    ):
        with pytest.raises(RowRefused):
            act()
    if "sealed" in change:
        return
    assert signatory_requests.of_account(session, vault, 12, at=at) == ()
    assert [request.is_open for request in signatory_requests.of_account(session, vault, 11, at=at)] in ([False], [])


def test_a_request_of_the_release_before_is_expired_and_may_be_sent_again(context, session, vault, at, sent):
    """Requests of the release before have no code."""
    session.execute(text("UPDATE signatory_request SET mac = NULL, account_id = 11, opened_at = made_at"))
    session.expire_all()
    with pytest.raises(RowRefused, match="no-code"):
        signatory_requests.by_token(session, vault, sent[1], at=at)
    assert [request.state for request in signatory_requests.of_account(session, vault, 11, at=at)] == ["expired"]

    again, token = signatory_requests.send_again(context, "r1")
    assert (again.state, again.opened_at) == ("sent", None)
    assert signatory_requests.by_token(session, vault, token, at=at) == again
