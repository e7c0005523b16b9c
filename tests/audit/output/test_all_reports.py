"""All files of an audit, each where it belongs."""

import json
from datetime import date, timedelta
from pathlib import PurePosixPath

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audit.facts import Usage
from audit.licenses.osadl import shipped
from audit.output.all_reports import each, register
from audit.output.audit_run import build
from audit.output.spdx_validation import faults as spdx_faults
from audit.scan import checkout
from audit.texts import detector
from audit.verdict.policy import Policy
from audit.verdict.repository_verdict import Judge
from bot.spreadsheet import escape
from tests.audit.output import schemas
from tests.audit.runs import ALL, AT, audited, organisation, used

EACH = {
    "NOTICE", "THIRD-PARTY-LICENSES", "sbom.spdx.json", "bom.cdx.json", "dependency-licenses.json", "dependencies.csv",
    "licenses.sarif",
}  # fmt: skip
TOP = {"LICENSE-COMPATIBILITY.md", "report.json", "report.html"}


def files(audited, at=AT):
    """All files of an audit by their paths."""
    return dict(each(build(audited, at), escape))


def test_an_audit_has_three_files_on_top_and_seven_for_each_repository():
    assert set(files(organisation())) == TOP | {
        f"org/{name}/{file}" for name in ("work", "free", "empty") for file in EACH
    }


@pytest.mark.parametrize("name", ["json", "html", "sarif", "text", "../x", "", "Ä"])
def test_a_format_with_a_taken_or_invalid_name_is_refused(name):
    with pytest.raises(ValueError, match=r"exists already|must be called by 1 to 40"):
        register(name, str)


def test_reports_of_two_moments_differ_in_one_line_each():
    later = files(tuple(reversed(organisation())), AT + timedelta(days=1))

    for path, content in files(organisation()).items():
        different = [
            line for line, other in zip(content.splitlines(), later[path].splitlines(), strict=True) if line != other
        ]
        assert len(different) <= 1, path
        assert all(b"2026-11-22T01:02:03Z" in line for line in different)


@pytest.mark.parametrize(
    "names",
    [
        ["../../etc", "/etc", "..", ".", "", "a/../b", ".git", "a\\b", "a b", "é"],
        ["org/a", "org/A", "ORG/a"],
        ["report.json", "org", "org/NOTICE", "org/con", "x/nul.txt"],
        ["a" * 300, "a" * 301, "x\x00y", "\ud83d"],
        ["same", "same", "same"],
    ],
)
def test_each_repository_has_a_folder_of_its_own_below_the_audit_s(names):
    found = files([audited(name=name) for name in names])
    paths = [path.casefold() for path in found]

    assert len(found) == len(names) * len(EACH) + 3
    assert len(paths) == len(set(paths))
    assert not {parent.as_posix() for path in paths for parent in PurePosixPath(path).parents} & set(paths)
    for path in found:
        assert not path.startswith("/")
        assert not {"..", ".", "", ".git"} & set(path.split("/"))
        assert path.isascii()


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(st.permutations(ALL), st.text(max_size=20))
def test_the_same_input_gives_the_same_bytes_in_any_order(order, word):
    strange = used(word, word, Usage.BUNDLED, version=word, why=word)

    assert files([audited(*order, strange)]) == files([audited(strange, *ALL)])


