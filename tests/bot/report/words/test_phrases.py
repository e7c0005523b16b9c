"""Every code has its words in both languages, made only of values that the code has."""

import re
import string
from dataclasses import replace
from typing import get_args

import pytest

from agreements.dco import near_remediation
from agreements.facts import Account, Note, Problem
from bot import verdict_codes
from bot.github.ports import Unread
from bot.report import words
from bot.report.words import CommandContext, fixes, render, text
from bot.report.words.templates import entries

LANGUAGES = ("en", "zh")
BOOKS = {name: {**entries(name), **verdict_codes.words(name)} for name in LANGUAGES}

# The codes of the decision's documentation, problems first, with values that each can have.
EXPECTED = ("Ada <a…a@huawei.com>", "Bo <b…o@x.org>")
PROBLEMS = {
    "cla/unsigned": {"agreement": "icla", "also": ("company",)},
    "cla/outdated": {"agreement": "icla", "version": "1.0", "current": "2.0"},
    "cla/withdrawn": {"agreement": "icla"},
    "cla/chosen-uncovered": {"agreement": "ccla", "kind": "company"},
    "cla/company-ended": {"agreement": "ccla"},
    "cla/excluded": {"agreement": "ccla"},
    "cla/not-in-log": {"agreement": "icla"},
    "cla/other-party": {"agreement": "icla"},
    "cla/unlinked-email": {"email": "a…a@huawei.com", "name": "Ada"},
    "cla/bot-not-listed": {},
    "cla/bot-unproven": {},
    "cla/agent-alone": {"agent": ("GitHub Copilot",), "id": 198982749},
    "cla/agent-blocked": {"agent": "Copilot"},
    "cla/cannot-sign": {"why": "organization", "email": "", "override": "nobody"},
    "dco/missing": {"expected": EXPECTED},
    "dco/malformed": {"line": "Signed-off-by:Ada <a…a@huawei.com>", "expected": EXPECTED, "why": "no-space"},
    "dco/name-differs": {"expected": EXPECTED, "found": ("A <a…a@huawei.com>",)},
    "dco/email-differs": {"expected": EXPECTED, "found": ("Ada <a…a@x.org>",)},
    "dco/mismatch": {"expected": EXPECTED, "found": ("Eve <e…e@x.org>",)},
    "dco/invisible": {"expected": EXPECTED, "found": ("Ada\\u200b <a…a@huawei.com>",)},
    "dco/invalid-email": {"whose": "author", "email": "a…a@"},
    "dco/member-unverified": {},
    "dco/agent-signoff": {"agent": ("GitHub Copilot",), "found": ("Copilot <C…t@x.org>",)},
    "dco/agent-alone": {"agent": "Copilot", "override": "maintainers"},
    "dco/agent-blocked": {"agent": "Copilot"},
    "dco/only-merges": {"expected": EXPECTED},
    "dco/merge-changes": {"expected": EXPECTED},
    "dco/bot-unproven": {},
    "facts/incomplete": {"have": 250, "reported": 251, "why": "their number is not known"},
    "facts/empty": {},
    "rulebook/invalid": {"errors": ("line 7: people.exmpt: unknown key, did you mean exempt?", "line 9: x: y")},
    "rulebook/unreachable": {"where": "cann/.github", "why": "not-covered"},
    "changelog/missing": {"path": "CHANGELOG.md"},
}
NOTES = {
    "cla/individual": {"agreement": "icla", "version": "2.0"},
    "cla/company-account": {"agreement": "ccla", "version": "2.0", "company": "Huawei"},
    "cla/company-email": {"agreement": "ccla", "version": "2.0", "company": "Huawei", "email": "a…a@huawei.com"},
    "cla/company-domain": {"agreement": "ccla", "version": "2.0", "company": "Huawei", "domain": "huawei.com"},
    "cla/exempt": {},
    "cla/member": {},
    "cla/small-change": {"lines": 3, "paths": ("*.md",)},
    "cla/agent-ignored": {"agent": "Copilot"},
    "cla/vouched": {"agent": ("GitHub Copilot",)},
    "cla/grace": {"agreement": "icla", "version": "1.0", "until": "2027-01-31T00:00:00Z"},
    "cla/sender-writes": {},
    "cla/overridden": {"by": "maint"},
    "dco/signed": {"by": "Ada <a…a@huawei.com>"},
    "dco/remediated": {"by_sha": "c" * 40, "kind": "individual"},
    "dco/merge": {},
    "dco/bot": {},
    "dco/exempt": {},
    "dco/merged": {},
    "dco/signed-here": {},
    "dco/revert": {},
    "dco/member": {},
    "dco/overridden": {"by": "maint"},
    "dco/equivalent": {"kinds": ("unicode", "case", "noreply", "mailmap", "proven")},
    "rules/before-since": {"since": "2025-01-01T00:00:00Z"},
}
NEEDS = (("signature",), ("company",), ("signature", "company"))
VARIANTS = [
    ("cla/other-party", {"agreement": "icla", "needs": ("signature",)}),
    ("cla/other-party", {"agreement": "ccla", "by": "company"}),
    ("cla/other-party", {"agreement": "ccla", "by": "company", "needs": ("company",)}),
    ("dco/invisible", {**PROBLEMS["dco/invisible"], "why": "bytes"}),
    ("cla/unsigned", {"agreement": "icla", "also": ()}),
    *[("cla/unsigned", {"agreement": "icla", "also": (), "needs": needs}) for needs in NEEDS],
    ("cla/outdated", {"agreement": "ccla", "version": "1.0", "current": "2.0", "by": "company"}),
    ("cla/outdated", {"agreement": "ccla", "version": "1.0", "current": "2.0", "by": "company", "needs": ("company",)}),
    ("cla/outdated", {"agreement": "icla", "version": "2.0", "current": "2.0"}),
    ("cla/withdrawn", {"agreement": "icla", "needs": ("signature",)}),
    ("cla/chosen-uncovered", {"agreement": "icla", "kind": "self"}),
    ("cla/company-ended", {"agreement": "ccla", "needs": ("company",)}),
    ("cla/excluded", {"agreement": "ccla", "needs": ("company",)}),
    ("cla/grace", {"agreement": "ccla", "version": "1.0", "until": "2027-01-31T00:00:00Z", "by": "company"}),
    ("cla/unlinked-email", {"email": "", "name": "", "why": "ghost"}),
    ("cla/unlinked-email", {"email": "", "name": "Ada", "why": "no-address"}),
    ("cla/unlinked-email", {"email": "n…y@github.com", "name": "GitHub", "why": "website", "override": "admins"}),
    ("cla/agent-alone", {"agent": ("b…t@agent.example",)}),
    ("cla/agent-alone", {"agent": ("Claude",), "id": 81847, "able": ("ada", "bo")}),
    ("cla/agent-alone", {"agent": ("Claude",), "id": 81847, "voucher": "bo"}),
    ("cla/bot-not-listed", {"why": "named"}),
    ("cla/cannot-sign", {"why": "mannequin", "email": "m…a@x.org", "override": "maintainers"}),
    ("cla/cannot-sign", {"why": "website", "email": "n…y@github.com", "override": "admins"}),
    ("cla/cannot-sign", {"why": "organization-named", "email": "", "override": "maintainers"}),
    ("cla/cannot-sign", {"why": "gone", "email": "9…e@users.noreply.github.com", "override": "admins"}),
    ("cla/small-change", {"lines": 1, "paths": ("*.md",), "total": 100, "why": "clone"}),
    ("cla/small-change", {"lines": 1, "paths": ("*.md", "docs/**")}),
    ("dco/agent-alone", {"agent": "Copilot", "override": "nobody"}),
    ("dco/missing", {**PROBLEMS["dco/missing"], "agent": ("Claude",)}),
    ("dco/missing", {"whose": "author"}),
    ("dco/missing", {"why": "machine"}),
    *(
        ("dco/missing", {**PROBLEMS["dco/missing"], "why": why, "by_sha": "c" * 7, "line": "I, Ada"})
        for why in get_args(near_remediation.Why)
    ),
    ("dco/mismatch", {"whose": "author"}),
    ("dco/mismatch", {"found": ("GitHub <n…y@github.com>",), "why": "machine"}),
    ("dco/name-differs", {**PROBLEMS["dco/name-differs"], "why": "mixed"}),
    ("dco/email-differs", {**PROBLEMS["dco/email-differs"], "why": "mixed"}),
    ("dco/malformed", {**PROBLEMS["dco/malformed"], "why": "after-address"}),
    ("dco/malformed", {**PROBLEMS["dco/malformed"], "why": "shape"}),
    ("dco/invalid-email", {"whose": "committer", "email": "a…a@"}),
    ("dco/remediated", {"by_sha": "c" * 40, "kind": "third-party"}),
    ("facts/incomplete", {"have": 3, "reported": 2, "why": "their number differs from what GitHub reports"}),
    ("facts/incomplete", {"have": 250, "reported": None, "why": "GitHub did not answer"}),
    ("cla/overridden", {"by": "maint", "of": "pushes"}),
    ("facts/incomplete", {"of": "pushes", "heads": ("abc1234",), "override": "nobody"}),
    ("facts/incomplete", {"of": "pushes", "heads": ("abc1234", "def5678"), "override": "admins"}),
    ("facts/incomplete", {"have": 3, "reported": 3, "why": "the head commit is not among them"}),
    ("facts/incomplete", {"have": 10_100, "reported": 12_000, "why": "no more than 10,000 are read"}),
    ("facts/incomplete", {"of": "coauthors"}),
    ("facts/incomplete", {"of": "accounts-of-coauthors"}),
    ("facts/incomplete", {"of": "accounts-of-authors"}),
    ("facts/incomplete", {"of": "files"}),
    ("facts/incomplete", {"of": "accounts"}),
    ("facts/incomplete", {"of": "accounts", "listed": ("ada",), "others": ()}),
    ("facts/incomplete", {"of": "accounts", "listed": (), "others": ("Bo <b…o@x.org>",)}),
    ("facts/incomplete", {"of": "accounts", "listed": ("ada",), "others": ("Bo <b…o@x.org>",)}),
    ("facts/empty", {"range": "main..fix"}),
    ("rulebook/unreachable", {"where": "the organisation's .github repository"}),
    ("rulebook/unreachable", {"where": "cann/.github", "why": "not-found"}),
    ("rulebook/unreachable", {"where": "cann/.github", "why": "listed"}),
    ("rulebook/unreachable", {"where": "cann/.github", "why": "refused"}),
    ("rulebook/unreachable", {"where": "cann/.github", "why": "no-answer"}),
]
CASES = [*PROBLEMS.items(), *NOTES.items(), *VARIANTS]
OF_THE_WHOLE = {"dco/agent-alone", "dco/agent-blocked"}
"""Problems of the DCO that no command mends: they are about who takes part."""
FILLED = {"able", "button", "exempting", "who", "role", "sha", "id", "commands", "count"}
PUBLIC_ONLY = {"public/covered", "public/uncovered", "public/uncovered:both"}


