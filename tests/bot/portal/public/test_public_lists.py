"""The public lists hold logins, ids, domains and a time alone, and are sent with little memory."""

import json
import threading
import tracemalloc
from contextlib import contextmanager

import pytest
import requests
from sqlalchemy import event, text

from bot.portal.public import public_lists
from tests.bot.server.served import served

MANY = 100_000
PATHS = ("/whitelist.json", "/CLA-whitelist.json")


def test_the_public_list_holds_login_and_id_without_name_and_address(portal):
    empty = portal.browser().get("/whitelist.json").json
    browser = portal.signed_in()
    browser.post("/sign/icla", data=portal.form(browser))
    answer = portal.browser().get("/whitelist.json")

    assert empty == {"individuals": [], "corporate_domains": [], "last_updated": "1970-01-01T00:00:00Z"}
    assert answer.json == {
        "individuals": [{"login": "ada", "id": 11}], "corporate_domains": [], "last_updated": "2026-11-21T12:00:00Z",
    }  # fmt: skip
    assert answer.mimetype == "application/json"
    bare = portal.browser().get("/CLA-whitelist.json")
    assert bare.json == {**answer.json, "individuals": ["ada"]}
    assert bare.headers["ETag"] != answer.headers["ETag"]
    assert "Lovelace" not in answer.text
    assert "example.com" not in answer.text


@pytest.mark.slow
def test_the_page_for_people_lists_logins_and_domains_and_links_the_files(portal, covered, monkeypatch):
    assert "Nobody has signed yet." in portal.browser().get("/signers").text
    for number, login in ((11, "ada"), (12, "bob")):
        browser = portal.signed_in(id=number, login=login)
        browser.post("/sign/icla", data=portal.form(browser))
    covered(domain="huawei.com")
    page = portal.browser().get("/signers").text
    for said in (">ada</a>", ">bob</a>", "<li>huawei.com</li>", 'href="/whitelist.json"', "number 11"):
        assert said in page
    assert "Lovelace" not in page
    assert '<a href="/signers">Public list</a>' in portal.browser().get("/").text

    found = portal.browser().get("/signers?login=@BO").text
    assert (">bob</a>" in found, ">ada</a>" in found) == (True, False)
    assert "begins so" in portal.browser().get("/signers?login=b%25").text
    monkeypatch.setattr(public_lists, "PAGE_PEOPLE", 1)
    assert 'href="?page=2"' in portal.browser().get("/signers").text
    second = portal.browser().get("/signers?page=2").text
    assert (">bob</a>" in second, ">ada</a>" in second, "huawei.com" in second) == (True, False, False)


def test_an_unchanged_list_is_answered_with_304(portal):
    tag = portal.browser().get("/whitelist.json").headers["ETag"]
    same = portal.browser().get("/whitelist.json", headers={"If-None-Match": tag})
    browser = portal.signed_in()
    browser.post("/sign/icla", data=portal.form(browser))
    other = portal.browser().get("/whitelist.json", headers={"If-None-Match": tag})

    assert (same.status_code, same.data, same.headers["ETag"]) == (304, b"", tag)
    assert other.status_code == 200


def test_a_list_is_made_anew_after_each_change_or_date(portal, covered):
    read = lambda: portal.browser().get("/whitelist.json").json  # noqa: E731 - said four times below
    assert read() == read()
    for number, login in ((11, "ada"), (12, "bob")):
        browser = portal.signed_in(id=number, login=login)
        browser.post("/sign/icla", data=portal.form(browser))
        assert login in {person["login"] for person in read()["individuals"]}
    covered(domain="huawei.com")
    portal.later(minutes=1)  # a test's company is no entry of the log
    assert read()["corporate_domains"] == ["huawei.com"]


def test_the_61st_request_for_a_list_within_a_minute_is_answered_with_429(portal):
    codes = [portal.browser().get("/CLA-whitelist.json").status_code for _ in range(61)]

    assert codes == [200] * 60 + [429]


