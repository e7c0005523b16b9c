"""A checkout is walked in order, within bounds, never out of it, and nothing in it is run."""

import os
from pathlib import Path

import pytest

from audit.scan import checkout
from audit.scan.walk_limits import Limits
from tests.audit.scan.test_walk import unnamed


def scan(root, *, detect=unnamed, **more):
    """The checkout; its texts have no names unless they are asked for."""
    return checkout.scan(root, detect=detect, **more)


@pytest.fixture
def tree(tmp_path):
    """Writes files below a folder `repo`, which it gives."""

    def write(files):
        for path, content in files.items():
            place = tmp_path / "repo" / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content if isinstance(content, bytes) else content.encode())
        (tmp_path / "repo").mkdir(exist_ok=True)
        return tmp_path / "repo"

    return write


def codes(repository):
    """Findings as `code place`."""
    return [
        f"{finding.code} {finding.place.path}" + (f":{finding.place.line}" if finding.place.line else "")
        for finding in repository.findings
    ]


def names(repository):
    """Dependencies' names."""
    return [dependency.name for dependency in repository.dependencies]


def test_a_checkout_gives_own_texts_dependencies_and_submodules(tree):
    root = tree(
        {
            "LICENSE": "MIT text", "NOTICE": "ours", "package.json": '{"dependencies": {"a": "1"}}',
            "node_modules/a/package.json": '{"name": "a", "version": "1.0.0", "license": "ISC"}', "node_modules/a/LICENSE": "ISC text",
            ".gitmodules": '[submodule "z"]\n path = libs/zlib\n url = https://github.com/madler/zlib\n',
            "libs/zlib/LICENSE": "Zlib text", "libs/zlib/package.json": '{"dependencies": {"no": "1"}}', ".git/config": "x",
            "third_party/b/b.c": "int b;",
        }
    )  # fmt: skip
    found = scan(root, name="o/n", detect=lambda text, _path: text.partition(" ")[0])

    assert (found.name, found.license.expression, [line.path for line in found.licenses]) == ("o/n", "MIT", ["LICENSE"])
    assert [notice.text for notice in found.notices] == ["ours"]
    assert [
        (dependency.name, dependency.usage.value, dependency.license.expression) for dependency in found.dependencies
    ] == [
        ("a", "runtime-import", "ISC"),
        ("b", "vendored", None),
        ("zlib", "vendored", "Zlib"),
    ]
    assert codes(found) == []


def test_only_a_lock_file_above_lists_the_installed_packages(tree):
    package = '{"name": "NAME", "version": "1.0.0", "license": "GPL-3.0-only"}'
    lock = '{"lockfileVersion": 3, "packages": {"": {"name": "x"}}}'
    root = tree(
        {
            "node_modules/a/package.json": package.replace("NAME", "a"), "docs2/package-lock.json": lock,
            "docs2/node_modules/b/package.json": package.replace("NAME", "b"),
            "docs2/x/node_modules/c/package.json": package.replace("NAME", "c"),
            "docs22/node_modules/d/package.json": package.replace("NAME", "d"),
        }
    )  # fmt: skip
    assert names(scan(root, name="x")) == ["a", "d"]
    (root / "package-lock.json").write_text(lock)
    assert names(scan(root, name="x")) == []


def test_a_gemfile_that_another_one_takes_in_is_read(tree):
    root = tree({
        "Gemfile": "eval_gemfile 'fastlane/Pluginfile'\neval_gemfile 'Gemfile.local' if File.exist?('Gemfile.local')\neval_gemfile 'gone'",
        "fastlane/Pluginfile": "gem 'a'",
    })  # fmt: skip
    found = scan(root, name="x")
    assert (names(found), codes(found)) == (["a"], ["file/missing Gemfile:3"])


def test_a_submodule_in_a_folder_of_another_name_is_one_dependency(tree):
    of = '[submodule "{0}"]\n path = {0}\n url = https://github.com/madler/zlib.git\n'
    root = tree({".gitmodules": of.format("ext/z"), "ext/z/LICENSE": "Zlib text", "ext/z/z.c": "int z;"})
    licenses = [
        (dependency.name, dependency.license.expression)
        for dependency in scan(root, name="x", detect=lambda text, _: text[:4]).dependencies
    ]
    assert licenses == [("zlib", "Zlib")]
    tree({".gitmodules": of.format("ext/z") + of.format("zlib"), "zlib/LICENSE": "Zlib text"})
    assert names(scan(root, name="x")) == ["zlib"]


