"""The page of a public pull request explains its verdict without telling how a person is covered or why no longer."""

import re
from datetime import timedelta

import pytest

from agreements.facts import (
    Account,
    Check,
    Coauthor,
    Commit,
    Conclusion,
    Facts,
    Identity,
    Note,
    Problem,
    PullRequest,
    Verdict,
)
from agreements.judge import judge
from agreements.rulebook.rules import RepositoryRule, Rules
from agreements.store.people import withdrawals
from bot.github.ports import RuleFile, RuleFiles
from bot.rulebook.recorded_facts import TOO_LARGE, HeadBranch, pack
from bot.store.pulls import pushes, stored_facts, verdicts
from bot.store.records import DeliveryRecord, PullRecord
from bot.store.statements import change
from tests.bot.portal.sentences import without_times
from tests.within import within

SHA = "3fa9c2d1e0b7a6c5d4e3f2a1b0c9d8e7f6a5b4c3"
PAGE = "/pr/cann/ops-math/7"
_PROOF = re.compile(r'name="csrf_token" value="[^"]*"')
"""It says in which second it was made."""


def judged(portal, *checks: Check, pull_id: int, conclusion: Conclusion = Conclusion.FAILURE) -> None:
    """Keep a verdict."""
    with portal.services.sessions() as session:
        verdicts.add(session, pull_id, SHA, Verdict(conclusion=conclusion, checks=checks), at=portal.at)


def cla(*codes: str) -> Check:
    """A CLA check with these problems about ada."""
    problems = tuple(
        Problem(code=code, account=Account(11, "ada"), role="opener", values={"agreement": "icla"}) for code in codes
    )
    return Check(name="CLA", conclusion=Conclusion.FAILURE, problems=problems)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_page_shows_verdict_commits_and_commands_to_a_visitor(portal, language):
    dco = Check(
        name="DCO",
        conclusion=Conclusion.FAILURE,
        problems=(Problem(code="dco/missing", sha=SHA),),
        notes=(Note(code="dco/signed", sha=SHA, values={"by": "Ada <a…a@example.com>"}),),
    )
    judged(portal, cla("cla/unsigned"), dco, pull_id=portal.pull(7))
    page = portal.browser().get(f"{PAGE}?lang={language}").text

    assert {"en": "Action needed", "zh": "需要处理"}[language] in page
    assert {"en": "has no sign-off", "zh": "缺少 Signed-off-by 签名"}[language] in page
    assert SHA[:12] in page
    assert f'href="{portal.github.url}/cann/ops-math/pull/7"' in page
    assert 'href="/sign/icla?pr=cann/ops-math/7"' in page
    assert "?." not in page
    assert {"en": "How to fix", "zh": "如何解决"}[language] in page
    assert '<pre tabindex="0"><code>git commit --amend --signoff' in page
    since = {"en": "Since 2026-11-21 12:00:00 UTC, at commit", "zh": "自 2026-11-21 12:00:00 UTC 起，提交"}
    assert since[language] in without_times(page)
    assert {"en": "Earlier results", "zh": "以往结果"}[language] not in page


def test_since_is_when_it_turned_red_also_after_later_verdicts(portal):
    judged(portal, pull_id=(pull_id := portal.pull(7)), conclusion=Conclusion.SUCCESS)
    for minute in range(1, 13):  # More than the page lists.
        portal.later(minutes=1)
        judged(portal, cla(("cla/unsigned", "cla/withdrawn")[minute % 2]), pull_id=pull_id)
        page = without_times(portal.browser().get(PAGE).text)
        checked = f". Last checked on 2026-11-21 12:{minute:02}:00 UTC" if minute > 1 else ""
        assert f"Since 2026-11-21 12:01:00 UTC{checked}, at commit" in page
        assert ("Older results are not listed here." in page) == (minute > 9)  # The page lists ten.
    assert "更早的结果未在此列出。" in portal.browser().get(f"{PAGE}?lang=zh").text


