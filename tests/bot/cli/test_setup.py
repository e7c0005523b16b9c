"""`setup` refuses wrong usage in one line, and prints settings that it does not keep."""

import json
import os
import re
import signal
import subprocess
import sys
import time

import pytest
import requests
from click.testing import CliRunner

from bot.cli.setup import command
from bot.settings import NAMES, for_child
from tests.bot.setup.beginning import begun
from tests.conftest import free_port

NOTHING = dict.fromkeys(name + ending for name in NAMES for ending in ("", "_FILE"))


@pytest.fixture(name="beginning")
def _beginning(tmp_path, gate):
    """A folder, an organisation, and nothing else."""
    with begun(tmp_path, gate) as beginning:
        yield beginning


def run(*arguments, **environ):
    """Run it where it ends by itself."""
    return CliRunner(env={**NOTHING, **environ}).invoke(command, [str(argument) for argument in arguments])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--url", "cla.example.org"], "--url: Enter a scheme and a host only"),
        (["--address", "https://x/y"], "--address: Enter a scheme and a host only"),
        (["--host", "no.such.host.invalid"], "host no.such.host.invalid is not known"),
    ],
)
def test_wrong_usage_exits_with_2_before_anything_is_made_at_github(tmp_path, arguments, said):
    ran = run("--out", tmp_path / "out", *arguments)
    assert ran.exit_code == 2
    assert said in ran.stderr


@pytest.mark.parametrize("url", ["http://localhost:8080", "https://10.0.0.7", "https://cla.corp.internal"])
def test_an_address_that_github_cannot_reach_is_refused(tmp_path, url):
    host = url.partition("//")[2].partition(":")[0]
    for ran in (run("--out", tmp_path / "out", "--url", url), run("--out", tmp_path / "out", COUNTERSIGN_URL=url)):
        assert ran.exit_code == 2
        assert f"GitHub cannot reach {host} from the internet" in ran.stderr
    assert "countersign: COUNTERSIGN_URL: GitHub" in ran.stderr
    assert not (tmp_path / "out").exists()
    elsewhere = {"COUNTERSIGN_GITHUB_URL": "https://ghe.example.org", "COUNTERSIGN_URL": url}
    assert (
        "no.such.host.invalid" in run("--out", tmp_path / "out", "--host", "no.such.host.invalid", **elsewhere).stderr
    )


def test_an_account_unknown_to_github_is_refused_and_not_kept(beginning, tmp_path):
    at = {"COUNTERSIGN_GITHUB_URL": "https://github.com", "COUNTERSIGN_GITHUB_API_URL": beginning.server.api_url}
    given = ("--out", tmp_path / "new", "--url", "https://cla.example.org", "--organization", "nobody-there")
    ran = run(*given, **at)
    assert (ran.exit_code, ran.stderr.splitlines()[-1]) == (
        2,
        "Error: --organization: GitHub has no account named nobody-there",
    )
    assert "nobody-there" not in (tmp_path / "new/setup.json").read_text()
    at["COUNTERSIGN_GITHUB_URL"] = beginning.server.url
    ran = run("--host", "no.such.host.invalid", "--out", tmp_path / "other", *given[2:], **at)
    assert "shows no account named nobody-there without signing in" in ran.stderr


def test_a_folder_with_another_setup_file_is_left_alone(tmp_path):
    (tmp_path / "setup.json").write_text("{}")
    ran = run("--out", tmp_path)
    assert (ran.exit_code, ran.stderr.count("\n")) == (2, 1)
    assert "move it away" in ran.stderr


class Running:
    """The command as a process, and a browser that opened the address that it printed."""

    def __init__(self, beginning, *arguments):
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        environ = {
            "COUNTERSIGN_GITHUB_URL": beginning.server.url,
            "COUNTERSIGN_GITHUB_API_URL": beginning.server.api_url,
        }
        self.process = subprocess.Popen(
            [sys.executable, "-m", "bot", "setup", "--no-browser", "--port", str(self.port), "--out", "out", *arguments],
            cwd=beginning.folder, env=for_child(environ), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.browser = requests.Session()
        self.browser.trust_env = False
        said = ""
        while not (found := re.search(r"http\S+\?key=\S+", said)):
            line = self.process.stderr.readline()
            assert line, said
            said += line
        self.browser.get(found[0], timeout=60)

    def post(self, path, **fields):
        """One form."""
        return self.browser.post(self.url + path, data=fields, timeout=60)

    def ended(self):
        """Exit code and what was printed."""
        out, said = self.process.communicate(timeout=60)
        return self.process.returncode, out, said


@pytest.mark.slow
def test_printed_settings_are_not_kept_in_the_folder(beginning):
    beginning.complete()
    running = Running(beginning, "--print")
    running.browser.get(running.url, timeout=60)
    assert running.post("/finish").status_code == 200
    code, out, said = running.ended()
    values = json.loads(out)

    assert code == 1
    assert "BEGIN RSA PRIVATE KEY" in values["COUNTERSIGN_PRIVATE_KEY"]
    assert values["COUNTERSIGN_WEBHOOK_SECRET"] == next(iter(beginning.world.apps.values())).webhook_secret
    assert values["COUNTERSIGN_WEBHOOK_SECRET"] not in said
    assert list((beginning.folder / "out").iterdir()) == []


@pytest.mark.slow
def test_an_interrupted_setup_keeps_its_answers_and_exits_with_1(beginning):
    # A test run in the background ignores it, and so would the processes that it starts.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    running = Running(beginning, "--url", "https://cla.example.org", "--organization", "cann")
    time.sleep(0.2)
    os.kill(running.process.pid, signal.SIGINT)
    code, out, said = running.ended()

    assert (code, out) == (1, "")
    assert "Run the same command again to resume" in said
    assert "Traceback" not in said
    assert beginning.again().step == "register"
