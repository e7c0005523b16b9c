"""Both versions of GitHub's REST API are read alike, without the fields that the newer one dropped."""

from pathlib import Path

import pytest

import bot
from agreements.facts import Account as Who
from bot.demo.github.contributor import ContributorClone
from bot.demo.github.faults import Fault
from bot.demo.github.simulated_github import SimulatedGitHub
from bot.demo.github.simulated_server import SimulatedGitHubServer
from bot.demo.github.state import Call
from bot.github.client.requester_pool import API_VERSION
from bot.github.connection import connect
from bot.github.ports import CheckRun, RepositoryPlace, RevertClaim, Team
from tests.bot.demo.github.github_deeds import FOREVER
from tests.conftest import public_half

OLD, NEW = "2022-11-28", "2026-03-10"
BREAKING = {"assignee", "has_downloads", "merge_commit_sha", "use_squash_pr_title_as_default", "rate"}
"""Fields that the newer version dropped, of those that answers to our calls had. Source: GitHub's page "Breaking changes"."""


class Asked:
    """All that can be asked by REST of a small GitHub without the contract's gate, which knows the older version alone."""

    def __init__(self, folder, key, version):
        folder.mkdir()
        self.folder, self.world = folder, SimulatedGitHub(folder / "git")
        (folder / "git").mkdir()
        self.server = SimulatedGitHubServer(self.world).start()
        self.world.faults.add(Fault(path="/api/graphql$", status=502, times=FOREVER))
        self.ada, self.mia = (self.world.user(name, emails=[f"{name}@x.example"]) for name in ("ada", "mia"))
        self.cann = self.world.organization("cann", admins=[self.ada])
        self.world.repository(self.cann, ".github", files={".github/countersign.yml": "version: 1\n"})
        self.ops = self.world.repository(self.cann, "ops", files={".mailmap": "Mia <mia@x.example> <m@old.example>\n"})
        self.ops.required_checks["Countersign"] = None
        app = self.world.app("countersign", self.cann, public_half(key), hook_url="https://cla.example.org/webhook")
        installation = self.world.install(app, self.cann, self.ada)
        self.world.team(self.cann, "admins", [self.ada])
        self.place = RepositoryPlace(installation.id, "cann", "ops", self.ops.id)
        self.hub = connect(
            api_url=self.server.api_url,
            app_id=app.id,
            server=self.world.server,
            private_key=key,
            pause=0,
            api_version=version,
        )

    def pull(self):
        """Mia's pull request of two commits."""
        fork = self.world.fork(self.ops, self.mia)
        clone = ContributorClone(self.world, fork, self.mia, self.folder / "clone")
        clone.branch("topic", start="origin/main")
        clone.commit("One", files={"a.txt": "a"})
        clone.commit("Two\n\nCo-authored-by: Mia <mia@x.example>", files={"b.txt": "b"})
        clone.push()
        return self.world.open_pull(self.ops, self.mia, "topic", source=fork)

    def everything(self):
        """What each call gives, without moments and hashes, which no two runs share."""
        hub, place, pull = self.hub, self.place, self.pull()
        snapshot = hub.fetch_snapshot(place, pull.number, ("cla-signed",))
        run = CheckRun(
            name="Countersign", head_sha=pull.head_sha, external_id="countersign:1", details_url="https://x.example", title="t",
            summary="s", text="", conclusion="failure",
        )  # fmt: skip
        number = hub.create_check(place, run)
        hub.update_check(place, number, run)
        comment = hub.create_comment(place, pull.number, "hello")
        hub.update_comment(place, comment, "hello again")
        hub.create_label(place, "cla-signed", "0e8a16", "covered")
        hub.add_label(place, pull.number, "cla-signed")
        hub.react(place, comment, "+1")
        hub.remove_label(place, pull.number, "cla-signed")
        history = hub.history(snapshot)
        team = hub.team_by_name("cann", "admins")
        return {
            "snapshot": (
                snapshot.owner_type,
                snapshot.private,
                snapshot.state,
                snapshot.opener,
                snapshot.base,
                snapshot.head_repository,
            ),
            "rules": (snapshot.rule_files, snapshot.mailmap, snapshot.known_labels, snapshot.changed_files),
            "history": [(commit.message, commit.author_account, commit.coauthors) for commit in history.commits],
            "doubt": history.doubt,
            "files": hub.files(snapshot),
            "open": hub.open_numbers(place),
            "pushes": [push.account for push in hub.pushes(snapshot)],
            "check": hub.find_check(place, pull.head_sha, "countersign:1".__eq__) == number,
            "comment": hub.comment(place, comment).body,
            "required": hub.required_checks(place, "main"),
            "reverts": hub.reverts(
                place, [RevertClaim(pull.head_sha, history.commits[-1].parents[0], pull.head_sha)], "Countersign"
            ),
            "merged": hub.merged(place, history, [history.commits[-1].sha], "Countersign"),
            "role": hub.role(place, Who(self.ada.id, "ada")),
            "members": sorted(hub.members(place)),
            "team": (isinstance(team, Team), sorted(hub.team_members(team))),
            "account": hub.account_by_login("mia"),
            "listed": [repository.place.name for repository in hub.listed(place.installation)],
            "installations": [installation.account for installation in hub.installations()],
            "registration": hub.registration().permissions,
            "webhook": hub.webhook(),
            "head": hub.repository_by_name("cann", "ops")[0].full_name,
        }

    def close(self):
        """Stop."""
        self.hub.close()
        self.server.stop()


@pytest.fixture(name="asked")
def _asked(tmp_path, key):
    """A maker of them, by version of the API."""
    made = []

    def make(version):
        made.append(Asked(tmp_path / version, key, version))
        return made[-1]

    yield make
    for reader in made:
        reader.close()


@pytest.mark.slow
def test_every_call_reads_both_api_versions_alike(asked):
    old, new = asked(OLD), asked(NEW)
    assert old.everything() == new.everything()
    assert [shape(call) for call in old.world.calls] == [shape(call) for call in new.world.calls]
    assert {call.status for call in new.world.calls} <= {200, 201, 204, 404, 502}


def shape(call: Call):
    """What was asked, and how it was answered."""
    return (call.method, call.template, call.status)


def test_the_older_api_version_is_asked_for(asked):
    assert API_VERSION == OLD


def test_no_reader_names_a_field_that_the_newer_version_dropped():
    root = Path(bot.__file__).parent
    for path in [*(root / "github").rglob("*.py"), *(root / "webhook").rglob("*.py")]:
        text = path.read_text(encoding="utf-8")
        assert not [name for name in BREAKING if f'["{name}"]' in text or f'.get("{name}"' in text], path


def test_the_version_that_we_ask_for_is_written_in_one_place():
    folder = Path(bot.__file__).parent
    files = [path.relative_to(folder) for path in folder.rglob("*.py") if API_VERSION in path.read_text("utf-8")]
    assert [str(path) for path in files if path.parts[0] != "demo"] == ["github/client/requester_pool.py"]
