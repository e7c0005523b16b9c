"""Each night only changed repositories are read, all are judged, and an interrupted night goes on."""

import json
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta

import pytest

from audit.store import account_states, nights, report_pages, repositories, sealed
from bot.access.served_accounts import ServedAccounts
from bot.flows.licenses import night_schedule, stored_repository
from bot.github.ports import Unreachable
from bot.licenses.report_files import REPORT, ReportFiles
from bot.runner import make_runner
from tests.bot.flows.licensed import AUDITED, LEFT_PAD, PLAIN, READLINE, locked
from tests.bot.flows.nightly import at_night, midday, night_report, push, row, rows, tonight, week_begins


@pytest.fixture(name="audited")
def _audited(staged):
    """The scene with licences in the rulebook, and a lock file in cann/ops; its clock begins at noon."""
    scene = staged(rulebook=AUDITED)
    scene.shift = midday(scene.clock()) - scene.clock()
    scene.world.write(scene.ops, locked(LEFT_PAD))
    return scene


@pytest.mark.parametrize("database_url", ["sqlite", "postgres"], indirect=True)
def test_the_first_night_reads_every_repository_and_makes_a_report(audited):
    tonight(audited)

    assert {name: bool(record.head_sha) for name, record in rows(audited).items()} == {"ops": True, ".github": True}
    found = night_report(audited)
    assert [repository["name"] for repository in found["repositories"]] == ["cann/.github", "cann/ops"]
    assert [cell["name"] for cell in found["repositories"][1]["cells"]] == ["left-pad"]
    with audited.sessions() as session:
        account = account_states.get(session, audited.cann.id)
        assert (account.login, account.repositories, account.violations, account.why) == ("cann", 2, 0, "")
        assert {"cann/ops.zip", "report.html"} < {page.name for page in report_pages.of(session, audited.cann.id)}
        assert nights.of(session, audited.cann.id) == []


def test_a_night_without_a_push_reads_no_tree(audited):
    tonight(audited)
    audited.shift += timedelta(days=1)
    audited.calls()
    tonight(audited)

    calls = audited.calls()
    assert not [call for call in calls if "/git/" in call[1] or call[1] == "/graphql"]
    assert len(calls) <= 9, calls
    assert night_report(audited)["violations"] == 0


@pytest.mark.slow
def test_only_the_changed_repository_is_read_and_its_change_is_kept(audited):
    tonight(audited)
    audited.shift += timedelta(days=1)
    push(audited, audited.ops, locked(LEFT_PAD, READLINE))
    audited.calls()
    tonight(audited)

    trees = [call for call in audited.calls() if "/git/trees/" in call[1]]
    assert len(trees) == 1
    assert night_report(audited)["violations"] == 1
    with audited.sessions() as session:
        [night] = nights.of(session, audited.cann.id)
    assert (night.changes, night.violations, night.mended) == (1, 1, 0)


@pytest.mark.slow
def test_a_repository_whose_commit_github_withholds_is_asked_for_the_next_night(audited):
    def withhold(answer):
        body = json.loads(answer)
        if "nodes" in body["data"]:
            body["data"]["nodes"][-1] = None
            where = ["nodes", len(body["data"]["nodes"]) - 1]
            body["errors"] = [{"type": "FORBIDDEN", "path": where, "locations": [], "message": "no"}]
        return json.dumps(body).encode()

    audited.weather.altered.append(("POST", "/graphql", withhold))
    tonight(audited)
    assert len(rows(audited)) == 1
    audited.weather.altered.clear()
    audited.shift += timedelta(days=1)
    tonight(audited)
    assert {name: bool(record.head_sha) for name, record in rows(audited).items()} == {"ops": True, ".github": True}


