"""What is shown on a pull request: one label of the pair, one comment, written only when something changes."""

from datetime import timedelta

import pytest
from structlog.testing import capture_logs

from bot.demo.github import faults
from bot.demo.github.contributor import ContributorClone
from bot.flows.journey import LEASE
from bot.flows.publish import IDLE_AFTER
from bot.flows.review import review
from bot.store.pulls import paused_items, posts, review_mailbox
from bot.store.pulls.posts import PullRequestIdentity
from tests.bot.flows.scene import CLA

CLA_THEN_DCO = 'version: 1\nrepositories: [{match: ["*"], require: dco}]\n'
COMMENT = "/repos/{owner}/{repo}/issues/{issue_number}/comments"


def labelled(scene):
    """Calls since the last time that touch labels."""
    return [call for call in scene.writes() if "labels" in call[1]]


def test_never_two_labels(scene):
    """The other one of the pair goes before ours comes, whoever put it there."""
    pull, _ = scene.pull()
    scene.world.add_labels(pull, ["CLA-Signed", "bug"], scene.ada)
    states = []
    for pattern in ("/labels/", "/labels$"):
        scene.weather.before.append(("*", rf"/issues/\d+{pattern}", lambda: states.append(scene.labels(pull))))
    scene.settle()

    assert states == [["CLA-Signed", "bug"], ["bug"]]
    assert scene.labels(pull) == ["bug", "cla-required"]


def test_labels_are_written_only_when_they_must_change(scene):
    """The right label in any case stays; one that exists in the repository is not made again."""
    scene.pull()
    scene.settle()
    made = scene.world.repositories[scene.ops.id].labels["cla-required"]
    assert (made.color, made.description) == ("9a6700", "A contributor agreement is still needed")
    assert len(labelled(scene)) == 2

    second, _ = scene.pull(branch="second")
    scene.settle()
    assert scene.labels(second) == ["cla-required"]
    assert len(labelled(scene)) == 1

    scene.again(second)
    assert labelled(scene) == []


LABELS = 'labels: {signed: "CLA: yes", required: "CLA: no"}\n'


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        (CLA, ["cla-required"]),
        (CLA + "broken: 1\n", []),
        (CLA_THEN_DCO, []),
        (CLA + 'labels: {signed: "CLA: no", required: todo}\n', ["todo"]),
    ],
)
def test_the_label_that_we_put_goes_when_the_rules_name_another(staged, after, expected):
    """Also when the new rules don't know the old label any more; what people put stays."""
    scene = staged(rulebook=CLA + LABELS)
    pull, _ = scene.pull()
    scene.settle()
    scene.world.add_labels(pull, ["bug"], scene.ada)
    assert scene.labels(pull) == ["CLA: no", "bug"]

    scene.world.write(scene.rules, {".github/countersign.yml": after})
    scene.again(pull)

    assert scene.labels(pull) == sorted(["bug", *expected])
    assert scene.row(pull).label == "".join(expected)


def test_a_label_in_another_case_is_ours(scene):
    """GitHub tells labels apart by their letters alone."""
    scene.world.label_of(scene.ops, "CLA-Required")
    pull, _ = scene.pull()
    scene.world.add_labels(pull, ["CLA-Required"], scene.ada)
    scene.settle()

    assert scene.labels(pull) == ["CLA-Required"]
    assert labelled(scene) == []


def test_somebody_takes_the_label_off(scene):
    """It comes back: the label says what the check says."""
    pull, _ = scene.pull()
    scene.settle()
    scene.world.remove_label(pull, "cla-required", scene.ada)
    scene.settle()

    assert scene.labels(pull) == ["cla-required"]


def test_the_pair_goes_when_no_cla_is_judged(scene):
    """The rulebook asks for a DCO now: no label of the pair is left."""
    pull, _ = scene.pull()
    scene.settle()
    scene.world.write(scene.rules, {".github/countersign.yml": CLA_THEN_DCO})
    scene.again(pull)

    assert scene.labels(pull) == []
    assert scene.conclusion(pull) == "failure"


def test_no_comment_when_there_is_nothing_to_do(scene):
    """A pull request that passes from the start is not talked to."""
    scene.sign(scene.mia)
    pull, _ = scene.pull()
    scene.settle()

    assert (scene.conclusion(pull), scene.comments(pull), scene.labels(pull)) == ("success", [], ["cla-signed"])


