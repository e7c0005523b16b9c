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
     ("PHP", "a.php"), ("Ruby", "a.rb"), ("Ada", "a.adb"), ("Emacs Lisp", "a.el"), ("Objective-C or MATLAB", "a.m"), ("CoffeeScript", "a.coffee"),
     ("SystemVerilog", "a.sv"), ("Vala", "a.vala"), ("GDScript or GAP", "a.gd"), ("Verilog, V or Rocq", "a.v")],
)  # fmt: skip
def test_a_language_whose_imports_are_not_read_is_one_finding(language, path):
    (finding,) = told({path: "x", f"y/{path}": "x", f"tests/{path}": "x", f"docs/{path}": "x"})
    assert finding == (
        path,
        f"{language} (2 files): imports of this language are not read, and no manifest names them",
        2,
    )


FOREIGN = "import x.y\nimport requests\nimport a from 'lodash'\n"


@pytest.mark.parametrize(
    ("path", "manifest", "said"),
    [
        ("a.R", "DESCRIPTION", ""), ("a.lua", "x-1.rockspec", ""), ("a.lua", "rockspecs/x-1.rockspec", ""), ("a.rb", "Gemfile", "gem 'rack'"),
        ("a.php", "composer.json", '{"require": {"php": ">=8"}}'), ("a.rs", "Cargo.toml", "[package]\nname = 'a'"), ("a.hs", "x.cabal", ""),
        ("a.jl", "Project.toml", ""), ("a.cs", "x.csproj", "<Project/>"), ("Assets/a.cs", "Packages/manifest.json", "{}"), ("a.pl", "Makefile.PL", ""),
        ("a.swift", "A.xcodeproj/project.pbxproj", ""), ("config/a.exs", "mix.exs", "defmodule A do end"),
        ("a.py", "requirements.txt", "flask"), ("a.py", "requirements/base.txt", "flask"), ("src/a.py", "conda/environment.yml", "dependencies: [numpy]"),
        ("a.py", "pyproject.toml", "[project]\nname = 'a'"), ("a.py", "setup.cfg", "[metadata]\nname = a"), ("a.py", "setup.py", "setup()"), ("a.py", "pyproject.toml", "["), ("b/a.py", "b/setup.py", ""),
        ("a.js", "package.json", '{"name": "a"}'), ("a.ts", "deno.json", '{"imports": {"x": "npm:x@1"}}'), ("a.java", "pom.xml", "<project/>"),
        ("app/a.js", "config/importmap.rb", 'pin "application"\n'),
        ("a.java", "build.xml", ""), ("a.coffee", "package.json", '{"name": "a"}'), ("a.vala", "meson.build", "dependency('readline')"), ("app/a.kt", "build.gradle.kts", ""), ("a/B.java", "a/BUILD.bazel", ""),
    ],
)  # fmt: skip
def test_a_manifest_speaks_at_its_folder_and_below_unless_in_tests_or_examples(path, manifest, said):
    assert told({path: FOREIGN, manifest: said}) == []
    assert len(told({path: FOREIGN, f"examples/{manifest}": said})) == 1


@pytest.mark.parametrize(
    ("path", "manifest", "said"),
    [
        ("a.py", "pyproject.toml", "[tool.black]\nline-length = 100"), ("a.py", "setup.cfg", "[flake8]\nmax-line-length = 100"),
        ("a.py", "requirements-dev.txt", "pytest"), ("src/a.py", "tools/requirements.txt", "click"), ("a.py", "sub/pyproject.toml", "[project]\nname='s'"),
        ("a.js", ".npmrc", "save-exact=true"), ("a.js", ".yarnrc.yml", "nodeLinker: node-modules"), ("a.js", "pnpm-workspace.yaml", "packages: [a]"),
        ("a.js", "package.json", '{"type": "module", "license": "MIT"}'), ("server/a.js", "ui/package.json", '{"name": "ui"}'),
        ("a.ts", "deno.json", '{"tasks": {"x": "deno run a.ts"}}'), ("b/a.rs", "Cargo.toml", "[workspace]\nmembers = ['a']"),
        ("b/a.rs", "a/Cargo.toml", "[package]\nname = 'a'"), ("a.rb", "Gemfile", "group(:test) { gem 'rspec' }"),
    ],
)  # fmt: skip
def test_settings_lists_of_tools_and_other_folders_manifests_do_not_speak(path, manifest, said):
    beside = f"{manifest.rpartition('/')[0]}/own{path[path.rfind('.') :]}".lstrip("/")
    assert [place for place, _, _ in told({path: FOREIGN, manifest: said, beside: ""})] == [path]


def test_what_another_folders_manifest_names_is_named():
    files = {
        "tools/a.py": "import yaml\nimport Flask_Login\nimport dateutil\nimport os\n",
        "docker/b/requirements.txt": "PyYAML\nflask-login\npython-dateutil\n",
        "scripts/b.js": "require('lodash/fp'); require('@s/p')",
        "ui/package.json": '{"name": "ui", "devDependencies": {"lodash": "1.0.0", "@s/p": "1.0.0"}}',
        "a/B.java": "import com.google.common.Base;\n",
        "b/pom.xml": "<project><dependencies><dependency><groupId>com.google.guava</groupId><artifactId>guava</artifactId></dependency></dependencies></project>",
    }
    assert told(files) == []
    files["tools/a.py"] += "import ya\n"
    assert [said for _, said, _ in told(files)] == ["Python (1 file): no manifest names what they import (ya)"]


