"""Check runs."""

from datetime import UTC, datetime, timedelta

import pytest

from bot.github.check_runs import MAX_TEXT_CHARACTERS, fitting
from bot.github.ports import CheckButton, CheckRun, Missing, Moved, Refused, ShownCheck
from tests.bot.github.conftest import HERE
from tests.bot.github.shapes import next_page, sha

RUN = CheckRun(name="Countersign", head_sha=sha(1), external_id="countersign:900:3", details_url="https://c.example/pr",
               title="Checking", summary="…")  # fmt: skip
RUNS = "/repos/cann/ops/check-runs"


def run(number, app=7, external="countersign:900:3"):
    """A check run of REST's."""
    return {"id": number, "external_id": external, "app": {"id": app} if app else None}


def test_a_new_run_is_in_progress_until_it_has_a_conclusion(hub, github):
    github.on("POST", RUNS, {"id": 41}, status=201)
    github.on("PATCH", f"{RUNS}/41", {"id": 41})

    assert hub.create_check(HERE, RUN) == 41
    hub.update_check(HERE, 41, CheckRun(**{**fields(RUN), "conclusion": "failure", "text": "table"}))

    (made,), (changed,) = github.bodies("POST", "check-runs"), github.bodies("PATCH")
    assert (made["status"], made["head_sha"], "conclusion" in made, "text" in made["output"]) == (
        "in_progress",
        sha(1),
        False,
        False,
    )
    assert (changed["status"], changed["conclusion"], changed["output"]["text"]) == ("completed", "failure", "table")
    assert "head_sha" not in changed


def test_an_update_without_a_text_removes_the_old_text(hub, github):
    github.on("PATCH", f"{RUNS}/41", {"id": 41})
    hub.update_check(HERE, 41, CheckRun(**{**fields(RUN), "text": ""}))

    (changed,) = github.bodies("PATCH")
    assert changed["output"]["text"] == ""


def test_a_button_comes_with_a_failing_run_and_goes_with_the_next_update(hub, github):
    github.on("POST", RUNS, {"id": 41}, status=201)
    github.on("PATCH", f"{RUNS}/41", {"id": 41})
    hub.create_check(
        HERE,
        CheckRun(
            **{
                **fields(RUN),
                "conclusion": "failure",
                "buttons": (CheckButton("Check again", "Look again", "check-again"),),
            }
        ),
    )
    hub.update_check(HERE, 41, CheckRun(**{**fields(RUN), "conclusion": "success"}))

    (made,), (changed,) = github.bodies("POST", "check-runs"), github.bodies("PATCH")
    (button,) = made["actions"]
    assert (button["label"], button["identifier"]) == ("Check again", "check-again")
    assert len(button["description"]) <= 40
    assert changed["actions"] == []


def fields(value):
    """The fields of a frozen value."""
    return {name: getattr(value, name) for name in value.__slots__}


def test_a_check_run_is_posted_only_once(hub, github):
    """GitHub may have created the run although it answered 502."""
    github.on("POST", RUNS, {"message": "bad gateway"}, status=502)

    with pytest.raises(Exception, match="502"):
        hub.create_check(HERE, RUN)

    assert len(github.sent("POST")) == 1


@pytest.mark.parametrize("status", [502, 503, 504])
def test_an_update_of_a_run_is_repeated_after_a_bad_moment(hub, github, status):
    github.on("PATCH", f"{RUNS}/41", {"message": "later"}, status=status)
    github.on("PATCH", f"{RUNS}/41", {"id": 41})

    hub.update_check(HERE, 41, RUN)

    assert len(github.sent("PATCH")) == 2


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirected_write_is_no_success(hub, github, status):
    headers = {"Location": "https://api.github.com/repositories/900/check-runs"}
    github.on("POST", RUNS, {"message": "Moved"}, status=status, headers=headers)

    with pytest.raises(Moved):
        hub.create_check(HERE, RUN)

    assert len(github.sent()) == 1


def test_a_run_that_is_gone_is_missing(hub, github):
    github.on("PATCH", f"{RUNS}/41", {"message": "Not Found"}, status=404)

    with pytest.raises(Missing):
        hub.update_check(HERE, 41, RUN)


def test_a_run_that_github_rejects_is_refused(hub, github):
    github.on("POST", RUNS, {"message": "No commit found for SHA"}, status=422)

    with pytest.raises(Refused, match="No commit found"):
        hub.create_check(HERE, RUN)


def test_our_run_is_found_on_any_page_by_its_external_id(hub, github):
    path = f"/repos/cann/ops/commits/{sha(1)}/check-runs"
    others = [run(9, app=8), run(8, external="countersign:900:33"), run(7, app=None), run(5)]
    link = {"Link": next_page(path, also="&app_id=7&filter=all")}
    github.on("GET", path, {"total_count": 5, "check_runs": others}, headers=link)
    github.on("GET", path, {"total_count": 5, "check_runs": [run(6)]})

    assert hub.find_check(HERE, sha(1), "countersign:900:3".__eq__) == 6
    assert hub.find_check(HERE, sha(1), "countersign:900:4".__eq__) is None
    assert "app_id=7&filter=all" in github.sent("GET")[0].url


def test_a_head_shows_the_newest_run_of_that_name_of_each_app(hub, github):
    path = f"/repos/cann/ops/commits/{sha(1)}/check-runs"
    done = {**run(5), "name": "Countersign", "conclusion": "failure", "output": {"title": "Action needed"},
            "started_at": "2026-11-01T09:00:00Z", "completed_at": "2026-11-01T09:00:03Z"}  # fmt: skip
    begun = {**run(6, app=8), "name": "Countersign", "conclusion": None, "output": {"title": None},
             "started_at": "2026-11-01T09:00:01Z", "completed_at": None}  # fmt: skip
    waits = {**run(4, app=None), "name": "Countersign", "conclusion": None, "started_at": None}
    github.on("GET", path, {"total_count": 4, "check_runs": [done, begun, waits, {**done, "name": "Other"}]})

    nine = datetime(2026, 11, 1, 9, tzinfo=UTC)
    assert hub.shown_checks(HERE, sha(1), "Countersign") == (
        ShownCheck(id=6, app_id=8, title="", conclusion=None, at=nine + timedelta(seconds=1)),
        ShownCheck(id=5, app_id=7, title="Action needed", conclusion="failure", at=nine + timedelta(seconds=3)),
        ShownCheck(id=4, app_id=None, title="", conclusion=None, at=None),
    )
    assert "check_name=Countersign&filter=latest" in github.sent("GET")[0].url


def test_a_text_too_long_is_cut_with_a_sign():
    """GitHub refuses texts of 65,536 characters."""
    assert fitting("x" * MAX_TEXT_CHARACTERS) == "x" * MAX_TEXT_CHARACTERS
    assert len(fitting("x" * (MAX_TEXT_CHARACTERS + 1))) == MAX_TEXT_CHARACTERS
    assert fitting("x" * (MAX_TEXT_CHARACTERS + 1)).endswith("x\n\n…")
