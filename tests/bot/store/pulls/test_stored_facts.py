"""Stored facts: the newest of each pull request in one sealed row, deleted after 90 days."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import text, update
from sqlmodel import select

from agreements.vault import DecryptionFailed, KeyRing, Vault
from bot.store.pulls import posts, stored_facts
from bot.store.pulls.posts import PullRequestIdentity
from bot.store.pulls.stored_facts import FACTS_RETENTION, StoredFacts
from bot.store.records import PullRecord
from tests.bot.jobs.inline import InlineEngine

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
BOX = PullRequestIdentity(repository_id=11, number=1, installation_id=1, owner_id=7, owner="cann", name="ge")


@pytest.fixture(name="known")
def _known(sessions):
    """Row ids of Cann/ge#1, cann/ge#2, cann/Ab#3, and cann/ge#4, which is closed."""
    with sessions() as session:
        places = [("Cann", "ge", 1), ("cann", "ge", 2), ("cann", "Ab", 3), ("cann", "ge", 4)]
        boxes = [
            replace(BOX, owner=owner, name=name, number=number, repository_id=len(name) + ord(name[0]))
            for owner, name, number in places
        ]
        found = [posts.post(session, InlineEngine(), box)[0] for box in boxes]
        session.execute(update(PullRecord).where(PullRecord.number == 4).values(open=False))
    return found


@pytest.fixture(name="put")
def _put(sessions, vault):
    """Stores bytes for a pull request."""

    def put(pull_id, packed, head="a", at=NOON):
        with sessions() as session:
            stored_facts.keep(session, pull_id, head, stored_facts.encrypt(vault, pull_id, packed), at=at)

    return put


def rows(sessions):
    """Every row, by pull request."""
    with sessions() as session:
        return {row.pull_id: row for row in session.scalars(select(StoredFacts))}


def test_newer_facts_replace_older_ones_under_a_new_key(sessions, vault, known, put):
    put(known[0], b"old", head="a")
    old = rows(sessions)[known[0]]
    put(known[0], b"new", head="b", at=NOON + timedelta(days=1))
    put(known[1], b"other")

    new = rows(sessions)[known[0]]
    assert sorted(rows(sessions)) == known[:2]
    assert (new.head_sha, new.stored_at, new.ring_key_id) == ("b", NOON + timedelta(days=1), "k1")
    assert stored_facts.decrypt(vault, new) == b"new"
    assert new.wrapped_key != old.wrapped_key


def test_facts_and_their_key_are_not_stored_in_clear(engine, known, put):
    put(known[0], b"ada@huawei.com" * 20)
    with engine.connect() as connection:
        row = connection.execute(text("SELECT * FROM stored_facts")).one()
    assert b"ada@" not in b"".join(bytes(value) for value in row if not isinstance(value, str | int | datetime))


def test_facts_open_only_in_their_own_unchanged_row(sessions, vault, known, put):
    put(known[0], b"facts")
    row = rows(sessions)[known[0]]
    stranger = Vault(KeyRing.parse(KeyRing.generate("k1")))
    wrong = [
        (vault, {"pull_id": known[1]}),
        (vault, {"sealed": row.sealed[:-1] + bytes([row.sealed[-1] ^ 1])}),
        (vault, {"ring_key_id": "k0"}),
        (stranger, {}),
    ]
    for with_vault, changes in wrong:
        with pytest.raises(DecryptionFailed):
            stored_facts.decrypt(with_vault, StoredFacts(**{**row.model_dump(), **changes}))


def test_open_pull_requests_are_given_in_order_with_their_facts(sessions, known, put):
    put(known[1], b"facts", head="b")
    put(known[3], b"facts")
    with sessions() as session:
        found = list(stored_facts.of_open(session))

    assert [(with_facts.owner, with_facts.name, with_facts.number) for with_facts in found] == [
        ("cann", "Ab", 3),
        ("Cann", "ge", 1),
        ("cann", "ge", 2),
    ]
    assert [with_facts.stored and with_facts.stored.head_sha for with_facts in found] == [None, None, "b"]
    assert [with_facts.pull_id for with_facts in found] == [known[2], known[0], known[1]]


def test_forgetting_deletes_one_pull_requests_facts_alone(sessions, known, put):
    put(known[0], b"x")
    put(known[1], b"x")
    with sessions() as session:
        stored_facts.forget(session, known[0])
    assert sorted(rows(sessions)) == [known[1]]


def test_facts_are_deleted_after_90_days(sessions, known, put):
    put(known[0], b"x", at=NOON)
    put(known[1], b"x", at=NOON + timedelta(seconds=1))
    for at, left in [(NOON + FACTS_RETENTION - timedelta(seconds=1), known[:2]), (NOON + FACTS_RETENTION, known[1:2])]:
        with sessions() as session:
            stored_facts.purge(session, at=at, most=9)
        assert sorted(rows(sessions)) == left
    assert timedelta(days=90) == FACTS_RETENTION


def test_the_facts_of_given_pull_requests_are_read_in_lots(sessions, vault, known, put, monkeypatch):
    monkeypatch.setattr(stored_facts, "_BATCH_FACTS", 2)
    for pull_id in known:
        put(pull_id, str(pull_id).encode())
    with sessions() as session:
        wanted = [*known[:3], 999]
        found = {row.pull_id: stored_facts.decrypt(vault, row) for row in stored_facts.of_pulls(session, wanted)}
        assert found == {pull_id: str(pull_id).encode() for pull_id in known[:3]}
        assert list(stored_facts.of_pulls(session, [])) == []