@pytest.mark.slow
def test_a_push_of_irrelevant_files_fetches_none(audited):
    tonight(audited)
    before = row(audited)
    audited.shift += timedelta(days=1)
    push(audited, audited.ops, {"tests/app.py": "print()\n"})
    audited.calls()
    tonight(audited)

    calls = audited.calls()
    assert len([call for call in calls if "/git/trees/" in call[1]]) == 1
    assert not [call for call in calls if "/git/blobs" in call[1]]
    assert [call for call in calls if call[1] == "/graphql"] == [("POST", "/graphql")]  # the newest commit
    after = row(audited)
    assert (after.fingerprint, after.head_sha != before.head_sha) == (before.fingerprint, True)
    assert night_report(audited)["repositories"][1]["head"] == after.head_sha


@pytest.mark.slow
def test_changed_rules_judge_stored_facts_without_reading_repositories(audited):
    push(audited, audited.ops, locked(LEFT_PAD, READLINE))
    tonight(audited)
    waived = AUDITED.replace("{}", "{fail_on: [review]}")
    push(audited, audited.rules, {".github/countersign.yml": waived})
    audited.shift += timedelta(days=1)
    audited.calls()
    tonight(audited)

    assert len([call for call in audited.calls() if "/git/trees/" in call[1]]) == 1
    assert night_report(audited)["violations"] == 0
    with audited.sessions() as session:
        [night] = nights.of(session, audited.cann.id)
    assert night.mended == 1


@pytest.mark.slow
def test_the_end_of_a_waiver_is_a_new_violation_without_reading_a_repository(audited):
    last = (audited.clock() + timedelta(days=2)).date()
    waived = f"{{waivers: [{{purl: 'pkg:npm/readline', until: {last}, reason: replaced soon, by: Ada}}]}}"
    push(audited, audited.rules, {".github/countersign.yml": AUDITED.replace("{}", waived)})
    push(audited, audited.ops, locked(LEFT_PAD, READLINE))
    tonight(audited)
    assert (night_report(audited)["violations"], audited.ops.issues) == (0, {})

    audited.shift += timedelta(days=2)
    audited.calls()
    tonight(audited)
    assert not [call for call in audited.calls() if "/git/" in call[1]]
    found = night_report(audited)
    assert found["violations"] == 1
    assert [finding["code"] for finding in found["repositories"][1]["findings"]] == ["waiver/expired"]
    assert len(audited.ops.issues) == 1
    with audited.sessions() as session:
        [night] = nights.of(session, audited.cann.id)
    assert night.violations == 1


@pytest.mark.slow
def test_a_night_killed_between_repositories_reads_none_twice(audited):
    for number in range(3):
        audited.world.repository(audited.cann, f"more{number}", files=locked(LEFT_PAD))
    at_night(audited)
    with suppress(RuntimeError):
        audited.jobs.run_all(limit=4)  # the night, the account, two repositories
    done = [name for name, record in rows(audited).items() if record.head_sha]
    assert len(done) == 2
    audited.calls()
    audited.jobs.run_all(delayed=True)

    assert all(value.head_sha and value.wanted_sha is None for value in rows(audited).values())
    assert len([call for call in audited.calls() if "/git/trees/" in call[1]]) == 3
    assert len(night_report(audited)["repositories"]) == 5


def test_a_night_killed_while_listing_is_continued_by_the_same_job(audited):
    at_night(audited)
    night_schedule.account(audited.installation.id, audited.cann.id, "job-1", audited.services)
    waiting = len(audited.jobs.waiting)
    night_schedule.account(audited.installation.id, audited.cann.id, "job-2", audited.services)
    assert len(audited.jobs.waiting) == waiting
    night_schedule.account(audited.installation.id, audited.cann.id, "job-1", audited.services)
    audited.jobs.run_all(delayed=True)

    assert len(night_report(audited)["repositories"]) == 2
    assert audited.jobs.waiting == ()


def test_every_job_of_the_night_waits_in_the_queue_for_later(audited):
    at_night(audited)
    seen = set()
    while audited.jobs.waiting:
        seen |= {(job.name, job.queue) for job in audited.jobs.waiting}
        with suppress(RuntimeError):
            audited.jobs.run_all(delayed=True, limit=1)

    assert {queue for _, queue in seen} == {"later"}
    assert {name for name, _ in seen} == {"audit-night", "audit-account", "audit-repository", "audit-edition"}


