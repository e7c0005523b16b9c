"""What every answer tells the browser to refuse, and what may be kept."""

import pytest

PATHS = ["/", "/sign/icla", "/login", "/me", "/nowhere", "/whitelist.json", "/static/style.css"]


@pytest.mark.parametrize("path", PATHS)
def test_every_answer_has_them(portal, path):
    """Pages, redirects, errors and files carry the whole set; the policy allows no inline code and no other site."""
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


def test_pages_are_not_kept(portal):
    """Pages are never stored and vary by cookie; the style sheet and the public list may be kept."""
    browser = portal.browser()
    page, listing = browser.get("/"), browser.get("/whitelist.json")

    assert page.headers["Cache-Control"] == "no-store"
    assert {"Cookie", "Accept-Language"} <= set(page.headers["Vary"].replace(" ", "").split(","))
    assert listing.headers["Cache-Control"] == "public, max-age=60"
    with browser.get("/static/style.css") as style:
        assert "no-store" not in style.headers["Cache-Control"]
        assert style.headers["ETag"]


def test_https_is_remembered(secure_portal):
    """Over https browsers are told to stay there for two years."""
    answer = secure_portal.browser().get("/", base_url="https://cla.example.org")

    assert answer.headers["Strict-Transport-Security"] == "max-age=63072000; includeSubDomains"


def test_no_page_needs_what_the_policy_forbids(portal):
    """No page has inline scripts, styles or handlers, and none loads anything from elsewhere."""
    browser = portal.signed_in()
    for path in ("/", "/faq", "/sign/icla", "/sign/ccla", "/me", "/nowhere"):
        page = browser.get(path).text
        assert "<script" not in page
        assert " style=" not in page
        assert "<style" not in page
        assert " on" not in page.replace(" on ", " ").replace(" on-", "").split("</head>")[0]
        assert 'src="http' not in page
