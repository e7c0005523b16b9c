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
        ('# gem "x"\n=begin\ngem "y"\n=end\ngem name\ngem "#{z}"', ["pkg:gem/%23%7Bz%7D runtime-import direct :6", "! file/unsupported :5"]),
        ("plugin 'a', '1.0'", ["pkg:gem/a@1.0 build-tool direct :1"]),
        ("end\nend\ngem 'a'", ["pkg:gem/a runtime-import direct :3"]),
        ("group :test do\n  if ENV['X'] then gem 'a' end\n  gem 'b'\nend\ngem 'c'",
         ["pkg:gem/a test-only direct :2", "pkg:gem/b test-only direct :3", "pkg:gem/c runtime-import direct :5"]),
        ("group :test do gem 'a' end\ngem 'b'", ["pkg:gem/a test-only direct :1", "pkg:gem/b runtime-import direct :2"]),
    ],
)  # fmt: skip
def test_each_gem_has_the_usage_of_its_group(content, expected):
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
def test_a_gem_beside_a_gemspec_is_for_development_and_has_its_source(call, expected):
    for word in ("gemspec", "gemspec path: '.'"):
        assert [line.split()[1] for line in dependency_lines("Gemfile", f"{word}\n{call}\n")] == [expected]


@pytest.mark.parametrize("name", ["cocoapods", "fastlane", "fastlane-plugin-x", "rubocop-rails", "rspec-core", "jazzy"])
def test_development_tools_are_known_by_name_unless_a_group_says_otherwise(name):
    assert dependency_lines("Gemfile", f"gem '{name}'") == [f"pkg:gem/{name} dev-tool direct :1"]
    assert "runtime-import" in dependency_lines("Gemfile", f"gem '{name}', group: :production")[0]
    assert "runtime-import" in dependency_lines("Gemfile", f"gem 'x{name}'")[0]


def test_the_reason_names_the_groups_of_a_gem():
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
def test_version_ranges_are_written_as_rubygems_does(call, wanted):
    [dependency] = ecosystems.read("Gemfile", call).dependencies
    assert dependency.version_range == wanted


@pytest.mark.parametrize(
    "line",
    [
        "%w[a b].each { |name| gem name }", "NAMES.each do |name| gem(name) end", "gem NAME, '1.0'", "gem(*args)", "gem *args if x",
        "eval_gemfile path", "Dir['x/*'].each { |path| eval_gemfile path }", "plugin NAME", 'eval_gemfile "#{folder}/Gemfile"',
    ],
)  # fmt: skip
def test_a_call_whose_gem_is_computed_is_told_once(line):
    assert dependency_lines("Gemfile", f"source 'https://rubygems.org'\n{line}\n{line}\n") == ["! file/unsupported :2"]


@pytest.mark.parametrize(
    "line",
    [
        "def gem(name, *args)\nend", "Dir['engines/*'].each { |path| gem File.basename(path), path: path }", "gemspec", "ruby file: '.ruby-version'",
        'git_source(:github) { |name| "https://github.com/#{name}.git" }', "abort 'no gem here' unless File.exist?('x')",
    ],
)  # fmt: skip
def test_other_calls_are_no_gems(line):
    assert dependency_lines("Gemfile", line) == []


@pytest.mark.parametrize(
    ("call", "path", "optional"),
    [
        ("eval_gemfile 'Gemfile.common'", "app/Gemfile.common", False),
        ("eval_gemfile('fastlane/Pluginfile')", "app/fastlane/Pluginfile", False),
        ("eval_gemfile 'Gemfile.local' if File.exist?('Gemfile.local')", "app/Gemfile.local", True),
        ("if File.exist?('x')\n  eval_gemfile 'Gemfile.local'\nend", "app/Gemfile.local", True),
        ("local = File.expand_path('Gemfile.local', __dir__)\neval_gemfile local if File.exist?(local)", "app/Gemfile.local", True),
        ('eval_gemfile "#{__dir__}/../Gemfile"', "Gemfile", False),
        ("instance_eval(File.read('Gemfile.common'))", "app/Gemfile.common", False),
        ("eval_gemfile File.expand_path('../Gemfile.common', __FILE__)", "app/Gemfile.common", False),
    ],
)  # fmt: skip
def test_another_gemfile_is_taken_in(call, path, optional):
    found = ecosystems.read("app/Gemfile", call)
    assert found.findings == ()
    assert [(part.path, part.family, part.optional) for part in found.includes] == [(path, "ruby", optional)]
