"""Conda: environments, explicit lists, lock files, and addresses of archives."""

import pytest

from audit import ecosystems
from audit.ecosystems.conda import of_address, purl
from tests.audit.ecosystems.brief import dependency_lines, merged, origins

ENVIRONMENT = """name: shop
channels:
  - conda-forge
  - nodefaults
dependencies:
  - python=3.12
  - numpy==1.26.4  # exact
  - "pandas=2.2.2=py312_0"
  - bioconda::samtools 1.20
  - https://x.example/y.conda
  - pip
  - pip:
      - requests==2.32.3
      - -r more.txt
"""


def test_an_environment_gives_packages_with_ranges_and_channels():
    assert dependency_lines("environment.yml", ENVIRONMENT) == [
        "pkg:conda/python?channel=conda-forge runtime-import direct :6",
        "pkg:conda/numpy@1.26.4?channel=conda-forge runtime-import direct :7",
        "pkg:conda/pandas@2.2.2?channel=conda-forge runtime-import direct :8",
        "pkg:conda/samtools@1.20?channel=bioconda runtime-import direct :9",
        "pkg:conda/pip?channel=conda-forge runtime-import direct :11",
        "pkg:pypi/requests@2.32.3 runtime-import direct :13",
        "! dependency/unreadable :10",
    ]
    [other] = ecosystems.read("a/environment.yml", ENVIRONMENT).includes
    assert (other.path, other.place.line) == ("a/more.txt", 14)


@pytest.mark.parametrize(
    ("path", "usage"),
    [("environment-dev.yml", "dev-tool"), ("environment_test.yml", "test-only"), ("environment.yaml", "runtime-import")],
)  # fmt: skip
def test_a_file_named_after_tools_names_tools(path, usage):
    assert dependency_lines(path, "dependencies: [a, {pip: [b]}]") == [
        f"pkg:conda/a {usage} direct",
        f"pkg:pypi/b {usage} direct",
    ]


@pytest.mark.parametrize(
    ("pip", "expected"),
    [
        ("[a, b]", "ab"), ("\n  - |\n    a\n    b\n", "ab"), ("\n  - 'a; python_version<\"3\"'\n", "a"), ("\n  - &x a\n", "a"), ("\n  - a # why\n", "a"),
    ],
)  # fmt: skip
def test_every_requirement_of_pip_is_read_however_it_is_written(pip, expected):
    found = ecosystems.read("environment.yml", f"dependencies:\n- pip: {pip}\n")
    assert "".join(dependency.name for dependency in found.dependencies) == expected
    assert not found.findings


def test_an_archive_in_an_environment_is_its_package_and_other_words_are_a_finding():
    content = "dependencies:\n- https://conda.anaconda.org/conda-forge/noarch/tzdata-2024a-h0c530f3_0.conda\n- ./a.conda\n- '{{ a }}'\n"
    assert dependency_lines("environment.yml", content) == [
        "pkg:conda/tzdata@2024a?channel=conda-forge runtime-import direct :2",
        "! dependency/unreadable :3",
        "! dependency/unreadable :4",
    ]


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("a=1.2", "pkg:conda/a"), ("a=1.2=*", "pkg:conda/a"), ("a>=1.2", "pkg:conda/a"), ("a==1.2=b0", "pkg:conda/a@1.2"),
        ("A 1.2", "pkg:conda/a@1.2"), ("x::a", "pkg:conda/a?channel=x"), ("a[version='1.2']", "pkg:conda/a"),
        ("https://c.corp.example/x::a", "pkg:conda/a?channel=x&repository_url=c.corp.example"),
    ],
)  # fmt: skip
def test_specifications_are_read_as_conda_documents_them(spec, expected):
    [dependency] = ecosystems.read("environment.yml", f'channels: [x, y]\ndependencies:\n - "{spec}"\n').dependencies
    assert dependency.purl == expected


