"""pyproject.toml and Pipfile: every table that names dependencies, with its line."""

import pytest

from audit import ecosystems
from audit.ecosystems.formats import toml_text
from audit.ecosystems.python.pyproject import Indexes, indexes, read, read_pipfile
from tests.audit.ecosystems.brief import dependency_lines

STANDARD = """[build-system]
requires = ["hatchling>=1"]
[project]
name = "My.App"
license = "MIT"
dependencies = [
  "b==2.0",  # why
  "c>=1; python_version<'3.9'",
]
optional-dependencies.speed = ["d"]
optional-dependencies.test = ["pytest"]
[dependency-groups]
dev = ["b==2.0", {include-group = "docs"}]
docs = ["sphinx"]
"""
TOOLS = """[tool.poetry]
name = "app"
license = "BSD-3-Clause"
[tool.poetry.dependencies]
python = "^3.11"
a = "^1.0"
b = {version = "1.2.3", optional = true}
c = {git = "https://github.com/o/c.git", tag = "v1"}
d = {path = "d"}
e = [{version = "1.0", python = "<3"}, {version = "2.0"}]
[tool.poetry.group.test.dependencies]
pytest = "*"
[tool.poetry.group.extra.dependencies]
x = "*"
[tool.pdm.dev-dependencies]
lint = ["ruff"]
[tool.uv]
dev-dependencies = ["tox"]
[tool.hatch.envs.default]
dependencies = ["coverage"]
"""


def test_the_standard_tables_give_dependencies_with_their_lines():
    """PEP 518, 621 and 735 define the tables."""
    assert dependency_lines("pyproject.toml", STANDARD) == [
        "pkg:pypi/b@2.0 runtime-import direct :7",
        "pkg:pypi/c runtime-import direct :8",
        "pkg:pypi/d runtime-import direct optional :10",
        "pkg:pypi/pytest test-only direct optional :11",
        "pkg:pypi/b@2.0 dev-tool direct :13",
        "pkg:pypi/sphinx dev-tool direct :14",
        "pkg:pypi/hatchling build-tool direct :2",
    ]


def test_the_tables_of_poetry_pdm_uv_and_hatch_give_dependencies():
    assert dependency_lines("pyproject.toml", TOOLS) == [
        "pkg:pypi/a runtime-import direct :6",
        "pkg:pypi/b@1.2.3 runtime-import direct optional :7",
        "pkg:github/o/c@v1 runtime-import direct :8",
        "pkg:pypi/e@1.0 runtime-import direct :10",
        "pkg:pypi/e@2.0 runtime-import direct :10",
        "pkg:pypi/pytest test-only direct :12",
        "pkg:pypi/x dev-tool direct :14",
        "pkg:pypi/ruff dev-tool direct :16",
        "pkg:pypi/tox dev-tool direct :18",
        "pkg:pypi/coverage dev-tool direct :20",
    ]


@pytest.mark.parametrize(("content", "spdx", "line"), [(STANDARD, "MIT", 5), (TOOLS, "BSD-3-Clause", 3)])
def test_the_project_s_own_licence_is_read_with_its_line(content, spdx, line):
    license_of = ecosystems.read("pyproject.toml", content).license

    assert (license_of.expression, license_of.place.line) == (spdx, line)


def test_the_project_is_no_dependency_and_setuptools_files_are_included():
    read = ecosystems.read(
        "a/pyproject.toml", '[project]\nname="My.App"\n[tool.setuptools.dynamic]\ndependencies={file=["r.in"]}'
    )

    assert read.own == {"my-app"}
    assert [(include.path, include.place.line) for include in read.includes] == [("a/r.in", 4)]


def test_all_categories_of_a_pipfile_give_dependencies():
    content = '[packages]\na = "*"\n[dev-packages]\nb = {version = "==1.0"}\n[gui]\nc = "*"\n[docs]\nd = "*"\n'
    settings = '[requires]\npython_version = "3.9"\n[scripts]\nx = "y"\n[pipenv]\nallow_prereleases = true\n'
    assert dependency_lines("Pipfile", content + settings) == [
        "pkg:pypi/a runtime-import direct :2",
        "pkg:pypi/b@1.0 dev-tool direct :4",
        "pkg:pypi/c runtime-import direct :6",
        "pkg:pypi/d dev-tool direct :8",
    ]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("[project", ["! file/broken :1"]),
        ("a = " + "[" * 5000, ["! file/refused"]),
        ("a." * 60 + "b = 1", ["! file/refused"]),
        ("project = 1\ntool = []\ndependency-groups = 'x'", ["! file/broken :1", "! file/broken :3"]),
        ("[project]\ndependencies = [1, {}, '((']", ["! dependency/unreadable :2", "! file/broken :2"]),
        ("[project]\ndependencies = 'a'\noptional-dependencies = [1]", ["! file/broken :2", "! file/broken :3"]),
    ],
)
def test_bad_input_is_a_finding_or_nothing(content, expected):
    assert dependency_lines("pyproject.toml", content) == expected


