"""The pushers are known by events or asked of GitHub; an unknown pusher does not pass."""

import pytest

from agreements.facts import Account
from bot.demo.github.contributor import ContributorClone
from bot.flows import lot
from bot.flows.review import STALE_HEAD_DELAY
from bot.store import inbox
from bot.store.pulls import review_mailbox
from bot.store.records import PullRecord
from bot.store.retry_policy import MAX_QUICK_RETRIES
from bot.store.statements import change
from bot.webhook import event_parser, events
from tests.bot.demo.github import github_deeds
from tests.bot.flows.recipes import pushed_by_another

MAINTAINERS = 'version: 1\nrepositories: [{match: ["*"], require: cla}]\npeople: {override: maintainers}\n'
BOTH = pytest.mark.parametrize("database_url", ["sqlite", "postgres"], indirect=True)
ACTIVITY = ("GET", "/activity", 404)
"""GitHub does not say: a private fork, or an older GitHub Enterprise Server."""


@pytest.fixture(name="pushed_by_mal")
def _pushed_by_mal(scene):
    """Mia's green pull request, to which mal pushed a commit in mia's name; the event is held back."""
    pull, mal = pushed_by_another(scene)
    scene.world.hooks.drain()
    late, scene.heard = scene.world.hooks.log[scene.heard :], len(scene.world.hooks.log)
    return pull, mal, late


def arrive(scene, late):
    """What was held back comes in after all."""
    for delivery in late:
        if found := event_parser.parse(delivery.event, delivery.body, app_id=scene.app.id):
            scene.accept(found, guid=delivery.guid, name=delivery.event)


def shown(scene, pull):
    """What the check run on the present head says."""
    output = next(run for run in scene.world.check_runs.values() if run.head_sha == pull.head_sha).output
    return output["summary"] + output["text"]


@pytest.mark.slow
def test_a_push_without_an_event_is_looked_up_in_the_activity_log(scene, pushed_by_mal):
    pull, mal, late = pushed_by_mal
    scene.world.comment(pull, mal, "/cla-check")
    scene.settle()
    assert scene.recorded(pull) == ("failure", ["cla/unsigned", "cla/individual"])

    arrive(scene, late)
    scene.settle(delayed=True)
    assert scene.recorded(pull) == ("failure", ["cla/unsigned", "cla/individual"])


@pytest.mark.slow
def test_a_forced_push_to_an_unreadable_fork_is_looked_up_in_the_timeline(scene):
    scene.weather.faults.append(ACTIVITY)
    scene.sign(scene.mia)
    pull, _ = scene.pull()
    scene.settle()
    mal = scene.world.user("mal", name="Mal", emails=["mal@home.example"])
    pull.head_repository.collaborators[mal.id] = "write"
    theirs = ContributorClone(scene.world, pull.head_repository, mal, scene.folder / "mal")
    theirs.git("switch", "--quiet", "--create", "topic", "origin/main")
    theirs.commit("Pretend", author=("Mia", "mia@home.example"))
    theirs.push(force=True)
    scene.hear(drop=("pull_request",))
    scene.again(pull)

    assert scene.recorded(pull) == ("failure", ["cla/unsigned", "cla/individual"])


@pytest.mark.slow
def test_a_push_by_an_unknown_account_needs_action(scene, pushed_by_mal):
    pull, mal, late = pushed_by_mal
    scene.weather.faults.append(ACTIVITY)
    assert scene.labels(pull) == ["cla-signed"]
    scene.world.comment(pull, mal, "/cla-check")
    scene.settle()

    assert scene.conclusion(pull) == "action_required"
    assert scene.recorded(pull) == ("action_required", ["facts/incomplete", "cla/individual"])
    assert f"who pushed `{pull.head_sha[:7]}`" in shown(scene, pull)
    assert "Close this pull request and reopen it." in shown(scene, pull)
    assert "@ghost" not in shown(scene, pull), "no person may override here"
    assert scene.labels(pull) == []

    arrive(scene, late)
    scene.settle(delayed=True)
    assert scene.recorded(pull) == ("failure", ["cla/unsigned", "cla/individual"])


@pytest.mark.slow
def test_a_failed_delivery_of_the_push_is_requested_again(scene, pushed_by_mal):
    pull, mal, late = pushed_by_mal
    scene.weather.faults.append(ACTIVITY)
    for delivery in late:
        scene.world.hooks.log_failure(delivery)
    scene.world.comment(pull, mal, "/cla-check")
    scene.settle()
    assert scene.conclusion(pull) == "action_required"

    sent_again, scene.world.hooks.redelivered = scene.world.hooks.redelivered, []
    assert [(delivery.event, delivery.action) for delivery in sent_again] == [("pull_request", "synchronize")]
    arrive(scene, sent_again)
    scene.settle()
    assert scene.recorded(pull) == ("failure", ["cla/unsigned", "cla/individual"])