def test_the_same_checkout_gives_the_same_repository(tree):
    root = tree({f"{name}/requirements.txt": f"{name}==1" for name in "dbca"})
    assert scan(root, name="x") == scan(root, name="x")


def test_links_are_read_only_inside_the_tree_and_otherwise_findings(tree, tmp_path):
    (tmp_path / "secret.txt").write_text("leaked==1")
    root = tree({"real/base.txt": "a==1", "x/y": ""})
    (root / "requirements.txt").symlink_to("../secret.txt")
    (root / "requirements-a.txt").symlink_to("requirements-b.txt")
    (root / "requirements-b.txt").symlink_to("requirements-a.txt")
    (root / "requirements-c.txt").symlink_to("nowhere")
    (root / "requirements-d.txt").symlink_to("real/base.txt")
    (root / "x" / "up").symlink_to("..")
    (root / "third_party").symlink_to(tmp_path)
    (root / "x" / "round").symlink_to("round")
    (root / "x" / "README").symlink_to("nowhere")
    found = scan(root, name="x")

    assert names(found) == ["a"]
    assert codes(found) == [
        "file/unreadable requirements-a.txt",
        "file/unreadable requirements-b.txt",
        "file/unreadable requirements-c.txt",
        "file/outside requirements.txt",
        "file/outside third_party",
        "file/unreadable x/round",
    ]


def test_a_pipe_or_a_link_to_a_folder_in_place_of_a_manifest_is_a_finding(tree):
    root = tree({"Cargo.toml/x": ""})
    (root / "go.mod").symlink_to("Cargo.toml")
    os.mkfifo(root / "package.json")
    found = scan(root, name="x")

    assert found.dependencies == ()
    assert codes(found) == ["file/unreadable go.mod", "file/unreadable package.json"]


def test_included_requirement_files_are_read_under_any_name(tree):
    root = tree(
        {
            "requirements.txt": "-r deps/base.list\n-r gone.txt\n-r ../../x",
            "deps/base.list": "a==1\n-r ../requirements.txt\n-r /srv/x",
        }
    )
    found = scan(root, name="x")

    assert names(found) == ["a"]
    assert codes(found) == [
        "file/missing requirements.txt:2",
        "file/outside requirements.txt:3",
        "file/outside deps/base.list:3",
        "file/cycle requirements.txt:1",
    ]


def test_included_parts_of_a_makefile_are_read_once(tree):
    root = tree({
        "Makefile": "include build/libs gone.txt ../../x\n-include Makefile\n",
        "build/libs": "include ../Makefile\nLIBS = -lreadline\n",
        "src/a.c": "#include <zlib.h>\n#include <expat.h>\n", "src/expat.h": "",
    })  # fmt: skip

    found = scan(root, name="x")
    assert names(found) == ["readline", "zlib"]
    assert codes(found) == ["file/cycle build/libs:1"]


@pytest.mark.parametrize(
    ("content", "dependency", "finding"),
    [
        (b"\xef\xbb\xbfa==1", "a", []),
        ("a==1".encode("utf-16"), "a", ["file/encoding requirements.txt:1"]),
        (b"a==1 # \xe9", "a", ["file/encoding requirements.txt:1"]),
        (b"PK\x03\x04\x00\x00", None, ["file/encoding requirements.txt:1", "dependency/unreadable requirements.txt:1"]),
    ],
)
def test_other_encodings_are_read_with_a_finding(tree, content, dependency, finding):
    found = scan(tree({"requirements.txt": content}), name="x")

    assert names(found) == ([dependency] if dependency else [])
    assert codes(found) == finding


def test_each_exceeded_bound_is_a_finding_and_the_rest_is_read(tree):
    root = tree(
        {
            "a/b/c/requirements.txt": "deep==1",
            "package.json": "{}" + " " * 100,
            "requirements.txt": "a==1",
            "z/requirements.txt": "z==1",
        }
    )

    assert codes(scan(root, name="x", limits=Limits(manifest=50))) == ["file/too-large package.json"]
    assert codes(scan(root, name="x", limits=Limits(depth=2))) == ["tree/cut-short a/b/c"]
    assert codes(scan(root, name="x", limits=Limits(entries=5))) == ["tree/cut-short a/b"]
    assert "tree/cut-short requirements.txt" in codes(scan(root, name="x", limits=Limits(total=105)))


def test_a_missing_folder_is_a_finding(tmp_path):
    found = scan(tmp_path / "none", name="x")

    assert (found.dependencies, codes(found)) == ((), ["file/unreadable ."])


