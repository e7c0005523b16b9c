"""The walk over a tree held in a dictionary; other tests walk a checkout and GitHub's trees."""

import errno

import pytest

from audit.scan.assembly import assemble
from audit.scan.file_tree import UnreadableFile
from audit.scan.walk import walk
from audit.scan.walk_limits import Limits


def unnamed(_text, _path):
    """The licence of no text is known."""


class Item:
    """Something in a folder."""

    def __init__(self, name, folder, link):
        self.name, self._folder, self._link = name, folder, link

    def is_dir(self, **_how):
        return self._folder

    def is_symlink(self):
        return self._link


class Memory:
    """Files by path; an exception for content is raised. What is read is noted."""

    def __init__(self, files, links=(), others=()):
        self.files, self.links, self.others = files, links, others
        self.read_so_far, self.expected = [], []

    def listed(self, folder):
        start = f"{folder}/" if folder else ""
        below = {path[len(start) :].partition("/")[::2] for path in self.files if path.startswith(start)}
        if not below:
            raise PermissionError(errno.EACCES, "Permission denied")
        return [Item(name, bool(rest), start + name in self.links) for name, rest in sorted(dict(below).items())]

    def is_other(self, folder, /):
        return folder in self.others

    def is_file(self, path):
        return path in self.files

    def expect(self, paths):
        self.expected.append(list(paths))

    def read(self, path, most, fits, *, linked):
        self.read_so_far.append((path, linked))
        content = self.files[path]
        if isinstance(content, Exception):
            raise content
        return content[:most] if fits(len(content)) else None


def codes(walked):
    """Findings as `code place`."""
    return [f"{finding.code} {finding.place.path}" for finding in walked.findings]


def test_only_files_that_matter_are_read_in_order():
    ground = Memory(
        {"b/pom.xml": b"", "a/c/go.mod": b"", "a/package.json": b"{}", "logo.png": b"", "tests/a.py": b"", "other/pom.xml": b"", ".tox/pom.xml": b"", "LICENSE": b"x"},
        links=("a/package.json",), others=("other",),
    )  # fmt: skip
    walked = walk(ground, Limits())

    assert ground.read_so_far == [
        ("LICENSE", False),
        ("a/package.json", True),
        ("a/c/go.mod", False),
        ("b/pom.xml", False),
    ]
    assert [text.text for text in assemble(walked, "n", unnamed).licenses] == ["x"]


@pytest.mark.parametrize(("trouble", "code"), [
    (PermissionError(errno.EACCES, "Permission denied"), "file/unreadable"), (UnreadableFile("file/outside", "out of it"), "file/outside"),
])  # fmt: skip
def test_an_unreadable_file_is_a_finding_and_the_others_are_read(trouble, code):
    walked = walk(Memory({"a/pom.xml": trouble, "requirements.txt": b"a==1"}), Limits())

    assert codes(walked) == [f"{code} a/pom.xml"]
    assert [dependency.name for dependency in assemble(walked, "n", unnamed).dependencies] == ["a"]


def test_a_folder_that_cannot_be_listed_is_a_finding():
    assert codes(walk(Memory({}), Limits())) == ["file/unreadable ."]


def test_sources_beyond_the_bound_are_one_finding():
    files = {f"{name}.c": b"#include <linux/fs.h>" for name in "abcd"} | {"z/requirements.txt": b"a==1"}
    ground = Memory(files)
    walked = walk(ground, Limits(sources=2))

    assert codes(walked) == ["tree/cut-short ."]
    assert [path for path, _ in ground.read_so_far] == ["a.c", "b.c", "z/requirements.txt"]


def test_lock_files_of_all_ecosystems_in_one_tree_are_kept_apart():
    files = {
        "ruby/Gemfile.lock": "GEM\n  remote: https://rubygems.org/\n  specs:\n    rack (3.1.0)\n",
        "php/composer.lock": '{"packages": [{"name": "psr/log", "version": "3.0.0", "license": ["MIT"]}], "packages-dev": []}',
        "net/packages.lock.json": '{"dependencies": {"net8.0": {"Serilog": {"type": "Direct", "resolved": "4.0.0"}}}}',
        "swift/Package.resolved": '{"pins": [{"identity": "a", "location": "https://github.com/o/a", "state": {"version": "1.0.0"}}], "version": 2}',
        "dart/pubspec.lock": "packages:\n  meta: {dependency: transitive, source: hosted, version: 1.15.0}\n",
        "elixir/mix.lock": '%{"plug": {:hex, :plug, "1.16.1", "aa", [:mix], [], "hexpm", "bb"}}',
        "conda/pixi.lock": "packages:\n- conda: https://conda.anaconda.org/conda-forge/noarch/tzdata-2024a-0.conda\n",
    }  # fmt: skip
    walked = walk(Memory({path: content.encode() for path, content in files.items()}), Limits())

    assert codes(walked) == []
    assert [dependency.purl for dependency in assemble(walked, "n", unnamed).dependencies] == [
        "pkg:swift/github.com/o/a@1.0.0", "pkg:pub/meta@1.15.0", "pkg:hex/plug@1.16.1", "pkg:composer/psr/log@3.0.0",
        "pkg:gem/rack@3.1.0", "pkg:nuget/Serilog@4.0.0", "pkg:conda/tzdata@2024a?channel=conda-forge",
    ]  # fmt: skip


