"""One table of readers: every file name finds its own, and no text makes a reader fail."""

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audit import ecosystems
from audit.ecosystems.dependency_merge import DependencyFile, merge

PATHS = [pattern.replace("*", "x") for pattern, _, _ in ecosystems.FILE_READERS]
PIECES = [
    *"{}[]()\"'\\:,=@/#%&*$\n\r\t \x00é\ud800-",
    "  ", "    ", "==", "//", "${a}", "\\ud800", "null", "1", '"a"', '"""', "-r x.txt\n", "a==1 \\\n", "; python_version<'3'",
    '"name": "a"', '"version": 1', '"dependencies": {', '"packages": [', '"components": [', '"licenses": [{', "[[package]]\n",
    'name = "x"\n', "[project]\n", 'dependencies = ["a>=1"]\n', "[tool.poetry.dependencies]\n", "require (\n", "module x\n", "a v1\n",
    "<project>", "</project>", "<dependency>", "<groupId>${groupId}</groupId>", "<properties><a>${a}</a>", "FROM a AS b\n",
    "RUN apt-get install -y b\n", "find_package(A", "FetchContent_Declare(x GIT_REPOSITORY ", "add_library(x STATIC IMPORTED)",
    "#include <linux/slab.h>\n", "MODULE_LICENSE(", 'bazel_dep(name = "a"', "git+https://x/y.git@1", "npm:", "libs.a", "implementation ",
    '"x:y:z"', "__metadata:\n", "importers:\n", "&a ", "*a", "!!python/object:os ", '[submodule "x"]\n', "url = ../x\n",
    "SPDXVersion: SPDX-2.3\n", "PackageName: x\n", '{"spdxVersion": "SPDX-2.3",', '{"bomFormat": "CycloneDX",', "dependency(", "[requires]\n",
    'gem "a"', "group :test do\n", "end\n", "GEM\n", "  specs:\n", "    a (1.0)\n", "      b (~> 1)\n", "  a!\n", "add_dependency ", "s.license = ",
    "%{", '"a": {:hex, :a, "1.0.0", ', "defp deps do\n[", '{:a, "~> 1.0", ', "only: :test", "}", "]", '.package(url: "https://github.com/a/b"',
    ".testTarget(", '<PackageReference Include="a" Version="$(a)" />', "<ItemGroup>", "<a>$(a)</a>", "packages:\n", "  a: {dependency: transitive}\n",
    '"pins": [{"location": "https://github.com/a/b"}', '"net8.0": {"a": {"type": "Direct"}}',
]  # fmt: skip


@pytest.mark.parametrize(
    ("path", "family"),
    [
        ("a/b/package.json", "npm"),
        ("dev-requirements.txt", "requirements"),
        ("requirements/base.in", "requirements"),
        ("requirements/run.lock", "requirements"),
        ("base.in", ""),
        (".github/workflows/ci.yml", "pipeline"),
        ("x/.github/workflows/ci.yml", ""),
        ("workflows/ci.yml", ""),
        ("build/app.Dockerfile", "image"),
        ("Dockerfile.dev", "image"),
        ("deploy/Containerfile.dockerignore", ""),
        ("cmake/FindX.cmake", "native"),
        ("sbom.spdx.json", "sbom"),
        ("x.spdx.json.txt", ""),
        ("src/x.c", "linux"),
        ("vendor/modules.txt", "go"),
        ("modules.txt", ""),
        ("subprojects/x.wrap", "native"),
        ("a/Requirements.txt", "requirements"),
        ("a/dockerfile", "image"),
        ("dockerfile.md", ""),
        ("Packages.config", "dotnet"),
        ("Directory.build.props", "dotnet"),
        ("System-Requirements.txt", ""),
        ("Package.json", ""),
        ("", ""),
        ("x" * 5000, ""),
        ("makefile.py", ""),
        ("Makefile.am", "make"),
        ("makefile.unix", "make"),
    ],
)
def test_the_end_of_a_path_decides_its_family(path, family):
    assert ecosystems.family(path) == family


def test_every_row_of_the_table_is_reached():
    assert [ecosystems.row(path) for path in PATHS] == list(range(len(ecosystems.FILE_READERS)))


@pytest.mark.parametrize(
    ("patterns", "family", "said"),
    [
        ("x.lock package.json", "new", r"package\.json is read already, by the family npm"),
        ("our-requirements.txt", "new", r"our-requirements\.txt is read already, by the family requirements"),
        ("*.yml", "new", r"\*\.yml is read already, by the family conda"),
        ("x.lock", "npm", "the family npm exists already"),
        (" ", "new", "no file is named"),
    ],
)
def test_a_pattern_that_is_read_already_cannot_be_registered(patterns, family, said):
    before = [*ecosystems.FILE_READERS]
    with pytest.raises(ValueError, match=f"^{said}$"):
        ecosystems.register([(patterns, family, lambda _path, _content: ecosystems.ParsedFile())])
    assert before == ecosystems.FILE_READERS
    assert ecosystems.row("x.lock") is None


@pytest.mark.slow
@settings(max_examples=600)
@given(st.sampled_from(PATHS), st.lists(st.sampled_from(PIECES), max_size=25).map("".join))
def test_no_text_makes_a_reader_fail(path, content):
    read = ecosystems.read(path, content)

    for dependency in merge([DependencyFile(path, ecosystems.family(path), read)])[0]:
        f"{dependency} {read.findings}".encode()
        assert dependency.why


