"""Own sources that are tagged with another licence than the work's: one finding for each licence."""

import pytest

from audit.facts import Place, Text, Usage
from audit.licenses.expression import read
from audit.scan.assembly import assemble
from audit.scan.file_licenses import FileLicense
from audit.scan.tagged_sources import findings, stated, uses
from audit.scan.walk import walk
from audit.scan.walk_limits import Limits
from tests.audit.scan.test_walk import Memory

APACHE = b'[project]\nname = "w"\nlicense = "Apache-2.0"\n'
AT = Place("REUSE.toml", 7)


def tag(expression):
    """A C source with a tag."""
    return f"/* SPDX-License-Identifier: {expression} */\nint a;\n".encode()


def found(files, manifest=APACHE):
    """The findings of a tree, as `code place`, with what they say."""
    repository = assemble(walk(Memory({"pyproject.toml": manifest, **files}), Limits()), "n", lambda text, _path: text)
    told = (finding for finding in repository.findings if not finding.code.startswith("scope/"))
    return {f"{finding.code} {finding.place.path}:{finding.place.line}": finding.message for finding in told}


def test_another_licence_is_one_finding_at_its_first_file():
    files = {
        "src/b.c": tag("GPL-3.0-only"),
        "src/a.c": b"\n" + tag("GPL-3.0-only"),
        "src/m.h": tag("MPL-2.0"),
        "go/x.go": b"// SPDX-License-Identifier: BUSL-1.1\npackage x\n",
    }
    said = found(files)
    assert list(said) == ["license/source go/x.go:1", "license/source src/a.c:2", "license/source src/m.h:1"]
    assert said["license/source src/a.c:2"] == (
        "2 source files say GPL-3.0-only, which the licence of the work, Apache-2.0, does not name: "
        "if it is somebody else's, list it in the rulebook"
    )


@pytest.mark.parametrize(
    ("expression", "own"),
    [
        ("Apache-2.0", "Apache-2.0"),
        ("GPL-2.0-only OR Apache-2.0", "Apache-2.0"),
        ("GPL-2.0+", "GPL-2.0-only"),
        ("GPL-2.0-only WITH Linux-syscall-note", "Apache-2.0 AND GPL-2.0-only"),
        ("(GPL-2.0-only OR MPL-2.0) AND Apache-2.0", "Apache-2.0 AND MPL-2.0"),
    ],
)
def test_a_tag_that_the_work_s_licence_names_is_no_finding(expression, own):
    assert found({"src/a.c": tag(expression)}, APACHE.replace(b"Apache-2.0", own.encode())) == {}


def test_a_family_of_copyleft_without_a_version_is_a_finding():
    said = b"# Released under the GPL.\n"
    assert list(found({"src/a.py": said})) == ["license/source src/a.py:1"]


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("src/a.py", b"# SPDX-License-Identifier: Foo-9\n"),
        ("a.yml", b"# SPDX-License-Identifier: Apache-2.0 AND Foo-9\n"),
    ],
)
def test_an_unknown_licence_in_a_tag_is_a_finding(path, content):
    (message,) = found({path: content}).values()
    assert " Foo-9 (not a known licence), which the licence of the work, Apache-2.0, does not name" in message


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("Apache-2.0, GPL-3.0-only", "“Apache-2.0, GPL-3.0-only”, which cannot be read as a licence: if"),
        ("Apache-2.0 unless sold", "“Apache-2.0 unless sold”, which cannot be read as a licence: if"),
        ("GPL-2.0, GPL-3.0-or-later", "“GPL-2.0, GPL-3.0-or-later”, which cannot be read as a licence: if"),
        ("NONE", "“NONE”, which names no licence: if"),
    ],
)
def test_a_tag_that_cannot_be_read_is_a_finding_in_any_work(value, reason):
    for own in ("Apache-2.0", "GPL-3.0-only"):
        (message,) = found({"src/a.c": tag(value)}, APACHE.replace(b"Apache-2.0", own.encode())).values()
        assert message.startswith(f"a source file says {reason}")


@pytest.mark.parametrize("path", ["CONTRIBUTING.md", "docs.rst", "CONTRIBUTING", "src/notes.txt"])
def test_prose_that_speaks_of_tags_is_no_finding(path):
    """The line of a list looks like a comment."""
    assert found({path: b"* SPDX-License-Identifier: the licence of the file\n"}) == {}
    assert len(found({"src/CMakeLists.txt": b"# SPDX-License-Identifier: the licence\n"})) == 1