def test_notices_in_source_headers_make_or_later_of_a_gnu_text(tree):
    later = "/* GNU General Public License; either version 2, or (at your option) any later version. */"
    detect = {"gpl": "GPL-2.0-only", "mit": "MIT", "bsd": "BSD-2-Clause"}.get
    root = tree(
        {"COPYING": "gpl", "src/a.c": later, "src/x.py": "", "src/lib/LICENSE": "bsd", "tests/data/LICENSE": "mit"}
    )
    found = scan(root, name="x", detect=lambda text, _path: detect(text))

    assert found.license.expression == "GPL-2.0-or-later"
    assert [(dependency.name, dependency.usage.value, dependency.license.expression) for dependency in found.dependencies] == [
        ("src/lib", "vendored", "BSD-2-Clause"), ("tests/data", "test-only", "MIT"),
    ]  # fmt: skip
    assert codes(found) == []


def test_a_vendored_list_and_its_folder_are_one_dependency(tree):
    root = tree(
        {
            "src/p/_vendor/vendor.txt": "pyproject-hooks==1.2.0\n",
            "src/p/_vendor/pyproject_hooks/__init__.py": "",
            "src/p/_vendor/pyproject_hooks/LICENSE": "MIT",
        }
    )
    (dependency,) = scan(root, name="x", detect=lambda text, _path: text).dependencies

    assert (dependency.name, dependency.license.expression) == ("pyproject-hooks", "MIT")


def test_another_repository_within_the_checkout_is_not_read(tree):
    found = scan(tree({"other/.git/HEAD": "x", "other/requirements.txt": "no==1"}), name="x")
    assert names(found) == []


@pytest.mark.parametrize(
    "link",
    [
        "gitdir: /home/a/work/.git/worktrees/other\n", "gitdir: ../.git/worktrees/other", "gitdir: C:/w/.git/worktrees/other\r\n",
        "gitdir: /srv/work.git/worktrees/other\n", "gitdir: /srv/.bare/worktrees/other/\n",
        "gitdir: /home/a/work/.git/modules/z/worktrees/other\n",
    ],
)  # fmt: skip
def test_a_work_tree_that_is_linked_to_another_repository_is_another_checkout(tree, link):
    found = scan(tree({"x/other/.git": link, "x/other/requirements.txt": "no==1", "package.json": "{}"}), name="x")
    assert (names(found), codes(found)) == ([], ["scope/checkout x/other"])


@pytest.mark.parametrize(
    "link",
    [
        "gitdir: ../.git/modules/other\n", "gitdir: /home/a/worktrees/w/.git/modules/other\n", "", "worktrees/x", "gitdir: /x\n/worktrees/x\n",
    ],
)  # fmt: skip
def test_any_other_file_called_so_leads_to_no_work_tree(tree, link):
    found = scan(tree({"other/.git": link, "other/requirements.txt": "yes==1"}), name="x")
    assert names(found) == ["yes"]


def test_broken_files_are_findings_and_the_others_are_read(tree):
    found = scan(tree({"package.json": "{", "pom.xml": "<", "requirements.txt": "a==1"}), name="x")

    assert names(found) == ["a"]
    assert codes(found) == ["file/broken package.json:1", "file/broken pom.xml:1"]


def test_progress_is_told(tree):
    counts = []
    scan(tree({f"f{n}": "" for n in range(2_100)}), name="x", progress=counts.append)

    assert counts == [2_100]


def test_no_file_of_the_checkout_is_run(tree):
    trap = (
        "import pathlib\npathlib.Path('trace').touch()\nfrom setuptools import setup\nsetup(install_requires=['a'])\n"
    )
    root = tree({"setup.py": trap, "conanfile.py": trap, "build.gradle": "file('trace').createNewFile()"})
    found = scan(root, name="x")

    assert names(found) == ["a"]
    assert not Path("trace").exists()
    assert not (root / "trace").exists()


def test_a_header_that_a_vendored_package_includes_is_its_own_need(tmp_path):
    for path in ("vendor/lua/src/lua.c", "src/own.c"):
        (tmp_path / path).parent.mkdir(parents=True)
        (tmp_path / path).write_text(
            "#include <readline/readline.h>\n" if path.startswith("vendor") else "#include <zlib.h>\n"
        )
    (tmp_path / "vendor/lua/LICENSE").write_text("MIT")
    found = {dependency.name for dependency in scan(tmp_path, name="a", detect=lambda *_: "").dependencies}
    assert "zlib" in found
    assert "readline" not in found
