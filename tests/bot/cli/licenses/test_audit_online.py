"""`audit` and `license outbound` learn licences from registries, and ask each question once."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from bot.cli.licenses import audit
from bot.cli.licenses.license import command as license_command
from tests.terminal import TerminalRunner

MANY = 40


@pytest.fixture(name="tool")
def _tool(tmp_path):
    """A checkout whose lock file states no licence of anything it uses; gives its folder."""

    def made(name="tool", packages=("a", "b")):
        root = tmp_path / name
        root.mkdir()
        wanted = dict.fromkeys(packages, "1")
        entries = {"": {"name": name, "license": "Apache-2.0", "dependencies": wanted}}
        entries |= {f"node_modules/{package}": {"version": "1.0.0"} for package in packages}
        (root / "package.json").write_text(json.dumps(entries[""]))
        (root / "package-lock.json").write_text(json.dumps({"lockfileVersion": 3, "packages": entries}))
        return root

    return made


@pytest.fixture(name="environment")
def _environment(registry, tmp_path):
    """The registry on loopback, and a cache of the test's."""
    registry.says = {"/a/1.0.0": {"license": "MIT"}, "/b/1.0.0": {"license": "ISC"}}
    return {
        "COUNTERSIGN_LICENSE_DATA": str(tmp_path / "data.json"),
        "COUNTERSIGN_REGISTRIES": registry.setting(),
        "COUNTERSIGN_LICENSE_CACHE": str(tmp_path / "cache" / "licenses.db"),
    }


@pytest.fixture(name="run")
def _run(environment):
    """A command in that environment."""
    return lambda command, *arguments, **more: TerminalRunner(env={**environment, **more}).invoke(
        command, [str(argument) for argument in arguments]
    )


def test_a_licence_learned_from_a_registry_is_named_with_its_source_and_cached(run, tool, registry, tmp_path):
    root = tool()
    for _ in range(2):
        result = run(audit.command, root, "--out", tmp_path / "out")
        assert (result.exit_code, result.stderr) == (0, "")
        assert "tool (Apache-2.0): 2 compatible" in result.stdout
    (first, _) = json.loads((tmp_path / "out" / "tool" / "dependency-licenses.json").read_text())["dependencies"]

    assert first["license"] == {
        "expression": "MIT",
        "source": "registry",
        "place": {"path": f"{registry.address}/a/1.0.0", "line": None, "said": ""},
    }
    assert sorted(registry.asked) == ["/a/1.0.0", "/b/1.0.0"]


def test_a_range_without_a_lock_file_is_looked_up_at_its_newest_version(run, registry, tmp_path):
    (tmp_path / "loose").mkdir()
    asked = {"name": "loose", "license": "Apache-2.0", "dependencies": {"a": "^1.2", "b": "^9"}}
    (tmp_path / "loose" / "package.json").write_text(json.dumps(asked))
    registry.says = {
        "/a": {"versions": {"1.1.0": {}, "1.4.3": {}, "2.0.0": {}}},
        "/a/1.4.3": {"license": "MIT"},
        "/b": {"versions": {"1.0.0": {}}},
    }
    result = run(audit.command, tmp_path / "loose", "--out", tmp_path / "out")
    found = json.loads((tmp_path / "out" / "loose" / "dependency-licenses.json").read_text())["dependencies"]

    assert (result.exit_code, result.stderr) == (1, "")
    assert "loose (Apache-2.0): 1 unknown-license, 1 compatible" in result.stdout
    assert "not known: version not pinned: 1" in result.stdout
    assert [(package["version"], package["range"], package["license"]["expression"]) for package in found] == [
        (None, "^1.2", "MIT"), (None, "^9", None),
    ]  # fmt: skip
    assert found[0]["license"]["place"] == {
        "path": f"{registry.address}/a/1.4.3", "line": None, "said": "newest that fits ^1.2: 1.4.3",
    }  # fmt: skip
    assert found[1]["license"]["unknown"] == "not-pinned"
    assert found[1]["judgement"]["rule"] == "license/not-pinned"


