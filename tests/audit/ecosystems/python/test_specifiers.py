"""Requirement specifiers: one version or none, addresses, and invalid ones."""

import pytest

from audit.ecosystems.python.specifiers import (
    MAX_SPECIFIER_CHARACTERS,
    RequestedVersion,
    asked,
    dependency,
    normalize,
    package_url,
)
from audit.facts import Place, Usage

CASES = {
    "a": RequestedVersion("a", range="*"),
    "a == 1.0": RequestedVersion("a", "1.0"),
    "a===1.0": RequestedVersion("a", "1.0"),
    "a==1.0,!=1.1": RequestedVersion("a", "1.0"),
    "a~=1.0": RequestedVersion("a", range="~=1.0"),
    "a[b,c]>=1": RequestedVersion("a", range=">=1"),
    "": None,
    "-e": None,
    "-e .": None,
    "--index-url https://x.org/simple": None,
    "-e git+https://x.org/o/n.git@v1#egg=own": RequestedVersion("own", "v1", "git+https://x.org/o/n.git@v1#egg=own"),
    "--editable=file:///${PROJECT_ROOT}/sub#egg=sub": RequestedVersion(
        "sub", None, "file:///${PROJECT_ROOT}/sub#egg=sub"
    ),
    "==1": None,
    "a ((": None,
    "a; " + "(" * 3000: None,
    "a" * MAX_SPECIFIER_CHARACTERS: RequestedVersion("a" * MAX_SPECIFIER_CHARACTERS, range="*"),
    "a" * (MAX_SPECIFIER_CHARACTERS + 1): None,
    "a==1.*": RequestedVersion("a", range="==1.*"),
    "a==1.0; python_version < '3'": RequestedVersion("a", "1.0"),
    "a @ https://x.org/a-1.0.tar.gz": RequestedVersion("a", "1.0", "https://x.org/a-1.0.tar.gz"),
    "a[b] @ git+https://x.org/n.git@v2": RequestedVersion("a", "v2", "git+https://x.org/n.git@v2"),
    "https://x.org/some-name-1.2.tar.gz": RequestedVersion("some-name", "1.2", "https://x.org/some-name-1.2.tar.gz"),
    "https://x.org/n-1.2.zip#egg=own": RequestedVersion("own", "1.2", "https://x.org/n-1.2.zip#egg=own"),
    "git+https://x.org/o/n@v1#egg=own ; x": RequestedVersion("own", "v1", "git+https://x.org/o/n@v1#egg=own"),
    "git+https://x.org/o/n@v1": RequestedVersion("n", "v1", "git+https://x.org/o/n@v1"),
    "git+https://x.org/o/n@v1#subdirectory=a/b": RequestedVersion(
        "n", "v1", "git+https://x.org/o/n@v1#subdirectory=a/b"
    ),
    "some_name-1.2-py3-none-any.whl": RequestedVersion("some_name", "1.2", "some_name-1.2-py3-none-any.whl"),
    "a.zip": RequestedVersion("a", None, "a.zip"),
    "-e git+https://x.org/o/n": RequestedVersion("n", None, "git+https://x.org/o/n"),
    "git+https://x.org/o/n.git": RequestedVersion("n", None, "git+https://x.org/o/n.git"),
}


@pytest.mark.parametrize(("words", "expected"), CASES.items(), ids=lambda value: repr(value)[:30])
def test_a_specifier_gives_name_version_range_and_address(words, expected):
    assert asked(words) == expected


def test_names_are_normalized_as_the_index_does():
    assert normalize("A_b.-C") == "a-b-c"


@pytest.mark.parametrize(
    ("words", "url"),
    [
        ("A_B==1", "pkg:pypi/a-b@1"),
        ("a_b-1.2-py3-none-any.whl", "pkg:pypi/a-b@1.2?repository_url=no-registry"),
        ("git+ssh://git@github.com/O/N.git@v1#egg=n", "pkg:github/o/n@v1"),
        ("git+https://example.org/x/n.git", "pkg:generic/n"),
        ("git+https://example.org/x/n.git#egg=own", "pkg:generic/own"),
        ("git+https://github.com/o/n@v2", "pkg:github/o/n@v2"),
        ("git+ssh://git@github.com/o/n#egg=x", "pkg:github/o/n"),
    ],
)
def test_a_package_url_is_of_the_index_or_of_the_named_repository(words, url):
    assert package_url(asked(words)) == url


def test_a_dependency_is_direct_with_its_range_usage_and_place():
    place = Place("requirements.txt", 7)
    found = dependency("A_B >= 2", Usage.TEST_ONLY, "named so", place, optional=True)
    assert (found.name, found.version, found.purl) == ("A_B", None, "pkg:pypi/a-b")
    assert (found.usage, found.why, found.direct, found.optional, found.version_range) == (
        Usage.TEST_ONLY,
        "named so",
        True,
        True,
        ">=2",
    )
    assert found.places == (Place("requirements.txt", 7, "A_B >= 2"),)
    assert dependency("a==1", Usage.TEST_ONLY, "", place).optional is False
    assert dependency("==1", Usage.TEST_ONLY, "", place) is None
