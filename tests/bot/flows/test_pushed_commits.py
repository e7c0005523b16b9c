"""Commits in a branch that requires our check: those that no judged pull request brought are found, shown and told."""

import pytest

from agreements.facts import Account
from bot.demo.github.git import bare_repository
from bot.flows import pushed_commits, sweep
from bot.flows.pushed_commits import LINK_DELAY, NAME
from bot.github.ports import Unreachable
from bot.job_queue import Job
from bot.store.pulls import commit_findings
from bot.store.pulls.commit_findings import FINDING_RETENTION
from bot.webhook.events import CheckRerequested, EventRepository

DCO = 'version: 1\nrepositories: [{match: ["*"], require: dco}]\n'
SIGNED = "{}\n\nSigned-off-by: Mia <mia@home.example>"


@pytest.fixture(name="scene")
def _scene(staged):
    """A scene under a DCO; main requires our check."""
    scene = staged(rulebook=DCO)
    scene.ops.protected_checks["Countersign"] = scene.app.id
    return scene


def judged(scene, *messages, **more):
    """A pull request with these commits, signed off, that was judged."""
    pull, clone = scene.pull(
        *(SIGNED.format(message) for message in messages or ["Fix it"]), author=("Mia", "mia@home.example"), **more
    )
    scene.settle()
    return pull, clone


def pushed(scene, *messages, branch="main", **more):
    """Commits that ada pushes straight to a branch of cann/ops."""
    return scene.push(*(messages or ["Straight"]), who=scene.ada, branch=branch, **more)[0]


def found(scene):
    """What was found, as (kind, number of the pull request, commit)."""
    scene.settle(delayed=True)
    with scene.sessions() as session:
        rows = commit_findings.listed(session, skip=0, most=50)
        return [(row.kind, row.number, row.sha) for row in rows]


def runs(scene):
    """Our runs on commits, as (commit, conclusion, title)."""
    return [
        (run.head_sha, run.conclusion, run.output["title"].split(" / ")[0])
        for run in scene.world.check_runs.values()
        if run.name == NAME
    ]


@pytest.mark.parametrize("method", ["merge", "squash", "rebase"])
def test_commits_of_a_judged_pull_request_are_no_finding_however_it_was_merged(scene, method):
    pull, _ = judged(scene, "One", "Two")
    assert scene.conclusion(pull) == "success"
    message = SIGNED.format("Both") if method == "squash" else ""
    scene.world.merge_pull(pull, scene.ada, method=method, message=message)
    assert found(scene) == []
    assert runs(scene) == []


@pytest.mark.parametrize("database_url", ["sqlite", "postgres"], indirect=True)
def test_a_commit_that_was_pushed_straight_to_the_branch_is_found_and_shown_on_it(scene):
    clone = pushed(scene)
    assert found(scene) == [("no-pull-request", None, clone.head)]
    with scene.sessions() as session:
        assert commit_findings.count_news(session, scene.clock() - FINDING_RETENTION, scene.clock()) == 1
        assert commit_findings.purge(session, at=scene.clock(), most=9) == 0
    assert runs(scene) == [(clone.head, "failure", "Not checked: no pull request brought this commit")]


def test_a_push_to_a_branch_that_requires_nothing_costs_two_calls_and_no_job(scene):
    assert scene.cann.id in scene.services.served  # GitHub is asked for that once, as for who the App is.
    scene.hub.identity()
    pushed(scene, branch="topic")
    scene.calls()
    scene.settle(delayed=True)
    here = "/repos/{owner}/{repo}"
    assert scene.calls() == [("GET", f"{here}/rules/branches/{{branch}}"), ("GET", f"{here}/branches/{{branch}}")]


@pytest.mark.parametrize(
    ("checks", "watched"),
    [({"Countersign": None}, True), ({"Countersign": 4711}, False), ({"CI": None}, False), ({}, False)],
)
def test_a_branch_is_watched_if_it_requires_our_check_from_us_or_from_any_app(scene, checks, watched):
    scene.ops.protected_branches["release"] = checks
    pushed(scene, branch="release")
    assert bool(found(scene)) is watched