def item(code, values):
    """A problem or note of this code; with an account where the code is about an account."""
    of_account = code.startswith("cla/") and code != "cla/unlinked-email" and "agent" not in values
    of_account |= code == "dco/agent-alone" or "id" in values
    kind = Note if code in NOTES else Problem
    account = Account(12, "bo") if of_account else None
    return kind(code=code, sha="b" * 40, account=account, role="coauthor", values=values)


def test_every_waived_problem_of_the_dco_has_its_clause():
    of_dco = {code for code in PROBLEMS if code.startswith("dco/")}
    for language in LANGUAGES:
        assert verdict_codes.each("aside", language).keys() == of_dco
    codes = ("dco/invalid-email", "dco/missing", "dco/overridden")
    assert words.set_aside(codes, "`bo`", "en") == (
        "The author's or committer's e-mail address is invalid; there is no sign-off. Waived by `bo`."
    )
    assert words.set_aside(codes, "`bo`", "zh") == "作者或提交者的邮箱地址无效；缺少 Signed-off-by 签名。由 `bo` 免除。"
    assert words.set_aside(("dco/overridden",), "`bo`", "en") == ""


def placeholders(template):
    """The names that a template asks for."""
    return {name for _, name, _, _ in string.Formatter().parse(template) if name}


def test_the_words_know_exactly_the_documented_codes():
    assert {"problem": set(PROBLEMS), "note": set(NOTES)} == {
        kind: {code for code, entry in verdict_codes.declared().items() if entry.kind == kind}
        for kind in ("problem", "note")
    }


