"""What the repository makes itself is left out only where a file says that it is local; a name alone hides nothing."""

import json
import time

import pytest

from audit import ecosystems
from audit.ecosystems import workspaces
from audit.ecosystems.dependency_merge import DependencyFile, merge
from tests.audit.ecosystems.brief import merged

ASKS = '{"dependencies": {"one": "1.0.0", "two": "2"}}'
ONE = "pkg:npm/one@1.0.0 runtime-import direct :1"
TWO = "pkg:npm/two runtime-import direct :1"


def of_workspace(files):
    """The names of what they depend on, with the parts that the files list."""
    members = {one for path, content in files.items() for one in workspaces.members(path, content)}
    sources = [
        DependencyFile(path, ecosystems.family(path), ecosystems.read(path, content))
        for path, content in files.items()
        if ecosystems.family(path)
    ]
    return [one.name for one in merge(sources, members)[0]]


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"package.json": ASKS, "tools/one/package.json": '{"name": "one", "private": true}'}, [ONE, TWO]),
        ({"a/package.json": ASKS, "package.json": '{"name": "one"}'}, [ONE, TWO]),
        ({"package.json": ASKS[:-1] + ', "name": "one"}'}, [TWO]),
    ],
)
def test_a_name_alone(files, expected):
    """Another manifest may be called like what is installed from the registry; npm installs nothing into itself."""
    assert merged(files) == expected


@pytest.mark.parametrize(
    "more",
    [
        ', "resolved": "https://registry.npmjs.org/one/-/one-1.0.0.tgz"',
        ', "resolved": "https://registry.npmjs.org/one/-/one-1.0.0.tgz", "link": true',
        ', "link": true',
        "",
    ],
)
def test_a_lock_file_has_it_from_elsewhere(more):
    """Whatever is called alike, also in the lock file itself, it is what is installed; a link names a folder."""
    lock = """{"packages": {
        "": {"dependencies": {"one": "1.0.0"}},
        "packages/one": {"name": "one", "version": "1.0.0"},
        "node_modules/one": {"version": "1.0.0"MORE}
    }}"""
    files = {
        "package.json": '{"dependencies": {"one": "1.0.0"}}',
        "packages/one/package.json": '{"name": "one"}',
        "package-lock.json": lock.replace("MORE", more),
    }
    assert [one.partition(" :")[0] for one in merged(files)] == ["pkg:npm/one@1.0.0 runtime-import direct"]


@pytest.mark.parametrize(
    ("name", "lock"),
    [
        ("package-lock.json", '{"packages": {"": {}, "x": {"name": "one"}, "node_modules/one": {"resolved": "x", "link": true}}}'),
        ("package-lock.json", '{"dependencies": {"one": {"version": "file:x"}}}'),
        ("yarn.lock", '__metadata:\n  version: 8\n\n"one@1.0.0, one@workspace:x":\n  version: 0.0.0-use.local\n  linkType: soft\n'),
        ("bun.lock", '{"lockfileVersion": 1, "workspaces": {"": {}}, "packages": {"one": ["one@workspace:x"]}}'),
    ],
)  # fmt: skip
def test_a_lock_file_says_that_it_is_a_folder(name, lock):
    """The manifest's word is then for that folder."""
    assert merged({"package.json": ASKS, name: lock}) == [TWO]


def test_parts_of_a_workspace():
    """They name each other; a folder that no workspace lists is no part, and the registry's name is another's."""
    part = '{"name": "one"}'
    root = '{"workspaces": ["parts/*"]}'
    assert of_workspace({"package.json": root, "parts/a/package.json": ASKS, "parts/one/package.json": part}) == ["two"]
    assert of_workspace({"package.json": root, "parts/a/package.json": ASKS, "one/package.json": part}) == [
        "one",
        "two",
    ]
    assert of_workspace({"package.json": root, "parts/a/package.json": ASKS, "parts/a/one/package.json": part}) == [
        "one",
        "two",
    ]
    assert of_workspace({"package.json": root, "other/package.json": ASKS, "parts/one/package.json": part}) == [
        "one",
        "two",
    ]


