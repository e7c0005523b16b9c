"""Verdicts that rest on what was never signed, or had been taken back, are found when the rows are gone."""

from datetime import timedelta

import pytest

from agreements.facts import Check, Conclusion, Note, Verdict
from agreements.store.integrity.row_integrity import NewestEntry
from bot.records import verdict_support
from bot.store.pulls import review_mailbox, verdicts
from bot.store.records import PullRecord
from tests.logged import AT


@pytest.fixture(name="judged")
def _judged(sessions):
    """A maker of green verdicts that rest on these records."""

    def judged(*records, at=AT):
        note = Note(code="cla/individual", values={"version": "2.0", **({"records": records} if records else {})})
        verdict = Verdict(
            conclusion=Conclusion.SUCCESS, checks=(Check(name="CLA", conclusion=Conclusion.SUCCESS, notes=(note,)),)
        )
        with sessions() as session:
            pull = review_mailbox.find(session, 1, 1)
            if pull is None:
                pull = PullRecord(repository_id=1, number=1, installation_id=1, owner="o", name="r", owner_id=1)
                session.add(pull)
                session.flush()
            verdicts.add(session, pull.id, f"{at.timestamp():.0f}".ljust(40, "0"), verdict, at=at)

    return judged


def unsupported(sessions, **known):
    """What is found, where the log knows these rows and no others."""
    newest = {(table.split(":")[0], table.split(":")[1]): entry for table, entry in known.pop("rows").items()}
    with sessions() as session:
        return list(
            verdict_support.unsupported(
                session, lambda table, keys: {key: newest[table, key] for key in keys if (table, key) in newest}
            )
        )


def test_each_record(sessions, judged):
    """One that no entry names is named, with the verdict; a verdict of an earlier release names none."""
    judged()
    judged("signature:s1", "company:c1", "company_entry:e1", at=AT + timedelta(days=1))
    logged = {one: NewestEntry(1, AT) for one in ("signature:s1", "company:c1", "company_entry:e1")}
    assert unsupported(sessions, rows=logged) == []
    for gone in logged:
        rest = {key: entry for key, entry in logged.items() if key != gone}
        (what,) = unsupported(sessions, rows=rest)
        assert what.endswith(f"rests on the row {gone.replace(':', ' ')}, which no entry names")


@pytest.mark.parametrize(("minutes", "is_found"), [(-60, True), (-5, False), (60, False)])
def test_a_signature_that_was_taken_back(sessions, judged, minutes, is_found):
    """Before the verdict; a verdict may take some minutes."""
    judged("signature:s1")
    logged = {"signature:s1": NewestEntry(1, AT), "withdrawal:s1": NewestEntry(2, AT + timedelta(minutes=minutes))}
    found = unsupported(sessions, rows=logged)
    assert [one.endswith("which had been withdrawn") for one in found] == ([True] if is_found else [])
