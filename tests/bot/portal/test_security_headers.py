"""The security headers and the caching headers of every answer."""

import pytest

PATHS = ["/", "/sign/icla", "/login", "/me", "/nowhere", "/whitelist.json", "/static/style.css"]


@pytest.mark.parametrize("path", PATHS)
def test_every_answer_has_the_security_headers_and_a_policy_without_inline_code(portal, path):
    with portal.browser().get(path) as answer:
        policy = dict(part.strip().split(" ", 1) for part in answer.headers["Content-Security-Policy"].split(";"))

        assert policy["default-src"] == "'none'"
        assert policy["script-src"] == policy["style-src"] == policy["form-action"] == "'self'"
        assert policy["frame-ancestors"] == policy["base-uri"] == policy["trusted-types"] == "'none'"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Referrer-Policy"] == "same-origin"
        assert answer.headers["Cross-Origin-Opener-Policy"] == "same-origin"
        assert "camera=()" in answer.headers["Permissions-Policy"]
        assert "Strict-Transport-Security" not in answer.headers


def test_pages_are_not_stored_and_public_files_may_be(portal):
    browser = portal.browser()
    page, listing = browser.get("/"), browser.get("/whitelist.json")

    assert page.headers["Cache-Control"] == "no-store"
    assert {"Cookie", "Accept-Language"} <= set(page.headers["Vary"].replace(" ", "").split(","))
    assert listing.headers["Cache-Control"] == "public, max-age=60"
    with browser.get("/static/style.css") as style:
        assert "no-store" not in style.headers["Cache-Control"]
        assert style.headers["ETag"]


def test_over_https_the_browser_is_told_to_stay_there_for_two_years(secure_portal):
    answer = secure_portal.browser().get("/", base_url="https://cla.example.org")

    assert answer.headers["Strict-Transport-Security"] == "max-age=63072000; includeSubDomains"


def test_no_page_has_inline_code_or_loads_from_another_site(portal):
    browser = portal.signed_in()
    for path in ("/", "/faq", "/sign/icla", "/sign/ccla", "/me", "/nowhere"):
        page = browser.get(path).text
        assert "<script" not in page
        assert " style=" not in page
        assert "<style" not in page
        assert " on" not in page.replace(" on ", " ").replace(" on-", "").split("</head>")[0]
        assert 'src="http' not in page
