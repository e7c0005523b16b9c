"""A rehearsal with all real parts: every step is seen, and each failure is said where it is, with what to do."""

from dataclasses import replace
from datetime import timedelta

import pytest

from bot import clock
from bot.clock import monotonic
from bot.github.ports import Missing, Unreachable
from bot.rehearsal import steps
from bot.rehearsal.observation import STEPS
from bot.rehearsal.steps import COMMAND, Interrupted, StepDeadline
from bot.secret import Secret
from bot.webhook import commands
from tests.bot.demo.github.conftest import Ear
from tests.bot.rehearsal.conftest import BRANCH

CLA = 'version: 1\norganization: The CANN Authors\nrepositories: [{match: ["*"], require: cla}]\n'
NOTHING = 'version: 1\nrepositories: [{match: ["*"], require: none}]\n'


def statuses(results):
    """What is not `seen`, by the id of the step."""
    return {name: result.seen.status for name, result in results.items() if result.seen.status != "seen"}


def pull_of(stage):
    """The pull request that it opened."""
    (pull,) = stage.ops.pulls.values()
    return pull


def unseen(result, said):
    """The step was not seen, GitHub's side says so, and there is something to do."""
    assert result.seen.status == "missing"
    assert said in result.seen.github
    assert result.seen.remedy.endswith(".")
    return result.seen.remedy


@pytest.mark.slow
def test_every_step_is_seen_where_a_sign_off_is_required(stage):
    results = stage.rehearse()

    assert list(results) == [step.id for step in STEPS]
    assert statuses(results) == {"label": "not-expected"}
    assert results["label"].seen.recorded == "no label: no CLA is required here"
    assert results["check"].seen.github.startswith("Countersign: failure (“")
    assert "(dco/missing)" in results["check"].seen.recorded
    assert results["answer"].seen.github == "reaction eyes; Countersign: failure"
    pull = pull_of(stage)
    assert (pull.state, pull.opener, stage.person.rehearsal_branches()) == ("closed", stage.scene.ada, {})
    times = [value.seen.github_at for value in results.values() if value.seen.github_at]
    assert times == sorted(times)
    assert len(times) >= 6
    assert all(
        result.seen.recorded_at
        for name, result in results.items()
        if name in ("webhook", "check", "label", "answer", "close")
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rulebook", "signed", "other"),
    [
        (CLA, False, {}), (CLA, True, {"comment": "not-expected"}),
        (NOTHING, False, {"label": "not-expected", "comment": "not-expected"}), (None, False, {"label": "not-expected"}),
    ],
)  # fmt: skip
def test_a_step_that_the_rules_do_not_ask_for_is_not_missed(stage_with, rulebook, signed, other):
    stage = stage_with(rulebook=rulebook)
    if signed:
        stage.scene.sign(stage.scene.ada)

    results = stage.rehearse()

    assert statuses(results) == other
    if rulebook == CLA:
        assert results["label"].seen.github == ("label cla-signed" if signed else "label cla-required")


def test_the_command_is_one_of_ours():
    assert commands.command(COMMAND) == "check"


@pytest.mark.slow
def test_a_webhook_that_never_came_skips_the_later_steps(stage):
    stage.works = False
    results = stage.rehearse()
    unseen(results["webhook"], "GitHub lists no such delivery")
    assert statuses(results) == {
        "webhook": "missing", "check": "skipped", "label": "skipped", "comment": "skipped", "command": "skipped", "answer": "skipped",
    }  # fmt: skip
    assert (pull_of(stage).state, stage.person.rehearsal_branches()) == ("closed", {})
    stage.scene.app.events.remove("pull_request")
    assert "Subscribe the App to the event pull_request" in unseen(
        stage.rehearse(branch=f"{BRANCH}2")["webhook"], "GitHub lists no such delivery"
    )


@pytest.mark.parametrize(("status", "said"), [(401, "status 401"), (502, "status 502"), (202, "status 202")])
def test_a_webhook_answered_elsewhere_is_told_by_its_status(stage, status, said):
    stage.works = False
    ear = Ear()
    ear.status = status
    stage.scene.app.hook_url = ear.url
    stage.before_look.append(stage.scene.world.hooks.drain)
    with ear.server.running():
        remedy = unseen(stage.rehearse()["webhook"], f"pull_request sent, {said}")
    assert ("COUNTERSIGN_DATABASE_URL" in remedy) == (status == 202)


def test_a_webhook_that_no_server_answered_is_told(stage):
    stage.works = False
    stage.scene.app.hook_url = "http://127.0.0.1:9/webhook"
    stage.before_look.append(stage.scene.world.hooks.drain)
    unseen(stage.rehearse()["webhook"], "pull_request sent, nobody answered")


