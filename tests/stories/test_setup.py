"""From nothing to a server that works: a real browser registers and installs the App, and the settings that come out serve."""

import json
import re
import subprocess
import sys
import time
import urllib.request
from urllib.parse import urljoin

import pytest

from bot.demo.github.simulated_github import SimulatedGitHub
from bot.demo.github.simulated_server import SimulatedGitHubServer
from bot.settings import for_child
from bot.setup import settings_file
from tests.bot.portal.test_look import LARGE, faults
from tests.conftest import free_port

pytestmark = pytest.mark.slow


@pytest.fixture(name="world")
def _world(tmp_path, gate):
    """An organisation and a person, each with a repository, and no App."""
    world = SimulatedGitHub(tmp_path / "git")
    world.reaches_private = True  # the server to be set up is on this machine
    with SimulatedGitHubServer(world, wrap=gate.wrap):
        boss = world.user("boss", emails=["boss@example.org"])
        world.repository(world.organization("cann", admins=[boss]), "ops-math")
        world.repository(boss, "notes")
        yield world
        world.hooks.drain()
        for delivery in world.hooks.log:
            gate.webhook(delivery.event, delivery.body)
    assert world.refused == []


def started(folder, world, port, *arguments):
    """A command of ours as a process."""
    environ = {"COUNTERSIGN_GITHUB_URL": world.url, "COUNTERSIGN_GITHUB_API_URL": world.api_url("")}
    return subprocess.Popen(
        [sys.executable, "-m", "bot", *arguments, "--port", str(port)],
        cwd=folder, env=for_child(environ), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def address(process):
    """The address that setup printed."""
    said = ""
    while not (found := re.search(r"http\S+\?key=\S+", said)):
        line = process.stderr.readline()
        assert line, said
        said += line
    return found[0]


def shown(page, album, name):
    """A step as it is shown: accessible, whole on a phone and in the dark, its fields as wide as those of the portal."""
    album(page, name)
    # The operator's own browser runs no scripts, and a script looks for faults.
    window = page.context.browser.new_context(bypass_csp=True, storage_state=page.context.storage_state())
    same = window.new_page()
    same.goto(urljoin(page.url, "/"))
    wrong = [*faults(same, "dark", 320), *faults(same, "light", LARGE)]
    narrow = same.locator("main input:visible").evaluate_all("all => all.filter(box => box.clientWidth < 300).length")
    window.close()
    assert (wrong, narrow) == ([], 0), name


def clicked_through(page, world, url, login, show):
    """All five steps, as the pages say, with the name that is proposed."""
    page.get_by_label("Public address of this server").fill(url)
    page.get_by_label("Organisation or person").fill(login.upper())
    show("setup-begin")
    page.get_by_role("button", name="Continue").click()
    show("setup-register")
    page.get_by_role("button", name=f"Register for {login}").click()
    assert page.get_by_label("GitHub App name").input_value() == f"Countersign {login}"
    page.get_by_role("button", name="Create GitHub App as boss").click()
    show("setup-install")
    here = page.url
    # The link opens a tab of its own; a page whose later tab has been closed may stay in the background and never answer.
    page.goto(page.get_by_role("link", name=f"Install countersign-{login} at GitHub").get_attribute("href"))
    page.get_by_role("button", name=f"Install on {login}").click()
    page.wait_for_url(f"**/{login}")
    page.goto(here)
    page.get_by_role("button", name="I have installed it").click()
    page.get_by_label("Administrators").fill("boss")
    show("setup-details")
    page.get_by_role("button", name="Save the settings").click()
    show("setup-done")


@pytest.mark.browser
@pytest.mark.parametrize("login", ["cann", "boss"])
def test_setup_leads_from_nothing_to_a_server_that_works(world, tmp_path, chromium, album, login):
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    setup = started(tmp_path, world, port, "setup", "--no-browser", "--out", "out/cla.env")
    page = chromium.new_context(java_script_enabled=False, locale="en-US").new_page()
    page.set_default_timeout(30_000)
    page.goto(address(setup))
    clicked_through(
        page, world, url, login, lambda name: shown(page, album, name) if login == "cann" else page.inner_text("main")
    )
    assert "Everything works" in page.content(), page.inner_text("main")
    page.get_by_role("button", name="Finish").click()
    _, said = setup.communicate(timeout=60)
    assert setup.returncode == 0, said
    page.context.close()

    environ = settings_file.read(tmp_path / "out/cla.env")
    server = subprocess.Popen(
        [sys.executable, "-m", "bot", "serve", "--port", str(port)], cwd=tmp_path, env=for_child(environ), stderr=subprocess.DEVNULL
    )  # fmt: skip
    try:
        until(lambda: ready(url))
        until(lambda: newest_is_taken(world))
        report = examined(tmp_path, environ)
    finally:
        server.terminate()
        server.wait(timeout=40)
    assert len(world.apps) == 1
    assert {check["id"] for check in report["items"] if check["status"] in ("fail", "unknown")} <= {
        "settings.mail",
        "licenses.data",
        "github.ruleset",
    }, report


def ready(url):
    """Whether the server can work."""
    try:
        with urllib.request.urlopen(f"{url}/readyz", timeout=2) as answer:
            return answer.status == 200
    except OSError:
        return False


def newest_is_taken(world):
    """What setting up left for the server was sent again, and taken."""
    world.hooks.drain()
    [app] = world.apps.values()
    return world.hooks.attempts(app)[0][1].is_success


def until(condition, within=60.0):
    """Wait until it holds."""
    deadline = time.monotonic() + within
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def examined(folder, environ):
    """What `countersign doctor` says."""
    ran = subprocess.run(
        [sys.executable, "-m", "bot", "doctor", "--format", "json"],
        cwd=folder, env=for_child(environ), capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert ran.returncode in (0, 1), ran.stderr
    return json.loads(ran.stdout)
