"""Go: go.mod, go.sum, vendor/modules.txt, alone and together."""

import pytest

from audit import ecosystems
from audit.facts import Place
from tests.audit.ecosystems.brief import dependency_lines, merged

MOD = """module example.org/shop // ours

go 1.21

require github.com/o/one v1.0.0
require (
	github.com/o/two v2.0.0+incompatible // indirect
	example.org/local v0.0.0
	golang.org/x/tools v0.1.0
	bad
)
replace example.org/local => ./local
replace github.com/o/one => github.com/fork/one v1.0.1
tool golang.org/x/tools/cmd/stringer
exclude github.com/o/one v0.9.0
"""
SUM = """github.com/fork/one v1.0.1 h1:00=
github.com/fork/one v1.0.1/go.mod h1:00=
github.com/old/dep v0.1.0 h1:00=
github.com/old/dep v0.2.0 h1:00=
github.com/old/dep v0.3.0/go.mod h1:00=
"""


def test_requirements_of_go_mod_are_read_without_local_replacements():
    assert dependency_lines("go.mod", MOD) == [
        "pkg:golang/github.com/fork/one@v1.0.1 static-link direct :5",
        "pkg:golang/github.com/o/two@v2.0.0%2Bincompatible static-link indirect :7",
        "pkg:golang/golang.org/x/tools@v0.1.0 build-tool direct :9",
        "! dependency/unreadable :10",
    ]
    read = ecosystems.read("go.mod", MOD)
    assert read.own == {"example.org/shop"}
    assert [(*dependency.places, dependency.version, dependency.why) for dependency in read.dependencies] == [
        (Place("go.mod", 5, "github.com/o/one v1.0.0"), "v1.0.1", "go.mod: built into the binary"),
        (
            Place("go.mod", 7, "github.com/o/two v2.0.0+incompatible"),
            "v2.0.0+incompatible",
            "go.mod: built into the binary",
        ),
        (Place("go.mod", 9, "golang.org/x/tools v0.1.0"), "v0.1.0", "go.mod: tool"),
    ]


def test_each_form_of_a_replacement_is_read():
    start = "module x.org/me\ngo 1.21\nrequire x.org/a v1.0.0\n"
    for line, url in (
        ("replace x.org/a v1.0.0 => y.org/b v2.0.0", "pkg:golang/y.org/b@v2.0.0"),
        ("replace x.org/a y.org/b v2.0.0", "pkg:golang/x.org/a@v1.0.0"),
        ("exclude x.org/a => y.org/b v2.0.0", "pkg:golang/x.org/a@v1.0.0"),
    ):
        assert dependency_lines("go.mod", f"{start}{line}\n") == [f"{url} static-link direct :3"]


def test_a_workspace_replaces_modules_of_all_and_tells_of_folders_outside():
    work = "go 1.21\nuse ./a\nuse ../../other\nreplace x.org/a v1.0.0 => y.org/b v2.0.0\nreplace x.org/c => ./c\n"
    read = ecosystems.read("go.work", work)

    [meant] = read.meant
    assert (meant.name, meant.asked, meant.dependency.purl) == ("x.org/a", "v1.0.0", "pkg:golang/y.org/b@v2.0.0")
    assert [place.said for place in meant.dependency.places] == ["x.org/a => y.org/b"]
    assert read.own == {"x.org/c"}
    assert [(finding.code, finding.place.line) for finding in read.findings] == [("file/outside", 3)]


def test_go_sum_gives_the_last_hashed_version_of_each_module():
    assert dependency_lines("go.sum", SUM) == [
        "pkg:golang/github.com/fork/one@v1.0.1 static-link :1",
        "pkg:golang/github.com/old/dep@v0.2.0 static-link :4",
    ]


@pytest.mark.parametrize(
    ("go", "adds"), [("1.9", True), ("1.16", True), ("1.17", False), ("1.21", False), ("1.100", False)]
)
def test_go_sum_adds_modules_only_before_go_1_17(go, adds):
    without, said = (merged({"go.mod": MOD.replace("1.21", go), **files}) for files in ({}, {"go.sum": SUM}))

    assert len(without) == 3
    assert sorted(said) == sorted([*without, *["pkg:golang/github.com/old/dep@v0.2.0 static-link indirect :4"] * adds])


def test_vendored_modules_belong_to_the_folder_above():
    modules = "# github.com/fork/one v1.0.1\n## explicit\ngithub.com/fork/one\n# a v1 => ./b\n# a v1 => c/d v2\n"
    assert dependency_lines("vendor/modules.txt", modules) == [
        "pkg:golang/github.com/fork/one@v1.0.1 static-link :1",
        "pkg:golang/c/d@v2 static-link :5",
    ]
    assert [
        (dependency.places[0].said, dependency.why)
        for dependency in ecosystems.read("vendor/modules.txt", modules).dependencies
    ] == [
        ("# github.com/fork/one v1.0.1", "vendor/modules.txt: built into the binary"),
        ("# a v1 => c/d v2", "vendor/modules.txt: built into the binary"),
    ]
    assert len(merged({"go.mod": MOD, "vendor/modules.txt": modules})) == 3


@pytest.mark.parametrize(
    "content", ["require", "require (", ")", "module", "go", "replace => x", "replace a =>", "tool", "x y\nz"]
)
def test_bad_input_raises_nothing(content):
    dependency_lines("go.mod", content)
    dependency_lines("go.sum", content)
    assert dependency_lines("go.mod", "nonsense here") == ["! file/broken :1"]
    assert dependency_lines("go.sum", "nonsense") == ["! file/broken :1"]