def test_every_reason_for_an_unknown_rulebook_has_its_words():
    said = {key.partition(":")[2] for key in BOOKS["en"] if key.startswith("rulebook/unreachable:")}
    assert said == set(get_args(Unread)) - {"not-found"}


def test_both_languages_have_the_same_entries_and_values():
    assert BOOKS["en"].keys() == BOOKS["zh"].keys()
    for key, entry in BOOKS["en"].items():
        assert entry.keys() == BOOKS["zh"][key].keys(), key
        for part, template in entry.items():
            assert placeholders(template) == placeholders(BOOKS["zh"][key][part]), (key, part)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_template_uses_only_values_of_its_code(language):
    known = {code: {name for other, values in CASES if other == code for name in values} for code, _ in CASES}
    for key, entry in BOOKS[language].items():
        code = key.partition(":")[0]
        if code not in known:
            continue
        for template in entry.values():
            assert placeholders(template) <= known[code] | FILLED, key


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("code", "values"), CASES)
def test_every_placeholder_is_filled_and_every_problem_has_a_fix(code, values, language):
    said = text(item(code, values), language)
    for sentence in said.message, said.fix:
        assert not re.search(r"[{}]|(^|\s)\?(\s|$)", sentence)
        assert "None" not in sentence
    assert bool(said.fix) == (code in PROBLEMS)
    assert said.message
    assert bool(re.search(r"[\u4e00-\u9fff]", said.message)) == (language == "zh")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("code", "values"), CASES)
