"""Step 0016 adds the mailboxes of merge groups, and keeps what is there."""

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError

import migrations
from tests.migrations.test_0015_sweep import PULL

pytestmark = pytest.mark.from_step("0015")

GROUP = (
    "INSERT INTO merge_group (repository_id, head_sha, installation_id, owner_id, owner, name, branch, numbers, digest,"
    " latest, judged, queued, attempts) VALUES (11, 'b', 1, 7, 'cann', 'ge', 'main', '[5]', '', 1, 0, {queued}, 0)"
)


@pytest.fixture(name="engine")
def _engine(engine):
    """A database of the step before with a pull request in it, brought to this step."""
    with engine.begin() as connection:
        connection.execute(text(PULL))
    migrations.upgrade(engine, "0016")
    return engine


def test_pull_requests_are_kept_and_groups_wait_in_two_queues(engine):
    with engine.begin() as connection:
        assert connection.execute(text("SELECT number, head_sha FROM pull")).one() == (5, "a")
        connection.execute(text(GROUP.format(queued=2)))
    with pytest.raises(IntegrityError), engine.begin() as connection:
        connection.execute(text(GROUP.replace("'b'", "'c'").format(queued=3)))
