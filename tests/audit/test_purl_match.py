"""A package URL of the rulebook means a package, of any version unless it names one."""

import pytest

from audit.purl_match import meanings, parts, pattern, sourced


@pytest.mark.parametrize(
    ("purl", "package", "version"),
    [
        ("pkg:pypi/x@1.2", "pkg:pypi/x", "1.2"), ("pkg:pypi/x", "pkg:pypi/x", ""), ("pkg:npm/%40scope/x@1", "pkg:npm/%40scope/x", "1"),
        ("pkg:maven/org.x/y@1.0?classifier=sources#sub/path", "pkg:maven/org.x/y", "1.0"), ("pkg:deb/debian/x@1%3A2?arch=all", "pkg:deb/debian/x", "1%3A2"),
        ("pkg:github/a/b@v1#sub/path@2", "pkg:github/a/b", "v1"), ("pkg:deb/debian/x?arch=a/b", "pkg:deb/debian/x", ""),
        ("pkg:golang/a.b/c/d@v1", "pkg:golang/a.b/c/d", "v1"), ("pkg:pypi/a.b_c@1", "pkg:pypi/a-b-c", "1"), ("pkg:npm/a.b@1", "pkg:npm/a.b", "1"),
        ("pkg:github/o/n@release/1.0", "pkg:github/o/n", "release/1.0"), ("pkg:github/o/n@a/@b", "pkg:github/o/n", "a/@b"), ("pkg:npm/%40s/a@x/1?a=b@c#d@e", "pkg:npm/%40s/a", "x/1"),
        ("", "", ""), ("x", "x", ""),
    ],
)  # fmt: skip
def test_qualifiers_and_subpath_make_no_other_package(purl, package, version):
    assert parts(purl) == (package, version)


@pytest.mark.parametrize(
    ("written", "package", "version"),
    [("pkg:PyPI/Some_Package@1", "pkg:pypi/some-package", "1"), ("pkg:pypi/ruamel.yaml@1.0", "pkg:pypi/ruamel-yaml", "1.0"), ("pkg:npm/@scope/x", "pkg:npm/%40scope/x", ""), ("nothing", "nothing", "")],
)  # fmt: skip
def test_a_pattern_is_read_as_written_and_made_canonical(written, package, version):
    assert pattern(written) == (package, version)


@pytest.mark.parametrize(
    ("written", "found", "fits"),
    [
        ("pkg:npm/b", "pkg:npm/b@1?repository_url=evil.example", True), ("pkg:npm/b", "pkg:npm/b@1", True),
        ("pkg:npm/b?repository_url=corp.example", "pkg:npm/b@1?repository_url=evil.example", False),
        ("pkg:npm/b?repository_url=corp.example", "pkg:npm/b@1", False),
        ("pkg:npm/b?repository_url=https://Corp.example/npm/", "pkg:npm/b@1?repository_url=https%3A%2F%2Fcorp.example%2Fnpm", True),
        ("pkg:github/o/n", "pkg:github/o/n@release/1.0", True), ("pkg:github/o/n@release/1.0", "pkg:github/o/n@release/1.0", True),
        ("pkg:github/o/n@release", "pkg:github/o/n@release/1.0", True), ("pkg:github/o/n/m", "pkg:github/o/n@m/1.0", False),
        ("pkg:npm/b@1?repository_url=corp.example", "pkg:npm/b@1?a=b&repository_url=corp.example#c", True),
    ],
)  # fmt: skip
def test_a_pattern_with_a_repository_means_the_package_from_there_alone(written, found, fits):
    package, _ = sourced(found)
    assert (pattern(written)[0] in meanings(package)) is fits
