"""An organization without a `.github` repository is judged by other files or the default, if GitHub proves it."""

from datetime import timedelta

import pytest

from bot.store.pulls.review_mailbox import REVIEWS
from tests.bot.demo.github import github_deeds

SIGNED = "Fix it\n\nSigned-off-by: Mia <mia@home.example>"
DCO = {".github/dco.yml": "allowRemediationCommits:\n  individual: true\n"}
LISTS = ("GET", "/installation/repositories")
LOOKS = ("POST", "/graphql")


def said(scene, pull):
    """The summary of the only run on the head."""
    (run,) = [run for run in scene.world.check_runs.values() if run.head_sha == pull.head_sha]
    return run.output["summary"]


def rules(scene, files=None, **more):
    """An organisation's `.github`, with a first commit of these files."""
    return scene.world.repository(scene.cann, ".github", files=files, **more)


CLA = {".github/countersign.yml": 'version: 1\nrepositories: [{match: ["*"], require: cla}]\n'}


def remedied(scene):
    """A pull request whose first commit is signed off by a later one."""
    pull, clone = scene.pull()
    words = f"I, Mia <mia@home.example>, hereby add my Signed-off-by to this commit: {clone.head}"
    clone.commit(f"Sign off\n\n{words}", sign_off=True)
    clone.push()
    return pull


def test_the_dco_file_of_the_replaced_app_is_in_force(staged):
    scene = staged(rulebook=None)
    scene.world.write(scene.ops, DCO)
    pull = remedied(scene)
    scene.settle()

    assert scene.recorded(pull) == ("success", ["dco/remediated", "dco/signed"])
    assert scene.conclusion(pull) == "success"


def test_a_repository_without_any_file_requires_a_sign_off(staged):
    scene = staged(rulebook=None)
    red = remedied(scene)
    green, _ = scene.pull(SIGNED, branch="green")
    scene.settle()

    assert scene.recorded(red) == ("failure", ["dco/missing", "dco/signed"])
    assert scene.recorded(green) == ("success", ["dco/signed"])


def test_the_list_of_repositories_is_asked_for_once_in_five_minutes(staged):
    scene = staged(rulebook=None)
    scene.pull(SIGNED, branch="one")
    scene.pull(SIGNED, branch="two")
    scene.calls()
    scene.settle()

    calls = scene.calls()
    assert (calls.count(LOOKS), calls.count(LISTS)) == (2, 1)


@pytest.mark.parametrize("private", [False, True])
def test_a_rulebook_that_is_created_later_is_in_force_at_once(staged, private):
    scene = staged(rulebook=None)
    pull, _ = scene.pull(SIGNED)
    scene.settle()
    assert scene.conclusion(pull) == "success"

    rules(scene, CLA, private=private)
    scene.settle()
    assert scene.recorded(pull) == ("failure", ["cla/unsigned"])


@pytest.mark.slow
def test_a_deleted_or_renamed_rulebook_repository_is_no_longer_in_force(staged):
    scene = staged()
    pull, _ = scene.pull(SIGNED)
    scene.settle()
    assert scene.recorded(pull) == ("failure", ["cla/unsigned"])

    scene.world.rename(scene.rules, "old-rules", scene.ada)
    scene.settle()
    assert scene.recorded(pull) == ("success", ["dco/signed"])

    scene.world.rename(scene.rules, ".github", scene.ada)
    scene.settle()
    assert scene.recorded(pull) == ("failure", ["cla/unsigned"])

    scene.world.delete(scene.rules)
    scene.settle()
    assert scene.recorded(pull) == ("success", ["dco/signed"])


@pytest.fixture(name="chosen")
def _chosen(staged):
    """The App on cann/ops alone, no `.github`: a signed-off pull request, judged."""
    scene = staged(rulebook=None, chosen=True)
    scene.judged, _ = scene.pull(SIGNED)
    scene.settle()
    return scene


def test_with_selected_repositories_a_missing_rulebook_needs_action(chosen):
    assert chosen.recorded(chosen.judged) == ("action_required", ["rulebook/unreachable"])
    summary = said(chosen, chosen.judged)
    assert "selected repositories" in summary
    assert "`cann/.github`" in summary
    assert "it is either not selected or does not exist" in summary
    assert "If it does not exist, create it" in summary
    assert "create it" in summary


def test_with_selected_repositories_a_review_costs_one_read_more(chosen):
    for number in range(101):
        more = chosen.world.repository(chosen.cann, f"r{number}", files={})
        chosen.installation.repositories.add(more.id)
    chosen.calls()
    chosen.again(chosen.judged)

    calls = chosen.calls()
    assert (calls.count(LOOKS), calls.count(LISTS)) == (1, 1)


def settle_soon(scene):
    """What is told now is done within a minute: the look that a pull request in doubt waits for."""
    scene.hear()
    scene.jobs.run_all()
    assert all(job.delay <= timedelta(minutes=1) for job in scene.jobs.waiting)
    scene.settle(delayed=True)


