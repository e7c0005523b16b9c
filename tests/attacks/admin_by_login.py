"""Becoming administrator by taking a name: the organisation's login after a rename, the team's slug after a deletion."""

import shutil
import sys
import tempfile
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

if __name__ == "__main__":
    sys.path.append(str(Path(__file__).parents[2]))

import requests

from bot.demo.servers import DemoServers
from tests.attacks import program
from tests.bot.demo.github import github_deeds
from tests.conftest import free_port

RULEBOOK = "version: 1\nrepositories:\n  - {match: ['*'], require: cla}\n"
TEAM = "cla-admins"
TIMEOUT = 20
"""Seconds for one answer."""


def take_login(stage, community, mallory):
    """The community renames itself; a stranger takes the free login, with a team of the same name and the App installed."""
    github_deeds.rename_account(stage.world, community, "cann-community")
    taken = stage.world.organization("cann", admins=[mallory])
    stage.world.team(taken, TEAM, [mallory])
    stage.world.install(stage.app, taken, mallory)


def take_slug(stage, community, mallory):
    """The team is deleted; a plain member makes one of the same name."""
    community.teams.pop(TEAM)
    stage.world.team(community, TEAM, [mallory])


WAYS = {"the organisation's login": take_login, "the team's slug": take_slug}


def attack(*, short, say):
    """Take each name while the server is down, and ask for /admin once it is up again."""
    through = []
    for name, take in list(WAYS.items())[: 1 if short else None]:
        folder = Path(tempfile.mkdtemp(prefix="admin-by-login-"))
        try:
            through += _tried(folder, name, take, say)
        finally:
            shutil.rmtree(folder)
    return through


def _tried(folder, name, take, say):
    """One fresh stage; the rightful administrator is asked for first, so that the refusal afterwards means something."""
    alone = {"COUNTERSIGN_AUDITOR_TEAM": ""}
    with DemoServers(folder, port=free_port(), github_port=free_port(), settings=alone) as stage:
        boss, mallory = (stage.world.user(login, emails=[f"{login}@example.org"]) for login in ("boss", "mallory"))
        community = stage.world.organization("cann", admins=[boss])
        home = stage.world.repository(community, ".github")
        stage.world.write(home, {".github/countersign.yml": RULEBOOK})
        stage.world.team(community, TEAM, [boss])
        stage.world.install(stage.app, community, boss)
        stage.serve()
        before = _admin(stage, boss)
        stage.stop()
        take(stage, community, mallory)
        stage.serve()
        after = _admin(stage, mallory)
        warned = requests.get(f"{stage.url}/readyz", timeout=TIMEOUT).json().get("warnings", [])
    say(f"{name} taken: /admin before, for its administrator {before}; after, for who took it {after}; told: {warned}")
    if before != 200:
        return [f"{name}: the rightful administrator got {before}, so nothing was shown"]
    found = [f"{name}: who took it administers ({after})"] if after != 404 else []
    return found + ([] if warned else [f"{name}: the server gives no warning"])


def _admin(stage, who):
    """Sign in at the small GitHub as that account, and ask for the administrators' page."""
    browser = requests.Session()
    asked = browser.get(f"{stage.url}/login", params={"next": "/me"}, timeout=TIMEOUT)
    if "/login/oauth/authorize" in asked.url:
        form = {**dict(parse_qsl(urlsplit(asked.url).query)), "account": str(who.id)}
        browser.post(f"{stage.github_url}/login/oauth/authorize", data=form, timeout=TIMEOUT)
    return browser.get(f"{stage.url}/admin", timeout=TIMEOUT, allow_redirects=False).status_code


if __name__ == "__main__":
    sys.exit(program.main(attack))