def test_a_ruleset_counts_as_classic_protection_does(scene):
    scene.ops.protected_checks.clear()
    scene.ops.required_checks["Countersign"] = scene.app.id
    clone = pushed(scene)
    assert found(scene) == [("no-pull-request", None, clone.head)]


def test_a_merge_of_a_pull_request_costs_three_calls_more(scene):
    pull, _ = judged(scene, "One", "Two", "Three")
    scene.world.merge_pull(pull, scene.ada)
    scene.settle()
    scene.calls()
    scene.settle(delayed=True)
    here = "/repos/{owner}/{repo}"
    assert scene.calls() == [
        ("GET", f"{here}/compare/{{basehead}}"),
        ("GET", f"{here}/commits/{{commit_sha}}/pulls"),
        ("GET", f"{here}/pulls/{{pull_number}}/commits"),
    ]


def test_the_commits_of_a_rebase_cost_one_question_together_and_lose_nothing(scene):
    pull, clone = scene.pull(SIGNED.format("One"), author=("Mia", "mia@home.example"))
    clone.commit("Two\n\nSigned-off-by: Bo <bo@home.example>", files={"2.txt": "2"}, author=("Bo", "bo@home.example"))
    clone.push()
    scene.settle()
    assert scene.conclusion(pull) == "success"
    scene.world.merge_pull(pull, scene.ada, method="rebase")
    scene.settle()
    scene.calls()
    assert found(scene) == []
    assert [template for _, template in scene.calls()].count("/repos/{owner}/{repo}/commits/{commit_sha}/pulls") == 1


def test_a_pull_request_whose_rebase_is_not_known_again_is_read_once(scene, monkeypatch):
    monkeypatch.setattr(pushed_commits._Comparison, "_rebased", lambda *_: set())
    pull, _ = judged(scene, "One", "Two", "Three")
    scene.world.merge_pull(pull, scene.ada, method="rebase")
    scene.settle()
    scene.calls()
    assert found(scene) == []
    templates = [template.removeprefix("/repos/{owner}/{repo}") for _, template in scene.calls()]
    assert templates.count("/commits/{commit_sha}/pulls") == 3
    assert templates.count("/pulls/{pull_number}/commits") == 1


def test_a_pull_request_that_was_merged_although_it_was_red_is_one_finding(scene):
    pull, _ = scene.pull("One", "Two")
    scene.settle()
    assert scene.conclusion(pull) == "failure"
    scene.world.merge_pull(pull, scene.ada)
    assert found(scene) == [("not-passed", pull.number, pull.merge_sha)]
    assert runs(scene) == [(pull.merge_sha, "failure", "In the branch although the check did not pass")]


def test_a_pull_request_that_was_merged_before_its_last_commit_was_judged_is_found(scene):
    pull, clone = judged(scene)
    clone.commit(SIGNED.format("Two"), files={"two.txt": "2"}, author=("Mia", "mia@home.example"))
    clone.push()
    scene.world.merge_pull(pull, scene.ada)
    assert found(scene) == [("not-judged", pull.number, pull.merge_sha)]


def test_the_head_of_a_judged_pull_request_may_be_pushed_straight_to_the_branch(scene):
    pull, clone = judged(scene, "One", "Two")
    with scene.world.push(scene.ops, scene.ada):
        bare_repository.point(scene.ops.git, "refs/heads/main", clone.head)
    assert pull.merged_at is not None
    assert found(scene) == []


def test_commits_above_a_judged_head_are_found_and_those_below_are_not(scene):
    _, clone = judged(scene, "One", "Two")
    last = clone.commit("Three", files={"three.txt": "3"})
    with scene.world.push(scene.ops, scene.ada):
        bare_repository.point(scene.ops.git, "refs/heads/main", last)
    assert found(scene) == [("no-pull-request", None, last)]


