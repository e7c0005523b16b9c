"""Pull requests with one head share one check run, which passes only if all of them do."""

from dataclasses import replace

import pytest
from sqlalchemy import delete

from agreements.facts import Conclusion
from bot.demo.github.contributor import ContributorClone
from bot.flows.publishing.review_publisher import blocking_numbers, shared_conclusion
from bot.flows.review import review
from bot.store import sweeps
from bot.store.leases import LEASE
from bot.store.pulls.heads import HeadRow, Sibling
from bot.store.pulls.review_mailbox import REVIEWS
from bot.store.records import PublishedItemRow
from bot.store.retry_policy import MAX_QUICK_RETRIES

PASS, FAIL = Conclusion.SUCCESS, Conclusion.FAILURE
NEUTRAL, UNSURE = Conclusion.NEUTRAL, Conclusion.ACTION_REQUIRED


@pytest.mark.parametrize(
    ("own", "others", "expected"),
    [
        (PASS, [], PASS),
        (PASS, [PASS], PASS),
        (PASS, [NEUTRAL], PASS),
        (NEUTRAL, [NEUTRAL], NEUTRAL),
        (NEUTRAL, [PASS], PASS),
        (PASS, [FAIL], FAIL),
        (FAIL, [PASS], FAIL),
        (PASS, [UNSURE], UNSURE),
        (UNSURE, [FAIL, PASS], FAIL),
        (PASS, [None], None),
        (NEUTRAL, [FAIL, None], None),
        (FAIL, [None], FAIL),
        (UNSURE, [None, PASS], UNSURE),
    ],
)
def test_the_worst_conclusion_counts_for_all_and_an_unknown_one_is_in_progress(own, others, expected):
    siblings = [Sibling(number, conclusion) for number, conclusion in enumerate(others)]
    assert shared_conclusion(own, siblings) == expected


def test_the_blocking_numbers_are_those_that_do_not_pass_yet():
    siblings = [Sibling(1, PASS), Sibling(2, None), Sibling(3, FAIL), Sibling(4, NEUTRAL), Sibling(5, UNSURE)]
    assert blocking_numbers(siblings) == (2, 3, 5)


@pytest.fixture(name="zed")
def _zed(scene):
    """A contributor who has signed."""
    zed = scene.world.user("zed", name="Zed", emails=["zed@home.example"])
    scene.sign(zed)
    return zed


@pytest.fixture(name="second")
def _second(scene, zed):
    """A maker: zed opens a pull request of the very commit that another clone has."""

    def open_second(clone, branch="again"):
        fork = scene.world.fork(scene.ops, zed)
        mine = ContributorClone(scene.world, fork, zed, scene.folder / "zed")
        mine.git("fetch", "--quiet", str(clone.folder), f"HEAD:refs/heads/{branch}")
        mine.git("switch", "--quiet", branch)
        mine.push()
        return scene.world.open_pull(scene.ops, zed, branch, source=fork), mine

    return open_second


@pytest.mark.slow
def test_the_pull_request_that_turns_the_shared_run_red_is_named(scene):
    scene.sign(scene.mia)
    first, clone = scene.pull()
    scene.settle()
    assert scene.conclusion(first) == "success"

    mal = scene.world.user("mal", name="Mal", emails=["mal@home.example"])
    fork = scene.world.fork(scene.ops, mal)
    theirs = ContributorClone(scene.world, fork, mal, scene.folder / "mal")
    theirs.git("fetch", "--quiet", str(clone.folder), "HEAD:refs/heads/same")
    theirs.git("switch", "--quiet", "same")
    theirs.push()
    other = scene.world.open_pull(scene.ops, mal, "same", source=fork)
    scene.settle()

    [(_, conclusion, title)] = scene.runs(first)
    assert (conclusion, title) == ("failure", "CLA: mal has not signed (#2)")
    run = next(run for run in scene.world.check_runs.values() if run.head_sha == first.head_sha)
    assert "This is about #2. The same commit is also in #1." in run.output["summary"]

    scene.world.close_pull(other, mal)
    scene.settle()
    assert scene.runs(first)[0][1:] == ("success", "All good")


