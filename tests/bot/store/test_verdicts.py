"""Kept verdicts: codes, commits and ids; no name and no address."""

from datetime import UTC, datetime, timedelta

from agreements.facts import Account, Check, Conclusion, Note, Problem, Verdict
from bot.engine.inline import InlineEngine
from bot.store import pulls, verdicts
from bot.store.pulls import Mailbox

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
RED = Verdict(
    conclusion=Conclusion.FAILURE,
    checks=(
        Check(
            name="CLA",
            conclusion=Conclusion.FAILURE,
            problems=(
                Problem(code="cla/unsigned", account=Account(7, "ann"), values={"agreement": "icla"}),
                Problem(
                    code="cla/unlinked-email", sha="a" * 40, values={"email": "a…e@example.org", "name": "Ann Example"}
                ),
            ),
            notes=(Note(code="cla/exempt", account=Account(8, "bot[bot]", "Bot")),),
        ),
    ),
)
GREEN = Verdict(conclusion=Conclusion.SUCCESS)


def test_a_verdict_is_kept_without_names(sessions):
    """What, where and whose id; the words are made again when they are needed."""
    box = Mailbox(repository_id=11, number=1, installation_id=1, owner_id=7, owner="cann", name="ge")
    with sessions() as session:
        pull_id = pulls.post(session, InlineEngine(), box)[0]
        assert verdicts.latest(session, pull_id) is None
        verdicts.add(session, pull_id, "a" * 40, RED, at=NOON)
    with sessions() as session:
        kept = verdicts.latest(session, pull_id)
        assert (kept.head_sha, kept.judged_at, kept.conclusion) == ("a" * 40, NOON, "failure")
        assert kept.codes == [
            {"check": "CLA", "code": "cla/unsigned", "sha": None, "account": 7},
            {"check": "CLA", "code": "cla/unlinked-email", "sha": "a" * 40, "account": None},
            {"check": "CLA", "code": "cla/exempt", "sha": None, "account": 8},
        ]
        first = kept.id
        verdicts.add(session, pull_id, "a" * 40, RED, at=NOON + timedelta(seconds=1))
        assert verdicts.latest(session, pull_id).id == first
        verdicts.add(session, pull_id, "a" * 40, GREEN, at=NOON + timedelta(seconds=1))
        verdicts.add(session, pull_id, "a" * 40, RED, at=NOON + timedelta(seconds=1))
        assert verdicts.latest(session, pull_id).id == first + 2


def test_when_a_head_was_judged_first(sessions):
    """The earliest moment of just that head; None for one that never was."""
    box = Mailbox(repository_id=11, number=1, installation_id=1, owner_id=7, owner="cann", name="ge")
    with sessions() as session:
        pull_id = pulls.post(session, InlineEngine(), box)[0]
        for minute, (head, verdict) in enumerate([("a", RED), ("b", RED), ("a", GREEN), ("b", GREEN)]):
            verdicts.add(session, pull_id, head * 40, verdict, at=NOON + timedelta(minutes=minute))
    with sessions() as session:
        assert verdicts.first(session, pull_id, "a" * 40) == NOON
        assert verdicts.first(session, pull_id, "b" * 40) == NOON + timedelta(minutes=1)
        assert verdicts.first(session, pull_id, "c" * 40) is None
        assert verdicts.first(session, pull_id + 1, "a" * 40) is None