def test_no_comment_when_it_could_not_be_judged(scene):
    """The contributor can do nothing about it."""
    scene.world.write(scene.rules, {".github/countersign.yml": "version: 2\n"})
    pull, _ = scene.pull()
    scene.settle()

    assert (scene.conclusion(pull), scene.comments(pull)) == ("action_required", [])


def test_no_new_comment_where_nobody_waits(scene):
    """Untouched for 30 days: the check is shown, nobody is called back; an hour less and there is a comment."""
    pull, _ = scene.pull()
    scene.shift = IDLE_AFTER + timedelta(minutes=1)
    scene.settle()
    assert (scene.conclusion(pull), scene.comments(pull)) == ("failure", [])

    scene.shift = IDLE_AFTER - timedelta(hours=1)
    scene.again(pull)
    assert len(scene.comments(pull)) == 1


def test_an_old_comment_is_still_kept_true(scene):
    """A comment that is there is edited however long nobody touched the pull request."""
    pull, _ = scene.pull()
    scene.settle()
    before = scene.comments(pull)[0].body
    scene.sign(scene.mia)
    scene.shift = IDLE_AFTER + timedelta(days=1)
    scene.again(pull)

    assert scene.comments(pull)[0].body != before


def test_the_comment_is_edited_in_place(scene):
    """One comment under one id, with our marker, whatever happens."""
    pull, _ = scene.pull()
    scene.settle()
    (first,) = scene.comments(pull)
    scene.sign(scene.mia)
    scene.writes()
    scene.again(pull)

    (second,) = scene.comments(pull)
    assert second is first
    assert second.body.startswith(f"<!-- countersign:{scene.ops.id}:1 -->\n")
    assert ("POST", COMMENT) not in scene.writes()


def test_a_deleted_comment_is_written_again_when_it_must_change(scene):
    """Somebody deleted ours: an unchanged verdict leaves it so, the next one is said in a new comment."""
    pull, _ = scene.pull()
    scene.settle()
    pull.comments.clear()
    scene.again(pull)
    assert scene.comments(pull) == []

    scene.sign(scene.mia)
    scene.again(pull)
    assert len(scene.comments(pull)) == 1
    scene.again(pull)
    assert len(scene.comments(pull)) == 1


def test_an_unchanged_verdict_writes_nothing(scene):
    """Looked at, judged, and GitHub left alone."""
    pull, _ = scene.pull()
    scene.settle()
    scene.calls()
    scene.again(pull)

    assert scene.writes() == []
    assert scene.recorded(pull)[0] == "failure"


@pytest.mark.parametrize(
    ("choice", "message", "english", "chinese"),
    [
        ("auto", "Fix it", True, False),
        ("auto", "修复流泄漏", True, True),
        ("en", "修复流泄漏", True, False),
        ("zh", "Fix it", False, True),
        ("both", "Fix it", True, True),
    ],
)
def test_the_language(scene, choice, message, english, chinese):
    """`auto` is English, and both where the commits are written in Chinese."""
    scene.world.write(scene.rules, {".github/countersign.yml": CLA + f"comment: {{language: {choice}}}\n"})
    pull, _ = scene.pull(message)
    scene.settle()

    body = scene.comments(pull)[0].body
    assert ("Thank you" in body, "感谢您的贡献" in body) == (english, chinese)
    run = next(iter(scene.world.check_runs.values()))
    assert ("签署" in run.output["summary"]) is chinese


DOWN = ("*", r"/graphql|/pulls/", 502)
NOT_SHOWN = [("POST", "/graphql", 502), ("GET", r"/pulls/1$", 451)]


def test_a_head_that_could_not_be_judged_yet_has_a_run(scene):
    """GitHub fails before the first run is made: one is in progress and says why, then it needs action, then it is judged."""
    pull, _ = scene.pull()
    scene.weather.faults += NOT_SHOWN
    scene.settle()
    (run,) = scene.world.check_runs.values()
    assert (run.status, run.output["title"], run.actions) == ("in_progress", "Checking / 正在检查", [])
    assert "`GitHub answered 451 to GET /repos/…/…/pulls/…`" in run.output["summary"]
    assert scene.row(pull).attempts == 1

    scene.one_delayed()
    assert (run.conclusion, scene.row(pull).attempts) == ("action_required", 2)
    scene.writes()
    scene.one_delayed()
    assert [call for call in scene.writes() if call[0] in {"POST", "PATCH"}] == []

    scene.weather.faults.clear()
    scene.settle(delayed=True)
    assert scene.conclusion(pull) == "failure"


