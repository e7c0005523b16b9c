"""People sign off their own commits in the portal: exactly what the page shows, as long as the pull request is open."""

import json
import re
from dataclasses import replace

import pytest
from sqlalchemy import text

from agreements.facts import Account, Coauthor, Commit, Facts, Identity, PullRequest
from agreements.judge import judge
from agreements.rulebook.rules import DcoRules, RepositoryRule, Rules
from agreements.store.ledger import stored_ledger
from agreements.store.people import emails, person_rows
from agreements.store.people.emails import MAILED_CODE, ProvenAddress
from bot.github.ports import RuleFile, RuleFiles
from bot.portal.contributor import sign_off
from bot.rulebook.recorded_facts import HeadBranch, pack
from bot.store.pulls import review_mailbox, stored_facts, verdicts
from bot.store.records import PullRecord
from tests.logged import log_rows
from tests.within import within

PAGE = "/pr/cann/ops-math/7/sign-off"
MINE, THEIRS, UNLINKED = "a" * 40, "b" * 40, "c" * 40
ADA, BO = Account(11, "ada"), Account(12, "bob")
PORTAL = DcoRules(portal=True)


def commit(sha, account, email="ada@example.com", **more):
    """A commit without a sign-off."""
    who = Identity("Somebody", email)
    return Commit(
        sha=sha,
        message=f"Work {sha[0]}\u202e <b>",
        parents=("0",),
        author=who,
        committer=who,
        author_account=account,
        **more,
    )


@pytest.fixture(name="keep")
def _keep(portal):
    """Keeps the newest verdict on the pull request, with what it rests on: by default three commits, the first one ada's."""

    def keep(*commits, dco=PORTAL, text="version: 1\ndco: {portal: true}\n", pull_id=None, **more):
        commits = commits or (commit(MINE, ADA), commit(THEIRS, BO), commit(UNLINKED, None, "ada@old.example"))
        request = PullRequest(number=7, opener=ADA, head_sha=commits[-1].sha, base="main", changed_files=1)
        rules = Rules(repositories=(RepositoryRule(("*",), "dco"),), dco=dco)
        facts = Facts(
            rules=rules, repository="cann/ops-math", pull_request=request, commit_count=len(commits), commits=commits, now=portal.at,
            owner_id=3, **more,
        )  # fmt: skip
        files = RuleFiles(RuleFile("o.yml", text), RuleFile("r.yml", None), RuleFile("dco.yml", None))
        packed = pack(facts, files, HeadBranch("ada/ops-math", "topic"))
        pull_id, services = pull_id or portal.pull(7), portal.services
        with services.sessions() as session:
            verdicts.add(session, pull_id, request.head_sha, judge(facts), at=portal.at)
            sealed = stored_facts.encrypt(services.vault, pull_id, packed)
            stored_facts.keep(session, pull_id, request.head_sha, sealed, at=portal.at)
        return pull_id

    return keep


def rows(portal, query="SELECT account_id, shas, revoked_at FROM portal_signoff ORDER BY signed_at"):
    """What that query finds."""
    with portal.database.connect() as connection:
        return [tuple(row) for row in connection.execute(text(query)).all()]


def offered(page):
    """The commits on the page that can be signed off."""
    return re.findall(r"<code>([a-f0-9]{12})</code> Work", page)


def filled(browser, **changed):
    """The form as the page has it, with the tick."""
    hidden = dict(re.findall(r'<input type="hidden" name="(csrf_token|seen)" value="([^"]*)"', browser.get(PAGE).text))
    return {**hidden, "agree": "y", **changed}


def update(portal, **columns):
    """Change the stored pull request."""
    with portal.services.sessions() as session:
        session.add(session.get(PullRecord, 1).sqlmodel_update(columns))


@pytest.mark.parametrize(
    ("language", "title", "tick"),
    [("en", "Sign off commits", "I certify the Developer Certificate of Origin"), ("zh", "为提交签名", "声明")],
)
def test_the_page_shows_the_visitors_own_commits_the_certificate_and_one_tick(portal, keep, language, title, tick):
    keep()
    page = portal.signed_in().get(f"{PAGE}?lang={language}").text
    assert offered(page) == [MINE[:12]]
    assert "Work a\\u202e &lt;b&gt;" in page
    assert title in page
    assert tick in page
    assert "Developer Certificate of Origin Version 1.1" in page.replace("\n", " ")
    assert page.count('type="checkbox"') == 1
    assert "<script" not in page


