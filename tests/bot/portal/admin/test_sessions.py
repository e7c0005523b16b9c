"""Sessions: who is signed in, and ending one session or all of an account, each with one entry."""

import re

import pytest


@pytest.fixture(name="ada")
def _ada(office):
    """Ada, signed in twice."""
    return [office.portal.signed_in() for _ in range(2)]


def hashes(page):
    """What names the sessions."""
    return re.findall(r'name="session" value="([0-9a-f]{64})" aria-label="End this session of ada"', page)


def test_who_is_signed_in(office, ada):
    """With login and times; an auditor sees no button."""
    mine, theirs = (one.get("/admin/sessions").text for one in (office.root, office.eye))

    assert len(hashes(mine)) == 2
    assert theirs.count('<a href="/admin/people/11">ada</a>') == 2
    assert "<button" not in theirs.split("<main")[1]


def test_one_session_ends(office, ada):
    """Only that one; what has ended is no change."""
    chosen = hashes(office.root.get("/admin/sessions").text)[0]
    for _ in range(2):
        assert office.post("/admin/sessions", page="/admin/sessions", session=chosen).status_code == 302

    assert sorted(one.get("/me").status_code for one in ada) == [200, 302]
    (entry,) = office.entries()
    assert (entry.kind, entry.actor_id, entry.rows) == ("session.ended", 90, ())


def test_all_sessions_of_an_account_end(office, ada):
    """With one entry, sealed with their key if we know them."""
    office.signed()
    office.post("/admin/sessions", page="/admin/sessions", account="11")

    assert [one.get("/me").status_code for one in ada] == [302, 302]
    (entry,) = office.entries()
    assert entry.subject_kind == "person"
    assert office.root.get("/admin").status_code == 200


@pytest.mark.parametrize("how", ["session", "account"])
def test_ones_own_session_ends(office, how):
    """It leads to the front page: the desk would lead to GitHub's sign-in, where a browser lets no form lead."""
    page = office.root.get("/admin/sessions").text
    own = re.search(r'name="session" value="([0-9a-f]{64})" aria-label="End this session of root"', page)[1]
    answer = office.post("/admin/sessions", page="/admin/sessions", **{how: {"session": own, "account": "90"}[how]})

    assert answer.headers["Location"] == "/"
    assert office.root.get("/").status_code == 200
    assert office.root.get("/admin/sessions").headers["Location"].startswith("/login")


def test_nonsense_ends_nothing(office):
    """No change, no entry."""
    for form in (
        {},
        {"session": "x"},
        {"account": "0"},
        {"account": "-1"},
        {"account": "9" * 40},
        {"account": "1" * 5000},
    ):
        assert office.post("/admin/sessions", page="/admin/sessions", **form).status_code == 302
    assert office.entries() == ()


def test_an_auditor_ends_nothing(office, ada):
    """The page exists for them to read alone."""
    assert office.post("/admin/sessions", office.eye, account="11").status_code == 404
    assert ada[0].get("/me").status_code == 200
