"""Claims for contributors hold: each Python that is supported, examples in docstrings, fragments of the changelog."""

import doctest
import importlib
import re
import tomllib

import pytest
import yaml

from tests.test_layout import PRODUCT, ROOT, modules

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
WITH_EXAMPLES = [path for path in modules(*PRODUCT) if "    >>> " in path.read_text(encoding="utf-8")]


@pytest.mark.parametrize("path", WITH_EXAMPLES, ids=str)
def test_examples_in_docstrings_hold(path):
    module = importlib.import_module(".".join(path.with_suffix("").parts[-len(path.parts) :]))
    found = doctest.testmod(module)
    assert found.attempted > 0
    assert found.failed == 0


def test_each_supported_python_is_in_the_matrix():
    said = re.findall(r"Python :: (3\.\d+)", " ".join(PROJECT["project"]["classifiers"]))
    matrix = re.search(r"PYTHONS = \((.*?)\)", (ROOT / "noxfile.py").read_text())[1]
    assert re.findall(r"3\.\d+", matrix) == said
    assert PROJECT["project"]["requires-python"] == f">={said[0]},<3.{int(said[-1].removeprefix('3.')) + 1}"


def test_each_fragment_of_the_changelog_has_name_kind_and_text():
    kinds = {kind["directory"] for kind in PROJECT["tool"]["towncrier"]["type"]}
    folder = ROOT / PROJECT["tool"]["towncrier"]["directory"]
    named = [file for file in folder.iterdir() if file.name != "README.md"]
    assert [] == [file.name for file in named if file.suffixes[-2:] not in [[f".{kind}", ".md"] for kind in kinds]]
    assert [] == [file.name for file in named if not file.read_text(encoding="utf-8").strip()]
    assert PROJECT["tool"]["towncrier"]["start_string"].strip() in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_commit_hooks_are_the_checks_of_ci():
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"][0]["hooks"]
    makefile = (ROOT / "Makefile").read_text()
    for hook in hooks:
        tool = hook["entry"].removeprefix(".venv/bin/").split(" --")[0]
        assert f"$(BIN)/{tool}" in makefile, tool
