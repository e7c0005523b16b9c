"""Tag-value notation: the lines that name packages."""

import pytest

from audit.ecosystems.parsed_file import ParseError
from audit.ecosystems.sbom.spdx_tag_value import from_tags

HEAD = "SPDXVersion: SPDX-2.3\n"
PACKAGE = "PackageName: a\nSPDXID: SPDXRef-a\n"


def names(document):
    """What each package is called, its version, purl and line."""
    return [(package.name, package.version, package.purl, package.line) for package in document.packages]


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (PACKAGE, [("a", "", "", 2)]),
        (PACKAGE + "PackageVersion: 1\nPackageVersion: 2\n", [("a", "1", "", 2)]),
        (PACKAGE + "ExternalRef: PACKAGE-MANAGER purl pkg:npm/a@1\n", [("a", "", "pkg:npm/a@1", 2)]),
        (PACKAGE + "ExternalRef: SECURITY cpe23Type cpe:2.3:a:b:c:*:*:*:*:*:*:*:*\n", [("a", "", "", 2)]),
        (PACKAGE + "PackageComment: <text>one\nPackageName: b\nend</text>\n", [("a", "", "", 2)]),
        (PACKAGE + "FileName: ./f\nSPDXID: SPDXRef-f\n", [("a", "", "", 2)]),
        ("# PackageName: c\n" + PACKAGE.replace("\n", "\r\n"), [("a", "", "", 3)]),
    ],
    ids=[
        "plain",
        "the first counts",
        "purl",
        "another reference",
        "a text of several lines",
        "a file's id",
        "line ends",
    ],
)
def test_the_first_value_of_a_tag_counts_for_its_package(content, found):
    assert names(from_tags(HEAD + content)) == found


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("", 1),
        ("SPDXVersion: SPDX-3.0\n" + PACKAGE, 1),
        (HEAD + "nonsense\n", 2),
        (HEAD + "PackageComment: <text>\n", 2),
    ],
)
def test_a_broken_document_is_refused_with_its_line(content, line):
    with pytest.raises(ParseError) as caught:
        from_tags(content)
    assert caught.value.line == line
