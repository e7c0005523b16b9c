"""A key is rotated beside a running server: every record stays readable, and a break loses nothing."""

import stat
import threading
from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest

from agreements.facts import Account
from agreements.store.ledger import stored_ledger
from agreements.store.ledger.stored_ledger import SERVER, Change
from agreements.store.ledger.transient_rows import RowRefused
from agreements.store.people import email_codes, emails, person_rows, signatures
from agreements.store.people.emails import ProvenAddress
from agreements.vault import DecryptionFailed, KeyRing, Vault, WrappedKey, place
from audit.store import sealed as audit_sealed
from bot.records import key_rotation
from bot.records.key_rotation import NotRotated, RingFile
from bot.store import keyring_holders, portal_sessions, tokens
from bot.store.pulls import posts, stored_facts
from bot.store.pulls.posts import PullRequestIdentity
from bot.store.pulls.stored_facts import StoredFacts
from tests.bot.jobs.inline import InlineEngine
from tests.drafts import signature_draft
from tests.within import within

AT = datetime(2026, 1, 1, tzinfo=UTC)
OLD, NEW = KeyRing.generate("k1"), KeyRing.generate("k2")
PEOPLE = 60
HELD = PEOPLE + (PEOPLE + 1) + 1
"""Their data keys, the codes of their rows and of the log's beginning, the log's key."""


@pytest.fixture(name="file")
def _file(tmp_path):
    file = tmp_path / "keys"
    file.write_text(f"# ours\n{OLD}\n")
    file.chmod(0o640)
    return file


@pytest.fixture(name="signed")
def _signed(sessions):
    """Sixty people who signed under the old key."""
    vault = Vault(KeyRing.parse(OLD))
    with sessions() as session:
        for number in range(1, PEOPLE + 1):
            person = person_rows.ensure(within(session, vault, AT, f"p{number}"), Account(number, "x"))
            draft = signature_draft(name=f"N{number}", email="a@b.org")
            signatures.add(within(session, vault, AT, f"s{number}"), person, draft, receipt=f"R{number}")


@pytest.fixture(name="vault_of_all")
def _vault_of_all(sessions):
    """Both keys; under the old key the log has begun, and one of the sixty people has proven an address."""
    old = Vault(KeyRing.parse(OLD))
    with sessions() as session:
        proven = ProvenAddress(address="ada@home.org", how="mailed-code", at=AT)
        emails.prove(within(session, old, new_id="q"), person_rows.find(session, 1), proven)
        within(session, old, AT, "l").append(Change(kind="a.b", actor_id=1, subject=SERVER))
    return Vault(KeyRing.parse(f"{NEW}\n{OLD}"))


def test_a_new_key_is_added_on_top_and_the_file_keeps_its_mode(file):
    ring = key_rotation.add_key(file, KeyRing.parse(OLD), NEW)

    assert ring.ids == ("k2", "k1")
    assert file.read_text() == f"{NEW}\n# ours\n{OLD}\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert list(file.parent.iterdir()) == [file]


def test_a_linked_key_file_is_changed_behind_its_links(file, tmp_path):
    (tmp_path / "mounted").mkdir()
    near, far = tmp_path / "mounted" / "near", tmp_path / "far"
    near.symlink_to("../keys")
    far.symlink_to(near)
    key_rotation.add_key(far, KeyRing.parse(OLD), NEW)

    assert (far.is_symlink(), near.is_symlink(), file.is_symlink()) == (True, True, False)
    assert KeyRing.parse(file.read_text()).ids == ("k2", "k1")
    assert sorted(tmp_path.rglob("*")) == sorted([far, file, near.parent, near])


def test_a_key_file_that_changed_meanwhile_is_left_alone(file):
    with pytest.raises(NotRotated, match="run this again"):
        key_rotation.add_key(file, KeyRing.parse(NEW), NEW)
    assert file.read_text() == f"# ours\n{OLD}\n"


@pytest.mark.slow
def test_a_process_that_follows_the_file_reads_every_record_during_a_rotation(sessions, signed, file):
    serving = Vault(KeyRing.parse(file.read_text()), RingFile(file).changed)
    failed, read, done = [], [0], threading.Event()

    def reading():
        while not done.is_set() or not read[0]:
            for number in range(1, PEOPLE + 1, 7):
                try:
                    with sessions() as session:
                        assert signatures.receipt(session, serving, f"R{number}", number).draft.name == f"N{number}"
                    read[0] += 1
                except DecryptionFailed as error:
                    failed.append(str(error))
                    return

    reader = threading.Thread(target=reading)
    reader.start()
    vault = Vault(key_rotation.add_key(file, KeyRing.parse(OLD), NEW))
    rows = sum(lot.rows for lot in key_rotation.move(sessions, vault))
    done.set()
    reader.join()

    assert failed == []
    assert read[0] > 0
    assert rows == HELD
    assert key_rotation.unmoved(sessions, vault) == 0
    assert key_rotation.held(sessions) == {"k2": HELD}


