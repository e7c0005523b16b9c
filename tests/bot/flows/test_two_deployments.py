"""Two deployments that disagree on one organization stop writing after a bounded number of reversals."""

from dataclasses import replace
from datetime import timedelta

import pytest
from structlog.testing import capture_logs

from agreements.facts import Account
from bot.flows import sweep
from bot.github.ports import CheckRun
from bot.jobs.durable import DurableEngine
from bot.monitoring.database_numbers import DatabaseNumbers
from bot.store.pulls import paused_items
from bot.store.service_record import LastDelivery
from bot.webhook import event_parser
from tests.bot.flows.scene import Neighbour

ROUNDS = 60
"""Rounds of events: each deployment takes in what was sent, and does all that it asks."""


@pytest.fixture(name="beside")
def _beside(scene, key, tmp_path):
    """A maker of the other deployment."""
    made = []

    def make(**more):
        made.append(Neighbour(scene, key, f"sqlite:///{tmp_path / 'other.db'}", **more))
        return made[-1]

    yield make
    for neighbour in made:
        neighbour.close()


def rounds(*deployments, number=ROUNDS):
    """Let them work beside each other; how much each round wrote."""
    writes = []
    for _ in range(number):
        for deployment in deployments:
            deployment.hear()
            deployment.jobs.run_all()
        writes.append(len(deployments[0].writes()))
    return writes


def minutes(scene, *others, number=1):
    """So much time goes by for GitHub, too, which tells moments to the second."""
    for deployment in (scene, *others):
        deployment.shift += timedelta(minutes=number)
    scene.world.clock = scene.clock


def stopped(deployment):
    """What it does not write any more: repository, number, which item, who reversed it."""
    with deployment.sessions() as session:
        found = paused_items.stopped(session, at=deployment.clock())
    return [
        (reversed_item.repository, reversed_item.number, reversed_item.kind, reversed_item.reversed_by)
        for reversed_item in found
    ]


def warnings(deployment):
    """What /readyz says beside "ready"."""
    DurableEngine(deployment.database, executor_id="numbers").prepare()
    numbers = DatabaseNumbers(deployment.database, deployment.clock, LastDelivery(deployment.clock))
    numbers.refresh()
    return numbers.warnings()


@pytest.mark.slow
def test_two_apps_with_the_same_labels_stop_writing(scene, beside):
    other = beside(slug="other-cla")
    other.sign(scene.mia, party=other.party)
    pull, _ = scene.pull()

    with capture_logs() as lines:
        writes = rounds(scene, other)

    assert sum(writes) <= 24
    assert not any(writes[10:])
    assert stopped(scene) == [("cann/ops", pull.number, "label", "other-cla[bot]")]
    assert len(warnings(scene)) == 1
    said = [line for line in lines if line["event"] == "publish.reversed"]
    assert [(line["item"], line["times"], line["by"]) for line in said] == [("label", 3, "other-cla[bot]")]
    assert [run[1] for run in scene.runs(pull)] == ["failure", "success"]  # the checks stay true, each App's its own


@pytest.mark.slow
def test_labelling_resumes_at_a_new_head(scene, beside):
    other = beside(slug="other-cla")
    other.sign(scene.mia, party=other.party)
    _, clone = scene.pull()
    rounds(scene, other)

    clone.commit("More", files={"more.txt": "1"})
    clone.push()
    writes = rounds(scene, other)

    assert sum(writes) <= 24
    assert not any(writes[10:])
    assert [entry[2] for deployment in (scene, other) for entry in stopped(deployment)] == ["label"]


@pytest.mark.slow
def test_the_label_is_right_again_by_a_command_or_after_a_day(scene, beside):
    other = beside(slug="other-cla")
    other.sign(scene.mia, party=other.party)
    pull, _ = scene.pull()
    rounds(scene, other)
    scene.world.remove_label(pull, scene.labels(pull)[0], scene.ada)
    scene.settle()
    assert scene.labels(pull) == []

    minutes(scene)
    scene.world.comment(pull, scene.mia, "/cla-check")
    scene.settle()

    assert scene.labels(pull) == ["cla-required"]
    assert (stopped(scene), warnings(scene)) == ([], [])


@pytest.mark.slow
def test_two_deployments_of_one_app_stop_writing(scene, beside):
    other = beside()
    other.sign(scene.mia, party=other.party)
    pull, _ = scene.pull()
    writes = []
    for _ in range(20):
        minutes(scene, other, number=10)
        writes.append(sum(rounds(scene, number=2)))
        sweep.queue(other.services, starting=True)
        other.jobs.run_all()
        if other.row(pull).evaluated:
            other.again(pull)
        writes.append(len(scene.writes()))

    assert sum(writes) <= 30
    assert not any(writes[12:])
    assert [entry for deployment in (scene, other) for entry in stopped(deployment)] == [
        ("cann/ops", pull.number, "label", "own-app")
    ]


def newest(scene, pull):
    """The run that counts at GitHub: who links to a page of theirs, and what it says."""
    run = max(scene.world.runs_on(scene.ops, pull.head_sha), key=lambda check_run: check_run.id)
    return run.id, run.details_url.startswith(scene.settings.url), run.conclusion