@pytest.mark.slow
def test_a_night_begins_once_at_its_hour_or_later_if_it_was_missed(audited):
    tonight(audited)
    for hour in range(24):
        audited.shift += timedelta(hours=(hour - audited.clock().hour) % 24 or 0)
        night_schedule.queue(audited.services)
        assert [job.name for job in audited.jobs.waiting] == (
            ["audit-night"] if hour == night_schedule.START_HOUR else []
        ), hour
        audited.jobs.run_all(delayed=True)
    audited.shift += timedelta(hours=27)
    night_schedule.queue(audited.services)
    assert [job.name for job in audited.jobs.waiting] == ["audit-night"]


@pytest.mark.slow
def test_a_renamed_repository_is_not_read_again(audited):
    tonight(audited)
    audited.world.rename(audited.ops, "ops-math", audited.ada)
    audited.shift += timedelta(days=1)
    audited.calls()
    tonight(audited)

    assert [repository["name"] for repository in night_report(audited)["repositories"]] == [
        "cann/.github",
        "cann/ops-math",
    ]
    assert not [call for call in audited.calls() if "/git/trees/" in call[1]]
    with audited.sessions() as session:
        assert nights.of(session, audited.cann.id) == []
        assert "cann/ops.zip" not in {page.name for page in report_pages.of(session, audited.cann.id)}


@pytest.mark.slow
def test_a_deleted_repository_leaves_no_data(audited):
    more = audited.world.repository(audited.cann, "more", files=locked(READLINE))
    tonight(audited)
    with audited.sessions() as session:
        assert sealed.get(session, repositories.name(more.id))
    audited.world.delete(more)
    audited.shift += timedelta(days=1)
    tonight(audited)

    assert "more" not in rows(audited)
    assert "cann/more" not in [repository["name"] for repository in night_report(audited)["repositories"]]
    with audited.sessions() as session:
        assert sealed.get(session, repositories.name(more.id)) is None
        assert "cann/more.zip" not in {page.name for page in report_pages.of(session, audited.cann.id)}


@pytest.mark.slow
def test_an_empty_repository_is_in_no_report_until_it_has_a_commit(audited):
    empty = audited.world.repository(audited.cann, "empty", files={})
    tonight(audited)
    assert "cann/empty" not in [repository["name"] for repository in night_report(audited)["repositories"]]

    push(audited, empty, locked(LEFT_PAD))
    audited.shift += timedelta(days=1)
    tonight(audited)
    assert "cann/empty" in [repository["name"] for repository in night_report(audited)["repositories"]]


@pytest.mark.parametrize(
    ("change", "why", "stays"),
    [
        (PLAIN, "the organisation's rulebook has no `licenses` section", False),
        ("version: 1\nlicenses: {fail_on: [never]}\n", "the organisation's rulebook has mistakes: line 2", True),
        ("deleted", "the organisation has no rulebook", False),
        ("renamed", "the organisation has no rulebook", False),
        ("out of reach", "We do not know whether cann/.github has a rulebook.", True),
    ],
)
def test_facts_are_deleted_where_audits_are_not_wanted_and_kept_in_doubt(audited, change, why, stays):
    tonight(audited)
    if change == "deleted":
        audited.world.delete(audited.rules)
    elif change == "renamed":
        audited.world.rename(audited.rules, "old-rules", audited.ada)
    elif change == "out of reach":
        audited.rules.private = True
        audited.installation.repositories = {audited.ops.id}
    else:
        push(audited, audited.rules, {".github/countersign.yml": change})
    audited.shift += timedelta(days=1)
    audited.calls()
    tonight(audited)

    assert not [call for call in audited.calls() if "/git/" in call[1]]
    with audited.sessions() as session:
        account = account_states.get(session, audited.cann.id)
        kept = bool(repositories.of(session, audited.cann.id)) and bool(report_pages.of(session, audited.cann.id))
    assert account.why.startswith(why)
    assert kept is stays


