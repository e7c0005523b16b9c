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


def test_runtime_and_development_gems_of_a_gemspec_are_read():
    assert dependency_lines("shop.gemspec", SPEC) == [
        "pkg:gem/rack runtime-import direct :5",
        "pkg:gem/json@2.7.2 runtime-import direct :6",
        "pkg:gem/rspec dev-tool direct :7",
        "! file/unsupported :8",
    ]


def test_the_gem_s_own_name_and_licence_are_read():
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
def test_a_single_licence_counts_and_several_are_unknown(line, licence):
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
def test_the_gem_s_name_is_the_argument_or_the_assigned_name(line, own):
    assert ecosystems.read("a.gemspec", f"{line}\nend\n").own == own


@pytest.mark.parametrize(
    "call", ["DEPS.each { |d| s.add_dependency d }", "s.add_dependency(*gem)", "s.add_runtime_dependency NAME, '1'"]
)
def test_a_call_whose_gem_is_computed_is_told_once(call):
    assert dependency_lines(
        "a.gemspec", f"{call}\n{call}\ns.add_dependency 'a' if s.respond_to? :add_dependency\n"
    ) == [
        "pkg:gem/a runtime-import direct :3",
        "! file/unsupported :1",
    ]
