"""The public lists are committed once a night, if the operator wants it and they differ."""

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


def test_the_lists_and_the_checkpoint_are_committed_only_when_they_differ(shelved):
    before = commits(shelved)

    assert publish_list.publish_list(shelved.services) == 3
    assert json.loads(held(shelved))["individuals"] == [{"login": "mia", "id": shelved.mia.id}]
    assert json.loads(held(shelved, "public/CLA-whitelist.json"))["individuals"] == ["mia"]
    assert publish_list.publish_list(shelved.services) == 0
    assert commits(shelved) == before + 3


def test_the_lists_are_queued_once_a_night(shelved):
    for hour in range(24):
        shelved.shift = timedelta(hours=(hour - shelved.clock().hour) % 24) + shelved.shift
        publish_list.queue(shelved.services)
        assert [job.name for job in shelved.jobs.waiting] == (
            ["publish-list"] if hour == publish_list.PUBLISH_HOUR else []
        )
        shelved.jobs.run_all()

    assert held(shelved)


def test_without_a_setting_no_list_is_published(scene):
    scene.shift = timedelta(hours=(publish_list.PUBLISH_HOUR - scene.clock().hour) % 24)
    publish_list.queue(scene.services)

    assert scene.jobs.waiting == ()
    assert publish_list.publish_list(scene.services) == 0


@pytest.mark.parametrize("change", ["permission", "repository"])
def test_a_missing_permission_or_repository_is_no_failure(shelved, change):
    if change == "permission":
        shelved.app.permissions["contents"] = "read"
    else:
        shelved.services = replace(shelved.services, whitelist_target=WhitelistTarget("cann", "nowhere"))

    assert publish_list.publish_list(shelved.services) == 0
    assert held(shelved) is None


def test_publishing_is_tried_again_when_github_is_back(shelved):
    shelved.weather.faults.append(("PUT", "/contents/", 502))
    with pytest.raises(Unreachable):
        publish_list.publish_list(shelved.services)
    shelved.weather.faults.clear()

    assert publish_list.publish_list(shelved.services) == 3