def test_facts_stay_while_the_list_of_repositories_is_not_available(audited):
    tonight(audited)
    audited.world.delete(audited.rules)
    audited.weather.faults.append(("GET", "/installation/repositories", 502))
    audited.shift += timedelta(days=1)
    at_night(audited)
    with suppress(Unreachable):
        audited.jobs.run_all(delayed=True)

    assert rows(audited)


@pytest.mark.slow
def test_a_repository_that_cannot_be_read_waits_for_the_next_night(audited):
    audited.weather.faults.append(("GET", "ops/git/trees", 502))
    at_night(audited)
    for _ in range(3):
        with suppress(Unreachable):
            audited.jobs.run_all()
    assert row(audited).wanted_sha
    audited.shift += timedelta(hours=7)
    with audited.sessions() as session:
        audited.jobs.enqueue(session, night_schedule.Job("audit-repository", (audited.ops.id,), "later"))
    audited.jobs.run_all(delayed=True)

    assert (row(audited).wanted_sha, bool(row(audited).why)) == (None, True)
    assert (both(night_report(audited)), night_report(audited)["could_not_judge"]) == (True, 1)
    audited.weather.faults.clear()
    audited.shift += timedelta(days=1)
    tonight(audited)
    assert (both(night_report(audited)), night_report(audited)["could_not_judge"]) == (True, 0)


def both(report):
    """Whether the report names all repositories."""
    return [repository["name"] for repository in report["repositories"]] == ["cann/.github", "cann/ops"]


@pytest.mark.slow
def test_facts_that_cannot_be_decrypted_are_read_again_the_next_night(audited):
    week_begins(audited)
    tonight(audited)
    audited.shift += stored_repository.KEPT_FOR - timedelta(days=1)
    name = repositories.name(audited.ops.id)
    with audited.sessions() as session:
        held = sealed.get(session, name)
        sealed.put(session, name, sealed.Sealed(held.sealed[::-1], held.wrapped_key, held.ring_key_id))
    for unread in (1, 0):
        audited.shift += timedelta(days=1)
        tonight(audited)
        assert (both(night_report(audited)), night_report(audited)["could_not_judge"]) == (True, unread)


@pytest.mark.parametrize("why", ["uninstalled", "not served", "suspended"])
def test_an_uninstalled_account_leaves_no_data_and_a_suspended_one_keeps_it(audited, why):
    tonight(audited)
    served = audited.services.served
    if why == "uninstalled":
        audited.world.installations.clear()
    elif why == "suspended":
        audited.installation.suspended_at = audited.clock()
    else:
        served._ids = frozenset({10**9})
    audited.shift += timedelta(days=1)
    tonight(audited)

    with audited.sessions() as session:
        kept = bool(repositories.of(session, audited.cann.id)), bool(report_pages.of(session, audited.cann.id))
        account = account_states.get(session, audited.cann.id)
    assert kept == ((True, True) if why == "suspended" else (False, False))
    assert (account and account.login) == {"suspended": "cann", "uninstalled": "", "not served": None}[why]
    assert audited.jobs.waiting == ()


def test_data_of_an_account_stays_while_a_configured_login_is_unknown(audited):
    """The unknown login may be a misspelling of this account's."""
    tonight(audited)
    wrong = ServedAccounts(("cnan",), audited.services.hub, audited.sessions, engine=audited.jobs, clock=audited.clock)
    kept = []
    for served in (
        wrong,
        ServedAccounts(("7",), audited.services.hub, audited.sessions, engine=audited.jobs, clock=audited.clock),
    ):
        audited.jobs.start(make_runner(replace(audited.services, served=served)))
        audited.shift += timedelta(days=1)
        tonight(audited)
        with audited.sessions() as session:
            kept.append(bool(repositories.of(session, audited.cann.id)))
    assert kept == [True, False]


def test_an_account_that_is_not_served_is_not_audited(audited):
    night_schedule.account(audited.installation.id, audited.cann.id + 1, "job", audited.services)
    night_schedule.account(audited.installation.id + 1, audited.cann.id, "job", audited.services)
    assert audited.jobs.waiting == ()
    assert ReportFiles(audited.cann.id, audited.services.vault, audited.sessions).opened(REPORT) is None
