"""Repositories as listed and as read: waiting commits, kept readings, and no remains of a removed one."""

from datetime import UTC, datetime, timedelta

import pytest

from audit.store import report_pages, repositories, repository_posts, sealed
from audit.store.repositories import Row, StoredReading
from audit.store.sealed import Sealed

AT = datetime(2026, 11, 22, 3, tzinfo=UTC)
OPS = Row(
    repository_id=2**40, owner_id=7, installation_id=5, owner="cann", name="ops", node="R_ops", branch="main",
    private=False, archived=False, fork=False, pushed_at=AT - timedelta(days=1),
)  # fmt: skip


def otherwise(row, **more):
    """The same repository, listed anew and otherwise."""
    return Row(**{**row.model_dump(exclude_unset=True), **more})


GE = otherwise(OPS, repository_id=12, name="ge", node="R_ge", pushed_at=None)
BOX = Sealed(b"sealed", b"key", "k1")


@pytest.fixture(name="session")
def _session(sessions):
    """Both repositories, listed, in one open session."""
    with sessions() as session:
        repositories.update_listing(session, [otherwise(OPS, looked_at=AT), otherwise(GE, looked_at=AT)])
        yield session


def read(session, row, sha, facts=BOX, blobs=("b1",), at=AT):
    """It was read at that commit."""
    repositories.read(session, row.repository_id, StoredReading(sha, f"print of {sha}", blobs), facts, at=at)


def test_a_renamed_repository_keeps_its_reading(session):
    repositories.request_reading(session, OPS.repository_id, "a1", at=AT)
    read(session, OPS, "a1")
    repositories.update_listing(
        session, [otherwise(OPS, name="ops-math", pushed_at=AT, looked_at=AT + timedelta(days=1))]
    )

    row = repositories.get(session, OPS.repository_id)
    assert (row.name, row.pushed_at, row.looked_at) == ("ops-math", AT, AT + timedelta(days=1))
    assert (row.head_sha, row.fingerprint, row.read_at, row.wanted_sha) == ("a1", "print of a1", AT, None)
    assert [repository.name for repository in repositories.of(session, 7)] == ["ge", "ops-math"]
    assert repositories.of(session, 8) == []


def test_a_commit_waits_until_it_or_a_newer_one_was_read(session):
    repositories.request_reading(session, OPS.repository_id, "a1", at=AT)
    repositories.request_reading(session, GE.repository_id, "b1", at=AT)
    assert repositories.waiting(session, 7) == 2
    repositories.request_reading(session, OPS.repository_id, "a2", at=AT + timedelta(hours=1))
    read(session, OPS, "a1")
    row = repositories.get(session, OPS.repository_id)
    assert (row.wanted_sha, row.wanted_at, row.head_sha) == ("a2", AT, "a1")
    read(session, OPS, "a2", None)
    repositories.give_up(session, GE.repository_id, "GitHub says no")

    assert repositories.waiting(session, 7) == 0
    assert repositories.get(session, GE.repository_id).why == "GitHub says no"
    assert sealed.get(session, repositories.name(OPS.repository_id)) == BOX


def test_a_blob_lives_as_long_as_a_repository_needs_it(session):
    for row, shas in ((OPS, "xy"), (GE, "yz")):
        repositories.keep_blobs(session, row.repository_id, dict.fromkeys(shas, BOX))
    names = {sha: repositories.blob_name(sha) for sha in "xyz"}
    assert set(sealed.each(session, names.values())) == set(names.values())

    read(session, OPS, "a1", blobs="x")
    assert set(sealed.each(session, names.values())) == set(names.values())
    read(session, GE, "b1", blobs="z")
    assert set(sealed.each(session, names.values())) == {names["x"], names["z"]}
    read(session, OPS, "a2", None, blobs="")  # the facts of before count, and so do their blobs
    assert sealed.get(session, names["x"]) == BOX


def test_a_removed_repository_leaves_nothing_and_others_stay(session):
    for row in (OPS, GE):
        repositories.keep_blobs(session, row.repository_id, {row.name: BOX})
        read(session, row, "a1", blobs=[row.name])
        page = report_pages.page(7, f"cann/{row.name}.zip", "d", at=AT, repository_id=row.repository_id)
        report_pages.put(session, page, BOX)
        repository_posts.intend(session, row.repository_id, "issue", at=AT)
    report_pages.put(session, report_pages.page(7, "report.json", "d", at=AT), BOX)
    repositories.forget(session, [OPS.repository_id])

    assert [repository.name for repository in repositories.of(session, 7)] == ["ge"]
    assert [page.name for page in report_pages.of(session, 7)] == ["cann/ge.zip", "report.json"]
    gone = [repositories.name(OPS.repository_id), repositories.blob_name("ops"), report_pages.name(7, "cann/ops.zip")]
    assert sealed.each(session, gone) == {}
    assert repository_posts.digests(session, OPS.repository_id) == {}
    assert repository_posts.digests(session, GE.repository_id) == {"issue": ""}


def test_a_damaged_reading_has_no_fingerprint_and_its_commit_still_waits(session):
    read(session, OPS, "a1")
    repositories.request_reading(session, OPS.repository_id, "a2", at=AT)
    repositories.mark_damaged(session, OPS.repository_id, "cannot be opened")
    row = repositories.get(session, OPS.repository_id)
    assert (row.fingerprint, row.why, row.wanted_sha, row.head_sha) == ("", "cannot be opened", "a2", "a1")


def test_an_empty_repository_loses_its_facts_and_stays(session):
    repositories.request_reading(session, OPS.repository_id, "a1", at=AT)
    read(session, OPS, "a1")
    repositories.mark_empty(session, OPS.repository_id, at=AT)

    row = repositories.get(session, OPS.repository_id)
    assert (row.head_sha, row.fingerprint, row.wanted_sha) == (None, "", None)
    assert sealed.get(session, repositories.name(OPS.repository_id)) is None


def test_the_number_of_a_running_report_is_kept_until_the_reading_ends(session):
    repositories.reported(session, OPS.repository_id, "r-1")
    assert repositories.get(session, OPS.repository_id).report == "r-1"
    read(session, OPS, "a1")
    assert repositories.get(session, OPS.repository_id).report == ""
