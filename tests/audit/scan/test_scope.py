"""The findings on input that is empty or not read."""

import pytest

from audit.scan.assembly import assemble
from audit.scan.scope import Scope
from audit.scan.walk import walk
from audit.scan.walk_limits import Limits
from audit.verdict.unreadable_input import nothing_found
from tests.audit.scan.test_walk import Memory, unnamed

BARE = {
    "HEAD": b"ref: refs/heads/main",
    "config": b"[core]\n\tbare = true\n",
    "objects/a/b": b"x",
    "refs/heads/main": b"1",
}


def found(files, **more):
    """The repository of a tree."""
    return assemble(walk(Memory(files, **more), Limits()), "o/r", unnamed)


@pytest.mark.parametrize(
    ("files", "code", "said"),
    [
        (BARE, "scope/bare", "there is nothing to read"),
        ({"README.md": b"x"}, "scope/no-source", "no file that is read could name a dependency"),
        ({"LICENSE": b"x", "docs/a.md": b"x"}, "scope/no-source", "no file that is read could name a dependency"),
        ({"a.css": b"x", "b/c.html": b"x"}, "scope/no-source", "no file that is read could name a dependency"),
        ({"a.c": b"int a;"}, None, "nothing is used"),
        ({"package.json": b"{}"}, None, "nothing is used"),
        ({"a.py": b"import os\n"}, None, "nothing is used"),
        ({"a.R": b"library(x)\n"}, "scope/language", "nothing was found in the files that are read"),
    ],
)
def test_each_kind_of_empty_input_has_its_finding(files, code, said):
    findings = found(files).findings
    assert [finding.code for finding in findings] == ([code] if code else [])
    assert nothing_found(findings) == said


@pytest.mark.parametrize("entered", [[("", [])], [("", [".git"])], [("", []), ("a", []), ("a/b", [])]])
def test_a_tree_without_files_is_empty(entered):
    scope = Scope()
    for folder, names in entered:
        scope.enter(folder, names)
    assert [finding.code for finding in scope.findings((), has_sources=False)] == ["scope/empty"]
    assert list(Scope().findings((), has_sources=False)) == []


@pytest.mark.parametrize(
    "path",
    [
        "tests/fixtures/a/package.json",
        "src/test/resources/pom.xml",
        "src/it/first/pom.xml",
        "lib/testdata/go.mod",
        "test/cases/a/package.json",
        "x/src/main/resources/archetype-resources/pom.xml",
        "{{cookiecutter.name}}/setup.py",
    ],
)
def test_data_of_tests_is_left_out_with_one_finding(path):
    other = path.rpartition("/")[0] + "/b/Cargo.toml"
    tree = found(
        {
            path: b"{ broken",
            other: b"[dependencies]\nx = '1'\n",
            "package.json": b'{"dependencies": {"left-pad": "1.0.0"}}',
        }
    )
    assert [dependency.name for dependency in tree.dependencies] == ["left-pad"]
    said = "2 manifests are data of tests or templates, by their folders: what they name is not used"
    assert [(finding.code, finding.message, finding.files) for finding in tree.findings] == [
        ("scope/test-data", said, 2)
    ]
    [alone] = found({path: b"x"}).findings
    assert (alone.code, alone.place.path, alone.message.split()[:2]) == ("scope/test-data", path, ["a", "manifest"])


@pytest.mark.parametrize(
    "path", ["tests/package.json", "e2e/package.json", "test/data.json/package.json", "src/data/package.json"]
)
def test_packages_that_tests_need_are_used_by_tests(path):
    tree = found({path: b'{"dependencies": {"left-pad": "1.0.0"}}'})
    assert [dependency.name for dependency in tree.dependencies] == ["left-pad"]
    assert tree.findings == ()


def test_unnamed_vendored_folders_in_tests_are_no_dependency():
    tree = found(
        {
            "tests/a/vendor/evil/x.php": b"<?php\n",
            "tests/a/vendor/known/LICENSE": b"theirs",
            "tests/a/vendor/known/x.php": b"<?php",
        }
    )
    assert [dependency.name for dependency in tree.dependencies] == ["known"]
    assert "license/nested" not in [finding.code for finding in tree.findings]


def test_an_empty_submodule_folder_is_a_finding_unless_in_tests():
    modules = b"".join(
        b'[submodule "%b"]\n\tpath = %b\n\turl = https://x.example/%b\n' % (path, path, path)
        for path in (b"a", b"b/c", b"tests/d")
    )
    there = found({".gitmodules": modules, "a/x.c": b"int a;", "e.c": b"int a;"}).findings
    assert [(finding.code, finding.place.said) for finding in there] == [("scope/submodule", "b/c")]


def test_another_checkout_is_told_unless_it_is_a_submodule_or_in_tests():
    files = {"a.c": b"int a;", "third/gpl/LICENSE": b"theirs", "third/gpl/a.c": b"int b;", "tests/t/a.c": b"int c;"}
    others = ("third/gpl", "tests/t")
    apart = found(files, others=others)
    assert [(finding.code, finding.place.path) for finding in apart.findings] == [("scope/checkout", "third/gpl")]
    assert nothing_found(apart.findings) == "nothing was found in the files that are read"
    environment = found({"a.c": b"int a;", "venv/pyvenv.cfg": b"", "venv/src/x/a.py": b""}, others=("venv/src/x",))
    assert environment.findings == ()
    modules = b'[submodule "gpl"]\n\tpath = third/gpl\n\turl = https://x.example/gpl\n'
    named = found({**files, ".gitmodules": modules}, others=others)
    assert [finding.code for finding in named.findings] == []
    assert [[text.text for text in dependency.licenses] for dependency in named.dependencies] == [["theirs"]]


