"""What sources say themselves that they need."""

import pytest

from audit.scan.script_needs import ending, names, read


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"#!/usr/bin/python3.12", ".py"), (b"#!/usr/bin/env -S uv run --script", ".py"), (b"#! /usr/bin/env pypy3", ".py"), (b"#!/usr/bin/env node", ".js"),
        (b"#!/usr/bin/env -S deno run", ".ts"), (b"#!/usr/bin/Rscript --vanilla", ".R"), (b"#!/bin/sh", ""), (b"#!/bin/bash\npython", ""), (b"python", ""), (b"", ""),
    ],
)  # fmt: skip
def test_the_first_line_tells_the_language(line, said):
    assert ending(line + b"\nimport x\n") == said


@pytest.mark.parametrize(
    ("language", "content", "said"),
    [
        ("JavaScript", b"import a from \"npm:a@1\"; export * from 'jsr:@s/b@^1/c'; 'npm:d'", {"a", "@s/b"}),
        ("JavaScript", b"import a from 'https://deno.land/x/oak@v12/mod.ts'; import('https://esm.sh/@s/b@1'); fetch('https://x.example/c@1')", {"oak", "@s/b"}),
        ("JavaScript", b"run('npm:start'); // from npm: x", set()), ("Java", b"//DEPS a.b:c:1 d:e\n@Grab(group='f.g', module='h')", {"a.b:c", "f.g"}),
        ("Scala", b"import $ivy.`a.b::c:1`\n", {"a.b"}), ("Ruby", b"require 'bundler/inline'\ngem 'a'\n  gem(\"b\", '1')", {"a", "b"}),
        ("Ruby", b"gem 'a'", set()), ("Elixir", b"Mix.install([:a, :b])", {"a"}), ("Rust", b"// ---cargo\n", set()), ("Rust", b"#!/usr/bin/env cargo\n---\n[dependencies]\n---\n", {"---"}), ("Cobol", b"npm:a", set()),
    ],
)  # fmt: skip
def test_the_names_behind_a_languages_words(language, content, said):
    assert names(language, content) == said


@pytest.mark.parametrize(
    ("path", "content", "said"),
    [
        ("a.py", "import x", None), ("a.py", "!pip install x", None), ("a.ipynb", "{}", None), ("a.ipynb", '"we install it"', None),
        ("a.ipynb", '["!pip install -U a b==1\\n%pip install c", "%pip install a"]', ["a", "b", "c"]), ("a.ipynb", '"!python -m pip install a"', ["a"]),
    ],
)  # fmt: skip
def test_a_notebooks_commands_are_read(path, content, said):
    found = read(path, content)
    assert (None if found is None else [dependency.name for dependency in found.dependencies]) == said


@pytest.mark.parametrize(
    ("command", "codes"),
    [("!conda install -y gsl", ["file/unsupported"]), ("%mamba install gsl", ["file/unsupported"]), ("!uv pip install gsl", [])],
)  # fmt: skip
def test_another_installer_is_told(command, codes):
    found = read("a.ipynb", f'["{command}"]')
    assert found is not None
    assert [finding.code for finding in found.findings] == codes
    assert bool(found.dependencies) is not bool(codes)
