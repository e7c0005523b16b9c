"""An address without an account is exempted, and a person vouches for an agent: asked of GitHub, for one head, recorded."""

import pytest

from bot.report import comment_commands
from bot.store.pulls import overrides
from tests.bot.flows.test_override import entries, reactions, red, says

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


def given(scene, pull):
    """What is recorded of the present head."""
    with scene.sessions() as session:
        return overrides.read(scene.services.vault, overrides.on_head(session, scene.row(pull).id, pull.head_sha))


def test_a_dead_address_is_exempted(scene):
    """Green with a note; the address is sealed, masked wherever it is shown, and one entry is in the log."""
    pull, clone = red(scene, author=GONE)
    assert says(scene, pull, scene.max, "/cla exempt gone@OLD.example left in 2019") == ["rocket"]
    (one,) = given(scene, pull)
    assert (one.kind, one.account_id, one.email, one.by.id, one.reason) == (
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
    said = "".join(one.body for one in scene.comments(pull))
    runs = "".join(
        f"{one.output['summary']}{one.output['text']}" for one in scene.world.check_runs.values() if one.output
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
def test_who_and_what_is_not_allowed(scene, who, text):
    """Not an address that no commit has, not one of an account, not by those who may not, not without a reason."""
    pull, _ = red(scene, author=GONE)
    assert says(scene, pull, getattr(scene, who), text) == ["confused"]
    assert given(scene, pull) == ()
    assert scene.conclusion(pull) == "failure"


def test_nobody_exempts_their_own_address(scene, staged):
    """The number in a no-reply address is the commenter's."""
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


def test_a_covered_person_vouches(book):
    """Not yet while they have signed nothing; once they sign, the pull request turns green by itself. For this head alone."""
    scene = book
    pull, clone = red(scene, who=scene.robo)
    assert "cla/agent-alone" in scene.recorded(pull)[1]
    assert says(scene, pull, scene.max, "/cla vouch I read every line") == ["rocket"]
    assert [(one.kind, one.by.id, one.reason) for one in given(scene, pull)] == [
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
def test_who_may_vouch(book, role, answer):
    """Who may write, by GitHub's own word, whatever the rulebook says of overrides."""
    pull, _ = red(book, who=book.robo)
    book.ops.collaborators[book.max.id] = role
    assert says(book, pull, book.max, "/cla vouch I read it") == [answer]


@pytest.mark.parametrize(
    "agents", ["policy: block, accounts: [{{id: {robo}}}]", "accounts: [{{id: {robo}}}, {{id: {max}}}]"]
)
def test_no_vouch_by_an_agent_or_against_a_block(book, agents):
    """It would be recorded and change nothing, so it is refused."""
    people = f"agents: {{{agents.format(robo=book.robo.id, max=book.max.id)}}}"
    book.world.write(book.rules, {".github/countersign.yml": BOOK.format(people=people)})
    pull, _ = red(book, who=book.robo)
    assert says(book, pull, book.max, "/cla vouch I read it") == ["confused"]
    assert given(book, pull) == ()


def test_a_vouch_needs_a_reason(book):
    """Without one nothing is recorded, and the commands are listed."""
    pull, _ = red(book, who=book.robo)
    assert says(book, pull, book.max, "/cla vouch") == ["confused"]
    assert given(book, pull) == ()
    assert [one for one in book.comments(pull) if comment_commands.MARKER in one.body]


def test_one_helpful_answer(scene):
    """However many mistyped and foreign commands there are: a reaction each, and the commands once."""
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
    assert [reactions(one) for one in said] == [["confused"]] * len(texts)
    (answer,) = [one for one in scene.comments(pull) if comment_commands.MARKER in one.body]
    assert answer.body == comment_commands.body("en")
    assert len([one for one in scene.comments(pull) if comment_commands.MARKER not in one.body]) == 1


@pytest.mark.parametrize("language", ["zh", "both"])
def test_the_answer_is_in_the_rulebook_s_language(scene, language):
    """As the comment about the verdict is."""
    scene.world.write(
        scene.rules, {".github/countersign.yml": f"{BOOK.format(people='')}comment: {{language: {language}}}\n"}
    )
    pull, _ = red(scene, author=GONE)
    assert says(scene, pull, scene.mia, "/cla-chek") == ["confused"]
    assert [one.body for one in scene.comments(pull) if comment_commands.MARKER in one.body] == [
        comment_commands.body(language)
    ]


def test_talk_gets_no_answer(scene):
    """Nor does what is meant for others."""
    pull, _ = red(scene, author=GONE)
    said = [
        scene.world.comment(pull, scene.mia, text)
        for text in ("please recheck", "/recheck now", "/lgtm", "thanks @ada")
    ]
    scene.settle()
    assert [reactions(one) for one in said] == [[]] * 4
    assert not [one for one in scene.comments(pull) if comment_commands.MARKER in one.body]


def test_other_spellings_check_again(scene):
    """The commands of the tools that are replaced, and backticks around ours."""
    pull, _ = red(scene, author=GONE)
    for text in ("/check-dco", "/easycla", "recheck", "`/cla-check`"):
        assert says(scene, pull, scene.mia, text) == ["eyes"]
