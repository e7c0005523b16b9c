"""The check run and the comment are whole, safe, within GitHub's limits, and tell only public things."""

import json
import re
from dataclasses import replace

import pytest
from markdown_it import MarkdownIt

from agreements.facts import Account, Conclusion, Problem, Verdict
from bot import verdict_codes
from bot.report import check_run, comment
from bot.report.words import CommandContext, PullBranch
from tests.bot.report.verdicts import (
    BO,
    BY_DOMAIN,
    CASES,
    EVERYWHERE,
    LANGUAGES,
    MANY,
    MISSING,
    SEVERAL,
    SINCE,
    UNLINKED,
    UNSIGNED,
    VERDICTS,
    A,
    B,
    check,
    commits,
    context,
    many,
)

TEXTS = {"check_run": check_run.check_run, "comment": comment.comment}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", ["check_run", "comment"])
def test_several_causes_at_once_read_as_the_reviewed_text(language, kind):
    text = shown(TEXTS[kind](SEVERAL, context(language=language, situation=EVERYWHERE)))
    assert text == (CASES / f"several.{kind}.{language}.md").read_text(encoding="utf-8")
    assert text.count("git rebase --exec") == (2 if "both" in language else 1)


def shown(text):
    """A check's text or a comment as one file to look at."""
    if isinstance(text, str):
        return text
    return f"TITLE: {text.title}\n\nSUMMARY\n\n{text.summary}\n\nTEXT\n\n{text.text}\n"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", VERDICTS)