def test_archives_and_programs_are_one_finding():
    there = ["app.war", "vendor/x-1.tar.gz", "third_party/y.zip", "tools/upx.exe", "x.egg", "libs/z.lib", "a.gem"]
    aside = ["data.zip", "tests/t.exe", "docs/d.zip", "vendor/n.txt", "node_modules/p/lib/q.tar.gz"]
    for archive in there:
        (finding,) = [
            each for each in found({archive: b"x", "a.c": b"int a;"}).findings if each.code == "file/unsupported"
        ]
        assert (finding.place.path, finding.message) == (
            archive,
            f"1 archive or program in the tree ({archive}): what is in them is not read",
        )
    (many,) = [
        each for each in found(dict.fromkeys([*there, *aside], b"x")).findings if each.code == "file/unsupported"
    ]
    assert (many.files, many.message) == (
        7, "7 archives or programs in the tree (a.gem, app.war, libs/z.lib and 4 more): what is in them is not read",
    )  # fmt: skip
    assert [each.code for each in found(dict.fromkeys([*aside, "a.c"], b"int a;")).findings] == []


@pytest.mark.parametrize(
    ("path", "content", "is_told"),
    [
        ("bin/tool", b"\x7fELF\x02\x01\x01\0", True), ("busybox-1.36", b"\x7fELF\0", True), ("tool.x86_64", b"MZ\x90\0\x03", True),
        ("tool", b"\xcf\xfa\xed\xfe\x07\0", True), ("tool", b"\xca\xfe\xba\xbe\0\0\0\x02", True), ("x.lib", b"!<arch>\n/ ", True), ("m", b"\0asm\x01", True),
        ("x.lib", b".SUBCKT a b\n", False), ("MZ", b"MZ stands for Mark Zbikowski\n\0", False), ("tool", b"#!/bin/sh\n", False),
        ("tests/tool", b"\x7fELF\0", False), ("a.wasm", b"", True), ("drv/a.ko", b"\x7fELF\x02", True), ("locales/messages.ko", b"hello", False), ("t/__snapshots__/a.test.js.snap", b"exports", False), ("a.snap", b"hsqs\0", True), ("a.o", b"x", True), ("A.AppImage", b"\x7fELF", True), ("a.dmg", b"x", True), ("docs/a.wasm", b"", False),
        ("F/X.framework/X", b"\xcf\xfa\xed\xfe", True), ("X.xcframework/Info.plist", b"<plist/>", True), ("my.frameworks/x.txt", b"x", False),
    ],
)  # fmt: skip
def test_a_program_is_known_by_its_first_bytes_or_its_ending(path, content, is_told):
    findings = found({path: content, "a.c": b"int a;"}).findings
    assert [finding.code for finding in findings] == (["file/unsupported"] if is_told else [])


def test_all_of_a_framework_is_one():
    inside = [
        "X.framework/X",
        "X.framework/Headers/x.h",
        "X.framework/Versions/A/X",
        "X.framework/Frameworks/Z.framework/Z",
        "X.framework/Y.wasm",
    ]
    [finding] = found({"a.c": b"int a;", **{f"b/{path}": b"\xcf\xfa\xed\xfe" for path in inside}}).findings
    assert (finding.place.path, finding.files) == ("b/X.framework", 1)


NAMES = {
    "Makefile.linux": "LIBS=-lreadline\n", "mk/common.mak": "LIBS = -lreadline\n", "configure.in": "AC_CHECK_LIB(readline, readline)\n", "reqs.txt": "pylint==2.0\n",
    "requirements/base.txt": "pylint==2.0\n", "conda.yml": "dependencies:\n- gsl\n", "Cargo.lock": '[[package]]\nname="m"\nversion="1.0.0"\nsource="registry+x"\n',
    "go.sum": "github.com/a/b v1.0.0 h1:aaaa=\n", "sub/CMakeLists.txt": "target_link_libraries(a readline)\n", "a.pro": "LIBS += -lreadline\n", "WORKSPACE.bazel": 'http_archive(name="x",urls=["https://x.example/x.zip"])\n',
    "script.py": "# /// script\n# dependencies = ['pylint']\n# ///\nimport pylint\n", "third_party/rl/COPYING": "x", "ext/rl/rl.c": "#include <readline/readline.h>\n",
    "xmake.lua": 'add_requires("readline")\n', "bundle.json": '{"component":{"deps":{"third_party":["readline"]}}}', "oh-package.json5": '{"dependencies":{"@ohos/axios":"2"}}',
    "main.tf": 'module "x" {\n source = "a/b/c"\n}\n', "west.yml": "manifest:\n  projects:\n  - name: zephyr\n", "a.vcxproj": "<AdditionalDependencies>readline.lib</AdditionalDependencies>",
    "lib/libreadline.so.8": "x", "src/a.sol": 'import "@o/c.sol";\n', "src/a.R": "library(x)\n", "src/a.hs": "import Data.Aeson\n", "notes.ipynb": '{"source":["import torch\\n"]}',
}  # fmt: skip


@pytest.mark.parametrize("path", NAMES)
def test_each_file_that_may_name_dependencies_gives_one_or_a_finding(path):
    line = found({path: NAMES[path].encode(), "LICENSE": b"x"})
    assert line.dependencies or line.findings
    assert line.dependencies or nothing_found(line.findings) != "nothing is used"