@pytest.mark.slow
def test_a_green_pull_request_to_another_branch_does_not_stand_for_what_that_branch_held(scene):
    evil = pushed(scene, "Unsigned", branch="evil")
    unsigned = evil.head
    evil.commit(SIGNED.format("Signed"), files={"s.txt": "s"}, author=("Mia", "mia@home.example"))
    evil.push("signed")
    pull = scene.world.open_pull(scene.ops, scene.mia, "signed", base_branch="evil")
    scene.settle()
    assert scene.conclusion(pull) == "success"
    scene.world.merge_pull(pull, scene.ada)
    with scene.world.push(scene.ops, scene.ada):
        bare_repository.point(scene.ops.git, "refs/heads/main", pull.merge_sha)
    assert found(scene) == [("no-pull-request", None, unsigned)]


@pytest.mark.slow
def test_a_red_pull_request_beside_a_green_one_hides_none_of_its_commits(scene):
    scene.ops.protected_branches["release"] = {"Countersign": scene.app.id}
    evil = pushed(scene, "Unsigned", branch="evil")
    unsigned = evil.head
    evil.commit(SIGNED.format("Signed"), files={"s.txt": "s"}, author=("Mia", "mia@home.example"))
    evil.push("signed")
    red = scene.world.open_pull(scene.ops, scene.mia, "signed")
    scene.world.open_pull(scene.ops, scene.mia, "signed", base_branch="evil")  # It holds the signed one alone.
    scene.settle()
    with scene.world.push(scene.ops, scene.ada):
        bare_repository.point(scene.ops.git, "refs/heads/release", evil.head)
    assert found(scene) == [("not-passed", red.number, unsigned)]


@pytest.mark.parametrize("database_url", ["sqlite", "postgres"], indirect=True)
def test_a_pull_request_that_got_another_base_just_before_it_was_merged_is_found(scene):
    evil = pushed(scene, "Unsigned", branch="evil")
    evil.commit(SIGNED.format("Signed"), files={"s.txt": "s"}, author=("Mia", "mia@home.example"))
    evil.push("signed")
    pull = scene.world.open_pull(scene.ops, scene.mia, "signed", base_branch="evil")
    scene.settle()
    assert scene.conclusion(pull) == "success"
    scene.world.edit_pull(pull, scene.mia, base="main")
    scene.world.merge_pull(pull, scene.ada)
    assert found(scene) == [("not-judged", pull.number, pull.merge_sha)]


def test_a_pull_request_that_was_judged_again_for_another_base_is_no_finding(scene):
    pushed(scene, SIGNED.format("Base"), branch="other", author=("Ada", "ada@home.example"))
    pull, _ = judged(scene)
    for base in ("other", "main"):
        scene.world.edit_pull(pull, scene.mia, base=base)
        scene.settle()
    scene.world.merge_pull(pull, scene.ada)
    assert found(scene) == []


def test_a_merge_that_looks_like_a_rebase_does_not_stand_for_what_came_before_it(scene):
    pull, clone = judged(scene, "One", "Two")
    straight = pushed(scene, SIGNED.format("One"), branch="straight").head
    git, by = scene.ops.git, bare_repository.GitIdentity("Ada", "ada@home.example", scene.world.now())
    merge = bare_repository.merge_commit(git, straight, clone.head, message=SIGNED.format("Two"), by=by)
    with scene.world.push(scene.ops, scene.ada):
        bare_repository.point(git, "refs/heads/main", merge)
    pull.rebased, pull.merge_sha = [merge], merge  # GitHub ties the merge to it.
    assert found(scene) == [("no-pull-request", None, straight)]