def test_a_sign_off_is_recorded_logged_and_judged_again(portal, keep):
    pull_id = keep()
    browser = portal.signed_in()
    answer = browser.post(PAGE, data=filled(browser))
    assert (answer.status_code, answer.headers["Location"]) == (302, "/pr/cann/ops-math/7?after=1")
    assert rows(portal) == [(11, MINE, None)]
    ((kind, actor, named),) = rows(portal, "SELECT kind, actor_id, rows FROM ledger_entry")
    assert (kind, actor) == ("signoff.added", 11)
    assert {row[0] for row in json.loads(named)} >= {"portal_signoff", "person"}
    ((digest, statement, language, proof),) = rows(
        portal, "SELECT text_sha256, statement_id, language, identity_proof FROM portal_signoff"
    )
    with portal.app.app_context():
        assert digest == sign_off.certificate().sha256
    assert (statement, language, proof) == ("dco-sign-off-1", "en", "github-oauth")
    assert [(job.name, job.ids) for job in portal.engine.waiting] == [("review", (pull_id,))]
    page = browser.get(PAGE).text
    assert offered(page) == []
    assert "Signed off by you" in page
    receipt = browser.get(re.search(r"/me/sign-offs/[^\"]+", page)[0]).json
    assert (receipt["format"], receipt["commits"]) == ("countersign-sign-off/1", [MINE])


def test_the_review_is_queued_before_the_log_is_locked_as_in_every_other_change(portal, keep, monkeypatch):
    keep()
    browser, order, lock, enqueue = portal.signed_in(), [], stored_ledger.lock, review_mailbox.enqueue_review
    monkeypatch.setattr(stored_ledger, "lock", lambda session: (order.append("log"), lock(session)))
    monkeypatch.setattr(
        review_mailbox, "enqueue_review", lambda *given, **more: (order.append("queue"), enqueue(*given, **more))
    )
    for page, form in ((PAGE, filled(browser)), (f"{PAGE}/revoke", {"csrf_token": portal.proof(browser), "sure": "y"})):
        assert browser.post(page, data=form).status_code == 302
    assert order == ["queue", "log"] * 2


def test_a_form_that_is_sent_twice_signs_once(portal, keep):
    keep()
    browser = portal.signed_in()
    form = filled(browser)
    assert [browser.post(PAGE, data=form).status_code for _press in range(2)] == [302, 409]
    assert len(rows(portal)) == len(rows(portal, "SELECT 1 FROM ledger_entry")) == 1


@pytest.mark.parametrize(
    ("changed", "status"),
    [
        ({"agree": ""}, 400),
        ({"seen": ""}, 409),
        ({"seen": "0" * 64}, 409),
        ({"csrf_token": ""}, 400),
        ({"csrf_token": "x"}, 400),
    ],
)
def test_without_the_tick_the_page_shown_or_the_forms_own_word_nothing_is_signed(portal, keep, changed, status):
    keep()
    browser = portal.signed_in()
    assert browser.post(PAGE, data=filled(browser, **changed)).status_code == status
    assert rows(portal) == []


def test_commits_cannot_be_named_in_the_form(portal, keep):
    keep()
    browser = portal.signed_in()
    browser.post(PAGE, data=filled(browser, sha=THEIRS, shas=THEIRS, account_id="12", account="12"))
    assert rows(portal) == [(11, MINE, None)]


def test_another_persons_commits_are_not_offered_and_their_form_signs_nothing_of_mine(portal, keep):
    keep()
    ada, bob, eve = portal.signed_in(), portal.signed_in(id=12, login="bob"), portal.signed_in(id=15, login="eve")
    assert [offered(browser.get(PAGE).text) for browser in (ada, bob, eve)] == [[MINE[:12]], [THEIRS[:12]], []]
    seen = filled(ada)["seen"]
    for other in (bob, eve):
        assert other.post(PAGE, data={"csrf_token": portal.proof(other), "seen": seen, "agree": "y"}).status_code == 409
    assert rows(portal) == []


def test_a_push_between_reading_and_signing_is_refused_and_shown(portal, keep):
    pull_id = keep()
    browser = portal.signed_in()
    form = filled(browser)
    portal.later(minutes=1)
    keep(commit("d" * 40, ADA), pull_id=pull_id)
    answer = browser.post(PAGE, data=form)
    assert (answer.status_code, offered(answer.text)) == (409, ["d" * 12])
    assert "The pull request has changed." in answer.text
    assert rows(portal) == []


@pytest.mark.parametrize(
    ("account", "how", "shown"), [(11, MAILED_CODE, True), (11, "github-verified", False), (12, MAILED_CODE, False)]
)
def test_a_commit_without_an_account_is_offered_to_who_proved_its_address_by_a_code(portal, keep, account, how, shown):
    keep()
    services = portal.services
    with services.sessions() as session:
        context = within(session, services.vault, portal.at, services.new_id)
        person = person_rows.ensure(context, Account(account, "somebody"))
        emails.prove(context, person, ProvenAddress(address="ada@old.example", how=how, at=portal.at, until=None))
        log_rows(session, services.vault)
    assert (UNLINKED[:12] in offered(portal.signed_in().get(PAGE).text)) is shown


def test_each_co_author_signs_off_the_commit(portal, keep):
    keep(commit(MINE, ADA, coauthors=(Coauthor("Bob", "bob@x.org", BO),)))
    for user in ({}, {"id": 12, "login": "bob"}):
        browser = portal.signed_in(**user)
        assert "each co-author also needs to sign off" in browser.get(PAGE).text
        assert browser.post(PAGE, data=filled(browser)).status_code == 302
    assert [row[:2] for row in rows(portal)] == [(11, MINE), (12, MINE)]


