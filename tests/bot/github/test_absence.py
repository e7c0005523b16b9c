"""When an account certainly has no `.github`: only by the whole list of an installation on all repositories."""

import threading
from datetime import UTC, datetime, timedelta

import pytest

from bot.github.absence import ABSENCE_LIFETIME, CACHED_INSTALLATIONS, DOUBT_LIFETIME, AbsenceCache
from bot.github.ports import Unreachable
from tests.bot.github.shapes import rest_repository

OWNER = 500


def repositories(count, *, start=900, name="r"):
    """So many repositories of the owner."""
    return [rest_repository(start + number, "cann", f"{name}{number}") for number in range(count)]


class List:
    """A line that gives these repositories page by page and counts the pages; `changes` are made to each answer."""

    def __init__(self, items, changes=(), **beside):
        self.items, self.changes, self.beside = items, list(changes), beside
        self.asked = 0

    def read(self, path, parameters=None):
        if path == "/app/installations/77":
            return {"repository_selection": None}
        assert path == "/installation/repositories"
        assert parameters["per_page"] == 100
        self.asked += 1
        start = (parameters["page"] - 1) * 100
        answer = {"total_count": len(self.items), "repository_selection": "all",
                  "repositories": self.items[start : start + 100], **self.beside}  # fmt: skip
        return answer | (self.changes.pop(0) if self.changes else {})


class Hours:
    """A clock that a test moves."""

    def __init__(self):
        self.at = datetime(2026, 11, 23, tzinfo=UTC)

    def __call__(self):
        return self.at


@pytest.fixture(name="hours")
def _hours():
    return Hours()


class Told:
    """The App's own line: what it says of the installation."""

    def __init__(self, selection):
        self.selection, self.asked = selection, []

    def read(self, path, _parameters=None):
        self.asked.append(path)
        return {"repository_selection": self.selection}


@pytest.mark.parametrize(("selection", "expected"), [("all", None), ("selected", "not-covered"), ("odd", "no-answer")])
def test_a_list_without_a_selection_makes_us_ask_the_installation_once(hours, selection, expected):
    app = Told(selection)
    assert (
        AbsenceCache(hours).why_unread((List(repositories(150), repository_selection=None), app), 77, OWNER) == expected
    )
    assert app.asked == ["/app/installations/77"]
    assert AbsenceCache(hours).why_unread((List(repositories(150)), app), 77, OWNER) is None
    assert len(app.asked) == 1


def why(line, owner=OWNER):
    """What is made of that list."""
    return AbsenceCache(Hours()).why_unread((line, line), 77, owner)


@pytest.mark.parametrize("count", [1, 99, 100, 101, 250])
def test_a_repository_missing_from_the_whole_list_is_absent(count):
    line = List(repositories(count))

    assert why(line) is None
    assert line.asked == -(-count // 100)


@pytest.mark.parametrize("name", [".github", ".GitHub"])
@pytest.mark.parametrize("place", [0, 150])
@pytest.mark.parametrize("selection", ["all", "selected"])
def test_a_repository_on_the_list_is_not_absent(name, place, selection):
    items = repositories(200)
    items[place] = rest_repository(7, "cann", name)

    found = why(List(items, repository_selection=selection))
    assert found == ("listed" if selection == "all" or place < 100 else "not-covered")


def test_a_repository_whose_name_only_resembles_it_is_not_it():
    assert why(List(repositories(1, name=".github-") + repositories(1, start=7, name="x.github"))) is None


def test_a_list_of_chosen_repositories_proves_no_absence():
    line = List(repositories(500), repository_selection="selected")

    assert why(line) == "not-covered"
    assert line.asked == 1


@pytest.mark.parametrize("selection", [None, "", "ALL", "every", 1])
def test_only_a_selection_of_exactly_all_proves_absence(selection):
    assert why(List(repositories(3), repository_selection=selection)) == "no-answer"


@pytest.mark.parametrize(
    "changes",
    [
        [{"total_count": 4}],  # fewer than GitHub counts
        [{"total_count": 2}],  # more
        [{"repositories": []}],
        [{"repositories": repositories(1) * 3}],  # one of them thrice
    ],
)
def test_an_incomplete_list_proves_no_absence(changes):
    assert why(List(repositories(3), changes)) == "no-answer"


def test_a_list_that_changes_between_two_pages_proves_no_absence():
    assert why(List(repositories(150), [{}, {"total_count": 149}])) == "no-answer"
    assert why(List(repositories(150), [{}, {"repository_selection": "selected"}])) == "not-covered"


def test_an_empty_list_proves_no_absence():
    assert why(List([])) == "no-answer"


def test_the_list_of_another_account_proves_no_absence():
    """A repository may have moved to another owner, of whose repositories this installation knows nothing."""
    assert why(List(repositories(3)), owner=501) == "no-answer"


@pytest.mark.parametrize("broken", [{"repositories": None}, {"repositories": [{"id": 1}]}, {"total_count": None}])
def test_a_garbled_list_is_an_error(broken):
    with pytest.raises(Unreachable):
        why(List(repositories(3), [broken]))


@pytest.mark.parametrize(
    ("beside", "kept"),
    [
        ({}, ABSENCE_LIFETIME),
        ({"repository_selection": "selected"}, timedelta(0)),
        ({"total_count": 9}, DOUBT_LIFETIME),
    ],
)
def test_an_absence_is_kept_for_minutes_and_an_odd_answer_for_seconds(hours, beside, kept):
    absences, line = AbsenceCache(hours), List(repositories(3), **beside)
    absences.why_unread((line, line), 77, OWNER)
    if kept:
        hours.at += kept - timedelta(seconds=1)
        absences.why_unread((line, line), 77, OWNER)
        assert line.asked == 1
        hours.at += timedelta(seconds=1)
    absences.why_unread((line, line), 77, OWNER)
    assert line.asked == 2


def test_an_answer_is_kept_for_one_installation_and_one_owner_only(hours):
    absences, line = AbsenceCache(hours), List(repositories(3))
    for installation, owner in ((77, OWNER), (78, OWNER), (77, 501), (77, OWNER)):
        absences.why_unread((line, line), installation, owner)
    assert line.asked == 3


def test_an_error_is_not_kept(hours):
    absences, line = AbsenceCache(hours), List(repositories(3), [{"repositories": None}])
    with pytest.raises(Unreachable):
        absences.why_unread((line, line), 77, OWNER)

    assert absences.why_unread((line, line), 77, OWNER) is None


def test_many_threads_ask_once(hours):
    absences, line = AbsenceCache(hours), List(repositories(1_000))
    begin, said = threading.Barrier(12), []

    def ask():
        begin.wait()
        said.append(absences.why_unread((line, line), 77, OWNER))

    threads = [threading.Thread(target=ask) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (said, line.asked) == ([None] * 12, 10)


def test_the_absence_asked_for_longest_ago_is_forgotten_first(hours):
    absences, line = AbsenceCache(hours), List(repositories(1))
    for installation in [*range(CACHED_INSTALLATIONS), 0, CACHED_INSTALLATIONS, 0]:
        absences.why_unread((line, line), installation, OWNER)
    assert line.asked == CACHED_INSTALLATIONS + 1
    absences.why_unread((line, line), 1, OWNER)
    assert line.asked == CACHED_INSTALLATIONS + 2