def test_the_licence_of_files_whose_tags_cannot_be_read_is_not_known():
    tree = {"REUSE.toml": b"version = 1\n", "a.c": tag("See COPYING"), "b.c": tag("See COPYING")}
    repository = assemble(walk(Memory(tree), Limits()), "n", lambda text, _path: text)
    assert repository.license.expression == "“See COPYING”"
    assert read(repository.license.expression) is None


def test_an_unknown_licence_by_choice_is_no_finding():
    assert found({"src/a.py": b"# SPDX-License-Identifier: Apache-2.0 OR Foo-9\n"}) == {}


def test_one_part_of_several_being_the_work_s_licence_is_not_enough():
    assert list(found({"src/a.c": tag("Apache-2.0 AND GPL-2.0-only")})) == ["license/source src/a.c:1"]


@pytest.mark.parametrize("path", ["tests/a.c", "docs/a.c", "third_party/x/a.c", "node_modules/x/a.c"])
def test_tagged_fixtures_and_works_by_others_are_no_findings(path):
    assert found({path: tag("GPL-3.0-only")}) == {}


def test_a_vendored_work_s_own_folder_is_no_finding():
    assert found({"deps/x/LICENSE": b"GPL-3.0-only", "deps/x/a.c": tag("GPL-3.0-only")}) == {}


def test_tags_are_not_compared_without_a_licence_of_the_work():
    assert found({"src/a.c": tag("GPL-3.0-only")}, b'[project]\nname = "w"\n') == {}


def crate(expression):
    """A crate of the work."""
    return f'[package]\nname = "c"\nversion = "1.0.0"\nlicense = "{expression}"\n'.encode()


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"core/Cargo.toml": crate("GPL-3.0-only")}, ["license/nested core/Cargo.toml:4"]),
        ({"b/Cargo.toml": crate("GPL-3.0+"), "a/package.json": b'{"license": "GPL-3.0+"}'}, ["license/nested a/package.json:1"]),
        ({"core/Cargo.toml": crate("MIT")}, []),
        ({"setup.cfg": b"[metadata]\nlicense = GPL-3.0-only\n"}, ["license/contradiction setup.cfg:2", "license/nested setup.cfg:2"]),
        ({"core/Cargo.toml": crate("MIT OR GPL-3.0-only")}, []),
        ({"core/Cargo.toml": crate("MIT AND GPL-3.0-only")}, ["license/nested core/Cargo.toml:4"]),
        ({"core/Cargo.toml": crate("BUSL-1.1")}, ["license/nested core/Cargo.toml:4"]),
        ({"core/Cargo.toml": crate("Nobody-1.0")}, []),
        ({"site/package.json": b'{"license": "UNLICENSED"}'}, []),
        ({"core/Cargo.toml": crate("Apache-2.0 WITH LLVM-exception")}, []),
        ({"examples/a/Cargo.toml": crate("GPL-3.0-only"), "third_party/x/Cargo.toml": crate("GPL-3.0-only")}, []),
        ({"a/Cargo.toml": crate("GPL-3.0-only"), "a/LICENSE": b"GPL-3.0-only", "Cargo.toml": b"[workspace]\nmembers = ['a']\n"}, ["license/nested a/LICENSE:None"]),
    ],
)  # fmt: skip
def test_a_part_s_manifest_with_copyleft_is_a_finding(files, expected):
    said = found(files)
    assert list(said) == expected
    assert all("manifest" in value for value in said.values() if "which the licence of the work" in value)


def prose(kind="General", version="2", more="", *, later=True):
    """A header in the words of the GNU licences' notices."""
    option = ", or\n * (at your option) any later version" if later else ""
    return (
        "/* x.c - does x\n *\n * Copyright (C) 2020 Ada\n *\n * This program is free software; you can redistribute it and/or modify\n"
        f" * it under the terms of the GNU {kind} Public License as published by\n * the Free Software Foundation; version {version}"
        f" of the License{option}.\n{more} */\nint x;\n"
    ).encode()


