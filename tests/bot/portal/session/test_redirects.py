"""A visitor is redirected to pages of the portal and to stored pull requests alone."""

import pytest

from bot.portal.session import redirects
from bot.portal.session.redirects import PullName
from bot.settings import Settings


@pytest.mark.parametrize(
    "path",
    [
        "/", "/me", "/me/emails", "/enrol", "/enrol/0a1b", "/enrol?pr=a/b/1", "/enrol/0a1b?pr=a/b/1", "/company/0a-1b/enrol?pr=a/b/1", "/signers", "/receipts/verify", "/employer", "/employer?pr=a/b/1", "/faq", "/guide", "/dco", "/sign/icla", "/sign/icla?pr=a/b/1", "/pr/a/.github/12", "/pr/ada_acme/b/1", "/faq?organization=ada_acme",
        "/receipts/0123-4567-89AB-CDEF-GHJK", "/company", "/company/0a-1b/domains", "/admin", "/admin/companies/0a-1b/edit",
        "/admin/texts/icla/3.0/en",
    ],
)  # fmt: skip
def test_a_page_of_the_portal_is_recognised_and_built_anew(path):
    assert redirects.ours(path) == path


@pytest.mark.parametrize(
    "path",
    [
        None, "", "//x", "/\\x", "\\\\x", "https://x/", "/me/", "/me?a", "/employer?pr=", "/employer?pr=a/b", "/enrol?pr=", "/enrol/0a1b?pr=a/b", "/enrol?pr=//x/y/1", "/employer/x", "/sign/", "/sign/I", "/sign/icla?pr=", "/sign/icla?pr=a/b",
        "/sign/icla?pr=a/b/1&x=1", "/sign/icla?pr=a/../1", "/pr/a/b/0", "/pr/a/b/01", "/pr/a/b/1/", "/pr/a/b/１", "/pr/-a/b/1",
        "/me\n", "/me\r\nX: y", "/receipts/x", " /me", "/me ", "/login", "/%2Fx", "/admin//x",
        "/admin/../me", "/company/a/b/c/d", "/administrator", "/me/a/b",
    ],
)  # fmt: skip
def test_an_address_that_is_no_page_of_the_portal_is_refused(path):
    assert redirects.ours(path) is None


@pytest.mark.parametrize(
    ("arguments", "number"),
    [
        ({"pr": "a/b/1"}, 1),
        ({"next": "https://github.com/a/b/pull/2"}, 2),
        ({"next": "/pr/a/b/3"}, 3),
        ({"pr": "junk", "next": "/pr/a/b/3"}, 3),
        ({"next": "https://github.com.evil/a/b/pull/2"}, None),
        ({"next": "https://github.com/a/b/pull/2/files"}, None),
        ({"next": "https://evil/a/b/pull/2"}, None),
        ({}, None),
    ],
)
def test_a_pull_request_is_named_by_its_short_name_or_a_page_of_the_right_host(arguments, number):
    found = redirects.named_pull(arguments, Settings())

    assert found == (PullName("a", "b", number) if number else None)


def test_pages_that_show_rules_may_name_an_organization():
    for path in ("/", "/faq", "/guide", "/employer", "/sign/icla"):
        assert redirects.ours(f"{path}?organization=org-1") == f"{path}?organization=org-1"
    for path in (
        "/me?organization=x",
        "/guide?organization=",
        "/guide?organization=a/b",
        "/sign/icla?organization=a&pr=b",
    ):
        assert redirects.ours(path) is None


@pytest.mark.parametrize(
    ("path", "arguments", "page"),
    [
        ("/pr/a/b/1", {"lang": "zh", "after": "3"}, "/pr/a/b/1"),
        ("/sign/icla", {"pr": "a/b/1", "lang": "zh"}, "/sign/icla?pr=a/b/1"),
        ("/company/0a/enrol", {"pr": "a/b/1", "domain": "example.org"}, "/company/0a/enrol?pr=a/b/1"),
        ("/guide", {"pr": "a/b/1", "organization": "cann"}, "/guide?organization=cann"),
        ("/me", {"pr": "//x"}, "/me"),
        ("/nothing", {"pr": "a/b/1"}, None),
    ],
)
def test_a_page_keeps_the_arguments_that_are_ours_and_loses_others(path, arguments, page):
    assert redirects.without_other_arguments(path, arguments) == page
