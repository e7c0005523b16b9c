"""The nightly audit tells each repository once: an issue for violations, a pull request for the NOTICE."""

from contextlib import suppress
from dataclasses import replace
from datetime import timedelta

import pytest

from audit.store import report_pages, repositories, repository_posts
from bot.demo.github.git import bare_repository
from bot.flows.licenses import issue_publisher
from bot.github.ports import Unreachable
from bot.job_queue import Job
from bot.runner import make_runner
from bot.store import owners
from tests.bot.flows.licensed import AUDITED, LEFT_PAD, PLAIN, READLINE, Away, Dying, Killed, locked
from tests.bot.flows.nightly import night_report, push, tonight

NOTICES = AUDITED.replace("{}", "{notices: true}")
VENDORED = {
    "third_party/netty/LICENSE": "",
    "third_party/netty/package.json": '{"name": "netty", "version": "1.0.0", "license": "Apache-2.0"}',
    "third_party/netty/NOTICE": "The Netty Project\nCopyright 2014 The Netty Project\n",
    "package.json": '{"name": "ops", "license": "Apache-2.0"}',
}


@pytest.fixture(name="violated")
def _violated(staged):
    """The scene after a night in which cann/ops uses what does not fit."""
    scene = staged(rulebook=AUDITED)
    scene.world.write(scene.ops, locked(READLINE))
    tonight(scene)
    return scene


def issues(scene):
    """All issues of cann/ops."""
    return list(scene.ops.issues.values())


def is_open(issue):
    """Whether it is."""
    return issue.closed_at is None


def another_night(scene, files=None, repo=None):
    """The next night, after that push."""
    scene.shift += timedelta(days=1)
    if files:
        push(scene, repo or scene.ops, files)
    scene.calls()
    tonight(scene)
    return [call for call in scene.calls() if call[0] in ("POST", "PATCH") and call[1] != "/graphql"]


@pytest.mark.slow
def test_a_violation_has_one_issue_that_is_edited_closed_and_reopened(violated):
    [issue] = issues(violated)
    assert (is_open(issue), "readline" in issue.body, "left-pad" in issue.body) == (True, True, False)
    assert another_night(violated) == []
    assert another_night(violated, {"src/app.py": "1"}) == []
    assert another_night(violated, locked(READLINE, {"gpl": ("1.0.0", "GPL-3.0-only")})) == [
        ("PATCH", "/repos/{owner}/{repo}/issues/{issue_number}")
    ]
    assert "`gpl`" in issue.body
    another_night(violated, locked(LEFT_PAD))
    assert not is_open(issue)
    assert another_night(violated) == []
    another_night(violated, locked(READLINE))
    assert is_open(issue)
    assert issues(violated) == [issue]


@pytest.mark.slow
def test_a_broken_lock_file_does_not_close_the_issue(violated):
    [issue] = issues(violated)
    manifest = '{"name": "ops", "license": "Apache-2.0"}'
    assert another_night(violated, {"package.json": manifest, "package-lock.json": "<<<<<<< HEAD"}) == []
    assert (is_open(issue), "readline" in issue.body) == (True, True)
    another_night(violated, locked(LEFT_PAD))
    assert not is_open(issue)


@pytest.mark.slow
def test_no_issue_is_opened_without_a_violation(staged):
    scene = staged(rulebook=AUDITED)
    scene.world.write(scene.ops, locked(LEFT_PAD))
    tonight(scene)
    assert issues(scene) == []


@pytest.mark.slow
@pytest.mark.parametrize("by", [AUDITED.replace("{}", "{issue: false}"), PLAIN])
def test_the_issue_is_closed_with_a_note_once_audits_are_not_wanted(violated, by):
    [issue] = issues(violated)
    assert len(another_night(violated, {".github/countersign.yml": by}, violated.rules)) == 1
    assert (is_open(issue), "not necessarily resolved" in issue.body, "readline" in issue.body) == (False, True, False)
    assert another_night(violated) == []
    with violated.sessions() as session:
        assert bool(repositories.of(session, violated.cann.id)) is (by != PLAIN)

    another_night(violated, {".github/countersign.yml": AUDITED}, violated.rules)
    assert (is_open(issue), "readline" in issue.body, len(issues(violated))) == (True, True, 1)