def test_the_next_step_is_one_button_for_each_viewer_and_none_once_green(portal):
    pull_id = portal.pull(7)
    dco = Check(name="DCO", conclusion=Conclusion.FAILURE, problems=(Problem(code="dco/missing", sha=SHA),))
    judged(portal, cla("cla/unsigned"), dco, pull_id=pull_id)
    ada, eve = portal.signed_in(), portal.signed_in(id=15, login="eve")

    def button(browser):
        return re.findall(r'<a class="button" href="([^"]*)"', browser.get(PAGE).text)

    assert button(ada) == ["/sign/icla?pr=cann/ops-math/7"]
    page = ada.get(PAGE).text
    assert '<a class="button second" href="/employer?pr=cann/ops-math/7">Contribute for your employer</a>' in page
    assert "Everything else that is missing is listed below." in page
    assert page.count("about two minutes") == portal.browser().get(PAGE).text.count("about two minutes") == 1
    assert button(eve) == []
    assert "Other people need to act." in eve.get(PAGE).text
    portal.later(minutes=1)
    judged(portal, dco, pull_id=pull_id)
    assert button(ada) == ["#fix-dco"]
    assert 'id="fix-dco"' in ada.get(PAGE).text
    portal.later(minutes=1)
    judged(portal, Check(name="CLA", conclusion=Conclusion.SUCCESS), pull_id=pull_id, conclusion=Conclusion.SUCCESS)
    assert "What to do next" not in ada.get(PAGE).text


@pytest.mark.parametrize(("why", "leads"), [(None, True), ("ghost", False)])
def test_an_unlinked_address_is_explained_without_being_shown(portal, why, leads):
    values = {"email": "e…e@x.org", "name": "Eve"} | ({"why": why} if why else {})
    problem = Problem(code="cla/unlinked-email", sha=SHA, role="author", values=values)
    judged(portal, Check(name="CLA", conclusion=Conclusion.FAILURE, problems=(problem,)), pull_id=portal.pull(7))
    for language in ("en", "zh"):
        page = portal.browser().get(f"{PAGE}?lang={language}").text
        assert ('<a class="button" href="/me/emails">' in page) is leads
        assert ("<code>/me/emails</code>" in page) is leads
        assert ("Settings" in page) is leads
        assert "x.org" not in page


def test_all_reasons_for_being_uncovered_look_the_same_and_all_covers_too(portal):
    pull_id = portal.pull(7)
    pages = set()
    for code in ("cla/unsigned", "cla/outdated", "cla/withdrawn", "cla/company-ended", "cla/excluded"):
        portal.later(seconds=0)
        with portal.database.begin() as connection:
            connection.exec_driver_sql("DELETE FROM verdict")
        judged(portal, cla(code), pull_id=pull_id)
        pages.add(portal.browser().get(PAGE).text)
    for code in ("cla/individual", "cla/company-account", "cla/company-email", "cla/company-domain", "cla/grace"):
        with portal.database.begin() as connection:
            connection.exec_driver_sql("DELETE FROM verdict")
        note = Note(code=code, account=Account(11, "ada"), values={"company": "Huawei", "domain": "huawei.com"})
        check = Check(name="CLA", conclusion=Conclusion.SUCCESS, notes=(note,))
        judged(portal, check, pull_id=pull_id, conclusion=Conclusion.SUCCESS)
        pages.add(portal.browser().get(PAGE).text)

    assert len(pages) == 2
    assert "huawei" not in "".join(pages).lower()
    assert "cla/" not in "".join(pages)


def test_a_signature_does_not_show_the_login_and_a_push_does(portal):
    """A login known from a signature alone would tell that there was one."""
    pull_id = portal.pull(7)
    judged(portal, cla("cla/unsigned"), pull_id=pull_id)
    before = portal.browser().get(PAGE).text
    browser = portal.signed_in()
    receipt = browser.post("/sign/icla", data=portal.form(browser)).headers["Location"].rpartition("/")[2]
    with portal.services.sessions() as session:
        withdrawals.withdraw(within(session, portal.services.vault, portal.at, by=11), receipt)

    assert "<code>account 11</code> (opened the pull request) is not covered" in before
    assert portal.browser().get(PAGE).text == before
    assert "<code>账号 11</code>（拉取请求发起者）没有" in portal.browser().get(PAGE + "?lang=zh").text
    with portal.services.sessions() as session:
        pushes.record(session, pull_id, Account(11, "ada"), after=SHA, before="", sequence=1)
    assert "<code>ada</code> (opened the pull request) is not covered" in portal.browser().get(PAGE).text