def test_the_root_asks_for_its_parts():
    """A folder above them finds them, too, however many there are."""
    root = '{"workspaces": ["parts/*"], "dependencies": {"one": "1.0.0", "two": "2"}}'
    assert of_workspace({"package.json": root, "parts/one/package.json": '{"name": "one"}'}) == ["two"]
    many = json.dumps({"workspaces": [f"{at}/*" for at in range(2_000)]})
    files = {
        f"{at}/x/package.json": json.dumps({"name": f"n{at}", "dependencies": {f"n{at + 1}": "1"}})
        for at in range(2_000)
    }
    start = time.process_time()
    assert "n2000" in of_workspace({"package.json": many, **files})
    assert time.process_time() - start < 10


def test_modules_of_maven():
    """Those that a parent lists; any other pom.xml may be called like a library."""
    asks = "<project><groupId>g</groupId><artifactId>a</artifactId><dependencies><dependency><groupId>o</groupId><artifactId>lib</artifactId><version>1</version></dependency></dependencies></project>"
    lib = "<project><groupId>o</groupId><artifactId>lib</artifactId><version>1</version></project>"
    assert merged({"pom.xml": asks, "x/lib/pom.xml": lib}) == ["pkg:maven/o/lib@1 dynamic-link direct :1"]
    parent = "<project><groupId>g</groupId><artifactId>p</artifactId><modules><module>a</module><module>lib</module></modules></project>"
    assert of_workspace({"pom.xml": parent, "a/pom.xml": asks, "lib/pom.xml": lib}) == []


def test_a_crate_of_the_registry():
    """Its entry has a source; one without is a folder."""
    lock = '[[package]]\nname = "serde"\nversion = "1.0.1"\n'
    files = {
        "Cargo.toml": '[package]\nname = "a"\n[dependencies]\nserde = "1"\n',
        "fuzz/serde/Cargo.toml": '[package]\nname = "serde"\n',
    }
    source = 'source = "registry+https://github.com/rust-lang/crates.io-index"\n'
    assert merged(files | {"Cargo.lock": lock + source}) == ["pkg:cargo/serde@1.0.1 static-link direct :4"]
    assert merged(files | {"Cargo.lock": lock}) == []


def test_what_uv_takes_from_a_folder():
    """Or from the workspace, as the file itself says."""
    asks = '[project]\nname = "x"\ndependencies = ["a", "b", "c"]\n'
    sources = '[tool.uv.sources]\na = { workspace = true }\nb = { path = "../b" }\nc = { path = "c.whl" }\n'
    assert [one.partition(" ")[0] for one in merged({"pyproject.toml": asks + sources})] == [
        "pkg:pypi/c?repository_url=no-registry"
    ]


def test_an_extra_of_itself():
    """Python's extras name the work that they belong to."""
    content = '[project]\nname = "My_Work"\n[project.optional-dependencies]\nall = ["my-work[a]", "b"]\n'
    assert [one.partition(" ")[0] for one in merged({"pyproject.toml": content})] == ["pkg:pypi/b"]


def test_libraries_of_a_build():
    """A plain name that is linked is a target first; what is looked for is not in the build, whatever the work is called."""
    files = {
        "pyproject.toml": '[project]\nname = "readline"\n',
        "CMakeLists.txt": "pkg_check_modules(RL readline)\nfind_package(core)\ntarget_link_libraries(app core other)\n",
        "core/CMakeLists.txt": "add_library(core a.c)\nadd_library(readline b.c)\n",
    }
    assert merged(files) == [
        "pkg:generic/core unknown direct :2", "pkg:generic/other unknown direct :3", "pkg:generic/readline unknown direct :1",
    ]  # fmt: skip


def test_examples_and_documents():
    """They name the work at the root; nothing is shipped with it by that."""
    files = {"package.json": '{"name": "one"}', "examples/x/package.json": ASKS, "docs/package.json": ASKS}
    assert merged(files) == ["pkg:npm/two dev-tool direct :1"]


def test_an_sbom():
    """It lists the work at the root among the rest."""
    bom = """{"bomFormat": "CycloneDX", "specVersion": "1.5", "components": [
        {"type": "library", "name": "one", "version": "1", "purl": "pkg:npm/one@1"},
        {"type": "library", "name": "two", "version": "1", "purl": "pkg:npm/two@1"}
    ]}"""
    named = {"x/package.json": '{"name": "two"}', "package.json": '{"name": "one"}', "bom.json": bom}
    assert [one.partition(" ")[0] for one in merged(named)] == ["pkg:npm/two@1"]
