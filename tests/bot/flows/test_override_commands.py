"""A maintainer's command lets an account or the sign-off pass on one head; all other commands change nothing."""

import json
from datetime import timedelta

import pytest
from sqlalchemy import text

from agreements.facts import Account
from bot.demo.github.state import StoredComment
from bot.flows.override_commands import override
from bot.store import inbox
from bot.store.pulls import overrides, review_case
from bot.webhook.events import CommandGiven, EventRepository
from tests.bot.demo.github import github_deeds
from tests.bot.store.pulls.test_pull_state import fetch_snapshot

RULES = """\
version: 1
repositories: [{{match: ["*"], require: {require}}}]
people: {{override: {cla}}}
dco: {{override: {dco}}}
"""


def rules(require="cla", *, cla="maintainers", dco="maintainers"):
    """A rulebook that lets those override."""
    return RULES.format(require=require, cla=cla, dco=dco)


def maintained(scene):
    """The scene with max, who maintains cann/ops."""
    scene.max = scene.world.user("max", name="Max", emails=["max@cann.example"])
    scene.ops.collaborators[scene.max.id] = "maintain"
    return scene


@pytest.fixture(name="scene")
def _scene(staged):
    """Where the agreement is asked for."""
    return maintained(staged(rulebook=rules()))


@pytest.fixture(name="signed_off")
def _signed_off(staged):
    """Where a sign-off is asked for."""
    return maintained(staged(rulebook=rules("dco")))


def red(scene, **more):
    """A pull request that does not pass, judged; gives it and its clone."""
    pull, clone = scene.pull(**more)
    scene.settle()
    assert scene.conclusion(pull) == "failure"
    return pull, clone


def says(scene, pull, who, text):
    """That person comments, and everything that follows happens; gives the reactions to it."""
    said = scene.world.comment(pull, who, text)
    scene.settle()
    return reactions(said)


def reactions(said):
    """What our App answered."""
    return [content for _, who, content, _ in said.reactions if who.login == "countersign[bot]"]


def given(scene, pull):
    """The overrides of the present head, as a review reads them."""
    with scene.sessions() as session:
        case = review_case.read(session, scene.row(pull).id, fetch_snapshot(head_sha=pull.head_sha))
    return overrides.read(scene.services.vault, case.overrides)


def recorded(scene, pull):
    """Overrides of the present head, as (kind, account, by, reason)."""
    return [(decision.kind, decision.account_id, decision.by.id, decision.reason) for decision in given(scene, pull)]


def entries(scene):
    """What the log says of overrides: who gave them, and which tables' rows they are, but for the mark of a new log."""
    with scene.sessions() as session:
        found = session.execute(text("SELECT actor_id, rows FROM ledger_entry WHERE kind = 'override.granted'")).all()
    return [(row.actor_id, [name for name, _, _ in json.loads(row.rows) if name != "ledger_entry"]) for row in found]


def test_a_maintainer_exempts_an_account_on_this_head(scene):
    pull, _ = red(scene)

    assert says(scene, pull, scene.max, "/cla exempt @Mia her employer signs next week\nthanks") == ["rocket"]

    assert recorded(scene, pull) == [("cla", scene.mia.id, scene.max.id, "her employer signs next week")]
    assert entries(scene) == [(scene.max.id, ["override"])]
    assert scene.conclusion(pull) == "success"
    assert scene.recorded(pull) == ("success", ["cla/overridden"])
    assert scene.labels(pull) == ["cla-signed"]
    assert len(scene.comments(pull)) == 1
    assert [run.output["text"] for run in scene.world.check_runs.values()][-1].count("`max`") == 1


def test_a_maintainer_overrides_the_sign_off_on_this_head(signed_off):
    pull, _ = red(signed_off)

    assert says(signed_off, pull, signed_off.max, "/dco override signed on paper") == ["rocket"]

    assert recorded(signed_off, pull) == [("dco", None, signed_off.max.id, "signed on paper")]
    assert signed_off.recorded(pull)[0] == "success"
    assert "dco/overridden" in signed_off.recorded(pull)[1]


@pytest.mark.slow
def test_an_override_ends_with_the_next_push(scene):
    pull, clone = red(scene)
    says(scene, pull, scene.max, "/cla exempt @mia x")
    first = pull.head_sha

    clone.commit("More", files={"more.txt": "x"})
    clone.push()
    scene.settle()

    assert pull.head_sha != first
    assert scene.conclusion(pull) == "failure"
    assert says(scene, pull, scene.max, "/cla exempt @mia x") == ["rocket"]
    assert scene.conclusion(pull) == "success"