@pytest.mark.slow
def test_the_verdict_is_shown_while_the_log_of_deliveries_is_away(scene, pushed_by_mal):
    pull, mal, _ = pushed_by_mal
    scene.weather.faults += [ACTIVITY, ("GET", "/app/hook/deliveries", 502)]
    scene.world.comment(pull, mal, "/cla-check")
    scene.settle()
    assert scene.recorded(pull) == ("action_required", ["facts/incomplete", "cla/individual"])
    assert "Close this pull request and reopen it." in shown(scene, pull)


@pytest.mark.slow
@pytest.mark.parametrize("known", [True, False], ids=["GitHub says who", "GitHub does not say"])
def test_a_push_missing_between_two_known_ones_is_noticed(scene, pushed_by_mal, known):
    pull, _, late = pushed_by_mal
    if not known:
        scene.weather.faults.append(ACTIVITY)
    clone = ContributorClone(scene.world, pull.head_repository, scene.mia, scene.folder / "mia-again")
    clone.git("switch", "--quiet", "topic")
    clone.commit("On top")
    clone.push()
    scene.settle()
    assert scene.conclusion(pull) == ("failure" if known else "action_required")

    arrive(scene, late)
    scene.settle(delayed=True)
    assert scene.recorded(pull) == ("failure", ["cla/unsigned", "cla/individual"])


@pytest.mark.slow
@pytest.mark.parametrize(("by", "conclusion"), [("mal", "failure"), ("mia", "success"), ("ada", "success")])
def test_the_person_who_reopens_answers_for_the_unknown_push(scene, pushed_by_mal, by, conclusion):
    pull, mal, _ = pushed_by_mal
    scene.weather.faults.append(ACTIVITY)
    scene.world.comment(pull, mal, "/cla-check")
    scene.settle()
    assert scene.conclusion(pull) == "action_required"

    who = {"mal": mal, "mia": scene.mia, "ada": scene.ada}[by]
    scene.world.close_pull(pull, who)
    scene.world.reopen_pull(pull, who)
    scene.settle(delayed=True)
    assert scene.recorded(pull)[0] == conclusion


@pytest.mark.parametrize(
    ("again", "codes"), [("reopened", ["dco/bot-unproven"]), ("pushed", ["dco/bot-unproven", "dco/bot"])]
)
def test_a_bot_that_reopens_or_pushes_too_proves_no_commit_of_another_person(staged, again, codes):
    scene = staged(rulebook="version: 1\n")
    robot = scene.world.user("robot[bot]", name="robot[bot]", type="Bot")
    pull, clone = scene.pull(author=(robot.name, robot.noreply))
    scene.settle()
    assert scene.recorded(pull) == ("failure", ["dco/bot-unproven"])

    if again == "reopened":
        scene.world.close_pull(pull, scene.ada)
        scene.world.reopen_pull(pull, robot)
    else:
        clone.repository.collaborators[robot.id] = "write"
        own = ContributorClone(scene.world, clone.repository, robot, scene.folder / "robot")
        own.git("switch", "--quiet", "topic")
        own.commit("Fix it")
        own.push()
    scene.settle(delayed=True)
    assert scene.recorded(pull) == ("failure", codes)


@pytest.mark.slow
def test_a_maintainer_exempts_an_unknown_push_as_ghost(staged):
    scene = staged(rulebook=MAINTAINERS)
    scene.sign(scene.mia)
    pull, clone = scene.pull()
    scene.settle()
    scene.world.comment(pull, scene.ada, "/cla exempt @ghost there is none")
    scene.settle()
    scene.weather.faults.append(ACTIVITY)
    clone.commit("Unheard of")
    clone.push()
    scene.hear(drop=("pull_request",))
    scene.again(pull)
    assert scene.conclusion(pull) == "action_required"
    assert "`/cla exempt @ghost REASON`" in shown(scene, pull)

    scene.world.comment(pull, scene.mia, "/cla exempt @ghost I am no maintainer")
    scene.settle()
    assert scene.conclusion(pull) == "action_required"
    scene.world.comment(pull, scene.ada, "/cla exempt @ghost It was mia, I saw it")
    scene.settle()
    assert scene.recorded(pull) == ("success", ["cla/individual", "cla/overridden"])
    assert [reaction[2] for comment in pull.comments for reaction in comment.reactions] == [
        "confused",
        "confused",
        "rocket",
    ]


