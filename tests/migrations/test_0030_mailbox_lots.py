"""Step 0030 says of each mailbox when it is due: what had news and no moment is due now, and urgent where its job waits in `now`."""

import pytest
from sqlalchemy import text

import migrations
from bot import db
from bot.clock import now
from bot.store.license_checks import LICENSE_CHECKS, Head
from bot.store.merge_groups import MERGE_GROUPS
from bot.store.pulls import review_mailbox
from bot.store.pulls.review_mailbox import REVIEWS
from tests.bot.jobs.inline import InlineEngine

pytestmark = pytest.mark.from_step("0029")

PULL = (
    "INSERT INTO pull (id, repository_id, number, installation_id, owner_id, owner, name, private, open, head_sha, quiet,"
    " by_labels, label, attributed, attempts, latest, evaluated, queued, urgent, lease_by, lease_until, due_at)"
    " VALUES (:id, 70, :id, 5, 8, 'cann', 'ops', false, true, 'a', false, true, '', 1, 0, 2, :evaluated, :queued, :urgent, :lease_by,"
    " :lease_until, :due_at)"
)
LICENSES = "INSERT INTO license_check (repository_id, head_sha, basis, latest, judged, queued, attempts) VALUES (70, :sha, '{}', 1, 0, :queued, 0)"
GROUP = (
    "INSERT INTO merge_group (repository_id, head_sha, installation_id, owner_id, owner, name, branch, numbers, digest, latest,"
    " judged, queued, attempts) VALUES (70, 'b', 5, 8, 'cann', 'ops', 'main', '[1]', '', 1, :judged, :queued, 0)"
)
SOON = "2999-01-01 00:00:00.000000+00:00"
NOTHING = {"evaluated": 1, "queued": 0, "urgent": False, "lease_by": None, "lease_until": None, "due_at": None}


@pytest.fixture(name="engine")
def _engine(engine):
    """Mailboxes as the release before left them, brought to this step."""
    rows = [
        {"queued": 2, "urgent": True}, {"queued": 1}, {}, {"evaluated": 2}, {"due_at": SOON, "queued": 1},
        {"lease_by": "j/1", "lease_until": SOON}, {"evaluated": 2, "due_at": SOON},
    ]  # fmt: skip
    with engine.begin() as connection:
        for number, row in enumerate(rows, 1):
            connection.execute(text(PULL), NOTHING | row | {"id": number})
        for sha, queued in (("c", 1), ("d", 2)):
            connection.execute(text(LICENSES), {"sha": sha, "queued": queued})
        connection.execute(text(GROUP), {"judged": 0, "queued": 2})
    assert migrations.upgrade(engine, "0030") == ("0030",)
    return engine


@pytest.mark.slow
def test_waiting_mailboxes_without_a_moment_are_due(engine):
    jobs = InlineEngine(now)
    with db.sessions(engine)() as session:
        assert [claim.subject for claim in REVIEWS.claim(session, jobs, "now", "j1", at=now())] == [1]
        assert [claim.subject for claim in REVIEWS.claim(session, jobs, "later", "j2", at=now())] == [2, 3]
        assert review_mailbox.get(session, 5).due_at.year == review_mailbox.get(session, 7).due_at.year == 2999
        assert {review_mailbox.get(session, number).due_at for number in (4, 6)} == {None}
        assert [claim.head for claim in LICENSE_CHECKS.claim(session, jobs, "now", "j1", at=now())] == [Head(70, "d")]
        assert [claim.head for claim in LICENSE_CHECKS.claim(session, jobs, "later", "j2", at=now())] == [Head(70, "c")]
        assert len(MERGE_GROUPS.claim(session, jobs, "now", "j1", at=now())) == 1


def test_the_release_before_writes_on(engine):
    with engine.begin() as connection:
        connection.execute(text(PULL), NOTHING | {"id": 20, "queued": 2})
        connection.execute(text(LICENSES), {"sha": "e", "queued": 2})
    jobs = InlineEngine(now)
    with db.sessions(engine)() as session:
        assert review_mailbox.get(session, 20).due_at is None
        for mailbox in (REVIEWS, LICENSE_CHECKS):
            assert mailbox.repair(session, jobs, at=now())
        assert review_mailbox.get(session, 20).due_at
        assert Head(70, "e") in {claim.head for claim in LICENSE_CHECKS.claim(session, jobs, "later", "j1", at=now())}
