"""The whole site: host names, form sizes, rate limits and addresses behind proxies."""

from base64 import urlsafe_b64decode
from urllib.parse import urlencode

import pytest
from flask import request
from itsdangerous import TimestampSigner

from bot import clock


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "127.0.0.1"])
def test_a_host_name_other_than_the_configured_one_is_refused(portal, host):
    assert portal.browser().get("/", base_url=f"http://{host}/").status_code == 400
    assert portal.browser().get("/", base_url="http://localhost:8080/").status_code == 200


def test_a_form_above_64_kib_is_answered_with_413(portal):
    browser = portal.signed_in()
    answer = browser.post("/sign/icla", data=portal.form(browser, name="A" * 70_000))

    assert answer.status_code == 413
    assert "The content is too large" in answer.text


def test_the_csrf_token_is_signed_with_sha_256(portal):
    browser = portal.signed_in()
    signature = portal.proof(browser).rpartition(".")[2]

    assert len(urlsafe_b64decode(signature + "=")) == 32


@pytest.mark.parametrize("hours", [-1, 1])
def test_a_form_from_a_host_with_a_wrong_clock_is_accepted(portal, monkeypatch, hours):
    """Two hosts behind one address take each other's forms."""
    wrong = int(clock.now().timestamp()) + hours * 3600
    browser = portal.signed_in()
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(TimestampSigner, "get_timestamp", lambda _: wrong)
        form = portal.form(browser)

    assert browser.post("/sign/icla", data=form).status_code == 302


@pytest.mark.slow
def test_the_21st_form_of_one_account_within_a_minute_is_answered_with_429(portal):
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
def test_only_the_addresses_that_trusted_proxies_wrote_are_read(behind, proxies, forwarded, seen):
    answer = behind(proxies).get("/whoami", headers={"X-Forwarded-For": forwarded, "X-Forwarded-Proto": "https"})

    assert answer.text == f"{seen} localhost http"


def test_the_forwarded_host_counts_behind_a_proxy_alone(behind):
    ours, foreign = {"X-Forwarded-Host": "localhost"}, {"X-Forwarded-Host": "evil.example"}
    alone, inner = behind(0), behind(1)

    assert alone.get("/", base_url="http://inner:8080/", headers=ours).status_code == 400
    assert alone.get("/", headers=foreign).status_code == 200
    assert inner.get("/", base_url="http://inner:8080/", headers=ours).status_code == 200
    assert inner.get("/", headers=foreign).status_code == 400


def test_the_header_of_every_page_signs_a_stranger_in_and_leads_back_there(portal):
    portal.pull(7)
    for page, back in (
        ("/guide", "/guide"),
        ("/sign/icla?pr=cann/ops-math/7&lang=en", "/sign/icla?pr=cann/ops-math/7"),
    ):
        link = f'<a class="button quiet out" href="/login?{urlencode({"next": back})}">Sign in</a>'
        assert link in portal.browser().get(page).text
        assert ">Sign in</a>" not in portal.signed_in().get(page).text


@pytest.mark.slow
def test_rate_limits_follow_the_visitors_address_and_not_a_forged_one(behind):
    def visit(browser, count):
        return {
            browser.get("/login", headers={"X-Forwarded-For": f"203.0.{n // 250}.{n % 250}"}).status_code
            for n in range(count)
        }

    assert visit(behind(0), 310) == {302, 429}
    assert visit(behind(1), 310) == {302}
