"""Every code, really brought about, and what a person then reads: in the check, in the comment, on the page, in the log."""

import html
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest
from structlog.testing import capture_logs

import bot.report.words
from agreements.completeness import DOUBTS, NO_COUNT, TOO_MANY
from tests.bot.flows.doubts import EVERY

WORDS = tomllib.loads((Path(bot.report.words.__file__).parent / "en.toml").read_text(encoding="utf-8"))
CODES = Path(__file__).parents[3] / "docs" / "reference" / "codes.md"
SIGN = "[Sign as an individual](https://cla.example.org/sign/icla?pr=cann/ops/1) or [contribute for an employer](https://cla.example.org/employer?pr=cann/ops/1)"
UNCOVERED = "`mia` (opened the pull request) is not covered by a contributor agreement yet."
AGAIN = "To try now, comment `/cla-check`."
AMEND = "git commit --amend --signoff --no-edit"
REOPEN = "Close this pull request and reopen it. Whoever reopens it answers for the commits that are there then."
ACCESS = "Settings → GitHub Apps → Configure → Repository access"
CHANGELOG = "Add a line about the change to `CHANGELOG.md`"
EMAIL = "comment `/cla-check`"
NEW_ONE = "somebody with an account opens a new one with the same commits"


@dataclass(frozen=True)
class Read:
    """What is to be read: the reason and what to do in the check, in the comment (None: there is none), the reason on the page."""

    reason: str
    do: str = ""
    comment: str | None = None
    page: str = ""


def passing(reason: str, page: str = "", comment: str | None = None) -> Read:
    """A reason to pass: nothing to do, no comment unless there was one."""
    return Read(reason, page=page or reason, comment=comment)


def of_dco(reason: str, do: str, page: str = "") -> Read:
    """A commit without a sign-off that counts: what to do is in the comment, too."""
    return Read(reason, do, comment=do, page=page or reason)


def doubt(reason: str, do: str = AGAIN) -> Read:
    """What could not be judged: no comment is made for it."""
    return Read(reason, do, page=reason)


