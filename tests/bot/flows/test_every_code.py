"""Every code is brought about and read in the check, the comment, the page and the log."""

import csv
import html
import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from agreements.completeness import DOUBTS, NO_COUNT, TOO_MANY
from bot import verdict_codes
from bot.app import wire
from bot.report.words.templates import entries
from tests.bot.flows.doubts import EVERY

WHY = entries("en")["why"]
CODES = Path(__file__).parents[3] / "docs" / "reference" / "codes.csv"
SIGN = "[Sign as an individual](https://cla.example.org/sign/icla?pr=cann/ops/1) or [contribute for your employer](https://cla.example.org/employer?pr=cann/ops/1)"
UNCOVERED = "`mia` (opened the pull request) is not covered by a contributor agreement."
AGAIN = "To try again now, comment `/cla-check`."
AMEND = "git commit --amend --signoff --no-edit"
REOPEN = "Close this pull request and reopen it. The person who reopens it takes responsibility for the commits in it."
ACCESS = "Settings → GitHub Apps → Configure → Repository access"
CHANGELOG = "Add a line about your change to `CHANGELOG.md`"
EMAIL = "then comment `/cla-check`"
NEW_ONE = "open a new one with the same commits"


@dataclass(frozen=True)
class Read:
    """What is to be read: the reason and what to do in the check, in the comment (None: there is none), the reason on the page."""

    reason: str
    do: str = ""
    comment: str | None = None
    page: str = ""


def passing(reason: str, page: str = "", comment: str | None = None) -> Read:
    """A reason to pass: nothing to do, no comment unless a comment was there before."""
    return Read(reason, page=page or reason, comment=comment)


def of_dco(reason: str, do: str, page: str = "") -> Read:
    """A commit without a sign-off that counts: what to do is in the comment, too."""
    return Read(reason, do, comment=do, page=page or reason)


def doubt(reason: str, do: str = AGAIN) -> Read:
    """What could not be judged: no comment is made for it."""
    return Read(reason, do, page=reason)