def test_go_sources_beyond_the_bound_leave_the_usage_to_go_mod():
    cmp = "github.com/google/go-cmp"
    files = {f"{name}_test.go": f'package a\nimport "{cmp}/cmp"\n'.encode() for name in "abc"} | {
        "go.mod": f"module x.org/x\ngo 1.21\nrequire {cmp} v0.6.0\n".encode(), "z.c": b"#include <linux/fs.h>",
    }  # fmt: skip
    all_read, cut = walk(Memory(files), Limits(sources=3)), walk(Memory(files), Limits(sources=2))

    assert codes(all_read) == codes(cut) == []
    assert [dependency.usage.value for dependency in assemble(all_read, "n", unnamed).dependencies] == [
        "test-only",
        "header-only",
    ]
    assert [dependency.usage.value for dependency in assemble(cut, "n", unnamed).dependencies] == [
        "static-link",
        "header-only",
    ]


def test_named_files_are_announced_together_once():
    """A remote tree can fetch them all at once."""
    ground = Memory(
        {"requirements.txt": b"-r x.a\n-r x.b\n-r gone", "x.a": b"-r x.c\n-r x.b", "x.b": b"b==1", "x.c": b"c==1"}
    )
    walked = walk(ground, Limits())

    assert ground.expected == [["gone", "x.a", "x.b"], ["x.c"]]
    assert [dependency.name for dependency in assemble(walked, "n", unnamed).dependencies] == ["b", "c"]


def test_a_list_that_a_container_installs_is_read_where_it_lies():
    files = {"docker/Dockerfile": b"FROM scratch\nRUN pip install -r deps", "docker/deps": b"b==1\n"}
    walked = walk(Memory(files), Limits())

    assert [dependency.name for dependency in assemble(walked, "n", unnamed).dependencies] == ["b"]
    assert codes(walked) == []


def test_the_total_of_bytes_is_bounded():
    files = {"a.c": b" " * 100, "b/pom.xml": b" " * 40, "c/pom.xml": b" " * 30}

    assert codes(walk(Memory(files), Limits(source=10, total=49))) == ["tree/cut-short b/pom.xml"]


def test_the_work_of_reading_manifests_is_bounded():
    files = {
        "a/pom.xml": b"<project/>" + b" " * 90, "b/Package.swift": b" " * 11, "c/go.mod": b"module c\n\nrequire a.b/c v1.0.0\n",
        "node_modules/d/package.json": b'{"name": "d"}' + b" " * 90,
    }  # fmt: skip
    walked = walk(Memory(files), Limits(parsed=200))

    assert codes(walked) == ["tree/cut-short b/Package.swift"], "ten for each of its characters"
    assert walked.findings[0].message.startswith("2 manifests are not read: together they take more work than is done")
    assert [dependency.name for dependency in assemble(walked, "n", unnamed).dependencies] == ["a.b/c"]


def test_a_named_file_that_is_not_read_is_not_missing():
    ground = Memory({"requirements.txt": b"-r x.a\n", "x.a": b"b==1\n" * 50})
    walked = walk(ground, Limits(parsed=300))

    assert [finding.code for finding in assemble(walked, "n", unnamed).findings] == ["tree/cut-short"]


def test_the_texts_of_licences_are_bounded_together():
    texts = {f"third_party/{name}/LICENSE": name.encode() * 10 for name in "abcd"}
    texts |= {"third_party/e/LICENSE": b"a" * 10}
    walked = walk(Memory(texts), Limits(legal_total=20))
    kept = assemble(walked, "n", unnamed).dependencies

    assert codes(walked) == ["tree/cut-short third_party/c/LICENSE"]
    assert [(dependency.name, len(dependency.licenses)) for dependency in kept if dependency.licenses] == [
        ("a", 1),
        ("b", 1),
        ("e", 1),
    ]


@pytest.mark.parametrize(
    ("limits", "left"),
    [
        (Limits(), 0), (Limits(heads=2), 1), (Limits(headed=5), 1), (Limits(total=12, head=4), 0), (Limits(total=7, head=4), 2),
    ],
)  # fmt: skip
def test_heads_of_text_files_are_read_within_bounds(limits, left):
    files = {"a.css": b"# gpl9", "b.css": b"#gpl", "c.css": b"#gpl"}
    ground = Memory(files)
    walked = walk(ground, limits)
    assert (walked.files.left_out, codes(walked)) == (left, [])


