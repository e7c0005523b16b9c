"""Annotations of one file: the last that fits counts, for files below its folder."""

import json
import subprocess
from itertools import product

import pytest

from audit.facts import Place
from audit.licenses.expression import read
from audit.scan.checkout import scan
from audit.scan.file_licenses import FileLicenses
from audit.scan.reuse import dep5, reuse_toml
from audit.scan.reuse.annotations import (
    Annotation,
    AnnotationFile,
    AnnotationFiles,
    LicenseStatement,
    Precedence,
    is_covered,
)
from audit.scan.reuse.path_patterns import of_reuse_toml
from audit.work_budget import WorkBudget
from tests.deploy.tools import tool

KINDS = ("closest", "aggregate", "override")


def annotation(pattern, expression):
    """One with a licence."""
    said = LicenseStatement(read(expression), Place("REUSE.toml", 1))
    return Annotation((of_reuse_toml(pattern),), Precedence.CLOSEST, (said,))


def test_the_last_annotation_that_fits_counts_below_its_folder():
    file = AnnotationFile("a/REUSE.toml", "a", (annotation("**", "MIT"), annotation("b/*", "ISC")))
    said = {path: file.of(path).licenses[0].expression.license for path in ("a/x", "a/b/x", "a/b/c/x")}
    assert said == {"a/x": "MIT", "a/b/x": "ISC", "a/b/c/x": "MIT"}


def test_a_file_that_no_annotation_fits_has_no_statement():
    assert AnnotationFile("REUSE.toml", "", (annotation("b/*", "ISC"),)).of("x") is None


@pytest.mark.parametrize(
    ("pattern", "path", "work"),
    [
        ("src/a.c", "src/a.c", 1),
        ("**", "src/a.c", 1),
        ("src/*.c", "src/abc.c", 1 + 4 * 5),
        ("src/*.c", "doc/abc.c", 1),
        ("src/*.c", "src", 1),
        ("*" + "a" * 512, "abc", 1 + 8 * 3),
    ],
)
def test_the_work_of_comparing_grows_with_the_pattern(pattern, path, work):
    table = f'version = 1\n[[annotations]]\npath = "{pattern}"\n'
    assert reuse_toml.read("REUSE.toml", table).work(path) == work
    assert reuse_toml.read("sub/REUSE.toml", table).work(f"sub/{path}") == work


def table(path, *licenses, precedence="closest"):
    """One annotation."""
    said = f"SPDX-License-Identifier = {json.dumps(licenses)}\n" if licenses else ""
    return (
        f'[[annotations]]\npath = {json.dumps(path)}\nprecedence = "{precedence}"\nSPDX-FileCopyrightText = "X"\n{said}'
    )


def toml(*tables):
    """A REUSE.toml."""
    return "version = 1\n" + "".join(tables)


def tag(*expressions):
    """A head with tags."""
    return "".join(
        ("# SPDX-FileCopyrightText: X\n", *(f"# SPDX-License-Identifier: {expression}\n" for expression in expressions))
    )


def paragraph(files, expression):
    """One of dep5."""
    return f"Files: {files}\nCopyright: X\nLicense: {expression}\n\n"


