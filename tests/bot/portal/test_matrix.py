"""The authorization matrix: every address is asked by every kind of visitor with every method."""

import gzip
from pathlib import Path

import pytest
from sqlalchemy import text

from bot.portal.session import page_access
from tests.bot.books import kept
from tests.bot.conftest import make_portal
from tests.bot.portal.populated import ROLES, populate

TABLE = Path(__file__).parents[2] / "cases" / "access.txt"
MAY = {
    "everybody": set(ROLES),
    "signed in": set(ROLES) - {"stranger"},
    "manager of the company in the address": {"manager"},
    "administrator or auditor": {"administrator", "auditor"},
    "administrator": {"administrator"},
    "API token": set(),
}
"""Which of the visitors each word of the table lets in; no session is a token."""

ANSWERS = {
    "/brand.css": {404},  # no colour and no logo are chosen
    "/brand/<version>": {404},
    "/login": {302},
    "/resume": {302},  # nothing was kept
    "/login/callback": {400},
    "/receipts/<receipt>": {200, 404},  # the signer's own
    "/receipts/<receipt>/pull-request": {302, 404},  # no pull request is named
    "/receipts/<receipt>.json": {200, 404},
    "/receipts/<receipt>.pdf": {200, 404},
    "/receipts/<receipt>/withdraw": {200, 404},
    "/me/sign-offs/<signoff>.json": {200, 404},
    "/enrol/<code_id>": {200, 404},
    "/me/enrolments/<enrolment_id>/pull-request": {302, 404},  # no pull request is named
    "/company/<company_id>/enrol": {200},
    "/company/request/signatory/<request_id>": {200, 404},  # the sender's own
    "/signatory": {404},  # no link was opened in this session
    "/signatory/receipt.json": {404},  # as above
    "/signatory/receipt.pdf": {404},
}
"""What an address that is open answers, where it is not simply 200."""


def table():
    """(who, method, rule) of each line."""
    who = ""
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            who = line.strip("[]")
        elif line and not line.startswith("#"):
            method, rule = line.split()
            yield who, method, rule


CASES = tuple(table())


def routes(portal):
    """(who, method, rule) of each route that the portal has."""
    with portal.app.app_context():
        return {
            (str(page_access.who_may(rule.endpoint) or "nobody"), method, str(rule))
            for rule in portal.app.url_map.iter_rules()
            for method in rule.methods - {"HEAD", "OPTIONS"}
            if rule.endpoint != "pages.static"
        }


def state(portal):
    """What may not change when every visitor is refused: the log and the records' sizes."""
    tables = (
        "ledger_entry",
        "signature",
        "withdrawal",
        "company_entry",
        "company_manager",
        "proof",
        "signatory_request",
        "erasure",
        "mail",
        "visit",
    )
    with portal.database.connect() as connection:
        return [connection.execute(text(f"SELECT count(*) FROM {name}")).scalar_one() for name in tables]


def test_the_table_names_every_route_with_its_audience_and_nothing_else(portal):
    assert routes(portal) == set(CASES)


def test_every_route_refuses_visitors_outside_its_audience(full):
    before, wrong = state(full.portal), []
    proofs = {role: full.portal.proof(full.browsers[role]) for role in ROLES if role != "stranger"}
    for who, method, rule in CASES:
        for role in sorted(set(ROLES) - MAY[who]) if who != "API token" else ():
            data = None if method == "GET" else {"csrf_token": proofs.get(role, "")}
            answer = full.browsers[role].open(full.path(rule), method=method, data=data)
            expected = 404 if role != "stranger" else 302 if method == "GET" else 403
            if answer.status_code != expected or (
                expected == 302 and not answer.headers["Location"].startswith("/login?")
            ):
                wrong.append(f"{role}: {method} {rule}: {answer.status_code}")

    assert wrong == []
    assert state(full.portal) == before


@pytest.fixture(name="answers", scope="module")
def _answers(tmp_path_factory, github):
    """What each visitor gets, by (role, method, rule), at what they may ask; the browser takes compressed pages."""
    file = tmp_path_factory.mktemp("answers") / "portal.db"
    with kept(make_portal(f"sqlite:///{file}", github)) as portal:
        full, found = populate(portal), {}
        for who, method, rule in CASES:
            for role in sorted(MAY[who]):
                asked = {"method": method, "headers": {"Accept-Encoding": "gzip, deflate, br"}}
                with full.browsers[role].open(full.path(rule), **asked) as answer:
                    assert answer.data is not None
                found[role, method, rule] = answer
    return found


def test_every_route_lets_its_audience_in(answers):
    wrong = []
    for (role, method, rule), answer in answers.items():
        expected = ANSWERS.get(rule, {200}) if method == "GET" else {400}
        if answer.status_code not in expected:
            wrong.append(f"{role}: {method} {rule}: {answer.status_code}")

    assert wrong == []


def test_every_page_of_a_signed_in_visitor_has_the_sign_out_button(answers):
    for (role, method, rule), page in answers.items():
        if role == "stranger" or method != "GET" or page.mimetype != "text/html":
            continue
        if page.status_code != 302 and "Content-Disposition" not in page.headers:
            assert 'action="/logout"' in page.text, (role, rule)


def test_pages_of_signed_in_visitors_and_pages_with_forms_are_not_compressed(answers):
    """Compression would leak the tokens in them by the length of the answer (BREACH)."""
    wrong, compressed = [], {case for case, answer in answers.items() if "Content-Encoding" in answer.headers}
    for role, method, rule in sorted(compressed):
        listed = rule in ("/whitelist.json", "/CLA-whitelist.json")  # the same for every visitor
        if (role != "stranger" or b"csrf" in gzip.decompress(answers[role, method, rule].data)) and not listed:
            wrong.append((role, rule))

    assert wrong == []
    assert ("stranger", "GET", "/faq") in compressed


def test_a_session_without_a_token_opens_no_address_of_the_api(full):
    for who, method, rule in CASES:
        if who == "API token":
            for role in ROLES:
                answer = full.browsers[role].open(full.path(rule), method=method)
                assert answer.status_code == 401, (role, method, rule)
                assert "WWW-Authenticate" in answer.headers


def test_a_method_that_a_route_does_not_have_is_answered_with_405(full):
    known = {(verb, rule) for _who, verb, rule in CASES}
    root = full.browsers["administrator"]
    for method in ("PUT", "PATCH", "DELETE", "POST", "TRACE"):
        for rule in sorted({rule for _who, _method, rule in CASES if not rule.startswith("/api/")}):
            if (method, rule) not in known:
                assert root.open(full.path(rule), method=method).status_code == 405, (method, rule)