def test_expected_and_found_values_lines_paths_and_errors_are_shown(code, values, language):
    said = text(item(code, values), language).message
    whose = ("agent",) if code.startswith("dco/") and "agent" in values else ("expected", "found")
    for name in (*whose, "errors", "line", "path", "where", "listed", "others", "range"):
        value = values.get(name, ())
        for part in (value,) if isinstance(value, str) else value:
            assert part in said


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("code", sorted(verdict_codes.declared()))
def test_no_address_is_shown_unmasked(code, language):
    values = {name: "ada@huawei.com\u200b" for name in (PROBLEMS | NOTES)[code] if name not in ("kinds", "also")}
    said = text(Problem(code=code, sha="b" * 40, values=values), language)
    assert "ada@" not in said.message + said.fix
    assert "\u200b" not in said.message + said.fix


def test_an_unknown_pusher_is_said_to_be_let_pass_and_not_exempt():
    said = text(Note(code="cla/overridden", role="sender", values={"by": "bo", "of": "pushes"}), "en").message
    assert said == "We do not know who pushed. bo allowed it for the current commit of this pull request."


def test_a_missing_value_never_fails_a_verdict():
    assert text(Problem(code="changelog/missing"), "en").message == "This pull request does not change ?."
    assert text(Problem(code="new/code"), "zh") == words.Explanation("new/code", "")


SIGN = {"expected": EXPECTED}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_failing_last_commit_is_amended_by_commands_in_a_block(language):
    fix = text(Problem(code="dco/missing", values=SIGN), language, situation=CommandContext("main", amend=True)).fix
    assert "\n```\ngit commit --amend --signoff --no-edit\ngit push --force-with-lease\n```" in fix
    assert "rebase" not in fix


@pytest.mark.parametrize("language", LANGUAGES)
def test_amending_among_several_peoples_commits_warns(language):
    mine, theirs = (
        text(
            Problem(code="dco/missing", values=SIGN),
            language,
            situation=CommandContext("main", amend=True, others=others),
        ).fix
        for others in (False, True)
    )
    assert theirs.startswith(mine)
    assert ("only if that commit is yours" if language == "en" else "您本人") in theirs


@pytest.mark.parametrize("language", LANGUAGES)
def test_several_failing_commits_are_rebased_onto_the_base_with_a_warning(language):
    fix = text(Problem(code="dco/missing", values=SIGN), language, situation=CommandContext("main", amend=False)).fix
    assert "\n```\ngit rebase --signoff main\ngit push --force-with-lease\n```\n" in fix
    assert "amend" not in fix
    careful = text(
        Problem(code="dco/missing", values=SIGN), language, situation=CommandContext("main", amend=False, others=True)
    ).fix
    assert ("by other people" if language == "en" else "他人") in careful
    first, _ = careful.split("\n```\n", 2)[1:]
    assert first.startswith('git rebase --exec \'test "$(git log -1 --format=%ae)" != "$(git config user.email)" || ')
    assert "git rebase --signoff main" in careful


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_base_that_is_a_commit_needs_no_update(language):
    branch, commit = (
        text(Problem(code="dco/missing", values=SIGN), language, situation=CommandContext(base, amend=False)).fix
        for base in ("main", "b" * 40)
    )
    assert ("Update your local" if language == "en" else "更新") in branch
    assert ("Update your local" if language == "en" else "更新") not in commit


def blocks(fix):
    """The command blocks of a fix."""
    return fix.split("```")[1::2]