def test_a_pull_request_of_more_commits_than_github_lists_is_no_finding(scene, monkeypatch):
    pull, _ = judged(scene, "One", "Two", "Three")
    scene.world.merge_pull(pull, scene.ada)
    listed = scene.hub.pull_commits
    monkeypatch.setattr(scene.hub, "pull_commits", lambda *which: listed(*which)[:2])
    monkeypatch.setattr(pushed_commits, "MAX_LOOKUPS", 2)
    assert found(scene) == []


def test_a_pull_request_that_is_opened_after_the_push_hides_nothing(scene):
    clone = pushed(scene, "Straight")
    clone.push("copy")
    clone.commit(SIGNED.format("More"), files={"m.txt": "m"}, author=("Mia", "mia@home.example"))
    clone.push("copy")
    pull = scene.world.open_pull(scene.ops, scene.mia, "copy")
    scene.settle()
    straight = bare_repository.resolve(scene.ops.git, "refs/heads/main")
    assert found(scene) == [("no-pull-request", None, straight)]
    assert scene.conclusion(pull) == "success"


def test_a_new_branch_that_requires_our_check_is_compared_with_the_default_branch(scene):
    scene.ops.protected_branches["release"] = {"Countersign": scene.app.id}
    clone = pushed(scene, branch="release")
    assert found(scene) == [("no-pull-request", None, clone.head)]


def cut(scene, *new, start=""):
    """New branches that require our check, all with one push, from that commit (of main by itself)."""
    start = start or bare_repository.resolve(scene.ops.git, "refs/heads/main")
    with scene.world.push(scene.ops, scene.ada):
        for name in new:
            scene.ops.protected_branches[name] = {"Countersign": scene.app.id}
            bare_repository.point(scene.ops.git, f"refs/heads/{name}", start)


def unheard(scene, *branches):
    """A commit in each of these branches, which require our check, from before we were there."""
    heads = [pushed(scene, name, branch=name).head for name in branches]
    scene.world.hooks.drain()
    scene.heard = len(scene.world.hooks.log)
    scene.ops.protected_branches |= {name: {"Countersign": scene.app.id} for name in branches}
    assert sweep.queue(scene.services, starting=True)
    scene.settle()
    return heads


def test_a_new_branch_brings_nothing_that_another_branch_with_our_check_holds(scene):
    cut(scene, "next", start=unheard(scene, "release")[0])
    assert found(scene) == []


@pytest.mark.slow
def test_a_new_branch_is_compared_with_every_branch_that_its_commits_come_from(scene):
    heads = unheard(scene, "r1", "r2")
    git, by = scene.ops.git, bare_repository.GitIdentity("Ada", "ada@home.example", scene.world.now())
    merge = bare_repository.merge_commit(git, *heads, message="Both", by=by)
    cut(scene, "next", start=merge)
    assert found(scene) == [("no-pull-request", None, merge)]
    [run] = [run for run in scene.world.check_runs.values() if run.name == NAME]
    scene.world.rerequest(run, scene.ada)
    assert found(scene) == [("no-pull-request", None, merge)]


def test_a_branch_that_does_not_require_our_check_holds_nothing_for_a_new_one(scene):
    [head] = unheard(scene, "release")
    scene.ops.protected_branches["release"] = {"CI": None}
    cut(scene, "next", start=head)
    assert found(scene) == [("no-pull-request", None, head)]


def test_new_branches_of_one_push_do_not_stand_for_each_other(scene):
    head = pushed(scene, branch="topic").head
    cut(scene, "r1", "r2", start=head)
    assert found(scene) == [("no-pull-request", None, head)]


def test_a_new_branch_without_a_common_past_could_not_be_compared(scene):
    clone = pushed(scene, branch="topic")
    clone.git("switch", "--quiet", "--orphan", "alone")
    alone = clone.commit("Alone", files={"a": "a"})
    clone.git("push", "--quiet", str(scene.ops.git), f"{alone}:refs/heads/alone")
    cut(scene, "next", start=alone)
    assert [kind for kind, _, _ in found(scene)] == ["not-compared"]


