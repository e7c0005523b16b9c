"""Posts to a repository have one writer at a time, also after a crash."""

from datetime import UTC, datetime, timedelta

from audit.store import repository_posts
from audit.store.records import AuditPost
from audit.store.repository_posts import CREATE_TIMEOUT

AT = datetime(2026, 11, 22, 3, tzinfo=UTC)
SOON = timedelta(seconds=1)


def intend(sessions, at, kind="issue", repository_id=2**40):
    """Whether one may write, in a transaction of its own."""
    with sessions() as session:
        return repository_posts.intend(session, repository_id, kind, at=at)


def test_one_writer_at_a_time_may_write_a_post(sessions):
    assert intend(sessions, AT)
    assert not intend(sessions, AT + SOON)
    assert intend(sessions, AT + SOON, kind="notice")
    assert intend(sessions, AT + SOON, repository_id=5)
    assert intend(sessions, AT + CREATE_TIMEOUT)
    assert not intend(sessions, AT + CREATE_TIMEOUT + SOON)


def test_a_left_post_may_be_tried_again_at_once(sessions):
    intend(sessions, AT)
    with sessions() as session:
        repository_posts.leave(session, 2**40, "issue", at=AT)
        assert repository_posts.digests(session, 2**40) == {"issue": ""}
    assert intend(sessions, AT + SOON)


def test_a_confirmed_post_has_number_and_digest_and_frees_the_next(sessions):
    intend(sessions, AT)
    with sessions() as session:
        assert repository_posts.digests(session, 2**40) == {"issue": ""}
        repository_posts.confirm(session, 2**40, "issue", number=12, digest="d", at=AT)
    assert intend(sessions, AT + SOON)
    with sessions() as session:
        assert session.get_one(AuditPost, (2**40, "issue")).number == 12
        assert repository_posts.digests(session, 2**40) == {"issue": "d"}