@pytest.mark.parametrize("others", [True, False])
@pytest.mark.parametrize("amend", [None, True, False])
@pytest.mark.parametrize(("code", "values"), [case for case in CASES if case[0] in PROBLEMS])
def test_the_commands_are_the_same_in_both_languages(code, values, amend, others):
    situation = CommandContext("main", amend=amend, others=others)
    english, chinese = (text(item(code, values), language, situation=situation).fix for language in LANGUAGES)
    assert blocks(english) == blocks(chinese)
    assert bool(blocks(english)) == (code.startswith("dco/") and code not in OF_THE_WHOLE)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("amend", [None, True, False])
@pytest.mark.parametrize(("code", "values"), [case for case in CASES if case[0] in PROBLEMS])
def test_no_fix_counts_commits_back_from_head(code, values, amend, language):
    """With a merge in between, that would sign other people's work."""
    fix = text(item(code, values), language, situation=CommandContext("main", amend=amend)).fix
    assert not re.search(r"HEAD[~^]", fix)
    if code.startswith("dco/") and code not in OF_THE_WHOLE:
        assert "git push --force-with-lease" in fix


@pytest.mark.parametrize(
    ("base", "quoted"),
    [
        ("main", "main"),
        ("release/1.0", "release/1.0"),
        ("a;rm -rf x", "'a;rm -rf x'"),
        ("$(x)", "'$(x)'"),
        ("`x`", "'`x`'"),
    ],
)
def test_the_base_branchs_name_is_quoted_for_the_shell(base, quoted):
    fix = text(Problem(code="dco/missing", values=SIGN), "en", situation=CommandContext(base, amend=False)).fix
    assert f"git rebase --signoff {quoted}\n" in fix


def test_an_invalid_author_is_reset_and_an_invalid_committer_is_not():
    """A sign-off does not cure an invalid author's address."""
    author = Problem(code="dco/invalid-email", values={"whose": "author", "email": "x"})
    committer = Problem(code="dco/invalid-email", values={"whose": "committer", "email": "x"})
    assert "--reset-author" in text(author, "en", situation=CommandContext("main", amend=True)).fix
    assert (
        "--exec 'git commit --amend --no-edit --allow-empty --allow-empty-message --reset-author --signoff' main"
        in (text(author, "en", situation=CommandContext("main", amend=False)).fix)
    )
    assert "--reset-author" not in text(committer, "en", situation=CommandContext("main", amend=True)).fix


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("whose", ["author", "committer"])
def test_the_fault_of_an_invalid_address_is_said(whose, language):
    """The mask would hide it."""
    said = [
        text(Problem(code="dco/invalid-email", sha="b" * 40, values={"whose": whose, "email": email}), language).message
        for email in ("", "a…a", "a…a@")
    ]
    ends = ("it is empty.", "a…a has no @.", "a…a@.") if language == "en" else ("为空。", "a…a 中没有 @。", "a…a@。")  # fmt: skip
    assert all(sentence.endswith(end) for sentence, end in zip(said, ends, strict=True))


@pytest.mark.parametrize("language", LANGUAGES)
def test_public_words_do_not_tell_why_a_person_is_not_covered(language):
    codes = ("cla/unsigned", "cla/outdated", "cla/withdrawn", "cla/company-ended", "cla/excluded")
    for needs in ({}, {"needs": ("signature",)}):  # with `needs`, a company alone would not do
        said = {render(item(code, PROBLEMS[code] | needs), language, show=str, public=True) for code in codes}
        assert len(said) == 1
        assert not re.search(r"withdr|ended|icla|撤回|终止|[0-9]\.[0-9]", said.pop().message)
    both = {render(item("cla/unsigned", {"needs": needs}), language, show=str, public=True) for needs in NEEDS}
    assert len(both) == 1


def test_a_companys_signature_is_not_told_as_a_persons():
    def said(code, **values):
        return text(item(code, PROBLEMS.get(code, NOTES.get(code)) | values), "en")

    assert "Their company signed version 1.0 of icla" in said("cla/outdated", by="company").message
    assert "bo's company needs to sign version 2.0" in said("cla/outdated", by="company").fix
    assert "sign as an individual" not in said("cla/outdated", by="company", needs=("company",)).fix
    assert "no longer" not in said("cla/outdated", version="3.0").message
    assert "`agreements.accept`" in said("cla/outdated", version="2.0").fix
    assert "their company, which signed icla 1.0" in said("cla/grace", by="company").message
    assert "until 2027-01-31 00:00 UTC" in said("cla/grace").message
    assert "until 2027-01-31T00:00:01Z" in said("cla/grace", until="2027-01-31T00:00:01Z").message
    signed, alone = (said("cla/unsigned", needs=needs) for needs in (("company",), ("signature",)))
    assert "CLA manager" in signed.fix
    assert "CLA manager" not in alone.fix
    for code, way in (
        ("cla/withdrawn", "CLA manager"),
        ("cla/excluded", "individual"),
        ("cla/company-ended", "individual"),
    ):
        assert way in said(code).fix
        assert way not in said(code, needs=("company",)).fix