@pytest.mark.parametrize("kind", ["cla", "dco"])
@pytest.mark.parametrize(
    ("rule", "denied", "allowed"),
    [
        ("maintainers", [None, "read", "triage", "write"], ["maintain", "admin"]),
        ("admins", ["write", "maintain"], ["admin"]),
        ("nobody", ["maintain", "admin"], []),
    ],
)
def test_an_override_needs_the_role_that_its_checks_rule_names(staged, kind, rule, denied, allowed):
    other = "admins" if rule == "nobody" else "nobody"
    scene = staged(rulebook=rules(kind, **{"cla": other, "dco": other, kind: rule}))
    eve = scene.world.user("eve")
    pull, _ = red(scene)
    text = "/cla exempt @mia x" if kind == "cla" else "/dco override x"

    for number, role in enumerate(denied + allowed, start=1):
        scene.ops.collaborators[eve.id] = role or "none"
        may = role in allowed
        assert says(scene, pull, eve, text) == ["rocket" if may else "confused"], role
        assert len(recorded(scene, pull)) == max(0, number - len(denied))
        assert scene.conclusion(pull) == ("success" if may else "failure")


def test_a_former_maintainer_is_refused(scene):
    pull, _ = red(scene)
    del scene.ops.collaborators[scene.max.id]

    assert says(scene, pull, scene.max, "/cla exempt @mia x") == ["confused"]
    assert scene.conclusion(pull) == "failure"


@pytest.mark.parametrize("maintains", [True, False])
def test_a_role_counts_only_for_the_account_that_wrote_the_command(scene, maintains):
    """GitHub answers for a login, which may have a new holder by then."""
    pull, _ = red(scene)
    who = scene.max if maintains else scene.world.user("eve")
    said = scene.world.comment(pull, who, "/cla exempt @mia x")
    scene.hear()
    scene.weather.before.append(("GET", "/permission", lambda: swap(scene, who)))
    scene.settle()

    assert reactions(said) == ["rocket" if maintains else "confused"]
    assert len(recorded(scene, pull)) == maintains


def swap(scene, who):
    """They take another login, and an administrator takes theirs."""
    former = who.login
    github_deeds.rename_account(scene.world, who, f"{former}-was-here")
    github_deeds.rename_account(scene.world, scene.ada, former)


def test_a_maintainer_cannot_exempt_themselves(scene):
    scene.ops.collaborators[scene.mia.id] = "admin"
    pull, _ = red(scene, who=scene.max)

    assert says(scene, pull, scene.max, "/cla exempt @max x") == ["confused"]
    assert says(scene, pull, scene.mia, "/cla exempt @max x") == ["rocket"]


def test_a_participant_cannot_override_the_sign_off_and_another_maintainer_can(signed_off):
    pull, _ = red(signed_off, who=signed_off.max)

    assert says(signed_off, pull, signed_off.max, "/dco override x") == ["confused"]
    assert recorded(signed_off, pull) == []
    assert says(signed_off, pull, signed_off.ada, "/dco override x") == ["rocket"]


@pytest.mark.parametrize(
    "text",
    [
        "/cla exempt @mia",
        "/cla exempt mia because",
        "/cla exempt @nobody-has-this because",
        "/cla exempt @ada because",
        "/cla exempt\n@mia because",
        "/dco override",
    ],
)
def test_a_command_without_reason_or_with_a_wrong_login_is_refused(scene, text):
    pull, _ = red(scene)

    assert says(scene, pull, scene.max, text) == ["confused"]
    assert recorded(scene, pull) == []
    assert scene.conclusion(pull) == "failure"


def test_an_edited_command_is_refused(scene):
    """People with write access can edit a maintainer's comment."""
    pull, _ = red(scene)
    said = scene.world.comment(pull, scene.max, "/cla exempt @mia x")
    scene.hear()
    said.updated_at += timedelta(seconds=1)
    scene.settle()

    assert reactions(said) == ["confused"]
    assert recorded(scene, pull) == []


@pytest.mark.parametrize("change", ["body", "author", "bot", "gone", "deleted"])
def test_a_command_counts_only_as_github_has_it_now(scene, change):
    pull, _ = red(scene)
    said = scene.world.comment(pull, scene.max, "/cla exempt @mia x")
    scene.hear()
    if change == "body":
        said.body = "never mind"
    elif change == "author":
        said.user = scene.ada
    elif change == "bot":
        scene.max.type = "Bot"
    elif change == "gone":
        said.user = None
    else:
        pull.comments.remove(said)
    scene.settle()

    assert reactions(said) == (["confused"] if change == "body" else [])
    assert recorded(scene, pull) == []
    assert scene.conclusion(pull) == "failure"
    assert waiting(scene) == []


def waiting(scene):
    """Deliveries that no worker has handled yet."""
    with scene.sessions() as session:
        return [delivery_record.guid for delivery_record in inbox.listed(session, "received")]


def test_a_command_of_a_bot_is_ignored(scene):
    helper = scene.world.user("helper[bot]", type="Bot")
    scene.ops.collaborators[helper.id] = "admin"
    pull, _ = red(scene)

    assert says(scene, pull, helper, "/cla exempt @mia x") == []
    assert recorded(scene, pull) == []


def test_a_command_does_not_count_on_another_pull_request(scene):
    pull, _ = red(scene)
    other, _ = red(scene, branch="other")
    said = scene.world.comment(other, scene.max, "/cla exempt @mia x")
    event = command(scene, pull, said)
    scene.accept(event, guid="forged", name="issue_comment")
    scene.jobs.run_all()

    assert recorded(scene, pull) == []
    assert reactions(said) == []


