"""The whole site: host names, form sizes, what is open to whom, and machines' routes left alone."""

from base64 import urlsafe_b64decode
from datetime import datetime

import pytest
from flask import request
from itsdangerous import TimestampSigner

from bot import clock
from bot.portal.site import last_day


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "127.0.0.1"])
def test_a_foreign_host_name_is_refused(portal, host):
    """Only the host of COUNTERSIGN_URL is answered: links and cookies cannot be made for another."""
    assert portal.browser().get("/", base_url=f"http://{host}/").status_code == 400
    assert portal.browser().get("/", base_url="http://localhost:8080/").status_code == 200


def test_a_huge_form_is_refused(portal):
    """More than 64 KiB of form is 413, with a page."""
    browser = portal.signed_in()
    answer = browser.post("/sign/icla", data=portal.form(browser, name="A" * 70_000))

    assert answer.status_code == 413
    assert "The content is too large" in answer.text


def test_forms_are_signed_with_sha_256(portal):
    """The last part of the word is 32 bytes long."""
    browser = portal.signed_in()
    signature = portal.proof(browser).rpartition(".")[2]

    assert len(urlsafe_b64decode(signature + "=")) == 32


@pytest.mark.parametrize("hours", [-1, 1])
def test_a_form_may_come_from_a_host_whose_clock_is_wrong(portal, monkeypatch, hours):
    """Two hosts behind one address: what one hands out the other takes, as long as the session lasts."""
    wrong = int(clock.now().timestamp()) + hours * 3600
    browser = portal.signed_in()
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(TimestampSigner, "get_timestamp", lambda _: wrong)
        form = portal.form(browser)

    assert browser.post("/sign/icla", data=form).status_code == 302


def test_signing_is_slowed_down(portal):
    """The 21st form within a minute is answered 429 with a page; a colleague at the same address is not kept waiting."""
    browser, colleague = portal.signed_in(), portal.signed_in(id=12, login="bob")
    form = portal.form(browser, agree=None)
    codes = [browser.post("/sign/icla", data=form).status_code for _ in range(21)]

    assert codes == [400] * 20 + [429]
    assert colleague.post("/sign/icla", data=portal.form(colleague)).status_code == 302


@pytest.fixture(name="behind")
def _behind(tmp_path, github, make_portal):
    """Portals that stand behind so many proxies."""
    made = []

    def behind(proxies):
        portal = make_portal(f"sqlite:///{tmp_path / f'{proxies}.db'}", github, proxies=proxies)
        portal.app.add_url_rule("/whoami", "whoami", lambda: f"{request.remote_addr} {request.host} {request.scheme}")
        made.append(portal)
        return portal.browser()

    yield behind
    for portal in made:
        portal.database.dispose()


@pytest.mark.parametrize(
    ("proxies", "forwarded", "seen"),
    [
        (0, "203.0.113.9", "127.0.0.1"),
        (1, "203.0.113.9", "203.0.113.9"),
        (1, "198.51.100.1, 203.0.113.9", "203.0.113.9"),
        (2, "198.51.100.1, 203.0.113.9, 10.0.0.2", "203.0.113.9"),
        (2, "203.0.113.9", "127.0.0.1"),
        (1, "", "127.0.0.1"),
    ],
)
def test_the_visitors_address_behind_proxies(behind, proxies, forwarded, seen):
    """Only what our own proxies wrote counts; what the visitor wrote before it does not."""
    answer = behind(proxies).get("/whoami", headers={"X-Forwarded-For": forwarded, "X-Forwarded-Proto": "https"})

    assert answer.text == f"{seen} localhost http"


def test_a_forwarded_host_is_a_host(behind):
    """Behind a proxy that names us otherwise its X-Forwarded-Host counts, and a foreign one is refused all the same."""
    ours, foreign = {"X-Forwarded-Host": "localhost"}, {"X-Forwarded-Host": "evil.example"}
    alone, one = behind(0), behind(1)

    assert alone.get("/", base_url="http://inner:8080/", headers=ours).status_code == 400
    assert alone.get("/", headers=foreign).status_code == 200
    assert one.get("/", base_url="http://inner:8080/", headers=ours).status_code == 200
    assert one.get("/", headers=foreign).status_code == 400


def test_limits_are_each_visitors_own(behind):
    """Forged addresses do not lift the limit without a proxy; behind one, visitors do not share it."""

    def visit(browser, count):
        return {
            browser.get("/login", headers={"X-Forwarded-For": f"203.0.{n // 250}.{n % 250}"}).status_code
            for n in range(count)
        }

    assert visit(behind(0), 310) == {302, 429}
    assert visit(behind(1), 310) == {302}


@pytest.mark.parametrize(
    ("end", "expected"),
    [
        ("2026-12-02T00:00:00+00:00", "2026-12-01"),
        ("2027-01-01T00:00:00+00:00", "2026-12-31"),
        ("2026-12-02T00:00:01+00:00", "2026-12-02 00:00 UTC"),
        ("2026-12-02T13:45:00+00:00", "2026-12-02 13:45 UTC"),
    ],
)
def test_the_last_day_is_the_one_that_was_typed(end, expected):
    """What ends at midnight counted through the day before."""
    assert last_day(datetime.fromisoformat(end)) == expected