@pytest.mark.slow
def test_an_issue_that_was_settled_is_left_alone_when_audits_end(violated):
    another_night(violated, locked(LEFT_PAD))
    assert another_night(violated, {".github/countersign.yml": PLAIN}, violated.rules) == []


@pytest.mark.slow
def test_closing_an_issue_that_github_refuses_is_tried_every_night(violated):
    [issue] = issues(violated)
    faults = violated.weather.faults
    faults.append(("PATCH", "/issues/", 422))
    another_night(violated, {".github/countersign.yml": PLAIN}, violated.rules)
    with violated.sessions() as session:
        [row] = repositories.of(session, violated.cann.id)
        assert (row.name, row.head_sha, report_pages.of(session, violated.cann.id)) == ("ops", None, [])
    faults.clear()
    another_night(violated, {".github/countersign.yml": AUDITED}, violated.rules)
    assert (is_open(issue), night_report(violated)["violations"]) == (True, 1)
    faults.append(("PATCH", "/issues/", 422))
    another_night(violated, {".github/countersign.yml": PLAIN}, violated.rules)
    faults.clear()
    another_night(violated)
    assert not is_open(issue)


@pytest.mark.parametrize("why", ["shadow", "wanted again", "broken", "gone"])
def test_the_end_of_audits_is_not_told_in_shadow_mode_or_by_a_late_job(violated, why):
    text = {
        "shadow": PLAIN.replace("none", "none, mode: shadow"),
        "wanted again": AUDITED,
        "broken": "version: 9\n",
    }.get(why, PLAIN)
    with violated.sessions() as session:
        owners.remember_rules(session, violated.cann.id, text, valid=True, at=violated.clock())
    if why == "gone":
        violated.world.delete(violated.ops)
    violated.calls()
    issue_publisher.end(violated.ops.id, violated.services)
    assert [call for call in violated.calls() if call[0] == "PATCH"] == []
    with violated.sessions() as session:
        assert (repositories.get(session, violated.ops.id) is None) is (why in ("shadow", "gone"))


@pytest.mark.slow
def test_concurrent_jobs_open_one_issue(violated):
    another_night(violated, locked(LEFT_PAD))
    violated.shift += timedelta(days=1)
    push(violated, violated.ops, locked(READLINE))
    with violated.sessions() as session:
        repository_posts.intend(session, violated.ops.id, "issue", at=violated.clock() - timedelta(seconds=1))
    _read_and_judge(violated)
    with pytest.raises(Unreachable):
        issue_publisher.tell("audit-issue", violated.ops.id, violated.services)
    violated.shift += repository_posts.CREATE_TIMEOUT
    issue_publisher.tell("audit-issue", violated.ops.id, violated.services)
    violated.calls()
    issue_publisher.tell("audit-issue", violated.ops.id, violated.services)
    assert violated.calls() == []
    assert [is_open(issue) for issue in issues(violated)] == [True]


def _read_and_judge(scene):
    """All of a night but what it tells."""
    from bot.flows.licenses import night_schedule

    scene.shift += timedelta(hours=(night_schedule.START_HOUR - scene.clock().hour) % 24)
    night_schedule.queue(scene.services)
    for _ in range(20):
        if any(job.name == "audit-issue" for job in scene.jobs.waiting) or not scene.jobs.waiting:
            break
        with suppress(RuntimeError):
            scene.jobs.run_all(delayed=True, limit=1)
    scene.jobs._committed.clear()


@pytest.mark.parametrize("after", [False, True])
def test_a_job_killed_while_opening_an_issue_leaves_one_issue_in_the_end(staged, after):
    scene = staged(rulebook=AUDITED)
    scene.world.write(scene.ops, locked(READLINE))
    _read_and_judge(scene)
    with pytest.raises(Killed):
        issue_publisher.tell(
            "audit-issue", scene.ops.id, replace(scene.services, hub=Dying(scene.hub, "issue", after=after))
        )
    scene.shift += repository_posts.CREATE_TIMEOUT
    issue_publisher.tell("audit-issue", scene.ops.id, scene.services)
    assert [is_open(issue) for issue in issues(scene)] == [True]


