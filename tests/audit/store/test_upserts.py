"""What two processes write at once, when neither finds a row: the second waits for the first, and no write is lost or an error."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime, timedelta

import pytest

from audit.facts import Source
from audit.licenses.declared_license import DeclaredLicense
from audit.sources.answers import Answer
from audit.store import account_states, answer_rows, repositories, repository_posts, sealed
from audit.store.account_states import SAME_NIGHT
from audit.store.repository_posts import CREATE_TIMEOUT
from audit.store.sealed import Sealed

AT = datetime(2026, 11, 22, 3, tzinfo=UTC)


def both(sessions, first, second):
    """What the two return; the second begins while the first is not committed, and neither has seen the other's row."""

    def later():
        with sessions() as session:
            return second(session)

    with ThreadPoolExecutor(1) as pool:
        with sessions() as session:
            done = first(session)
            waiting = pool.submit(later)
            with suppress(TimeoutError):
                waiting.result(timeout=0.3)
        return done, waiting.result(timeout=30)


@pytest.mark.parametrize(
    ("job", "after", "began"),
    [("j2", timedelta(0), False), ("j1", timedelta(0), True), ("j2", SAME_NIGHT, True), ("j2", -SAME_NIGHT, False)],
)
def test_of_two_jobs_that_begin_a_first_night_at_once_one_does(sessions, job, after, began):
    def begin(name, at):
        return lambda session: account_states.begin(session, 7, "cann", name, at=at)

    assert both(sessions, begin("j1", AT), begin(job, AT + after)) == (True, began)
    with sessions() as session:
        row = account_states.get(session, 7)
        assert (row.job_id, row.began_at, row.login) == ((job, AT + after, "cann") if began else ("j1", AT, "cann"))


def test_a_later_beginning_leaves_what_was_found_before(sessions):
    with sessions() as session:
        account_states.begin(session, 7, "cann", "j1", at=AT)
        account_states.judged(session, 7, counts=(3, 2), skipped=1, at=AT)
    with sessions() as session:
        assert account_states.begin(session, 7, "renamed", "j2", at=AT + SAME_NIGHT)
    with sessions() as session:
        row = account_states.get(session, 7)
        assert (row.login, row.judged_at, row.repositories, row.violations, row.skipped) == ("renamed", AT, 3, 2, 1)


@pytest.mark.parametrize(("after", "begins"), [(timedelta(0), False), (CREATE_TIMEOUT, True)])
def test_of_two_writers_of_a_first_post_one_begins(sessions, after, begins):
    def intend(at):
        return lambda session: repository_posts.intend(session, 5, "issue", at=at)

    assert both(sessions, intend(AT), intend(AT + after)) == (True, begins)


def test_two_answers_about_a_package_are_one_the_last(sessions):
    def keep(words):
        answer = Answer(DeclaredLicense(words), Source.REGISTRY, "https://x")
        return lambda session: answer_rows.keep(session, "pkg:npm/a@1", answer, at=AT)

    both(sessions, keep("MIT"), keep("ISC"))
    with sessions() as session:
        assert answer_rows.known(session, ["pkg:npm/a@1"], at=AT)["pkg:npm/a@1"].stated.expression == "ISC"


def test_two_repositories_may_keep_the_same_blobs_at_once_in_any_order(sessions):
    def keep(repository_id, shas):
        blobs = {sha: Sealed(f"{repository_id}".encode(), b"k", "k1") for sha in shas}
        return lambda session: repositories.keep_blobs(session, repository_id, blobs)

    both(sessions, keep(1, "abc"), keep(2, "cba"))
    with sessions() as session:
        names = [repositories.blob_name(sha) for sha in "abc"]
        assert {value.sealed for value in sealed.each(session, names).values()} == {b"2"}
        repositories.need(session, 1, ())
        assert len(sealed.each(session, names)) == 3
        repositories.need(session, 2, ())
        assert not sealed.each(session, names)
