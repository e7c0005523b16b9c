"""The button "I answer for this" on the check of an agent's pull request does what `/cla vouch` does, and no more."""

import pytest
from structlog.testing import capture_logs

from bot.demo.github.contributor import ContributorClone
from bot.demo.github.refusal import ErrorResponse
from bot.flows.override_commands import vouch_by_button
from bot.report import comment_commands
from bot.webhook.events import EventRepository, VouchPressed
from tests.bot.flows.test_address_and_vouch import BOOK
from tests.bot.flows.test_override_commands import entries, given, red, says

BUTTON = "answer-for-agents"


@pytest.fixture(name="scene")
def _scene(staged):
    """Max and ian, who signed, and eve, who did not, may write; the rulebook lists a robot and an account of the type of people as agents."""
    scene = staged(rulebook=BOOK.format(people=""))
    scene.robo = scene.world.user("robo[bot]", name="robo[bot]", type="Bot")
    for name in ("max", "eve", "ian", "machine"):
        setattr(scene, name, scene.world.user(name, name=name.title(), emails=[f"{name}@cann.example"]))
        scene.ops.collaborators[getattr(scene, name).id] = "write"
    scene.sign(scene.max)
    scene.sign(scene.ian)
    rule(scene)
    return scene


def rule(scene, policy="ignore"):
    """The agents of the rulebook, under this policy."""
    agents = f"policy: {policy}, accounts: [{{id: {scene.robo.id}}}, {{id: {scene.machine.id}}}]"
    scene.world.write(scene.rules, {".github/countersign.yml": BOOK.format(people=f"agents: {{{agents}}}")})


def run_of(scene, head):
    """Our newest check run on that head."""
    return next(run for run in reversed(scene.world.check_runs.values()) if run.head_sha == head)


def press(scene, pull, who, *, run=None):
    """That person presses the button at the check, and everything that follows happens."""
    scene.world.request_action(run or run_of(scene, pull.head_sha), who, BUTTON)
    scene.settle()


def pressing_refused(scene, pull):
    """Our answers to presses that do not count."""
    return [comment.body for comment in scene.comments(pull) if comment_commands.PRESS_MARKER in comment.body]


def labels(run):
    return [action["identifier"] for action in run.actions]


@pytest.mark.slow
def test_a_covered_person_with_write_access_answers_by_pressing_once(scene):
    pull, clone = red(scene, who=scene.robo)
    run = run_of(scene, pull.head_sha)
    assert labels(run) == ["check-again", BUTTON]
    assert run.actions[1]["label"] == "I answer for this"
    press(scene, pull, scene.max)

    assert scene.conclusion(pull) == "success"
    assert run.actions == []
    assert [(override.kind, override.by.id, override.reason, override.head_sha) for override in given(scene, pull)] == [
        ("vouch", scene.max.id, 'Pressed the button "I answer for this" on the check.', pull.head_sha)
    ]
    assert entries(scene) == [(scene.max.id, ["override"])]
    clone.commit("More")
    clone.push()
    scene.settle()
    assert scene.conclusion(pull) == "failure"


@pytest.mark.slow
def test_a_second_press_changes_nothing_and_another_person_may_still_answer(scene):
    pull, _ = red(scene, who=scene.robo)
    for who in (scene.eve, scene.eve):
        press(scene, pull, who)
    assert [override.by.id for override in given(scene, pull)] == [scene.eve.id]
    assert scene.conclusion(pull) == "failure"
    assert "vouched for its work, but is not covered" in run_of(scene, pull.head_sha).output["text"]
    press(scene, pull, scene.max)
    assert [override.by.id for override in given(scene, pull)] == [scene.eve.id, scene.max.id]
    assert scene.conclusion(pull) == "success"


@pytest.mark.slow
def test_a_press_after_the_persons_own_command_changes_nothing(scene):
    pull, _ = red(scene, who=scene.robo)
    assert says(scene, pull, scene.eve, "/cla vouch I read it") == ["rocket"]
    press(scene, pull, scene.eve)
    assert [override.reason for override in given(scene, pull)] == ["I read it"]


@pytest.mark.parametrize("who", ["machine", "mia"])
def test_an_agent_or_a_person_without_write_access_is_told_once_that_it_does_not_count(scene, who):
    pull, _ = red(scene, who=scene.robo)
    for _ in range(2):
        press(scene, pull, getattr(scene, who))
    assert given(scene, pull) == ()
    assert scene.conclusion(pull) == "failure"
    assert pressing_refused(scene, pull) == [comment_commands.refused_press("en", is_too_old=False)]