QUOTED = "q\"u\\o't`e<b>&{0}\n\x1b[31m"
LONG = "n" * 3_000
PROJECTS = {
    "npm, with rings and strange names": {
        "package.json": json.dumps({"name": "a", "author": "Ada <ada@example.org>", "license": "MIT", "dependencies": {"ring": "1.0.0"}, "devDependencies": {"tool": "1.0.0", QUOTED: "^1", "未来": "*"}}),
        "package-lock.json": json.dumps({"name": "a", "lockfileVersion": 3, "packages": {
            "": {"name": "a", "dependencies": {"ring": "1.0.0"}, "devDependencies": {"tool": "1.0.0"}},
            "node_modules/ring": {"version": "1.0.0", "license": "Apache 2.0", "dependencies": {"back": "1.0.0"}},
            "node_modules/back": {"version": "1.0.0", "license": "SEE LICENSE IN x", "dependencies": {"ring": "1.0.0"}},
            "node_modules/tool": {"dev": True, "license": "GPL-3.0-only WITH No-such-exception"},
            "node_modules/far": {"version": "1.0.0", "dev": True, "license": ["MIT", 7], "resolved": "https://user:secret@npm.example.com:81/f.tgz?token=s"},
            "node_modules/x/node_modules/far": {"version": "2.0.0", "dev": True, "license": "LicenseRef-own AND (BSD OR MIT)"},
        }}),
        "LICENSE": "MIT",
    },
    "Python, with long and quoted names": {
        "pyproject.toml": f'[project]\nname = "a"\nlicense = "Apache-2.0 WITH LLVM-exception"\nauthors = [{{name = "中文"}}]\ndependencies = ["flask==3.0.0", "{"p" * 300}>=1", "b @ https://x.example/b.zip"]\n[build-system]\nrequires = ["hatchling"]\n',
        "requirements-dev.txt": "pytest==8.0.0\nnot a requirement at all!\n-e ./gone\n",
    },
    "Go": {"go.mod": "module example.org/a\n\ngo 1.21\n\nrequire (\n\tgithub.com/o/b v1.0.0\n\tgolang.org/x/sys v0.1.0 // indirect\n)\n", "main.go": 'package main\nimport _ "github.com/o/b"\n'},
    "C and C++": {"CMakeLists.txt": "project(a)\nfind_package(OpenSSL)\ntarget_link_libraries(a OpenSSL::SSL readline)\n", "conanfile.txt": "[requires]\nzlib/1.3\nfmt/[>9 <11]\n", "third_party/z z/LICENSE": "Be kind.", "third_party/z z/z.c": "int z;\n"},
    "Cargo": {
        "Cargo.toml": '[package]\nname = "a"\nversion = "1.0.0"\nlicense = "MIT/Apache-2.0"\nauthors = ["Ada"]\n[dependencies]\nb = "1"\n[dev-dependencies]\nc = "1"\n',
        "Cargo.lock": 'version = 3\n[[package]]\nname = "a"\nversion = "1.0.0"\ndependencies = ["b", "c"]\n[[package]]\nname = "b"\nversion = "1.0.0"\ndependencies = ["c"]\nsource = "registry+https://github.com/rust-lang/crates.io-index"\n[[package]]\nname = "c"\nversion = "1.0.0"\ndependencies = ["b"]\nsource = "registry+https://github.com/rust-lang/crates.io-index"\n',
    },
    "Maven, two licences": {"pom.xml": f"<project><groupId>g</groupId><artifactId>{LONG}</artifactId><licenses><license><name>Apache-2.0</name></license><license><name>GNU Lesser General Public License v2.1 only</name></license></licenses><organization><name>Example &amp; Sons</name></organization><dependencies><dependency><groupId>o</groupId><artifactId>${{x}}</artifactId></dependency><dependency><groupId>o</groupId><artifactId>y</artifactId><version>1</version><scope>test</scope></dependency></dependencies></project>"},
    "broken files": {"package-lock.json": "{", "Cargo.lock": "[[", "pom.xml": "<a", "a\nb/package.json": '{"dependencies": {"x": "1.0.0"}}'},
    "nothing": {"README": "empty"},
}  # fmt: skip
"""Trees that differ in all that a document may trip over: names, versions, licences, places, graphs."""


def audit_of(name, folder):
    """One of them as it is audited, below a name that does not say whose it is."""
    for path, content in PROJECTS[name].items():
        place = folder / name / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(content)
    detect = detector.Detector(detector.DetectionCache(), 1_000)
    repository = checkout.scan(folder / name, name=name, detect=detect.license)
    return Judge(Policy(), shipped(), date(2026, 11, 22)).audited(repository)


@pytest.mark.parametrize("name", PROJECTS)
def test_documents_of_whole_projects_are_valid_and_complete(name, tmp_path):
    found = files([audit_of(name, tmp_path)])
    place = next(path.rpartition("/")[0] for path in found if path.endswith("/bom.cdx.json"))
    document = found[f"{place}/sbom.spdx.json"].decode()
    checker = schemas.ntia(document)
    unknown = [package["name"] for package in json.loads(document)["packages"] if package["supplier"] == "NOASSERTION"]

    assert [] == schemas.faults(schemas.cyclonedx(), found[f"{place}/bom.cdx.json"].decode())
    assert [] == schemas.faults(schemas.sarif(), found[f"{place}/licenses.sarif"].decode())
    assert () == spdx_faults(document)
    assert [] == checker.validation_messages == checker.parsing_errors
    assert checker.floating_component_ids == set()
    assert not checker.has_unknown_pointers
    assert sorted(name for name, _ in checker.components_without_suppliers) == sorted(unknown)
    assert checker.compliant is not bool(unknown)


def test_suppliers_of_whole_projects_are_named_or_said_to_be_unknown(tmp_path):
    unknown = {}
    for name in PROJECTS:
        found = files([audit_of(name, tmp_path)])
        document = json.loads(next(data for path, data in found.items() if path.endswith("sbom.spdx.json")))
        unknown[name] = [package["name"] for package in document["packages"] if package["supplier"] == "NOASSERTION"]

    assert [name for name in PROJECTS if not unknown[name]] == [
        "npm, with rings and strange names", "Python, with long and quoted names", "Cargo", "Maven, two licences",
    ]  # fmt: skip
    assert set(unknown["C and C++"]) >= {"C and C++", "readline"}
    assert unknown["nothing"] == ["nothing"]
