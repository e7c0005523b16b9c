"""Stored findings become whole sentences and safe HTML in both languages, with or without their values."""

import re

import pytest

from bot import verdict_codes
from bot.portal.text import finding_text
from bot.report.words import CommandContext
from bot.report.words.git_commands import PullBranch

SHA = "3fa9c2d1e0b7a6c5d4e3f2a1b0c9d8e7f6a5b4c3"
FULL = {
    "agreement": "icla", "also": ["company"], "by": "bo", "by_sha": "beef" * 10, "current": "2.0", "have": 1, "id": 17,
    "errors": ["line 7: people.exmpt: unknown key, did you mean exempt?"], "heads": ["abc1234"], "kind": "individual", "kinds": ["case"], "lines": 3, "needs": ["signature"], "of": "files", "override": "nobody",
    "path": "CHANGELOG.md", "paths": ["*.md"], "records": ["signature:s1"], "reported": 3, "since": "2026-01-01", "until": "2027-01-01", "version": "1.0",
    "where": "the organisation's .github repository", "whose": "author", "why": "shape",
}  # fmt: skip


@pytest.fixture(name="tell")
def _tell(unchanged_portal):
    """The words of one entry in a language."""

    def tell(entry, language="en", logins=None):
        with unchanged_portal.app.test_request_context(f"/?lang={language}"):
            return str(finding_text.public_text(entry, language, logins or {}))

    return tell


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("code", sorted(verdict_codes.declared()))
def test_no_sentence_has_a_gap_with_or_without_stored_values(tell, code, language):
    kept = {name: FULL[name] for name in verdict_codes.of(code).stored}
    for entry in (
        {"check": "x", "code": code, "sha": SHA, "account": 1003, "role": "author", "values": kept},
        {"check": "x", "code": code, "sha": SHA, "account": None, "role": "author", "values": kept},
        {"check": "x", "code": code, "sha": None, "account": 1003},
        {"check": "x", "code": code, "sha": None, "account": None},
    ):
        said = tell(entry, language)
        assert said.endswith(("。", ".", "?</code>")), said
        assert not re.search(r"[…\ue000`{}]|e000|%\(|\?(?!</code>)|[(（][)），,]|[:：]$", said), said
        assert ("account 1003" in said) is (language == "en" and "1003" in said)


@pytest.mark.parametrize(
    ("code", "values", "says"),
    [
        ("rulebook/invalid", {"errors": FULL["errors"]}, "line 7: people.exmpt: unknown key, did you mean exempt?"),
        ("rulebook/unreachable", {"where": "the organisation's .github repository"}, ".github repository"),
        ("rulebook/unreachable", {"where": "cann/.github", "why": "not-covered"}, "it is either not selected"),
        ("facts/incomplete", {"have": 249, "reported": 251, "why": "their number is not known"}, "249 of 251"),
        ("facts/incomplete", {"have": 249, "reported": None, "why": "x"}, "GitHub did not say how many"),
        ("cla/unlinked-email", {"why": "ghost"}, "The account that opened this pull request no longer exists"),
        ("dco/malformed", {"why": "no-space"}, "has no space after <code>Signed-off-by:</code>."),
        ("dco/overridden", {"by": "bo"}, "<code>bo</code> waived the sign-off"),
        ("changelog/missing", {"path": "NEWS"}, "does not change <code>NEWS</code>."),
    ],
)
def test_a_finding_says_the_stored_values(tell, code, values, says):
    assert says in tell({"check": "x", "code": code, "sha": SHA, "account": None, "values": values}).replace(
        "&#39;", "'"
    )


def test_a_person_is_named_by_login_or_else_by_account_number(tell):
    entry = {"check": "CLA", "code": "cla/bot-not-listed", "sha": None, "account": 1003, "role": "opener"}

    assert tell(entry, logins={1003: "renovate[bot]"}).startswith(
        "<code>renovate[bot]</code> (opened the pull request) is a bot"
    )
    assert tell(entry, "zh").startswith("<code>账号 1003</code>（拉取请求发起者）")
    assert tell({**entry, "code": "cla/individual"}, "zh") == "<code>账号 1003</code> 已有有效的贡献者协议。"


def test_each_advice_stands_once_and_amending_only_for_the_newest_commit(unchanged_portal):
    other = "b" * 40

    def fixes(*pairs, language="en"):
        entries = [{"check": "x", "code": code, "sha": sha, "account": None} for code, sha in pairs]
        with unchanged_portal.app.test_request_context(f"/?lang={language}"):
            situation = finding_text.guessed(entries, SHA, language)
            return [str(fix) for fix in finding_text.fixes(entries, language, situation)]

    newest, both = (
        fixes(("dco/signed", other), ("dco/missing", SHA)),
        fixes(("dco/missing", SHA), ("dco/missing", other)),
    )
    assert "git commit --amend --signoff" in newest[0]
    assert "BASE" not in newest[0]
    assert '<pre tabindex="0"><code>git rebase --signoff BASE' in both[0]
    assert "is the branch that you want to merge into" in both[0]
    assert len(newest) == len(both) == 1
    assert fixes(("cla/individual", None), ("dco/signed", SHA)) == []
    assert len(fixes(("cla/unsigned", None), ("cla/withdrawn", None), ("cla/unlinked-email", SHA))) == 2
    assert "请" in fixes(("rulebook/invalid", None), language="zh")[0]


def test_longer_commands_are_folded_and_other_tags_are_shown_as_text(unchanged_portal):
    entry = {"check": "x", "code": "dco/missing", "sha": SHA, "account": None}
    branch = PullBranch.at("https://github.com", "cann/app", ("mia/app", "fix"), SHA)
    with unchanged_portal.app.test_request_context("/"):
        [fix] = finding_text.fixes([entry], "en", CommandContext(amend=True, pull=branch))
        said = finding_text.block("`<b>` and <b>\n\n<i>x</i>\n\n<img src=x onerror=alert(1)>")
    assert "<details><summary>If your clone is shallow" in fix
    assert "&lt;details" not in fix
    assert said.count("&lt;b&gt;") == 2
    assert not re.search("<(?!/?(?:code|p)>)", said)


def test_text_from_a_rulebook_is_escaped_in_findings(tell):
    errors = ["line 1: <img src=x onerror=alert(1)> [x](https://evil.example) `**b**`"]
    said = tell({"check": "x", "code": "rulebook/invalid", "sha": None, "account": None, "values": {"errors": errors}})

    assert "&lt;img src=x" in said
    assert not re.search("<(?!/?code>)", said)
