"""Answers of registries are remembered for a limited time, also by concurrent jobs."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest

from audit.facts import Source
from audit.licenses.declared_license import DeclaredLicense
from audit.sources.answers import RANGE_SEPARATOR, Answer
from audit.store import answer_rows
from audit.store.answer_rows import STATED_LICENSE_LIFETIME, VOLATILE_ANSWER_LIFETIME

AT = datetime(2026, 11, 22, 3, tzinfo=UTC)
MIT = Answer(DeclaredLicense("MIT", "a note"), Source.REGISTRY, "https://pypi.org/pypi/a/1/json")
NOTHING = Answer(source=Source.DEPS_DEV, address="https://api.deps.dev/v3/x")


def test_a_kept_answer_is_known_as_it_was(sessions):
    with sessions() as session:
        answer_rows.keep(session, "pkg:pypi/a@1", MIT, at=AT)
        answer_rows.keep(session, "pkg:pypi/b@1", NOTHING, at=AT)
    with sessions() as session:
        found = answer_rows.known(session, ["pkg:pypi/a@1", "pkg:pypi/b@1", "pkg:pypi/c@1"], at=AT)

    assert found == {"pkg:pypi/a@1": MIT, "pkg:pypi/b@1": NOTHING}
    until = [value.until for value in found.values()]
    assert until == [AT + STATED_LICENSE_LIFETIME, AT + VOLATILE_ANSWER_LIFETIME]


def test_a_licence_is_believed_for_half_a_year_and_none_for_a_day(sessions):
    moment = timedelta(seconds=1)
    with sessions() as session:
        answer_rows.keep(session, "a", MIT, at=AT)
        answer_rows.keep(session, "b", NOTHING, at=AT)
        assert set(answer_rows.known(session, "ab", at=AT + VOLATILE_ANSWER_LIFETIME - moment)) == {"a", "b"}
        assert set(answer_rows.known(session, "ab", at=AT + VOLATILE_ANSWER_LIFETIME)) == {"a"}
        assert set(answer_rows.known(session, "ab", at=AT + STATED_LICENSE_LIFETIME - moment)) == {"a"}
        assert set(answer_rows.known(session, "ab", at=AT + STATED_LICENSE_LIFETIME)) == set()
        answer_rows.keep(session, "b", MIT, at=AT + VOLATILE_ANSWER_LIFETIME)
        assert answer_rows.known(session, "b", at=AT + VOLATILE_ANSWER_LIFETIME * 2) == {"b": MIT}


def test_a_range_is_believed_for_a_day(sessions):
    """Tomorrow there may be a newer version."""
    moment = timedelta(seconds=1)
    with sessions() as session:
        answer_rows.keep(session, f"pkg:npm/a{RANGE_SEPARATOR}^1.2", MIT, at=AT)
        assert set(
            answer_rows.known(session, [f"pkg:npm/a{RANGE_SEPARATOR}^1.2"], at=AT + VOLATILE_ANSWER_LIFETIME - moment)
        ) == {"pkg:npm/a ^1.2"}
        assert answer_rows.known(session, [f"pkg:npm/a{RANGE_SEPARATOR}^1.2"], at=AT + VOLATILE_ANSWER_LIFETIME) == {}


def test_expired_answers_are_purged(sessions):
    with sessions() as session:
        answer_rows.keep(session, "a", MIT, at=AT)
        answer_rows.keep(session, "b", MIT, at=AT + timedelta(days=1))
        assert answer_rows.purge(session, at=AT + STATED_LICENSE_LIFETIME) == 1
        assert set(answer_rows.known(session, "ab", at=AT + timedelta(days=1))) == {"b"}


def test_expired_answers_are_purged_in_batches_the_oldest_first(sessions):
    with sessions() as session:
        for number in range(3):
            answer_rows.keep(session, f"{number}", MIT, at=AT - timedelta(days=number))
        assert answer_rows.purge(session, at=AT + STATED_LICENSE_LIFETIME, most=2) == 2
        assert set(answer_rows.known(session, "012", at=AT)) == {"0"}
        assert answer_rows.purge(session, at=AT + STATED_LICENSE_LIFETIME, most=2) == 1


@pytest.mark.slow
def test_more_answers_than_one_query_takes_are_found(sessions):
    with sessions() as session:
        for number in range(1_001):
            answer_rows.keep(session, f"pkg:npm/p{number}@1", MIT, at=AT)
        assert len(answer_rows.known(session, [f"pkg:npm/p{number}@1" for number in range(2_000)], at=AT)) == 1_001


def test_the_last_of_concurrent_answers_stays(sessions):
    def keep(number):
        with sessions() as session:
            answer_rows.keep(session, "pkg:npm/a@1", MIT, at=AT + timedelta(seconds=number))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(keep, range(40)))
    with sessions() as session:
        assert answer_rows.known(session, ["pkg:npm/a@1"], at=AT) == {"pkg:npm/a@1": MIT}