@pytest.mark.parametrize(
    ("classifiers", "expected"),
    [
        (["License :: OSI Approved :: MIT License", "Topic :: Utilities"], "MIT"),
        (["License :: OSI Approved :: MIT License", "License :: OSI Approved :: Apache Software License"], None),
        (["License :: Other/Proprietary License"], None),
        ([7], None),
    ],
)
def test_a_licence_classifier_counts_where_no_licence_is_stated(classifiers, expected):
    content = f'[project]\nname = "x"\nclassifiers = {classifiers}\n'
    assert ecosystems.read("pyproject.toml", content).license.expression == expected
    stated = ecosystems.read("pyproject.toml", f'{content}license = "ISC"\n')
    assert stated.license.expression == "ISC"


@pytest.mark.parametrize(
    ("backend", "more", "lines"),
    [
        ("hatchling.build", "", [2]), ("mesonpy", "", [2]), ("setuptools.build_meta", "", []),
        ("mesonpy", "[tool.setuptools.dynamic]\ndependencies = {file = ['r.txt']}\n", []),
        ("poetry.core.masonry.api", "[tool.poetry.dependencies]\na = '*'\n", []), ("poetry.core.masonry.api", "", [2]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("key", ["dependencies", "optional-dependencies"])
def test_dependencies_that_a_program_computes_are_a_finding(backend, more, lines, key):
    more = more.replace(
        "dependencies = {file = ['r.txt']}", f"{key}{'.x' if 'optional' in key else ''} = {{file = ['r.txt']}}"
    )
    content = (
        f'[project]\ndynamic = ["version", "{key}"]\n[build-system]\nrequires = []\nbuild-backend = "{backend}"\n{more}'
    )
    found = [
        finding.place.line
        for finding in ecosystems.read("pyproject.toml", content).findings
        if finding.code == "file/unsupported"
    ]
    assert found == lines


ASKED = """[project]
dependencies = ["a>=1", "b"]
[tool.poetry.dependencies]
c = "^1"
d = {version = "^1", source = "corp"}
e = {version = "^1", source = "PyPI"}
"""
CORP = "?repository_url=pypi.corp.example"


@pytest.mark.parametrize(
    ("more", "elsewhere"),
    [
        ("", ""),
        ('[[tool.poetry.source]]\nname = "corp"\nurl = "https://u:secret@pypi.corp.example/simple"\n', "abcd"),
        ('[[tool.poetry.source]]\nname = "corp"\nurl = "https://pypi.corp.example/simple"\npriority = "explicit"\n', "d"),
        ('[[tool.uv.index]]\nname = "corp"\nurl = "https://pypi.corp.example/simple"\n', "abcd"),
        ('[[tool.uv.index]]\nname = "corp"\nurl = "https://pypi.corp.example/simple"\nexplicit = true\n[tool.uv.sources]\nB = {index = "corp"}\n', "bd"),
        ('[tool.uv]\nextra-index-url = ["https://pypi.corp.example/simple"]\n', "abc"),
        ('[[tool.pdm.source]]\nname = "corp"\nurl = "https://pypi.corp.example/simple"\n', "abcd"),
        ('[[tool.poetry.source]]\nname = "mirror"\nurl = "https://mirrors.aliyun.com/pypi/simple"\n', ""),
    ],
)  # fmt: skip
def test_packages_of_a_private_index_are_named_with_it(more, elsewhere):
    found = read("pyproject.toml", ASKED + more).dependencies

    assert {dependency.name for dependency in found if dependency.purl.endswith(CORP)} == set(elsewhere)
    assert not any("secret" in dependency.purl for dependency in found)
    assert [dependency.purl for dependency in found if dependency.name == "e"] == ["pkg:pypi/e"]


def test_a_private_source_without_an_address_is_named_by_its_name():
    (dependency,) = read(
        "pyproject.toml", '[tool.poetry.dependencies]\nd = {version = "^1", source = "My corp!"}\n'
    ).dependencies
    assert dependency.purl == "pkg:pypi/d?repository_url=my-corp"


def test_a_pipfile_s_sources_are_those_of_its_packages():
    content = """[[source]]
name = "pypi"
url = "https://pypi.org/simple"
[[source]]
name = "corp"
url = "https://pypi.corp.example/simple"
[packages]
a = "*"
b = {version = "*", index = "pypi"}
"""
    assert [dependency.purl for dependency in read_pipfile("Pipfile", content).dependencies] == [
        f"pkg:pypi/a{CORP}",
        "pkg:pypi/b",
    ]


@pytest.mark.parametrize(
    "odd", ["", "tool = 7", "[tool]\nuv = 7", "[tool.uv]\nindex = [7]\nextra-index-url = 7", "source = [[]]"]
)
def test_odd_tables_give_no_index(odd):
    assert indexes(toml_text.load(odd)).anywhere == Indexes().anywhere


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ("[dependency-groups]\nprod = [{include-group = 'Gui_X'}]\ngui-x = ['a']\n", "runtime-import"),
        (
            "[dependency-groups]\nprod = [{include-group = 'b'}]\nb = [{include-group = 'c'}]\nc = ['a']\n",
            "runtime-import",
        ),
        ("[dependency-groups]\ntest = [{include-group = 'b'}]\nb = ['a', {include-group = 'test'}]\n", "test-only"),
        ("[dependency-groups]\nlint = [{include-group = 'none'}]\ngui = ['a']\n", "dev-tool"),
        ("[tool.flit.metadata]\nrequires = ['a']\n", "runtime-import"),
        ("[tool.flit.metadata]\ndev-requires = ['a']\n", "dev-tool"),
        ("[tool.flit.metadata.requires-extra]\ntest = ['a']\n", "test-only"),
        ("[tool.rye]\ndev-dependencies = ['a']\n", "dev-tool"),
        ("[tool.poetry.requires-plugins]\na = '*'\n", "build-tool"),
        ("[tool.hatch.build.hooks.custom]\ndependencies = ['a']\n", "build-tool"),
        ("[tool.hatch.build.targets.wheel]\ndependencies = ['a']\n", "build-tool"),
        ("[tool.hatch.build.targets.wheel.hooks.custom]\ndependencies = ['a']\n", "build-tool"),
    ],
)
def test_each_table_of_packages_gives_their_usage(table, expected):
    read = ecosystems.read("pyproject.toml", table)

    assert [(dependency.name, dependency.usage.value) for dependency in read.dependencies] == [("a", expected)]
    assert not read.findings


def test_every_source_of_a_package_counts():
    content = """[tool.poetry.dependencies]
a = [{version = "1.0", python = "<3.8"}, {git = "https://github.com/o/a.git", python = ">=3.8"}]
"""
    assert [dependency.purl for dependency in read("pyproject.toml", content).dependencies] == [
        "pkg:pypi/a@1.0",
        "pkg:github/o/a",
    ]


@pytest.mark.parametrize(
    ("sources", "expected"),
    [
        ("{git = 'https://github.com/o/a'}", ["github/o/a"]),
        ("{git = 'https://github.com/o/a', marker = 'x'}", ["github/o/a", "pypi/a"]),
        (
            "[{index = 'corp', marker = 'x'}, {git = 'https://github.com/o/a'}]",
            ["pypi/a?repository_url=corp", "github/o/a"],
        ),
        ("[{git = 'https://github.com/o/a', extra = 'x'}]", ["github/o/a", "pypi/a"]),
        ("{workspace = true}", ["pypi/a"]),
    ],
)
def test_every_source_of_uv_counts_and_the_usual_one_where_all_have_conditions(sources, expected):
    content = f"[project]\ndependencies = ['a']\n[tool.uv.sources]\na = {sources}\n"
    assert [
        dependency.purl.removeprefix("pkg:") for dependency in read("pyproject.toml", content).dependencies
    ] == expected


def test_files_of_optional_dependencies_are_included():
    content = "[project]\ndynamic = ['optional-dependencies']\n[tool.setuptools.dynamic]\noptional-dependencies = {gui = {file = ['../gui.txt']}}\n"
    assert [include.path for include in read("a/pyproject.toml", content).includes] == ["gui.txt"]


@pytest.mark.parametrize(
    ("table", "lines"),
    [
        ("[tool.briefcase.app.x]\nrequires = ['a']\n", [2]),
        ("[tool.other.dependencies]\na = '1'\n", [1]),
        ("[tool.tox]\nrequires = ['tox>=4']\n", []),
        ("[tool.cibuildwheel]\ntest-requires = ['pytest']\n[tool.ruff]\nline-length = 88\n", []),
        ("[tool.other]\nrequires = []\ndependencies = true\n", []),
    ],
)
def test_packages_of_a_tool_that_is_not_read_are_a_finding(table, lines):
    found = ecosystems.read("pyproject.toml", table).findings
    assert [(finding.code, finding.place.line) for finding in found] == [("file/unsupported", line) for line in lines]


def test_a_folder_of_the_repository_in_a_list_is_no_package():
    content = "[tool.pdm.dev-dependencies]\ndev = ['-e file:///${PROJECT_ROOT}/sub#egg=sub', '-e .', './x', '-e git+https://github.com/o/a@v1#egg=a']\n"
    assert dependency_lines("pyproject.toml", content) == ["pkg:github/o/a@v1 dev-tool direct :2"]
