"""Each error is explained in one plain sentence in both languages, without a traceback."""

import pytest
from flask import Blueprint
from sqlalchemy.exc import OperationalError
from structlog.testing import capture_logs

from agreements.vault import KeyDestroyed
from bot.github.ports import Refused, Unreachable
from bot.telemetry import outages, security_log


@pytest.fixture(name="broken")
def _broken(portal):
    """The portal with pages that break in every way."""
    pages = Blueprint("breaking", __name__)

    @pages.get("/break/<kind>")
    def fail(kind: str):
        if kind == "records":
            raise OperationalError("SELECT ada@example.com", {}, Exception("secret-value"))
        if kind == "ours":
            raise RuntimeError("secret-value ada@example.com")
        from flask import abort

        abort(int(kind))

    portal.app.register_blueprint(pages)
    return portal


@pytest.mark.parametrize("code", [400, 403, 404, 405, 413, 429, 500, 503])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_each_error_is_a_page_with_its_code_in_the_visitors_language(broken, code, language):
    answer = broken.browser().get(f"/break/{code}?lang={language}")

    assert answer.status_code == code
    assert f'<p class="kicker">{code}</p>' in answer.text
    assert f'<html lang="{"zh-CN" if language == "zh" else "en"}">' in answer.text
    assert 'href="/"' in answer.text


@pytest.mark.parametrize(
    ("kind", "code", "told"),
    [("records", 503, ("OperationalError", "the database does not answer")), ("ours", 500, ("RuntimeError",))],
)
def test_an_internal_error_shows_no_message_and_no_traceback(broken, kind, code, told, capsys, caplog):
    outages.DATABASE.answered()  # an outage that another test told of is over: the next one has its line
    answer = broken.browser().get(f"/break/{kind}")
    logged = "".join(capsys.readouterr()) + caplog.text  # where logs go depends on the tests before

    assert answer.status_code == code
    for text in (answer.text, logged):
        assert "secret-value" not in text
        assert "ada@example.com" not in text
    assert "Traceback" not in answer.text
    assert any(words in logged for words in told)


@pytest.mark.parametrize(
    ("error", "en", "zh"),
    [
        (Unreachable("time-out"), "it is not responding", "GitHub 没有响应"),
        (Refused("403"), "the permission Members (read)", "Members (read) 权限"),
    ],
)
def test_a_github_that_does_not_answer_is_named_as_the_cause_with_503(broken, error, en, zh):
    broken.app.view_functions["breaking.fail"] = raising(error)

    for language, words in (("en", en), ("zh", zh)):
        answer = broken.browser().get(f"/break/github?lang={language}")
        assert answer.status_code == 503
        assert words in answer.text


def test_a_record_whose_key_was_destroyed_is_answered_with_410_and_logged(broken):
    broken.app.view_functions["breaking.fail"] = raising(KeyDestroyed("the erasure key of a person is missing"))

    for language, words in (("en", "This record cannot be decrypted"), ("zh", "无法解密此记录")):
        with capture_logs() as lines:
            answer = broken.browser().get(f"/break/key?lang={language}")
        assert answer.status_code == 410
        assert words in answer.text
        assert lines == [{"event": "page.no-key", "log_level": "error", "endpoint": "breaking.fail"}]


def raising(error):
    """A view that fails in that way."""

    def fail(kind):
        raise error

    return fail


def test_an_error_without_words_of_its_own_gets_those_of_its_class(broken):
    answer = broken.browser().get("/break/418")

    assert answer.status_code == 418
    assert "This request could not be processed" in answer.text


@pytest.mark.slow
def test_a_405_names_the_allowed_methods_and_a_429_the_seconds_to_wait(portal):
    """RFC 9110, section 15.5.6, and RFC 6585, section 4, ask for these headers."""
    browser = portal.browser()
    refused = [browser.put("/sign/icla"), browser.get("/logout")]
    limited = [browser.get("/login") for _ in range(301)][-1]

    assert [answer.headers["Allow"] for answer in refused] == ["GET, HEAD, OPTIONS, POST", "OPTIONS, POST"]
    assert limited.status_code == 429
    assert 1 <= int(limited.headers["Retry-After"]) <= 60


