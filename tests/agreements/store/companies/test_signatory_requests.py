"""A request to sign for a company: one answer, codes that are spent, and nothing in the clear, on both databases."""

from datetime import timedelta

import pytest
from sqlalchemy import text

from agreements.facts import Account
from agreements.store.companies import signatory_requests
from agreements.store.companies.company_rows import CompanyRefused
from agreements.store.companies.signatory_requests import LINK_LIFETIME, SignatoryDraft
from agreements.store.ledger import transient_rows
from agreements.store.ledger.transient_rows import RowRefused
from agreements.store.people import email_codes
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
    code = signatory_requests.issue_code(within(session, vault, at), "r1")
    wrong = signatory_requests.answer_code(within(session, vault, at), "r1", "x")
    assert (wrong.outcome, wrong.tries_left) == ("wrong", email_codes.MAX_CODE_ATTEMPTS - 1)
    assert signatory_requests.answer_code(within(session, vault, at), "r1", code).outcome == "right"
    assert signatory_requests.answer_code(within(session, vault, at), "r1", code).outcome == "expired"
    assert signatory_requests.find(session, vault, "r1", at=at).state == "opened"


@pytest.mark.usefixtures("sent")
def test_a_code_of_another_request_is_wrong(context, person, session, vault, at, monkeypatch):
    """It is bound to the request that it was made for, also where its hash was moved to another row."""
    signatory_requests.send(context, person, DRAFT, "r2")
    monkeypatch.setattr(signatory_requests, "one_time_code", iter(["11111111", "22222222"]).__next__)
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


def test_codes_are_few(session, vault, at, sent):
    """Five an hour, then again; none for a link that is over."""
    for _ in range(5):
        signatory_requests.issue_code(within(session, vault, at), "r1")
    with pytest.raises(TooManyCodes):
        signatory_requests.issue_code(within(session, vault, at), "r1")
    assert signatory_requests.issue_code(within(session, vault, at + timedelta(hours=1)), "r1")
    assert signatory_requests.issue_code(within(session, vault, at + LINK_LIFETIME), "r1") is None


def test_one_answer(context, session, vault, at, sent):
    """Declined, it is neither signed, nor sent again, nor taken back; the address is gone."""
    assert signatory_requests.decline(within(session, vault, at), "r1").draft.address == "ceo@huawei.com"
    assert signatory_requests.decline(within(session, vault, at), "r1") is None
    assert signatory_requests.claim(within(session, vault, at), "r1") is None
    for change in (signatory_requests.send_again, signatory_requests.revoke):
        with pytest.raises(CompanyRefused, match="decided"):
            change(context, "r1")
    assert signatory_requests.find(session, vault, "r1", at=at).draft.address == ""


def test_signed_is_signed(context, session, vault, at, sent):
    """The company stands there, also for the form that comes a second time."""
    request, sender = signatory_requests.claim(within(session, vault, at), "r1")
    assert (request.company_id, sender.account_id) == (None, 11)
    signatory_requests.sign(context, "r1", "c9")
    request, _ = signatory_requests.claim(within(session, vault, at), "r1")
    assert (request.company_id, request.state) == ("c9", "signed")


def test_nobody_else_changes_it(session, vault, at, fresh, sent):
    """It is the sender's alone."""
    other = within(session, vault, at, fresh, by=12)
    for change in (signatory_requests.send_again, signatory_requests.revoke):
        with pytest.raises(LookupError):
            change(other, "r1")


def test_refused(context, person):
    """An address that is none; the sender as second manager."""
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
def test_a_changed_request_opens_nothing(context, session, vault, at, sent, change):
    """Neither its link nor a code mailed for it; its sender sees it as over, or not at all, and may send it again."""
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
    assert [one.is_open for one in signatory_requests.of_account(session, vault, 11, at=at)] in ([False], [])


def test_a_request_of_the_release_before(context, session, vault, at, sent):
    """It has no code: its link opens nothing and it is shown as expired; sent again, it is one of ours."""
    session.execute(text("UPDATE signatory_request SET mac = NULL, account_id = 11, opened_at = made_at"))
    session.expire_all()
    with pytest.raises(RowRefused, match="no-code"):
        signatory_requests.by_token(session, vault, sent[1], at=at)
    assert [one.state for one in signatory_requests.of_account(session, vault, 11, at=at)] == ["expired"]

    again, token = signatory_requests.send_again(context, "r1")
    assert (again.state, again.opened_at) == ("sent", None)
    assert signatory_requests.by_token(session, vault, token, at=at) == again