def command(scene, pull, said: StoredComment, **changes):
    """The event of a comment."""
    values = {
        "installation": scene.installation.id,
        "repository": EventRepository(scene.ops.id, scene.cann.id, "cann", "ops"),
        "number": pull.number,
        "comment_id": said.id,
        "command": "exempt",
        "sender": Account(scene.max.id, "max"),
    }
    return CommandGiven(**{**values, **changes})


def test_a_command_written_before_a_push_does_not_count_for_the_new_head(scene):
    pull, clone = red(scene)
    early = scene.world.comment(pull, scene.max, "/cla exempt @mia x")
    scene.hear()
    clone.commit("Sneak in", files={"sneak.txt": "x"})
    clone.push()
    scene.settle()
    assert reactions(early) == ["confused"]

    late = scene.world.comment(pull, scene.max, "/cla exempt @mia x")
    late.created_at = late.updated_at = late.created_at - timedelta(minutes=5)
    scene.settle()

    assert reactions(late) == ["confused"]
    assert recorded(scene, pull) == []
    assert scene.conclusion(pull) == "failure"


def test_a_command_before_the_first_verdict_is_refused(scene):
    pull, _ = scene.pull()
    scene.hear()
    said = scene.world.comment(pull, scene.max, "/cla exempt @mia x")
    scene.settle()

    assert reactions(said) == ["confused"]
    assert scene.conclusion(pull) == "failure"


def test_a_command_on_a_closed_pull_request_is_refused(scene):
    pull, _ = red(scene)
    scene.world.close_pull(pull, scene.mia)

    assert says(scene, pull, scene.max, "/cla exempt @mia x") == ["confused"]
    assert recorded(scene, pull) == []


def test_a_command_in_a_transferred_repository_that_is_not_served_is_ignored(scene):
    pull, _ = red(scene)
    said = scene.world.comment(pull, scene.max, "/cla exempt @mia x")
    scene.world.former_names["cann/ops"] = scene.ops.id
    scene.ops.owner = scene.world.organization("elsewhere", admins=[scene.ada])
    there = scene.world.install(scene.app, scene.ops.owner, scene.ada)
    for installation in (scene.installation.id, there.id):
        override(command(scene, pull, said, installation=installation), scene.services)

    assert (reactions(said), recorded(scene, pull)) == ([], [])


def test_no_override_is_given_while_the_rulebook_is_broken(scene):
    pull, _ = red(scene)
    scene.world.write(scene.rules, {".github/countersign.yml": "version: 1\npeopel: {}\n"})

    assert says(scene, pull, scene.max, "/cla exempt @mia x") == ["confused"]
    assert recorded(scene, pull) == []


@pytest.mark.slow
def test_a_command_delivered_again_counts_once_and_for_its_head_alone(scene):
    pull, clone = red(scene)
    said = scene.world.comment(pull, scene.max, "/cla exempt @mia x")
    scene.settle()
    scene.accept(command(scene, pull, said), guid="again", name="issue_comment")
    scene.settle()
    assert len(recorded(scene, pull)) == 1

    clone.commit("More", files={"more.txt": "x"})
    clone.push()
    scene.settle()
    scene.accept(command(scene, pull, said), guid="later", name="issue_comment")
    scene.settle()

    assert recorded(scene, pull) == []
    assert scene.conclusion(pull) == "failure"


def test_a_command_waits_while_github_is_away(scene):
    pull, _ = red(scene)
    scene.weather.faults.append(("*", "", 502))
    said = scene.world.comment(pull, scene.max, "/cla exempt @mia x")
    scene.hear()
    scene.one_delayed()
    assert recorded(scene, pull) == []
    assert len(waiting(scene)) == 1

    scene.weather.faults.clear()
    scene.settle(delayed=True)

    assert reactions(said) == ["rocket"]
    assert len(recorded(scene, pull)) == 1
    assert waiting(scene) == []
    assert scene.conclusion(pull) == "success"


@pytest.mark.parametrize("status", [403, 404, 502])
def test_an_override_stands_without_its_reaction(scene, status):
    pull, _ = red(scene)
    scene.weather.faults.append(("POST", "/reactions", status))

    assert says(scene, pull, scene.max, "/cla exempt @mia x") == []
    assert scene.conclusion(pull) == "success"


def test_a_command_is_given_up_after_the_app_was_suspended(scene):
    pull, _ = red(scene)
    said = scene.world.comment(pull, scene.max, "/cla exempt @mia x")
    scene.hear()
    scene.world.suspend(scene.installation, scene.ada)
    scene.settle()

    assert reactions(said) == []
    assert recorded(scene, pull) == []
    assert waiting(scene) == []


def test_the_reason_is_stored_sealed_and_not_with_the_delivery(scene):
    pull, _ = red(scene)
    says(scene, pull, scene.max, "/cla exempt @mia canary-reason")
    with scene.sessions() as session:
        stored = str([delivery_record.ids for delivery_record in inbox.listed(session)])
    assert "canary" not in stored
    assert "canary" not in str([run.output for run in scene.world.check_runs.values()])
