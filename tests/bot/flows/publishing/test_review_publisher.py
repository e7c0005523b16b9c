"""A review shows one check run, one label and one comment, written only when they change."""

from datetime import timedelta
from types import SimpleNamespace

import pytest
from structlog.testing import capture_logs

from agreements.facts import Commit
from bot.demo.github import faults
from bot.demo.github.contributor import ContributorClone
from bot.flows.publishing.review_publisher import IDLE_AFTER, language
from bot.store.leases import LEASE
from bot.store.pulls import paused_items, review_mailbox
from tests.bot.demo.github import github_deeds
from tests.bot.flows.scene import CLA

CLA_THEN_DCO = 'version: 1\nrepositories: [{match: ["*"], require: dco}]\n'
ENGLISH, CHINESE = "Thank you", "感谢您的贡献"
COMMENT = "/repos/{owner}/{repo}/issues/{issue_number}/comments"


def test_a_pull_request_that_passes_from_the_start_gets_no_comment(scene):
    scene.sign(scene.mia)
    pull, _ = scene.pull()
    scene.settle()

    assert (scene.conclusion(pull), scene.comments(pull), scene.labels(pull)) == ("success", [], ["cla-signed"])


def test_a_pull_request_that_could_not_be_judged_gets_no_comment(scene):
    scene.world.write(scene.rules, {".github/countersign.yml": "version: 2\n"})
    pull, _ = scene.pull()
    scene.settle()

    assert (scene.conclusion(pull), scene.comments(pull)) == ("action_required", [])


def test_a_pull_request_idle_for_30_days_gets_no_new_comment(scene):
    pull, _ = scene.pull()
    scene.shift = IDLE_AFTER + timedelta(minutes=1)
    scene.settle()
    assert (scene.conclusion(pull), scene.comments(pull)) == ("failure", [])

    scene.shift = IDLE_AFTER - timedelta(hours=1)
    scene.again(pull)
    assert len(scene.comments(pull)) == 1


def test_our_own_label_does_not_wake_an_idle_pull_request(scene):
    pull, _ = scene.pull()
    pull.updated_at -= IDLE_AFTER + timedelta(days=1)
    scene.settle()
    assert (scene.labels(pull), scene.comments(pull)) == (["cla-required"], [])
    assert scene.clock() - pull.updated_at < timedelta(days=1)  # To GitHub the label was a change.
    for hours in (0, 1, 48):  # As by pushes of the rulebook.
        scene.shift = timedelta(hours=hours)
        scene.again(pull)
    assert scene.comments(pull) == []

    pull.updated_at = scene.clock() + timedelta(minutes=2)  # A person writes something.
    scene.again(pull)
    assert len(scene.comments(pull)) == 1


def test_an_existing_comment_is_edited_on_an_idle_pull_request(scene):
    pull, _ = scene.pull()
    scene.settle()
    before = scene.comments(pull)[0].body
    scene.sign(scene.mia)
    scene.shift = IDLE_AFTER + timedelta(days=1)
    scene.again(pull)

    assert scene.comments(pull)[0].body != before


def test_the_comment_is_edited_in_place_under_one_id(scene):
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


def test_a_deleted_comment_is_written_again_with_the_next_verdict(scene):
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
    pull, _ = scene.pull()
    scene.settle()
    scene.calls()
    scene.again(pull)

    assert scene.writes() == []
    assert scene.recorded(pull)[0] == "failure"


@pytest.mark.parametrize(
    ("choice", "message", "plain", "folded"),
    [
        ("auto", "Fix it", ENGLISH, ""),
        ("auto", "修复流泄漏", CHINESE, ENGLISH),
        ("en", "修复流泄漏", ENGLISH, ""),
        ("zh", "Fix it", CHINESE, ""),
        ("both", "Fix it", ENGLISH, CHINESE),
    ],
)
def test_the_comment_is_in_the_rulebooks_language_or_that_of_the_commits(scene, choice, message, plain, folded):
    scene.world.write(scene.rules, {".github/countersign.yml": CLA + f"comment: {{language: {choice}}}\n"})
    pull, _ = scene.pull(message)
    scene.settle()

    first, _, second = scene.comments(pull)[0].body.partition("<details>")
    assert [word in first for word in (ENGLISH, CHINESE)] == [plain == ENGLISH, plain == CHINESE]
    assert [word in second for word in (ENGLISH, CHINESE)] == [folded == ENGLISH, folded == CHINESE]
    run = next(iter(scene.world.check_runs.values()))
    assert ("签署" in run.output["summary"]) is (CHINESE in (plain, folded))