def test_people_whom_github_named_in_the_pull_request_are_called_by_login(portal):
    pull_id = portal.pull(7)
    items = [(12, "coauthor"), (13, "author"), (14, "author")]
    problems = tuple(Problem(code="cla/unsigned", account=Account(number), role=role) for number, role in items)
    judged(portal, Check(name="CLA", conclusion=Conclusion.FAILURE, problems=problems), pull_id=pull_id)
    assert "account 12" in portal.browser().get(PAGE).text
    commit = Commit(
        sha=SHA, author_account=Account(13, "mia"), coauthors=(Coauthor("Bo", "bo@x.org", Account(12, "bo")),)
    )
    keep_facts(portal, pull_id, commits=(commit,), emails={14: ("a@b.org",)}, commenters=(Account(14, "eve"),))
    page = portal.browser().get(PAGE).text

    assert "<code>bo</code> (co-author) is not covered" in page
    assert "<code>mia</code> (author) is not covered" in page
    assert "<code>account 14</code> (author) is not covered" in page


def test_a_verdict_in_shadow_mode_is_said_to_be_not_enforced(portal):
    pull_id = portal.pull(7)
    judged(portal, cla("cla/unsigned"), pull_id=pull_id)
    assert "shadow" not in portal.browser().get(PAGE).text
    with portal.services.sessions() as session:
        change(session, PullRecord, {"id": pull_id}, quiet=True, by_labels=False)
    page = portal.browser().get(PAGE).text
    assert page.index("Not enforced: this repository is in shadow mode.") < page.index("Action needed")
    chinese = portal.browser().get(f"{PAGE}?lang=zh").text
    assert "未强制执行：此仓库处于影子模式" in chinese


def waiting(portal, pull_id: int, **state: object) -> None:
    """The pull request's row as reviews leave it."""
    with portal.services.sessions() as session:
        pull = session.get(PullRecord, pull_id)
        for name, value in state.items():
            setattr(pull, name, value)
        session.add(pull)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_doubt_says_when_github_is_asked_again(portal, language):
    pull_id = portal.pull(7)
    doubt = Problem(code="rulebook/unreachable", values={"where": "cann/.github", "why": "no-answer"})
    check = Check(name="Rulebook", conclusion=Conclusion.ACTION_REQUIRED, problems=(doubt,))
    judged(portal, check, pull_id=pull_id, conclusion=Conclusion.ACTION_REQUIRED)
    address = f"{PAGE}?lang={language}"
    again = {"en": "GitHub again automatically", "zh": "再次询问"}[language]
    assert again not in portal.browser().get(address).text

    waiting(portal, pull_id, due_at=portal.at + timedelta(minutes=5))
    page = portal.browser().get(address).text
    assert {"en": "automatically on 2026-11-21 12:05 UTC", "zh": "在 2026-11-21 12:05 UTC 自动"}[
        language
    ] in without_times(page)
    portal.later(minutes=6)
    assert {"en": "again automatically in a moment", "zh": "马上会自动重试"}[language] in portal.browser().get(
        address
    ).text


def test_a_failed_check_says_why_and_when_it_is_tried_again(portal):
    pull_id = portal.pull(7)
    with portal.services.sessions() as session:
        session.add(
            DeliveryRecord(
                guid="g", event="pull_request", action="opened", received_at=portal.at, state="received", error="GitHub answered 502",
                ids={}, pull_id=pull_id, sequence=1,
            )
        )  # fmt: skip
    waiting(portal, pull_id, attempts=3, due_at=portal.at + timedelta(minutes=5))
    page = portal.browser().get(PAGE).text
    assert "not been checked yet.</p><p>" in page
    assert "could not be completed: <code>GitHub answered 502</code>." in page
    assert "since 2026-11-21 12:00 UTC.</p><p>We try again automatically on 2026-11-21 12:05 UTC" in without_times(page)
    assert not [said for said in ("out of date", "Come back in a moment") if said in page]
    waiting(portal, pull_id, attempts=0)  # as while GitHub has us wait: nothing was tried in vain
    assert "<code>GitHub answered 502</code>" in portal.browser().get(PAGE).text

    judged(portal, cla("cla/unsigned"), pull_id=pull_id)
    assert "What you see below may be out of date." in portal.browser().get(PAGE).text
    waiting(portal, pull_id, open=False)
    assert "not be completed" not in portal.browser().get(PAGE).text


