"""Pipelines: what they install builds."""

import pytest

from audit import ecosystems
from tests.audit.ecosystems.brief import dependency_lines

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


def test_workflow():
    """With the distribution that it runs on."""
    assert dependency_lines(".github/workflows/ci.yml", WORKFLOW) == [
        "pkg:deb/ubuntu/upx build-tool direct :6",
        "pkg:deb/ubuntu/curl build-tool direct :6",
        "pkg:pypi/tox@4.0 build-tool direct :9",
    ]


@pytest.mark.parametrize(
    "path", [".gitlab-ci.yml", "azure-pipelines.yml", "Jenkinsfile", ".circleci/config.yml", ".travis.yml"]
)
def test_others(path):
    """Are read in the same way."""
    assert dependency_lines(path, "  sh 'apt-get install -y gcc'") == ["pkg:deb/debian/gcc build-tool direct :1"]


def test_a_longer_command_than_is_read():
    """As in a container file."""
    content = f"script:\n  - apt-get install {' '.join(f'package{number}' for number in range(3_000))}\n"
    assert [one.place.line for one in ecosystems.read(".gitlab-ci.yml", content).findings] == [2]
