"""The wheel alone is enough: built by its real build backend, installed in an empty environment, run outside the checkout."""

import json
import re
import signal
import subprocess
import sys
import time
import urllib.request
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import migrations
from audit.licenses.spdx import texts
from bot import __version__
from bot.settings import for_child
from tests.conftest import two_free_ports

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent
FACTS = {
    "rulebook": {"version": 1}, "repository": {"full_name": "cann/ops"}, "commit_count": 1, "now": "2026-11-21T00:00:00Z",
    "pull_request": {"number": 1, "opener": {"id": 11, "login": "ada", "type": "User"}, "base": "main", "head_sha": "a" * 40},
    "commits": [{"sha": "a" * 40, "message": "Add", "parents": ["0"], "author": {"name": "Ada", "email": "ada@example.org"},
                 "committer": {"name": "Ada", "email": "ada@example.org"}, "author_account": None, "committer_account": None}],
}  # fmt: skip


def needed(requirements, *, extra=""):
    """Every distribution that these requirements bring along here, by its canonical name."""
    found = {}
    waiting = [(Requirement(text), extra) for text in requirements]
    while waiting:
        requirement, of = waiting.pop()
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": of}):
            continue
        distribution = metadata.distribution(requirement.name)
        assert requirement.specifier.contains(distribution.version, prereleases=True), (
            f"{requirement} is not what is installed here"
        )
        known = found.setdefault(canonicalize_name(requirement.name), (distribution, set()))
        for wish in {"", *requirement.extras} - known[1]:
            known[1].add(wish)
            waiting += [(Requirement(text), wish) for text in distribution.requires or []]
    return {name: distribution for name, (distribution, _) in found.items()}


def link(distribution, packages):
    """Put a distribution into an environment by links to its files here."""
    site = Path(distribution.locate_file(""))
    for top in {file.parts[0] for file in distribution.files if file.parts[0] not in {"..", "__pycache__"}}:
        if not (packages / top).exists():
            (packages / top).symlink_to(site / top)


class House:
    """An environment with the wheel and what it declares to need, nothing else; and a folder to work in."""

    def __init__(self, folder):
        self.folder = folder / "elsewhere"
        self.folder.mkdir()
        subprocess.run(
            [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder / "dist", ROOT],
            check=True, capture_output=True,
        )  # fmt: skip
        [self.wheel] = (folder / "dist").glob("*.whl")
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], check=True)
        self.python = folder / "venv" / "bin" / "python"
        subprocess.run(
            [sys.executable, "-m", "pip", "--python", self.python, "install", "-q", "--no-deps", "--no-index", self.wheel],
            check=True, capture_output=True, cwd=self.folder,
        )  # fmt: skip
        [self.packages] = (folder / "venv" / "lib").glob("python*/site-packages")
        [own] = metadata.distributions(name="countersign-app", path=[str(self.packages)])
        self.dependencies = needed(own.requires)
        for distribution in self.dependencies.values():
            link(distribution, self.packages)
        # A user's own folders, with names like ours: none of them may get in.
        for name in ("bot", "migrations", "agreements"):
            (self.folder / name).mkdir()
            (self.folder / name / "__init__.py").write_text("raise SystemExit('not ours')\n", encoding="utf-8")

    def command(self, *arguments):
        """The installed command and its arguments."""
        return [self.python.parent / "countersign", *arguments]

    def environment(self, values):
        """This process's environment without a way back into the checkout."""
        inherited = {name: value for name, value in for_child({}).items() if not name.startswith("PYTHON")}
        return {**inherited, **values}

    def run(self, *arguments, **values):
        """The command until its end, in a folder outside the checkout."""
        return subprocess.run(
            self.command(*arguments), cwd=self.folder, env=self.environment(values), capture_output=True, text=True,
            check=False, timeout=60,
        )  # fmt: skip


@pytest.fixture(scope="module", name="house")
def _house(tmp_path_factory):
    return House(tmp_path_factory.mktemp("wheel"))


def locked(name):
    """Names and versions in a lock file, as far as they are for this Python and this machine."""
    text = (ROOT / "requirements" / name).read_text(encoding="utf-8")
    lines = [Requirement(line) for line in re.findall(r"^([\w.-]+.*?==.*?)\s*\\?$", text, re.MULTILINE)]
    return {
        canonicalize_name(line.name): str(line.specifier).removeprefix("==")
        for line in lines
        if line.marker is None or line.marker.evaluate()
    }


def test_the_environment_holds_the_wheel_and_not_the_checkout(house):
    program = (
        "import importlib.util as u, json, sys, bot, agreements, audit, migrations;"
        "print(json.dumps([sys.path, [m.__file__ for m in (bot, agreements, audit, migrations)],"
        " [n for n in ('pytest', 'mypy', 'hatchling', 'playwright', 'hypothesis') if u.find_spec(n)]]))"
    )
    ran = subprocess.run(
        [house.python, "-P", "-c", program], cwd=house.folder, env=house.environment({}), capture_output=True, text=True, check=True
    )  # fmt: skip
    path, files, tools = json.loads(ran.stdout)

    assert all(Path(file).is_relative_to(house.packages) for file in files)
    assert not [folder for folder in path if Path(folder).is_relative_to(ROOT)]
    assert tools == []