@pytest.mark.slow
def test_two_deployments_of_one_app_stop_rewriting_the_check(scene, beside):
    other = beside()
    other.sign(scene.mia, party=other.party)
    pull, _ = scene.pull()
    scene.settle()
    sweep.queue(other.services, starting=True)
    other.jobs.run_all()
    shown = [newest(scene, pull)]
    there = CheckRun(name="Countersign", head_sha=pull.head_sha, external_id=f"countersign:{scene.ops.id}:{pull.number}",
                     details_url="https://staging.example.org/pr", title="All good", summary="Fine", conclusion="success")  # fmt: skip
    with capture_logs() as lines:
        for _ in range(6):
            scene.settle()
            shown.append(newest(scene, pull)[1:])
            other.hub.update_check(other.place, shown[0][0], there)

    assert shown[0][1:] == (False, "success")
    assert shown[1:] == [(True, "failure")] * 2 + [(False, "success")] * 4
    assert stopped(scene) == [("cann/ops", pull.number, "check", "own-app")]
    assert [(line["item"], line["by"]) for line in lines if line["event"] == "publish.reversed"] == [
        ("check", "own-app")
    ]

    scene.world.comment(pull, scene.mia, "/cla-check")
    scene.settle()
    assert (stopped(scene), newest(scene, pull)[1:]) == ([], (True, "failure"))


@pytest.mark.slow
def test_late_and_repeated_events_are_not_counted_as_reversals(scene, beside):
    pull, clone = scene.pull()
    scene.settle()
    scene.world.remove_label(pull, "cla-required", scene.ada)
    (removed,) = (delivery for delivery in scene.hear() if delivery.event == "pull_request")
    scene.jobs.run_all()
    for _ in range(5):
        event = event_parser.parse(removed.event, removed.body, app_id=scene.app.id, url=scene.settings.url)
        assert not scene.accept(event, guid=removed.guid, name=removed.event)
        scene.jobs.run_all()
    assert counted(scene, pull) == 1

    for number, sender in enumerate(
        (scene.ada, scene.app.bot, scene.app.bot, scene.app.bot)
    ):  # as if late: the label is there
        late = replace(event, sender=Account(sender.id, sender.login, sender.type))
        scene.accept(late, guid=f"late-{number}", name="pull_request")
        scene.jobs.run_all()
    assert counted(scene, pull) == 1

    scene.sign(scene.mia)
    scene.again(pull)
    assert (scene.labels(pull), counted(scene, pull)) == (["cla-signed"], 1)
    scene.world.remove_label(pull, "cla-signed", scene.ada)
    scene.settle()
    assert counted(scene, pull) == 1  # of this label

    clone.commit("More", files={"more.txt": "1"})
    clone.push()
    scene.settle()
    scene.world.remove_label(pull, "cla-signed", scene.ada)
    scene.settle()
    assert (scene.labels(pull), counted(scene, pull)) == (["cla-signed"], 1)


def test_an_answer_older_than_our_label_is_not_counted_as_a_reversal(scene):
    pull, _ = scene.pull()
    scene.settle()
    changed_at = scene.row(pull).labelled_at
    put = list(pull.labels)
    for _ in range(4):
        pull.labels.clear()
        pull.updated_at = changed_at
        scene.again(pull)
        pull.labels[:] = put

    assert counted(scene, pull) == 0
    assert scene.row(pull).labelled_at == changed_at


def counted(scene, pull):
    """How many reversals of its label were counted together."""
    with scene.sessions() as session:
        row = session.get(paused_items.PausedItem, (scene.row(pull).id, "label", "reversed"))
        return row.times if row else 0


def test_a_label_that_a_person_removes_three_times_stays_off(scene):
    pull, _ = scene.pull()
    scene.settle()
    seen = []
    for _ in range(4):
        if scene.labels(pull):
            scene.world.remove_label(pull, "cla-required", scene.ada)
        scene.settle()
        seen.append(scene.labels(pull))
    scene.again(pull)

    assert seen == [["cla-required"], ["cla-required"], [], []]
    assert scene.labels(pull) == []
    assert stopped(scene) == [("cann/ops", pull.number, "label", "person")]
    assert scene.conclusion(pull) == "failure"


@pytest.mark.slow
def test_a_comment_that_is_deleted_three_times_stays_away_until_a_command(scene):
    pull, clone = scene.pull()
    scene.settle()
    seen = []
    for number in range(5):
        pull.comments.clear()
        author = (f"Eve {number}", f"eve{number}@home.example")
        clone.commit("More", files={f"more{number}.txt": "1"}, author=author)
        clone.push()
        scene.settle()
        seen.append(len(scene.comments(pull)))

    assert seen == [1, 1, 0, 0, 0]
    assert stopped(scene) == [("cann/ops", pull.number, "comment", "")]

    scene.world.comment(pull, scene.mia, "/cla-check")
    scene.settle()
    assert len(scene.comments(pull)) == 1
    assert stopped(scene) == []