@pytest.mark.parametrize(
    ("title", "message", "expected"),
    [
        ("Fix", "Fix\n\nSigned-off-by: 张三 <z@example.org>\nReviewed-by: 李四", "en"),
        ("Fix", "Fix\n\nCo-authored-by: 张三 <z@example.org>", "en"),
        ("修复", "Fix", "both-zh"),
        ("Fix", "修复\n\nSigned-off-by: Zhang San <z@example.org>", "both-zh"),
        ("メモリの修正", "Fix", "en"),
        ("", "메모리 누수 修正", "en"),
    ],
)
def test_the_language_follows_what_a_person_wrote_and_not_a_name(title, message, expected):
    written = SimpleNamespace(title=title, commits=(Commit(sha="a" * 40, message=message),))
    assert language("auto", written) == expected


def test_a_renamed_repository_is_written_under_its_new_name(scene):
    pull, _ = scene.pull()
    scene.hear()
    scene.world.rename(scene.ops, "kernels", scene.ada)
    scene.review(pull)

    assert scene.conclusion(pull) == "failure"
    run = next(iter(scene.world.check_runs.values()))
    assert run.details_url == "https://cla.example.org/pr/cann/kernels/1"
    assert run.external_id == f"countersign:{scene.ops.id}:1"


def test_a_branch_name_that_looks_like_an_address_is_not_repeated(scene):
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
def test_a_refused_comment_or_label_leaves_the_verdict_as_it_is(scene, pattern):
    pull, _ = scene.pull()
    scene.weather.faults.append(("POST", pattern, 422))
    scene.settle()

    assert scene.conclusion(pull) == "failure"
    assert scene.row(pull).attempts == 0
    assert scene.jobs.waiting == ()


COURTESIES = [("comment", r"/issues/\d+/comments$", 403), ("label", r"/issues/\d+/labels$", 422), ("comment", r"/issues/\d+/comments$", 410)]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("item", "pattern", "status"), COURTESIES)
def test_a_refused_comment_or_label_is_tried_again_after_an_hour_or_a_push(scene, item, pattern, status):
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


def test_a_refusal_of_one_label_does_not_pause_the_other(scene):
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
        faults.refusal(status, "Unable to create comment because issue is locked.", method="POST", path=pattern, times=github_deeds.FOREVER)
    )  # fmt: skip


def test_a_comment_that_fails_for_now_is_tried_again_beside_the_verdict(scene):
    pull, _ = scene.pull()
    scene.weather.faults.append(("POST", r"/issues/\d+/comments$", 502))
    scene.settle()
    assert scene.conclusion(pull) == "failure"
    assert scene.row(pull).attempts == 1

    scene.weather.faults.clear()
    scene.settle(delayed=True)
    assert scene.row(pull).attempts == 0
    assert len(scene.comments(pull)) == 1


def test_an_overtaken_run_that_could_not_comment_causes_one_more_review(scene):
    pull, _ = scene.pull()
    scene.hear()
    pull_id = scene.row(pull).id

    def meanwhile():
        scene.shift = LEASE + timedelta(seconds=5)
        with scene.sessions() as session:
            review_mailbox.enqueue_review(session, scene.jobs, pull_id, queue="now")
        scene.review(pull, "another")
        scene.weather.faults.append(("POST", r"/issues/\d+/comments$", 502))

    scene.weather.before.append(("POST", r"/issues/\d+/comments$", meanwhile))
    scene.review(pull, "old")
    row = scene.row(pull)
    assert (row.attempts, row.evaluated < row.latest) == (0, True), (
        "no failure of the newest run, and one more review waits"
    )

    scene.weather.faults.clear()
    scene.settle(delayed=True)
    assert scene.conclusion(pull) == "failure"
    assert len(scene.comments(pull)) == 1
