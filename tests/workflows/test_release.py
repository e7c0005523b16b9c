"""A release fills address and sums into the workflows, and what they then install is what was released, or nothing."""

import functools
import hashlib
import http.server
import os
import re
import shutil
import subprocess
import sys
import threading
import zipfile

import pytest
import yaml

from tests.deploy.tools import ROOT, run

NAMES = ("dco-check", "license-audit")


def tiny_wheel(folder, name, version, program=""):
    """A wheel with one module and, if wished, a command that runs it."""
    file = folder / f"{name}-{version}-py3-none-any.whl"
    info = f"{name}-{version}.dist-info"
    texts = {
        f"{name}.py": f"def main():\n    print('{name} {version}')\n",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        **({f"{info}/entry_points.txt": f"[console_scripts]\n{program} = {name}:main\n"} if program else {}),
    }
    with zipfile.ZipFile(file, "w") as made:
        for path, text in texts.items():
            made.writestr(path, text)
        made.writestr(f"{info}/RECORD", "".join(f"{path},,\n" for path in [*texts, f"{info}/RECORD"]))
    return file


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves a folder, without a word."""

    def log_message(self, *_):
        """Nothing."""


class Release:
    """What a release's page offers, served on loopback, and the workflows that it filled."""

    def __init__(self, folder):
        self.dist, self.temp, self.index = folder / "dist", folder / "temp", folder / "index"
        for place in (self.dist, self.temp, self.index):
            place.mkdir()
        self.wheel = tiny_wheel(self.dist, "countersign_app", "0.1.0", "countersign")
        needed = tiny_wheel(self.index, "needed", "1.0")
        (self.dist / "run.lock").write_text(
            f"needed==1.0 --hash=sha256:{hashlib.sha256(needed.read_bytes()).hexdigest()}\n"
        )
        run(sys.executable, ROOT / "deploy/release/pin_workflows.py", "acme/countersign", self.dist)
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=self.dist))
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def workflow(self, name):
        """A filled workflow."""
        return yaml.safe_load((self.dist / f"{name}.yml").read_text())

    def install(self, name="dco-check"):
        """The step `Install`, run as a runner does, with this server in GitHub's place."""
        workflow = self.workflow(name)
        [step] = [step for job in workflow["jobs"].values() for step in job["steps"] if step.get("name") == "Install"]
        environment = {**workflow["env"], "RELEASE": f"http://127.0.0.1:{self.server.server_port}"}
        environment |= {"RUNNER_TEMP": str(self.temp), "GITHUB_PATH": str(self.temp / "path"), "HOME": str(self.temp)}
        environment |= {"PATH": os.defpath, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(self.index)}
        return subprocess.run(
            ["bash", "-e", "-c", step["run"]], env=environment, capture_output=True, text=True, check=False
        )


@pytest.fixture(name="release")
def _release(tmp_path):
    release = Release(tmp_path)
    yield release
    release.server.shutdown()
    release.server.server_close()


def test_address_and_sums_are_filled_in(release):
    for name in NAMES:
        before, after = yaml.safe_load((ROOT / f"workflows/{name}.yml").read_text()), release.workflow(name)
        assert after["env"] == {
            "RELEASE": "https://github.com/acme/countersign/releases/download/v0.1.0",
            "WHEEL": "countersign_app-0.1.0-py3-none-any.whl",
            "WHEEL_SHA256": hashlib.sha256(release.wheel.read_bytes()).hexdigest(),
            "LOCK_SHA256": hashlib.sha256((release.dist / "run.lock").read_bytes()).hexdigest(),
        }
        assert {**before, "env": None} == {**after, "env": None}
        assert "filled-in" not in (release.dist / f"{name}.yml").read_text()


def test_deployment_files_name_their_release(release, tmp_path):
    trees = [shutil.copytree(ROOT / name, tmp_path / name) for name in ("deploy", "docs")]
    run(sys.executable, ROOT / "deploy/release/pin_workflows.py", "Acme/countersign", release.dist, *trees)

    texts = {file: file.read_bytes() for tree in trees for file in tree.rglob("*") if file.is_file()}
    assert [file for file, text in texts.items() if b"OWNER/countersign" in text] == []
    assert (
        b"newName: ghcr.io/acme/countersign"
        in texts[tmp_path / "deploy/kubernetes/overlays/production/kustomization.yaml"]
    )
    assert b"https://github.com/Acme/countersign/releases" in texts[tmp_path / "docs/how-to/install-pipx.md"]
    assert (ROOT / "docs/how-to/install-pipx.md").read_text().count("github.com/OWNER/countersign") == 1


@pytest.mark.slow
def test_the_released_package_is_installed(release):
    done = release.install()
    assert done.returncode == 0, done.stdout + done.stderr
    folder = (release.temp / "path").read_text().strip()

    assert run(f"{folder}/countersign") == "countersign_app 0.1.0\n"
    assert run(f"{folder}/python", "-c", "import needed; needed.main()") == "needed 1.0\n"


@pytest.mark.parametrize("file", ["countersign_app-0.1.0-py3-none-any.whl", "run.lock"])
def test_a_file_that_was_not_released_is_not_installed(release, file):
    with (release.dist / file).open("ab") as changed:
        changed.write(b"\n")
    done = release.install()

    assert done.returncode != 0
    assert f"{file}: FAILED" in done.stdout
    assert not (release.temp / "countersign").exists()


@pytest.mark.slow
def test_a_dependency_with_another_sum_is_not_installed(release):
    tiny_wheel(release.index, "needed", "1.0", "other")
    done = release.install()

    assert done.returncode != 0
    assert "DO NOT MATCH THE HASHES" in done.stderr
    assert not (release.temp / "path").exists()


def test_a_workflow_from_the_sources_installs_nothing(tmp_path):
    for name in NAMES:
        workflow = yaml.safe_load((ROOT / f"workflows/{name}.yml").read_text())
        assert not re.fullmatch(r"[0-9a-f]{64}", workflow["env"]["WHEEL_SHA256"])


@pytest.mark.parametrize("wrong", ["no place", "two places"])
def test_a_workflow_without_its_places_cannot_be_released(tmp_path, wrong):
    """Such a workflow would install the release that was filled in before."""
    import importlib.util

    spec = importlib.util.spec_from_file_location("pin_workflows", ROOT / "deploy/release/pin_workflows.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    text = (ROOT / "workflows/dco-check.yml").read_text()
    line = "  WHEEL_SHA256: filled-in-by-the-release\n"
    wheel = tiny_wheel(tmp_path, "countersign_app", "0.1.0")

    with pytest.raises(ValueError, match="WHEEL_SHA256 stands there"):
        module.filled(text.replace(line, "" if wrong == "no place" else line * 2), "a/b", wheel, wheel)