def test_a_failed_check_without_a_waiting_event_names_the_last_completed_one(portal):
    waiting(portal, portal.pull(7), attempts=1, evaluated_at=portal.at, due_at=portal.at + timedelta(seconds=90))
    page = portal.browser().get(PAGE).text
    assert "The check on GitHub may say why." in page
    assert "The last completed check was on 2026-11-21 12:00 UTC." in without_times(page)


def test_mistakes_of_the_rulebook_are_shown_as_the_check_shows_them(portal):
    error = "line 7: people.exmpt: unknown key, did you mean exempt?"
    problem = Problem(code="rulebook/invalid", values={"errors": (error,)})
    check = Check(name="Rulebook", conclusion=Conclusion.FAILURE, problems=(problem,))
    judged(portal, check, pull_id=portal.pull(7))
    page = portal.browser().get(PAGE).text

    assert "<h2>Rulebook has errors: line 7</h2>" in page
    assert "<h2>规则文件有错误：第 7 行</h2>" in portal.browser().get(f"{PAGE}?lang=zh").text
    assert "Could not be checked yet" not in page
    assert f"The rulebook has errors: <code>{error}</code>" in page
    assert "Ask a maintainer to correct the rulebook" in page


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_page_says_which_doubts_are_checked_again_and_when(portal, language):
    pull_id, address = portal.pull(7), f"{PAGE}?lang={language}"
    waiting(portal, pull_id, due_at=portal.at + timedelta(hours=6))
    said = {"en": "again as soon as the rulebook is corrected", "zh": "规则文件更正后，我们会立即重新检查"}[language]
    asked = {"en": "GitHub again automatically", "zh": "再次询问"}[language]
    for code, values, expected in (
        ("rulebook/invalid", {"errors": ("line 7: x",)}, (True, False)),
        ("facts/incomplete", {"why": "unread"}, (False, True)),
        ("facts/incomplete", {"of": "coauthors"}, (False, False)),
        ("cla/unsigned", {}, (False, False)),
    ):
        check = Check(name="Rulebook", conclusion=Conclusion.FAILURE, problems=(Problem(code=code, values=values),))
        judged(portal, check, pull_id=pull_id)
        portal.later(seconds=1)
        page = portal.browser().get(address).text
        assert (said in page, asked in page) == expected, code


def test_the_verdict_in_force_comes_first_and_earlier_ones_follow(portal):
    pull_id = portal.pull(7)
    judged(portal, cla("cla/unsigned"), pull_id=pull_id)
    portal.later(minutes=5)
    judged(portal, pull_id=pull_id, conclusion=Conclusion.SUCCESS)
    page = without_times(portal.browser().get(PAGE).text)

    assert page.index("12:05:00") < page.index("Earlier results") < page.index("12:00:00")
    assert page.count("12:05:00") == 1
    assert "How to fix" not in page
    assert "All checks passed" in page
    assert 'href="/sign/' not in page


def test_a_pull_request_without_a_verdict_says_so(portal):
    portal.pull(7)

    assert "has not been checked yet" in portal.browser().get(PAGE).text


@pytest.mark.parametrize(
    "path", [PAGE, "/pr/cann/ops-math/8", "/pr/cann/ops-math/x", "/pr/cann/ops-math/007", "/pr/x/y/1"]
)
def test_a_private_and_an_unknown_pull_request_get_the_same_answer(portal, path):
    portal.pull(7, private=True)
    browser = portal.signed_in()

    assert browser.get(path).status_code == 404
    assert browser.get(path).text.split("<main")[1] == browser.get("/nowhere").text.split("<main")[1]


def test_a_private_pull_request_is_shown_to_accounts_that_github_lets_read_it(portal):
    portal.pull(7, private=True)
    hub = portal.services.hub
    hub.readers.add((12, 98))
    reader, stranger = portal.signed_in(id=12, login="bob"), portal.signed_in(id=13, login="carol")
    answers = [browser.get(PAGE).status_code for browser in (portal.browser(), reader, reader, stranger)]

    assert answers == [404, 200, 200, 404]
    assert hub.asked == 2
    there, unknown = (stranger.get(path).text for path in (PAGE, "/pr/cann/ops-math/8"))
    assert _PROOF.sub("", there.replace("/7", "/8")) == _PROOF.sub("", unknown)
    portal.later(minutes=5)
    hub.readers.clear()
    assert reader.get(PAGE).status_code == 404