@pytest.mark.parametrize("language", LANGUAGES)
def test_public_words_do_not_tell_how_a_person_is_covered(language):
    codes = ("cla/individual", "cla/grace", "cla/company-account", "cla/company-email", "cla/company-domain")
    assert len({render(item(code, NOTES[code]), language, show=str, public=True) for code in codes}) == 1
    assert "Huawei" in text(item(codes[2], NOTES[codes[2]]), language).message


@pytest.mark.parametrize(
    ("account", "values", "label"),
    [
        (Account(12, "bo"), {}, "bo"),
        (Account(12), {}, "account 12"),
        (None, {"email": "b…o@x.org"}, "b…o@x.org"),
        (None, {}, "a contributor"),
    ],
)
def test_a_person_is_named_by_login_id_or_masked_address_without_a_mention(account, values, label):
    from_records = Note(code="cla/company-email", values={"company": "Huawei", "email": "a…a@huawei.com"})
    assert words.person(from_records, "en", str) == "a contributor"
    assert words.person(Problem(code="cla/bot-unproven", account=account, values=values), "en", str) == label


def of_commit(number, code="dco/missing", **values):
    """A problem of that commit."""
    return Problem(code=code, sha=f"{number:040x}", account=Account(11, "ada"), role="author", values=values)


def to_do(*problems, language="en", **situation):
    """What there is to do."""
    return fixes(problems, language, show=str, situation=CommandContext("main", amend=False, **situation))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_many_commits_of_one_cause_have_one_advice(language):
    (block,) = to_do(*(of_commit(number, expected=(f"{number}",)) for number in range(40)), language=language)
    assert block.count("git rebase --signoff main") == 1
    assert "40" not in block


def test_several_causes_have_a_line_each_and_the_commands_once():
    block = to_do(
        of_commit(1), of_commit(2), of_commit(3, "dco/name-differs"), of_commit(3, "dco/malformed", why="no-space")
    )[0]
    assert block.startswith(
        "- 2 commits: no sign-off.\n"
        "- 1 commit: the name in the sign-off does not match. Check `git config user.name` first.\n"
        "- 1 commit: no space after `Signed-off-by:`.\n"
        "\nThen run this in your clone:\n```\n"
    )
    assert block.count("```") == 2


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_cause_has_its_line_in_both_languages(language):
    codes = ("missing", "malformed", "name-differs", "email-differs", "mismatch", "invisible", "invalid-email",
             "member-unverified", "agent-signoff", "bot-unproven")  # fmt: skip
    problems = [of_commit(number, f"dco/{code}") for number, code in enumerate(codes)]
    problems += [of_commit(20, agent=("Claude",)), of_commit(21, "dco/invisible", why="bytes")]
    blocks = to_do(*problems, language=language, reset=True, bots=True)
    assert len(blocks) == 1
    assert sum(line.startswith("- 1 ") for line in blocks[0].splitlines()) == len(problems)


def test_equal_problems_that_are_no_commits_stand_once():
    unsigned = Problem(code="cla/unsigned", account=Account(1, "a"), values={"agreement": "icla"})
    other = Problem(code="cla/unsigned", account=Account(2, "b"), values={"agreement": "icla"})
    listed = Problem(code="cla/bot-not-listed", account=Account(3, "x[bot]", "Bot"))
    assert len(to_do(unsigned, other, listed)) == 2
    assert to_do() == []


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(("why", "offered"), [
    ("gone", "/cla exempt ADDRESS|/cla exempt 地址"), ("organization", "/cla exempt @"), ("organization-named", "/cla exempt @"),
    ("mannequin", ""),  # GitHub links it to its addresses, and finds it by no login
])  # fmt: skip
def test_an_exemption_is_offered_as_the_command_takes_it(language, why, offered):
    account = None if why == "gone" else Account(50, "acme")
    item = Problem(code="cla/cannot-sign", account=account, role="author", values={"why": why, "override": "admins"})
    (said,) = to_do(item, language=language)
    assert ("/cla exempt" in said) is bool(offered)
    assert any(form in said for form in offered.split("|"))
    (without,) = to_do(replace(item, values={"why": why, "override": "nobody"}), language=language)
    assert "/cla exempt" not in without