def test_a_change_of_nothing_public_keeps_the_etag_and_reads_no_list(portal):
    browser = portal.signed_in()
    browser.post("/sign/icla", data=portal.form(browser))
    for path in PATHS:
        tag = portal.browser().get(path).headers["ETag"]
        assert tag.startswith('W/"')
        root = portal.signed_in(id=90, login="root")
        root.post("/admin/lists/people/export", data={"csrf_token": portal.proof(root)})
        portal.app.extensions.pop("countersign.public-lists")  # as another process
        with asked(portal) as statements:
            again = portal.browser().get(path, headers={"If-None-Match": tag.removeprefix("W/")})
        assert (again.status_code, again.headers["ETag"], again.data) == (304, tag, b"")
        assert len(statements) <= 3
    assert len({portal.browser().get(path).headers["ETag"] for path in PATHS}) == 2


@contextmanager
def asked(portal):
    """The statements that are asked meanwhile."""
    said = []

    def note(_connection, _cursor, statement, *_):
        said.append(statement)

    event.listen(portal.database, "before_cursor_execute", note)
    try:
        yield said
    finally:
        event.remove(portal.database, "before_cursor_execute", note)


@pytest.fixture(name="crowded")
def _crowded(portal):
    """A hundred thousand people who signed, put into the tables by themselves."""
    browser = portal.signed_in()
    browser.post("/sign/icla", data=portal.form(browser))
    names = {"person": {"id": "'p' || n", "account_id": "n + 1000", "login": "'somebody-' || n"},
             "signature": {"id": "'s' || n", "person_id": "'p' || n", "account_id": "n + 1000", "receipt": "'r' || n"}}  # fmt: skip
    with portal.services.sessions() as session:
        for table, own in names.items():
            columns = [row[1] for row in session.execute(text(f"PRAGMA table_info({table})"))]
            values = ", ".join(own.get(column, column) for column in columns)
            session.execute(text(
                f"WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < {MANY}) "
                f"INSERT INTO {table} ({', '.join(columns)}) SELECT {values} FROM c, (SELECT * FROM {table} LIMIT 1)"
            ))  # fmt: skip
    return portal


@pytest.mark.slow
@pytest.mark.parametrize("path", [PATHS[0], pytest.param(PATHS[1], marks=pytest.mark.nightly)])
def test_a_long_list_is_sent_with_at_most_8_mb_of_memory(crowded, path):
    with served(crowded.app) as home:
        requests.get(f"{home}/checkpoint", timeout=60)
        tracemalloc.start()
        try:
            sizes = {}
            for coding in ("identity", "gzip"):
                with requests.get(home + path, headers={"Accept-Encoding": coding}, stream=True, timeout=60) as answer:
                    sizes[coding] = sum(map(len, iter(lambda: answer.raw.read(50_000, decode_content=False), b"")))
                    assert answer.headers.get("Content-Encoding", "identity") == coding
            assert int(answer.headers["Content-Length"]) == sizes["gzip"]
            most = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    assert sizes["identity"] > 1_500_000
    assert sizes["gzip"] < sizes["identity"] / 3
    assert most < 8_000_000


@pytest.mark.slow
def test_concurrent_readers_get_the_same_list_made_once(crowded):
    with served(crowded.app) as home:
        bodies = []
        with asked(crowded) as statements:
            threads = [
                threading.Thread(target=lambda: bodies.append(requests.get(home + PATHS[0], timeout=60).content))
                for _ in range(4)
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        plain = requests.get(home + PATHS[0], headers={"Accept-Encoding": "identity"}, timeout=60)
    people = json.loads(bodies[0])["individuals"]

    assert set(bodies) == {plain.content}
    assert "Content-Encoding" not in plain.headers
    assert "Accept-Encoding" in plain.headers["Vary"]
    assert len({person["id"] for person in people}) == len(people) == MANY + 1
    assert sum("ORDER BY lower(person.login)" in statement for statement in statements) == 1