@pytest.mark.parametrize("kind", ["check_run", "comment"])
def test_each_verdict_reads_as_the_reviewed_text(name, language, kind):
    """A person read each text and kept it in tests/cases/words."""
    text = TEXTS[kind](VERDICTS[name], context(language=language))
    assert shown(text) == (CASES / f"{name}.{kind}.{language}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("needs", [("signature",), ("company",), ("signature", "company")])
def test_neither_signature_nor_company_is_offered_instead_of_the_other(needs):
    problem = replace(UNSIGNED, values={"agreement": "icla", "also": (), "needs": needs})
    verdict = Verdict(conclusion=Conclusion.FAILURE, checks=(check("CLA", Conclusion.FAILURE, (problem,)),))
    said, body = check_run.check_run(verdict, context()).summary, comment.comment(verdict, context())
    url = context().sign_url
    assert f"[Sign as an individual]({url}) and [contribute for your employer]" in said
    assert f"Two things are needed: [Sign as an individual]({url}) and [contribute for your employer]" in body
    assert "or [contribute" not in said + body


@pytest.mark.parametrize(("language", "said"), [
    ("en", "If the address in the sign-off is yours, [verify it]({})."), ("zh", "请[验证该地址]({})"),
])  # fmt: skip
def test_a_sign_off_with_another_address_leads_to_the_page_of_addresses_first(language, said):
    there = context(language=language, situation=CommandContext("main", verifiable=True))
    item = Problem(
        code="dco/email-differs", sha=B, account=BO, role="author", values={"expected": ("x",), "found": ("y",)}
    )
    verdict = Verdict(
        conclusion=Conclusion.FAILURE,
        checks=(check("DCO", Conclusion.FAILURE, (item,), commits=commits("pass", "fail")),),
    )
    for text in (check_run.check_run(verdict, there).summary, comment.comment(verdict, there)):
        assert said.format(there.emails_url) in text
        other = "\n\nOr:\n\n" if language == "en" else "\n\n或者：\n\n"
        assert text.index(said.format(there.emails_url)) < text.index(other) < text.index("git commit")


@pytest.mark.parametrize(("language", "said"), [
    ("en", "**[Sign off here]({}/sign-off) in the browser"), ("zh", "**您可以[在网页上为自己的提交签名]({}/sign-off)"),
])  # fmt: skip
def test_a_sign_off_in_the_portal_is_named_first_where_it_counts(language, said):
    item = Problem(code="dco/missing", sha=B, account=BO, role="author", values={"expected": ("x",)})
    failing = check("DCO", Conclusion.FAILURE, (item,), commits=commits("pass", "fail"))
    verdict = Verdict(conclusion=Conclusion.FAILURE, checks=(failing,))
    for portal in (True, False):
        there = context(language=language, situation=CommandContext("main", portal=portal, verifiable=True))
        for text in (check_run.check_run(verdict, there).summary, comment.comment(verdict, there)):
            link = said.format(there.explain_url)
            assert (link in text) is portal
            assert not portal or text.index(link) < min(text.index(there.emails_url), text.index("git commit"))


CHOSEN = replace(UNSIGNED, code="cla/chosen-uncovered", values={"agreement": "ccla", "kind": "company"})


@pytest.mark.parametrize(("name", "code", "values", "title", "zh"), [
    ("CLA", "cla/unlinked-email", {"why": "ghost"}, "CLA: the opener's account was deleted", "CLA：发起者的账号已删除"),
    ("CLA", "cla/unlinked-email", {"why": "no-address"}, "CLA: a commit lacks an e-mail address", "CLA：提交中缺少邮箱地址"),
    ("CLA", "cla/unlinked-email", {"why": "trailer"}, "CLA: address not linked to a GitHub account", "CLA：邮箱地址未关联 GitHub 账号"),
    ("CLA", CHOSEN.code, CHOSEN.values, "CLA: not covered: bo", "CLA：没有有效协议：bo"),
    ("DCO", "dco/mismatch", {}, "DCO: signed off by someone else (1 commit)", "DCO：由他人签名（1 个提交）"),
    ("DCO", "dco/mismatch", {"why": "private"}, "DCO: name and e-mail address in sign-off do not match (1 commit)", "DCO：签名中的姓名和邮箱地址不一致（1 个提交）"),
    ("DCO", "dco/mismatch", {"why": "machine"}, "DCO: only software is named as author (1 commit)", "DCO：作者只是软件（1 个提交）"),
    ("DCO", "dco/mismatch", {"whose": "author"}, "DCO: no author is named (1 commit)", "DCO：没有署名作者（1 个提交）"),
    ("DCO", "dco/invisible", {"why": "bytes"}, "DCO: a name or address cannot be read (1 commit)", "DCO：姓名或邮箱地址无法识别（1 个提交）"),
])  # fmt: skip
def test_a_title_says_no_more_than_the_reason_below_it(name, code, values, title, zh):
    problem = replace(MISSING if name == "DCO" else CHOSEN, code=code, values=values)
    failing = check(name, Conclusion.FAILURE, (problem,), commits=commits("pass", "fail") if name == "DCO" else None)
    verdict = Verdict(conclusion=Conclusion.FAILURE, checks=(failing,))
    assert check_run.check_run(verdict, context()).title == title
    assert check_run.check_run(verdict, context(language="zh")).title == zh


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("statuses", [("pass",), ("pass", "fail")])
def test_an_agent_that_the_dco_check_is_about_is_named_beside_the_commits(language, statuses):
    agent = Problem(code="dco/agent-blocked", role="coauthor", values={"agent": "Claude"})
    problems = (MISSING, agent) if "fail" in statuses else (agent,)
    failing = check("DCO", Conclusion.FAILURE, problems, commits=commits(*statuses))
    verdict = Verdict(conclusion=Conclusion.FAILURE, checks=(failing,))
    for said in (
        check_run.check_run(verdict, context(language=language)).summary,
        comment.comment(verdict, context(language=language)),
    ):
        assert said.count("`Claude`") == 1
        assert ("git commit --amend --signoff" in said) is ("fail" in statuses)
        assert not re.search(r"\b0 (commits|个提交)", said)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_of_many_people_in_a_sentence_the_rest_is_counted_within_it(language):
    verdict, _ = many(31)
    said = comment.comment(verdict, context(language=language))
    waits = check_run.check_run(VERDICTS["good"], context(language=language, waits_for=tuple(range(1, 14))))
    first, more = (
        ("`person-9` and 21 more. [", "#10 and 3 more")
        if language == "en"
        else ("`person-9`（另有 21 个）", "#10（另有 3 个）")
    )
    assert first in said
    assert more in waits.title
    assert not re.search(r"\.\.|\.,|。。|。，", waits.summary + said.partition("```")[0])


def test_a_trailer_with_an_unknown_address_can_be_corrected():
    for why, told in (("trailer", True), ("", False)):
        item = replace(UNLINKED, role="coauthor", values={**UNLINKED.values, "why": why})
        verdict = Verdict(conclusion=Conclusion.FAILURE, checks=(check("CLA", Conclusion.FAILURE, (item,)),))
        for said in (check_run.check_run(verdict, context()).summary, comment.comment(verdict, context())):
            assert ("remove the line. Then push again." in said) is told


def test_only_an_unlinked_address_leads_to_the_page_of_addresses():
    ghost = Problem(code="cla/unlinked-email", role="opener", values={"email": "", "name": "", "why": "ghost"})
    bare = replace(UNLINKED, values={"email": "", "name": "Eve", "why": "no-address"})
    for problem, leads in ((UNLINKED, True), (ghost, False), (bare, False), (UNSIGNED, False)):
        verdict = Verdict(conclusion=Conclusion.FAILURE, checks=(check("CLA", Conclusion.FAILURE, (problem,)),))
        for language in ("en", "zh"):
            said = (
                check_run.check_run(verdict, context(language=language)).summary,
                comment.comment(verdict, context()),
            )
            assert ["(https://cla.example.org/me/emails)" in text for text in said] == [leads, leads]
            assert ("`/me/emails`" in said[0]) is leads


@pytest.mark.parametrize("language", LANGUAGES)
def test_before_and_instead_of_a_verdict_the_check_says_its_state(language):
    waiting = check_run.in_progress(context(language=language))
    failed = check_run.could_not_judge("GitHub answered 502", SINCE, language)
    assert "`GitHub answered 502`" in failed.summary
    assert "2026-11-21 09:05 UTC" in failed.summary
    assert "UTC" not in check_run.could_not_judge("GitHub answered 502", language=language).summary
    before = check_run.could_not_judge("GitHub answered 502", None, language, judged=SINCE).summary
    assert "2026-11-21 09:05 UTC" in before
    assert before != failed.summary
    for text in (waiting, failed):
        assert text.title
        assert bool(re.search(r"[\u4e00-\u9fff]", text.summary)) == (language != "en")


@pytest.mark.parametrize(
    ("values", "asked"),
    [
        ({"have": 1, "reported": 2, "why": "somebody pushed while they were read"}, True),
        ({"of": "pushes", "heads": ("abc1234",), "override": "nobody"}, True),
        ({"of": "coauthors"}, False),
        ({"have": 10_100, "reported": 12_000, "why": "no more than 10,000 are read"}, False),
    ],
)
def test_a_pull_request_that_is_too_large_is_not_said_to_be_asked_again(values, asked):
    problem = Problem(code="facts/incomplete", values=values)
    doubt = Verdict(
        conclusion=Conclusion.ACTION_REQUIRED, checks=(check("CLA", Conclusion.ACTION_REQUIRED, (problem,)),)
    )
    assert check_run.is_asked_again(problem) is asked
    assert ("We ask GitHub again" in check_run.check_run(doubt, context()).summary) is asked


def test_a_failing_head_alone_is_amended_and_an_older_commit_rebased():
    only_head = check_run.check_run(VERDICTS["everything"], context()).summary
    older = check_run.check_run(VERDICTS["everything"], context(situation=CommandContext("main", amend=False))).summary
    assert "git commit --amend --signoff" in only_head
    assert "git rebase" not in only_head
    assert "git rebase --signoff main" in older
    assert "--amend" not in older


@pytest.mark.parametrize(("language", "title"), [("en", "Passed, waiting for #7, #12"), ("zh", "已通过，等待 #7、#12")])
def test_a_run_that_waits_names_the_other_pull_requests(language, title):
    waiting = context(language=language, waits_for=(7, 12))
    shown_here = check_run.check_run(VERDICTS["good"], waiting)
    assert shown_here.title == title
    assert title[-5:] in shown_here.summary

    failing = check_run.check_run(VERDICTS["everything"], waiting)
    assert failing.title == check_run.check_run(VERDICTS["everything"], context(language=language)).title
    assert title[-5:] in failing.summary


def test_ten_of_many_waiting_pull_requests_are_named_and_the_rest_counted():
    title = check_run.check_run(VERDICTS["good"], context(waits_for=tuple(range(1, 101)))).title
    assert title.count("#") == 10
    assert "90 more" in title


def test_a_fix_among_other_peoples_commits_warns():
    there = context(situation=CommandContext("main", amend=False, others=True))
    for text in (
        check_run.check_run(VERDICTS["everything"], there).summary,
        comment.comment(VERDICTS["everything"], there),
    ):
        assert "some of these commits are by other people" in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_public_text_hides_company_domain_date_version_and_reason(language):
    values = {
        "cla/unsigned": {"agreement": "icla", "also": ()},
        "cla/outdated": {"agreement": "icla", "version": "1.0", "current": "2.0"},
        "cla/withdrawn": {"agreement": "icla"},
        "cla/company-ended": {"agreement": "ccla"},
        "cla/excluded": {"agreement": "ccla"},
    }
    seen = set()
    for code, of_code in values.items():
        problem = Problem(code=code, account=BO, role="opener", values=of_code)
        verdict = Verdict(
            conclusion=Conclusion.FAILURE, checks=(check("CLA", Conclusion.FAILURE, (problem,), (BY_DOMAIN,)),)
        )
        text = shown(check_run.check_run(verdict, context(language=language)))
        seen.add(text + comment.comment(verdict, context(language=language)))
    assert len(seen) == 1
    assert not re.search(r"Huawei|huawei\.com|ccla|1\.0|2\.0", seen.pop())


OUR_FRAME = r"<details><summary>[^<>]*</summary>|</details>"
HOSTILE = (
    "x </details> | `y` @cann/all [a](https://evil.example) ![p](https://evil.example/p.png) <img src=x> fixes #1 \n# h"
)


@pytest.mark.parametrize("language", LANGUAGES)
def test_text_from_git_is_shown_in_code_spans_only(language):
    hostile = {
        "expected": (HOSTILE,),
        "found": (HOSTILE,),
        "line": HOSTILE,
        "by": HOSTILE,
        "email": HOSTILE,
        "name": HOSTILE,
        "errors": (HOSTILE,),
        "path": HOSTILE,
        "agent": HOSTILE,
        "why": HOSTILE,
    }
    codes = ["dco/mismatch", "dco/malformed", "cla/unlinked-email", "cla/agent-blocked", "rulebook/invalid"]
    problems = tuple(Problem(code=code, sha=B, values=hostile) for code in codes)
    problems += (Problem(code="cla/bot-not-listed", account=Account(5, HOSTILE), role="author", values=hostile),)
    checks = tuple(
        check(name, Conclusion.FAILURE, problems, commits=commits("fail", "fail")) for name in ("CLA", "DCO")
    )
    checks += (check("Changelog", Conclusion.FAILURE, (Problem(code="changelog/missing", values=hostile),)),)
    verdict = Verdict(conclusion=Conclusion.FAILURE, checks=checks)
    branch = PullBranch(f"https://{HOSTILE}/x", f"https://{HOSTILE}/y", HOSTILE, HOSTILE)
    hostile_shas = {"individual": (HOSTILE,), "third_party": (HOSTILE,)}
    situation = CommandContext(HOSTILE, amend=None, others=True, pull=branch, web=(HOSTILE,), **hostile_shas)
    there = context(language=language, situation=situation, subjects={A: HOSTILE, B: HOSTILE})
    text = check_run.check_run(verdict, there)
    asked = [comment.comment(verdict, there, why=why).partition("\n")[2] for why in (False, True)]
    for shown_text in (text.summary, text.text, *asked):
        markdown = "\n".join(line for line in shown_text.splitlines() if not re.fullmatch(OUR_FRAME, line))
        tokens = MarkdownIt("commonmark", {"html": True}).enable("table").parse(markdown)
        inline = [child for token in tokens for child in token.children or ()]
        assert not [token for token in (*tokens, *inline) if token.type.startswith("html") or token.type == "image"]
        links = [token.attrs["href"] for token in inline if token.type == "link_open"]
        assert all(link.startswith("https://cla.example.org/") for link in links)
        plain = "".join(token.content for token in inline if token.type == "text")
        assert not re.search(r"@|evil|#1", plain)


@pytest.mark.slow
@pytest.mark.parametrize(
    "language", ["both", *(pytest.param(language, marks=pytest.mark.nightly) for language in ("en", "zh"))]
)
def test_a_check_of_5000_people_fits_githubs_limits_with_its_fix(language):
    verdict, subjects = many(5000)
    there = context(language=language, subjects=subjects, situation=MANY)
    text, body = check_run.check_run(verdict, there), comment.comment(verdict, there)
    assert max(len(text.summary), len(text.text)) <= check_run.CHECK_LIMIT
    assert len(body) <= comment.COMMENT_LIMIT
    assert len(text.text) > check_run.CHECK_LIMIT * 0.8
    assert "git rebase --signoff main" in text.summary
    assert "git rebase --signoff main" in body
    rows = [line for line in text.text.splitlines() if line.startswith("|")]
    assert all(line.endswith(" |") for line in rows)
    more = "more rows that are not shown here" if language == "en" else "行未在此显示"
    assert text.text.count(more) == 2


def title(problems, language="en", name="CLA", conclusion=Conclusion.FAILURE, failing=0):
    """The title of a verdict with one check."""
    found = check(name, conclusion, tuple(problems), commits=commits(*["fail"] * failing) if failing else None)
    return check_run.check_run(Verdict(conclusion=conclusion, checks=(found,)), context(language=language)).title


@pytest.mark.parametrize(("number", "english", "chinese"), [
    (1, "CLA: person-0 has not signed", "CLA：person-0 尚未签署"),
    (2, "CLA: person-0 and person-1 have not signed", "CLA：person-0 和 person-1 尚未签署"),
    (3, "CLA: person-0 and 2 others have not signed", "CLA：person-0 和另外 2 人尚未签署"),
])  # fmt: skip
def test_the_title_names_who_has_not_signed(number, english, chinese):
    people = many(number)[0].checks[0].problems
    again = people + people  # Each is named once, in however many roles.
    assert (title(again), title(again, "zh")) == (english, chinese)


def test_the_title_says_the_same_of_every_way_of_not_being_covered():
    codes = sorted(verdict_codes.uncovered() - {CHOSEN.code})
    assert {title([replace(UNSIGNED, code=code)]) for code in codes} == {"CLA: bo has not signed"}
    needs = [replace(UNSIGNED, code=code, values={"needs": ("company",)}) for code in codes]
    assert {title([item]) for item in needs} == {"CLA: not covered: bo"}


@pytest.mark.parametrize(("codes", "failing", "said"), [
    (["dco/missing"] * 2, 2, "DCO: 2 commits without sign-off"),
    (["dco/name-differs"], 1, "DCO: name in sign-off does not match (1 commit)"),
    (["dco/missing", "dco/name-differs"], 2, "DCO: 2 commits without a valid sign-off"),
    (["dco/only-merges"], 0, "DCO: only merges"),
    (["dco/agent-blocked"], 1, "DCO: AI agent not accepted under the DCO (1 commit)"),
])  # fmt: skip
def test_the_title_counts_the_commits_that_lack_a_sign_off(codes, failing, said):
    assert title([replace(MISSING, code=code) for code in codes], name="DCO", failing=failing) == said


def test_the_title_of_several_checks_names_each():
    said = check_run.check_run(VERDICTS["everything"], context()).title
    assert said == (
        "CLA: bo has not signed, address not linked to a GitHub account; DCO: 1 commit without sign-off; "
        "Changelog not updated"
    )


@pytest.mark.parametrize(("code", "values", "said"), [
    ("rulebook/invalid", {"errors": ("o/.github, line 7: a", "line 7: b", "line 12: c")}, "Rulebook has errors: line 7, line 12"),
    ("rulebook/invalid", {"errors": ("No text: line 9: a",)}, "Rulebook has errors"),
    ("rulebook/unreachable", {"where": "o/.github", "why": "refused"}, "Could not read the rulebook"),
    ("facts/empty", {}, "Pull request has no commits"),
    ("facts/incomplete", {"why": "no more than 10,000 are read"}, "Could not read everything"),
    ("facts/incomplete", {"of": "accounts"}, "Could not be checked yet"),
])  # fmt: skip
def test_the_title_says_which_doubts_will_not_pass_by_themselves(code, values, said):
    found = title([Problem(code=code, values=values)], name="Rulebook", conclusion=Conclusion.ACTION_REQUIRED)
    assert found == said


def test_the_title_shows_a_strangers_name_masked_and_short():
    named = replace(UNSIGNED, account=None, values={"agent": "ada@huawei.com\u202e" + "x" * 300})
    assert "ada@" not in title([named])
    assert "\u202e" not in title([named])
    assert len(title([named])) < 100


def test_the_same_verdict_gives_the_same_text():
    first, again = (json.dumps(shown(check_run.check_run(VERDICTS["everything"], context()))) for _ in range(2))
    assert first == again


def test_a_doubt_says_the_missing_part_its_age_and_the_next_step():
    doubt = Problem(code="facts/incomplete", values={"of": "pushes", "heads": ("abc1234",), "override": "admins"})
    both = Verdict(conclusion=Conclusion.FAILURE, checks=(check("CLA", Conclusion.FAILURE, (UNSIGNED, doubt)),))
    said = check_run.check_run(both, context()).summary
    assert "GitHub did not tell us who pushed `abc1234`" in said
    assert "`/cla exempt @ghost REASON`" in said
    assert "We ask GitHub again automatically" in said
    assert "like this since 2026-11-21 09:05 UTC" in said
    assert "since 2026" not in check_run.check_run(VERDICTS["newcomer"], context()).summary
    empty = Verdict(
        conclusion=Conclusion.ACTION_REQUIRED,
        checks=(check("DCO", Conclusion.ACTION_REQUIRED, (Problem(code="facts/empty"),)),),
    )
    assert "ask GitHub again" not in check_run.check_run(empty, context()).summary


@pytest.mark.parametrize("name", ["button", "answer"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_words_of_each_button_fit_githubs_limits(language, name):
    """GitHub refuses a longer label or description, and with it the whole run."""
    assert 0 < len(check_run.button(language, name)) <= 20
    assert 0 < len(check_run.button(language, f"{name}_says")) <= 40


@pytest.mark.parametrize(
    ("setting", "said"),
    [("COMMIT_MESSAGES", "holds those of its commits"), ("PR_BODY", "people: 1,234"), ("BLANK", "people: 1,234")],
)
def test_only_a_check_that_passes_says_what_a_squash_will_hold(setting, said):
    signed = Verdict(conclusion=Conclusion.SUCCESS, checks=(check("DCO", Conclusion.SUCCESS),))
    about = context(squash=setting, signoffs=1234, language="both")
    assert said in check_run.check_run(signed, about).summary
    assert "压缩合并" in check_run.check_run(signed, about).summary
    failed = Verdict(conclusion=Conclusion.FAILURE, checks=(check("DCO", Conclusion.FAILURE),))
    assert "squashed" not in check_run.check_run(failed, about).summary
    assert "squashed" not in check_run.check_run(signed, replace(about, signoffs=0)).summary


@pytest.mark.parametrize(("language", "said"), [
    ("en", "Signatures of an older one count until 2027-01-01 00:00 UTC. If yours is older, [sign the current version]({})"),
    ("zh", "旧版本的签署有效期至 2027-01-01 00:00 UTC。如果您签署的是旧版本，请在此之前[签署当前版本]({})"),
])  # fmt: skip
def test_the_first_end_of_an_older_version_is_said_without_a_name(language, said):
    def summary(*values):
        notes = tuple(replace(BY_DOMAIN, code="cla/grace", values={"agreement": "icla", **value}) for value in values)
        verdict = Verdict(conclusion=Conclusion.SUCCESS, checks=(check("CLA", Conclusion.SUCCESS, notes=notes),))
        return check_run.check_run(verdict, context(language=language)).summary

    first, later = {"version": "1.0", "until": "2027-01-01T00:00:00Z"}, {"until": "2027-06-01T00:00:00Z"}
    text = summary(later, first)
    assert said.format(context().sign_url) in text
    assert "ada" not in text.replace(context().sign_url, "")
    assert "1.0" not in text
    assert "2027" not in summary({**first, "by": "company"}) + summary({"until": "?"})


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", ["newcomer", "everything", "good", "nothing"])
def test_a_bot_is_not_thanked(name, language):
    person, bot = (
        comment.comment(VERDICTS[name], context(language=language, by_bot=by_bot)) for by_bot in (False, True)
    )
    words = ("Thank", "感谢", "谢谢")
    assert any(word in person for word in words)
    assert not any(word in bot for word in words)
