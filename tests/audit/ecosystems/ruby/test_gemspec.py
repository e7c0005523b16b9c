"""Gemspecs: literal calls, a lone licence, the gem's own name."""

import pytest

from audit import ecosystems
from tests.audit.ecosystems.brief import dependency_lines

SPEC = """Gem::Specification.new do |spec|
  spec.name = "shop"
  spec.version = Shop::VERSION
  spec.license = "MIT"
  spec.add_dependency "rack", "~> 3.0"
  spec.add_runtime_dependency(%q<json>.freeze, ["= 2.7.2"])
  spec.add_development_dependency "rspec"
  spec.add_dependency NAME, "1.0"
end
"""


def test_calls():
    """What runs, and what helps to make it; names that are computed are passed over."""
    assert dependency_lines("shop.gemspec", SPEC) == [
        "pkg:gem/rack runtime-import direct :5",
        "pkg:gem/json@2.7.2 runtime-import direct :6",
        "pkg:gem/rspec dev-tool direct :7",
    ]


def test_own_name_and_licence():
    """As the gem states them."""
    found = ecosystems.read("shop.gemspec", SPEC)
    assert (found.own, found.license.expression, found.license.place.line) == (frozenset({"shop"}), "MIT", 4)


@pytest.mark.parametrize(
    ("line", "licence"),
    [
        ('s.licenses = ["MIT"]', "MIT"),
        ('s.licenses = ["Ruby", "BSD-2-Clause"]', None),
        ("s.license = LICENSE", None),
        ('license = "MIT"', None),
    ],
)
def test_licences(line, licence):
    """Of several nobody says how they relate."""
    assert ecosystems.read("a.gemspec", line).license.expression == licence


@pytest.mark.parametrize(
    ("line", "own"),
    [
        ("Gem::Specification.new 'shop', version do |s|", {"shop"}),
        ('Gem::Specification.new("shop", VERSION) { |s| }', {"shop"}),
        ("Gem::Specification.new do |s|\n  s.name = 'shop'", {"shop"}),
        ("Gem::Specification.new NAME, 'x'", set()),
        ("Other.new 'shop'", set()),
    ],
)
def test_the_name_as_an_argument(line, own):
    """What the specification is made with, else what is assigned."""
    assert ecosystems.read("a.gemspec", f"{line}\nend\n").own == own
