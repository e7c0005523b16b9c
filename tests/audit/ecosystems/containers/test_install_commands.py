"""Install commands: system packages and those of languages, options and variables left out."""

import pytest

from audit import ecosystems
from audit.ecosystems.containers.install_commands import packages
from audit.facts import Place, Usage
from tests.audit.ecosystems.brief import brief, dependency_lines

CASES = {
    "apt-get update && apt-get install -y --no-install-recommends curl=7.88 libfoo-dev:amd64": [
        "pkg:deb/debian/curl@7.88",
        "pkg:deb/debian/libfoo-dev",
    ],
    "sudo apt install -t bookworm-backports git ./x.deb $EXTRA": ["pkg:deb/debian/git"],
    "apk add --no-cache --virtual .build gcc~=12 musl-dev": ["pkg:apk/alpine/gcc", "pkg:apk/alpine/musl-dev"],
    "apt-get install -y x264/bookworm-backports -f b:arm64 ./c/d.deb e/f.deb": [
        "pkg:deb/debian/x264",
        "pkg:deb/debian/b",
    ],
    'apk add x@edge "y>1" z=1.2-r0 "w<=2" v@t=3': [
        "pkg:apk/alpine/x",
        "pkg:apk/alpine/y",
        "pkg:apk/alpine/z@1.2-r0",
        "pkg:apk/alpine/w",
        "pkg:apk/alpine/v@3",
    ],
    "pip install -f https://x.org/a -e git+https://github.com/o/g@v1#egg=g -e . -e .[dev]": ["pkg:github/o/g@v1"],
    "npm install -f a": ["pkg:npm/a"],
    "dnf -y install gcc; yum install make": ["pkg:rpm/fedora/gcc", "pkg:rpm/fedora/make"],
    "python -m pip install -U 'a==1.0' -r requirements.txt . ./x git+https://x.org/a": [
        "pkg:pypi/a@1.0",
        "pkg:generic/a",
    ],
    "npm install -g @s/a@1.0.0 b && npm ci": ["pkg:npm/%40s/a@1.0.0", "pkg:npm/b"],
    "pip install ${{ matrix.a }} $B": [],
    "bun add a && poetry add b && uv pip install --system c && uv run pip install d": [
        "pkg:npm/a",
        "pkg:pypi/b",
        "pkg:pypi/c",
        "pkg:pypi/d",
    ],
    "poetry install --only main; uv sync; uv python install 3.12; bun run add": [],
    "apt-get install $(cat a.txt) b=$V 'c' `cat d`": ["pkg:deb/debian/b", "pkg:deb/debian/c"],
    "zypper in -y a": ["pkg:rpm/fedora/a"],
    "apt-get update": [],
    "echo install curl": [],
    "": [],
}


@pytest.mark.parametrize(("line", "expected"), CASES.items(), ids=lambda value: repr(value)[:40])
def test_each_install_command_gives_its_packages(line, expected):
    found = packages(line, Place("x", 3), Usage.BUILD_TOOL, "why")
    assert list(map(brief, found)) == [f"{line} build-tool direct :3" for line in expected]


def test_the_distribution_of_a_package_is_the_caller_s():
    found = packages("apt-get install a", Place("x", 1), Usage.BUILD_TOOL, "why", "ubuntu")
    assert [dependency.purl for dependency in found] == ["pkg:deb/ubuntu/a"]


WORKFLOW = """jobs:
  build:
    runs-on: ubuntu-latest
    steps:
      # apt-get install no
      - run: sudo apt-get install -y upx \\
          curl
      - run: |
          pip install tox==4.0
          npm install
"""


def test_packages_of_a_workflow_have_its_distribution():
    assert dependency_lines(".github/workflows/ci.yml", WORKFLOW) == [
        "pkg:deb/ubuntu/upx build-tool direct :6",
        "pkg:deb/ubuntu/curl build-tool direct :6",
        "pkg:pypi/tox@4.0 build-tool direct :9",
    ]


@pytest.mark.parametrize(
    "path", [".gitlab-ci.yml", "azure-pipelines.yml", "Jenkinsfile", ".circleci/config.yml", ".travis.yml"]
)
def test_pipelines_of_other_services_are_read_alike(path):
    assert dependency_lines(path, "  sh 'apt-get install -y gcc'") == ["pkg:deb/debian/gcc build-tool direct :1"]


def test_a_pipeline_command_that_is_cut_off_is_a_finding():
    content = f"script:\n  - apt-get install {' '.join(f'package{number}' for number in range(3_000))}\n"
    assert [finding.place.line for finding in ecosystems.read(".gitlab-ci.yml", content).findings] == [2]
