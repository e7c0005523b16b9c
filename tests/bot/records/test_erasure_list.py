"""The list of erasures is read as written, refused if broken, and repeated in order."""

from datetime import UTC, datetime

import pytest

from agreements.store.erasures import DELETED, DecidedErasure, ErasureRefused
from agreements.vault import DecryptionFailed, KeyDestroyed
from bot.records.erasure_list import NO_KEY, UNREADABLE, ErasureList, ErasureListInvalid, dump, parse, repeat

AT = datetime(2026, 3, 1, 12, 0, 0, 250, tzinfo=UTC)


def decided(erasure_id="e1", day=1):
    """A deletion that was decided on that day of March."""
    return DecidedErasure(
        id=erasure_id, account_id=11, person_id=None, state=DELETED, asked_at=AT, decided_at=AT.replace(day=day),
        decided_by=90, due_at=AT,
    )  # fmt: skip


@pytest.mark.parametrize("since", [None, AT])
@pytest.mark.parametrize("count", [0, 1, 3])
def test_a_list_is_read_back_as_written(since, count):
    found = ErasureList(
        log="countersign-ledger/1", exported_at=AT, since=since, erasures=tuple(decided(f"e{n}") for n in range(count))
    )
    text = dump(found)
    assert parse(text) == found
    assert text.count('"id"') == count


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", "[" * 100_000, dump(ErasureList(log="", exported_at=AT, since=None, erasures=[decided()]))[:-3]],
)
def test_a_broken_list_is_refused(text):
    with pytest.raises(ErasureListInvalid):
        parse(text)


def test_erasures_are_repeated_in_order_and_one_refusal_stops_no_other():
    seen = []

    class Erasing:
        def repeat(self, erasure):
            seen.append(erasure.id)
            if erasure.id == "e2":
                raise ErasureRefused("kept")
            if erasure.id == "e3":
                raise DecryptionFailed
            if erasure.id == "e5":
                raise KeyDestroyed
            return DELETED

    listed = [decided("e5", 5), decided("e4", 4), decided("e2", 2), decided("e3", 3), decided("e1", 1)]
    result = repeat(Erasing(), ErasureList(log="", exported_at=AT, since=None, erasures=listed))
    assert seen == ["e1", "e2", "e3", "e4", "e5"]
    assert (result.repeated, result.known, result.absent) == (2, 0, ())
    assert result.refused == {"e2": "kept", "e3": UNREADABLE, "e5": NO_KEY}
