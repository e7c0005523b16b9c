"""A maintainer lets a person pass by a comment, on the real server; no other can, and the next push is judged anew."""

import pytest

pytestmark = pytest.mark.slow

RULEBOOK = """\
version: 1
repositories:
  - {match: [docs], require: dco}
  - {match: ["*"], require: cla}
people: {override: maintainers}
"""


@pytest.fixture(name="play")
def _play(staged):
    """A community whose rulebook lets maintainers override, with max, who maintains both repositories."""
    play = staged()
    play.community(RULEBOOK, repositories=("ops-math", "docs"))
    play.max = play.person("max", "max@example.org").account
    for name in ("ops-math", "docs"):
        play.world.find_repository("cann", name).collaborators[play.max.id] = "maintain"
    play.stage.serve()
    return play


def says(play, pull, who, text):
    """That person comments; gives the comment once everything is quiet."""
    said = play.world.comment(pull, who, text)
    play.quiet()
    return said


def reactions(said):
    """What our App answered."""
    return [content for _, who, content, _ in said.reactions if who.type == "Bot"]


def test_a_maintainer_exempts_a_contributor_for_one_head(play):
    ada = play.person("ada", "ada@example.org")
    desk, pull = play.opens(ada)
    play.judged(pull, "failure")

    said = says(play, pull, play.max, "/cla exempt @ada her employer's signature is on its way")
    play.judged(pull, "success")

    assert ["rocket"] == reactions(said)
    [run] = play.runs(pull)
    assert "`max`" in run.output["text"]
    assert "on its way" not in str(run.output), "the reason is not public twice"
    play.until(lambda: play.labels(pull) == ["cla-signed"])
    assert 1 == len(play.comments(pull))
    [(kind, account, head, by, role)] = play.rows(
        "SELECT kind, account_id, head_sha, by_account_id, by_role FROM override"
    )
    assert ("cla", ada.account.id, pull.head_sha, play.max.id, "maintain") == (kind, account, head, by, role)

    first = pull.head_sha
    desk.commit("One more thing")
    desk.push()
    play.until(lambda: pull.head_sha != first)
    play.judged(pull, "failure")
    play.until(lambda: play.labels(pull) == ["cla-required"])


def test_a_maintainer_sets_the_dco_aside_for_one_head(play):
    ada = play.person("ada", "ada@example.org")
    _, pull = play.opens(ada, "docs")
    play.judged(pull, "failure")

    said = says(play, pull, play.max, "/dco override signed off by mail")
    play.judged(pull, "success")

    assert ["rocket"] == reactions(said)


def test_only_a_current_maintainer_other_than_the_author_can_override(play):
    ops = play.world.find_repository("cann", "ops-math")
    ada, eve, wil = (play.person(name, f"{name}@example.org") for name in ("ada", "eve", "wil"))
    helper = play.world.user("helper[bot]", type="Bot")
    former = play.person("fay", "fay@example.org").account
    ops.collaborators |= {
        ada.account.id: "maintain",
        wil.account.id: "write",
        helper.id: "admin",
        former.id: "maintain",
    }
    _, pull = play.opens(ada)
    play.judged(pull, "failure")
    del ops.collaborators[former.id]
    text = "/cla exempt @ada please"

    answers = {
        account.login: reactions(says(play, pull, account, text))
        for account in (ada.account, eve.account, wil.account, former)
    }
    ignored = says(play, pull, helper, text)

    assert {key: ["confused"] for key in ("ada", "eve", "wil", "fay")} == answers
    assert [] == reactions(ignored)
    assert [] == play.rows("SELECT id FROM override")
    assert "failure" == play.verdict(pull)
    assert 1 == len(play.comments(pull))


def test_the_why_command_shows_the_evidence_in_our_one_comment(play):
    ada, eve = play.person("ada", "ada@example.org"), play.person("eve", "eve@example.org").account
    _, pull = play.opens(ada, "docs")
    play.judged(pull, "failure")

    says(play, pull, eve, "/cla-check why")
    play.until(lambda: "<details>" in play.comments(pull)[0])

    [comment] = play.comments(pull)
    assert f"`{pull.head_sha[:7]}`" in comment
    assert "ada@example.org" not in comment
