"""The authorization matrix: every address, asked by every kind of visitor, with every method."""

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


def test_the_table_is_complete(portal):
    """Each route stands in the table, open to just whom it says; and nothing else stands there."""
    assert routes(portal) == set(CASES)


def test_whoever_may_not_is_refused(full):
    """A page: strangers are sent to sign in, for others there is none. A change: refused, also with a valid form's proof."""
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


def test_whoever_may_is_let_in(full):
    """A page: it is there. A change: it is asked for a form's proof (400), which only comes after the door."""
    wrong = []
    for who, method, rule in CASES:
        for role in sorted(MAY[who]):
            answer = full.browsers[role].open(full.path(rule), method=method)
            expected = ANSWERS.get(rule, {200}) if method == "GET" else {400}
            if answer.status_code not in expected:
                wrong.append(f"{role}: {method} {rule}: {answer.status_code}")

    assert wrong == []


def test_signing_out_is_on_every_page(full):
    """Whoever is signed in can leave from wherever they are."""
    for who, method, rule in CASES:
        for role in MAY[who] - {"stranger"} if method == "GET" else ():
            page = full.browsers[role].get(full.path(rule))
            if page.mimetype == "text/html" and page.status_code != 302 and "Content-Disposition" not in page.headers:
                assert 'action="/logout"' in page.text, (role, rule)


def test_a_session_opens_nothing_of_the_api(full):
    """Signed in or not: without a token every address of it says 401, but for its description."""
    for who, method, rule in CASES:
        if who == "API token":
            for role in ROLES:
                answer = full.browsers[role].open(full.path(rule), method=method)
                assert answer.status_code == 401, (role, method, rule)
                assert "WWW-Authenticate" in answer.headers


def test_other_methods_do_nothing(full):
    """405, or what the table has for it."""
    known = {(one, rule) for _who, one, rule in CASES}
    root = full.browsers["administrator"]
    for method in ("PUT", "PATCH", "DELETE", "POST", "TRACE"):
        for rule in sorted({rule for _who, _method, rule in CASES if not rule.startswith("/api/")}):
            if (method, rule) not in known:
                assert root.open(full.path(rule), method=method).status_code == 405, (method, rule)