def test_a_bot_that_presses_gets_no_answer(scene):
    pull, _ = red(scene, who=scene.robo)
    press(scene, pull, scene.robo)
    assert (given(scene, pull), pressing_refused(scene, pull)) == ((), [])


@pytest.mark.slow
def test_a_press_on_the_check_of_an_older_commit_does_not_count(scene):
    pull, clone = red(scene, who=scene.robo)
    old = run_of(scene, pull.head_sha)
    clone.commit("More")
    clone.push()
    scene.settle()
    press(scene, pull, scene.max, run=old)
    assert given(scene, pull) == ()
    assert scene.conclusion(pull) == "failure"
    assert pressing_refused(scene, pull) == [comment_commands.refused_press("en", is_too_old=True)]


@pytest.mark.slow
def test_a_press_that_a_push_overtakes_does_not_count(scene):
    pull, clone = red(scene, who=scene.robo)
    scene.world.request_action(run_of(scene, pull.head_sha), scene.max, BUTTON)
    clone.commit("More")
    clone.push()
    scene.settle()
    assert given(scene, pull) == ()
    assert scene.conclusion(pull) == "failure"


def test_a_press_where_the_rulebook_has_come_to_block_agents_does_not_count(scene):
    pull, _ = red(scene, who=scene.robo)
    rule(scene, "block")
    press(scene, pull, scene.max)
    assert given(scene, pull) == ()


def test_nothing_is_recorded_or_said_on_a_closed_pull_request(scene):
    pull, _ = red(scene, who=scene.robo)
    scene.world.close_pull(pull, scene.max)
    press(scene, pull, scene.max)
    assert (given(scene, pull), pressing_refused(scene, pull)) == ((), [])


@pytest.mark.slow
def test_the_button_is_offered_only_where_it_can_help(scene):
    """A voucher cannot mend a person's own missing agreement, and a covered opener vouches by opening."""
    rule(scene, "responsible")
    trailer = f"Work\n\nCo-authored-by: robo <{scene.robo.noreply}>"
    uncovered, clone = scene.pull(who=scene.eve, branch="uncovered")
    clone.commit(trailer)
    clone.push()
    covered, clone = scene.pull(who=scene.max, branch="covered", author=("Max", "max@cann.example"))
    scene.settle()
    assert scene.conclusion(covered) == "success"
    assert labels(run_of(scene, covered.head_sha)) == []
    assert labels(run_of(scene, uncovered.head_sha)) == ["check-again"]
    with pytest.raises(ErrorResponse):
        press(scene, uncovered, scene.max)


@pytest.mark.parametrize(
    ("repository", "owner", "sender"), [(1, None, None), (None, 1, None), (None, None, "Bot")], ids=str
)
def test_an_event_of_another_repository_or_account_or_bot_records_nothing(scene, repository, owner, sender):
    """Should such an event ever get past the parser."""
    pull, _ = red(scene, who=scene.robo)
    house = EventRepository(repository or scene.ops.id, owner or scene.ops.owner.id, "cann", scene.ops.name)
    by = scene.services.hub.account_by_login("max")
    by = type(by)(by.id, by.login, sender or by.type)
    event = VouchPressed(
        installation=scene.row(pull).installation_id,
        repository=house,
        number=pull.number,
        head_sha=pull.head_sha,
        sender=by,
    )
    with capture_logs() as said:
        vouch_by_button(event, scene.services)
    assert "override.recorded" not in [mutable_mapping["event"] for mutable_mapping in said]
    assert given(scene, pull) == ()


@pytest.mark.slow
def test_on_a_shared_head_the_button_is_offered_for_the_pull_request_that_the_run_names_alone(scene):
    first, clone = red(scene, who=scene.robo)
    twin = scene.world.user("twin[bot]", name="twin[bot]", type="Bot")
    fork = scene.world.fork(scene.ops, twin)
    theirs = ContributorClone(scene.world, fork, twin, scene.folder / "twin")
    theirs.git("fetch", "--quiet", str(clone.folder), "HEAD:refs/heads/other")
    theirs.git("switch", "--quiet", "other")
    theirs.push()
    scene.ops.collaborators[scene.robo.id] = "write"
    other = scene.world.open_pull(scene.ops, scene.robo, "other", source=fork)
    scene.settle()
    assert other.head_sha == first.head_sha
    (run,) = [run for run in scene.world.check_runs.values() if run.head_sha == first.head_sha]
    scene.again(other)
    assert labels(run) == ["check-again"]
    scene.again(first)
    press(scene, first, scene.max)
    assert [len(given(scene, pull)) for pull in (first, other)] == [1, 0]
    assert scene.conclusion(first) == "failure", "the other one shares the run, and waits for a person"
