"""What verdicts rest on changed: just the open pull requests concerned are queued, the people who wait first."""

from datetime import timedelta

import pytest

from agreements.facts import Entry
from agreements.store.companies import companies
from bot.flows import recheck
from bot.github.ports import Unreachable
from bot.job_queue import Job
from bot.rulebook.recorded_facts import TOO_LARGE
from bot.store.mailbox import BATCH_SUBJECTS
from bot.store.pulls import posts, pull_state, stored_facts
from bot.store.pulls.posts import PullRequestIdentity
from bot.store.pulls.stored_facts import StoredFacts
from bot.store.records import PullRecord
from tests.drafts import company_draft
from tests.logged import log_rows
from tests.within import within


@pytest.fixture(name="three")
def _three(scene):
    """Three judged pull requests: mia's in two repositories, and bo's."""
    scene.kernels = scene.world.repository(scene.cann, "kernels")
    bo = scene.world.user("bo", emails=["bo@home.example"])
    pulls = [scene.pull()[0], scene.pull(to=scene.kernels)[0], scene.pull(who=bo, branch="bo")[0]]
    scene.settle()
    scene.calls()
    return pulls


def test_a_person_s_open_pull_requests(scene, three):
    """Those in which they take part, at once; closed ones and other people's are left alone."""
    assert recheck.people([scene.mia.id], scene.services) == 2
    assert scene.jobs.waiting == tuple(Job("review", (scene.row(pull).id,), "now") for pull in three[:2])
    scene.settle()

    scene.world.close_pull(three[0], scene.mia)
    scene.settle()
    assert recheck.people([scene.mia.id], scene.services) == 1
    assert recheck.people([10**9], scene.services) == 0


def test_a_signature_turns_green_what_it_can(scene, three):
    """Mia signs: her two pass, bo's does not."""
    scene.sign(scene.mia)
    with scene.sessions() as session:
        scene.jobs.enqueue(session, Job("recheck", (scene.mia.id,)))
    scene.settle()

    assert [scene.conclusion(pull) for pull in three] == ["success", "success", "failure"]


@pytest.mark.parametrize("queue", ["now", "later"])
def test_a_place_queues_also_what_we_have_not_met(scene, three, queue):
    """An open pull request whose event never came is found by listing."""
    unmet, _ = scene.pull(branch="unmet")
    scene.hear(drop=("pull_request",))

    assert recheck.place(scene.place, scene.cann.id, scene.services, queue=queue) == 3
    assert {job.queue for job in scene.jobs.waiting} == {queue}
    scene.settle()
    assert scene.conclusion(unmet) == "failure"


def test_a_storm_for_one_pull_request_is_one_job(scene, three):
    """Asked ten times it is judged once."""
    for _ in range(10):
        recheck.place(scene.place, scene.cann.id, scene.services, queue="later")

    assert len(scene.jobs.waiting) == 2


def test_an_account_means_all_its_repositories(scene, three):
    """Everything that the installation reaches, behind those who wait."""
    assert recheck.account(scene.installation.id, scene.cann.id, scene.services) == 3
    assert {job.queue for job in scene.jobs.waiting} == {"later"}


def test_an_account_that_is_served_from_now_on(scene, three):
    """All its installations; of an account that is not served, or where the App is suspended, nothing."""
    job = Job("account", (scene.cann.id,), "later")
    with scene.sessions() as session:
        scene.jobs.enqueue(session, job)
    scene.calls()
    scene.settle()
    assert len([call for call in scene.calls() if call[1] == "/repos/{owner}/{repo}/pulls"]) == 3

    assert recheck.owner(scene.cann.id, scene.services) == 3
    assert recheck.owner(scene.mia.id, scene.services) == 0
    scene.world.install(scene.app, scene.mia, scene.mia)
    assert recheck.owner(scene.mia.id, scene.services) == 0
    scene.installation.suspended_at = scene.clock()
    assert recheck.owner(scene.cann.id, scene.services) == 0


def test_github_away(scene, three):
    """The error is the caller's; nothing is queued halfway for that repository."""
    scene.weather.faults.append(("GET", "/pulls", 502))
    with pytest.raises(Unreachable):
        recheck.place(scene.place, scene.cann.id, scene.services, queue="later")

    assert scene.jobs.waiting == ()


@pytest.fixture(name="company")
def _company(scene):
    """A countersigned company with one entry; gives its id."""

    def company(entry):
        at = scene.clock() - timedelta(days=1)
        draft = company_draft("Huawei", at, countersigned=True)
        with scene.sessions() as session:
            row = companies.add(within(session, scene.services.vault, new_id="c1"), draft)
            companies.add_entry(within(session, scene.services.vault, at, "e1"), row, entry)
            log_rows(session, scene.services.vault)
        return "c1"

    return company


def test_a_company_s_account(scene, three, company):
    """Those of that person, behind the people who wait; they turn green."""
    assert recheck.company(company(Entry(account_id=scene.mia.id)), scene.services) == 2
    assert {job.queue for job in scene.jobs.waiting} == {"later"}
    scene.settle()

    assert [scene.conclusion(pull) for pull in three] == ["success", "success", "failure"]


def test_a_company_s_address(scene, three, company):
    """Found in the stored facts: those with a commit by that address turn green, no other is looked at."""
    scene.calls()
    with scene.sessions() as session:
        scene.jobs.enqueue(session, Job("company", (company(Entry(email="bo@home.example")),)))
    scene.settle()

    assert [scene.conclusion(pull) for pull in three] == ["failure", "failure", "success"]
    assert len([call for call in scene.calls() if call[1] == "/graphql"]) == 1


@pytest.mark.parametrize(
    "why", ["judged just now", "something came in", "no facts", "older facts", "key gone", "too large"]
)
def test_what_cannot_be_told_from_facts_is_judged_again(scene, three, company, why):
    """A review that is under way may have read the company before it changed; facts may be old, gone or unreadable."""
    with scene.sessions() as session:
        row = session.get(PullRecord, scene.row(three[2]).id)
        match why:
            case "judged just now":
                row.lease_by = "job/1"
            case "something came in":
                row.latest += 1
            case "no facts":
                stored_facts.forget(session, row.id)
            case "older facts":
                row.head_sha = "0" * 40
            case "key gone":
                session.get(StoredFacts, row.id).sealed += b"x"
            case "too large":
                sealed = stored_facts.encrypt(scene.services.vault, row.id, TOO_LARGE)
                stored_facts.keep(session, row.id, row.head_sha, sealed, at=scene.clock())
        session.add(row)

    assert recheck.company(company(Entry(email="nobody@partner.org")), scene.services) == 1
    assert [job.ids for job in scene.jobs.waiting] == [(scene.row(three[2]).id,)]


def test_a_company_that_is_not_known(scene, three):
    """Touches nobody."""
    assert recheck.company("c9", scene.services) == 0


def test_many_are_queued_a_few_at_a_time(scene, three):
    """A delivery that comes in meanwhile waits for one lot, not for all: each one is a transaction of its own."""
    with scene.sessions() as session:
        for number in range(100, 100 + 2 * BATCH_SUBJECTS):
            identity = PullRequestIdentity(
                repository_id=11, number=number, installation_id=1, owner_id=scene.cann.id, owner="cann", name="many"
            )
            pull_id, _ = posts.post(session, scene.jobs, identity, queue="later")
            pull_state.replace_participants(session, pull_id, [scene.mia.id])
    services, lots = scene.counting()

    assert recheck.people([scene.mia.id], services) == 2 * BATCH_SUBJECTS + 2
    assert max(lots) <= BATCH_SUBJECTS
    assert len(lots) == 4
