"""Package URLs equal those of packageurl-python and are made faster."""

from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packageurl import PackageURL

from audit.ecosystems import purls

KINDS = [
    "pypi",
    "npm",
    "cargo",
    "golang",
    "maven",
    "github",
    "gitlab",
    "conan",
    "generic",
    "deb",
    "apk",
    "rpm",
    "docker",
]
WORDS = st.text(st.sampled_from("abAZ09._-+@/ é%:~"), max_size=12)


@given(st.sampled_from(KINDS), WORDS, WORDS, WORDS)
def test_package_urls_equal_those_of_packageurl_python(kind, namespace, name, version):
    try:
        expected = PackageURL(kind, namespace or None, name, version or None).to_string()
    except (ValueError, TypeError):
        expected = None

    assert purls.purl(kind, name, version or None, namespace) == expected


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("https://github.com/O/N.git", "pkg:github/o/n"),
        ("git@github.com:o/n", "pkg:github/o/n"),
        ("git+ssh://git@github.com/o/n.git", "pkg:github/o/n"),
        ("https://gitlab.com/g/sub/n", "pkg:gitlab/g/sub/n"),
        ("https://example.org/x/n.git", "pkg:generic/n"),
        ("https://github.com/o/n/archive/x.zip", "pkg:generic/x.zip"),
        ("", None),
        ("nonsense", None),
    ],
)
def test_an_address_of_a_known_host_gives_its_repository_s_package_url(address, expected):
    assert purls.of_address(address) == expected


@pytest.mark.parametrize(
    ("text", "package", "version"),
    [
        ("pkg:npm/b", "pkg:npm/b", None),
        ("pkg:npm/b@", "pkg:npm/b", None),
        ("pkg:maven/a/b@1?type=jar#x@2", "pkg:maven/a/b", "1"),
        ("pkg:npm/b@1#x@2", "pkg:npm/b", "1"),
        ("pkg:npm/b@1?x=y@2", "pkg:npm/b", "1"),
        ("pkg:npm/@a/b@1", "pkg:npm/@a/b", "1"),
        ("pkg:npm/@a/b", "pkg:npm/@a/b", None),
        ("pkg:npm/%40a/b@1", "pkg:npm/%40a/b", "1"),
        ("pkg:npm/%40a/b", "pkg:npm/%40a/b", None),
        ("pkg:github/owner/repo@feature/foo", "pkg:github/owner/repo", "feature/foo"),
        ("pkg:github/o/n@release/1.0?x=y#z", "pkg:github/o/n", "release/1.0"),
        ("pkg:npm/@a/b@npm/@c/d", "pkg:npm/@a/b", "npm/@c/d"),
        ("pkg:generic/x@a@b", "pkg:generic/x", "a@b"),
        ("pkg:docker/a/b@sha256%3A12", "pkg:docker/a/b", "sha256%3A12"),
        ("", "", None),
    ],
)
def test_package_and_version_are_told_apart_without_qualifiers_and_subpath(text, package, version):
    assert (purls.without_version(text), purls.version_in(text)) == (package, version)


@pytest.mark.parametrize("version", ["1.0", "release/1.0", "a/b/c", "1+x", "v1@2"])
@pytest.mark.parametrize(
    "of", [("npm", "b", "@a"), ("github", "n", "o"), ("golang", "c", "a.b/@c"), ("generic", "x", "")]
)
def test_a_version_is_found_again_in_the_package_url_that_was_made_of_it(of, version):
    kind, name, namespace = of
    made = purls.purl(kind, name, version, namespace)
    assert purls.without_version(made) == purls.purl(kind, name, None, namespace)
    assert unquote(purls.version_in(made)) == version


def test_parts_of_a_package_url_are_read_back():
    purl = "pkg:npm/%40s/a@1.0?x=y@z#w"
    assert (purls.without_version(purl), purls.version_in(purl), purls.kind_of(purl)) == (
        "pkg:npm/%40s/a",
        "1.0",
        "npm",
    )
    assert (purls.without_version(None), purls.version_in(None), purls.kind_of(None)) == ("", None, "")
    assert purls.canonical("pkg:PyPI/A_b@1") == "pkg:pypi/a-b@1"
    assert purls.canonical("pypi/a") is None


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("https://github.com/o/tea-pot/archive/stable.zip", "tea-pot"),
        ("https://github.com/o/tea-pot/archive/refs/heads/main.tar.gz", "tea-pot"),
        ("https://codeload.github.com/o/tea/tar.gz/v1", "tea"),
        ("https://github.com/o/tea/releases/download/v1/cup-1.0.tgz", "cup-1.0"),
        ("https://git.example/o/tea.git", "tea"),
    ],
)
def test_an_archive_of_a_branch_or_tag_is_named_by_its_repository(address, name):
    assert purls.name_of_address(address) == name


@pytest.mark.parametrize(
    ("address", "package", "version"),
    [
        ("https://github.com/o/tea/archive/refs/tags/v1.2.tar.gz", "pkg:github/o/tea@1.2", "1.2"),
        ("https://github.com/o/tea/archive/10.2.0.tar.gz", "pkg:github/o/tea@10.2.0", "10.2.0"),
        ("https://github.com/o/tea/releases/download/v3.11.3/x.tar.xz", "pkg:github/o/tea@3.11.3", "3.11.3"),
        (f"https://github.com/o/tea/archive/{'0a' * 20}.zip", f"pkg:github/o/tea@{'0a' * 20}", "0a" * 20),
        ("https://github.com/o/tea/archive/refs/heads/main.zip", "pkg:github/o/tea", None),
        ("https://gitlab.com/g/h/tea/-/archive/3.4/tea-3.4.zip", "pkg:gitlab/g/h/tea@3.4", "3.4"),
        ("https://example.org/2024/sqlite-amalgamation-3460000.zip", "pkg:generic/cup@3460000", "3460000"),
        ("https://example.org/1.0/boost_1_85_0.tar.bz2?x=y", "pkg:generic/cup@1_85_0", "1_85_0"),
        ("https://example.org/openssl-1.1.1w.tar.gz", "pkg:generic/cup@1.1.1w", "1.1.1w"),
        ("https://example.org/x/catch2.zip", "pkg:generic/cup", None),
        ("", "pkg:generic/cup", None),
    ],
)
def test_an_archive_is_its_repository_s_and_its_address_has_the_version(address, package, version):
    assert purls.version_of_archive(address) == version
    assert purls.of_archive(address, version, "cup") == package
