"""One account as it is administered: everything that is kept of it, and revoking one of its signatures with a reason."""

from agreements.store.people import documents, people, revocations, subjects
from agreements.store.people.documents import DocumentDraft

RECEIPT = "AAAA-BBBB-CCCC-DDDD-EEEE"


def test_what_is_kept_of_somebody(office):
    """Signatures, companies, open pull requests; addresses masked; unknown accounts have no page."""
    office.signed()
    office.company()
    office.portal.pull(7)
    page = office.eye.get("/admin/people/11").text

    assert f'href="/admin/signatures/{RECEIPT}"' in page
    assert "for Huawei" in page
    assert ">Huawei</a>" in page
    assert "cann/ops-math#7" in page
    assert "ada@example.com" not in page
    for gone in ("0", str(2**70)):
        assert office.root.get(f"/admin/people/{gone}").status_code == 404


def test_an_account_that_only_signed_in(office):
    """Wherever its number stands, the link leads to a page that says that nothing is kept, and to the log."""
    office.portal.signed_in(id=99, login="eve")
    assert '<a href="/admin/people/99">eve</a>' in office.eye.get("/admin/sessions").text
    page = office.eye.get("/admin/people/99").text

    assert "We store nothing about this account" in page
    assert '<a href="/admin/sessions">1 session</a>' in page
    assert 'href="/admin/log?subject=99"' in page


def test_an_auditor_is_shown_no_link_to_what_they_may_not_see(office):
    """The export is an administrator's."""
    assert 'href="/admin/export"' in office.root.get("/admin").text
    assert 'href="/admin/export"' not in office.eye.get("/admin").text


def test_a_signature_is_opened_for_who_administers_and_audits(office):
    """Name and address; only administrators see the form that revokes it."""
    office.signed()
    mine, theirs = (one.get(f"/admin/signatures/{RECEIPT}").text for one in (office.root, office.eye))

    assert "Ada 爱达" in theirs
    assert "ada@example.com" in theirs
    assert "/revoke" in mine
    assert "<form" not in theirs.split("<main")[1]
    for gone in ("AAAA-BBBB-CCCC-DDDD-FFFF", "x"):
        assert office.root.get(f"/admin/signatures/{gone}").status_code == 404


def test_revoking_is_one_step(office):
    """Row, mail, recheck and exactly one entry; the reason is read again on the page."""
    office.signed()
    pull_id = office.portal.pull(7)
    answer = office.post(f"/admin/signatures/{RECEIPT}/revoke", reason="  The account\nwas stolen ")

    assert (answer.status_code, answer.location) == (302, f"/admin/signatures/{RECEIPT}")
    with office.portal.services.sessions() as session:
        found = revocations.find(session, office.portal.services.vault, RECEIPT)
    assert (found.ended.kind, found.ended.by_account_id, found.reason) == ("revocation", 90, "The account was stolen")
    (entry,) = office.entries()
    assert (entry.kind, entry.actor_id, [row.table for row in entry.rows]) == ("signature.revoked", 90, ["withdrawal"])
    ((kind, to, values),) = office.outbox_emails()
    assert (kind, to, values["receipt"], values["reason"]) == (
        "revoked",
        "ada@example.com",
        RECEIPT,
        "The account was stolen",
    )
    jobs = {job.ids for job in office.portal.engine.waiting}
    assert (pull_id,) in jobs
    page = office.root.get(f"/admin/signatures/{RECEIPT}").text
    assert "Revoked" in page
    assert "/revoke" not in page


def test_without_a_reason_nothing_happens(office):
    """The line is linked to its field."""
    office.signed()
    for reason in ("", "  ", "x" * 2001):
        answer = office.post(f"/admin/signatures/{RECEIPT}/revoke", reason=reason)
        assert answer.status_code == 400
        assert '<a href="#reason">Enter a reason' in answer.text
    assert office.entries() == ()


def test_what_has_ended_is_not_revoked_again(office):
    """Two administrators at once: the second is told."""
    office.signed()
    for status in (302, 409):
        assert office.post(f"/admin/signatures/{RECEIPT}/revoke", reason="Stolen").status_code == status
    assert len(office.entries()) == 1


def test_of_somebody_restricted_every_opening_is_logged(office):
    """The page keeps name and address closed until a button is pressed; the log names who did. So does a file."""
    office.signed()
    services = office.portal.services
    with services.sessions() as session:
        row = revocations.find(session, services.vault, RECEIPT).row
        subject = subjects.of_account(session, services.vault, 11)
        draft = DocumentDraft(service="paper", name="ada.pdf", media_type="application/pdf", content=b"%PDF-1")
        documents.add(
            session,
            services.vault,
            draft,
            subject=subject,
            signature_id=row.id,
            at=services.clock(),
            by=90,
            new_id="d1",
        )
    assert office.root.get("/admin/papers/d1").status_code == 200
    assert not office.entries()
    with services.sessions() as session:
        people.find(session, 11).restricted_at = services.clock()

    path = f"/admin/signatures/{RECEIPT}"
    closed = [office.eye.get(page).text for page in (path, "/admin/papers", "/admin/papers/d1", "/admin/people/11")]
    closed.append(office.post(f"{path}/revoke", reason=" ").text)
    for word in ("Ada 爱达", "ada@example.com", "ada.pdf", "%PDF"):
        assert word not in "".join(closed), word
    assert 'action="/admin/papers/d1/open"' in closed[2]
    assert not office.entries()
    opened = office.post(f"{path}/open", office.eye).text
    for word in ("Ada 爱达", "ada@example.com", "ada.pdf"):
        assert word in opened, word
    file = office.post("/admin/papers/d1/open")
    assert (file.data, file.headers["Content-Disposition"]) == (b"%PDF-1", "attachment; filename=ada.pdf")
    assert [(one.kind, one.actor_id) for one in office.entries()] == [("document.opened", 90), ("signature.opened", 91)]
