"""The licence check of a pull request judges the change, has one run for each head, and never passes in doubt."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from bot.flows import journey, lot
from bot.flows.licenses.head_check import judge_licenses
from bot.github.ports import Files
from bot.store.leases import LEASE
from bot.store.license_checks import LICENSE_CHECKS, Head
from tests.bot.demo.github import github_deeds
from tests.bot.flows.licensed import (
    AUDITED,
    LEFT_PAD,
    PLAIN,
    READLINE,
    Away,
    Cut,
    Dying,
    Killed,
    Listing,
    conclusion,
    locked,
    only_reviewed,
    rewrite,
    run,
    runs,
)
from tests.bot.telemetry.test_metrics import samples

BLOBS = r"/git/(blobs|trees)"


@pytest.fixture(name="scene")
def _scene(staged):
    """An Apache-licensed repository with one dependency, in an organisation that wants licences looked at."""
    scene = staged(rulebook=AUDITED)
    scene.world.write(scene.ops, locked(LEFT_PAD))
    return scene


def judge(scene, sha, *, job="job", **parts):
    """A job judges just that head, with these parts in the place of ours, if it is due."""
    claim = scene.begin(LICENSE_CHECKS, Head(scene.ops.id, sha), job)
    if claim is not None:
        judge_licenses(claim, replace(scene.services, **parts))


def test_an_incompatible_dependency_fails_and_is_named_with_file_and_line(scene):
    pull, _ = scene.pull(files=locked(LEFT_PAD, READLINE))
    scene.settle()
    found = run(scene, pull)

    assert (found.status, found.conclusion, found.output["title"]) == (
        "completed",
        "failure",
        "1 problem with licences",
    )
    assert "**`readline`** `8.2.0` (`GPL-3.0-or-later`, " in found.output["summary"]
    assert re.search(r"Found in .*`package-lock.json:[0-9]+`", found.output["summary"]), found.output["summary"]
    assert "left-pad" not in found.output["text"]
    assert found.external_id == f"countersign:{scene.ops.id}:{pull.number}:licenses"
    assert scene.row(pull).attempts == 0


def seconds_counted():
    """How many verdicts on licences were timed so far."""
    return samples().get(("countersign_verdict_seconds_count", ("kind", "licenses")), 0)


def test_the_time_to_a_verdict_is_counted_once_for_each_head(scene):
    before = seconds_counted()
    pull, _ = scene.pull(files=locked(LEFT_PAD, READLINE))
    scene.settle()
    assert seconds_counted() == before + 1
    waiver = "{purl: 'pkg:npm/readline', until: 2099-01-01, reason: being replaced, by: Ada}"
    rewrite(scene, f"{PLAIN}licenses: {{waivers: [{waiver}]}}\n", pull)
    assert (conclusion(scene, pull), seconds_counted()) == ("success", before + 1)


@pytest.mark.slow
def test_the_end_of_a_waiver_judges_open_pull_requests_again(scene):
    until = (scene.clock() + timedelta(days=2)).date()
    rewrite(
        scene, f"{PLAIN}licenses: {{waivers: [{{purl: 'pkg:npm/readline', until: {until}, reason: r, by: Ada}}]}}\n"
    )
    pulls = [scene.pull(name, branch=name, files=locked(LEFT_PAD, READLINE))[0] for name in ("one", "two")]
    scene.settle()
    scene.world.close_pull(pulls[1], scene.mia)
    scene.advance(timedelta(hours=12))
    assert [conclusion(scene, pull) for pull in pulls] == ["success", "success"]

    scene.advance(timedelta(days=2))
    assert [conclusion(scene, pull) for pull in pulls] == ["failure", "success"]


def test_an_incompatible_dependency_for_development_alone_passes(scene):
    pull, _ = scene.pull(files=locked(LEFT_PAD, READLINE, dev=("readline",)))
    scene.settle()
    found = run(scene, pull)

    assert (found.conclusion, found.output["title"]) == ("success", "Licences are compatible")
    assert "does not affect the work" in found.output["text"]


@pytest.mark.parametrize(("seconds", "conclusions"), [(-1, []), (0, ["failure"])])
def test_a_pull_request_opened_before_since_is_not_judged(staged, seconds, conclusions):
    scene = staged(rulebook=f"{AUDITED}since: 2025-06-01\n")
    scene.world.write(scene.ops, locked(LEFT_PAD))
    pull, _ = scene.pull(files=locked(LEFT_PAD, READLINE))
    pull.created_at = datetime(2025, 6, 1, tzinfo=UTC) + timedelta(seconds=seconds)
    scene.settle()

    assert [check_run.conclusion for check_run in runs(scene, pull)] == conclusions


def test_a_change_of_no_relevant_file_reads_no_tree_and_makes_no_run(scene):
    pull, _ = scene.pull(files={"logo.png": "x", "tests/a.py": "import os\n"})
    scene.settle()

    assert (runs(scene, pull), [call for call in scene.calls() if "/git/trees" in call[1]]) == ([], [])


def test_a_new_source_file_without_its_header_fails_with_the_command_to_add_it(staged):
    scene = staged(rulebook=PLAIN + "licenses: {headers: {spdx: Apache-2.0}}\n")
    scene.world.write(scene.ops, {**locked(LEFT_PAD), "src/old.py": "old\n"})
    good = "# SPDX-License-Identifier: Apache-2.0\n"
    pull, _ = scene.pull(files={"src/a.py": "import os\n", "src/b.py": good, "src/old.py": "new\n"})
    scene.settle()
    found = run(scene, pull)

    assert (found.conclusion, found.output["title"]) == ("failure", "1 problem with licences")
    assert (
        "`src/a.py`: `lacks SPDX-License-Identifier: Apache-2.0`. To add it, run `countersign license headers"
        in found.output["summary"]
    )
    assert "src/b.py" not in found.output["summary"] + found.output.get("text", "")
    assert "src/old.py" not in found.output["summary"] + found.output.get("text", "")


@pytest.mark.parametrize("rulebook", [PLAIN, AUDITED.replace("none}", "none, mode: shadow}")])
def test_nothing_is_written_without_a_part_on_licenses_or_in_shadow_mode(staged, rulebook):
    scene = staged(rulebook=rulebook)
    pull, _ = scene.pull(files=locked(READLINE))
    scene.settle()

    assert runs(scene, pull) == []


def test_a_violation_that_the_base_has_already_does_not_fail_the_change(scene):
    scene.world.write(scene.ops, locked(LEFT_PAD, READLINE))
    pull, _ = scene.pull(files=locked({"left-pad": ("1.4.0", "MIT")}, {"readline": ("8.3.0", "GPL-3.0-or-later")}))
    scene.settle()
    found = run(scene, pull)

    assert found.conclusion == "success"
    before = found.output["text"].partition("### Already not allowed")[2]
    assert "`readline`" in before
    assert "`left-pad`" not in before


def test_the_base_is_the_commit_from_which_the_branch_forked(scene):
    clone, fork = scene.push(files={"docs/a.md": "x"})
    scene.world.write(scene.ops, locked(LEFT_PAD, READLINE))
    clone.commit("Add", files=locked(LEFT_PAD, {"other": ("1.0.0", "MIT")}))
    clone.push()
    pull = scene.world.open_pull(scene.ops, scene.mia, "topic", source=fork)
    scene.settle()

    assert conclusion(scene, pull) == "success"
    assert "readline" not in run(scene, pull).output["text"]


def test_a_removed_license_file_has_all_dependencies_judged_again(scene):
    scene.world.write(scene.ops, {"LICENSE": "", **locked(LEFT_PAD, READLINE, own="GPL-3.0-or-later")})
    pull, _ = scene.pull(files=locked(LEFT_PAD, READLINE))
    scene.settle()

    assert conclusion(scene, pull) == "failure"
    assert "changes from `GPL-3.0-or-later` to `Apache-2.0`" in run(scene, pull).output["summary"]


def test_a_broken_lock_file_needs_action_and_is_not_tried_again(scene):
    pull, _ = scene.pull(files={"package-lock.json": '{"lockfileVersion": 3,'})
    scene.settle()
    found = run(scene, pull)

    assert (found.conclusion, found.output["title"]) == ("action_required", "Licences could not be checked yet")
    assert "`package-lock.json" in found.output["summary"]
    assert [job for job in scene.jobs.waiting if job.name == "licenses"] == []


def test_the_run_is_in_chinese_if_the_rulebook_says_so(staged):
    scene = staged(rulebook=AUDITED + "comment: {language: zh}\n")
    scene.world.write(scene.ops, locked())
    pull, _ = scene.pull(files=locked(READLINE))
    scene.settle()

    assert run(scene, pull).output["title"] == "1 个许可证问题"


def test_a_slow_check_is_shown_as_in_progress(scene, monkeypatch):
    monkeypatch.setattr(journey, "SLOW_AFTER", timedelta(seconds=0.2))
    pull, _ = scene.pull(files=locked(LEFT_PAD, READLINE))
    seen = []

    def slow():
        scene.wait_for_run(pull, "Countersign / Licenses")
        seen.append(run(scene, pull).status)

    scene.weather.before.append(("GET", "/git/trees", slow))
    scene.settle()

    assert seen == ["in_progress"]
    assert len(runs(scene, pull)) == 1


def test_the_main_check_does_not_wait_for_the_license_check(scene):
    scene.weather.faults.append(("GET", BLOBS, 500))
    pull, _ = scene.pull(files=locked(LEFT_PAD, READLINE))
    scene.settle()
    (main,) = [value for value in scene.world.check_runs.values() if value.name == "Countersign"]

    assert main.conclusion == "neutral"
    assert conclusion(scene, pull) == "action_required"


def test_while_github_is_away_the_run_needs_action_and_is_tried_again(scene):
    scene.weather.faults.append(("*", "/compare/", 502))
    pull, _ = scene.pull(files=locked(LEFT_PAD, READLINE))
    scene.settle()
    assert conclusion(scene, pull) == "action_required"
    assert "We try again automatically" in run(scene, pull).output["summary"]

    scene.weather.faults.clear()
    scene.settle(delayed=True)
    assert conclusion(scene, pull) == "failure"


def test_a_pull_request_that_is_gone_is_tried_until_it_is_known_to_be_closed(scene):
    pull, _ = scene.pull(files=locked(READLINE))
    scene.hear()
    scene.weather.faults.append(("*", "/compare/|/git/|/files", 404))
    scene.jobs.run_all()
    assert conclusion(scene, pull) in (None, "action_required")

    scene.world.close_pull(pull, scene.ada)
    scene.settle()
    scene.settle(delayed=True)
    assert scene.begin(LICENSE_CHECKS, Head(scene.ops.id, pull.head_sha)) is None
    assert conclusion(scene, pull) in (None, "action_required")


def test_each_head_has_a_run_of_its_own(scene):
    pull, clone = scene.pull(files=locked(LEFT_PAD, READLINE))
    old = pull.head_sha

    def push():
        clone.commit("Take it out", files=locked(LEFT_PAD))
        clone.push()

    scene.weather.before.append(("GET", "/git/trees", push))
    scene.settle()

    assert pull.head_sha != old
    assert conclusion(scene, pull, old) in ("failure", None)
    assert conclusion(scene, pull) in ("success", None), "it touches nothing any more"
    assert all(check_run.conclusion != "success" for check_run in runs(scene, pull, old))


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("call", ["create_check", "tree"])
def test_a_job_killed_at_a_write_ends_with_one_run_after_a_restart(scene, call, after):
    pull, _ = scene.pull(files=locked(LEFT_PAD, READLINE))
    only_reviewed(scene)
    with pytest.raises(Killed):
        judge(scene, pull.head_sha, hub=Dying(scene.services.hub, call, after=after))
    assert conclusion(scene, pull) == ("failure" if (call, after) == ("create_check", True) else None)

    judge(scene, pull.head_sha)
    assert conclusion(scene, pull) == "failure"
    assert len(runs(scene, pull)) == 1


@pytest.mark.slow
def test_an_overtaken_job_writes_nothing_and_its_successor_writes_all_anew(scene):
    pull, _ = scene.pull(files=locked(LEFT_PAD, READLINE))
    only_reviewed(scene)

    def later():
        scene.shift += 2 * LEASE
        lot.repair(scene.services)
        judge(scene, pull.head_sha, job="other")

    scene.weather.before.append(("GET", "/git/trees", later))
    judge(scene, pull.head_sha)
    scene.writes()
    assert conclusion(scene, pull) == "failure"

    scene.settle()
    assert [call for call in scene.writes() if "check-runs" in call[1]] != []
    assert (conclusion(scene, pull), len(runs(scene, pull))) == ("failure", 1)


def test_a_review_without_a_change_reads_no_tree_and_writes_nothing(scene):
    pull, _ = scene.pull(files=locked(LEFT_PAD, READLINE))
    scene.settle()
    scene.calls()
    scene.again(pull)
    assert [call for call in scene.calls() if "/git/" in call[1] or "check-runs" in call[1]] == []


def test_only_a_change_of_the_rules_on_licenses_judges_anew(scene):
    pull, _ = scene.pull(files=locked(LEFT_PAD, READLINE))
    scene.settle()
    scene.calls()
    rewrite(scene, AUDITED + "labels: {signed: ok, required: todo}\n", pull)
    assert [call for call in scene.calls() if "/git/" in call[1]] == []

    waived = PLAIN + (
        "licenses:\n  waivers:\n    - {purl: 'pkg:npm/readline', until: 2099-01-01, reason: being replaced, by: Ada}\n"
    )
    rewrite(scene, waived, pull)
    assert conclusion(scene, pull) == "success"
    assert "Waived in the rulebook until 2099-01-01." in run(scene, pull).output["text"]


@pytest.mark.slow
def test_a_waiver_is_over_from_its_last_day_on(scene):
    last = (scene.clock() + timedelta(days=2)).date()
    waiver = f"{{purl: 'pkg:npm/readline', until: {last}, reason: being replaced, by: Ada}}"
    pull, _ = scene.pull(files=locked(LEFT_PAD, READLINE))
    scene.settle()
    rewrite(scene, f"{PLAIN}licenses: {{waivers: [{waiver}]}}\n", pull)
    assert conclusion(scene, pull) == "success"

    scene.shift += timedelta(days=2)
    scene.world.comment(pull, scene.mia, "/cla-check")
    other, _ = scene.pull(files=locked(LEFT_PAD, READLINE, {"b": ("1.0.0", "MIT")}), branch="other")
    scene.settle()
    assert (conclusion(scene, pull), conclusion(scene, other)) == ("failure", "failure")
    text = run(scene, pull).output["text"]
    assert ("waiver/expired" in text, "Ada" in text) == (True, False)


@pytest.mark.slow
def test_the_run_is_neutral_while_the_part_on_licenses_is_away(scene):
    pull, _ = scene.pull(files=locked(LEFT_PAD, READLINE))
    scene.settle()
    rewrite(scene, PLAIN, pull)
    assert conclusion(scene, pull) == "neutral"

    rewrite(scene, AUDITED, pull)
    assert conclusion(scene, pull) == "failure"
    assert len(runs(scene, pull)) == 1


@pytest.mark.slow
def test_a_broken_rulebook_turns_a_pass_into_needs_action(scene):
    pull, _ = scene.pull(files=locked(LEFT_PAD, {"b": ("1.0.0", "MIT")}))
    scene.settle()
    assert conclusion(scene, pull) == "success"
    rewrite(scene, AUDITED + "brokn: 1\n", pull)
    assert conclusion(scene, pull) == "action_required"
    assert "brokn" in run(scene, pull).output["summary"]

    other, _ = scene.pull(files=locked(LEFT_PAD, READLINE), branch="other")
    scene.settle()
    assert runs(scene, other) == []
    rewrite(scene, AUDITED, pull, other)
    assert (conclusion(scene, pull), conclusion(scene, other)) == ("success", "failure")


@pytest.mark.slow
def test_another_base_branch_has_the_change_judged_anew(scene):
    clone, _ = scene.push(who=scene.ada, branch="next", files=locked(LEFT_PAD, READLINE))
    clone.branch("topic", start="next")
    clone.commit("Add one", files=locked(LEFT_PAD, READLINE, {"other": ("1.0.0", "MIT")}))
    clone.push()
    pull = scene.world.open_pull(scene.ops, scene.ada, "topic")
    scene.settle()
    assert conclusion(scene, pull) == "failure"

    scene.world.edit_pull(pull, scene.ada, base="next")
    scene.settle()
    assert (conclusion(scene, pull), len(runs(scene, pull))) == ("success", 1)


@pytest.mark.parametrize("suite", [False, True])
def test_the_rerun_button_writes_the_run_anew(scene, suite):
    pull, _ = scene.pull(files=locked(LEFT_PAD, READLINE))
    scene.settle()
    scene.calls()
    again = github_deeds.rerequest_suite if suite else type(scene.world).rerequest
    again(scene.world, run(scene, pull), scene.ada)
    scene.settle()

    assert len([call for call in scene.writes() if call[0] == "PATCH"]) == (2 if suite else 1)
    assert conclusion(scene, pull) == "failure"


def test_the_check_command_judges_the_licenses_again(scene):
    pull, _ = scene.pull(files=locked(LEFT_PAD, READLINE))
    scene.settle()
    scene.calls()
    scene.world.comment(pull, scene.mia, "/cla-check")
    scene.settle()

    assert [call for call in scene.calls() if "/git/trees" in call[1]] != []


def test_a_change_of_more_files_than_github_lists_is_judged(scene):
    pull, _ = scene.pull(files={"README.md": "x", **{f"docs/{number}.md": "x" for number in range(4)}})
    hub = Listing(scene.services.hub, Files(("README.md",), complete=False))
    only_reviewed(scene)
    judge(scene, pull.head_sha, hub=hub)

    assert conclusion(scene, pull) == "success"
    assert "No dependency changes." in run(scene, pull).output["summary"]


def test_a_tree_that_github_cut_short_needs_action(scene):
    pull, _ = scene.pull(files=locked(LEFT_PAD, READLINE, dev=("readline",)))

    only_reviewed(scene)
    judge(scene, pull.head_sha, hub=Cut(scene.services.hub))

    assert conclusion(scene, pull) == "action_required"
    assert "tree/cut-short" in run(scene, pull).output["summary"]


@pytest.mark.slow
def test_two_pull_requests_with_one_head_share_one_run(scene):
    clone, _ = scene.push(who=scene.ada, branch="next", files=locked(LEFT_PAD, READLINE))
    clone.branch("topic", start="next")
    clone.commit("Add one", files=locked(LEFT_PAD, READLINE, {"other": ("1.0.0", "MIT")}))
    clone.push()
    good = scene.world.open_pull(scene.ops, scene.ada, "topic", base_branch="next")
    scene.settle()
    assert conclusion(scene, good) == "success"

    bad = scene.world.open_pull(scene.ops, scene.ada, "topic")
    scene.settle()
    assert bad.head_sha == good.head_sha
    found = run(scene, good)
    assert found.conclusion == "failure"
    assert f"## Pull request #{good.number} into `next`" in found.output["summary"]
    assert f"## Pull request #{bad.number} into `main`" in found.output["summary"]

    scene.world.close_pull(bad, scene.ada)
    scene.settle(delayed=True)
    assert conclusion(scene, good) == "success"
    assert "## Pull request" not in run(scene, good).output["summary"]


def test_nothing_is_written_for_an_account_that_is_not_served(scene):
    pull, _ = scene.pull(files=locked(LEFT_PAD, READLINE))
    only_reviewed(scene)
    judge(scene, pull.head_sha, served=frozenset())

    assert runs(scene, pull) == []


def test_while_a_registry_is_away_an_unknown_license_gives_no_verdict(scene):
    pull, _ = scene.pull(files=locked(LEFT_PAD, {"mystery": ("1.0.0", "")}))
    only_reviewed(scene)
    judge(scene, pull.head_sha, learner=Away)

    assert conclusion(scene, pull) == "action_required"
    assert "`registry.npmjs.org is away (1)`" in run(scene, pull).output["summary"]
