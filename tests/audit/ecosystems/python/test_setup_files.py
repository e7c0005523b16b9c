"""setup.cfg, and setup.py by its text alone."""

import pytest

from audit import ecosystems
from tests.audit.ecosystems.brief import dependency_lines

CFG = """[metadata]
name = My_App
license = MIT
[options]
install_requires =
    a==1.0
    # a comment
    b>=2 # why
    (broken
tests_require = pytest
[options.extras_require]
speed = c
docs =
  sphinx
"""
PY = '''"""name = "not-this" """
from setuptools import setup
needed = ["a==1.0", 'b']  # install_requires=["no"]
setup(
    name="app", license="LGPL-2.1-or-later",
    install_requires=needed,
    setup_requires=(["wheel"] if "bdist_wheel" in sys.argv else []),
    tests_require=[f"x{y}", "pytest"],
)
'''


def test_dependencies_of_a_setup_cfg_are_read_from_indented_or_single_lines():
    assert dependency_lines("setup.cfg", CFG) == [
        "pkg:pypi/a@1.0 runtime-import direct :6",
        "pkg:pypi/b runtime-import direct :8",
        "pkg:pypi/pytest test-only direct :10",
        "pkg:pypi/c runtime-import direct optional :12",
        "pkg:pypi/sphinx dev-tool direct optional :14",
        "! dependency/unreadable :9",
    ]
    assert ecosystems.read("setup.cfg", CFG).license.expression == "MIT"
    assert ecosystems.read("setup.cfg", CFG).own == {"my-app"}


def test_literal_lists_of_a_setup_py_are_read():
    assert dependency_lines("setup.py", PY) == [
        "pkg:pypi/a@1.0 runtime-import direct :3",
        "pkg:pypi/b runtime-import direct :3",
        "pkg:pypi/wheel build-tool direct :7",
        "pkg:pypi/pytest test-only direct :8",
    ]
    assert ecosystems.read("setup.py", PY).license.expression == "LGPL-2.1-or-later"
    assert ecosystems.read("setup.py", PY).own == {"app"}


def test_extras_of_a_setup_py_are_read_by_their_names():
    content = 'setup(name="app", extras_require={"socks": ["PySocks>=1.5"], "test": ("a",), "all": more, "dev": ["b"] + more})\n'

    assert dependency_lines("setup.py", content) == [
        "pkg:pypi/pysocks runtime-import direct optional :1",
        "pkg:pypi/a test-only direct optional :1",
        "pkg:pypi/b dev-tool direct optional :1",
    ]


@pytest.mark.parametrize("what", ["needed()", "needed", "open('requirements.txt').read().split()"])
def test_a_computed_list_of_a_setup_py_is_a_finding(what):
    assert dependency_lines("setup.py", f"setup(\n    install_requires={what},\n)\n") == ["! file/unsupported :2"]


@pytest.mark.parametrize("what", ["[]", "None", "()", "['a']"])
def test_a_literal_list_of_a_setup_py_is_no_finding(what):
    assert not ecosystems.read("setup.py", f"setup(install_requires={what})").findings
