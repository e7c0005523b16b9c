"""Gemfile.lock: sections, platforms, own gems, private registries, and the Gemfile's groups along the graph."""

import pytest

from tests.audit.ecosystems.brief import dependency_lines, merged, origins

LOCK = (
    """GIT
  remote: https://github.com/rails/jbuilder.git
  revision: 0f2f1e3
  tag: v2.13
  specs:
    jbuilder (2.13.0)
      actionview (>= 5.0.0)

PATH
  remote: .
  specs:
    shop (0.1.0)
      rack (~> 3.0)

GEM
  remote: https://rubygems.org/
  specs:
    actionview (7.1.3)
      nokogiri (>= 1.8.5)
    diff-lcs (1.5.1)
    nokogiri (1.16.5-arm64-darwin)
      racc (~> 1.4)
    nokogiri (1.16.5-x86_64-linux)
      racc (~> 1.4)
    racc (1.8.0)
    rack (3.1.0)
    rspec-mocks (3.13.1)
      diff-lcs (>= 1.2.0, < 2.0)
    rubocop (1.64.1)

GEM
  remote: https://gems.corp.example/private/
  specs:
    corp-auth (2.0.0)

PLATFORMS
  arm64-darwin
  x86_64-linux

DEPENDENCIES
  corp-auth!
  jbuilder!
  rspec-mocks
  rubocop (~> 1.64)
  shop!

CHECKSUMS
  nokogiri (1.16.5-arm64-darwin) sha256=AAAA
  nokogiri (1.16.5-x86_64-linux) sha256=BBBB
  rack (3.1.0) sha256=CCCC

RUBY VERSION
   ruby 3.3.1p55

BUNDLED WITH
   2.5.10
""".replace("AAAA", "a" * 64)
    .replace("BBBB", "b" * 64)
    .replace("CCCC", "c" * 64)
)
GEMFILE = """source "https://rubygems.org"
gemspec
gem "jbuilder", github: "rails/jbuilder", tag: "v2.13"
gem "corp-auth", source: "https://gems.corp.example/private/"
group :test do
  gem "rspec-mocks"
end
gem "rubocop", "~> 1.64", group: :development, require: false
"""


def test_each_gem_of_a_lock_is_read_once_for_all_platforms():
    assert dependency_lines("Gemfile.lock", LOCK) == [
        "pkg:github/rails/jbuilder@0f2f1e3 runtime-import direct :6",
        "pkg:gem/actionview@7.1.3 runtime-import indirect :18",
        "pkg:gem/diff-lcs@1.5.1 runtime-import indirect :20",
        "pkg:gem/nokogiri@1.16.5 runtime-import indirect :21",
        "pkg:gem/racc@1.8.0 runtime-import indirect :25",
        "pkg:gem/rack@3.1.0 runtime-import indirect :26",
        "pkg:gem/rspec-mocks@3.13.1 runtime-import direct :27",
        "pkg:gem/rubocop@1.64.1 runtime-import direct :29",
        "pkg:gem/corp-auth@2.0.0?repository_url=gems.corp.example runtime-import direct :34",
    ]


def test_every_gem_of_a_lock_without_a_gemfile_is_runtime():
    found = merged({"Gemfile.lock": LOCK})
    assert {line.split()[1] for line in found} == {"runtime-import"}
    assert not any("shop" in line for line in found)


def test_groups_of_the_gemfile_spread_along_the_graph():
    assert [line.rpartition(" :")[0] for line in merged({"Gemfile": GEMFILE, "Gemfile.lock": LOCK})] == [
        "pkg:gem/actionview@7.1.3 runtime-import indirect",
        "pkg:gem/corp-auth@2.0.0?repository_url=gems.corp.example runtime-import direct",
        "pkg:gem/diff-lcs@1.5.1 test-only indirect",
        "pkg:github/rails/jbuilder@0f2f1e3 runtime-import direct",
        "pkg:gem/nokogiri@1.16.5 runtime-import indirect",
        "pkg:gem/racc@1.8.0 runtime-import indirect",
        "pkg:gem/rack@3.1.0 runtime-import direct",
        "pkg:gem/rspec-mocks@3.13.1 test-only direct",
        "pkg:gem/rubocop@1.64.1 dev-tool direct",
    ]


def test_gems_have_commit_checksum_and_needs():
    assert [origin for origin in origins({"Gemfile.lock": LOCK}) if " " in origin] == [
        "pkg:gem/actionview@7.1.3 brings pkg:gem/nokogiri@1.16.5",
        "pkg:github/rails/jbuilder@0f2f1e3 from git+https://github.com/rails/jbuilder.git@0f2f1e3 brings pkg:gem/actionview@7.1.3",
        "pkg:gem/nokogiri@1.16.5 brings pkg:gem/racc@1.8.0",
        "pkg:gem/rack@3.1.0 SHA256:cccccccc",
        "pkg:gem/rspec-mocks@3.13.1 brings pkg:gem/diff-lcs@1.5.1",
    ]


@pytest.mark.parametrize("content", ["", "\n", "not a lock file\n", "PLATFORMS\n  ruby\n", "<<<<<<< HEAD\n"])
def test_a_file_that_is_no_lock_is_a_finding(content):
    assert dependency_lines("Gemfile.lock", content) == ["! file/broken :1"]


@pytest.mark.parametrize(
    "content", ["GEM\n  remote: https://rubygems.org/\n  specs:\n\nDEPENDENCIES\n", "DEPENDENCIES\n"]
)
def test_a_lock_without_gems_has_no_dependencies(content):
    """Bundler writes such a lock for a Gemfile without gems."""
    assert dependency_lines("gems.locked", content) == []