@pytest.mark.parametrize(
    ("source", "own", "expected"),
    [
        (prose(), "Apache-2.0", ["license/source src/a.c:6"]),
        (prose(later=False), "GPL-3.0-only", ["license/source src/a.c:6"]),
        (prose("Lesser General", "2.1"), "MIT", ["license/source src/a.c:6"]),
        (prose("Affero General", "3"), "GPL-3.0-or-later", ["license/source src/a.c:6"]),
        (prose(version="3"), "GPL-2.0-only", ["license/source src/a.c:6"]),
        (prose(), "GPL-3.0-only", []),
        (prose(), "GPL-2.0-only", []),
        (prose("Lesser General", "2.1", later=False), "GPL-2.0-or-later", []),
        (prose(more=" * As a special exception you may link it with anything.\n"), "MIT", ["license/source src/a.c:6"]),
        (prose(more=" * As a special exception you may link it with anything.\n"), "GPL-2.0-only", []),
        (b"/* Copyright 2020 X. Proprietary and confidential. */\nint x;\n", "MIT", ["license/source src/a.c:1"]),
        (b"/* Copyright 2020 X. Proprietary and confidential. */\nint x;\n", "LicenseRef-Closed-Source", []),
        (prose(more=" * Alternatively, it may be used under the MIT licence.\n"), "MIT", []),
        (b"/* The GNU General Public License, version 2, is not for us. */\nint x;\n", "MIT", []),
    ],
)  # fmt: skip
def test_a_gnu_notice_in_words_is_a_finding(source, own, expected):
    assert list(found({"src/a.c": source}, f'[project]\nname = "w"\nlicense = "{own}"\n'.encode())) == expected


def test_notices_that_contradict_the_root_text_are_one_finding():
    files = {"COPYING": b"MIT", "src/a.go": prose().replace(b"int x;", b"package x"), "src/b.c": prose()}
    message = (
        "2 source files say GPL-2.0-or-later, which the licence of the work, MIT, does not name: "
        "if it is somebody else's, list it in the rulebook"
    )
    assert found(files, b'[project]\nname = "w"\n') == {"license/source src/a.go:6": message}


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("app/a.py", b"# SPDX-License-Identifier: GPL-3.0-only\n"),
        ("web/a.js", b"/*\n * SPDX-License-Identifier: GPL-3.0-only\n */\n"),
        ("src/A.java", b"/* Distributed under the GNU GPL v3. */\nclass A {}\n"),
        ("a.sh", b"#!/bin/sh\n# SPDX-License-Identifier: GPL-3.0-only\n"),
        ("a.html", b"<!DOCTYPE html>\n<!-- SPDX-License-Identifier: GPL-3.0-only -->\n"),
        ("Makefile", b"# SPDX-License-Identifier: GPL-3.0-only\nall:\n"),
        ("setup.py", b"# SPDX-License-Identifier: GPL-3.0-only\n"),
        ("README.md", b"<!-- SPDX-License-Identifier: GPL-3.0-only -->\n"),
        ("a.rs", b"x = 1\n// SPDX-SnippetBegin\n// SPDX-License-Identifier: GPL-3.0-only\n// SPDX-SnippetEnd\n"),
    ],
)
def test_text_files_of_every_language_are_looked_at(path, source):
    assert [line.partition(":")[0] for line in found({path: source})] == [f"license/source {path}"]


MIT_TEXT = (
    b"// Copyright (c) 2020 %s\n//\n// Permission is hereby granted, free of charge, to any person obtaining a copy of it\n"
    b"// without limitation.\n\nint a;\n"
)


def test_permissive_files_of_others_are_one_finding_for_each_licence():
    files = {
        "a.c": tag("BSD-3-Clause"), "b.py": b"# SPDX-License-Identifier: BSD-3-Clause\n", "c.py": b"# SPDX-License-Identifier: CC0-1.0\n",
        "d.py": b"# SPDX-License-Identifier: GPL-2.0-only OR MIT\n",
    }  # fmt: skip
    assert found(files) == {
        "license/attribution a.c:1": "2 source files say BSD-3-Clause, which the licence of the work, Apache-2.0, does not name: "
        "if it is somebody else's, keep its notices with the work",
        "license/attribution d.py:1": "a source file says GPL-2.0-only OR MIT, which the licence of the work, Apache-2.0, does not name: "
        "if it is somebody else's, keep its notices with the work",
    }