COVERED, EXPECTED = passing("`mia` is covered."), "Expected: `Mia <m…a@home.example>`."
TO_SIGN = Read(UNCOVERED, SIGN, comment=SIGN, page=UNCOVERED)
TABLE = {
    "cla/unsigned": TO_SIGN,
    "cla/outdated": TO_SIGN,
    "cla/withdrawn": TO_SIGN,
    "cla/company-ended": TO_SIGN,
    "cla/excluded": TO_SIGN,
    "cla/unlinked-email": Read(
        "The address `e…e@nowhere.example` (`Eve`, author) belongs to no GitHub account",
        EMAIL,
        comment=EMAIL,
        page="An address (author) belongs to no GitHub account",
    ),
    "cla/unlinked-email:ghost": of_dco("The account that opened this pull request no longer exists", NEW_ONE),
    "cla/bot-not-listed": of_dco(
        "`robo[bot]` (opened the pull request) is a bot that the rulebook does not list.",
        "A maintainer adds the bot's account id, `1005`, to `people.exempt`",
    ),
    "cla/bot-unproven": of_dco(
        "A commit names `robo[bot]` (author), which the rulebook exempts, but that account neither opened nor pushed",
        "`robo[bot]` pushes its own commits, or the person who made them commits under their own name",
        "A commit names `account 1005` (author), which the rulebook exempts, but that account neither opened nor pushed",
    ),
    "cla/agent-blocked": of_dco(
        "`Claude` is an AI agent, and the rulebook does not accept agents as co-authors.",
        "Remove the agent's `Co-authored-by` line",
        "An AI agent is named, and the rulebook does not accept agents as co-authors.",
    ),
    "cla/individual": COVERED,
    "cla/company-account": COVERED,
    "cla/company-email": COVERED,
    "cla/company-domain": COVERED,
    "cla/exempt": passing("`mia` is exempt by the rulebook."),
    "cla/member": passing("`mia` is a member of the organisation, which the rulebook exempts."),
    "cla/agent-ignored": passing("`Claude` is an AI agent and no person", "An AI agent is named, which is no person"),
    "cla/grace": COVERED,
    "cla/sender-writes": passing("`ada` pushed commits and may write to this repository; this is noted, not judged."),
    "cla/overridden": passing(
        "`mia` is exempt for this pull request and this head, by `ada`.", comment="All good now. Thank you!"
    ),
    "cla/overridden:ghost": passing("Who pushed is not known; `ada` let it pass, for this pull request and this head."),
    "dco/missing": of_dco(f"has no sign-off. {EXPECTED}", AMEND, "has no sign-off."),
    "dco/missing:agent": of_dco(
        "has no sign-off. All that it names is an AI agent, which can certify nothing. It is `Claude`.",
        "A person who may certify the commit signs it off:",
        "has no sign-off. All that it names is an AI agent, which can certify nothing.",
    ),
    "dco/malformed:no-space": of_dco("the space after `Signed-off-by:` is missing.", "git writes the line correctly"),
    "dco/malformed:after-address": of_dco("text follows the address of the sign-off.", "git writes the line correctly"),
    "dco/malformed": of_dco("has a line that looks like a sign-off but is none.", "git writes the line correctly"),
    "dco/name-differs": of_dco(
        "the name of the sign-off is not that of the author or committer.", "Check `git config user.name`"
    ),
    "dco/email-differs": of_dco(
        "the address of the sign-off is not that of the author or committer.", "Check `git config user.email`"
    ),
    "dco/mismatch": of_dco("is neither the author's nor the committer's.", "Whoever made the commit signs it off:"),
    "dco/invisible": of_dco("holds invisible characters.", "Type your name anew with `git config user.name`"),
    "dco/invisible:bytes": of_dco("bytes that are not valid UTF-8", "Set your name anew with `git config user.name`"),
    "dco/invalid-email:author": of_dco(
        "The author's address of commit", "--reset-author", "The address of the author or the committer is no valid"
    ),
    "dco/invalid-email:committer": of_dco(
        "The committer's address of commit",
        "Set a real address with `git config user.email`, then sign off again:",
        "The address of the author or the committer is no valid address.",
    ),
    "dco/member-unverified": of_dco("but GitHub has not verified commit", AMEND),
    "dco/agent-signoff": of_dco(
        "is signed off by `Claude`. The sign-off of an AI agent certifies nothing.",
        "A person who may certify the commit signs it off:",
        "The sign-off of an AI agent certifies nothing.",
    ),
    "dco/bot-unproven": of_dco(
        "names a bot as its author, but that account neither opened nor pushed to this pull request.",
        "Let the bot push its own commits; or sign them off yourself, if you may certify them:",
    ),
    "dco/signed": passing("Signed off by `Mia <m…a@home.example>`.", "Signed off."),
    "dco/remediated:individual": passing("Signed off afterwards by its author, in commit"),
    "dco/remediated:third-party": passing("Signed off afterwards on behalf of its author, in commit"),
    "dco/merge": passing("A merge needs no sign-off."),
    "dco/bot": passing("A bot's own commit needs no sign-off."),
    "dco/member": passing("A member's verified commit; the rulebook asks for no sign-off."),
    "dco/overridden": passing(
        "There is no sign-off; set aside by `ada`.",
        "The sign-off was set aside for this pull request and this head, by `ada`.",
        "All good now. Thank you!",
    ),
    "dco/equivalent": passing("The sign-off is spelled differently but names the same person: upper and lower case."),
    "facts/incomplete:unknown": doubt(
        "GitHub did not say how many commits there are, so the 1 that we read may not be all."
    ),
    "facts/incomplete:differs": doubt("1 of 2 (their number differs from what GitHub reports)."),
    "facts/incomplete:no-head": doubt("could not be read as a whole: the newest commit is not among them."),
    "facts/incomplete:moved": doubt("could not be read as a whole: somebody pushed while they were read."),
    "facts/incomplete:changed": doubt("could not be read as a whole: their number changed while they were read."),
    "facts/incomplete:repeated": doubt("could not be read as a whole: GitHub repeated a page of them."),
    "facts/incomplete:too-many": doubt("no more than 10,000 are read", "Split the pull request into smaller ones."),
    "facts/incomplete:rest-only": doubt(
        "of 251 (GitHub's GraphQL API does not answer, and its REST API lists no more than 250)."
    ),
    "facts/incomplete:accounts-of-coauthors": doubt(
        "GitHub cannot say now to which accounts their addresses belong", "To ask now, comment `/cla-check`."
    ),
    "facts/incomplete:coauthors": doubt("more co-authors than we read", "Name fewer co-authors"),
    "facts/incomplete:files": doubt(
        "GitHub lists only some of the files that this pull request changes", "set the label that skips the changelog"
    ),
    "facts/incomplete:pushes": doubt("GitHub has not told us who pushed", REOPEN),
    "facts/incomplete:pushes-override": doubt("GitHub has not told us who pushed", "`/cla exempt @ghost REASON`"),
    "facts/empty": doubt(
        "The pull request has no commits", "Push a commit; the pull request is judged again by itself."
    ),
    "rulebook/invalid": doubt(
        "line 3: people.exmpt: unknown key, did you mean exempt?",
        "A maintainer corrects the rulebook; open pull requests are judged again by themselves.",
    ),
    "rulebook/invalid:own": doubt(
        "none is looser than the organisation's both",
        "A maintainer corrects the rulebook; open pull requests are judged again by themselves.",
    ),
    "rulebook/unreachable:not-covered": doubt("either it is not one of them, or it does not exist.", ACCESS),
    "rulebook/unreachable:listed": doubt("GitHub lists that repository for the App, but did not show it.", ACCESS),
    "rulebook/unreachable:refused": doubt("GitHub refuses it to the App.", "a list of allowed IP addresses"),
    "rulebook/unreachable:no-answer": doubt("GitHub's answer was not complete.", ACCESS),
    "rules/before-since": passing("Opened before `2099-01-01T00:00:00Z`, when these rules began; it is not judged."),
    "changelog/missing": of_dco("The pull request does not touch `CHANGELOG.md`.", CHANGELOG),
    "away": doubt("`GitHub answered 502 to GET /repos/…/…/pulls/…/files`", "We try again by ourselves"),
    "away:later": Read(
        "`GitHub answered 502 to GET /repos/…/…/pulls/…`",
        "We try again by ourselves",
        page="The newest look at this pull request could not be finished.",
    ),
}
NOT_A_MATTER_OF_TIME = {"facts/incomplete:too-many", "facts/incomplete:coauthors", "facts/empty"}
"""Doubts about which GitHub is not asked again: somebody has to act; so is a broken rulebook."""