def test_while_github_is_away_a_private_pull_request_is_503_for_participants_alone(portal):
    portal.pull(7, of=(11,), private=True)
    ada, carol = portal.signed_in(), portal.signed_in(id=13, login="carol")
    portal.services.hub.away = True

    assert ada.get(PAGE).status_code == 503
    assert carol.get(PAGE).status_code == 404


def test_the_rules_of_the_repository_are_shown_unless_the_rulebook_has_mistakes(portal):
    judged(portal, cla("cla/unsigned"), pull_id=portal.pull(7))
    assert "a DCO sign-off on each commit" in portal.browser().get(PAGE).text
    portal.rules = Rules(repositories=(RepositoryRule(("ops-*",), "both", "shadow"),))
    page = portal.browser().get(PAGE).text

    assert "a signed CLA and a DCO sign-off on each commit" in page
    assert "not enforced (shadow mode)" in page
    assert "<dd>Individual Contributor License Agreement, version 2.0</dd>" in page
    assert "<dd>the person who opened it<br>people who pushed to it" in page
    portal.rules_state = "outdated"
    assert "<dt>Required</dt>" not in portal.browser().get(PAGE).text, "with mistakes it asks for nothing that is known"


ABOVE = "version: 1\nrepositories: [{match: ['*'], require: cla}]\npeople: {exempt: [{id: 4711, login: secretary}]}\n"
OWN = "version: 1\nrepositories: [{match: [ops-math], require: both}]\n"
HAS_BOTH = "a signed CLA and a DCO sign-off on each commit"


def rested(portal, pull_id: int, *, head_sha: str = SHA, own: str = OWN) -> None:
    """Keep what a verdict on that head rested on: facts, the organisation's file, and the repository's."""
    keep_facts(portal, pull_id, head_sha=head_sha, own=own, emails={11: ("ada@private.example",)})


def keep_facts(
    portal, pull_id: int, *, head_sha: str = SHA, own: str = OWN, commits: tuple[Commit, ...] = (), **others: object
) -> None:
    """Keep these facts and both files."""
    opener = Account(11, "ada")
    facts = Facts(
        rules=Rules(),
        repository="cann/ops-math",
        pull_request=PullRequest(number=7, opener=opener, head_sha=head_sha, base="main", created_at=portal.at),
        commit_count=len(commits),
        commits=commits,
        now=portal.at,
        **others,
    )
    files = RuleFiles(RuleFile("o.yml", ABOVE), RuleFile("r.yml", own), RuleFile("dco.yml", None))
    with portal.services.sessions() as session:
        sealed = stored_facts.encrypt(portal.services.vault, pull_id, pack(facts, files))
        stored_facts.keep(session, pull_id, head_sha, sealed, at=portal.at)


def test_the_rules_of_the_verdict_are_shown_without_exempted_people(portal):
    portal.rules = Rules(repositories=(RepositoryRule(("*",), "cla"),))
    pull_id = portal.pull(7)
    judged(portal, cla("cla/unsigned"), pull_id=pull_id)
    assert HAS_BOTH not in portal.browser().get(PAGE).text
    rested(portal, pull_id)
    page, chinese = (portal.browser().get(f"{PAGE}?lang={language}").text for language in ("en", "zh"))

    assert HAS_BOTH in page
    assert "that gave the result above" in page
    assert "may be stricter" not in page
    assert "签署 CLA，并在每个提交附 DCO 签名" in chinese
    assert "得出上述结果所依据的规则" in chinese
    assert not [private for private in ("secretary", "4711", "private.example") if private in page + chinese]


@pytest.mark.parametrize(
    "gone", ["purged", "not to be opened", "too large", "of an older head", "broken then", "broken now"]
)
def test_without_the_verdicts_own_rules_the_rulebook_of_the_organization_is_shown(portal, gone):
    portal.rules = Rules(repositories=(RepositoryRule(("*",), "cla"),))
    pull_id = portal.pull(7)
    judged(portal, cla("cla/unsigned"), pull_id=pull_id)
    rested(
        portal,
        pull_id,
        head_sha="b" * 40 if gone == "of an older head" else SHA,
        own="x" if gone == "broken then" else OWN,
    )
    with portal.services.sessions() as session:
        row = session.get(stored_facts.StoredFacts, pull_id)
        if gone == "not to be opened":
            row.sealed = b"\x01" * 64
        if gone == "too large":
            sealed = stored_facts.encrypt(portal.services.vault, pull_id, TOO_LARGE)
            stored_facts.keep(session, pull_id, SHA, sealed, at=portal.at)
        if gone == "purged":
            stored_facts.purge(session, at=portal.at + stored_facts.FACTS_RETENTION, most=10)
    if gone == "broken now":
        problem = Problem(code="rulebook/invalid", values={"errors": ("line 7: x",)})
        portal.later(minutes=1)
        judged(portal, Check(name="Rulebook", conclusion=Conclusion.FAILURE, problems=(problem,)), pull_id=pull_id)
    page = portal.browser().get(PAGE).text

    assert HAS_BOTH not in page
    assert "<dd>a signed CLA</dd>" in page
    assert "own file may be stricter." in page


