"""Sources without a manifest: their languages, their number, and their foreign imports."""

import pytest

from audit.scan.source_languages import SourceLanguages, is_known
from tests.audit.scan.test_scope import found


def told(files):
    """The findings of languages, as place and message."""
    findings = found({path: said.encode() for path, said in files.items()}).findings
    return [
        (finding.place.path, finding.message, finding.files) for finding in findings if finding.code == "scope/language"
    ]


@pytest.mark.parametrize(
    ("language", "path"),
    [("R", "a.R"), ("R", "x/b.Rmd"), ("Fortran", "a.f90"), ("Lua", "a.lua"), ("Perl", "a.pm"), ("Haskell", "a.hs"), ("Julia", "a.jl"),
     ("PHP", "a.php"), ("Ruby", "a.rb"), ("Ada", "a.adb"), ("Emacs Lisp", "a.el"), ("Objective-C or MATLAB", "a.m")],
)  # fmt: skip
def test_a_language_whose_imports_are_not_read_is_one_finding(language, path):
    (one,) = told({path: "x", f"y/{path}": "x", f"tests/{path}": "x", f"docs/{path}": "x"})
    assert one == (path, f"{language} (2 files): imports of this language are not read, and no manifest names them", 2)


@pytest.mark.parametrize(
    ("path", "manifest"),
    [
        ("a.R", "DESCRIPTION"), ("a.lua", "x-1.rockspec"), ("a.rb", "Gemfile"), ("a.php", "composer.json"), ("a.rs", "Cargo.toml"),
        ("a.hs", "x.cabal"), ("a.jl", "Project.toml"), ("a.cs", "x.csproj"), ("a.pl", "Makefile.PL"), ("a.py", "requirements-dev.txt"),
        ("a.py", "sub/pyproject.toml"), ("a.js", "package.json"), ("a.java", "pom.xml"), ("a.java", "build.xml"),
    ],
)  # fmt: skip
def test_a_manifest_speaks_for_its_language_unless_in_tests_or_examples(path, manifest):
    content = "import x.y\nimport requests\nimport a from 'lodash'\n"
    assert told({path: content, manifest: ""}) == []
    assert len(told({path: content, f"examples/{manifest}": ""})) == 1


@pytest.mark.parametrize(
    ("path", "content", "names"),
    [
        ("a.py", "import os, sys\nfrom json import x\nimport helper\nfrom . import y\n", None),
        ("a.py", "import os, requests as r\nfrom yaml.x import y\n    import numpy.linalg\n", "numpy, requests, yaml"),
        ("a.ipynb", '{"source": [\n    "import pandas as pd\\n",\n', "pandas"),
        ("a.ipynb", '{"cells":[{"source":["import torch\\n","import os"]},{"source":["x=1\\nfrom yaml import y"]}]}', "torch, yaml"),
        ("a.js", "import a from './a.js'; const fs = require('fs'); import x from 'node:path'; import y from '../y';", None),
        ("a.ts", "import a from 'lodash/fp'; const b = require(\"@s/p/q\"); await import('left-pad')", "@s/p, left-pad, lodash"),
        ("a.js", "/* used from 'onclick' event handler,\n   unlike import \"property not set\", taken from 'colorN', where N is a number */", None),
        ("a.js", 'export * from "z"\r\nimport b from "b" // c\nimport("c", {with: {}}); require("d").x(require("e"))', "b, c, d, e, z"),
        ("A.java", "package org.acme.x;\nimport java.util.List;\nimport org.acme.y.B;\n", None),
        ("A.kt", "package org.acme.x\nimport com.google.gson.Gson\n", "com.google"),
        ("a.go", 'package a\nimport (\n"fmt"\n"github.com/o/r/sub"\n)\n', None),
        ("a.go", 'package a\nimport "github.com/gorilla/mux"\n', "github.com/gorilla/mux"),
    ],
)  # fmt: skip
def test_imports_of_the_language_and_the_repository_itself_are_left_out(path, content, names):
    found_here = told({path: content, "helper.py": "", "sub/x.txt": "", "sub/sub.go": "package sub\n"})
    assert [said.partition("(")[2].partition("(")[2].rstrip(")") for _, said, _ in found_here] == (
        [names] if names else []
    )


def test_many_imported_names_are_told_as_five_and_a_number():
    ((_, said, files),) = told({f"x/m{number}.py": f"import p{number}\n" for number in range(9)})
    assert (said, files) == ("Python (9 files): no manifest names what they import (p0, p1, p2, p3, p4 and 4 more)", 9)


def test_sources_of_works_by_others_are_left_out():
    assert told({"vendor/x/a.R": "x", "node_modules/y/a.lua": "x", "third_party/z/a.rb": "x", "a.c": "int a;"}) == []


def test_inline_metadata_of_a_script_names_its_imports():
    script = '# /// script\n# dependencies = ["requests<3"]\n# ///\nimport requests\n'
    one = found({"a.py": script.encode()})
    assert [each.name for each in one.dependencies] == ["requests"]
    assert [each.code for each in one.findings] == []


def test_hidden_files_are_no_sources():
    assert not is_known("a/.ctags.d")
    assert is_known("a/b.d")


def test_only_sources_outside_of_tests_may_change_the_findings():
    assert [is_known(path) for path in ("a.R", "tests/a.R", "a.css", "noending", "a.py")] == [
        True,
        False,
        False,
        False,
        True,
    ]
    assert not SourceLanguages().wants("a.R")
    assert SourceLanguages().wants("a.py")
