"""A change of records or rules queues only the pull requests concerned."""

from datetime import timedelta

import pytest

from agreements.facts import Entry
from agreements.store.companies import companies
from bot.flows import recheck
from bot.github.client import transport
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


@pytest.mark.slow
def test_a_persons_open_pull_requests_are_queued_now(scene, three):
    assert recheck.people([scene.mia.id], scene.services) == 2
    assert scene.jobs.waiting == tuple(Job("review", (scene.row(pull).id,), "now") for pull in three[:2])
    scene.settle()

    scene.world.close_pull(three[0], scene.mia)
    scene.settle()
    assert recheck.people([scene.mia.id], scene.services) == 1
    assert recheck.people([10**9], scene.services) == 0


@pytest.mark.slow
def test_a_signature_turns_only_its_signers_pull_requests_green(scene, three):
    scene.sign(scene.mia)
    with scene.sessions() as session:
        scene.jobs.enqueue(session, Job("recheck", (scene.mia.id,)))
    scene.settle()

    assert [scene.conclusion(pull) for pull in three] == ["success", "success", "failure"]


@pytest.mark.slow
@pytest.mark.parametrize("queue", ["now", "later"])
def test_listing_a_repository_finds_pull_requests_without_an_event(scene, three, queue):
    unmet, _ = scene.pull(branch="unmet")
    scene.hear(drop=("pull_request",))

    assert recheck.place(scene.place, scene.cann.id, scene.services, queue=queue) == 3
    assert {job.queue for job in scene.jobs.waiting} == {queue}
    scene.settle()
    assert scene.conclusion(unmet) == "failure"


def test_a_pull_request_closed_between_two_pages_of_the_list_leaves_out_no_other(scene, three, monkeypatch):
    monkeypatch.setattr(transport, "PAGE_SIZE", 1)
    mine, _, bos = three  # The newest is listed first.

    def close():
        scene.weather.before.append(("GET", "/pulls$", lambda: scene.world.close_pull(bos, scene.ada)))

    scene.weather.before.append(("GET", "/pulls$", close))
    assert recheck.place(scene.place, scene.cann.id, scene.services, queue="later") == 2
    assert {scene.row(pull).id for pull in (mine, bos)} == {job.ids[0] for job in scene.jobs.waiting}


def test_many_rechecks_of_one_pull_request_are_one_job(scene, three):
    for _ in range(10):
        recheck.place(scene.place, scene.cann.id, scene.services, queue="later")

    assert len(scene.jobs.waiting) == 2


def test_rechecking_an_account_queues_all_its_repositories_later(scene, three):
    assert recheck.account(scene.installation.id, scene.cann.id, scene.services) == 3
    assert {job.queue for job in scene.jobs.waiting} == {"later"}


@pytest.mark.slow
def test_an_account_served_from_now_on_is_rechecked_in_its_active_installations(scene, three):
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


def test_while_github_is_away_nothing_is_queued_for_the_repository(scene, three):
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


@pytest.mark.slow
def test_a_companys_named_account_has_its_pull_requests_queued_later(scene, three, company):
    assert recheck.company(company(Entry(account_id=scene.mia.id)), scene.services) == 2
    assert {job.queue for job in scene.jobs.waiting} == {"later"}
    scene.settle()

    assert [scene.conclusion(pull) for pull in three] == ["success", "success", "failure"]


@pytest.mark.slow
def test_a_companys_named_address_is_looked_for_in_stored_facts(scene, three, company):
    scene.calls()
    with scene.sessions() as session:
        scene.jobs.enqueue(session, Job("company", (company(Entry(email="bo@home.example")),)))
    scene.settle()

    assert [scene.conclusion(pull) for pull in three] == ["failure", "failure", "success"]
    assert len([call for call in scene.calls() if call[1] == "/graphql"]) == 1


@pytest.mark.parametrize(
    "why", ["judged just now", "something came in", "no facts", "older facts", "key gone", "too large"]
)
def test_a_pull_request_whose_facts_cannot_tell_is_judged_again(scene, three, company, why):
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


def test_an_unknown_company_queues_nothing(scene, three):
    assert recheck.company("c9", scene.services) == 0


def test_rechecks_are_queued_in_lots_with_a_transaction_each(scene, three):
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