@pytest.mark.slow
def test_a_page_of_thousands_of_commits_stays_below_60_kb(portal):
    pull_id = portal.pull(7)
    for _ in range(12):
        portal.later(minutes=1)
        problems = tuple(Problem(code="dco/missing", sha=f"{number + portal.at.minute:040x}") for number in range(5000))
        judged(portal, Check(name="DCO", conclusion=Conclusion.FAILURE, problems=problems), pull_id=pull_id)
    page = portal.browser().get(PAGE)

    assert len(page.data) < 60_000
    assert "4960 more findings are listed in the check on GitHub" in page.text
    assert page.text.count("<details>") == 9


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_page_has_the_commands_of_the_check_while_facts_are_kept(portal, language):
    pull_id = portal.pull(7)
    ada = Identity("Ada", "ada@huawei.com")
    commits = tuple(
        Commit(sha=sha, message=message, author=ada, committer=ada)
        for sha, message in (("b" * 40, "One"), (SHA, "Two\n\nSigned-off-by:Ada <ada@huawei.com>"))
    )
    request = PullRequest(number=7, opener=Account(11, "ada"), head_sha=SHA, base="main")
    facts = Facts(
        rules=Rules(), repository="cann/ops-math", pull_request=request, commit_count=2, commits=commits, now=portal.at
    )
    (check,) = judge(facts).checks
    judged(portal, check, pull_id=pull_id)
    absent = RuleFiles(RuleFile("o.yml", None), RuleFile("r.yml", None), RuleFile("d.yml", None))
    packed = pack(facts, absent, HeadBranch("mia/ops-math", "fix"), "Fix <all> of\N{RIGHT-TO-LEFT OVERRIDE} it")
    with portal.services.sessions() as session:
        sealed = stored_facts.encrypt(portal.services.vault, pull_id, packed)
        stored_facts.keep(session, pull_id, SHA, sealed, at=portal.at)
    page = portal.browser().get(f"{PAGE}?lang={language}").text
    at = portal.github.url
    assert r"<h1>Fix &lt;all&gt; of\u202e it</h1>" in page
    assert f'<a href="{at}/cann/ops-math/pull/7">cann/ops-math#7</a>' in page
    assert page.count("git rebase --signoff FETCH_HEAD\n") == 1
    assert f"git fetch {at}/cann/ops-math.git main\n" in page
    assert f"git push --force-with-lease=fix:{SHA} {at}/mia/ops-math.git fix:fix\n" in page
    assert {"en": "<li>1 commit: no sign-off.</li>", "zh": "<li>1 个提交：缺少 Signed-off-by 签名。</li>"}[
        language
    ] in page
    assert "ada@" not in page
    waiting(portal, pull_id, open=False)
    assert "Fix &lt;all&gt;" not in portal.browser().get(PAGE).text


def test_the_page_refreshes_for_a_minute_after_the_visitor_did_something(portal):
    pull_id = portal.pull(7)
    judged(portal, cla("cla/unsigned"), pull_id=pull_id)
    browser = portal.browser()
    first = browser.get(f"{PAGE}?after=1")
    assert first.headers["Refresh"] == "3; url=/pr/cann/ops-math/7?after=2"
    assert "We are checking this pull request again" in first.text
    assert "What to do next" not in first.text
    for answer in map(browser.get, (PAGE + query for query in ("", "?after=0", "?after=-1", "?after=x", "?after=21"))):
        assert "Refresh" not in answer.headers, answer.request.path
        assert "What to do next" in answer.text
    with portal.services.sessions() as session:
        pull = session.get(PullRecord, pull_id)
        pull.evaluated = pull.latest
    assert "Refresh" not in browser.get(f"{PAGE}?after=2").headers