@pytest.mark.parametrize("private", [False, True])
def test_selecting_the_rulebook_repository_turns_the_check_green(chosen, private):
    made = rules(chosen, private=private)
    chosen.world.choose(chosen.installation, chosen.ada, added=[made])
    settle_soon(chosen)

    assert chosen.recorded(chosen.judged) == ("success", ["dco/signed"])
    assert chosen.conclusion(chosen.judged) == "success"


def test_selecting_all_repositories_turns_the_check_green(chosen):
    github_deeds.choose_all(chosen.world, chosen.installation, chosen.ada)
    settle_soon(chosen)

    assert chosen.recorded(chosen.judged) == ("success", ["dco/signed"])


def test_a_private_rulebook_that_is_not_selected_stays_unknown(chosen):
    rules(chosen, CLA, private=True)
    chosen.again(chosen.judged)

    assert chosen.recorded(chosen.judged) == ("action_required", ["rulebook/unreachable"])


def test_a_public_rulebook_that_is_not_selected_is_read_at_the_next_review(chosen):
    other, _ = chosen.pull(SIGNED, branch="other")
    chosen.settle()
    chosen.shift = timedelta(hours=1)
    chosen.settle(delayed=True)
    rules(chosen)
    chosen.settle()
    assert chosen.conclusion(other) == "action_required"

    chosen.again(other)
    assert chosen.conclusion(other) == "success"
    assert chosen.begin(REVIEWS, chosen.row(other).id) is None
    assert chosen.begin(REVIEWS, chosen.row(chosen.judged).id)


def test_a_rulebook_repository_of_another_owner_is_not_read(staged):
    scene = staged(rulebook=None)
    other = scene.world.organization("elsewhere", admins=[scene.ada])
    scene.world.repository(other, ".github", files=CLA)
    pull, _ = scene.pull(SIGNED)
    scene.settle()

    assert scene.recorded(pull) == ("success", ["dco/signed"])


def test_a_persons_repository_without_a_rulebook_requires_a_sign_off(staged):
    scene = staged(rulebook=None, accounts=("cann", "ada"))
    tool = scene.world.repository(scene.ada, "tool")
    scene.world.install(scene.app, scene.ada, scene.ada)
    pull, _ = scene.pull(SIGNED, to=tool)
    scene.settle()

    assert scene.recorded(pull) == ("success", ["dco/signed"])


MEMBERS = {".github/dco.yml": "require:\n  members: false\n"}
COVERED = {
    ".github/countersign.yml": 'version: 1\nrepositories: [{match: ["*"], require: cla}]\npeople: {members: exempt}\n'
}


@pytest.mark.slow
@pytest.mark.parametrize("by_rest", [False, True])
@pytest.mark.parametrize(("files", "unsigned", "codes"), [
    (MEMBERS, "dco/missing", ["dco/member"]), (COVERED, "cla/unsigned", ["cla/member"]),
])  # fmt: skip
def test_the_owner_of_a_persons_repository_counts_as_its_member(staged, files, unsigned, codes, by_rest):
    scene = staged(rulebook=None, accounts=("cann", "ada"))
    tool = scene.world.repository(scene.ada, "tool", files=files)
    scene.world.install(scene.app, scene.ada, scene.ada)
    if by_rest:
        scene.weather.faults.append(("POST", "/graphql", 502))
    own, clone = scene.pull(to=tool, who=scene.ada, branch="own")
    scene.world.verified_commits.add(clone.head)
    other, clone = scene.pull(to=tool)
    scene.world.verified_commits.add(clone.head)
    scene.settle()

    assert scene.recorded(own) == ("success", codes)
    assert scene.recorded(other) == ("failure", [unsigned])
    calls = scene.calls()
    assert not [path for _, path in calls if path.startswith("/orgs/")]
    assert (("GET", "/repos/{owner}/{repo}/pulls/{pull_number}/commits") in calls) == by_rest


@pytest.mark.parametrize("status", [502, 500, 403, 404])
def test_while_github_gives_no_list_the_check_needs_action_and_is_retried(staged, status):
    scene = staged(rulebook=None)
    pull, _ = scene.pull(SIGNED)
    scene.weather.faults.append(("GET", "/installation/repositories", status))
    scene.settle()
    assert scene.recorded(pull) == ("action_required", ["rulebook/unreachable"])
    assert "GitHub's answer was incomplete" in said(scene, pull)

    scene.weather.faults.clear()
    assert timedelta(0) < scene.row(pull).due_at - scene.clock() <= timedelta(minutes=1)
    scene.again(pull)
    assert scene.conclusion(pull) == "success"


def test_with_a_rulebook_given_as_a_file_no_list_is_asked_for(staged):
    scene = staged(rulebook=None, chosen=True, organization_file=("r.yml", CLA[".github/countersign.yml"]))
    pull, _ = scene.pull(SIGNED)
    scene.calls()
    scene.settle()

    assert scene.recorded(pull) == ("failure", ["cla/unsigned"])
    assert LISTS not in scene.calls()


def test_the_dco_file_is_in_force_while_graphql_is_down(staged):
    scene = staged(rulebook=None)
    scene.world.write(scene.ops, DCO)
    scene.weather.faults.append(("POST", "/graphql", 502))
    pull = remedied(scene)
    scene.settle()

    assert scene.recorded(pull)[0] == "success"
