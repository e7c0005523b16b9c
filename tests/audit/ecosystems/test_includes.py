"""Included files: outside of the tree, missing, or in a circle."""

import pytest

from audit import ecosystems
from audit.ecosystems.includes import findings, outside
from audit.facts import Place


def test_missing_outside_and_circular_includes_are_findings():
    files = {"a.txt": "-r b.txt\n-r ../x.txt\n-r no.txt", "b.txt": "\n-r c.txt", "c.txt": "-r b.txt\n-r a.txt"}
    at = ecosystems.row("requirements.txt")
    reads = {path: ecosystems.read(path, content, at) for path, content in files.items()}

    assert [(finding.code, str(finding.place)) for finding in findings(reads, frozenset(files))] == [
        ("file/outside", "a.txt:2 (-r ../x.txt)"),
        ("file/missing", "a.txt:3 (-r no.txt)"),
        ("file/cycle", "c.txt:1 (-r b.txt)"),
        ("file/cycle", "c.txt:2 (-r a.txt)"),
    ]


@pytest.mark.parametrize(
    ("named", "leaves"),
    [
        ("../../g", True), ("../..", True), ("..\\..\\g", True), ("/opt/g", True), ("~/g", True), ("C:\\g", True), ("file:../../g", True),
        ("file:///opt/g", True), ("x/../../../g", True), ("../g", False), ("..", False), (".", False), ("", False), ("..g", False),
        ("$(Root)..\\..\\g", False), ("#{dir}/../../g", False), ("${x}/../../../g", False), ("https://example.org/../../../g", False),
    ],
)  # fmt: skip
def test_a_folder_leaves_the_root_by_its_path_from_the_file(named, leaves):
    assert [finding.code for finding in outside(named, Place("a/file", 3))] == ["file/outside"] * leaves


def test_a_list_that_a_container_installs_may_lie_at_two_places_and_is_not_read_at_none():
    reads = {"docker/Dockerfile": ecosystems.read("docker/Dockerfile", "FROM scratch\nRUN pip install -r deps.txt")}

    for known in ("deps.txt", "docker/deps.txt"):
        assert findings(reads, frozenset({*reads, known})) == ()
    [found] = findings(reads, frozenset(reads))
    assert (found.code, found.place.line) == ("file/unsupported", 2)
    assert found.message.startswith("installs what deps.txt lists, a file that is not in the repository")


GEMS = "GEM\n  remote: https://rubygems.org/\n  specs:\n\n"


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("a/Cargo.toml", '[dependencies]\ng = {path = "%s/g"}'),
        ("a/Cargo.toml", '[target."cfg(unix)".dev-dependencies]\ng = {path = "%s/g", version = "1"}'),
        ("a/Cargo.toml", '[workspace.dependencies]\ng = {path = "%s/g"}'),
        ("a/Cargo.toml", '[patch.crates-io]\ng = {path = "%s/g"}'),
        ("a/go.mod", "module m\n\nreplace example.org/g => %s/g"),
        ("a/go.work", "go 1.21\n\nuse (\n\t./m\n\t%s/g\n)"),
        ("a/go.work", "replace example.org/g v1.0.0 => %s/g"),
        ("a/composer.lock", '{"packages": [{"name": "g/g", "version": "1", "dist": {"type": "path", "url": "%s/g"}}]}'),
        ("a/Gemfile", 'gem "g", path: "%s/g"'),
        ("a/Gemfile", 'path "%s/g" do\n  gem "g"\nend'),
        ("a/Gemfile.lock", "PATH\n  remote: %s/g\n  specs:\n    g (1.0)\n\n" + GEMS),
        ("a/pubspec.yaml", "dependencies:\n  g:\n    path: %s/g"),
        ("a/pubspec.lock", "packages:\n  g:\n    source: path\n    description: {path: %s/g, relative: true}"),
        ("a/mix.exs", 'defp deps do\n  [{:g, path: "%s/g"}, {:h, in_umbrella: true}]\nend'),
        ("a/Podfile", "pod 'g', :path => '%s/g'"),
        ("a/Package.swift", 'let package = Package(name: "me", dependencies: [.package(path: "%s/g")])'),
        ("a/x.csproj", '<Project><ItemGroup><ProjectReference Include="%s\\g\\g.csproj"/></ItemGroup></Project>'),
        ("a/pyproject.toml", '[tool.poetry.dependencies]\ng = {path = "%s/g"}'),
        ("a/requirements.txt", "-e %s/g[extra]"),
        ("a/requirements.txt", "%s/g ; python_version > '3'"),
        ("a/uv.lock", 'version = 1\n[[package]]\nname = "g"\nversion = "1"\nsource = {directory = "%s/g"}'),
        ("a/poetry.lock", '[[package]]\nname = "g"\nversion = "1"\n[package.source]\ntype = "directory"\nurl = "%s/g"'),
        ("a/pdm.lock", '[[package]]\nname = "g"\nversion = "1"\npath = "%s/g"'),
        ("a/pylock.toml", 'lock-version = "1.0"\n[[packages]]\nname = "g"\ndirectory = {path = "%s/g"}'),
    ],
)  # fmt: skip
def test_a_manifest_s_folder_outside_the_root_is_a_finding(path, content):
    at = ecosystems.row(path)
    inside, beyond = (ecosystems.read(path, content.replace("%s", way), at) for way in ("..", "../.."))
    assert (inside.findings, inside.dependencies) == ((), ())
    assert [(finding.code, finding.place.path) for finding in beyond.findings] == [("file/outside", path)]
    assert beyond.dependencies == ()