@pytest.mark.slow
def test_exempting_an_unknown_push_exempts_no_known_pusher(staged):
    scene = staged(rulebook=MAINTAINERS)
    scene.sign(scene.mia)
    pull, clone = scene.pull()
    scene.settle()
    scene.weather.faults.append(ACTIVITY)
    clone.commit("Unheard of")
    clone.push()
    scene.hear(drop=("pull_request",))
    eve = scene.world.user("eve", name="Eve", emails=["eve@home.example"])
    pull.head_repository.collaborators[eve.id] = "write"
    theirs = ContributorClone(scene.world, pull.head_repository, eve, scene.folder / "eve")
    theirs.git("switch", "--quiet", "topic")
    theirs.commit("Pretend", author=("Mia", "mia@home.example"))
    theirs.push()
    scene.settle()
    assert scene.recorded(pull) == ("failure", ["cla/unsigned", "facts/incomplete", "cla/individual"])

    scene.world.comment(pull, scene.ada, "/cla exempt @ghost It was mia, I saw it")
    scene.settle()
    assert scene.recorded(pull) == ("failure", ["cla/unsigned", "cla/individual", "cla/overridden"])


@pytest.mark.slow
def test_a_pull_request_first_known_by_a_push_stays_judged(scene):
    scene.sign(scene.mia)
    scene.weather.faults.append(ACTIVITY)
    pull, clone = scene.pull()
    scene.hear(drop=("pull_request",))
    for number in range(3):
        clone.commit(f"More {number}")
        clone.push()
        scene.settle()
        assert scene.recorded(pull) == ("success", ["cla/individual"])
        scene.again(pull)
        assert scene.recorded(pull) == ("success", ["cla/individual"])
    clone.git("reset", "--quiet", "--hard", "origin/main")
    clone.commit("Another")
    clone.push(force=True)
    scene.settle()
    scene.again(pull)
    assert scene.recorded(pull) == ("success", ["cla/individual"])


@BOTH
def test_rows_given_up_by_an_earlier_release_are_judged_again(scene):
    scene.sign(scene.mia)
    scene.weather.faults.append(ACTIVITY)
    pull, clone = scene.pull()
    scene.hear(drop=("pull_request",))
    clone.commit("More")
    clone.push()
    scene.settle()
    with scene.sessions() as session:
        row = review_mailbox.find(session, pull.repository.id, pull.number)
        now = {"attempts": MAX_QUICK_RETRIES + 1, "evaluated": 0, "latest": row.latest + 1, "due_at": scene.clock()}
        change(session, PullRecord, {"id": row.id}, **now)
    lot.queue_due(scene.services)
    scene.settle()

    assert scene.recorded(pull) == ("success", ["cla/individual"])
    assert (scene.row(pull).attempts, scene.row(pull).due_at) == (0, None)


def test_a_refused_comment_does_not_break_the_chain_of_pushes(scene):
    pull, clone = scene.pull()
    scene.hear(drop=("pull_request",))
    clone.commit("More")
    clone.push()
    scene.weather.faults.append(("POST", "/comments", 502))
    scene.settle()
    scene.weather.faults.clear()
    scene.settle(delayed=True)
    assert scene.recorded(pull) == ("failure", ["cla/unsigned"])
    assert len(scene.comments(pull)) == 1


@pytest.mark.parametrize("status", [404, 502])
def test_rules_that_do_not_check_pushers_wait_for_none(staged, status):
    scene = staged(rulebook="version: 1\n")
    scene.weather.faults.append(("GET", "/activity", status))
    pull, clone = scene.pull("One\n\nSigned-off-by: Mia <mia@home.example>")
    scene.settle()
    clone.commit("Two\n\nSigned-off-by: Mia <mia@home.example>")
    clone.push()
    scene.hear(drop=("pull_request",))
    scene.again(pull)
    assert scene.recorded(pull)[0] == "success"


@pytest.mark.slow
def test_a_push_that_arrives_during_the_look_is_judged_with_its_sender(scene, pushed_by_mal):
    pull, mal, late = pushed_by_mal

    def arrive():
        for delivery in late:
            if found := event_parser.parse(delivery.event, delivery.body, app_id=scene.app.id):
                scene.accept(found, guid=delivery.guid, name=delivery.event)

    scene.world.comment(pull, mal, "/cla-check")
    scene.hear()
    scene.weather.before.append(("POST", "/graphql", arrive))
    scene.settle()

    titles = {run.output["title"] for run in scene.world.check_runs.values() if run.head_sha == pull.head_sha}
    assert scene.conclusion(pull) == "failure"
    assert len(titles) == 1


