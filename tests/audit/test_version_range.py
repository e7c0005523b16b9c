"""The newest version that fits a range, in each ecosystem's notation."""

import pytest

from audit.version_range import newest

VERSIONS = [
    "0.0.3",
    "0.0.4",
    "0.2.3",
    "0.2.9",
    "0.3.0",
    "1.1.9",
    "1.2.0",
    "1.2.3",
    "1.2.9",
    "1.3.0",
    "1.4.3",
    "1.9.9",
    "2.0.0",
    "2.1.5",
    "3.0.0",
    "10.0.0",
    "11.0.0-rc.1",
]


@pytest.mark.parametrize(
    ("kind", "wanted", "found"),
    [
        ("npm", "^1.2.0", "1.9.9"), ("npm", "~1.2.3", "1.2.9"), ("npm", "^0.2.3", "0.2.9"), ("npm", "^0.0.3", "0.0.3"),
        ("npm", "1.x", "1.9.9"), ("npm", ">= 1.2 < 2", "1.9.9"), ("npm", "1.2.x || >=2.0.0 <3", "2.1.5"),
        ("npm", "1.2.0 - 1.3.0", "1.3.0"), ("npm", "*", "10.0.0"), ("npm", "latest", "10.0.0"),
        ("npm", "^11.0.0-rc.0", "11.0.0-rc.1"), ("npm", "^12", None), ("npm", "next", None), ("npm", "", None),
        ("npm", "catalog:", None), ("npm", "^" * 200, None), ("npm", "1" * 201, None),
        ("cargo", "1.2", "1.9.9"), ("cargo", "^1.2", "1.9.9"), ("cargo", "~1.2", "1.2.9"), ("cargo", ">=1, <2", "1.9.9"),
        ("cargo", "1.*", "1.9.9"), ("cargo", "0.2", "0.2.9"), ("cargo", "=1.2.3", "1.2.3"), ("cargo", "*", "10.0.0"),
        ("cargo", "> 2", "10.0.0"),
        ("pypi", ">=1.2,<2", "1.9.9"), ("pypi", "~=1.2.3", "1.2.9"), ("pypi", "~=1.2", "1.9.9"), ("pypi", "==1.2.*", "1.2.9"),
        ("pypi", "!=10.0.0", "3.0.0"), ("pypi", "*", "10.0.0"), ("pypi", ">=11.0rc1", "11.0.0-rc.1"), ("pypi", ">10", "11.0.0-rc.1"),
        ("pypi", "^1.2", "1.9.9"), ("pypi", "^0.2.3", "0.2.9"), ("pypi", "^0.0.3", "0.0.3"), ("pypi", "~1.2", "1.2.9"),
        ("pypi", "~1", "1.9.9"), ("pypi", "^1 || ^2", "2.1.5"), ("pypi", "^1.2,!=1.9.9", "1.4.3"), ("pypi", "1.2.*", "1.2.9"),
        ("pypi", "^", None), ("pypi", ">=", None), ("pypi", "something", None),
        ("maven", "[1.0,2.0)", "1.9.9"), ("maven", "[1.0,2.0]", "2.0.0"), ("maven", "(,1.2.0)", "1.1.9"), ("maven", "[1.2.3]", "1.2.3"),
        ("maven", "(1.4.3,)", "10.0.0"), ("maven", "(,0.3),[1.2,1.3]", "1.3.0"), ("maven", "1.+", "1.9.9"), ("maven", "1.2.+", "1.2.9"),
        ("maven", "+", "10.0.0"), ("maven", "latest.release", "10.0.0"), ("maven", "[a,b]", None), ("maven", "[1,2) or so", None),
        ("maven", "[]", None), ("maven", "[,]", "10.0.0"), ("maven", "[1", None), ("maven", "x.+", None),
        ("nuget", "[1.2,1.3)", "1.2.9"), ("nuget", "1.*", "1.9.9"),
        ("gem", "~> 1.2", "1.9.9"), ("gem", "~> 1.2.3", "1.2.9"), ("gem", ">= 1.0, < 1.4", "1.3.0"), ("gem", "!= 10", "3.0.0"),
        ("gem", "= 1.2.3", "1.2.3"), ("gem", "~> 2", "2.1.5"), ("gem", "~> x", None), ("gem", "=> 1", None),
        ("npm", "x", "10.0.0"), ("pypi", "latest", "10.0.0"), ("pypi", "~0.0.3", "0.0.4"), ("pypi", "^0", "0.3.0"), ("pypi", "^0.0", "0.0.4"),
        ("pypi", ">=3.0,<=11.0rc1", "11.0.0-rc.1"), ("pypi", ">=3.0,<12", "10.0.0"),
        ("maven", "[1.0,b)", None), ("maven", "[a,2)", None), ("maven", "(1.4.3,1.9.9)", None), ("maven", "[1.4.3,1.9.9)", "1.4.3"),
        ("maven", "(1.4.3,1.9.9]", "1.9.9"), ("maven", "*", "10.0.0"), ("maven", "latest.integration", "10.0.0"), ("maven", "RELEASE", "10.0.0"),
        ("maven", "LATEST", "10.0.0"), ("maven", "release", None),
        ("gem", "> 10", None), ("gem", ">= 10", "10.0.0"), ("gem", "< 0.0.4", "0.0.3"), ("gem", "<= 0.0.4", "0.0.4"), ("gem", "1.2.3", "1.2.3"),
        ("gem", "~> 0.0.3", "0.0.4"), ("gem", "~> 1.2.3.4", None), ("gem", "~> 1.2, != 1.9.9", "1.4.3"),
        ("composer", "^1.2", "1.9.9"), ("composer", "^0.2.3", "0.2.9"), ("composer", "^0.0.3", "0.0.3"), ("composer", "~1.2", "1.9.9"),
        ("composer", "~1.2.3", "1.2.9"), ("composer", "^1.3.1 || ^2", "2.1.5"), ("composer", "^1.3|^2.0", "2.1.5"), ("composer", "1.2.*", "1.2.9"),
        ("composer", "1.0 - 1.2", "1.2.9"), ("composer", "1.0 - 1.2.3", "1.2.3"), ("composer", ">=1.0 <1.4", "1.3.0"), ("composer", ">= 1.0, < 1.4", "1.3.0"),
        ("composer", "*", "10.0.0"), ("composer", "@dev", "10.0.0"), ("composer", "^1.2@beta", "1.9.9"), ("composer", "<>10 !=10.0.0", "3.0.0"),
        ("composer", "dev-master", None), ("composer", "^x", None), ("composer", "^1 ||", None), ("composer", "self.version", None), ("composer", "x - y", None),
        ("golang", ">=1", None), ("generic", "*", None),
    ],
)  # fmt: skip
def test_the_newest_fitting_version_is_found_and_an_unread_range_fits_none(kind, wanted, found):
    assert newest(kind, wanted, reversed(VERSIONS)) == found
    assert newest(kind, wanted, []) is None


def test_odd_versions_are_skipped():
    odd = ["", "latest", "v" * 5_000, "1.2.3.4.5.6.7.8.9.10.11.12", "9" * 99, "2.0.0-x\u202e"]

    assert [
        newest(kind, wanted, [*odd, "1.0.0"]) for kind, wanted in (("npm", "^1"), ("cargo", "1"), ("gem", "~> 1"))
    ] == ["1.0.0"] * 3
    assert newest("maven", "[33,34)", ["32.1-jre", "33.0.0-jre", "33.1-android", "33.2-SNAPSHOT"]) == "33.0.0-jre"


@pytest.mark.parametrize("kind", ["pypi", "npm", "cargo", "maven", "nuget", "gem", "composer"])
@pytest.mark.parametrize(
    "wanted", ["[" * 200, "(" * 100 + ")" * 100, "||" * 100, "," * 200, "^~" * 100, "1." * 100, ">=1," * 50, "1-" * 100]
)
def test_hostile_ranges_give_a_version_or_none(kind, wanted):
    assert newest(kind, wanted, VERSIONS) in {*VERSIONS, None}
