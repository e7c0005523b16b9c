"""A token before anything else; without it, without its scope, or at no address there is nothing to learn."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from structlog.testing import capture_logs

from bot.portal.api.routes import METHODS, PREFIX, ROUTES
from bot.store import tokens
from bot.store.tokens import ApiToken

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
def test_without_a_valid_token(portal, token, path):
    """401 with the way to ask, whatever is wrong with it, also where there is nothing."""
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


def test_an_ended_token(portal, token):
    """Expired by time, or revoked."""
    words = token("covered:read")
    assert get(portal, "/covered/11", f"Bearer {words}").status_code == 200
    with portal.services.sessions() as session:
        row = session.exec(tokens.select(ApiToken)).one()
        assert row.used_at == portal.at
        tokens.revoke(session, row.id, at=portal.at)
    is_problem(get(portal, "/covered/11", f"Bearer {words}"), 401)
    late = token("covered:read")
    portal.later(days=1)
    is_problem(get(portal, "/covered/11", f"Bearer {late}"), 401)


@pytest.mark.parametrize(
    ("path", "scope"), list(zip(READS, ["covered", "signatures", "companies", "companies"], strict=True))
)
def test_a_scope_each(portal, token, path, scope):
    """The other scopes open nothing."""
    others = [one for one in tokens.SCOPES if one != f"{scope}:read"]
    assert f"{scope}:read" in is_problem(get(portal, path, f"Bearer {token(*others)}"), 403)["detail"]
    assert get(portal, path, f"Bearer {token(f'{scope}:read')}").status_code in (200, 404)


def test_what_is_not_there(portal, token):
    """404, and 405 for everything that would change something."""
    authorization = f"Bearer {token('covered:read')}"
    is_problem(get(portal, "/nothing/at/all", authorization), 404)
    for method in METHODS[1:]:
        answer = portal.browser().open(PREFIX + "/signatures", method=method, headers={"Authorization": authorization})
        is_problem(answer, 405)
        assert answer.headers["Allow"] == "GET"


@pytest.mark.parametrize("path", [*READS, "/openapi.json", "/nothing"])
def test_options(portal, token, path):
    """Is no reading: 405 as for the others, which names GET alone; without a token there is nothing to learn."""
    headers = {"Authorization": f"Bearer {token('covered:read')}"}
    answer = portal.browser().options(PREFIX + path, headers=headers)
    is_problem(answer, 405)
    assert answer.headers["Allow"] == "GET"
    if path != "/openapi.json":
        is_problem(portal.browser().options(PREFIX + path), 401)


@pytest.mark.parametrize("path", ["//companies", "/companies//x", "//", "/companies/", "/openapi.json/"])
def test_an_address_that_is_written_otherwise(portal, token, path):
    """Is none: no page, and no redirect, which would name another host."""
    answer = get(portal, path, f"Bearer {token('companies:read')}")
    is_problem(answer, 404)
    assert "Location" not in answer.headers


@pytest.mark.parametrize("path", ["", "/"])
def test_the_api_itself_is_no_page(portal, token, path):
    """Nothing is there, with a token or without one, by whichever method."""
    for authorization in (None, f"Bearer {token('covered:read')}"):
        for method in METHODS:
            headers = {"Authorization": authorization} if authorization else {}
            answer = portal.browser().open(f"{PREFIX}{path}?lang=zh", method=method, headers=headers)
            is_problem(answer, 404)


def test_a_method_that_no_route_has(portal, token):
    """405, as for the others; an address that only begins alike is a page's."""
    headers = {"Authorization": f"Bearer {token('companies:read')}"}
    answer = portal.browser().open(PREFIX + "/companies?lang=zh", method="PROPFIND", headers=headers)
    is_problem(answer, 405)
    assert answer.headers["Allow"] == "GET"
    assert portal.browser().get(f"{PREFIX}x").mimetype == "text/html"


def test_no_cookie_counts_and_none_is_set(portal):
    """Somebody who is signed in is nobody here; a language is not remembered."""
    browser = portal.signed_in(id=90, login="root")
    is_problem(browser.get(PREFIX + "/signatures"), 401)
    answer = browser.get(PREFIX + "/openapi.json?lang=zh")
    assert (answer.status_code, "Set-Cookie" in answer.headers) == (200, False)


def test_another_host(portal):
    """A name that is not ours is no way in."""
    is_problem(get(portal, "/openapi.json", base_url="http://evil.example"), 400)


def test_too_many_requests(portal, token):
    """With one token, and without any from one address; another token goes on."""
    for _ in range(60):
        get(portal, "/signatures")
    answer = get(portal, "/signatures")
    is_problem(answer, 429)
    assert answer.headers["Retry-After"] == "60"
    assert get(portal, "/signatures", f"Bearer {token('signatures:read')}").status_code == 200


def test_a_broken_database_is_a_problem(portal, token):
    """503, without a word of what it said."""
    authorization = f"Bearer {token('signatures:read')}"
    with portal.database.begin() as connection:
        connection.exec_driver_sql("ALTER TABLE withdrawal RENAME TO gone")
    assert "withdrawal" not in is_problem(get(portal, "/signatures", authorization), 503)["detail"]


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
def test_anything_may_be_asked(portal, token, route, part, query):
    """Never 500, and nothing of it comes back."""
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


def test_what_is_misshapen_is_in_the_log(portal, token):
    """By the token's id; one that lacks a scope has a line of its own, and no second one."""
    with capture_logs() as lines:
        words = token("signatures:read")
        assert get(portal, "/signatures?nothing=1", f"Bearer {words}").status_code == 400
        assert get(portal, "/companies", f"Bearer {words}").status_code == 403
        assert portal.browser().get(PREFIX + "/companies", headers={"Host": "x.example"}).status_code == 400
    events = [(one["event"], one["account"], bool(one["token"]), one["endpoint"], one["status"], one["why"])
            for one in lines if one["event"] == "request.refused"]  # fmt: skip
    assert events == [
        ("request.refused", None, True, "api.signatures", 400, "input"),
        ("request.refused", None, False, "api.companies", 400, "input"),
    ]
    assert [one["why"] for one in lines if one["event"] == "token.refused"] == ["scope"]