def test_a_lost_second_push_is_looked_up_and_not_waited_for(scene):
    scene.sign(scene.mia)
    pull, clone = scene.pull()
    scene.settle()
    clone.commit("Heard of")
    clone.push()
    scene.hear()
    clone.commit("Lost")
    clone.push()
    scene.hear(drop=("pull_request",))
    scene.jobs.run_all(delayed=True, limit=20)
    assert scene.recorded(pull) == ("success", ["cla/individual"])
    assert not scene.jobs.waiting


def test_a_reopened_pull_request_does_not_wait_for_pushes_made_while_closed(scene):
    """GitHub does not announce pushes to a closed pull request's branch."""
    scene.sign(scene.mia)
    pull, clone = scene.pull()
    scene.settle()
    scene.world.close_pull(pull, scene.mia)
    clone.commit("Meanwhile")
    clone.push()
    scene.settle()
    scene.world.reopen_pull(pull, scene.ada)
    scene.settle()

    assert scene.recorded(pull)[0] == "success"
    assert scene.row(pull).head_sha == pull.head_sha


def test_a_head_older_than_its_event_is_looked_at_once_more(scene):
    pull, _ = scene.pull()
    scene.settle()
    ahead = events.PullRequestChanged(
        installation=scene.installation.id,
        repository=events.EventRepository(scene.ops.id, scene.cann.id, "cann", "ops"),
        number=pull.number,
        action="synchronize",
        sender=Account(scene.mia.id, "mia"),
        after="f" * 40,
    )
    scene.accept(ahead, guid="ahead", name="pull_request")
    scene.jobs.run_all()
    assert [job.delay for job in scene.jobs.waiting] == [STALE_HEAD_DELAY]

    scene.jobs.run_all(delayed=True)
    assert not scene.jobs.waiting
    with scene.sessions() as session:
        assert {row.state for row in inbox.listed(session)} == {"done"}


def updated_by(scene, pull, who, *, work=False):
    """This account merges the base into the branch, as "Update branch" does; with `work`, after a commit of its own."""
    scene.world.write(scene.ops, {"news.txt": "x"})
    pull.head_repository.collaborators[who.id] = "write"
    theirs = ContributorClone(scene.world, pull.head_repository, who, scene.folder / who.login)
    theirs.git("switch", "--quiet", "topic")
    if work:
        theirs.commit("Their own")
    theirs.git("fetch", "--quiet", str(scene.ops.git), "main")
    name, address = f"user.name={who.name}", f"user.email={who.emails[0].address}"
    theirs.git("-c", name, "-c", address, "merge", "--quiet", "--no-ff", "--no-edit", "FETCH_HEAD")
    theirs.push()
    scene.settle()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("by", "work", "codes"),
    [
        ("ada", False, ["cla/individual", "cla/sender-writes"]),
        ("ada", True, ["cla/unsigned", "cla/individual"]),
        ("bo", False, ["cla/unsigned", "cla/individual"]),
    ],
    ids=["may write", "may write, and wrote", "may not write"],
)
def test_a_merge_of_the_base_makes_a_sender_only_of_people_who_may_not_write(scene, by, work, codes):
    scene.sign(scene.mia)
    pull, _ = scene.pull()
    scene.settle()
    who = scene.ada if by == "ada" else scene.world.user("bo", name="Bo", emails=["bo@home.example"])
    scene.calls()
    updated_by(scene, pull, who, work=work)

    assert scene.recorded(pull)[1] == codes
    asked = [template for _, template in scene.calls() if template.endswith("/permission")]
    assert len(asked) == (not work)


@pytest.mark.slow
def test_where_authors_are_not_checked_a_maintainers_own_push_passes(staged):
    rules = 'version: 1\nrepositories: [{match: ["*"], require: cla}]\npeople: {check: [opener, senders]}\n'
    scene = staged(rulebook=rules)
    scene.sign(scene.mia)
    pull, _ = scene.pull()
    scene.settle()
    updated_by(scene, pull, scene.ada, work=True)
    assert scene.recorded(pull) == ("success", ["cla/individual", "cla/sender-writes"])


@pytest.mark.slow
@pytest.mark.parametrize("taken", [True, False], ids=["another account has the old login", "no account has it"])
def test_a_maintainer_who_changed_their_login_is_known_by_id(scene, taken):
    scene.sign(scene.mia)
    pull, _ = scene.pull()
    scene.settle()
    updated_by(scene, pull, scene.ada)
    assert scene.recorded(pull) == ("success", ["cla/individual", "cla/sender-writes"])

    github_deeds.rename_account(scene.world, scene.ada, "ada-lovelace")
    if taken:
        scene.world.user("ada")
    scene.again(pull)
    assert scene.recorded(pull) == ("success", ["cla/individual", "cla/sender-writes"])
