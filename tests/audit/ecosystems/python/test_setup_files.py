"""setup.cfg, and setup.py by its syntax alone."""

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
        "pkg:pypi/pytest test-only direct :8",
        "pkg:pypi/wheel build-tool direct :7",
        "! file/unsupported :8",
    ]
    assert ecosystems.read("setup.py", PY).license.expression == "LGPL-2.1-or-later"
    assert ecosystems.read("setup.py", PY).own == {"app"}


def test_extras_of_a_setup_py_are_read_by_their_names():
    content = 'setup(name="app", extras_require={"socks": ["PySocks>=1.5"], "test": ("a",), "all": more, "dev": ["b"] + more})\n'

    assert dependency_lines("setup.py", content) == [
        "pkg:pypi/pysocks runtime-import direct optional :1",
        "pkg:pypi/a test-only direct optional :1",
        "pkg:pypi/b dev-tool direct optional :1",
        "! file/unsupported :1",
    ]


@pytest.mark.parametrize(
    "what",
    [
        "needed()", "needed", "open('requirements.txt').read().split()", "[line.strip() for line in open('deps.txt')]",
        "[*open('deps.txt').read().split()]", "parse('deps.txt', session='x')", "self.needed", "[name + '>=1' for name in []]",
    ],
)  # fmt: skip
def test_a_computed_list_of_a_setup_py_is_a_finding(what):
    assert dependency_lines("setup.py", f"setup(\n    install_requires={what},\n)\n") == ["! file/unsupported :2"]


@pytest.mark.parametrize("what", ["[]", "None", "()", "['a']"])
def test_a_literal_list_of_a_setup_py_is_no_finding(what):
    assert not ecosystems.read("setup.py", f"setup(install_requires={what})").findings


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("R = ['a']\nR.append('b')\nR += ['c']\nR.extend(('d',))\nsetup(install_requires=R)", "acbd"),
        ("R = ['a']\nsetup(install_requires=R + ['b'])", "ab"),
        ("setup(install_requires=['a'] + read('deps.txt'))", "a!"),
        ("R = ['a']\nR.append(name)\nsetup(install_requires=R)", "a!"),
        ("R = ['a']\nfill(R)\nsetup(install_requires=R)", "a!"),
        ("R = ['a'] * 2\nsetup(install_requires=R)", "!"),
        ("R = [line.strip() for line in open('deps.txt')]\nsetup(install_requires=R)", "!"),
        ("R = []\nfor line in open('deps.txt'):\n    R.append(line)\nsetup(install_requires=R)", "!"),
        ("kw = {'install_requires': ['a']}\nsetup(**kw)", "a"),
        ("kw = dict(name='x')\nkw['install_requires'] = ['a']\nsetup(**kw)", "a"),
        ("setup(**load())", "!"),
        ("kw = {}\nkw.update(load())\nsetuptools.setup(**kw)", "!"),
        ("kw = {}\nkw[name] = ['a']\nsetup(**kw)", "!"),
        ("E = {'gui': ['a']}\nsetup(install_requires=['b'], extras_require=E)", "ba"),
        ("setup(extras_require=load('extras.txt'))", "!"),
        ("setup(extras_require={'gui': ['a'], **more})", "a!"),
        ("E = {}\nE['gui'] = ['a']\nE['all'] = sum(E.values(), [])\nsetup(extras_require=E)", "a"),
        ("setup(install_requires=[f'a>={LEAST}', 'b==%s' % VERSION, 'c[x]==' + VERSION])", "abc"),
        ("setup(install_requires='\\n a\\n # why\\n b # why')", "ab"),
        (
            "class Extra:\n    names = ['z']\nsetup(name='x', ext_modules=cythonize(all_of_them), cmdclass=COMMANDS)",
            "",
        ),
        ("print 'x'\nsetup(install_requires=['a'])", "!"),
        ("print 'x'\nsetup(name='x')", ""),
    ],
)
def test_a_setup_py_gives_what_it_spells_out_and_says_what_it_computes(program, expected):
    read = ecosystems.read("setup.py", program)
    unread = {finding.code for finding in read.findings}

    assert "".join(dependency.name for dependency in read.dependencies) + "!" * len(unread) == expected
    assert unread <= {"file/unsupported"}


def test_words_of_a_setup_py_that_are_no_requirement_are_a_finding():
    assert dependency_lines("setup.py", "setup(install_requires=['(('])") == ["! dependency/unreadable :1"]


def test_a_version_that_a_setup_py_computes_is_not_known():
    (dependency,) = ecosystems.read("setup.py", "setup(install_requires=[f'a=={VERSION}'])").dependencies
    assert (dependency.version, dependency.version_range) == (None, "")


@pytest.mark.parametrize(
    ("content", "paths"),
    [
        ("[options]\ninstall_requires = file: base.in, deps.txt\n", ["a/base.in", "a/deps.txt"]),
        ("[options]\ninstall_requires =\n  file:\n  ../deps.txt\n  # why\n  more.txt\n", ["deps.txt", "a/more.txt"]),
        ("[options.extras_require]\ngui = file: gui.txt\n", ["a/gui.txt"]),
        ("[metadata]\nlong_description = file: README.md\n", []),
    ],
)
def test_files_that_a_setup_cfg_names_are_read_with_it(content, paths):
    read = ecosystems.read("a/setup.cfg", content)

    assert [include.path for include in read.includes] == paths
    assert not read.dependencies
    assert not read.findings


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("[options]\ninstall-requires = a\n", "runtime-import direct"),
        ("[metadata]\nrequires-dist =\n  a (>=1)\n", "runtime-import direct"),
        ("[extras]\ngui =\n  a:python_version=='3.9'\n", "runtime-import direct optional"),
    ],
)
def test_older_keys_of_a_setup_cfg_and_those_of_pbr_are_read(content, expected):
    (line,) = dependency_lines("setup.cfg", content)
    assert line.rpartition(" :")[0] == f"pkg:pypi/a {expected}"