@pytest.mark.slow
def test_a_green_pull_request_does_not_turn_the_shared_run_green(scene, zed, second):
    first, clone = scene.pull(author=("Zed", "zed@home.example"))
    scene.settle()
    assert scene.conclusion(first) == "failure"

    other, _ = second(clone)
    assert other.head_sha == first.head_sha
    scene.settle()

    assert scene.recorded(other)[0] == "success"
    assert scene.conclusion(other) == "failure"
    (run,) = [run for run in scene.world.check_runs.values() if run.head_sha == other.head_sha]
    assert run.output["title"] == "CLA: mia has not signed (#1)", "in the words of the one that does not pass"
    assert scene.labels(first) == ["cla-required"]
    assert scene.labels(other) == ["cla-signed"]

    scene.sign(scene.mia)
    scene.again(first)
    assert scene.conclusion(first) == "success"


@pytest.mark.slow
def test_a_red_pull_request_turns_the_shared_run_red(scene, zed, second):
    clone, fork = scene.push(author=("Zed", "zed@home.example"))
    first, mine = second(clone)
    scene.settle()
    assert scene.conclusion(first) == "success"

    other = scene.world.open_pull(scene.ops, scene.mia, "topic", source=fork)
    seen = []
    scene.weather.before.append(("POST", "/labels$", lambda: seen.append(scene.conclusion(other))))
    scene.settle()

    assert seen == ["failure"]
    assert scene.conclusion(first) == "failure"
    assert scene.recorded(first)[0] == "success"
    assert mine.head == other.head_sha


@pytest.mark.slow
def test_a_review_that_missed_a_newer_sibling_makes_no_second_run(scene, zed, second):
    clone, fork = scene.push(author=("Zed", "zed@home.example"))
    first, _ = second(clone)
    scene.hear()

    def killed(do):
        """The process of the other ends with the transaction that holds its verdict."""
        with scene.sessions() as session:
            done = do(session)
        if do.__name__ == "record":
            raise SystemExit
        return done

    def meanwhile(do):
        if do.__name__ == "record":
            other = scene.world.open_pull(scene.ops, scene.mia, "topic", source=fork)
            scene.hear()
            with pytest.raises(SystemExit):
                review(scene.begin(REVIEWS, scene.row(other).id, "theirs"), replace(scene.services, group=killed))
        with scene.sessions() as session:
            return do(session)

    review(scene.begin(REVIEWS, scene.row(first).id, "ours"), replace(scene.services, group=meanwhile))
    assert [run for run in scene.world.check_runs.values() if run.head_sha == first.head_sha] == []
    scene.advance(LEASE)
    (run,) = [run for run in scene.world.check_runs.values() if run.head_sha == first.head_sha]
    assert run.conclusion == "failure"


@pytest.mark.slow
def test_the_shared_run_turns_green_when_the_red_pull_request_goes(scene, zed, second):
    first, clone = scene.pull(author=("Zed", "zed@home.example"))
    other, _ = second(clone)
    scene.settle()
    assert scene.conclusion(other) == "failure"

    scene.world.close_pull(first, scene.mia)
    scene.settle()
    assert scene.conclusion(other) == "success"

    scene.world.reopen_pull(first, scene.mia)
    scene.settle()
    assert scene.conclusion(other) == "failure"

    clone.commit("Go on", files={"more.txt": "more"})
    clone.push()
    scene.settle()
    assert first.head_sha != other.head_sha
    assert scene.conclusion(other) == "success"
    assert scene.conclusion(first) == "failure"


@pytest.mark.slow
def test_reviews_of_siblings_at_the_same_time_do_not_overlook_each_other(scene, zed, second):
    first, clone = scene.pull(author=("Zed", "zed@home.example"))
    other, _ = second(clone)
    scene.hear()

    def meanwhile():
        scene.review(first, "beside")

    # The green pull request is judged first; the red pull request is judged between its verdict and its write.
    scene.weather.before.append(("PATCH", "/check-runs", meanwhile))
    scene.review(other, "green")
    scene.settle(delayed=True)

    assert scene.recorded(other)[0] == "success"
    assert scene.recorded(first)[0] == "failure"
    assert scene.conclusion(other) == "failure"