EXPLICIT = """# platform: linux-64
@EXPLICIT
https://conda.anaconda.org/conda-forge/linux-64/numpy-1.26.4-py312h_0.conda#aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
https://repo.anaconda.com/pkgs/main/noarch/tzdata-2024a-h04d1e81_0.conda
"""


def test_an_explicit_list_gives_archives_with_channels_and_checksums():
    assert origins({"conda-linux-64.lock": EXPLICIT}) == [
        "pkg:conda/numpy@1.26.4?channel=conda-forge from https://conda.anaconda.org/conda-forge/linux-64/numpy-1.26.4-py312h_0.conda MD5:aaaaaaaa",
        "pkg:conda/tzdata@2024a?channel=main from https://repo.anaconda.com/pkgs/main/noarch/tzdata-2024a-h04d1e81_0.conda",
    ]
    assert dependency_lines("explicit.txt", EXPLICIT.replace("@EXPLICIT", "")) == []


@pytest.mark.parametrize(("content", "expected"), [
    ("name: x\n", []), ("dependencies: 7\n", ["! file/broken :1"]), ("a: &a [x]\ndependencies: *a", ["! file/refused :2"]), ("", ["! file/broken :1"]),
])  # fmt: skip
def test_an_environment_without_packages_is_empty_and_aliases_are_refused(content, expected):
    assert dependency_lines("environment.yml", content) == expected


@pytest.mark.parametrize(
    ("name", "expected"), [("tea-dev", "dev-tool"), ("docs", "dev-tool"), ("tea", "runtime-import")]
)
def test_an_environment_named_after_tools_holds_tools(name, expected):
    assert dependency_lines("environment.yml", f"name: {name}\ndependencies:\n - a\n")[0].split()[1] == expected


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("https://conda.anaconda.org/conda-forge/linux-64/ld_impl_linux-64-2.40-h41732ed_0.conda", ("conda-forge", "ld_impl_linux-64", "2.40")),
        ("https://repo.anaconda.com/pkgs/main/noarch/tzdata-2024a-h04d1e81_0.tar.bz2", ("main", "tzdata", "2024a")),
        ("https://user:pw@conda.corp.example/x/noarch/a-1-0.conda#aa", ("", "a", "1")),
        ("https://conda.anaconda.org/conda-forge/noarch/repodata.json", None),
        ("https://conda.anaconda.org/a-1.conda", None),
        ("file:///a-1-0.conda", None),
        ("", None),
    ],
)  # fmt: skip
def test_an_archive_s_address_gives_channel_name_and_version(address, expected):
    found = of_address(address)
    assert (found and (found.channel, found.name, found.version)) == expected
    assert not found or "pw" not in found.address


def test_a_package_url_has_the_channel_and_a_private_host():
    assert purl("a", "1", "conda-forge") == "pkg:conda/a@1?channel=conda-forge"
    assert purl("a", "1", "defaults") == "pkg:conda/a@1"
    assert purl("a", "1", "x y") == "pkg:conda/a@1"
    assert purl("a", "1", "x", "https://c.corp.example/x") == "pkg:conda/a@1?channel=x&repository_url=c.corp.example"


