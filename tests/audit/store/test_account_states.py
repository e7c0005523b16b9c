"""An account's audit begins once a night, and goes on after its job was killed."""

from datetime import UTC, datetime, timedelta

from audit.store import account_states
from audit.store.account_states import SAME_NIGHT

AT = datetime(2026, 11, 22, 3, tzinfo=UTC)


def test_a_night_begins_once_and_its_killed_job_may_begin_again(sessions):
    began = []
    for job, at in (
        ("j1", AT),
        ("j2", AT + SAME_NIGHT / 2),
        ("j1", AT),
        ("j3", AT + SAME_NIGHT),
        ("j1", AT + SAME_NIGHT),
    ):
        with sessions() as session:
            began.append(account_states.begin(session, 7, "cann", job, at=at))
    assert began == [True, False, True, True, False]


def test_an_edition_keeps_its_moment_and_counts_over_empty_nights(sessions):
    with sessions() as session:
        account_states.begin(session, 7, "cann", "j", at=AT)
        account_states.failed(session, 7, "the rulebook has mistakes")
    with sessions() as session:
        assert account_states.get(session, 7).why == "the rulebook has mistakes"
        account_states.judged(session, 7, counts=(3, 2), skipped=1, at=AT)
    with sessions() as session:
        row = account_states.get(session, 7)
        assert (row.judged_at, row.repositories, row.violations, row.skipped, row.why) == (AT, 3, 2, 1, "")
        account_states.failed(session, 7, "again")
        assert account_states.get(session, 7).judged_at == AT


def test_accounts_are_listed_by_name_without_forgotten_ones(sessions):
    with sessions() as session:
        for owner_id, login in ((9, "zeta"), (7, "cann"), (8, "other")):
            account_states.begin(session, owner_id, login, "j", at=AT - timedelta(days=1))
        account_states.forget(session, 8)
        assert [account.login for account in account_states.each(session)] == ["cann", "zeta"]
        assert account_states.get(session, 8) is None