@pytest.mark.parametrize(("kept", "lost"), [("", 1), ("Signed-off-by: Mia <MIA@home.example>", 0)])
def test_a_squash_whose_message_lacks_a_sign_off_is_a_neutral_finding(scene, kept, lost):
    pull, _ = judged(scene, "One", "Two")
    scene.world.merge_pull(pull, scene.ada, method="squash", message=f"Both (#1)\n\n{kept}")
    assert found(scene) == [("lost-signoff", pull.number, pull.merge_sha)] * lost
    assert runs(scene) == [(pull.merge_sha, "neutral", "The squash lost sign-offs")] * lost


def test_a_squash_needs_no_sign_off_where_none_is_required(staged):
    scene = staged()
    scene.ops.protected_checks["Countersign"] = scene.app.id
    scene.sign(scene.mia)
    pull, _ = judged(scene, "One", "Two")
    assert scene.conclusion(pull) == "success"
    scene.world.merge_pull(pull, scene.ada, method="squash", message="Both")
    assert found(scene) == []


def test_what_is_more_than_github_is_asked_about_is_said(scene, monkeypatch):
    monkeypatch.setattr(pushed_commits, "MAX_LOOKUPS", 1)
    clone = pushed(scene, "One", "Two", "Three")
    second = bare_repository.commit(scene.ops.git, clone.head).parents[0]
    assert {*found(scene)} == {("no-pull-request", None, clone.head), ("not-compared", None, second)}
    with scene.sessions() as session:
        assert commit_findings.find(session, scene.ops.id, second).count == 2


@pytest.mark.slow
def test_a_re_run_reaches_all_that_was_not_looked_up_in_lines_that_a_merge_joined(scene, monkeypatch):
    monkeypatch.setattr(pushed_commits, "MAX_LOOKUPS", 1)
    sides = [pushed(scene, name, branch=name).head for name in ("left", "right")]
    git, by = scene.ops.git, bare_repository.GitIdentity("Ada", "ada@home.example", scene.world.now())
    merge = bare_repository.merge_commit(git, *sides, message="Both", by=by)
    with scene.world.push(scene.ops, scene.ada):
        bare_repository.point(git, "refs/heads/main", merge)
    assert {*found(scene)} == {("no-pull-request", None, merge), *(("not-compared", None, side) for side in sides)}
    for run in [value for value in scene.world.check_runs.values() if value.name == NAME and value.head_sha in sides]:
        scene.world.rerequest(run, scene.ada)
    assert {*found(scene)} == {("no-pull-request", None, side) for side in (merge, *sides)}


def test_what_is_more_than_github_lists_is_said_on_the_head(scene, monkeypatch):
    monkeypatch.setattr("bot.github.pushed_commits.PAGE_SIZE", 1)
    monkeypatch.setattr("bot.github.pushed_commits.MAX_COMMITS", 2)
    clone = pushed(scene, "One", "Two", "Three")
    assert {kind for kind, _, _ in found(scene)} == {"no-pull-request", "not-compared"}
    with scene.sessions() as session:
        row = commit_findings.find(session, scene.ops.id, clone.head)
    assert (row.kind, row.count) == ("not-compared", 1)


def test_a_push_that_github_cannot_compare_is_said(scene):
    scene.weather.faults.append(("GET", "/compare/", 404))
    clone = pushed(scene)
    assert found(scene) == [("not-compared", None, clone.head)]
    assert runs(scene) == [(clone.head, "failure", "This push could not be compared")]


def test_a_github_that_does_not_answer_has_the_job_tried_again(scene):
    clone = pushed(scene)
    scene.settle()
    [guid] = {job.ids[0] for job in scene.jobs.waiting}
    scene.weather.faults.append(("GET", "/pulls$", 502))
    with pytest.raises(Unreachable):
        pushed_commits.check_pushed(guid, scene.services)
    with scene.sessions() as session:
        assert commit_findings.listed(session, skip=0, most=1) == []
    scene.weather.faults.clear()
    assert found(scene) == [("no-pull-request", None, clone.head)]


