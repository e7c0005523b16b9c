"""The receipt of a sign-off names account, commits and time and no other personal data, and git keeps it as a note."""

import json
import subprocess
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import text
from structlog.testing import capture_logs

from agreements import ledger, signed_receipt
from agreements.facts import Account
from agreements.store import erasures
from agreements.store.ledger import stored_ledger
from agreements.store.people import person_rows, portal_signoffs
from agreements.store.people.portal_signoffs import PortalSignoffDraft
from bot.cli.records.receipt import command
from bot.portal.contributor import sign_off
from tests.terminal import TerminalRunner
from tests.within import within

ADA = Account(11, "ada")
SHAS = ("a" * 40, "b" * 40)
PULL = (98, 7)  # As `portal.pull` stores it.


def sign(portal, *shas, account=ADA):
    """A sign-off of these commits in the records; the address of its receipt."""
    services = portal.services
    with portal.app.app_context():
        digest = sign_off.certificate().sha256
    draft = PortalSignoffDraft(
        repository_id=PULL[0], number=PULL[1], shas=shas or SHAS, text_sha256=digest, statement_id="s", statement_sha256="e" * 64,
        language="en", identity_proof="github-oauth",
    )  # fmt: skip
    with services.sessions() as session:
        context = within(session, services.vault, portal.at, services.new_id, by=account.id)
        person = person_rows.ensure(context, account)
        return f"/me/sign-offs/{portal_signoffs.add(context, person, draft).id}.json"


@pytest.fixture(name="address")
def _address(portal):
    """The address of the receipt of ada's sign-off in a stored pull request."""
    portal.pull(7)
    return sign(portal)


def verified(portal, data):
    """The receipt in these bytes, verified as an outsider would."""
    found = signed_receipt.parse(data)
    with portal.services.sessions() as session:
        signed_receipt.verify(found, stored_ledger.public_key(session, portal.services.vault))
    return found


def test_a_receipt_names_account_commits_and_time_and_nothing_else_of_the_person(portal, address):
    answer = portal.signed_in().get(address)
    found = verified(portal, answer.data)

    assert answer.headers["Content-Disposition"] == f'attachment; filename="sign-off-{"a" * 12}.json"'
    with portal.app.app_context():
        digest = sign_off.certificate().sha256
    assert {name: value for name, value in found.items() if name not in ("log", "signature")} == {
        "format": "countersign-sign-off/1",
        "issuer": "http://localhost",
        "repository": {"id": 98, "name": "cann/ops-math"},
        "pull_request": 7,
        "commits": list(SHAS),
        "agreement": {"name": "dco", "version": "1.1", "language": "en"},
        "source_sha256": digest,
        "account": {"id": 11, "login": "ada"},
        "signed_at": "2026-11-21T12:00:00Z",
        "withdrawn_at": None,
    }


def test_a_withdrawn_sign_off_has_a_receipt_that_says_so(portal, address):
    services, later = portal.services, portal.at + timedelta(hours=1)
    with services.sessions() as session:
        assert portal_signoffs.revoke(within(session, services.vault, later, services.new_id, by=11), *PULL) == 1

    assert verified(portal, portal.signed_in().get(address).data)["withdrawn_at"] == "2026-11-21T13:00:00Z"


def test_after_an_erasure_the_receipt_has_no_login(portal, address):
    services = portal.services
    with services.sessions() as session:
        person = person_rows.find(session, 11)
        erasures.restrict(session, services.vault, person, at=portal.at)
        erasures.shred(session, person, at=portal.at + timedelta(days=1))

    assert verified(portal, portal.signed_in().get(address).data)["account"] == {"id": 11, "login": ""}


@pytest.mark.parametrize("wrong", ["x", "%2e%2e", "a" * 300, "' OR 1=1 --"])
def test_for_others_and_for_other_ids_there_is_no_receipt(portal, address, wrong):
    assert portal.signed_in(id=12, login="bob").get(address).status_code == 404
    assert portal.signed_in().get(f"/me/sign-offs/{wrong}.json").status_code == 404
    assert portal.browser().get(address).status_code == 302


@pytest.mark.parametrize("forged", ["UPDATE portal_signoff SET revoked_at = signed_at", "DELETE FROM row_mac"])
def test_what_the_log_does_not_confirm_is_not_signed_and_told_to_the_operator(portal, address, forged):
    with portal.services.sessions() as session:
        session.execute(text(forged))
    with capture_logs() as lines:
        answer = portal.signed_in().get(address)

    assert (answer.status_code, "does not confirm this sign-off" in answer.text) == (503, True)
    assert [line["event"] for line in lines if line["log_level"] == "error"] == ["receipt.not-signed"]
    assert "countersign-sign-off" not in answer.text


@pytest.mark.parametrize(
    ("page", "said"),
    [
        ("/me", "no name and no e-mail address"),
        ("/me?lang=zh", "不含您的姓名和邮箱地址"),
        ("/pr/cann/ops-math/7/sign-off", "an erasure here does not remove it"),
    ],
)
def test_the_pages_say_what_is_in_the_file_beside_its_link(portal, address, page, said):
    sign(portal, "c" * 40, account=Account(12, "bob"))
    shown = portal.signed_in().get(page).text

    assert said in shown
    assert shown.count(".json") == shown.count(address) == 1
    assert "/me/sign-offs/" not in portal.signed_in(id=15, login="eve").get(page).text


def test_git_keeps_a_receipt_as_a_note_that_still_verifies_in_another_clone(portal, address, tmp_path):
    (tmp_path / "sign-off.json").write_bytes(portal.signed_in().get(address).data)

    def git(*words, at="work"):
        who = ("-c", "user.name=M", "-c", "user.email=m@example.org", "-c", "init.defaultBranch=main")
        done = subprocess.run(["git", *who, *words], cwd=tmp_path / at, check=True, capture_output=True, timeout=60)
        return done.stdout

    for folder in ("work", "other"):
        Path(tmp_path, folder).mkdir()
        git("init", "-q", at=folder)
    git("init", "-q", "--bare", "../shared.git")
    git("commit", "-q", "--allow-empty", "-m", "Work")
    git("remote", "add", "origin", "../shared.git")
    head = git("rev-parse", "HEAD").decode().strip()
    git("notes", "--ref=sign-offs", "add", "-F", "../sign-off.json", head)
    git("push", "-q", "origin", "HEAD:main", "refs/notes/sign-offs")
    git("fetch", "-q", "../shared.git", "main", "refs/notes/sign-offs:refs/notes/sign-offs", at="other")

    kept = git("notes", "--ref=sign-offs", "show", head, at="other")
    assert verified(portal, kept) == json.loads((tmp_path / "sign-off.json").read_bytes())
    (tmp_path / "kept.json").write_bytes(kept)
    with portal.services.sessions() as session:
        key = ledger.verifier_key(stored_ledger.public_key(session, portal.services.vault))
    said = TerminalRunner().invoke(command, ["verify", str(tmp_path / "kept.json"), "--key", key])
    assert (said.exit_code, "by the GitHub account 11 (ada)\n" in said.stdout) == (0, True)