def test_only_heads_that_are_asked_for_are_read():
    ground = Memory({"a.css": b"x", "b.css": b"y", "c.c": b"z", "pom.xml": b"<project/>"})
    walk(ground, Limits(), is_asked=lambda path: path == "b.css")
    assert [path for path, _ in ground.read_so_far] == ["b.css", "c.c", "pom.xml"]


def test_heads_of_links_are_not_read():
    ground = Memory({"a.py": b"x"}, links=("a.py",))
    ground.astray = lambda _link: None
    walk(ground, Limits())
    assert ground.read_so_far == []


def test_patched_copies_of_quilt_are_not_read():
    manifest = b"find_package(ZLIB)"
    copies = {".pc/.version": b"2\n", ".pc/fix.patch/CMakeLists.txt": manifest, "CMakeLists.txt": manifest}
    assert list(walk(Memory(copies), Limits()).reads) == ["CMakeLists.txt"]
    named_alike = {"sub/.pc/fix/CMakeLists.txt": manifest, "CMakeLists.txt": manifest}
    assert list(walk(Memory(named_alike), Limits()).reads) == ["CMakeLists.txt", "sub/.pc/fix/CMakeLists.txt"]


@pytest.mark.parametrize(
    ("total", "read", "cut"),
    [
        (200_000, ["m/a.gguf", "m/b.gguf", "m/c.gguf"], []),
        (140_000, ["m/a.gguf", "m/b.gguf", "m/c.gguf"], []),
        (131_100, ["m/a.gguf", "m/b.gguf"], ["tree/cut-short m/c.gguf"]),
        (66_000, ["m/a.gguf", "m/c.gguf"], ["tree/cut-short m/b.gguf"]),
        (10, [], ["tree/cut-short m/a.gguf", "tree/cut-short m/b.gguf", "tree/cut-short m/c.gguf"]),
    ],
)
def test_headers_of_models_count_among_the_bytes_that_are_read(total, read, cut):
    ground = Memory(
        {"m/a.gguf": b"GGUF" + bytes(100_000), "m/b.gguf": b"GGUF" + bytes(100_000), "m/c.gguf": b"GGUF" + bytes(60)}
    )
    walked = walk(ground, Limits(total=total))
    assert (sorted(walked.models.statements), codes(walked)) == (read, cut)


def test_headers_of_models_leave_no_more_than_what_other_files_have_left():
    files = {"requirements.txt": b"a==1", "m/a.gguf": b"GGUF" + bytes(500)}
    assert codes(walk(Memory(files), Limits(total=508))) == []
    assert codes(walk(Memory(files), Limits(total=507))) == ["tree/cut-short m/a.gguf"]


@pytest.mark.parametrize(
    ("limit", "most", "files", "said"),
    [
        (
            "package_folders.MAX_PACKAGES",
            1,
            [f"node_modules/{name}/package.json" for name in "abc"],
            "node_modules/b: after 1 packages",
        ),
        (
            "vendored_works.MAX_WORKS",
            1,
            [f"third_party/{name}/LICENSE" for name in "abc"],
            "third_party/b: after 1 folders that may be works by others",
        ),
        (
            "vendored_works.MAX_WORKS",
            1,
            [f"external/{name}/src/a.c" for name in "abc"],
            "external/b: after 1 folders that may be works by others",
        ),
        (
            "model_files.MAX_STATEMENTS",
            1,
            [f"{name}/{file}" for name in "abc" for file in ("README.md", "a.safetensors")],
            "b/README.md: after 1 cards of models and data",
        ),
        ("model_files.gguf.MAX_FILES", 1, ["a.gguf", "b.gguf", "c.gguf"], "b.gguf: after 1 headers of GGUF files"),
    ],
)
def test_what_is_beyond_a_limit_is_told_once(monkeypatch, limit, most, files, said):
    ground = dict.fromkeys(files, b"{}")
    assert codes(walk(Memory(ground), Limits())) == []
    monkeypatch.setattr(f"audit.scan.{limit}", most)
    walked = walk(Memory(ground), Limits())

    assert [f"{finding.place.path}: {finding.message}" for finding in walked.findings] == [
        f"{said}, the rest is not looked at"
    ]
    assert [finding.code for finding in walked.findings] == ["tree/cut-short"]


def test_files_right_in_a_folder_for_works_by_others_are_counted_beyond_fifty():
    files = {f"third_party/{number:03}.c": b"int a;" for number in range(53)}
    tests = {path.replace("third_party", "tests/deps"): content for path, content in files.items()}
    found = assemble(walk(Memory({**files, **tests}), Limits()), "n", unnamed).findings

    said = [(finding.code, finding.place.path) for finding in found if finding.message.startswith("3 more files here")]
    assert said == [("license/nested", "third_party")]