@pytest.mark.parametrize(
    ("limit", "visits", "seconds", "en", "zh"),
    [
        ("2 per minute", 3, 60, "Wait a minute, then", "请在 1 分钟后"),
        ("2 per hour", 3, 3600, "Wait 60 minutes, then", "请在 60 分钟后"),
        ("2 per day", 3, 86400, "Wait 1440 minutes, then", "请在 1440 分钟后"),
        ("2 per minute; 4 per hour", 3, 60, "Wait a minute, then", "请在 1 分钟后"),
        ("2 per minute; 4 per hour", 5, 3600, "Wait 60 minutes, then", "请在 60 分钟后"),
    ],
)
def test_a_429_says_in_header_and_page_how_long_its_limit_lasts(portal, limit, visits, seconds, en, zh):
    (limiter,) = portal.app.extensions["limiter"]
    portal.app.add_url_rule("/limited", "limited", limiter.limit(limit, key_func=lambda: "ada")(lambda: ""))
    answers = [portal.browser().get("/limited") for _ in range(visits)]
    answers.append(portal.browser().get("/limited?lang=zh"))

    assert [answer.status_code for answer in answers[-2:]] == [429, 429]
    assert seconds - 1 <= int(answers[-2].headers["Retry-After"]) <= seconds
    assert en in answers[-2].text
    assert zh in answers[-1].text


@pytest.mark.parametrize(
    ("query", "after"),
    [("", "%2Fsign%2Ficla"), ("?pr=cann/ops-math/7", "%2Fsign%2Ficla%3Fpr%3Dcann%2Fops-math%2F7"), ("?next=//evil", "%2Fsign%2Ficla")],
)  # fmt: skip
def test_a_form_after_the_sessions_end_links_back_to_the_agreement(portal, query, after):
    browser = portal.signed_in()
    form = portal.form(browser)
    portal.later(minutes=31)
    answer = browser.post(f"/sign/icla{query}", data=form)

    assert answer.status_code == 403
    assert f'href="/login?next={after}"' in answer.text


def test_a_nul_in_an_address_is_the_visitors_mistake(make_portal, database_url, github):
    """PostgreSQL refuses a NUL in text, which must not raise an alarm about the records."""
    portal = make_portal(database_url, github)
    answer = portal.signed_in().get("/company/%00")

    assert answer.status_code == (400 if database_url.startswith("postgres") else 404)
    portal.database.dispose()


def refused(lines):
    """What was told of requests that were refused."""
    return [line for line in lines if line["event"] == "request.refused"]


def test_a_refused_form_is_logged_with_its_reason_and_ids_alone(broken):
    browser = broken.signed_in()
    with capture_logs() as lines:
        assert browser.post("/me/wish", data={"login": "secret"}).status_code == 404
        assert browser.post("/logout", data={"login": "secret"}).status_code == 400
        for code in (400, 403, 404, 405, 413, 429):
            browser.get(f"/break/{code}?q=secret")
        assert broken.browser().post("/me/erasure", data={}).status_code == 403
        assert broken.browser().get("/me", headers={"Host": "elsewhere.example"}).status_code == 400
    said = {"event": "request.refused", "log_level": "info", "account": 11, "token": None}
    assert refused(lines) == [
        {**said, "endpoint": "login.sign_out", "status": 400, "why": "form"},
        {**said, "endpoint": "breaking.fail", "status": 400, "why": "input"},
        {**said, "endpoint": "breaking.fail", "status": 403, "why": "visit"},
        {**said, "endpoint": "breaking.fail", "status": 413, "why": "size"},
        {**said, "endpoint": "breaking.fail", "status": 429, "why": "rate"},
        {**said, "account": None, "endpoint": "me.ask_erasure", "status": 403, "why": "visit"},
        {**said, "account": None, "endpoint": "me.me", "status": 400, "why": "input"},
    ]


def test_at_most_twenty_refusals_a_minute_are_logged_for_one_visitor(broken, monkeypatch):
    monkeypatch.setattr(security_log, "monotonic", lambda: 6000.0)
    browser = broken.signed_in()
    with capture_logs() as lines:
        for _ in range(50):
            browser.get("/break/400")
        broken.browser().get("/break/400")
    assert [line["account"] for line in refused(lines)] == [11] * 20 + [None]
