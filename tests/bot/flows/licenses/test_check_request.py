"""A review has the licences of a head judged only where the rules on licences require it."""

import pytest

from bot.job_queue import Job
from bot.store.pulls import review_mailbox
from tests.bot.flows.licensed import AUDITED, LEFT_PAD, PLAIN, READLINE, locked, only_reviewed, rewrite


def asked(scene):
    """The jobs about licences that wait."""
    return [job for job in scene.jobs.waiting if job.name == "licenses"]


@pytest.fixture(name="scene")
def _scene(staged):
    """Licences are looked at; a pull request waits for it."""
    return staged(rulebook=AUDITED)


@pytest.mark.slow
def test_licenses_are_judged_after_the_review_and_as_urgently(scene):
    pull, _ = scene.pull(files=locked(LEFT_PAD))
    only_reviewed(scene)
    assert asked(scene) == [Job("licenses", (scene.ops.id, pull.head_sha), "now")]

    scene.jobs.run_all()
    scene.world.write(scene.rules, {".github/countersign.yml": AUDITED + "comment: {language: zh}\n"})
    with scene.sessions() as session:
        review_mailbox.enqueue_review(session, scene.jobs, scene.row(pull).id, queue="later")
    only_reviewed(scene)
    assert asked(scene) == [Job("licenses", (scene.ops.id, pull.head_sha), "later")]


@pytest.mark.parametrize("rulebook", [PLAIN, PLAIN + "brokn: 1\n"])
def test_without_a_readable_part_on_licenses_no_license_job_is_queued(staged, rulebook):
    scene = staged(rulebook=rulebook)
    scene.pull(files=locked(READLINE))
    scene.settle()
    assert asked(scene) == []


def test_other_rules_than_those_on_licenses_queue_no_license_job(scene):
    pull, _ = scene.pull(files=locked(LEFT_PAD))
    scene.settle()
    rewrite(scene, AUDITED + "labels: {signed: ok, required: todo}\n", pull)
    assert asked(scene) == []