COVERED, EXPECTED = passing("`mia` is covered."), "Expected: `Mia <m…a@home.example>`."
CHOSEN = "`mia` (opened the pull request) is not covered by the agreement that they chose for this pull request."
TO_SIGN = Read(UNCOVERED, SIGN, comment=SIGN, page=UNCOVERED)
TABLE = {
    "cla/unsigned": TO_SIGN,
    "cla/outdated": TO_SIGN,
    "cla/withdrawn": TO_SIGN,
    "cla/chosen-uncovered": Read(
        CHOSEN, "Choose again: comment `/cla for me`", comment="Choose again: comment `/cla for me`", page=CHOSEN
    ),
    "cla/other-party": TO_SIGN,
    "cla/not-in-log": TO_SIGN,
    "cla/company-ended": TO_SIGN,
    "cla/excluded": TO_SIGN,
    "cla/unlinked-email": Read(
        "The address `e…e@nowhere.example` (`Eve`, author) is not linked to a GitHub account",
        EMAIL,
        comment=EMAIL,
        page="An address (author) is not linked to a GitHub account",
    ),
    "cla/unlinked-email:ghost": of_dco("The account that opened this pull request no longer exists", NEW_ONE),
    "cla/bot-not-listed": of_dco(
        "`robo[bot]` (opened the pull request) is a bot that is not listed in the rulebook.",
        "Ask a maintainer to add the bot's account id, `1005`, to `people.exempt`",
    ),
    "cla/bot-unproven": of_dco(
        "A commit names `account 1005` (author), which the rulebook exempts. But that account neither opened this pull request",
        "Have `account 1005` push its own commits. Or commit under the name of the person who made the change",
    ),
    "cla/agent-alone": of_dco(
        "`robo[bot]` is an AI agent. No person who is covered by a contributor agreement answers for its work",
        'That person presses "I answer for this" on the Checks tab, or comments `/cla vouch REASON`.',
        "No person who is covered by a contributor agreement answers for its work in this pull request yet.",
    ),
    "cla/agent-alone:voucher": of_dco(
        "`ada` vouched for its work, but is not covered by a contributor agreement.",
        "`ada` needs to be covered.",
        "No person who is covered by a contributor agreement answers for its work in this pull request yet.",
    ),
    "cla/vouched": passing(
        "`ada` is covered, and answers for the work of `robo[bot]` in the current commit of this pull request.",
        "A person who is covered answers for the work of an AI agent.",
        "\nAll good now.\n",  # A bot is not thanked.
    ),
    "cla/cannot-sign:organization": of_dco(
        "`acme` (opened the pull request) is an organisation's account.",
        "Have a person contribute the change from their own account.",
        "Only a person's account can sign a contributor agreement.",
    ),
    "cla/cannot-sign:mannequin": of_dco(
        "`mona` (opened the pull request) is a placeholder account that GitHub made when this history was imported.",
        "Ask an owner of the organisation to attribute the placeholder's work to the person's account.",
        "A placeholder cannot sign a contributor agreement.",
    ),
    "cla/cannot-sign:gone": of_dco(
        "names account number `9999`, but GitHub links it to no account.",
        "If the address is mistyped, correct it and push again.",
        "The account may have been deleted, or the address may be mistyped, so it cannot sign.",
    ),
    "cla/agent-blocked": of_dco(
        "`Claude` is an AI agent (co-author). The rulebook does not accept contributions by AI agents.",
        "The commits must not name the agent as author, committer or co-author.",
        "The rulebook does not accept contributions by AI agents.",
    ),
    "cla/individual": COVERED,
    "cla/company-account": COVERED,
    "cla/company-email": COVERED,
    "cla/company-domain": COVERED,
    "cla/exempt": passing("`mia` is exempt: the rulebook lists this account."),
    "cla/member": passing("`mia` is exempt as a member."),
    "cla/small-change": passing("`mia`: no agreement needed: 1 line in `*.md`."),
    "cla/agent-ignored": passing(
        "`Claude` is an AI agent. Only the people", "Only the people who contributed are checked."
    ),
    "cla/grace": COVERED,
    "cla/sender-writes": passing("`ada` pushed commits and has write access to this repository."),
    "cla/overridden": passing(
        "`ada` exempted `mia` for the current commit of this pull request.", comment="All good now. Thank you!"
    ),
    "cla/overridden:ghost": passing(
        "We do not know who pushed. `ada` allowed it for the current commit of this pull request."
    ),
    "dco/missing": of_dco(f"has no sign-off. {EXPECTED}", AMEND, "has no sign-off."),
    "dco/missing:agent": of_dco(
        "has no sign-off. It names no person, and an AI agent cannot certify a contribution. Named: `Claude`.",
        "A person who can certify the commit needs to sign it off:",
        "has no sign-off. It names no person, and an AI agent cannot certify a contribution.",
    ),
    "dco/malformed:no-space": of_dco("has no space after `Signed-off-by:`.", "Git writes the line correctly"),
    "dco/malformed:after-address": of_dco("has text after the e-mail address.", "Git writes the line correctly"),
    "dco/malformed": of_dco(
        "has a line that looks like a sign-off, but its format is wrong.", "Git writes the line correctly"
    ),
    "dco/name-differs": of_dco("does not match the author or committer.", "Check `git config user.name`"),
    "dco/email-differs": of_dco("does not match the author or committer.", "Check `git config user.email`"),
    "dco/mismatch": of_dco(
        "is signed off by someone else than the person who made it.",
        "The person who made the commit needs to sign it off:",
    ),
    "dco/invisible": of_dco("contains invisible characters.", "Type your name again with `git config user.name`"),
    "dco/invisible:bytes": of_dco("bytes that are not valid UTF-8", "Set your name again with `git config user.name`"),
    "dco/invalid-email:author": of_dco(
        "has an invalid e-mail address:", "--reset-author", "The author or committer has an invalid e-mail address"
    ),
    "dco/invalid-email:committer": of_dco(
        "The committer of commit",
        "Set a valid address with `git config user.email`, then sign off again:",
        "The author or committer has an invalid e-mail address.",
    ),
    "dco/member-unverified": of_dco("is not one of these.", AMEND),
    "dco/agent-signoff": of_dco(
        "is signed off by `Claude`. An AI agent's sign-off certifies nothing.",
        "A person who can certify the commit needs to sign it off:",
        "An AI agent's sign-off certifies nothing.",
    ),
    "dco/agent-alone": of_dco(
        "`robo[bot]` is an AI agent. No person opened this pull request or pushed to it",
        "Have a person who can certify the commits sign them off and push them.",
        "No person opened this pull request or pushed to it, and an AI agent cannot certify a contribution.",
    ),
    "dco/agent-blocked": of_dco(
        "`robo[bot]` is an AI agent (opened the pull request). The rulebook does not accept contributions by AI agents.",
        "The commits must not name the agent as author, committer or co-author.",
        "The rulebook does not accept contributions by AI agents.",
    ),
    "dco/only-merges": of_dco(
        "is a merge without a sign-off, and besides merges this pull request has nothing that needs a sign-off.",
        AMEND,
        "is a merge without a sign-off, and besides merges this pull request has nothing that needs a sign-off.",
    ),
    "dco/bot-unproven": of_dco(
        "names a bot as its author. But that account neither opened this pull request nor pushed this commit.",
        "Have the bot push its own commits. Or sign them off yourself, if you can certify them:",
    ),
    "dco/signed": passing("Signed off by `Mia <m…a@home.example>`.", "Signed off."),
    "dco/remediated:individual": passing("Signed off later, in commit"),
    "dco/remediated:third-party": passing(
        "Signed off later by someone on behalf of the author or committer, in commit"
    ),
    "dco/merge": passing("Merge commits need no sign-off."),
    "dco/bot": passing("A bot's own commits need no sign-off."),
    "dco/exempt": passing("The rulebook exempts this account's own commits from the sign-off."),
    "dco/member": passing("A verified commit by a member needs no sign-off."),
    "dco/merged": passing("A protected branch holds this commit already, so it needs no sign-off here."),
    "dco/signed-here": passing(
        "Signed off in the portal. The sign-off is kept in the records, not in the commit.",
        comment="All good now. Thank you!",
    ),
    "dco/revert": passing("This commit undoes exactly what a judged commit changed, so it needs no sign-off."),
    "dco/overridden": passing(
        "There is no sign-off. Waived by `ada`.",
        "`ada` waived the sign-off for the current commit of this pull request.",
        "All good now. Thank you!",
    ),
    "dco/equivalent": passing("The sign-off is written differently but names the same person: upper and lower case."),
    "facts/incomplete:unknown": doubt(
        "GitHub did not say how many commits there are, so the 1 that we read may not be all of them."
    ),
    "facts/incomplete:differs": doubt("1 of 2 commits (their number differs from what GitHub reports)."),
    "facts/incomplete:more": doubt("The numbers of commits do not match: GitHub reports 0, but we read 1."),
    "facts/incomplete:no-head": doubt("We could not read all the commits: the newest commit is missing."),
    "facts/incomplete:moved": doubt("We could not read all the commits: someone pushed while we were reading them."),
    "facts/incomplete:changed": doubt(
        "We could not read all the commits: their number changed while we were reading them."
    ),
    "facts/incomplete:repeated": doubt("We could not read all the commits: GitHub returned the same page twice."),
    "facts/incomplete:too-many": doubt(
        "The limit is 10,000, so it cannot be checked.", "Split it into smaller pull requests."
    ),
    "facts/incomplete:rest-only": doubt(
        "of 251 commits (GitHub's GraphQL API does not answer completely, and its REST API lists only 250)."
    ),
    "facts/incomplete:accounts-of-coauthors": doubt(
        "GitHub does not tell us at the moment which accounts their addresses belong to", AGAIN
    ),
    "facts/incomplete:accounts-of-authors": doubt(
        "GitHub does not let the App see which accounts some of the commits belong to.", "an IP allow list"
    ),
    "facts/incomplete:coauthors": doubt("more co-authors than we can read", "Name fewer co-authors"),
    "facts/incomplete:files": doubt(
        "GitHub lists only some of the files changed in this pull request", "add the label that skips the changelog"
    ),
    "facts/incomplete:pushes": doubt("GitHub did not tell us who pushed", REOPEN),
    "facts/incomplete:pushes-override": doubt("GitHub did not tell us who pushed", "`/cla exempt @ghost REASON`"),
    "facts/empty": doubt("This pull request has no commits", "Push a commit. The check then runs again automatically."),
    "rulebook/invalid": doubt(
        "line 4: people.exmpt: unknown key, did you mean exempt?",
        "Ask a maintainer to correct the rulebook. Open pull requests are then checked again automatically.",
    ),
    "rulebook/invalid:own": doubt(
        "none is looser than the organisation's both",
        "Ask a maintainer to correct the rulebook. Open pull requests are then checked again automatically.",
    ),
    "rulebook/unreachable:not-covered": doubt("it is either not selected or does not exist.", ACCESS),
    "rulebook/unreachable:listed": doubt("GitHub lists the repository for the App but does not show it.", ACCESS),
    "rulebook/unreachable:refused": doubt("GitHub refused access to the App.", "an IP allow list"),
    "rulebook/unreachable:own": doubt("We could not read the rulebook in `cann/ops`.", "an IP allow list"),
    "rulebook/unreachable:no-answer": doubt("GitHub's answer was incomplete.", ACCESS),
    "rules/before-since": passing(
        "Opened before `2099-01-01 00:00 UTC`, when these rules took effect, so it is not checked.",
        page="Opened before 2099-01-01 00:00 UTC, when these rules took effect, so it is not checked.",
    ),
    "changelog/missing": of_dco("This pull request does not change `CHANGELOG.md`.", CHANGELOG),
    "away": doubt("`GitHub answered 502 to GET /repos/…/…/pulls/…/files`", "We try again automatically"),
    "away:later": Read(
        "`GitHub answered 502 to GET /repos/…/…/pulls/…`",
        "We try again automatically",
        page="The latest check of this pull request could not be completed.",
    ),
}
NOT_A_MATTER_OF_TIME = {"facts/incomplete:too-many", "facts/incomplete:coauthors", "facts/empty"}
"""Doubts about which GitHub is not asked again, since a person has to act. The same holds for a broken rulebook."""