@pytest.mark.slow
@settings(max_examples=300)
@given(st.sampled_from(PATHS), st.text(max_size=60))
def test_any_text_is_read(path, content):
    read = ecosystems.read(path, content)

    assert {dependency.places[0].path for dependency in read.dependencies} | {
        finding.place.path for finding in read.findings
    } <= {path}
    lines = [dependency.places[0].line for dependency in read.dependencies] + [
        finding.place.line for finding in read.findings
    ]
    assert all(line is None or 1 <= line <= content.count("\n") + 1 for line in lines)


@pytest.mark.slow
def test_long_files_are_read_in_time():
    assert len(ecosystems.read("go.sum", "a v1 h1:0=\n" * 1_000_000).dependencies) == 1
    assert ecosystems.read("package.json", '{"a": "' + "x" * 900_000).findings[0].code == "file/broken"


def lock_of(count):
    """A package-lock.json of so many entries."""
    entries = {
        f"node_modules/p{n}": {"version": f"1.0.{n}", "license": "MIT", "dependencies": {f"p{n + 1}": "*"}}
        for n in range(count)
    }
    return json.dumps({"lockfileVersion": 3, "packages": {"": {"dependencies": {"p0": "*"}}, **entries}}, indent=2)


def test_two_thousand_entries_are_read_with_their_lines():
    found = ecosystems.read("package-lock.json", lock_of(2_000)).dependencies

    assert len(found) == 2_000
    assert found[-1].places[0].line == 10 + 7 * 1_999 - 1


@pytest.mark.parametrize(("path", "is_read"), [("build.gradle", False), ("a/CMakeLists.txt", False), ("go.sum", True)])
def test_a_file_written_by_people_has_a_limit_of_lines_and_a_lock_file_has_none(path, is_read):
    findings = ecosystems.read(path, "\n" * 1_000_001).findings
    assert [finding.code for finding in findings] == ([] if is_read else ["file/too-large"])


BROKEN = {
    "json": ['{"name": "a", "packages": {"": {', '{"a":' * 50_000, "[" * 50_000, "[]", "null", '{"packages": 7, "components": 7}', f"[{'9' * 5_000}]"],
    "toml": ['[[package]]\nname = "a', "a = " + "[" * 50_000, "a" + ".a" * 50_000 + " = 1", "a = 99999-99-99\n", f"a = {'9' * 5_000}"],
    "yaml": ["importers:\n  .: {spec", "[" * 20_000, "a: &a [1]\nb: [*a, *a]\n", "!!python/object/apply:os.system [x]\n", "\ta: b\n"],
    "xml": ["<project><dependencies>", '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', '<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>', "<a>" * 50_000],
}  # fmt: skip
NOTATIONS = {
    "json": ["package.json", "package-lock.json", "npm-shrinkwrap.json", "Pipfile.lock", "vcpkg.json", "conan.lock", "x.spdx.json", "x.cdx.json", "composer.json", "composer.lock", "packages.lock.json", "dotnet-tools.json", "Package.resolved"],
    "toml": ["pyproject.toml", "Pipfile", "poetry.lock", "uv.lock", "pdm.lock", "pylock.toml", "Cargo.toml", "Cargo.lock", "libs.versions.toml"],
    "yaml": ["pnpm-lock.yaml", "pubspec.yaml", "pubspec.lock", "environment.yml", "environment.yaml", "environment-x.yml", "environment-x.yaml", "environment_x.yml", "conda-lock.yml", "x.conda-lock.yml", "pixi.lock"],
    "xml": ["pom.xml", "x.csproj", "x.fsproj", "x.vbproj", "Directory.Build.props", "Directory.Build.targets", "Directory.Packages.props", "packages.config"],
}  # fmt: skip
LINES = {
    (reader, path.rpartition(".")[2]): path
    for path, (_, _, reader) in zip(PATHS, ecosystems.FILE_READERS, strict=True)
    if path not in {name for paths in NOTATIONS.values() for name in paths}
}
"""A path for each reader of lines and ending of a name."""


@pytest.mark.parametrize(
    ("notation", "path"), [(notation, path) for notation, paths in NOTATIONS.items() for path in paths]
)
def test_broken_truncated_and_deep_files_are_findings_in_time(notation, path):
    for content in BROKEN[notation]:
        start = time.process_time()
        found = ecosystems.read(path, content)
        assert time.process_time() - start < 20
        if path in {
            "package.json",
            "vcpkg.json",
            "pyproject.toml",
            "composer.json",
            "dotnet-tools.json",
        } and content.startswith('{"packages": 7'):
            continue  # other keys than theirs: nothing is wrong with it
        assert [finding.place.path for finding in found.findings] == [path], content[:40]
        assert {finding.code for finding in found.findings} <= {"file/broken", "file/refused"}


@pytest.mark.parametrize("path", LINES.values())
def test_files_of_lines_are_read_in_time_with_any_content(path):
    for piece in ("(", '"', "[", "{", "\\\n", "\n", "a", "-r x\n", "if((", "\0", "\ufffd"):
        start = time.process_time()
        ecosystems.read(path, piece * (20_000 // len(piece)))
        assert time.process_time() - start < 20
