"""Gemfile: groups as blocks and as options, both spellings of options, repositories, registries, and no code that runs."""

import pytest

from audit import ecosystems
from tests.audit.ecosystems.brief import dependency_lines


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ('gem "rails", "7.1.3"', ["pkg:gem/rails@7.1.3 runtime-import direct :1"]),
        ("gem 'rails', '~> 7.1', '>= 7.1.3'", ["pkg:gem/rails runtime-import direct :1"]),
        ('gem("rails", "= 7.1.3")', ["pkg:gem/rails@7.1.3 runtime-import direct :1"]),
        ("gem 'a', :group => [:development, :test]", ["pkg:gem/a test-only direct :1"]),
        ('gem "a", group: :development', ["pkg:gem/a dev-tool direct :1"]),
        ('gem "a", groups: %i[test development], require: false', ["pkg:gem/a test-only direct :1"]),
        ('gem "a", group: [:production, :test]', ["pkg:gem/a runtime-import direct :1"]),
        ('gem "a",\n    "~> 1.0",\n    group: :test', ["pkg:gem/a test-only direct :1"]),
        ("group :development, :test do\n  gem 'a'\n  platforms :mri do\n    gem 'b'\n  end\nend\ngem 'c'",
         ["pkg:gem/a test-only direct :2", "pkg:gem/b test-only direct :4", "pkg:gem/c runtime-import direct :7"]),
        ("group(:test) { gem 'a' }\ngem 'b'", ["pkg:gem/a test-only direct :1", "pkg:gem/b runtime-import direct :2"]),
        ("if ENV['X']\n  gem 'a'\nend\ngem 'b' if RUBY_VERSION", ["pkg:gem/a runtime-import direct :2", "pkg:gem/b runtime-import direct :4"]),
        ('gem "own", path: "engines/own"', []),
        ('gem "a", git: "https://git.example/x/a.git", ref: "abc"', ["pkg:generic/a@abc runtime-import direct :1"]),
        ('gem "a", github: "o/a"', ["pkg:github/o/a runtime-import direct :1"]),
        ('source "https://gems.corp.example" do\n  gem "a"\nend\ngem "b"',
         ["pkg:gem/a?repository_url=gems.corp.example runtime-import direct :2", "pkg:gem/b runtime-import direct :4"]),
        ('# gem "x"\n=begin\ngem "y"\n=end\ngem name\ngem "#{z}"', ["pkg:gem/%23%7Bz%7D runtime-import direct :6"]),
        ("end\nend\ngem 'a'", ["pkg:gem/a runtime-import direct :3"]),
    ],
)  # fmt: skip
def test_gems(content, expected):
    """Each gem with its group; blocks are followed, computed names are not."""
    assert dependency_lines("Gemfile", content) == expected


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ('gem "a"', "dev-tool"),
        ('gem "a", group: :test', "test-only"),
        ('gem "a", group: :storage', "dev-tool"),
        ('gem "a", github: "o/a"', "runtime-import"),
        ('gem "a", source: "https://gems.corp.example"', "runtime-import"),
    ],
)
def test_beside_a_gemspec(call, expected):
    """The gemspec names what runs; where a gem comes from, only the Gemfile can say."""
    for word in ("gemspec", "gemspec path: '.'"):
        assert [one.split()[1] for one in dependency_lines("Gemfile", f"{word}\n{call}\n")] == [expected]


@pytest.mark.parametrize("name", ["cocoapods", "fastlane", "fastlane-plugin-x", "rubocop-rails", "rspec-core", "jazzy"])
def test_tools_of_development(name):
    """Known by their names, unless a group says otherwise."""
    assert dependency_lines("Gemfile", f"gem '{name}'") == [f"pkg:gem/{name} dev-tool direct :1"]
    assert "runtime-import" in dependency_lines("Gemfile", f"gem '{name}', group: :production")[0]
    assert "runtime-import" in dependency_lines("Gemfile", f"gem 'x{name}'")[0]


def test_why_names_the_groups():
    """The reason is what the file says."""
    found = ecosystems.read("Gemfile", "group :development, :test do\n  gem 'a', '~> 1'\nend\n").dependencies[0]
    assert (found.why, found.places[0].said) == ("Gemfile: group development, test", "a ~> 1")


@pytest.mark.parametrize(
    ("call", "wanted"),
    [
        ("gem 'a'", ">= 0"),
        ("gem 'a', '~> 1.2', '< 1.9'", "~> 1.2, < 1.9"),
        ("gem 'a', '1.2'", ""),
        ("gem 'a', github: 'o/a'", ""),
    ],
)
def test_ranges(call, wanted):
    """As RubyGems writes them; what comes from a repository has none."""
    [one] = ecosystems.read("Gemfile", call).dependencies
    assert one.version_range == wanted