def pages_of(scene, pull) -> list[str]:
    """What the page of the pull request says, in English and in Chinese, as text, values as code."""
    wired = wire(scene.settings, hub=scene.hub, engine=lambda _database: scene.jobs)
    browser, read = wired.web.flask.test_client(), []
    for language in ("en", "zh"):
        address = f"/pr/cann/ops/{pull.number}?lang={language}"
        answer = browser.get(address, base_url="https://cla.example.org")
        assert answer.status_code == 200
        main = re.sub(r"</?code>", "`", answer.text.partition("<main")[2].partition("</main>")[0])
        # Between the day and the hour of a time no line ends.
        read.append(html.unescape(re.sub(r"<[^>]+>", "", main)).replace("\N{NO-BREAK SPACE}", " "))
    wired.database.dispose()
    return read


@pytest.mark.parametrize("name", TABLE)
def test_each_code_is_explained_in_check_comment_page_and_log(name, staged, monkeypatch):
    read = TABLE[name]
    with capture_logs() as log:
        scene, pull = EVERY[name](staged, monkeypatch)
    (run,) = [run for run in scene.world.check_runs.values() if run.head_sha == pull.head_sha]
    check = f"{run.output['summary']}\n{run.output.get('text', '')}"
    page, chinese = pages_of(scene, pull)

    if not name.startswith("away"):
        assert name.partition(":")[0] in scene.recorded(pull)[1]
    assert read.reason in check
    assert read.do in check
    assert [read.comment in comment.body for comment in scene.comments(pull)] == (
        [] if read.comment is None else [True]
    )
    assert read.page in page
    for command in re.findall(r"^git .*", check, re.MULTILINE):
        assert command in page
    assert re.search(r"[\u4e00-\u9fff]", chinese)
    if run.conclusion == "action_required":
        _waits(name, check, page)
    _logged(scene, pull, run, log)