READS = [("POST", "/graphql", 502), ("GET", r"/pulls/\d+$", 502)]
"""Weather in which no pull request can be read, and check runs can be written."""


@pytest.mark.slow
def test_a_sibling_that_cannot_be_read_does_not_pass_by_anothers_green(scene, zed, second):
    clone, fork = scene.push(author=("Zed", "zed@home.example"))
    first, _ = second(clone)
    scene.settle()
    assert scene.conclusion(first) == "success"

    scene.weather.faults.extend(READS)
    other = scene.world.open_pull(scene.ops, scene.mia, "topic", source=fork)
    scene.settle()
    assert scene.conclusion(other) == "action_required"

    scene.weather.faults.clear()
    scene.settle(delayed=True)
    assert scene.conclusion(other) == "failure"

    scene.weather.faults.extend(READS)
    clone.commit("Go on", files={"more.txt": "more"})
    clone.push()
    scene.settle()
    scene.weather.faults.clear()
    scene.settle(delayed=True)
    assert scene.conclusion(first) == "success"


@pytest.mark.slow
def test_a_branch_forced_onto_a_green_head_does_not_pass_while_unread(scene, zed, second):
    clone, _ = scene.push(author=("Zed", "zed@home.example"))
    first, _ = second(clone)
    mine, own = scene.pull("Something else", branch="other")
    scene.settle()
    own.git("fetch", "--quiet", str(clone.folder), "HEAD")
    own.git("reset", "--quiet", "--hard", "FETCH_HEAD")
    scene.weather.faults.extend(READS)
    own.push(force=True)
    scene.settle()

    assert mine.head_sha == first.head_sha
    assert scene.conclusion(mine) == "action_required"


@pytest.mark.slow
def test_two_failed_siblings_do_not_wait_for_each_other(scene, zed, second):
    first, clone = scene.pull(author=("Zed", "zed@home.example"))
    scene.sign(scene.mia)
    other, _ = second(clone)
    scene.weather.faults.extend((verb, path, 422) for verb, path, _ in READS)  # a no, which is no outage
    scene.settle()
    assert {scene.row(pull).attempts for pull in (first, other)} == {1}
    scene.weather.faults.clear()
    scene.wait()

    scene.weather.before.append(("POST", "/labels$", lambda: scene.review(other, "beside")))
    scene.review(first, "one")
    scene.settle(delayed=True)

    assert scene.conclusion(first) == "success"


@pytest.mark.slow
def test_a_lost_closing_is_found_out_through_the_sibling_it_holds_up(scene, zed, second):
    first, clone = scene.pull(author=("Zed", "zed@home.example"))
    other, _ = second(clone)
    scene.settle()
    assert scene.conclusion(other) == "failure"
    scene.world.close_pull(first, scene.mia)
    scene.hear(drop={"pull_request"})

    scene.again(other)
    scene.settle()
    assert not scene.row(first).open
    assert scene.conclusion(other) == "success"


@pytest.mark.slow
def test_a_missing_sibling_counts_as_closed_after_some_tries(scene, zed, second):
    first, clone = scene.pull(author=("Zed", "zed@home.example"))
    other, _ = second(clone)
    scene.settle()
    scene.ops.pulls.pop(first.number, None)
    scene.weather.faults.append(("*", rf"/pulls/{first.number}$", 404))
    for _ in range(MAX_QUICK_RETRIES + 1):
        scene.again(first)

    scene.settle(delayed=True)
    assert not scene.row(first).open
    assert scene.row(first).attempts == 0
    assert scene.conclusion(other) == "success"


@pytest.mark.slow
def test_a_run_that_a_restored_database_forgot_is_used_by_the_next_sibling(scene, second):
    scene.sign(scene.mia)
    first, clone = scene.pull()
    scene.settle()
    with scene.sessions() as session:
        session.execute(delete(HeadRow))
        session.execute(delete(PublishedItemRow))
        sweeps.restored(session, at=scene.clock())

    other, _ = second(clone)
    scene.settle()
    scene.again(first)
    scene.settle()

    (run,) = [run for run in scene.world.check_runs.values() if run.head_sha == first.head_sha]
    assert (run.conclusion, run.external_id) == ("success", f"countersign:{scene.ops.id}:{other.number}")
