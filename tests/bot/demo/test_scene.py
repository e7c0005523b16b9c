"""The demo's scene shows a pull request in every state, with the rulebook that we ship."""

import time

import pytest

from bot.demo import scene
from bot.demo.stage import Stage
from tests.conftest import free_port

EXPECTED = {
    ("ops-math", 1): ("failure", ["cla-required"]),  # ada is new
    ("ops-nn", 1): ("success", ["cla-signed"]),  # bo signed
    ("runtime", 1): ("success", ["cla-signed"]),  # lin's company signed
    ("ge", 1): ("failure", ["cla-required"]),  # huawei.com.cn is not huawei.com
    ("ops-nn", 2): ("failure", ["cla-required"]),  # bo's commits, opened by ada
    ("hccl", 1): ("action_required", []),  # a broken rulebook
    ("cann-learning-hub", 1): ("failure", []),  # no sign-off
    ("community", 1): ("success", []),  # signed off
}


@pytest.fixture(name="stage")
def _stage(tmp_path, gate):
    """A stage whose GitHub is watched by the contract; nothing unknown is asked of it."""
    with Stage(tmp_path / "stage", port=free_port(), github_port=free_port(), wrap=gate.wrap) as stage:
        yield stage
        stage.stop()
        for delivery in stage.world.hooks.log:
            gate.webhook(delivery.event, delivery.body)
        assert stage.world.refused == []


def shown(world, pull):
    """Conclusion and labels on the present head."""
    runs = [
        run for run in world.check_runs.values() if run.head_sha == pull.head_sha and run.repository is pull.repository
    ]
    return (runs[0].conclusion if runs else None), sorted(label.name for label in pull.labels)


@pytest.mark.story
def test_every_state(stage):
    """Eight pull requests, each with the verdict that it is there for."""
    cast = scene.set_up(stage)
    assert {repo.name for repo in stage.world.repositories_of(cast.community)} == {*scene.REPOSITORIES, ".github"}
    stage.serve()
    pulls = scene.open_pulls(stage, cast)
    for _ in range(600):
        found = {(pull.repository.name, pull.number): shown(stage.world, pull) for pull in pulls}
        if found == EXPECTED:
            break
        time.sleep(0.1)

    assert found == EXPECTED, stage.log_end()