def _waits(name: str, check: str, page: str) -> None:
    """Since when, and what happens next, in the check and on the page."""
    assert re.search(
        r"(It has been like this since|The last completed check was on) \d{4}-\d\d-\d\d \d\d:\d\d UTC\.", check
    )
    assert re.search(r"(Since|since|was on) \d{4}-\d\d-\d\d \d\d:\d\d", page)
    is_invalid = name.startswith("rulebook/invalid")
    asked = name not in NOT_A_MATTER_OF_TIME and not is_invalid
    assert ("again automatically: " in check) is asked
    assert ("as soon as the rulebook is corrected" in page) is is_invalid
    assert bool(re.search(r"again automatically on \d{4}-\d\d-\d\d \d\d:\d\d UTC", page)) is asked


def _logged(scene, pull, run, log) -> None:
    """The last log entry of this pull request says how it ended, and none of its log entries names a person."""
    lines = [line for line in log if line["event"].startswith("review.") and line["pull"] == scene.row(pull).id]
    last = lines[-1]
    if scene.row(pull).attempts:
        assert last["event"] == "review.postponed"
        assert last["why"].startswith("GitHub answered 502 to GET")
    else:
        assert (last["event"], last["conclusion"]) == ("review.judged", run.conclusion)
        assert bool(last["reasons"]) is (run.conclusion in {"failure", "action_required"})
    assert not re.search(r"@|\b(mia|eve|robo)\b", " ".join(map(str, lines)), re.IGNORECASE)


def test_every_documented_code_has_a_situation():
    with CODES.open(encoding="utf-8", newline="") as lines:
        documented = {row["code"] for row in csv.DictReader(lines)}
    in_a_clone = {"dco/merge-changes"}  # GitHub is not asked what git would have merged
    assert {name.partition(":")[0] for name in TABLE if not name.startswith("away")} == documented - in_a_clone
    assert TABLE.keys() == EVERY.keys()
    reasons = " ".join(read.reason for read in TABLE.values())
    for why in set(DOUBTS) & WHY.keys() - {NO_COUNT, TOO_MANY}:
        assert WHY[why] in reasons
    cases = {key for key in verdict_codes.words("en") if key.startswith(("facts/incomplete:", "rulebook/unreachable:"))}
    without_accounts = {key for key in cases if re.search(r":accounts(-listed|-others)*$", key)}
    assert cases - without_accounts - {"facts/incomplete:moving"} <= TABLE.keys()
