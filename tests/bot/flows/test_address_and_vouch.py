"""Commands that exempt an address without an account or vouch for an agent, recorded for one head."""

import pytest

from bot.report import comment_commands
from bot.store.pulls import overrides
from tests.bot.flows.test_override_commands import entries, given, reactions, red, says

GONE = ("Gone", "gone@old.example")
BOOK = (
    'version: 1\norganization: The CANN Authors\nrepositories: [{{match: ["*"], require: cla}}]\npeople: {{{people}}}\n'
)


@pytest.fixture(name="scene")
def _scene(staged):
    """Mia signed; max maintains cann/ops, and the rulebook lets maintainers exempt."""
    scene = staged(rulebook=BOOK.format(people="override: maintainers"))
    scene.sign(scene.mia)
    scene.max = scene.world.user("max", name="Max", emails=["max@cann.example"])
    scene.ops.collaborators[scene.max.id] = "maintain"
    return scene


@pytest.mark.slow
def test_an_exempted_address_passes_on_this_head_and_is_masked_everywhere(scene):
    pull, clone = red(scene, author=GONE)
    assert says(scene, pull, scene.max, "/cla exempt gone@OLD.example left in 2019") == ["rocket"]
    (override,) = given(scene, pull)
    assert (override.kind, override.account_id, override.email, override.by.id, override.reason) == (
        "cla",
        None,
        "gone@old.example",
        scene.max.id,
        "left in 2019",
    )
    assert scene.conclusion(pull) == "success"
    assert entries(scene) == [(scene.max.id, ["override"])]
    with scene.sessions() as session:
        row = session.exec(overrides.select(overrides.OverrideRow)).one()
        assert b"gone" not in row.reason
        assert row.kind == "address"
        (shown,) = overrides.newest(session, scene.services.vault, skip=0, most=9)
    assert (shown.kind, shown.email) == ("address", "g…e@old.example")
    said = "".join(comment.body for comment in scene.comments(pull))
    runs = "".join(
        f"{run.output['summary']}{run.output['text']}" for run in scene.world.check_runs.values() if run.output
    )
    assert "gone@" not in said + runs
    clone.commit("More", author=GONE)
    clone.push()
    scene.settle()
    assert scene.conclusion(pull) == "failure"


@pytest.mark.parametrize(("who", "text"), [
    ("max", "/cla exempt other@old.example x"), ("mia", "/cla exempt gone@old.example x"), ("max", "/cla exempt mia@home.example x"),
    ("max", "/cla exempt gone@old.example"), ("max", "/cla exempt gone@ x"),
])  # fmt: skip
def test_an_exemption_of_an_address_needs_a_maintainer_a_reason_and_a_commit_by_it(scene, who, text):
    pull, _ = red(scene, author=GONE)
    assert says(scene, pull, getattr(scene, who), text) == ["confused"]
    assert given(scene, pull) == ()
    assert scene.conclusion(pull) == "failure"


def test_a_maintainer_cannot_exempt_their_own_no_reply_address(scene, staged):
    own = f"{scene.max.id}+gone@{scene.max.noreply.partition('@')[2]}"
    pull, _ = red(scene, author=("Max", own))
    assert says(scene, pull, scene.max, f"/cla exempt {own} x") == ["confused"]
    assert given(scene, pull) == ()


@pytest.fixture(name="book")
def _book(staged):
    """A scene whose rulebook lists the robot alone as an agent."""
    scene = staged(rulebook=BOOK.format(people=""))
    scene.max = scene.world.user("max", name="Max", emails=["max@cann.example"])
    scene.ops.collaborators[scene.max.id] = "write"
    scene.robo = scene.world.user("robo[bot]", name="robo[bot]", type="Bot")
    people = f"agents: {{accounts: [{{id: {scene.robo.id}}}]}}"
    scene.world.write(scene.rules, {".github/countersign.yml": BOOK.format(people=people)})
    return scene


