"""Releases have the same bytes from the same sources, locked to the last file, with licences in order by our audit."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
import yaml

from bot.settings import for_child
from tests.conftest import missing
from tests.deploy.tools import ROOT, run

LOCKS = sorted((ROOT / "requirements").glob("*.lock"))


def wheel(source, folder, **environment):
    """The wheel that a checkout makes."""
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, source],
        env=for_child(environment), check=True, capture_output=True,
    )  # fmt: skip
    [made] = folder.glob("*.whl")
    return made


def checkout(folder):
    """The files of this checkout that git knows or would know, elsewhere, with other times and rights."""
    names = run("git", "ls-files", "--cached", "--others", "--exclude-standard").splitlines()
    for number, name in enumerate(names):
        if not (ROOT / name).is_file():
            continue
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, folder / name)
        (folder / name).chmod(0o600)
        os.utime(folder / name, (1_000_000_000 + number, 1_000_000_000 + number))
    return folder


@pytest.mark.slow
def test_the_wheel_is_reproducible(tmp_path):
    here = wheel(ROOT, tmp_path / "a", SOURCE_DATE_EPOCH="1767225600", TZ="UTC")
    there = wheel(checkout(tmp_path / "c"), tmp_path / "b", SOURCE_DATE_EPOCH="1767225600", TZ="Asia/Shanghai")

    assert here.read_bytes() == there.read_bytes()


@pytest.mark.slow
def test_the_wheel_holds_no_stray_file(tmp_path):
    with zipfile.ZipFile(wheel(ROOT, tmp_path)) as made:
        tops = {name.partition("/")[0] for name in made.namelist()}
        odd = [name for name in made.namelist() if name.endswith((".pyc", ".db", ".orig", "~"))]

    assert {top for top in tops if not top.endswith(".dist-info")} == {"agreements", "audit", "bot", "migrations"}
    assert odd == []


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_every_locked_package_has_its_hashes(lock):
    text = lock.read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]

    assert lines
    assert [line[:60] for line in lines if not re.match(r"\S+==\S+ .*--hash=sha256:[0-9a-f]{64}", line)] == []


def test_locked_node_packages_have_their_hashes():
    packages = json.loads((ROOT / "requirements/node/package-lock.json").read_text())["packages"]

    assert [name for name, package in packages.items() if name and not package["integrity"].startswith("sha512-")] == []


@pytest.mark.slow
def test_our_own_licences_are_in_order(tmp_path):
    if not (ROOT / ".venv").is_dir():
        missing("venv", "no .venv in the checkout, whose packages tell their licences")
    done = subprocess.run(
        [sys.executable, "-m", "bot", "audit", ROOT, "--offline", "--validate", "--out", tmp_path, "--supplier", "Us", "--format", "text"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert done.returncode == 0, done.stdout
    assert done.stdout.startswith("0 violations")
    [sbom] = tmp_path.glob("*/bom.cdx.json")
    named = {component["name"] for component in json.loads(sbom.read_text())["components"]}
    locked = set(re.findall(r"^([\w.-]+)==", (ROOT / "requirements/run.lock").read_text(), re.MULTILINE))
    assert locked <= named


def test_the_supported_pythons_are_those_of_the_matrix():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    named = [line.rpartition(" ")[2] for line in project["classifiers"] if "Python :: 3." in line]
    ci = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text())

    assert project["requires-python"] == f">={named[0]},<3.{int(named[-1].partition('.')[2]) + 1}"
    assert ci["jobs"]["smoke"]["strategy"]["matrix"]["python"] == named


@pytest.mark.nightly
def test_the_smoke_test_runs_here(tmp_path):
    script = ROOT / ".ci/smoke"
    made = wheel(ROOT, tmp_path)
    done = subprocess.run(
        ["bash", script, "--commands", Path(sys.executable).parent / "countersign"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert made.exists()
    assert done.returncode == 0, done.stdout + done.stderr
    assert "6 commands answered" in done.stdout