def test_a_failure_to_say_so_changes_nothing(scene):
    """GitHub answers nothing at all: it is tried again all the same."""
    pull, _ = scene.pull()
    scene.settle()
    scene.weather.faults.append(("*", "/", 502))
    scene.again(pull)
    assert scene.row(pull).attempts == 1
    assert len(scene.jobs.waiting) == 1


def test_a_pull_request_that_only_a_sweep_knows_is_not_silent(scene):
    """Its head is asked of GitHub; the visitor of its page learns that the repository is public."""
    pull, _ = scene.pull()
    scene.hear(drop=("pull_request", "push"))
    scene.weather.faults.append(("*", r"/graphql|/pulls/\d+/commits", 502))
    with scene.sessions() as session:
        posts.post(session, scene.jobs, PullRequestIdentity.of(scene.place, pull.number, scene.cann.id))
    scene.jobs.run_all()

    assert [(run.status, run.head_sha) for run in scene.world.check_runs.values()] == [("in_progress", pull.head_sha)]
    assert (scene.row(pull).head_sha, scene.row(pull).private) == (pull.head_sha, False)


@pytest.mark.parametrize("what", ["closed", "gone", "not served", "shadow"])
def test_where_no_run_belongs_a_doubt_makes_none(staged, what):
    """A closed pull request, one that is gone, an account that is not served, and shadow mode."""
    rulebook = CLA.replace("require: cla", "require: cla, mode: shadow") if what == "shadow" else CLA
    scene = staged(rulebook=rulebook, accounts=("other",) if what == "not served" else ("cann",))
    if what == "not served":
        scene.world.organization("other", admins=[scene.ada])
    pull, _ = scene.pull()
    scene.hear(drop=("pull_request", "push"))
    if what == "closed":
        scene.world.close_pull(pull, scene.mia)
        scene.hear(drop=("pull_request", "push"))
    scene.weather.faults.append(("*", r"/graphql|/pulls/\d+/commits", 502))
    if what == "gone":
        scene.world.delete(scene.ops)
    with scene.sessions() as session:
        posts.post(session, scene.jobs, PullRequestIdentity.of(scene.place, pull.number, scene.cann.id))
    scene.jobs.run_all()

    assert scene.row(pull).attempts == 1
    assert list(scene.world.check_runs.values()) == []


def test_after_it_could_not_be_judged_the_verdict_comes_back(scene):
    """The same verdict as before the failure is written again: the run had said something else meanwhile."""
    pull, _ = scene.pull()
    scene.settle()
    before = scene.runs(pull)
    scene.weather.faults.append(DOWN)
    scene.again(pull)
    assert scene.conclusion(pull) == "action_required"

    scene.weather.faults.clear()
    scene.settle(delayed=True)
    assert scene.runs(pull) == before


def test_a_renamed_repository_is_written_under_its_new_name(scene):
    """Between the event and the review: the look says where the repository is now."""
    pull, _ = scene.pull()
    scene.hear()
    scene.world.rename(scene.ops, "kernels", scene.ada)
    review(scene.row(pull).id, "job", scene.services)

    assert scene.conclusion(pull) == "failure"
    run = next(iter(scene.world.check_runs.values()))
    assert run.details_url == "https://cla.example.org/pr/cann/kernels/1"
    assert run.external_id == f"countersign:{scene.ops.id}:1"


def test_a_branch_that_holds_an_address_is_not_repeated(scene):
    """Nothing that looks like somebody's address is in our texts; a mask would make it another branch."""
    scene.world.write(scene.rules, {".github/countersign.yml": CLA_THEN_DCO})
    clone = ContributorClone(scene.world, scene.ops, scene.ada, scene.folder / "base")
    clone.branch("ada@cann.example", start="origin/main")
    clone.push()
    scene.push()
    fork = next(repo for repo in scene.world.repositories.values() if repo.owner is scene.mia)
    pull = scene.world.open_pull(scene.ops, scene.mia, "topic", source=fork, base_branch="ada@cann.example")
    scene.settle()

    run = next(run for run in scene.world.check_runs.values() if run.head_sha == pull.head_sha)
    assert "--signoff" in run.output["summary"]
    assert "ada@cann.example" not in str(run.output) + scene.comments(pull)[0].body


@pytest.mark.parametrize("pattern", [r"/issues/\d+/labels$", r"/issues/\d+/comments$"])
def test_a_refused_courtesy_leaves_the_check_as_it_is(scene, pattern):
    """A locked conversation takes no comment: the verdict stands, and it is not tried for ever."""
    pull, _ = scene.pull()
    scene.weather.faults.append(("POST", pattern, 422))
    scene.settle()

    assert scene.conclusion(pull) == "failure"
    assert scene.row(pull).attempts == 0
    assert scene.jobs.waiting == ()


