"""Small changes pass without an agreement, up to a total that several pull requests of one person cannot pass between them."""

import pytest
from sqlalchemy import text
from structlog.testing import capture_logs

from tests.bot.flows.test_gather import gathered

COMPARE = ("GET", "/repos/{owner}/{repo}/compare/{basehead}")
TEN = {"guide.md": "x\n" * 10}


def rules(total=15, require="cla", mode="enforce"):
    """A rulebook in which ten lines of Markdown are small."""
    small = f"{{lines: 10, paths: ['*.md'], total: {total}}}"
    return f'version: 1\nrepositories: [{{match: ["*"], require: {require}, mode: {mode}, small: {small}}}]\n'


@pytest.fixture(name="scene")
def _scene(staged):
    return staged(rulebook=rules())


def small(scene, branch="topic", files=TEN, **more):
    """A judged pull request with that change; gives it and its clone."""
    pull, clone = scene.pull(branch, branch=branch, files=files, **more)
    scene.settle()
    return pull, clone


def conclusions(scene, *pulls):
    """The conclusions of these pull requests."""
    return [scene.conclusion(pull) for pull in pulls]


def test_a_small_change_passes_and_is_written_into_the_log_of_records(scene):
    pull, _ = small(scene)
    assert scene.recorded(pull) == ("success", ["cla/small-change"])
    assert scene.labels(pull) == ["cla-signed"]
    with scene.sessions() as session:
        row = session.execute(text("SELECT account_id, lines, counts FROM small_change")).one()
        kinds = session.execute(text("SELECT kind FROM ledger_entry")).scalars().all()
    assert (tuple(row), kinds) == ((scene.mia.id, 10, True), ["lines.counted"])


@pytest.mark.slow
def test_a_second_pull_request_of_one_person_is_over_the_total_while_the_first_is_open_and_once_it_is_merged(scene):
    first, _ = small(scene)
    second, _ = small(scene, "second")
    assert conclusions(scene, first, second) == ["success", "failure"]
    scene.again(first)
    assert scene.conclusion(first) == "success"
    scene.world.merge_pull(first, scene.ada)
    scene.settle()
    scene.again(second)
    assert scene.conclusion(second) == "failure"


@pytest.mark.slow
def test_a_pull_request_that_is_closed_unmerged_gives_its_lines_back_until_it_is_reopened(scene):
    first, _ = small(scene)
    second, _ = small(scene, "second")
    scene.world.close_pull(first, scene.mia)
    scene.settle()
    assert scene.conclusion(second) == "success"
    scene.world.reopen_pull(first, scene.mia)
    scene.settle()
    assert conclusions(scene, first, second) == ["failure", "success"]


@pytest.mark.slow
def test_one_that_is_merged_before_its_reopening_was_judged_counts_again(scene):
    first, _ = small(scene)
    scene.world.close_pull(first, scene.mia)
    scene.settle()
    scene.world.reopen_pull(first, scene.mia)
    scene.world.merge_pull(first, scene.ada)
    scene.settle()
    assert scene.conclusion(small(scene, "second")[0]) == "failure"


def test_two_that_are_read_before_either_has_its_verdict_do_not_both_pass(scene):
    pulls = [scene.pull(name, branch=name, files=TEN)[0] for name in ("one", "two")]
    assert [dict(gathered(scene, pull).small_lines) for pull in pulls] == [{scene.mia.id: 0}, {scene.mia.id: 10}]


@pytest.mark.slow
def test_a_pull_request_counts_with_the_most_lines_of_all_its_heads(scene):
    first, clone = small(scene)
    clone.commit("Shorter", {"guide.md": "x\n"})
    clone.push()
    scene.settle()
    assert scene.conclusion(first) == "success"
    assert scene.conclusion(small(scene, "second")[0]) == "failure"


@pytest.mark.parametrize(
    "files", [{"guide.md": "x\n" * 11}, {"main.c": "x\n"}, {**TEN, "main.c": "x\n"}, {".github/a.md": "x\n"}]
)
def test_another_change_needs_the_agreement_and_counts_for_no_person(scene, files):
    pull, _ = small(scene, files=files)
    assert scene.recorded(pull) == ("failure", ["cla/unsigned"])
    with scene.sessions() as session:
        assert session.execute(text("SELECT count(*) FROM small_change")).scalar_one() == 0


def test_in_shadow_mode_no_lines_count(staged):
    scene = staged(rulebook=rules(mode="shadow"))
    assert [scene.recorded(small(scene, name)[0]) for name in ("one", "two")] == [("success", ["cla/small-change"])] * 2
    with scene.sessions() as session:
        assert session.execute(text("SELECT count(*) FROM small_change")).scalar_one() == 0


def test_a_push_after_the_green_is_judged_by_its_own_lines(scene):
    pull, clone = small(scene)
    clone.commit("Code", {"main.c": "x\n"})
    clone.push()
    scene.settle()
    assert scene.conclusion(pull) == "failure"


@pytest.mark.parametrize("signs", [True, False])
def test_lines_are_asked_for_only_where_a_person_is_not_covered(scene, signs):
    if signs:
        scene.sign(scene.mia)
    small(scene)
    assert (COMPARE in scene.calls()) is not signs


def test_a_pull_request_with_more_files_than_lines_costs_no_request(scene):
    small(scene, files={f"{number}.md": "x" for number in range(11)})
    assert COMPARE not in scene.calls()


def test_nothing_passes_while_github_does_not_say_the_lines_and_it_does_afterwards(scene):
    scene.weather.faults.append(("GET", r"/compare/", 502))
    pull, _ = small(scene)
    assert scene.conclusion(pull) in (None, "action_required")
    scene.weather.faults.clear()
    scene.settle(delayed=True)
    assert scene.conclusion(pull) == "success"


def test_where_github_refuses_the_people_need_an_agreement_and_the_log_says_so(scene):
    scene.weather.faults.append(("GET", r"/compare/", 404))
    with capture_logs() as logs:
        pull, _ = small(scene)
    assert scene.conclusion(pull) == "failure"
    assert [log["event"] for log in logs if log["event"].startswith("small-change.")] == ["small-change.not-looked-up"]


@pytest.mark.parametrize("statement", ["UPDATE small_change SET lines = 1", "UPDATE small_change SET counts = false"])
def test_a_row_changed_in_the_database_lets_no_person_pass(scene, statement):
    small(scene)
    with scene.sessions() as session:
        session.execute(text(statement))
    with capture_logs() as logs:
        assert scene.conclusion(small(scene, "second", {"a.md": "x\n"})[0]) == "failure"
    assert ("records.not-in-log", "small_change") in [(log["event"], log.get("table")) for log in logs]


def test_in_other_repositories_of_the_organisation_the_same_lines_count_and_in_those_of_others_they_do_not(scene):
    small(scene)
    tools = scene.world.repository(scene.cann, "tools", files={"README.md": "x\n"})
    assert scene.conclusion(small(scene, "other", to=tools)[0]) == "failure"


def test_the_sign_off_is_asked_for_as_always(staged):
    scene = staged(rulebook=rules(require="both"))
    assert scene.recorded(small(scene)[0]) == ("failure", ["cla/small-change", "dco/missing"])
