"""GitHub Enterprise Servers, as their operators meet them: the real server as a process, its log, and `countersign doctor`."""

import json

import pytest

from tests.bot.demo.github import queued_merges
from tests.stories.conftest import RULEBOOK

pytestmark = pytest.mark.slow


@pytest.fixture(name="on")
def _on(staged):
    """A stage whose GitHub is a server of that version, before anything of ours runs."""

    def make(version):
        play = staged()
        play.world.enterprise = version
        play.stage.app.events.remove("merge_group")
        play.community(RULEBOOK.replace("require: cla", "require: dco"))
        play.stage.serve()
        return play

    return make


def found(play, name):
    """What `doctor` says of one check: status and message."""
    report = json.loads(play.command("doctor", "--format", "json", code=1))
    (item,) = [check for check in report["items"] if check["id"] == name]
    return item["status"], item["message"]


@pytest.mark.parametrize(
    ("version", "status", "group"),
    [("3.14.2", "pass", "success"), ("3.10.4", "fail", "action_required")],
    ids=["oldest supported", "too old"],
)
def test_an_enterprise_server_is_served_and_its_lacks_are_told(on, version, status, group):
    play = on(version)
    mia = play.person("mia", "mia@home.example")
    desk, pull = play.opens(mia, message="Fix it")
    play.judged(pull, "failure")
    assert len(play.comments(pull)) == 1
    desk.commit("Fix it", sign_off=True, amend=True)
    desk.push(force=True)
    play.judged(pull, "success")

    entry = queued_merges.enqueue(play.world, pull, play.world.find_account("boss"))
    queued_merges.build_group(play.world, pull.repository, "main")
    head = entry.head_sha
    play.until(lambda: [run.conclusion for run in play.world.check_runs.values() if run.head_sha == head] == [group])
    play.quiet()

    said = found(play, "github.version")
    assert said[0] == status
    assert said[1].startswith(f"GitHub is Enterprise Server {version}.")
    assert ("It has no merge queues" in said[1]) is (status == "fail")
    assert found(play, "github.events")[0] == "pass"
    assert play.world.undefined == [], "a version that is known is asked for nothing that it lacks"
    assert not [line for line in play.log() if line.get("level") in ("error", "critical")]