DEP5 = "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n\n"
LEAVES = {"a/x.py": "1\n", "a/h.py": tag("Zlib"), "a/s.bin": "x", "a/s.bin.license": tag("0BSD"), "x.py": "1\n", "h.py": tag("Zlib"), "a/b/c/y.py": "1\n"}  # fmt: skip
TREES = {
    f"{outer} around {inner}": {
        "REUSE.toml": toml(table("**", "MIT", precedence=outer)),
        "a/REUSE.toml": toml(table("**", "ISC", precedence=inner)),
        **LEAVES,
    }
    for outer, inner in product(KINDS, KINDS)
} | {
    "three levels": {
        "REUSE.toml": toml(table("**", "MIT", precedence="aggregate")), "a/REUSE.toml": toml(table("**", "ISC")),
        "a/b/REUSE.toml": toml(table("x*", "Zlib")), "a/b/x1": "1", "a/b/y1": "1", "a/z": "1", "q": "1",
    },
    "no licence nearer": {"REUSE.toml": toml(table("**", "MIT")), "a/REUSE.toml": toml(table("**")), "a/x": "1", "a/h.py": tag("Zlib")},
    "nothing overrides": {"REUSE.toml": toml(table("**", precedence="override")), "a/REUSE.toml": toml(table("**", "MIT")), "a/h.py": tag("Zlib")},
    "the last counts": {"REUSE.toml": toml(table("**", "MIT"), table("a/**", "ISC"), table(["a/b*", "c/*"], "Zlib", "0BSD OR MIT")), "a/x": "1", "a/bc": "1", "c/d": "1", "q": "1"},
    "globs": {
        "REUSE.toml": toml(*(table(pattern, said) for pattern, said in (
            ("**/foo", "MIT"), ("a*b/*.txt", "ISC"), (r"q\*.txt", "Zlib"), (r"r\\s.txt", "Zlib"), ("b**r", "Unlicense"), ("[abc].x", "0BSD"),
            ("m**/n", "BSL-1.0"), ("***k", "ISC"), ("o/**/p/*", "X11"), (r"t\u", "MIT-0"), ("d/", "MIT"), ("./l", "MIT"),
        ))),
        **dict.fromkeys((
            "foo", "x/foo", "x/y/foo", "barfoo", "ab/1.txt", "aXb/1.txt", "aX/b/1.txt", "q*.txt", "qq.txt", r"r\s.txt", "bxr", "b/x/r", "br", "a.x",
            "[abc].x", "m/n", "mn", "mx/y/n", "zz/k", "o/p/1", "o/x/p/1", "o/x/y/p/1/2", "tu", "d/1", "l",
        ), "1"),
    },
    "dep5": {
        ".reuse/dep5": DEP5 + paragraph("*", "MIT") + paragraph("po/*.po\n po/*.pot", "GPL-3.0-or-later") + paragraph("c/?.txt", "ISC OR Zlib") + paragraph(r"e\*f", "0BSD"),
        **dict.fromkeys(("x", "po/a.po", "po/x/y.po", "po/a.pot", "c/1.txt", "c/12.txt", "e*f", "exf"), "1"),
        "h.py": tag("Zlib"), "s.bin": "1", "s.bin.license": tag("BSL-1.0"),
    },
    "sidecars": {
        "REUSE.toml": toml(table("c.py", "Zlib"), table("a.py", "0BSD", precedence="aggregate")), "a.py": tag("MIT"), "a.py.license": tag("ISC"),
        "b.bin": "1", "b.bin.license": tag("CC-BY-4.0", "MIT"), "c.py": tag("MIT"), "c.py.license": "SPDX-FileCopyrightText: X\n",
    },
    "snippets": {
        "a.py": tag("MIT") + "x = 1\n# SPDX-SnippetBegin\n# SPDX-SnippetCopyrightText: Y\n# SPDX-License-Identifier: ISC\nx = 2\n# SPDX-SnippetEnd\n",
        "b.py": tag("MIT") + "# REUSE-IgnoreStart\n# SPDX-License-Identifier: GPL-3.0-only\n# REUSE-IgnoreEnd\n# SPDX-License-Identifier: Zlib\n",
        "c.py": "# SPDX-SnippetBegin\n# SPDX-License-Identifier: ISC\nx = 2\n# SPDX-SnippetEnd\n",
    },
    "not covered": {
        "REUSE.toml": toml(table("**", "MIT")), "LICENSES/MIT.txt": "1", "sub/REUSE.toml": toml(table("**", "ISC")), "empty": "",
        **dict.fromkeys((
            "LICENSE", "COPYING.txt", "LICENSE-MIT", "sub/LICENSE.md", "sub/COPYING", "LICENCE", "LICENSE.foo.bar", "a.spdx", "b.spdx.json", "c.spdx.yml",
            "d.spdx.yaml", "e.spdx.rdf", "f.spdx.xml", "sub/LICENSES/y", "NOTICE", "COPYRIGHT", "LICENSEX", "license", "UNLICENSE", "sub/f",
            "subprojects/p/f", "x/subprojects/p/f", ".gitignore",
        ), "1"),
    },
}  # fmt: skip
KNOWN_DIFFERENCE = "closest around override"
"""There the tool keeps the outer licence, which the specification tells to ignore ("`closest` is ignored")."""


def said(root):
    """Licences by path, of the files of a checkout."""
    files = FileLicenses()
    listed = sorted(path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())
    files.is_reuse = True
    for path in listed:
        data = (root / path).read_bytes()
        is_sidecar = path.endswith(".license") and path.removesuffix(".license") in listed
        if is_sidecar or path == dep5.PATH or path.endswith(reuse_toml.NAME):
            files.read(path, data)
        elif data:
            files.head(path, data)
            files.cover(path)
    assert files.findings == []
    found = {}
    for file in files.all(WorkBudget(10**6)):
        found.setdefault(file.path, set()).add(str(file.expression))
    return found