def test_the_lock_holds_every_dependency_of_the_wheel(house):
    lock = locked("run.lock")

    assert len(house.dependencies) > 30
    assert {name: package.version for name, package in house.dependencies.items()} == {
        name: lock.get(name) for name in house.dependencies
    }


def test_the_wheels_version_is_the_programs(house):
    assert house.run("--version").stdout == f"countersign, version {__version__}\n"
    assert house.wheel.name.startswith(f"countersign_app-{__version__}-")


def test_the_wheel_migrates_an_empty_database(house):
    ran = house.run("migrate", COUNTERSIGN_DATABASE_URL=f"sqlite:///{house.folder / 'wheel.db'}")

    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout == f"made the database, with schema {migrations.newest()}\n"


def test_the_wheel_prints_its_manifest(house):
    ran = house.run("manifest", COUNTERSIGN_URL="https://sign.example.org")

    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["hook_attributes"]["url"] == "https://sign.example.org/webhook"


def test_the_wheel_evaluates_facts_with_its_words(house):
    (house.folder / "facts.json").write_text(json.dumps(FACTS), encoding="utf-8")
    ran = house.run("evaluate", "facts.json")
    problem = json.loads(ran.stdout)["checks"][0]["problems"][0]

    assert (ran.returncode, problem["code"]) == (1, "dco/missing")
    assert "git commit --amend --signoff" in problem["fix"]


def test_the_wheel_holds_the_licence_data(house):
    ran = house.run("license", "check", "--outbound", "Apache-2.0", "--inbound", "GPL-2.0+", "--usage", "build-tool")

    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["verdict"] == "not-applicable"


def test_the_wheel_audits_a_checkout_with_its_texts(house):
    tool = house.folder / "tool"
    (tool / "third_party" / "zlib").mkdir(parents=True)
    (tool / "LICENSE").write_text((ROOT / "LICENSE").read_text(encoding="utf-8"), encoding="utf-8")
    (tool / "third_party" / "zlib" / "LICENSE").write_text(texts()["MIT"], encoding="utf-8")
    (tool / "requirements.txt").write_text("requests==2.32.0\n", encoding="utf-8")
    ran = house.run("audit", "tool", "--offline", "--out", "licenses", "--validate", "--format", "text")
    page = (house.folder / "licenses" / "report.html").read_text(encoding="utf-8")

    assert ran.returncode == 1
    assert ran.stderr.endswith("spdx-tools: 1 of 1 SBOM is valid\n")
    assert "tool (Apache-2.0): 1 not looked up, 1 compatible" in ran.stdout
    assert "not looked up: 1 (requests 2.32.0)" in ran.stdout
    assert {path.name for path in (house.folder / "licenses").iterdir()} == {
        "LICENSE-COMPATIBILITY.md", "report.html", "report.json", "tool",
    }  # fmt: skip
    assert len(list((house.folder / "licenses" / "tool").iterdir())) == 7
    assert "<style>" in page
    assert "<script>" in page
    assert {path.name for path in (ROOT / "audit" / "data").iterdir()} <= {
        path.name for path in (house.packages / "audit" / "data").iterdir()
    }


def read(address, language="en"):
    """What a browser of that language gets."""
    request = urllib.request.Request(address, headers={"Accept-Language": language})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return answer.read().decode()


@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.nightly)])
def test_the_wheel_runs_the_demo(house, number):
    port, log = two_free_ports(), house.folder / "demo.log"
    before = {*house.folder.iterdir(), log}
    arguments = house.command("demo", "--no-browser", "--port", str(port), "--folder", "demo")
    with log.open("wb") as out:
        process = subprocess.Popen(
            arguments, cwd=house.folder, env=house.environment({"PYTHONUNBUFFERED": "1"}), stdout=out, stderr=out
        )
    try:
        deadline = time.monotonic() + 90
        while "\nready\n" not in log.read_text(encoding="utf-8"):
            assert process.poll() is None, log.read_text(encoding="utf-8")
            assert time.monotonic() < deadline
            time.sleep(0.1)
        own, github = f"http://127.0.0.1:{port}", f"http://127.0.0.1:{port + 1}"
        assert 'title="Countersign: failure"' in read(f"{github}/cann/ops-math/pull/1")
        assert "Individual Contributor License Agreement" in read(f"{own}/sign/icla")
        chinese = read(f"{own}/sign/icla", "zh-CN")
        assert "个人贡献者许可协议" in chinese
        assert 'lang="zh-CN"' in chinese
        for page in (f"{own}/", f"{github}/"):
            [style] = re.findall(r'<link rel="stylesheet" href="([^"]+)"', read(page))
            assert "{" in read(page.rstrip("/") + style)
        process.send_signal(number)
        assert process.wait(timeout=40) == 0
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait(timeout=40)
    assert "Traceback" not in log.read_text(encoding="utf-8")
    assert {*house.folder.iterdir()} - before <= {house.folder / "demo"}