@pytest.mark.slow
def test_a_server_that_does_not_judge_is_told_with_its_last_failure(stage):
    stage.scene.weather.faults += [("POST", "/graphql", 502), ("GET", "/pulls/[0-9]+$", 502)]
    results = stage.rehearse()
    remedy = unseen(results["check"], "Countersign: in progress by App")
    assert "The server has not judged it. The last try failed: GitHub" in remedy
    assert statuses(results)["answer"] == "skipped"


@pytest.mark.slow
def test_a_check_that_github_shows_otherwise_is_told_beside_the_verdict(stage):
    scene, world = stage.scene, stage.scene.world
    other = world.app("other", scene.cann, scene.app.key)

    def change(run):
        run.conclusion = "success"

    def give_away(run):
        run.app = other

    def forget(run):
        del world.check_runs[run.id]

    changes = {
        change: f"success by App {scene.app.id}",
        give_away: f"failure by App {other.id}",
        forget: "no check run",
    }
    for number, (deed, said) in enumerate(changes.items()):
        scene.weather.before.append(
            ("GET", "/check-runs$", lambda deed=deed: [deed(run) for run in list(world.check_runs.values())])
        )
        check = stage.rehearse(branch=f"{BRANCH}{number}")["check"]
        assert "GitHub does not show what the server decided" in unseen(check, said)
        assert check.seen.recorded == "verdict failure (dco/missing)"


@pytest.mark.slow
def test_a_verdict_in_doubt_is_named_with_its_reason(stage):
    stage.scene.world.write(
        stage.scene.rules, {".github/countersign.yml": "version: 1\nrepositories: [{match: ['*']}]\n"}
    )
    stage.scene.weather.before.append(
        (
            "POST",
            "/git/refs$",
            lambda: stage.scene.world.write(stage.scene.rules, {".github/countersign.yml": "version: x\n"}),
        )
    )
    check = stage.rehearse()["check"]
    assert "It could not be judged: rulebook/invalid." in unseen(check, "action_required")


@pytest.mark.slow
def test_a_repository_that_went_into_shadow_mode_is_told(stage):
    shadow = 'version: 1\nrepositories: [{match: ["*"], mode: shadow}]\n'
    stage.scene.weather.before.append(
        ("POST", "/git/refs$", lambda: stage.scene.world.write(stage.scene.rules, {".github/countersign.yml": shadow}))
    )
    assert "shadow mode" in unseen(stage.rehearse()["check"], "no check run")


@pytest.mark.slow
def test_a_label_that_another_account_takes_off_is_told(stage_with):
    stage = stage_with(rulebook=CLA)
    world = stage.scene.world

    def take_off():
        world.remove_label(pull_of(stage), "cla-required", stage.scene.ada)

    stage.scene.weather.before.append(("GET", "/labels$", take_off))
    results = stage.rehearse()
    assert "Somebody else takes our label off" in unseen(results["label"], "labels: none")
    assert statuses(results) == {"label": "missing"}


@pytest.mark.slow
def test_a_comment_that_github_refuses_is_told(stage):
    faults = stage.scene.weather.faults
    faults.append(("POST", "/issues/[0-9]+/comments$", 422))
    stage.scene.weather.before.append(("GET", "/comments$", faults.clear))
    results = stage.rehearse()
    unseen(results["comment"], "no comment by our App")
    assert statuses(results) == {"comment": "missing", "label": "not-expected"}


def test_a_review_that_has_not_ended_is_told(stage):
    stage.scene.weather.faults.append(("POST", "/issues/[0-9]+/comments$", 502))
    results = stage.rehearse()
    for name in ("label", "comment"):
        assert results[name].seen.status == "missing"
        assert results[name].seen.recorded.startswith("the review has not ended: GitHub answered 502 to POST")


@pytest.mark.slow
def test_a_command_without_an_answer_is_told(stage):
    stage.scene.weather.faults.append(("POST", "/reactions$", 403))
    results = stage.rehearse()
    unseen(results["answer"], "no reaction by our App")
    assert results["answer"].seen.recorded == "webhook stored"
    stage.scene.app.events.remove("issue_comment")
    deaf = stage.rehearse(branch=f"{BRANCH}2")["answer"]
    assert "Subscribe the App to the event issue_comment" in unseen(deaf, "GitHub lists no such delivery")


@pytest.mark.slow
def test_a_server_that_does_not_hear_of_the_end_is_told(stage):
    stage.scene.weather.before.append(("PATCH", "/pulls/", lambda: setattr(stage, "works", False)))
    results = stage.rehearse()
    unseen(results["close"], "closed by ada")
    assert results["close"].seen.recorded == "the server takes it for open"
    assert pull_of(stage).state == "closed"


def test_a_token_that_may_not_write_is_told_where_it_is_noticed(stage_with):
    stage = stage_with(permissions={"contents": "write"})
    results = stage.rehearse()
    assert "Contents and Pull requests: read and write" in unseen(results["pull-request"], "403")
    assert statuses(results)["close"] == "skipped"
    assert results["delete-branch"].seen.status == "seen"