@pytest.mark.parametrize(
    "path", ["gradlew", "gradlew.bat", "android/gradlew", "a/b/gradlew.bat", "mvnw", "mvnw.cmd", "tools/ltmain.sh"]
)  # fmt: skip
@pytest.mark.parametrize("by_reuse", [False, True])
def test_a_script_that_a_tool_of_the_build_writes_into_every_work_is_no_finding(path, by_reuse):
    said = (
        f'[[annotations]]\npath = "{path}"\nprecedence = "override"\nSPDX-License-Identifier = "Apache-2.0"\n'.encode()
    )
    files = {"REUSE.toml": b"version = 1\n" + said} if by_reuse else {}
    manifest = APACHE.replace(b"Apache-2.0", b"MIT")
    assert found({path: b"#!/bin/sh\n# SPDX-License-Identifier: Apache-2.0\n", **files}, manifest) == {}
    own = f"{path.rpartition('/')[0] or 'x'}/own.sh"
    assert len(found({own: b"#!/bin/sh\n# SPDX-License-Identifier: Apache-2.0\n"}, manifest)) == 1


def test_each_different_text_in_a_head_is_compared_once():
    asked = []

    def detect(text, path):
        asked.append(path)
        return "MIT" if "Permission" in text else text

    tree = {"pyproject.toml": APACHE, "a.c": MIT_TEXT % b"Ada", "b.c": MIT_TEXT % b"Grace"}
    repository = assemble(walk(Memory(tree), Limits()), "n", detect)
    assert [f"{finding.code} {finding.place}" for finding in repository.findings] == ["license/attribution a.c:3"]
    assert asked.count("a.c") + asked.count("b.c") == 1
    asked.clear()
    tree["pyproject.toml"] = APACHE.replace(b"Apache-2.0", b"MIT")
    assert assemble(walk(Memory(tree), Limits()), "n", detect).findings == ()
    assert asked == []


def test_a_file_is_compared_with_the_nearest_licence_above():
    files = {
        "Cargo.toml": b"[workspace]\nmembers = ['a']\n", "a/Cargo.toml": crate("GPL-3.0-only"), "a/src/x.rs": b"// SPDX-License-Identifier: GPL-3.0-only\n",
        "a/src/y.rs": b"// SPDX-License-Identifier: MPL-2.0\n",
    }  # fmt: skip
    said = found(files)
    assert set(said) == {"license/nested a/Cargo.toml:4", "license/source a/src/y.rs:1"}
    assert "their folder a, GPL-3.0-only" in said["license/source a/src/y.rs:1"]


def test_a_sidecar_is_the_place_and_data_are_a_use_instead():
    files = {
        "w/m.bin": b"x",
        "w/m.bin.license": b"SPDX-License-Identifier: CC-BY-NC-4.0\n",
        "x.js": b"1",
        "x.js.license": b"SPDX-License-Identifier: GPL-3.0-only\n",
    }
    said = found(files)
    assert set(said) == {"license/source x.js.license:1"}
    assert said["license/source x.js.license:1"].startswith("x.js is said to be under GPL-3.0-only, which")


@pytest.mark.parametrize(
    ("content", "told"),
    [(b"# SPDX-License-Identifier: LicenseRef-Ours\n", "license/source a.py:1"), (b"# SPDX-License-Identifier: CC-BY-NC-4.0\n", "license/source a.py:1")],
)  # fmt: skip
def test_an_own_licence_reference_is_no_permissive_licence(content, told):
    assert list(found({"a.py": content})) == [told]


def of(*paths, said="CC-BY-NC-4.0", own=False):
    """Statements about files."""
    return [FileLicense(path, AT, read(said), own=own) for path in paths]


def test_files_of_one_statement_are_one_use_named_after_their_folder():
    texts = [Text("LICENSES/CC-BY-NC-4.0.txt", "x", "00"), Text("LICENSES/MIT.txt", "y", "01")]
    (dependency,) = uses(of("weights/a.bin", "weights/b/c.bin"), read("MIT"), lambda _path: True, texts, {})
    assert (dependency.name, dependency.purl, dependency.usage.value, dependency.license.expression, dependency.license.place) == (
        "weights", "pkg:generic/weights", "data-or-doc", "CC-BY-NC-4.0", AT,
    )  # fmt: skip
    assert (dependency.why, dependency.licenses) == ("2 files that REUSE.toml puts under this licence", (texts[0],))
    assert [str(place) for place in dependency.places] == ["weights/a.bin", "weights/b/c.bin"]


def test_a_single_annotated_file_is_named_by_its_path():
    (dependency,) = uses(of("weights/a.bin"), read("MIT"), lambda _path: True, [], {})
    assert (dependency.name, dependency.why) == ("weights/a.bin", "a file that REUSE.toml puts under this licence")


