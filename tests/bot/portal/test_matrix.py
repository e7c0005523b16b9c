"""The authorization matrix: every address is asked by every kind of visitor with every method."""

from pathlib import Path

from sqlalchemy import text

from bot.portal.session import page_access
from tests.bot.portal.populated import ROLES

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
    "/enrol/<code_id>": {200, 404},
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
    """What may not change when everybody is refused: the log and the records' sizes."""
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


def test_every_route_lets_its_audience_in(full):
    wrong = []
    for who, method, rule in CASES:
        for role in sorted(MAY[who]):
            answer = full.browsers[role].open(full.path(rule), method=method)
            expected = ANSWERS.get(rule, {200}) if method == "GET" else {400}
            if answer.status_code not in expected:
                wrong.append(f"{role}: {method} {rule}: {answer.status_code}")

    assert wrong == []


def test_every_page_of_a_signed_in_visitor_has_the_sign_out_button(full):
    for who, method, rule in CASES:
        for role in MAY[who] - {"stranger"} if method == "GET" else ():
            page = full.browsers[role].get(full.path(rule))
            if page.mimetype == "text/html" and page.status_code != 302 and "Content-Disposition" not in page.headers:
                assert 'action="/logout"' in page.text, (role, rule)


def test_a_session_without_a_token_opens_no_address_of_the_api(full):
    for who, method, rule in CASES:
        if who == "API token":
            for role in ROLES:
                answer = full.browsers[role].open(full.path(rule), method=method)
                assert answer.status_code == 401, (role, method, rule)
                assert "WWW-Authenticate" in answer.headers


def test_a_method_that_a_route_does_not_have_is_answered_with_405(full):
    known = {(one, rule) for _who, one, rule in CASES}
    root = full.browsers["administrator"]
    for method in ("PUT", "PATCH", "DELETE", "POST", "TRACE"):
        for rule in sorted({rule for _who, _method, rule in CASES if not rule.startswith("/api/")}):
            if (method, rule) not in known:
                assert root.open(full.path(rule), method=method).status_code == 405, (method, rule)
