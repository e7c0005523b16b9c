"""Imports of Go files, and the usage of modules that follows from them."""

import pytest

from audit import ecosystems
from audit.facts import Usage
from tests.audit.ecosystems.brief import merged, together

LINK, TEST, TOOL = Usage.STATIC_LINK, Usage.TEST_ONLY, Usage.BUILD_TOOL


@pytest.mark.parametrize(
    ("path", "content", "expected"),
    [
        ("a.go", 'package a\nimport "x.org/b"\nimport "fmt"\nfunc f() { g("y.org/c") }', ({"x.org/b"}, LINK)),
        ("a.go", 'package a; import ("fmt"; c "x.org/b"; _ `x.org/d`)\nvar e = "y.org/c"', ({"x.org/b", "x.org/d"}, LINK)),
        ("a.go", '/* import "y.org/c" */ package a // import "y.org/c"\nimport (\n// "y.org/d"\n"x.org/b"\n)\n', ({"x.org/b"}, LINK)),
        ("a_test.go", 'package a\nimport "x.org/b"', ({"x.org/b"}, TEST)),
        ("test/e2e/a.go", 'package a\nimport "x.org/b"', ({"x.org/b"}, TEST)),
        ("tools.go", '//go:build tools\n\npackage a\nimport _ "x.org/b"', ({"x.org/b"}, TOOL)),
        ("gen.go", '// +build ignore\n\npackage main\nimport "x.org/b"', ({"x.org/b"}, TOOL)),
        ("a_linux.go", '//go:build linux && !tools\npackage a\nimport "x.org/b"', ({"x.org/b"}, LINK)),
        ("a.go", 'package a\nimport "fmt"\n', None),
        ("a.go", 'package a\nfunc import_() {}\nimport "x.org/b"', None),
        ("a.go", "/* never closed", None),
        ("a.go", "", None),
    ],
)  # fmt: skip
def test_imports_are_read_up_to_the_first_declaration(path, content, expected):
    found = ecosystems.read(path, content).imports
    assert (found and (set(found.paths), found.usage)) == expected


@pytest.mark.parametrize(
    "content", ["//" + "a" * 70_000, "/*" + "\u6f22" * 70_000, 'package a\nimport "x.org/b"\n//' + "a" * 70_000]
)
def test_a_file_that_is_cut_off_before_its_first_declaration_is_incomplete(content):
    assert not ecosystems.read("a.go", content).imports.complete
    assert ecosystems.read("a.go", f"package a\nfunc f() {{}}\n{content}").imports is None


MOD = """module example.org/shop
go 1.24
require (
	x.org/run v1.0.0
	x.org/tool v1.0.0
	x.org/both v1.0.0
	x.org/lib v1.0.0
	github.com/google/go-cmp v0.6.0
	gotest.tools/v3 v3.5.0
	x.org/nobody v1.0.0
	x.org/far v1.0.0 // indirect
)
tool x.org/both/cmd/gen
"""
FILES = {
    "go.mod": MOD,
    "main.go": 'package main\nimport ("x.org/run/sub"; "x.org/both")\n',
    "tools.go": '//go:build tools\npackage main\nimport _ "x.org/tool/cmd/t"\n',
    "main_test.go": 'package main\nimport ("x.org/run"; "x.org/lib"; "x.org/far"; "github.com/google/go-cmp/cmp"; "gotest.tools/v3/assert")\n',
}


def used(files):
    """Usages by the last part of the name."""
    return {dependency.name.rpartition("/")[2]: dependency.usage.value for dependency in together(files)}


def test_imports_of_the_work_decide_the_usage_of_a_module():
    assert used(FILES) == {
        "run": "static-link", "both": "static-link", "tool": "build-tool", "go-cmp": "test-only", "v3": "test-only",
        "lib": "static-link", "nobody": "static-link", "far": "static-link",
    }  # fmt: skip
    assert used({"go.mod": MOD}) == dict.fromkeys(used(FILES), "static-link") | {"both": "build-tool"}


def test_the_reason_says_that_other_modules_may_need_a_test_import():
    said = {dependency.name: dependency.why for dependency in together(FILES)}
    assert said["x.org/lib"] == "go.mod: only tests import it, but it is not known whether another module builds it in"
    assert said["x.org/tool"] == "go.mod: only files that list or run tools import it"
    assert said["github.com/google/go-cmp"] == "go.mod: a library for tests, and only tests import it"


@pytest.mark.parametrize(
    ("line", "files", "expected"),
    [
        ("require x.org/a v1.0.0", {"tools.go"}, "build-tool"),
        ("require x.org/a v1.0.0 // indirect", {"tools.go"}, "static-link"),
        ("require x.org/a v1.0.0", {"tools.go", "a_test.go"}, "static-link"),
        ("require x.org/a v1.0.0", {"tools.go", "examples/a.go"}, "static-link"),
        ("require x.org/a v1.0.0", {"tools.go", "a.go"}, "static-link"),
        ("require x.org/a v1.0.0 // indirect\ntool x.org/a/cmd", {"a_test.go"}, "build-tool"),
        ("require x.org/a v1.0.0 // indirect\ntool x.org/a/cmd", {"a.go"}, "static-link"),
        ("require gotest.tools v1.0.0", {"tools.go", "a_test.go"}, "test-only"),
    ],
)
def test_a_tool_is_imported_only_by_tool_files_and_needed_by_no_other_module(line, files, expected):
    name = line.split()[1]
    tag = {"tools.go": "//go:build tools\n"}
    sources = {path: f'{tag.get(path, "")}package a\nimport "{name}/cmd"\n' for path in files}
    module = {"go.mod": f"module example.org/a\ngo 1.24\n{line}\n"}
    for sums in ({}, {"go.sum": f"{name} v1.0.0 h1:a=\n"}):
        assert list(used(module | sums | sources).values()) == [expected]


def test_one_incomplete_file_leaves_every_usage_as_it_was():
    assert used(FILES | {"x.go": "//" + "a" * 70_000}) == used({"go.mod": MOD})


def test_a_file_belongs_to_the_nearest_go_mod():
    files = {
        "go.mod": "module a.org/a\ngo 1.21\nrequire github.com/google/go-cmp v0.6.0\n",
        "a_test.go": 'package a\nimport "github.com/google/go-cmp/cmp"\n',
        "sub/go.mod": "module a.org/a/sub\ngo 1.21\nrequire github.com/google/go-cmp v0.5.0\n",
        "sub/b.go": 'package b\nimport "github.com/google/go-cmp/cmp"\n',
    }
    assert [line.partition(" direct")[0] for line in merged(files)] == [
        "pkg:golang/github.com/google/go-cmp@v0.5.0 static-link",
        "pkg:golang/github.com/google/go-cmp@v0.6.0 test-only",
    ]