def page_of(scene, pull, language: str = "en") -> str:
    """What the page of the pull request says, as text, values as code."""
    address = f"/pr/cann/ops/{pull.number}?lang={language}"
    answer = scene.wired.web.test_client().get(address, base_url="https://cla.example.org")
    assert answer.status_code == 200
    main = re.sub(r"</?code>", "`", answer.text.partition("<main")[2].partition("</main>")[0])
    return html.unescape(re.sub(r"<[^>]+>", "", main))


@pytest.mark.parametrize("name", TABLE)
def test_what_is_read(name, staged, monkeypatch):
    """In the check the reason and what to do, in the comment and on the page the same; the log says how it ended."""
    read = TABLE[name]
    with capture_logs() as log:
        scene, pull = EVERY[name](staged, monkeypatch)
    (run,) = [one for one in scene.world.check_runs.values() if one.head_sha == pull.head_sha]
    check = f"{run.output['summary']}\n{run.output['text']}"
    page = page_of(scene, pull)

    if not name.startswith("away"):
        assert name.partition(":")[0] in scene.recorded(pull)[1]
    assert read.reason in check
    assert read.do in check
    assert [read.comment in one.body for one in scene.comments(pull)] == ([] if read.comment is None else [True])
    assert read.page in page
    for command in re.findall(r"^git .*", check, re.MULTILINE):
        assert command in page
    assert re.search(r"[\u4e00-\u9fff]", page_of(scene, pull, "zh"))
    if run.conclusion == "action_required":
        _waits(name, check, page)
    _logged(scene, pull, run, log)


def _waits(name: str, check: str, page: str) -> None:
    """Since when, and what happens next, in the check and on the page."""
    assert re.search(r"(It has been like this since|It was last judged on) \d{4}-\d\d-\d\d \d\d:\d\d UTC\.", check)
    assert re.search(r"(Since|since|was on) \d{4}-\d\d-\d\d \d\d:\d\d", page)
    asked = name not in NOT_A_MATTER_OF_TIME and not name.startswith("rulebook/invalid")
    assert ("again by ourselves: after a " in check) is asked
    assert bool(re.search(r"again by ourselves, next on \d{4}-\d\d-\d\d \d\d:\d\d UTC", page)) is asked


def _logged(scene, pull, run, log) -> None:
    """The last word on this pull request says how it ended, and nothing in the log names anybody."""
    lines = [line for line in log if line["event"].startswith("review.") and line["pull"] == scene.row(pull).id]
    last = lines[-1]
    if scene.row(pull).attempts:
        assert last["event"] == "review.postponed"
        assert last["why"].startswith("GitHub answered 502 to GET")
    else:
        assert (last["event"], last["conclusion"]) == ("review.judged", run.conclusion)
        assert bool(last["reasons"]) is (run.conclusion in {"failure", "action_required"})
    assert not re.search(r"@|\b(mia|eve|robo)\b", " ".join(map(str, lines)), re.IGNORECASE)


def test_every_code_is_here():
    """Every code of the documentation, and each case of a doubt that has words of its own; a new one needs a row."""
    documented = set(re.findall(r"^### `([a-z/-]+)`$", CODES.read_text(encoding="utf-8"), re.MULTILINE))
    assert {name.partition(":")[0] for name in TABLE if not name.startswith("away")} == documented
    assert TABLE.keys() == EVERY.keys()
    reasons = " ".join(read.reason for read in TABLE.values())
    for why in set(DOUBTS) & WORDS["why"].keys() - {NO_COUNT, TOO_MANY}:
        assert WORDS["why"][why] in reasons
    cases = {key for key in WORDS if key.startswith(("facts/incomplete:", "rulebook/unreachable:"))}
    in_a_clone = {key for key in cases if re.search(r":accounts(-listed|-others)*$", key)}
    assert cases - in_a_clone - {"facts/incomplete:moving"} <= TABLE.keys()
