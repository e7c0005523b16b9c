"""Every address of the API needs a token with its scope, and answers nothing else without one."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import text
from structlog.testing import capture_logs

from agreements.store.tables.ledger_records import LedgerEntry
from bot.portal.api.routes import METHODS, PREFIX, ROUTES
from bot.store import tokens
from bot.store.tokens import ApiToken
from tests.within import within

READS = ["/covered/11", "/signatures", "/companies", "/companies/x"]


def get(portal, path, authorization=None, **more):
    headers = {"Authorization": authorization} if authorization else {}
    return portal.browser().get(PREFIX + path, headers=headers, **more)


def is_problem(answer, status):
    """RFC 9457, never stored, no cookie."""
    body = answer.json
    assert (answer.status_code, body["status"], answer.mimetype) == (status, status, "application/problem+json")
    assert answer.headers["Cache-Control"] == "no-store"
    assert "Set-Cookie" not in answer.headers
    return body


@pytest.mark.parametrize("path", [*READS, "/nothing"])
def test_every_address_answers_401_without_a_valid_token(portal, token, path):
    good = token("covered:read")
    for authorization in (
        None,
        good,
        "Basic eDp5",
        "Bearer",
        f"Bearer {good[:-1]}",
        f"Bearer {good}x",
        "Bearer cst_" + "0" * 40,
    ):
        answer = get(portal, path, authorization)
        is_problem(answer, 401)
        assert answer.headers["WWW-Authenticate"].startswith("Bearer")
        assert good[4:] not in answer.text


def test_a_revoked_or_expired_token_is_refused(portal, token):
    words = token("covered:read")
    assert get(portal, "/covered/11", f"Bearer {words}").status_code == 200
    with portal.services.change(90) as context:
        row = context.session.exec(tokens.select(ApiToken)).one()
        assert row.used_at == portal.at
        context.log("token.revoked", rows=[tokens.revoke(within(context.session, context.vault, portal.at), row.id)])
    is_problem(get(portal, "/covered/11", f"Bearer {words}"), 401)
    late = token("covered:read")
    portal.later(days=1)
    is_problem(get(portal, "/covered/11", f"Bearer {late}"), 401)


@pytest.mark.parametrize(
    ("path", "scope"), list(zip(READS, ["covered", "signatures", "companies", "companies"], strict=True))
)
def test_each_address_needs_its_own_scope(portal, token, path, scope):
    others = [other for other in tokens.SCOPES if other != f"{scope}:read"]
    assert f"{scope}:read" in is_problem(get(portal, path, f"Bearer {token(*others)}"), 403)["detail"]
    assert get(portal, path, f"Bearer {token(f'{scope}:read')}").status_code in (200, 404)


def test_an_unknown_address_is_404_and_a_method_other_than_get_is_405(portal, token):
    authorization = f"Bearer {token('covered:read')}"
    is_problem(get(portal, "/nothing/at/all", authorization), 404)
    for method in METHODS[1:]:
        answer = portal.browser().open(PREFIX + "/signatures", method=method, headers={"Authorization": authorization})
        is_problem(answer, 405)
        assert answer.headers["Allow"] == "GET"


@pytest.mark.parametrize("path", [*READS, "/openapi.json", "/nothing"])
def test_options_is_answered_with_405_and_needs_a_token(portal, token, path):
    headers = {"Authorization": f"Bearer {token('covered:read')}"}
    answer = portal.browser().options(PREFIX + path, headers=headers)
    is_problem(answer, 405)
    assert answer.headers["Allow"] == "GET"
    if path != "/openapi.json":
        is_problem(portal.browser().options(PREFIX + path), 401)


@pytest.mark.parametrize("path", ["//companies", "/companies//x", "//", "/companies/", "/openapi.json/"])
def test_another_spelling_of_an_address_is_404_and_not_a_redirect(portal, token, path):
    """A redirect from `//` would name another host."""
    answer = get(portal, path, f"Bearer {token('companies:read')}")
    is_problem(answer, 404)
    assert "Location" not in answer.headers


@pytest.mark.parametrize("path", ["", "/"])
def test_the_prefix_itself_is_not_found_by_any_method(portal, token, path):
    for authorization in (None, f"Bearer {token('covered:read')}"):
        for method in METHODS:
            headers = {"Authorization": authorization} if authorization else {}
            answer = portal.browser().open(f"{PREFIX}{path}?lang=zh", method=method, headers=headers)
            is_problem(answer, 404)


def test_a_method_that_no_route_has_is_answered_with_405(portal, token):
    headers = {"Authorization": f"Bearer {token('companies:read')}"}
    answer = portal.browser().open(PREFIX + "/companies?lang=zh", method="PROPFIND", headers=headers)
    is_problem(answer, 405)
    assert answer.headers["Allow"] == "GET"
    assert portal.browser().get(f"{PREFIX}x").mimetype == "text/html"


def test_the_api_takes_no_session_cookie_and_sets_none(portal):
    browser = portal.signed_in(id=90, login="root")
    is_problem(browser.get(PREFIX + "/signatures"), 401)
    answer = browser.get(PREFIX + "/openapi.json?lang=zh")
    assert (answer.status_code, "Set-Cookie" in answer.headers) == (200, False)


def test_a_request_for_another_host_is_refused(portal):
    is_problem(get(portal, "/openapi.json", base_url="http://evil.example"), 400)


def test_requests_are_limited_by_token_and_without_one_by_address(portal, token):
    for _ in range(60):
        get(portal, "/signatures")
    answer = get(portal, "/signatures")
    is_problem(answer, 429)
    assert answer.headers["Retry-After"] == "60"
    assert get(portal, "/signatures", f"Bearer {token('signatures:read')}").status_code == 200


def test_a_database_error_is_a_503_without_its_message(portal, token):
    authorization = f"Bearer {token('signatures:read')}"
    with portal.database.begin() as connection:
        connection.exec_driver_sql("ALTER TABLE withdrawal RENAME TO gone")
    assert "withdrawal" not in is_problem(get(portal, "/signatures", authorization), 503)["detail"]


@pytest.mark.slow
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    route=st.sampled_from([route.path for route in ROUTES if route.method == "GET"]),
    part=st.text(min_size=1, max_size=30),
    query=st.dictionaries(
        st.sampled_from(["agreement", "at", "repository", "account", "since", "cursor", "limit", "x"]),
        st.text(max_size=30) | st.integers().map(str),
        max_size=3,
    ),
)
def test_no_input_leads_to_a_server_error_or_is_repeated(portal, token, route, part, query):
    from urllib.parse import quote

    path = route
    for name in ("<account_id>", "<company_id>", "<path:rest>"):
        path = path.replace(name, quote(part.encode("utf-8", "replace"), safe=""))
    words = token(*tokens.SCOPES)
    query = {name: value.encode("utf-8", "replace").decode() for name, value in query.items()}
    answer = portal.browser().get(path, headers={"Authorization": f"Bearer {words}"}, query_string=query)
    assert answer.status_code in (200, 400, 404, 308)
    if answer.status_code == 400:
        assert answer.json["detail"].isascii()


def test_a_refused_request_is_logged_with_the_tokens_id(portal, token):
    with capture_logs() as lines:
        words = token("signatures:read")
        assert get(portal, "/signatures?nothing=1", f"Bearer {words}").status_code == 400
        assert get(portal, "/companies", f"Bearer {words}").status_code == 403
        assert portal.browser().get(PREFIX + "/companies", headers={"Host": "x.example"}).status_code == 400
    events = [(line["event"], line["account"], bool(line["token"]), line["endpoint"], line["status"], line["why"])
            for line in lines if line["event"] == "request.refused"]  # fmt: skip
    assert events == [
        ("request.refused", None, True, "api.signatures", 400, "input"),
        ("request.refused", None, False, "api.companies", 400, "input"),
    ]
    assert [line["why"] for line in lines if line["event"] == "token.refused"] == ["scope"]


def forged(portal, statement, **values):
    """What an attacker does who can write to the database, and nothing else."""
    with portal.database.begin() as connection:
        connection.execute(text(statement), values)


def test_a_token_inserted_into_the_database_is_unknown(portal, token):
    token("covered:read")
    words = "cst_" + "A" * 40
    columns = "'x', 'x', :hash, 'personal signatures:read', made_at, made_by, expires_at"
    insert = f"INSERT INTO api_token (id, name, token_hash, scopes, made_at, made_by, expires_at, token_index) SELECT {columns}, %s FROM api_token"
    index = portal.services.vault.blind_index(tokens.INDEX, tokens._hash(words))
    said = []
    for copied, values in (("NULL", {}), ("token_index", {}), (":index", {"index": index})):
        forged(portal, insert % copied, hash=tokens._hash(words), **values)
        with capture_logs() as lines:
            is_problem(get(portal, "/signatures", f"Bearer {words}"), 401)
        said += [{key: line[key] for key in ("event", "why", "row", "token") if key in line} for line in lines
                 if line["event"].startswith(("row.", "token."))]  # fmt: skip
        assert words not in str(lines)
        forged(portal, "DELETE FROM api_token WHERE id = 'x'")
    assert said == [{"event": "row.refused", "why": "unlogged", "row": "x"}] * 3


def test_a_token_changed_in_the_database_is_refused_and_cannot_be_revoked(portal, token):
    words = token("covered:read")
    assert get(portal, "/covered/11", f"Bearer {words}").status_code == 200
    forged(portal, "UPDATE api_token SET scopes = 'covered:read signatures:read personal'")
    with capture_logs() as lines:
        for path in ("/covered/11", "/signatures"):
            is_problem(get(portal, path, f"Bearer {words}"), 401)
    told = [(line["table"], line["why"], line["log_level"]) for line in lines if line["event"] == "row.refused"]
    assert told == [("api_token", "unlogged", "warning")] * 2
    root = portal.signed_in(id=90, login="root")
    page = root.get("/admin/tokens").text
    assert "opens nothing" in page
    with portal.services.sessions() as session:
        token_id = session.exec(tokens.select(ApiToken.id)).one()
    assert f"/admin/tokens/{token_id}/revoke" not in page
    sent = root.post(f"/admin/tokens/{token_id}/revoke", data={"csrf_token": portal.proof(root, "/admin/tokens")})
    assert sent.status_code == 409


def test_a_token_whose_newest_entry_has_no_code_yet_is_accepted(portal, token):
    """A release without row codes may have logged its last use."""
    words = token("covered:read")
    forged(portal, "DELETE FROM row_mac")
    assert get(portal, "/covered/11", f"Bearer {words}").status_code == 200


def test_the_first_use_of_a_token_on_a_day_is_one_entry_of_the_log(portal, token):
    words, other = token("covered:read"), token("signatures:read")
    for path, asked in (
        ("/covered/11", words),
        ("/signatures", words),
        ("/signatures", other),
        ("/signatures", "cst_" + "0" * 40),
    ):
        get(portal, path, f"Bearer {asked}")
    portal.later(hours=13)
    get(portal, "/signatures", f"Bearer {other}")
    with portal.services.sessions() as session:
        entries = session.exec(tokens.select(LedgerEntry.kind).where(LedgerEntry.kind == tokens.USED)).all()
    assert len(entries) == 3
    log = portal.signed_in(id=90, login="root").get("/admin/log?kind=token.used")
    assert "An API token was used for the first time that day" in log.text