def test_offline_no_registry_is_asked_and_earlier_answers_count(run, tool, registry):
    root = tool()
    before = run(audit.command, root, "--offline")
    asked = list(registry.asked)
    run(audit.command, root)
    after = run(audit.command, root, "--offline")

    assert (before.exit_code, before.stderr) == (1, "")
    assert before.stdout.startswith(
        "0 violations; 2 not looked up\ntool (Apache-2.0): 2 not looked up\n  not looked up: 2 (a 1.0.0 and b 1.0.0): "
    )
    assert "Run the audit again without `--offline`" in before.stdout
    assert "no registry was asked for its licence: the audit ran offline" in before.stdout
    assert asked == []
    assert after.exit_code == 0


def test_without_a_network_the_licences_stay_unknown_and_one_line_says_why(run, tool):
    result = run(audit.command, tool(), COUNTERSIGN_REGISTRIES="npm=http://127.0.0.1:1,deps.dev=http://127.0.0.1:1")

    assert result.exit_code == 1
    assert result.stderr == (
        "countersign: 2 licences stay unknown: 127.0.0.1 could not be reached (ConnectionError) (2)\n"
    )
    assert "tool (Apache-2.0): 2 not looked up" in result.stdout
    assert "Run the audit again when the registry is available" in result.stdout
    assert "license/not-asked" in result.stdout


def test_a_broken_cache_is_named_in_one_line_and_the_audit_goes_on(run, tool, environment, tmp_path):
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "licenses.db").write_text("no database " * 100)
    result = run(audit.command, tool())

    assert result.exit_code == 0
    assert len(result.stderr.splitlines()) == 1
    assert environment["COUNTERSIGN_LICENSE_CACHE"] in result.stderr


def test_outbound_asks_registries_too(run, tool, registry):
    root = tool()
    registry.says["/b/1.0.0"] = {"license": "GPL-3.0-only"}

    assert run(license_command, "outbound", root, "--offline").exit_code == 1
    assert registry.asked == []
    fine = run(license_command, "outbound", root)
    assert fine.exit_code == 0
    assert "GPL-3.0-only" in fine.stdout


def test_private_packages_are_not_sent_to_registries(run, tool, registry):
    root = tool(packages=("a", "corp-secret", "@corp/x"))
    result = run(audit.command, root, COUNTERSIGN_PRIVATE_PACKAGES="corp-*, @corp")

    assert result.exit_code == 1
    assert registry.asked == ["/a/1.0.0"]


@pytest.mark.slow
def test_a_killed_audit_does_not_ask_again_what_was_answered(tool, registry, environment):
    paths = [tool(f"t{at}", [f"p{at}-{number}" for number in range(MANY)]) for at in range(2)]
    registry.says = {f"/p{at}-{number}/1.0.0": {"license": "MIT"} for at in range(2) for number in range(MANY)}
    registry.delay = 0.05
    command = [sys.executable, "-m", "bot", "audit", "--format", "text", *map(str, paths)]
    whole = {**os.environ, **environment}  # noqa: TID251 - a process of its own
    with subprocess.Popen(command, env=whole, stdout=subprocess.DEVNULL) as process:
        end = time.monotonic() + 30
        while len(registry.answered) < MANY + MANY // 2 and time.monotonic() < end:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
    before = len(registry.asked)
    assert MANY < before < 2 * MANY
    registry.delay = 0.0
    done = subprocess.run(command, env=whole, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "")
    assert f"t1 (Apache-2.0): {MANY} compatible" in done.stdout
    assert set(registry.asked) == set(registry.says)
    # Those under way when it was killed, and on a slow machine some that had come and were not written down yet.
    assert len(registry.asked) - len(registry.says) < MANY // 2