def written(root, files):
    """A tree of files."""
    for path, content in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(content)
    return root


@pytest.mark.slow
@pytest.mark.parametrize("name", TREES)
def test_each_file_has_the_licences_that_the_reuse_tool_reports(tmp_path, name):
    root = written(tmp_path, TREES[name])
    done = subprocess.run(
        [tool("reuse"), "--no-multiprocessing", "--root", root, "lint", "--json"], capture_output=True, text=True, check=False
    )  # fmt: skip
    by_tool = {
        file["path"]: {str(read(each["value"])) for each in file["spdx_expressions"]} for file in json.loads(done.stdout)["files"]
    }  # fmt: skip
    found = said(root)
    differing = {path for path, licenses in by_tool.items() if found.get(path, set()) != licenses}
    assert set(found) <= set(by_tool)
    if name == KNOWN_DIFFERENCE:
        assert differing == {"a/x.py", "a/h.py", "a/s.bin", "a/b/c/y.py"}
        assert all(by_tool[path] - found[path] == {"MIT"} for path in differing)
    else:
        assert differing == set()


@pytest.mark.parametrize(
    ("outer", "inner", "own", "expected"),
    [
        ("closest", "closest", "", "ISC"),
        ("closest", "closest", "Zlib", "Zlib"),
        ("closest", "aggregate", "Zlib", "ISC Zlib"),
        ("closest", "aggregate", "", "ISC MIT"),
        ("closest", "override", "Zlib", "ISC"),
        ("aggregate", "closest", "", "MIT ISC"),
        ("aggregate", "aggregate", "Zlib", "MIT ISC Zlib"),
        ("aggregate", "override", "Zlib", "MIT ISC"),
        ("override", "closest", "Zlib", "MIT"),
        ("override", "override", "", "MIT"),
    ],
)
def test_the_outermost_override_ends_the_order_and_closest_gives_way(outer, inner, own, expected):
    files = AnnotationFiles()
    files.add(reuse_toml.read("REUSE.toml", toml(table("**", "MIT", precedence=outer))))
    files.add(reuse_toml.read("a/REUSE.toml", toml(table("**", "ISC", precedence=inner))))
    found = files.statements("a/b/x", (LicenseStatement(read(own), Place("x", 1)),) if own else ())
    assert " ".join(str(statement.expression) for statement in found) == expected
    assert files.work("a/b/x") == 2
    assert files.work("x") == 1
    assert files.names == {"REUSE.toml", "a/REUSE.toml"}


@pytest.mark.parametrize(
    ("path", "covered"),
    [
        ("a.py", True), ("LICENSE", False), ("a/LICENCE-MIT.txt", False), ("COPYING", False), ("LICENSEX", True), ("LICENSES/MIT.txt", False),
        ("REUSE.toml", False), ("a.spdx.json", False), ("a.spdx.json5", True), (".reuse/x", False), ("subprojects/a/b", False), ("NOTICE", True),
    ],
)  # fmt: skip
def test_licence_texts_and_spdx_documents_are_not_covered(path, covered):
    assert is_covered(path) is covered


def test_a_folder_of_weights_under_an_annotation_is_a_use_of_its_own(tmp_path):
    files = {
        "REUSE.toml": toml(table("**", "MIT"), table("weights/**", "CC-BY-NC-4.0", precedence="override")),
        "LICENSES/MIT.txt": "MIT", "LICENSES/CC-BY-NC-4.0.txt": "CC-BY-NC-4.0", "weights/model.bin": "x", "weights/empty.bin": "", "src/a.py": "1\n",
    }  # fmt: skip
    found = scan(written(tmp_path, files), name="x", detect=lambda text, _path: text)
    assert found.license.expression == "MIT"
    assert [(dependency.name, dependency.usage.value, dependency.license.expression, str(dependency.license.place)) for dependency in found.dependencies] == [
        ("weights/model.bin", "model-weights", "CC-BY-NC-4.0", "REUSE.toml:11"),
    ]  # fmt: skip
    assert [f"{finding.code} {finding.place}" for finding in found.findings] == ["license/use-restricted REUSE.toml:11"]
