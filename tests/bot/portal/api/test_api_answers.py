"""The API answers from the records by the core's rules, within the scopes of the token."""

import pytest
from flask import Flask

from agreements.rulebook.rules import Rules
from agreements.store.companies import companies
from bot.portal.api import api_answers
from bot.portal.api.problems import InvalidRequest
from tests.drafts import company_draft
from tests.within import within


@pytest.mark.parametrize(
    ("account", "query", "covered", "code"),
    [
        (11, {}, True, "cla/individual"),
        (11, {"agreement": "icla"}, True, "cla/individual"),
        (11, {"agreement": "ccla"}, False, "cla/unsigned"),
        (11, {"at": "2026-11-01T00:00:00Z"}, False, "cla/unsigned"),
        (12, {}, True, "cla/company-domain"),
        (12, {"agreement": "icla"}, False, "cla/unsigned"),
        (12, {"at": "2026-11-19T18:00:00Z"}, False, "cla/unsigned"),
        (13, {}, True, "cla/company-account"),
        (14, {}, False, "cla/unsigned"),
    ],
)
def test_how_an_account_is_covered_is_told_with_personal_scope_alone(ask, records, account, query, covered, code):
    status, body = ask(f"/covered/{account}", "covered:read", **query)
    assert (status, body["covered"], body["reason"]) == (200, covered, "cla/covered" if covered else "cla/uncovered")
    assert ask(f"/covered/{account}", "covered:read", "personal", **query)[1]["reason"] == code


def test_the_answer_names_what_the_rules_of_a_known_repository_require(portal, ask, records):
    portal.pull(name="ops-math")
    portal.rules = Rules()
    assert ask("/covered/11", "covered:read", repository="cann/ops-math")[1]["required"] == "dco"
    assert ask("/covered/11", "covered:read", repository="cann/unknown")[0] == 404


@pytest.mark.parametrize(
    ("state", "required"), [("valid", "dco"), ("outdated", "dco"), ("broken", None), ("unread", None)]
)
def test_the_answer_says_how_far_the_rulebook_is_known(portal, ask, records, state, required):
    portal.pull(name="ops-math")
    portal.rules, portal.rules_state = Rules(), state
    body = ask("/covered/11", "covered:read", repository="cann/ops-math")[1]
    assert (body["rules"], body["required"]) == (state, required)


@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("/covered/0", {}), ("/covered/x", {}), ("/covered/9999999999999999999", {}), ("/covered/-1", {}),
        ("/covered/11", {"at": "yesterday"}), ("/covered/11", {"at": "2026-01-01"}), ("/covered/11", {"agreement": "x"}),
        ("/covered/11", {"repository": "x"}), ("/covered/11", {"when": "now"}), ("/signatures", {"limit": "0"}),
        ("/signatures", {"limit": "201"}), ("/signatures", {"account": "ada"}), ("/signatures", {"since": ""}),
        ("/companies", {"cursor": "\x00"}), ("/companies/c1", {"limit": "1"}),
    ],
)  # fmt: skip
def test_an_unreadable_question_gets_one_line_with_status_400(ask, path, query):
    status, body = ask(path, "covered:read", "signatures:read", "companies:read", **query)
    assert (status, set(body)) == (400, {"type", "title", "status", "detail"})


def test_signatures_are_filtered_and_show_names_only_with_personal_scope(ask, records):
    (found,) = ask("/signatures", "signatures:read")[1]["items"]
    assert (found["account_id"], found["login"], found["version"], found["for_company"]) == (11, "ada", "2.0", False)
    assert not {"name", "email", "receipt"} & set(found)
    (found,) = ask("/signatures", "signatures:read", "personal")[1]["items"]
    assert (found["name"], found["email"]) == ("Ada 爱", "a@x.org")
    for query, number in (
        ({"account": "11"}, 1), ({"account": "12"}, 0), ({"agreement": "ccla"}, 0), ({"since": "2026-11-21T00:00:00Z"}, 0),
    ):  # fmt: skip
        assert len(ask("/signatures", "signatures:read", **query)[1]["items"]) == number


def test_a_restricted_signer_is_listed_without_name_address_and_login(ask, restricted):
    for scopes in (("signatures:read",), ("signatures:read", "personal")):
        status, body = ask("/signatures", *scopes, account="11")
        (found,) = body["items"]
        assert (status, found["restricted"], found["login"]) == (200, True, None)
        assert (found.get("name"), found.get("email")) == (None, None)


def test_the_pages_list_each_row_once_in_the_order_of_ids(portal, ask, records):
    with portal.services.sessions() as session:
        for number in range(5):
            draft = company_draft(f"n{number}", portal.at)
            companies.add(within(session, portal.services.vault, new_id=f"d{number}"), draft)
    seen, cursor = [], {}
    while cursor is not None:
        body = ask("/companies", "companies:read", limit="2", **cursor)[1]
        seen += [company["id"] for company in body["items"]]
        cursor = {"cursor": body["next"]} if body["next"] else None
    assert seen == ["c1", "d0", "d1", "d2", "d3", "d4"]


def test_a_companys_entries_show_addresses_only_with_personal_scope(ask, records):
    entries = ask("/companies/c1", "companies:read")[1]["entries"]
    assert [entry["kind"] for entry in entries] == ["domain", "account", "email"]
    assert all("email" not in entry for entry in entries)
    entries = ask("/companies/c1", "companies:read", "personal")[1]["entries"]
    assert [entry["email"] for entry in entries] == [None, None, "eve@x.org"]
    assert ask("/companies/none", "companies:read")[0] == 404


def test_parameters_are_known_ones_given_once_and_not_empty():
    app = Flask("x")
    with app.test_request_context("/?a=1&b=x"):
        assert api_answers.parameters("a", "b", "c") == {"a": "1", "b": "x"}
    for query in ("a=1&a=2", "x=1", "a=", "a=%00", "a=" + "x" * 201):
        with app.test_request_context(f"/?{query}"), pytest.raises(InvalidRequest):
            api_answers.parameters("a")


def test_accounts_limits_and_moments_are_read_or_refused():
    assert (api_answers.account("11"), api_answers.limit(None), api_answers.limit("200")) == (11, 50, 200)
    assert api_answers.moment("2026-01-01T00:00:00Z", "at").year == 2026
    for read, text in (
        (api_answers.account, "0"), (api_answers.account, "１"), (api_answers.account, "9" * 19), (api_answers.limit, "201"), (api_answers.limit, "x"),
        (lambda text: api_answers.moment(text, "at"), "2026-01-01"),
    ):  # fmt: skip
        with pytest.raises(InvalidRequest):
            read(text)