@pytest.mark.parametrize("why", ["shadow", "switched off", "archived", "fork", "registry"])
def test_no_issue_is_opened_where_writing_is_not_wanted_or_a_registry_is_away(staged, why):
    rulebook = {
        "shadow": AUDITED.replace("require: none", "require: none, mode: shadow"),
        "switched off": AUDITED.replace("{}", "{issue: false}"),
    }.get(why, AUDITED)
    scene = staged(rulebook=rulebook)
    scene.world.write(scene.ops, locked(READLINE))
    if why == "archived":
        scene.ops.archived = True
    if why == "fork":
        scene.ops.fork_of = scene.rules
    if why == "registry":
        scene.services = replace(scene.services, learner=Away)
        scene.jobs.start(make_runner(scene.services))
    tonight(scene)

    assert issues(scene) == []
    assert night_report(scene)["violations"] == 1


@pytest.mark.slow
def test_a_repository_with_issues_switched_off_is_tried_once_a_night(violated):
    more = violated.world.repository(violated.cann, "more", files=locked(READLINE))
    more.has_issues = False
    assert another_night(violated)[:1] == [("POST", "/repos/{owner}/{repo}/issues")]
    assert more.issues == {}
    more.has_issues = True
    another_night(violated)
    assert len(more.issues) == 1


@pytest.mark.slow
def test_without_the_permission_for_issues_the_next_night_tries_again(staged):
    scene = staged(rulebook=AUDITED)
    scene.world.write(scene.ops, locked(READLINE))
    scene.app.permissions.pop("issues", None)
    tonight(scene)
    assert issues(scene) == []
    scene.shift += timedelta(days=1)
    scene.calls()
    tonight(scene)
    assert ("GET", "/repos/{owner}/{repo}/issues") in scene.calls()
    assert issues(scene) == []


@pytest.fixture(name="vendoring")
def _vendoring(staged):
    """cann/ops holds a work whose notice is to be passed on; the rulebook wants pull requests, the App may make them."""
    scene = staged(rulebook=NOTICES)
    scene.world.write(scene.ops, {**VENDORED, "NOTICE": "Ops\nCopyright 2026 CANN\n"})
    scene.app.permissions.update(contents="write", pull_requests="write")
    return scene


def proposals(scene):
    """Our pull requests in cann/ops."""
    return list(scene.ops.pulls.values())


def proposed(scene, pull):
    """The NOTICE on its branch."""
    return bare_repository.blob(scene.ops.git, pull.head_sha, "NOTICE")[1].decode()


@pytest.mark.slow
def test_the_notice_is_proposed_by_one_pull_request(vendoring):
    tonight(vendoring)
    [pull] = proposals(vendoring)
    notice = proposed(vendoring, pull)
    assert notice.startswith("Ops\nCopyright 2026 CANN\n")
    assert "The Netty Project" in notice
    assert another_night(vendoring) == []
    push(
        vendoring, vendoring.ops, {"third_party/netty/NOTICE": "The Netty Project\nCopyright 2026 The Netty Project\n"}
    )
    another_night(vendoring)
    assert proposals(vendoring) == [pull]
    assert "2026 The Netty Project" in proposed(vendoring, pull)


@pytest.mark.slow
def test_a_notice_that_is_right_is_not_proposed_and_one_changed_back_is(vendoring):
    tonight(vendoring)
    [pull] = proposals(vendoring)
    notice = proposed(vendoring, pull)
    vendoring.world.merge_pull(pull, vendoring.ada)
    vendoring.ops.pushed_at = vendoring.clock() + timedelta(hours=1)
    assert another_night(vendoring) == []
    assert bare_repository.blob(vendoring.ops.git, "main", "NOTICE")[1].decode() == notice
    another_night(vendoring, {"NOTICE": "Ops\n"})
    assert len(proposals(vendoring)) == 2


@pytest.mark.parametrize("why", ["permission", "not wished"])
def test_no_notice_is_proposed_without_permission_or_wish(staged, why):
    scene = staged(rulebook=NOTICES if why == "permission" else AUDITED)
    scene.world.write(scene.ops, VENDORED)
    scene.app.permissions.update(contents="read" if why == "permission" else "write", pull_requests="write")
    tonight(scene)

    assert proposals(scene) == []
    assert scene.jobs.waiting == ()


def test_a_late_job_for_a_missing_repository_asks_github_nothing(violated):
    violated.calls()
    for repository_id in (violated.ops.id, violated.rules.id, 1):
        issue_publisher.tell("audit-issue", repository_id, violated.services)
        issue_publisher.tell("audit-notice", repository_id, violated.services)
    assert violated.calls() == []
    assert Job("audit-issue", (1,)).ids == (1,)
