"""Indexes of somebody's own: what may come from there is not asked about in public."""

import pytest

from audit.ecosystems.formats import toml_text
from audit.ecosystems.python.indexes import Indexes, indexes
from audit.ecosystems.python.pyproject import read, read_pipfile

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
def test_who_comes_from_there(more, elsewhere):
    """All packages of the file, or those that name it; a public mirror is none of somebody's own."""
    found = read("pyproject.toml", ASKED + more).dependencies

    assert {one.name for one in found if one.purl.endswith(CORP)} == set(elsewhere)
    assert not any("secret" in one.purl for one in found)
    assert [one.purl for one in found if one.name == "e"] == ["pkg:pypi/e"]


def test_a_name_without_an_address():
    """Somebody's own all the same."""
    (one,) = read(
        "pyproject.toml", '[tool.poetry.dependencies]\nd = {version = "^1", source = "My corp!"}\n'
    ).dependencies
    assert one.purl == "pkg:pypi/d?repository_url=my-corp"


def test_a_pipfile():
    """Its sources, and the one that a package names."""
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
    assert [one.purl for one in read_pipfile("Pipfile", content).dependencies] == [f"pkg:pypi/a{CORP}", "pkg:pypi/b"]


@pytest.mark.parametrize(
    "odd", ["", "tool = 7", "[tool]\nuv = 7", "[tool.uv]\nindex = [7]\nextra-index-url = 7", "source = [[]]"]
)
def test_odd_files(odd):
    """Nothing, whatever stands there."""
    assert indexes(toml_text.load(odd)).anywhere == Indexes().anywhere