def test_files_without_a_common_folder_are_named_by_their_licence():
    (dependency,) = uses(of("a.bin", "weights/b.bin"), read("MIT"), lambda _path: True, [], {})
    assert (dependency.name, dependency.purl) == ("files under CC-BY-NC-4.0", "pkg:generic/files-under-cc-by-nc-4.0")


@pytest.mark.parametrize(
    ("found", "own"),
    [
        (of("a.py"), "MIT"),
        (of("a.bin", own=True), "MIT"),
        (of("docs/a.png"), "MIT"),
        (of("a.png", said="CC0-1.0"), "GPL-3.0-only"),
        (of("a.png", said="MIT"), "Apache-2.0"),
        (of("a.bin", said="GPL-3.0-or-later"), "GPL-3.0-or-later"),
        (of("theirs/a.bin"), "MIT"),
        ([FileLicense("a.bin", AT, None, own=False)], "MIT"),
    ],
)
def test_code_documentation_and_permissive_files_are_no_uses(found, own):
    assert uses(found, read(own), lambda path: not path.startswith("theirs"), [], {}) == []


@pytest.mark.parametrize("said", ["CC-BY-SA-4.0", "LicenseRef-Mine", "OFL-1.1", "GPL-3.0-only"])
def test_copyleft_restricted_and_unknown_terms_are_uses(said):
    assert [
        dependency.license.expression
        for dependency in uses(of("a.bin", said=said), read("MIT"), lambda _path: True, [], {})
    ] == [said]


def test_weights_count_anywhere_and_data_have_their_own_usage():
    kinds = {"tests/a.pt": Usage.MODEL_WEIGHTS, "theirs/b.pt": Usage.MODEL_WEIGHTS, "w.csv": Usage.TRAINING_DATA}
    found = of("tests/a.pt", "theirs/b.pt", said="Apache-2.0") + of("w.csv", "tests/w.csv")
    listed = uses(found, read("MIT"), lambda path: not path.startswith("theirs"), [], kinds)
    assert [(dependency.name, dependency.usage.value, dependency.why) for dependency in listed] == [
        ("theirs/b.pt", "model-weights", "a file of weights that REUSE.toml puts under this licence"),
        ("tests/a.pt", "test-only", "a file of weights that REUSE.toml puts under this licence, in tests"),
        ("w.csv", "training-data", "a file that REUSE.toml puts under this licence"),
    ]
    assert uses(found[:2], read("Apache-2.0"), lambda _path: True, [], kinds) == []


def test_data_are_uses_even_if_the_work_s_licence_is_unknown():
    assert len(uses(of("a.bin"), None, lambda _path: True, [], {})) == 1


def test_notices_that_are_too_many_to_be_compared_are_told(monkeypatch):
    monkeypatch.setattr("audit.scan.tagged_sources.MAX_COMPARED_HEADERS", 1)
    notice = "/* Redistribution and use in source and binary forms, with or without modification, are permitted {} */\n"
    files = {f"src/{name}.c": notice.format(name * 9).encode() for name in "abc"}
    said = found(files)["license/remark src/b.c:None"]
    assert said == "2 files have licence notices that were not compared: no more than 1 different ones are"


DEBIAN = "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n\nFiles: *\nCopyright: X\nLicense: {}\n\nFiles: debian/*\nCopyright: Y\nLicense: GPL-2+\n\nFiles: lib/a.c debian/b\nCopyright: Z\nLicense: {}\n\nLicense: GPL-3+\n text\n"


@pytest.mark.parametrize(
    ("whole", "part", "said"),
    [
        ("GPL-3+", "AGPL-3", ["AGPL-3.0-only", "GPL-3.0-or-later"]), ("Expat", "BSD-3-clause", []), ("Expat", "GPL-2+ or MIT", []),
        ("public-domain", "custom-terms see above", []), ("Expat", "LGPL-2.1+", ["LGPL-2.1-or-later"]),
    ],
)  # fmt: skip
def test_a_copyright_file_of_debian_states_licences_of_the_work(whole, part, said):
    text = Text("debian/copyright", DEBIAN.format(whole, part), "x")
    found = findings(stated({}, [text]), read("MIT"), lambda _folder: True)
    assert [finding.message.split(" says ")[1].partition(",")[0] for finding in found] == said
    assert all((finding.code, finding.place.path) == ("license/nested", "debian/copyright") for finding in found)
    assert (
        list(stated({}, [Text("debian/copyright", "It is under the GPL-3+.", "y"), Text("a/LICENSE", text.text, "z")]))
        == []
    )
