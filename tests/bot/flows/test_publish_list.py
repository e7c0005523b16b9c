"""What is public is committed once a night where the operator wishes it, and only when it differs."""

import json
from dataclasses import replace
from datetime import timedelta

import pytest

from bot.demo.github.git import bare_repository
from bot.flows import publish_list
from bot.github.ports import Unreachable
from bot.runner import make_runner
from bot.whitelist_target import WhitelistTarget


@pytest.fixture(name="shelved")
def _shelved(scene):
    """The scene with a repository for the list, and the permission to write it; mia signed."""
    scene.lists = scene.world.repository(scene.cann, "lists", files={"README.md": "# Lists\n"})
    scene.app.permissions["contents"] = "write"
    scene.services = replace(scene.services, whitelist_target=WhitelistTarget("cann", "Lists", "public"))
    scene.jobs.start(make_runner(scene.services))
    scene.sign(scene.mia)
    return scene


def held(scene, path="public/whitelist.json"):
    """What lies in that repository now."""
    found = bare_repository.blob(scene.lists.git, scene.lists.default_branch, path)
    return found and found[1]


def commits(scene):
    """How many there are."""
    return int(bare_repository.run("rev-list", "--count", scene.lists.default_branch, cwd=scene.lists.git))


def test_what_is_public_is_committed(shelved):
    """The list as /whitelist.json answers it, and with logins alone, and the checkpoint; equal bytes make no further commit."""
    before = commits(shelved)

    assert publish_list.publish_list(shelved.services) == 3
    assert json.loads(held(shelved))["individuals"] == [{"login": "mia", "id": shelved.mia.id}]
    assert json.loads(held(shelved, "public/CLA-whitelist.json"))["individuals"] == ["mia"]
    assert publish_list.publish_list(shelved.services) == 0
    assert commits(shelved) == before + 3


def test_once_a_night_as_a_job(shelved):
    """The chore queues it in the night's hour alone; the job does it."""
    for hour in range(24):
        shelved.shift = timedelta(hours=(hour - shelved.clock().hour) % 24) + shelved.shift
        publish_list.queue(shelved.services)
        assert [job.name for job in shelved.jobs.waiting] == (
            ["publish-list"] if hour == publish_list.PUBLISH_HOUR else []
        )
        shelved.jobs.run_all()

    assert held(shelved)


def test_where_none_is_wished_nothing_is_done(scene):
    """That is the default."""
    scene.shift = timedelta(hours=(publish_list.PUBLISH_HOUR - scene.clock().hour) % 24)
    publish_list.queue(scene.services)

    assert scene.jobs.waiting == ()
    assert publish_list.publish_list(scene.services) == 0


@pytest.mark.parametrize("change", ["permission", "repository"])
def test_what_is_not_allowed_is_said_and_no_failure(shelved, change):
    """An App that may only read, a repository that is not there: one line in the log, and all else goes on."""
    if change == "permission":
        shelved.app.permissions["contents"] = "read"
    else:
        shelved.services = replace(shelved.services, whitelist_target=WhitelistTarget("cann", "nowhere"))

    assert publish_list.publish_list(shelved.services) == 0
    assert held(shelved) is None


def test_github_away(shelved):
    """Then it is tried again."""
    shelved.weather.faults.append(("PUT", "/contents/", 502))
    with pytest.raises(Unreachable):
        publish_list.publish_list(shelved.services)
    shelved.weather.faults.clear()

    assert publish_list.publish_list(shelved.services) == 3