def test_an_interrupted_step_ends_and_no_other_begins(stage):
    stage.before_look.append(lambda: stage.ended.append(1))
    stage.works = False
    results = stage.rehearse(timeout=60)
    assert results["webhook"].seen.github == "interrupted"
    assert [value.seen.status for value in results.values()] == ["seen"] * 3 + ["missing"] + ["skipped"] * 7


def never():
    """No person ends the rehearsal."""
    return False


def test_a_step_is_looked_for_at_once_and_then_again():
    answers = iter([None, "there"])
    assert StepDeadline(5, never).wait(lambda: next(answers)) == "there"


def test_a_step_without_time_is_looked_for_once():
    looks = []
    assert StepDeadline(0, never).wait(lambda: looks.append(1)) is None
    assert len(looks) == 1
    begun = monotonic()
    assert StepDeadline(0.7, never).wait(lambda: looks.append(1)) is None
    assert (len(looks), 0.7 <= monotonic() - begun < 2) == (4, True)


def test_githubs_outage_is_waited_out_and_its_refusal_is_not():
    answers = iter([Unreachable("502"), None])

    def look():
        answer = next(answers)
        if answer is not None:
            raise answer
        return "there"

    assert StepDeadline(5, never).wait(look) == "there"
    with pytest.raises(Unreachable):
        StepDeadline(0, never).wait(lambda: (_ for _ in ()).throw(Unreachable("502")))
    with pytest.raises(Missing):
        StepDeadline(5, never).wait(lambda: (_ for _ in ()).throw(Missing("404")))


def test_an_interruption_ends_a_pause_at_once():
    ended, begun = [], monotonic()

    def look():
        ended.append(1)

    with pytest.raises(Interrupted):
        StepDeadline(60, lambda: bool(ended)).wait(look)
    assert monotonic() - begun < 1


EVENT = "pull_request"


@pytest.fixture(name="ear")
def _ear(stage):
    """Where GitHub sends webhooks to."""
    made = Ear()
    stage.scene.app.hook_url = made.url
    with made.server.running():
        yield made


def fate(stage, since, event=EVENT, **settings):
    """What GitHub says, by these settings of ours."""
    scene = stage.scene
    scene.world.hooks.drain()
    return steps.examine(scene.hub, replace(scene.settings, **settings), event, scene.ops.id, since)


def sent(stage, ear, status):
    """GitHub sends one that is answered so."""
    ear.status = status
    stage.scene.pull()


def test_a_webhook_of_another_event_repository_or_time_does_not_count(stage, ear):
    begun = clock.now()
    found = fate(stage, begun)
    assert (found.said, found.at) == ("GitHub lists no such delivery", None)
    sent(stage, ear, 202)
    assert fate(stage, begun, "issue_comment").at is None
    assert fate(stage, clock.now() + timedelta(minutes=1)).at is None
    scene = stage.scene
    other = steps.examine(scene.hub, scene.settings, EVENT, scene.ops.id + 1, begun)
    assert other.said == "GitHub lists no such delivery"


def test_a_wrong_webhook_address_is_told_with_the_doctors_remedy(stage, ear):
    begun = clock.now()
    sent(stage, ear, 404)
    found = fate(stage, begun)
    assert found.said == "pull_request sent, status 404"
    assert found.remedy.startswith(
        f"GitHub sends webhooks to {ear.url}. Set the webhook URL to https://cla.example.org/webhook"
    )


def test_a_foreign_401_is_told_as_a_proxys(stage, ear):
    begun = clock.now()
    url = ear.url.removesuffix("/webhook")
    sent(stage, ear, 401)
    assert "the App has no webhook secret" in fate(stage, begun, url=url).remedy
    stage.scene.app.webhook_secret = "x" * 20
    found = fate(stage, begun, url=url, webhook_secrets=(Secret("x" * 20),))
    assert found.said == "pull_request sent, status 401"
    assert "but not by Countersign" in found.remedy


def test_a_taken_webhook_missing_from_our_database_is_in_another(stage, ear):
    begun = clock.now()
    sent(stage, ear, 202)
    found = fate(stage, begun)
    assert (found.said, found.at is not None) == ("pull_request sent, status 202", True)
    assert "COUNTERSIGN_DATABASE_URL names another database" in found.remedy


def test_an_app_without_the_event_is_told_to_subscribe(stage):
    stage.scene.app.events.remove(EVENT)
    assert "Subscribe the App to the event pull_request" in fate(stage, clock.now()).remedy


@pytest.mark.parametrize(("status", "said"), [(404, "GitHub lists no such delivery"), (502, "GitHub did not say (")])
def test_a_github_without_a_log_or_answer_is_told(stage, status, said):
    stage.scene.weather.faults.append(("GET", "/app/hook/deliveries", status))
    assert fate(stage, clock.now()).said.startswith(said)
