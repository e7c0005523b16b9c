"""environment.yml and explicit lists: exact versions, channels, what pip adds, archives."""

import pytest

from audit import ecosystems
from tests.audit.ecosystems.brief import dependency_lines, origins

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


def test_environment():
    """`=1.2` is a range; a channel counts where it is the only one, or stands with the package."""
    assert dependency_lines("environment.yml", ENVIRONMENT) == [
        "pkg:conda/python?channel=conda-forge runtime-import direct :6",
        "pkg:conda/numpy@1.26.4?channel=conda-forge runtime-import direct :7",
        "pkg:conda/pandas@2.2.2?channel=conda-forge runtime-import direct :8",
        "pkg:conda/samtools@1.20?channel=bioconda runtime-import direct :9",
        "pkg:conda/pip?channel=conda-forge runtime-import direct :11",
        "pkg:pypi/requests@2.32.3 runtime-import direct :13",
    ]
    [other] = ecosystems.read("a/environment.yml", ENVIRONMENT).includes
    assert (other.path, other.place.line) == ("a/more.txt", 14)


@pytest.mark.parametrize(
    ("path", "usage"),
    [("environment-dev.yml", "dev-tool"), ("environment_test.yml", "test-only"), ("environment.yaml", "runtime-import")],
)  # fmt: skip
def test_names_of_files(path, usage):
    """A file that is named after tools names tools."""
    assert dependency_lines(path, "dependencies: [a, {pip: [b]}]") == [f"pkg:conda/a {usage} direct"]


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("a=1.2", "pkg:conda/a"), ("a=1.2=*", "pkg:conda/a"), ("a>=1.2", "pkg:conda/a"), ("a==1.2=b0", "pkg:conda/a@1.2"),
        ("A 1.2", "pkg:conda/a@1.2"), ("x::a", "pkg:conda/a?channel=x"), ("a[version='1.2']", "pkg:conda/a"),
        ("https://c.corp.example/x::a", "pkg:conda/a?channel=x&repository_url=c.corp.example"),
    ],
)  # fmt: skip
def test_specifications(spec, expected):
    """As Conda's documentation writes them; of several channels nobody says which one it is."""
    [one] = ecosystems.read("environment.yml", f'channels: [x, y]\ndependencies:\n - "{spec}"\n').dependencies
    assert one.purl == expected


EXPLICIT = """# platform: linux-64
@EXPLICIT
https://conda.anaconda.org/conda-forge/linux-64/numpy-1.26.4-py312h_0.conda#aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
https://repo.anaconda.com/pkgs/main/noarch/tzdata-2024a-h04d1e81_0.conda
"""


def test_explicit():
    """Archives with channels and checksums; a list without the mark is none of Conda's."""
    assert origins({"conda-linux-64.lock": EXPLICIT}) == [
        "pkg:conda/numpy@1.26.4?channel=conda-forge from https://conda.anaconda.org/conda-forge/linux-64/numpy-1.26.4-py312h_0.conda MD5:aaaaaaaa",
        "pkg:conda/tzdata@2024a?channel=main from https://repo.anaconda.com/pkgs/main/noarch/tzdata-2024a-h04d1e81_0.conda",
    ]
    assert dependency_lines("explicit.txt", EXPLICIT.replace("@EXPLICIT", "")) == []


@pytest.mark.parametrize(("content", "expected"), [
    ("name: x\n", []), ("dependencies: 7\n", ["! file/broken :1"]), ("a: &a [x]\ndependencies: *a", ["! file/refused :2"]), ("", ["! file/broken :1"]),
])  # fmt: skip
def test_shapes(content, expected):
    """An environment without packages is fine; aliases are refused."""
    assert dependency_lines("environment.yml", content) == expected


@pytest.mark.parametrize(
    ("name", "expected"), [("tea-dev", "dev-tool"), ("docs", "dev-tool"), ("tea", "runtime-import")]
)
def test_names_of_environments(name, expected):
    """What an environment is called says what it is for."""
    assert dependency_lines("environment.yml", f"name: {name}\ndependencies:\n - a\n")[0].split()[1] == expected