BASE = "https://conda.anaconda.org/conda-forge"
LOCK = f"""version: 1
metadata:
  platforms: [linux-64, osx-64]
package:
- name: bzip2
  version: 1.0.8
  manager: conda
  platform: linux-64
  dependencies: {{libgcc-ng: '>=12'}}
  url: {BASE}/linux-64/bzip2-1.0.8-hd590300_5.conda
  hash: {{md5: x, sha256: {"a" * 64}}}
  category: main
  optional: false
- name: bzip2
  version: 1.0.8
  manager: conda
  platform: osx-64
  dependencies: {{}}
  url: {BASE}/osx-64/bzip2-1.0.8-h10d778d_5.conda
  hash: {{sha256: {"b" * 64}}}
  category: main
- name: libgcc-ng
  version: 13.2.0
  manager: conda
  platform: linux-64
  url: {BASE}/linux-64/libgcc-ng-13.2.0-h807b86a_5.conda
  hash: {{sha256: {"c" * 64}}}
  category: main
- name: pytest
  version: 8.2.0
  manager: pip
  platform: linux-64
  url: https://files.pythonhosted.org/packages/aa/pytest-8.2.0-py3-none-any.whl
  hash: {{sha256: {"d" * 64}}}
  category: test
"""
PIXI = f"""version: 6
environments:
  default:
    channels: [{{url: {BASE}/}}]
    packages:
      linux-64:
      - conda: {BASE}/noarch/click-8.1.7-unix_pyh707e725_0.conda
      - pypi: ./
  lint:
    packages:
      linux-64:
      - conda: {BASE}/linux-64/ruff-0.4.4-py312_0.conda
      - pypi: https://files.pythonhosted.org/packages/bb/mypy-1.10.0-py3-none-any.whl
packages:
- conda: {BASE}/noarch/click-8.1.7-unix_pyh707e725_0.conda
  sha256: {"a" * 64}
  depends: [__unix, python >=3.8]
  license: BSD-3-Clause
- conda: {BASE}/linux-64/ruff-0.4.4-py312_0.conda
  license: MIT AND PSF-2.0
- pypi: https://files.pythonhosted.org/packages/bb/mypy-1.10.0-py3-none-any.whl
  name: mypy
  version: 1.10.0
- pypi: ./
  name: shop
  version: 0.1.0
"""
FIVE = f"""version: 5
environments:
  default:
    packages:
      linux-64: [{{conda: {BASE}/noarch/click-8.1.7-unix_pyh707e725_0.conda}}]
packages:
- kind: conda
  name: click
  version: 8.1.7
  url: {BASE}/noarch/click-8.1.7-unix_pyh707e725_0.conda
  license: BSD-3-Clause
"""


def test_a_conda_lock_gives_each_package_once_for_all_platforms():
    assert merged({"conda-lock.yml": LOCK}) == [
        "pkg:conda/bzip2@1.0.8?channel=conda-forge runtime-import :5",
        "pkg:conda/libgcc-ng@13.2.0?channel=conda-forge runtime-import :22",
        "pkg:pypi/pytest@8.2.0 test-only :29",
    ]


def test_a_package_with_several_archives_has_no_archive():
    assert origins({"conda-lock.yml": LOCK})[:2] == [
        "pkg:conda/bzip2@1.0.8?channel=conda-forge brings pkg:conda/libgcc-ng@13.2.0?channel=conda-forge",
        f"pkg:conda/libgcc-ng@13.2.0?channel=conda-forge from {BASE}/linux-64/libgcc-ng-13.2.0-h807b86a_5.conda SHA256:cccccccc",
    ]


def test_a_pixi_lock_gives_packages_by_environment_with_their_licences():
    assert dependency_lines("pixi.lock", PIXI) == [
        "pkg:conda/click@8.1.7?channel=conda-forge runtime-import :15 BSD-3-Clause",
        "pkg:conda/ruff@0.4.4?channel=conda-forge dev-tool :19 MIT AND PSF-2.0",
        "pkg:pypi/mypy@1.10.0 dev-tool :21",
    ]
    assert dependency_lines("pixi.lock", FIVE) == [
        "pkg:conda/click@8.1.7?channel=conda-forge runtime-import :7 BSD-3-Clause"
    ]


@pytest.mark.parametrize(("path", "content", "expected"), [
    ("conda-lock.yml", "version: 1\npackage: []\n", []), ("conda-lock.yml", "version: 1\n", ["! file/broken :1"]),
    ("dev.conda-lock.yml", "package: 7\n", ["! file/broken :1"]), ("pixi.lock", "version: 6\nenvironments: {}\npackages: []\n", []),
    ("pixi.lock", "version: 6\n", ["! file/broken :1"]), ("pixi.lock", "- a\n", ["! file/broken :1"]),
])  # fmt: skip
def test_a_lock_without_packages_is_empty_and_another_shape_a_finding(path, content, expected):
    assert dependency_lines(path, content) == expected