def test_a_finding_that_is_none_any_more_is_settled_by_a_re_run(scene):
    scene.weather.faults.append(("GET", "/compare/", 404))
    pull, _ = judged(scene)
    scene.world.merge_pull(pull, scene.ada)
    assert found(scene) == [("not-compared", None, pull.merge_sha)]
    [run] = [run for run in scene.world.check_runs.values() if run.name == NAME]
    scene.world.rerequest(run, scene.ada)
    assert len(found(scene)) == 1
    scene.weather.faults.clear()
    scene.world.rerequest(run, scene.ada)
    assert found(scene) == []
    assert runs(scene) == [(pull.merge_sha, "success", "A checked pull request brought this commit")]


def test_in_quiet_mode_a_finding_is_recorded_and_not_shown(staged):
    scene = staged(rulebook=DCO.replace("require: dco", "require: dco, mode: shadow"))
    scene.ops.protected_checks["Countersign"] = scene.app.id
    clone = pushed(scene)
    assert found(scene) == [("no-pull-request", None, clone.head)]
    assert runs(scene) == []


def test_in_quiet_mode_a_re_run_settles_a_finding_and_writes_nothing(staged):
    scene = staged(rulebook=DCO.replace("require: dco", "require: dco, mode: shadow"))
    scene.ops.protected_checks["Countersign"] = scene.app.id
    pull, _ = judged(scene)
    scene.weather.faults.append(("GET", "/compare/", 404))
    scene.world.merge_pull(pull, scene.ada)
    [(_, _, sha)] = found(scene)
    scene.weather.faults.clear()
    place = EventRepository(scene.ops.id, scene.cann.id, "cann", "ops")
    again = CheckRerequested(
        installation=scene.installation.id, repository=place, head_sha=sha, external_id=None, sender=Account(1, "ada")
    )
    pushed_commits.check_again(again, scene.services)
    assert found(scene) == []
    assert runs(scene) == []


def test_a_job_that_runs_twice_writes_one_run(scene):
    clone = pushed(scene)
    scene.settle()
    [guid] = {job.ids[0] for job in scene.jobs.waiting}
    for _ in range(2):
        pushed_commits.check_pushed(guid, scene.services)
    assert len(runs(scene)) == 1
    assert found(scene) == [("no-pull-request", None, clone.head)]


def test_the_comparison_waits_until_github_has_tied_the_pull_request(scene):
    pushed(scene)
    scene.settle()
    assert [(job.name, job.delay) for job in scene.jobs.waiting] == [("pushed-commits", LINK_DELAY)]


@pytest.mark.parametrize("reason", ["shadow mode", "too many", "refused", "renamed"])
def test_a_finding_without_a_check_run_can_be_compared_again(staged, monkeypatch, reason):
    scene = staged(rulebook=DCO.replace("require: dco", f"require: dco{', mode: shadow' * (reason == 'shadow mode')}"))
    scene.ops.protected_checks["Countersign"] = scene.app.id
    pull, _ = judged(scene)
    monkeypatch.setattr(pushed_commits, "MAX_RUNS", 0 if reason == "too many" else 20)
    scene.weather.faults += [("GET", "/compare/", 404), ("POST", "/check-runs$", 422)][: 1 + (reason != "shadow mode")]
    scene.world.merge_pull(pull, scene.ada)
    assert found(scene) == [("not-compared", None, pull.merge_sha)]
    assert runs(scene) == []
    scene.weather.faults.clear()
    if reason == "renamed":
        scene.world.rename(scene.ops, "operators", scene.ada)
        scene.settle()
    with scene.sessions() as session:
        [ids] = commit_findings.ids_of(session, "CANN", scene.ops.name, pull.merge_sha[:10])
        scene.jobs.enqueue(session, Job("pushed-commits", tuple(ids)))
    assert found(scene) == []
    assert runs(scene) == []
