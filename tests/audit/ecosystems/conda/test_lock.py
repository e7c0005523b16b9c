"""conda-lock.yml and pixi.lock: platforms together, categories and environments, licences, archives."""

import pytest

from tests.audit.ecosystems.brief import dependency_lines, merged, origins

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


def test_conda_lock():
    """Each package once for all platforms; the category says who asked for it."""
    assert merged({"conda-lock.yml": LOCK}) == [
        "pkg:conda/bzip2@1.0.8?channel=conda-forge runtime-import :5",
        "pkg:conda/libgcc-ng@13.2.0?channel=conda-forge runtime-import :22",
        "pkg:pypi/pytest@8.2.0 test-only :29",
    ]


def test_archives():
    """Of several archives none is meant."""
    assert origins({"conda-lock.yml": LOCK})[:2] == [
        "pkg:conda/bzip2@1.0.8?channel=conda-forge brings pkg:conda/libgcc-ng@13.2.0?channel=conda-forge",
        f"pkg:conda/libgcc-ng@13.2.0?channel=conda-forge from {BASE}/linux-64/libgcc-ng-13.2.0-h807b86a_5.conda SHA256:cccccccc",
    ]


def test_pixi():
    """Environments named after tools hold tools; licences as they are stated; folders are the repository's own."""
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
def test_shapes(path, content, expected):
    """A lock file without packages is fine, another shape is a finding."""
    assert dependency_lines(path, content) == expected