@pytest.mark.slow
def test_data_keys_of_facts_and_audits_are_moved_too(sessions, signed):
    old, both = Vault(KeyRing.parse(OLD)), Vault(KeyRing.parse(f"{NEW}\n{OLD}"))
    box = PullRequestIdentity(repository_id=1, number=1, installation_id=1, owner_id=1, owner="o", name="n")
    with sessions() as session:
        pull_id = posts.post(session, InlineEngine(), box)[0]
        stored_facts.keep(session, pull_id, "a", stored_facts.encrypt(old, pull_id, b"facts"), at=AT)
        key, wrapped = old.new_data_key(audit_sealed.PURPOSE, "report")
        contents = old.encrypt(key, b"report", "here")
        audit_sealed.put(session, "report", audit_sealed.Sealed(contents, wrapped.sealed, wrapped.ring_key_id))

    moved = {lot.step: lot.rows for lot in key_rotation.move(sessions, both) if lot.rows}

    assert key_rotation.unmoved(sessions, both) == 0
    assert sum(moved.values()) == HELD + 2, moved
    alone = Vault(KeyRing.parse(NEW))
    with sessions() as session:
        assert stored_facts.decrypt(alone, session.get(StoredFacts, pull_id)) == b"facts"
        kept = audit_sealed.get(session, "report")
        key = alone.unwrap(WrappedKey(kept.ring_key_id, kept.wrapped_key), audit_sealed.PURPOSE, "report")
        assert alone.decrypt(key, kept.sealed, "here") == b"report"


@pytest.mark.slow
def test_an_interrupted_rotation_continues_where_it_stopped(sessions, signed):
    vault = Vault(KeyRing.parse(f"{NEW}\n{OLD}"))
    assert key_rotation.unmoved(sessions, vault) == HELD
    next(key_rotation.move(sessions, vault))
    list(key_rotation.move(sessions, vault))
    assert [lot.rows for lot in key_rotation.move(sessions, vault) if lot.rows] == []


@pytest.mark.slow
def test_a_key_that_is_held_no_more_is_needed_for_nothing(sessions, signed, vault_of_all):
    both, alone = vault_of_all, Vault(KeyRing.parse(NEW))
    steps = []
    for lot in key_rotation.move(sessions, both):
        steps.append(lot.step)
        if "k1" not in key_rotation.held(sessions):
            with sessions() as session:
                again = ProvenAddress(address="ada@home.org", how="mailed-code", at=AT)
                assert (
                    emails.prove(within(session, alone, new_id="again"), person_rows.find(session, 1), again).id == "q"
                )
                assert stored_ledger.public_key(session, alone)
    assert steps[-1] == "person"
    assert key_rotation.unmoved(sessions, both) == 0


def test_sealed_values_and_codes_of_the_server_are_counted(sessions):
    old = Vault(KeyRing.parse(OLD))
    with sessions() as session:
        within(session, old, AT, "l").append(Change(kind="a.b", actor_id=1, subject=SERVER))

    assert key_rotation.held(sessions) == {"k1": 3}
    assert key_rotation.unmoved(sessions, Vault(KeyRing.parse(f"{NEW}\n{OLD}"))) == 3


def test_a_rotation_waits_for_processes_without_the_new_key(sessions):
    vault = Vault(KeyRing.parse(f"{NEW}\n{OLD}"))
    waited = []

    def wait(seconds):
        waited.append(seconds)
        with sessions() as session:
            keyring_holders.tell(session, "web", ("k2", "k1"), at=AT)

    with sessions() as session:
        keyring_holders.tell(session, "web", ("k1",), at=AT)
    key_rotation.wait_for_holders(sessions, vault, lambda: AT, wait)

    assert waited == [1]


def test_a_rotation_that_waited_too_long_names_the_missing_key(sessions):
    waited = []
    with sessions() as session:
        keyring_holders.tell(session, "web", ("k1",), at=AT)
    with pytest.raises(NotRotated, match="1 running processes don't have the key 'k2'"):
        key_rotation.wait_for_holders(sessions, Vault(KeyRing.parse(f"{NEW}\n{OLD}")), lambda: AT, waited.append)
    assert len(waited) == 60


def test_sessions_codes_and_tokens_are_moved_and_still_open(sessions):
    old, both, new = (Vault(KeyRing.parse(ring)) for ring in (OLD, f"{NEW}\n{OLD}", NEW))
    with sessions() as session:
        person = person_rows.ensure(within(session, old, AT, "p1"), Account(1, "x"))
        portal_sessions.keep(
            session, old, "a" * 64, 1, old.encrypt_for_server(b"x", place("visit", "sealed", "a" * 64)), AT
        )
        code = email_codes.issue(within(session, old, AT, "c1"), person, "a@b.org", company_id=None)
        row, words = tokens.make(within(session, old, AT, "t1", by=90), "ci", ["covered:read"], until=AT + timedelta(days=9))  # fmt: skip
        within(session, old, AT, lambda: "l1", by=90).log("token.made", rows=[row])
    assert set(key_rotation.held(sessions)) == {"k1"}

    moved = Counter[str]()
    for lot in key_rotation.move(sessions, both):
        moved[lot.step] += lot.rows

    assert (moved["look-ups"], moved["codes of rows"], moved["visit"]) == (1, 5, 1), moved
    assert set(key_rotation.held(sessions)) == {"k2"}
    with sessions() as session:
        assert portal_sessions.find(session, new, "a" * 64, AT) is not None
        assert tokens.holder(session, new, words, at=AT).id == "t1"
        with pytest.raises(RowRefused, match="unknown-key"):
            email_codes.answer(within(session, old, AT, by=1), "c1", code.code)
        # No process knows the code, so its hash cannot be made anew: for ten minutes it needs the key that made it.
        assert email_codes.answer(within(session, both, AT, by=1), "c1", code.code).outcome == "right"
