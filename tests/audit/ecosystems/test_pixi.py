"""pixi.toml: both kinds of packages, features and platforms; with its lock file each package is there once."""

from tests.audit.ecosystems.brief import merged

MANIFEST = """[workspace]
name = "x"
channels = ["conda-forge"]
[dependencies]
NumPy = "1.26.*"
scipy = { version = "==1.11.0", channel = "bioconda" }
own = { path = "../own" }
[pypi-dependencies]
requests = "==2.31.0"
odd = { git = "https://github.com/o/odd" }
near = { path = ".", editable = true }
[feature.test.dependencies]
pytest = "*"
[feature.gpu.target.linux-64.dependencies]
cuda = ">=12"
[package.build-dependencies]
cmake = "3.28.1"
"""


def test_a_manifest_gives_run_test_and_build_packages():
    assert merged({"pixi.toml": MANIFEST}) == [
        "pkg:conda/cmake@3.28.1?channel=conda-forge build-tool direct :17",
        "pkg:conda/cuda?channel=conda-forge runtime-import direct :15",
        "pkg:conda/numpy?channel=conda-forge runtime-import direct :5",
        "pkg:github/o/odd runtime-import direct :10",
        "pkg:conda/pytest?channel=conda-forge test-only direct :13",
        "pkg:pypi/requests@2.31.0 runtime-import direct :9",
        "pkg:conda/scipy@1.11.0?channel=bioconda runtime-import direct :6",
    ]


def test_a_lock_file_beside_a_manifest_gives_the_versions_once():
    address = "https://conda.anaconda.org/conda-forge/linux-64/numpy-1.26.4-py312_0.conda"
    lock = f"version: 6\nenvironments:\n  default:\n    packages:\n      linux-64:\n      - conda: {address}\npackages:\n- conda: {address}\n"
    manifest = '[workspace]\nchannels = ["conda-forge"]\n[dependencies]\nnumpy = "1.26.*"\n'
    assert merged({"pixi.toml": manifest, "pixi.lock": lock}) == [
        "pkg:conda/numpy@1.26.4?channel=conda-forge runtime-import direct :4"
    ]


def test_the_tables_in_a_pyproject_are_read_with_and_without_a_lock_file():
    address = "https://conda.anaconda.org/conda-forge/linux-64/numpy-1.26.4-py312_0.conda"
    lock = f"version: 6\nenvironments:\n  default:\n    packages:\n      linux-64:\n      - conda: {address}\npackages:\n- conda: {address}\n"
    manifest = (
        '[project]\ndependencies = ["attrs"]\n[tool.pixi.workspace]\nchannels = ["conda-forge"]\n'
        '[tool.pixi.dependencies]\nnumpy = "1.26.*"\n[tool.pixi.feature.test.pypi-dependencies]\npytest = "*"\n'
    )
    assert merged({"pyproject.toml": manifest}) == [
        "pkg:pypi/attrs runtime-import direct :2",
        "pkg:conda/numpy?channel=conda-forge runtime-import direct :6",
        "pkg:pypi/pytest test-only direct :8",
    ]
    assert "pkg:conda/numpy@1.26.4?channel=conda-forge" in merged({"pyproject.toml": manifest, "pixi.lock": lock})[1]