def test_a_sign_off_is_withdrawn_once_and_the_commit_can_be_signed_again(portal, keep):
    pull_id = keep()
    browser = portal.signed_in()
    browser.post(PAGE, data=filled(browser))
    portal.later(minutes=10)
    form = {"csrf_token": portal.proof(browser, PAGE), "sure": "y"}
    assert browser.post(f"{PAGE}/revoke", data={**form, "sure": ""}).status_code == 400
    other = portal.signed_in(id=12, login="bob")
    other.post(f"{PAGE}/revoke", data={"csrf_token": portal.proof(other), "sure": "y"})
    assert rows(portal)[0][2] is None
    portal.engine._committed.clear()
    assert [browser.post(f"{PAGE}/revoke", data=form).status_code for _press in range(2)] == [302, 302]
    assert rows(portal)[0][2] is not None
    assert rows(portal, "SELECT kind FROM ledger_entry WHERE kind = 'signoff.revoked'") == [("signoff.revoked",)]
    assert [(job.name, job.ids) for job in portal.engine.waiting] == [("review", (pull_id,))]
    assert offered(browser.get(PAGE).text) == [MINE[:12]]
    assert browser.post(PAGE, data=filled(browser)).status_code == 302


def test_a_closed_pull_request_takes_no_sign_off_and_keeps_those_it_has(portal, keep):
    keep()
    ada, bob = portal.signed_in(), portal.signed_in(id=12, login="bob")
    ada.post(PAGE, data=filled(ada))
    form, word = filled(bob), portal.proof(ada, PAGE)
    update(portal, open=False)
    assert bob.post(PAGE, data=form).status_code == 409
    refused = ada.post(f"{PAGE}/revoke", data={"csrf_token": word, "sure": "y"})
    assert (refused.status_code, "Its sign-offs stay as they are." in refused.text) == (409, True)
    assert rows(portal) == [(11, MINE, None)]
    assert 'type="checkbox"' not in ada.get(PAGE).text


@pytest.mark.parametrize(
    ("kept", "said"),
    [
        ({"dco": DcoRules(), "text": "version: 1\n"}, "does not accept sign-offs in the browser"),
        (
            {"dco": replace(PORTAL, matching="exact"), "text": "version: 1\ndco: {portal: true, matching: exact}\n"},
            "does not accept sign-offs in the browser",
        ),
        (None, "has not been checked yet"),
    ],
)
def test_where_the_portal_does_not_count_the_page_says_so_and_signs_nothing(portal, keep, kept, said):
    keep()
    browser = portal.signed_in()
    form = filled(browser)
    if kept is None:
        update(portal, number=70)
        portal.pull(7)
    else:
        portal.later(minutes=1)
        keep(pull_id=1, **kept)
    assert said in browser.get(PAGE).text
    assert browser.post(PAGE, data=form).status_code == 409
    assert rows(portal) == []


def test_a_stranger_is_led_to_sign_in_and_back_and_may_send_nothing(portal, keep):
    keep()
    browser = portal.browser()
    answer = browser.get(PAGE)
    assert (answer.status_code, answer.headers["Location"]) == (
        302,
        "/login?next=%2Fpr%2Fcann%2Fops-math%2F7%2Fsign-off",
    )
    assert browser.post(PAGE, data={"agree": "y"}).status_code in (400, 403)
    assert portal.sign_in(after=PAGE).get(PAGE).status_code == 200


def test_a_private_pull_request_does_not_exist_for_who_may_not_read_it(portal, keep):
    keep()
    browser = portal.signed_in()
    form = filled(browser)
    update(portal, private=True)
    for answer in (browser.get(PAGE), browser.post(PAGE, data=form), browser.post(f"{PAGE}/revoke", data=form)):
        assert answer.status_code == 404
    portal.services.hub.readers.add((11, 98))
    assert browser.get("/pr/cann/ops-math/8/sign-off").status_code == 404


def test_a_request_for_erasure_says_that_the_sign_off_is_kept(portal, keep):
    keep()
    browser = portal.signed_in()
    kept = "Sign-offs of commits that you gave here"
    assert kept not in browser.get("/me/erasure").text
    browser.post(PAGE, data=filled(browser))
    page = browser.get("/me/erasure").text
    assert kept in page
    assert "because you have not signed an agreement here" not in page
    browser.post("/me/erasure", data={"csrf_token": portal.proof(browser, "/me/erasure"), "sure": "y"})
    admin = portal.signed_in(id=90, login="root")
    ((erasure_id,),) = rows(portal, "SELECT id FROM erasure")
    page = " ".join(admin.get(f"/admin/erasures/{erasure_id}").text.split())
    assert "<li>1 sign-off in the portal</li>" in page.partition("evidence must be kept:")[2]


def test_the_page_of_the_pull_request_leads_here_where_the_portal_counts(portal, keep):
    pull_id = keep()
    link = f'href="{PAGE}"'
    assert link in portal.browser().get("/pr/cann/ops-math/7").text
    portal.later(minutes=1)
    keep(dco=DcoRules(), text="version: 1\n", pull_id=pull_id)
    assert link not in portal.browser().get("/pr/cann/ops-math/7").text