def test_a_list_of_any_name_that_another_one_names_speaks():
    files = {"a.py": "import x", "requirements.txt": "-r base.list"}
    assert told({**files, "base.list": "flask"}) == []
    assert len(told({**files, "base.list": "# none"})) == 1
    assert (
        len(told({"a.py": "import x", "requirements-dev.txt": "pytest\nx-y @ file:z\n-r tools.list", "tools.list": ""}))
        == 1
    )


def test_go_sources_beside_the_module_are_not_spoken_for():
    source = 'package a\nimport "github.com/gorilla/mux"\n'
    assert told({"a/go.mod": "module e.com/a\n", "a/x.go": source}) == []
    assert [place for place, _, _ in told({"a/go.mod": "module e.com/a\n", "b/x.go": source})] == ["b/x.go"]


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
        ("a.ts", "import x from 'https://deno.land/x/oak@v12/mod.ts'; import y from 'npm:z@1'", "https://deno.land, npm:z@1"),
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


SCRIPT = '# /// script\n# dependencies = ["requests<3"]\n# ///\nimport requests\n'


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("a.py", SCRIPT), ("bin/a", f"#!/usr/bin/env -S uv run --script\n{SCRIPT}"),
        ("a.ipynb", '{"cells":[{"source":["!pip install -q requests\\n","import requests"]}]}'),
        ("a.ipynb", '{"source": [\n    "%pip install requests\\n",\n'),
    ],
)  # fmt: skip
@pytest.mark.parametrize("beside", ["", "requirements.txt", "pyproject.toml"])
def test_what_a_source_of_python_says_it_needs_is_read(path, content, beside):
    tree = found({path: content.encode(), beside or "a.txt": b"[project]\nname='x'\n" if "toml" in beside else b"idna"})
    assert "requests" in [dependency.name for dependency in tree.dependencies]
    assert [finding.code for finding in tree.findings if finding.code != "scope/no-source"] == []


def test_a_notebooks_other_commands_are_not_read():
    [finding] = found({"a.ipynb": b'{"source": ["!conda install -y gsl"]}'}).findings
    assert (finding.code, finding.place.path) == ("file/unsupported", "a.ipynb")


@pytest.mark.parametrize(
    ("path", "content", "manifest", "name"),
    [
        ("a.ts", "import x from 'npm:@s/p@1/sub'; import('jsr:q@^2')", {"deno.json": '{"name": "a"}'}, "@s/p"),
        ("A.java", "//DEPS org.x:y:1\nimport org.x.Y;\n", {"pom.xml": "<project/>"}, "org.x:y"),
        ("a.kts", '@file:DependsOn("org.x:y:1")\n', {"build.gradle.kts": ""}, "org.x:y"),
        ("a.groovy", "@Grab('org.x:y:1')\n", {"build.gradle": ""}, "org.x:y:1"),
        ("a.scala", '//> using dep "org.x::y:1"\n', {"build.sbt": ""}, "org.x"), ("a.fsx", '#r "nuget: X.Y, 1.0"\n', {"a.fsproj": "<Project/>"}, "X.Y"),
        ("a.cs", "#:package X.Y@1.0\n", {"a.csproj": "<Project/>"}, "X.Y"), ("a.exs", "Mix.install([\n  {:x, '1'}])", {"mix.exs": ""}, "x"),
        ("a.rb", "require 'bundler/inline'\ngemfile do\n  gem 'x'\nend\n", {"x.gemspec": "s.name = 'a'", "Gemfile": "gem 'b'"}, "x"),
        ("a.rs", "#!/usr/bin/env cargo\n---cargo\n[dependencies]\n---\n", {"Cargo.toml": "[package]\nname='a'"}, "---cargo"),
    ],
)  # fmt: skip
def test_what_a_source_asks_for_itself_is_told_beside_a_manifest(path, content, manifest, name):
    ((place, said, _),) = told({path: content, **manifest})
    assert place == path
    assert "no manifest names what they ask for" in said
    assert name in said


def test_a_package_that_a_manifest_names_may_be_asked_for_again():
    locked = '{"version": "4", "remote": {"https://deno.land/x/oak@v12/mod.ts": "x"}}'
    assert (
        told({"a.ts": "import 'https://deno.land/x/oak@v12/mod.ts'", "deno.lock": locked, "deno.json": '{"name": "a"}'})
        == []
    )
    assert len(told({"a.ts": "import 'https://deno.land/x/oak@v12/mod.ts'", "deno.json": '{"name": "a"}'})) == 1
    assert told({"a.ts": "import x from 'npm:x@1'", "deno.json": '{"imports": {"x": "npm:x@1"}}'}) == []


@pytest.mark.parametrize(
    ("line", "content", "said"),
    [
        ("#!/usr/bin/env python3", "import os, requests", "Python (1 file): no manifest names what they import (requests)"),
        ("#!/usr/bin/python -u", "import os", None), ("#!/bin/sh", "import requests", None), ("# python", "import requests", None),
        ("#!/usr/bin/perl -w", "", "Perl (1 file): imports of this language are not read, and no manifest names them"),
        ("#!/usr/bin/env node", "require('x')", "JavaScript (1 file): no manifest names what they import (x)"),
    ],
)  # fmt: skip
def test_a_script_without_an_ending_is_known_by_its_first_line(line, content, said):
    assert [message for _, message, _ in told({"bin/a": f"{line}\n{content}\n"})] == ([said] if said else [])
    assert (
        told(
            {
                "bin/a": f"{line}\n{content}\n",
                "DESCRIPTION": "",
                "META.json": "",
                "package.json": '{"name":"a"}',
                "setup.py": "",
            }
        )
        == []
    )


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
