"""The container file: its sources are enough and no more, pinned, and it runs as a numbered user."""

import contextlib
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bot import __version__
from tests.conftest import free_port
from tests.deploy.tools import DEPLOY, ROOT, run, tool
from tests.http_server import LoopbackServer, QuietHandler

FILE = DEPLOY / "Containerfile"
TEXT = FILE.read_text(encoding="utf-8")
BUILD, FINAL = re.split(r"^FROM \$\{BASE\}$", TEXT, flags=re.MULTILINE)


def allowed():
    """What the build may see, by the lines of the ignore file that begin with `!`."""
    lines = (DEPLOY / "Containerfile.dockerignore").read_text(encoding="utf-8").splitlines()
    return [line[1:] for line in lines if line.startswith("!")]


def test_hadolint_finds_nothing():
    run(tool("hadolint"), "--failure-threshold", "style", FILE)


def test_the_base_image_is_pinned_by_one_digest():
    bases = re.findall(r"^FROM (\S+)", TEXT, re.MULTILINE)

    assert bases == ["${BASE}", "${BASE}"]
    assert re.search(r"^ARG BASE=docker\.io/library/python:3\.1[123]-slim-\w+@sha256:[0-9a-f]{64}$", TEXT, re.MULTILINE)


def test_everything_that_is_installed_is_locked():
    installs = re.findall(r"pip (?:--python \S+ )?install((?:[^&]|\\\n)*)", BUILD)

    assert len(installs) == 3
    assert all(
        "--require-hashes --only-binary :all:" in install or "--no-deps --no-index" in install for install in installs
    )
    assert "pip install" not in FINAL


def test_the_wheel_is_not_among_the_audited_files():
    """The audit would take it for a foreign work without a licence, which ends the build."""
    audited = Path(re.findall(r"^WORKDIR (\S+)", BUILD, re.MULTILINE)[-1])
    [made] = re.findall(r"hatchling build --target wheel --directory (\S+)", BUILD)

    assert not Path(made).is_relative_to(audited)
    assert f"--no-deps --no-index {made}/*.whl" in BUILD


def test_the_image_runs_as_a_numbered_user_with_oci_labels():
    """Kubernetes can check a number only, and signals arrive only at an exec-form entry point."""
    labels = set(re.findall(r'org\.opencontainers\.image\.(\w+)="', FINAL))

    assert "\nUSER 10001:10001\n" in FINAL
    assert '\nENTRYPOINT ["countersign"]\n' in FINAL
    assert labels >= {"title", "description", "licenses", "vendor", "version", "revision", "source"}
    assert "COPY --from=build /sbom " in FINAL


@pytest.mark.slow
def test_the_files_that_the_build_sees_make_the_same_wheel(tmp_path):
    ignored = shutil.ignore_patterns("__pycache__")
    for name in allowed():
        (tmp_path / "source" / name).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, tmp_path / "source" / name, ignore=ignored)
        else:
            shutil.copy(ROOT / name, tmp_path / "source" / name)
    sums = []
    for source in (tmp_path / "source", ROOT):
        run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", tmp_path / "dist", source)
        [wheel] = (tmp_path / "dist").glob("*.whl")
        sums.append(wheel.read_bytes())
        wheel.unlink()

    assert sums[0] == sums[1]


def test_every_entry_of_the_list_exists_and_covers_copy():
    copied = {name for line in re.findall(r"^COPY (?!--from)(.*) \S+$", TEXT, re.MULTILINE) for name in line.split()}

    assert [name for name in allowed() if not (ROOT / name).exists()] == []
    assert copied - {"."} <= set(allowed())


class Answer(QuietHandler):
    """Answers /readyz with the status of its server."""

    def do_GET(self):
        """The status, and nothing else."""
        self.answer(self.server.status if self.path == "/readyz" else 404)


@pytest.mark.parametrize(("status", "code"), [(200, 0), (503, 1), (None, 1)])
def test_the_health_check_is_well_only_when_readyz_is(status, code):
    [command] = re.findall(r'CMD \["python", "-c", "(.*)"\]', FINAL)
    port = free_port()
    command = command.replace(":8080/", f":{port}/")
    assert f":{port}/readyz" in command
    with contextlib.ExitStack() as servers:
        if status is not None:
            servers.enter_context(LoopbackServer(Answer, port).running()).status = status
        done = subprocess.run([sys.executable, "-c", command], capture_output=True, check=False)

    assert done.returncode == code


def test_the_version_is_the_labels_default():
    assert f"\nARG VERSION={__version__}\n" in FINAL


def test_the_development_container_has_a_supported_python():
    text = Path(ROOT / ".devcontainer/devcontainer.json").read_text(encoding="utf-8")

    assert re.search(r'"image": "mcr\.microsoft\.com/devcontainers/python:3\.1[123]-\w+"', text)
    assert "make .venv/ready" in text
