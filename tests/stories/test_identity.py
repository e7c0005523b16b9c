"""The check believes GitHub's ids, never a line of git configuration."""

import pytest

from agreements.facts import Entry
from agreements.store.companies import companies
from agreements.vault import KeyRing, Vault
from bot import clock, db
from bot.demo import sample_data
from tests.drafts import company_draft
from tests.within import within

pytestmark = pytest.mark.slow


@pytest.fixture(name="recorded")
def _recorded(staged):
    """A community where Bo has signed and a company covers its domain."""
    play = staged()
    play.community(repositories=("ops-math", "runtime"))
    bo = play.person("bo", "bo@example.org", name="Bo Larsen")
    sample_data.records(play.stage, bo.account)
    play.stage.serve()
    return play, bo


def test_a_company_covers_its_domain_and_no_look_alike(recorded):
    play, _ = recorded
    lin = play.person("lin", "lin@rd.huawei.com", name="林晓")
    eve = play.person("eve", "eve@huawei.com.cn")
    _, covered = play.opens(lin, message="修复流泄漏")
    _, look_alike = play.opens(eve, "runtime")

    play.judged(covered, "success")
    play.judged(look_alike, "failure")
    assert "huawei" not in str([run.output for run in play.runs(covered)]), "which company covers is not public"


def test_claiming_a_company_address_does_not_help(recorded):
    play, _ = recorded
    eve = play.person("eve", "eve@example.org")
    _, pull = play.opens(eve, author="Eve <eve@huawei.com>")

    play.judged(pull, "failure")


def test_an_opener_with_borrowed_commits_does_not_pass(recorded):
    play, _ = recorded
    eve = play.person("eve", "eve@example.org")
    _, pull = play.opens(eve, author="Bo Larsen <bo@example.org>")

    play.judged(pull, "failure")
    [run] = play.runs(pull)
    assert "`eve`" in run.output["summary"] + run.output["text"]


def test_a_stranger_who_pushes_to_a_covered_pull_request_is_asked(recorded):
    play, bo = recorded
    _, pull = play.opens(bo)
    play.judged(pull, "success")
    eve = play.person("eve", "eve@example.org")
    fork = pull.head_repository
    fork.collaborators[eve.account.id] = "write"

    desk = eve.branch(fork, "eve-copy", of=fork)
    desk.git("fetch", "--quiet", "origin", "fix")
    desk.git("reset", "--quiet", "--hard", "FETCH_HEAD")
    desk.commit("One more of Bo's", author="Bo Larsen <bo@example.org>")
    desk.git("push", "--quiet", "origin", "HEAD:fix")
    play.until(lambda: len([delivery for delivery in play.world.hooks.log if delivery.action == "synchronize"]) == 1)
    play.judged(pull, "failure")


def test_a_company_that_is_not_countersigned_covers_no_person(staged):
    play = staged()
    play.community()
    bo = play.person("bo", "bo@example.org")
    sample_data.records(play.stage, bo.account)
    settings = play.stage.settings
    engine, vault = db.open_engine(settings.database_url), Vault(KeyRing.parse(settings.keys.reveal()))
    with db.sessions(engine)() as session:
        draft = company_draft("Inspur", clock.now())
        company = companies.add(within(session, vault, new_id=clock.new_id), draft)
        companies.add_entry(within(session, vault, clock.now(), clock.new_id), company, Entry(domain="inspur.com"))
    engine.dispose()
    play.stage.serve()
    eve = play.person("eve", "eve@inspur.com")
    _, pull = play.opens(eve)

    play.judged(pull, "failure")