COURTESIES = [("comment", r"/issues/\d+/comments$", 403), ("label", r"/issues/\d+/labels$", 422), ("comment", r"/issues/\d+/comments$", 410)]  # fmt: skip


@pytest.mark.parametrize(("item", "pattern", "status"), COURTESIES)
def test_a_refused_courtesy_is_not_asked_for_again_at_once(scene, item, pattern, status):
    """Logged once; on another head, after an hour, or when somebody asks for it, GitHub may take it."""
    pull, clone = scene.pull()
    refuse(scene, pattern, status)
    asked = scene.world.faults.happened
    with capture_logs() as lines:
        scene.settle()
        for _ in range(5):
            scene.again(pull)
    assert len(asked) == 1
    assert [line["item"] for line in lines if line["event"] == "publish.refused"] == [item]

    clone.commit("More", files={"more.txt": "1"})
    clone.push()
    scene.settle()
    assert len(asked) == 2
    scene.shift += paused_items.REFUSAL_PAUSE
    scene.again(pull)
    assert len(asked) == 3
    scene.world.comment(pull, scene.mia, "/cla-check")
    scene.settle()
    assert len(asked) == 4

    scene.world.faults.clear()
    scene.shift += paused_items.REFUSAL_PAUSE
    scene.again(pull)
    assert (scene.labels(pull), len(scene.comments(pull))) == (["cla-required"], 1)


def test_the_other_label_is_not_refused_with_the_first(scene):
    """GitHub took none for "required"; once it is signed, the other is asked for at once."""
    pull, _ = scene.pull()
    refuse(scene, r"/issues/\d+/labels$", 422)
    scene.settle()
    scene.world.faults.clear()
    scene.again(pull)
    assert scene.labels(pull) == []

    scene.sign(scene.mia)
    scene.again(pull)
    assert scene.labels(pull) == ["cla-signed"]


def refuse(scene, pattern, status):
    """As GitHub refuses it, each time."""
    scene.world.faults.add(
        faults.refusal(status, "Unable to create comment because issue is locked.", method="POST", path=pattern, times=faults.FOREVER)
    )  # fmt: skip


def test_a_courtesy_that_fails_for_now_is_tried_again_beside_the_verdict(scene):
    """GitHub is away for comments only: the check keeps its verdict all the while."""
    pull, _ = scene.pull()
    scene.weather.faults.append(("POST", r"/issues/\d+/comments$", 502))
    scene.settle()
    assert scene.conclusion(pull) == "failure"
    assert scene.row(pull).attempts == 1

    scene.weather.faults.clear()
    scene.settle(delayed=True)
    assert scene.row(pull).attempts == 0
    assert len(scene.comments(pull)) == 1


def test_shadow_mode_says_nothing_of_failures_either(staged):
    """Judged once, then put into the shadow: what was shown stays as it was while GitHub is away."""
    scene = staged(rulebook=CLA)
    scene.sign(scene.mia)
    pull, _ = scene.pull()
    scene.settle()
    scene.world.write(
        scene.rules, {".github/countersign.yml": CLA.replace("require: cla", "require: cla, mode: shadow")}
    )
    scene.again(pull)
    scene.writes()
    scene.weather.faults.append(("*", "/graphql|/pulls", 502))
    scene.again(pull)

    assert scene.row(pull).attempts == 1
    assert scene.writes() == []
    assert scene.conclusion(pull) == "success"


def test_overtaken_while_a_courtesy_fails(scene):
    """The old run could not write its comment and is not the newest any more: all is written anew once more."""
    pull, _ = scene.pull()
    scene.hear()
    pull_id = scene.row(pull).id

    def meanwhile():
        scene.shift = LEASE + timedelta(seconds=5)
        with scene.sessions() as session:
            review_mailbox.enqueue_review(session, scene.jobs, pull_id, queue="now")
        review(pull_id, "another", scene.services)
        scene.weather.faults.append(("POST", r"/issues/\d+/comments$", 502))

    scene.weather.before.append(("POST", r"/issues/\d+/comments$", meanwhile))
    review(pull_id, "old", scene.services)
    row = scene.row(pull)
    assert (row.attempts, row.evaluated < row.latest) == (0, True), (
        "no failure of the newest run, and one more review waits"
    )

    scene.weather.faults.clear()
    scene.settle(delayed=True)
    assert scene.conclusion(pull) == "failure"
    assert len(scene.comments(pull)) == 1