@pytest.mark.slow
def test_a_vouch_counts_on_this_head_once_the_person_who_gave_it_has_signed(book):
    scene = book
    pull, clone = red(scene, who=scene.robo)
    assert "cla/agent-alone" in scene.recorded(pull)[1]
    assert says(scene, pull, scene.max, "/cla vouch I read every line") == ["rocket"]
    assert [(override.kind, override.by.id, override.reason) for override in given(scene, pull)] == [
        ("vouch", scene.max.id, "I read every line")
    ]
    assert scene.conclusion(pull) == "failure"
    scene.sign(scene.max)
    scene.again(pull)
    assert scene.conclusion(pull) == "success"
    assert "cla/vouched" in scene.recorded(pull)[1]
    clone.commit("More")
    clone.push()
    scene.settle()
    assert scene.conclusion(pull) == "failure"


@pytest.mark.parametrize(
    ("role", "answer"),
    [("read", "confused"), ("triage", "confused"), ("write", "rocket"), ("maintain", "rocket"), ("admin", "rocket")],
)
def test_only_people_with_write_access_may_vouch(book, role, answer):
    pull, _ = red(book, who=book.robo)
    book.ops.collaborators[book.max.id] = role
    assert says(book, pull, book.max, "/cla vouch I read it") == [answer]


@pytest.mark.parametrize(
    "agents", ["policy: block, accounts: [{{id: {robo}}}]", "accounts: [{{id: {robo}}}, {{id: {max}}}]"]
)
def test_a_vouch_by_an_agent_or_against_a_block_is_refused(book, agents):
    """Such a vouch would be recorded and change nothing."""
    people = f"agents: {{{agents.format(robo=book.robo.id, max=book.max.id)}}}"
    book.world.write(book.rules, {".github/countersign.yml": BOOK.format(people=people)})
    pull, _ = red(book, who=book.robo)
    assert says(book, pull, book.max, "/cla vouch I read it") == ["confused"]
    assert given(book, pull) == ()


def test_a_vouch_without_a_reason_is_answered_with_the_commands(book):
    pull, _ = red(book, who=book.robo)
    assert says(book, pull, book.max, "/cla vouch") == ["confused"]
    assert given(book, pull) == ()
    assert [comment for comment in book.comments(pull) if comment_commands.MARKER in comment.body]


def test_mistyped_commands_get_a_reaction_each_and_one_list_of_commands(scene):
    pull, _ = red(scene, author=GONE)
    texts = [
        "/cla-chek",
        "@dcoapp recheck",
        "I have read the CLA Document and I hereby sign the CLA",
        "/dco sign",
        "/cla exempt ada x",
    ]
    said = [scene.world.comment(pull, scene.mia, text) for text in texts]
    scene.settle()
    assert [reactions(comment) for comment in said] == [["confused"]] * len(texts)
    (answer,) = [comment for comment in scene.comments(pull) if comment_commands.MARKER in comment.body]
    assert answer.body == comment_commands.body("en")
    assert len([comment for comment in scene.comments(pull) if comment_commands.MARKER not in comment.body]) == 1


@pytest.mark.parametrize("language", ["zh", "both"])
def test_the_list_of_commands_is_in_the_rulebooks_language(scene, language):
    scene.world.write(
        scene.rules, {".github/countersign.yml": f"{BOOK.format(people='')}comment: {{language: {language}}}\n"}
    )
    pull, _ = red(scene, author=GONE)
    assert says(scene, pull, scene.mia, "/cla-chek") == ["confused"]
    assert [comment.body for comment in scene.comments(pull) if comment_commands.MARKER in comment.body] == [
        comment_commands.body(language)
    ]


def test_comments_that_are_no_commands_get_no_answer(scene):
    pull, _ = red(scene, author=GONE)
    said = [
        scene.world.comment(pull, scene.mia, text)
        for text in ("please recheck", "/recheck now", "/lgtm", "thanks @ada")
    ]
    scene.settle()
    assert [reactions(comment) for comment in said] == [[]] * 4
    assert not [comment for comment in scene.comments(pull) if comment_commands.MARKER in comment.body]


def test_the_commands_of_other_tools_and_backticks_are_accepted(scene):
    pull, _ = red(scene, author=GONE)
    for text in ("/check-dco", "/easycla", "recheck", "`/cla-check`"):
        assert says(scene, pull, scene.mia, text) == ["eyes"]
