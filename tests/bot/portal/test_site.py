"""The whole site: host names, form sizes, what is open to whom, and machines' routes left alone."""

import pytest
from flask import Blueprint, abort


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
    assert "That was too much at once" in answer.text


def test_every_route_and_who_may_use_it(portal):
    """Each route is named here with what a stranger gets: a new one must be thought about."""
    routes = {
        (method, str(rule))
        for rule in portal.app.url_map.iter_rules()
        for method in rule.methods - {"HEAD", "OPTIONS"}
        if rule.endpoint != "pages.static"
    }
    stranger = {
        ("GET", "/"): 200, ("GET", "/faq"): 200, ("GET", "/whitelist.json"): 200, ("GET", "/login"): 302,
        ("GET", "/login/callback"): 400, ("POST", "/logout"): 400, ("GET", "/sign/<agreement>"): 200,
        ("POST", "/sign/<agreement>"): 403, ("GET", "/receipts/<receipt>"): 302, ("GET", "/me"): 302,
        ("GET", "/pr/<owner>/<name>/<number>"): 404,
    }  # fmt: skip
    filled = {
        "<agreement>": "icla",
        "<receipt>": "0123-4567-89AB-CDEF-GHJK",
        "<owner>": "a",
        "<name>": "b",
        "<number>": "1",
    }

    assert routes == set(stranger)
    for (method, rule), status in stranger.items():
        path = rule
        for name, value in filled.items():
            path = path.replace(name, value)
        assert portal.browser().open(path, method=method).status_code == status, (method, path)


def test_machines_are_left_alone(portal):
    """A blueprint for machines needs no form proof and no host name, and its errors are no pages."""
    hook = Blueprint("hook", __name__)
    hook.add_url_rule("/hook-test", "test", lambda: ("ok", 202), methods=["POST"])
    hook.add_url_rule("/hook-fails", "fails", lambda: abort(413), methods=["POST"])
    hook.add_url_rule("/hook-breaks", "breaks", lambda: int("x"), methods=["POST"])
    portal.app._got_first_request = False
    portal.app.register_blueprint(hook)
    browser = portal.browser()

    assert browser.post("/hook-test", data=b"{}", base_url="http://10.0.0.7/").status_code == 202
    failed = browser.post("/hook-fails")
    assert failed.status_code == 413
    assert "<nav" not in failed.text
    broken = browser.post("/hook-breaks")
    assert (broken.status_code, broken.text, broken.mimetype) == (500, "Internal Server Error\n", "text/plain")


def test_signing_is_slowed_down(portal):
    """The 21st form within a minute is answered 429 with a page."""
    browser = portal.signed_in()
    form = portal.form(browser, agree=None)
    codes = [browser.post("/sign/icla", data=form).status_code for _ in range(21)]

    assert codes == [400] * 20 + [429]
