"""Requirement specifiers: one version or none, addresses, and nothing for what is no requirement."""

import pytest

from audit.ecosystems.python.specifiers import Asked, asked, normal, package_url

CASES = {
    "a": Asked("a", range="*"),
    "a == 1.0": Asked("a", "1.0"),
    "a===1.0": Asked("a", "1.0"),
    "a==1.0,!=1.1": Asked("a", "1.0"),
    "a~=1.0": Asked("a", range="~=1.0"),
    "a[b,c]>=1": Asked("a", range=">=1"),
    "": None,
    "==1": None,
    "a ((": None,
    "a; " + "(" * 3000: None,
    "a" * 5000 + " >= 1 ": None,
}


@pytest.mark.parametrize(("words", "expected"), CASES.items(), ids=lambda value: repr(value)[:30])
def test_asked(words, expected):
    """What a specifier asks for."""
    assert asked(words) == expected


def test_names():
    """Compare as the index compares them."""
    assert normal("A_b.-C") == "a-b-c"


@pytest.mark.parametrize(
    ("words", "url"),
    [
        ("A_B==1", "pkg:pypi/a-b@1"),
        ("git+ssh://git@github.com/O/N.git@v1#egg=n", "pkg:github/o/n@v1"),
        ("git+https://example.org/x/n.git", "pkg:generic/n"),
    ],
)
def test_package_urls(words, url):
    """A project of the index, or the repository that is named."""
    assert package_url(asked(words)) == url
