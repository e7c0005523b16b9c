"""Sealed bytes by name, many at once."""

from audit.store import sealed
from audit.store.sealed import MAX_NAMES_PER_QUERY, Sealed


def test_a_name_holds_the_last_bytes_until_they_are_dropped(sessions):
    names = [f"blob/{number:05}" for number in range(2 * MAX_NAMES_PER_QUERY + 1)]
    with sessions() as session:
        for name in names:
            sealed.put(session, name, Sealed(name.encode(), b"k", "k1"))
        sealed.put(session, names[0], Sealed(b"newer", b"k2", "k2"))
    with sessions() as session:
        found = sealed.each(session, [*names, "blob/none"])
        assert sorted(found) == names
        assert found[names[0]] == Sealed(b"newer", b"k2", "k2")
        assert sealed.under(session, [*names[:3], "blob/none"], ["k2", "k3"]) == {names[0]}
        assert sealed.under(session, names, ["k1", "k2"]) == set(names)
        assert (sealed.size(session, names[0]), sealed.size(session, "blob/none")) == (5, 0)
        sealed.drop(session, names[1:])
    with sessions() as session:
        assert sealed.get(session, names[1]) is None
        assert list(sealed.each(session, names)) == names[:1]


def test_neither_bytes_nor_key_are_printed():
    assert repr(Sealed(b"ada@home", b"ada@home", "k1")) == "Sealed(ring_key_id='k1')"
