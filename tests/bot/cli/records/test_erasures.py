"""Erasures are exported beside an old backup and repeated by its restore."""

import json
from contextlib import closing, suppress
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner
from sqlmodel import select

from agreements.facts import Account
from agreements.store import erasures, public_records
from agreements.store.ledger.stored_ledger import SERVER
from agreements.store.people import emails, person_rows, signatures
from agreements.store.people.emails import ProvenAddress
from agreements.store.tables.ledger_records import LedgerEntry
from agreements.store.tables.records import Proof, SignatureRecord
from agreements.vault import DecryptionFailed, KeyRing, Vault
from bot import clock, db
from bot.cli.backup import command as backup
from bot.cli.records.erasures import command as exported
from bot.cli.records.ledger import command as ledger
from bot.cli.restore import command as restore
from bot.records.erasure import Erasures
from bot.records.erasure_keys import ErasureKeyFile
from bot.records.record_access import RecordAccess
from bot.store import outbox
from bot.store.outbox import Mail
from tests.bot.jobs.inline import InlineEngine
from tests.ready import upgraded
from tests.tampering.history import History
from tests.within import within

PROVEN, SIGNED, WITHDREW, STAYS, NAMELESS = 11, 12, 13, 14, 15
"""Who only proved an address; who signed; who signed and withdrew after the backup; who stays; whom only this list knows."""
ADMINISTRATOR = 90
on_sqlite = pytest.mark.parametrize(("database_url", "place"), [("sqlite", False)], indirect=True)
"""What has nothing to do with the kind of the database or of the keys."""
LONG_AGO = timedelta(days=366 * 11)


class Place:
    """One installation: its database, its ring, perhaps its erasure keys, and its commands."""

    def __init__(self, folder, url, keys_file):
        self.folder, self.url, self.ring = folder, url, KeyRing.generate("k1")
        self.file = ErasureKeyFile(keys_file) if keys_file else None
        if self.file:
            self.file.make()
        self.vault = Vault(KeyRing.parse(self.ring), erasure_keys=self.file)
        self.engine = upgraded(url)
        self.history = History(self.engine, self.vault)
        self.sessions = self.history.sessions

    def run(self, command, *arguments, url=None, keys=None):
        """A command with this place's settings, perhaps with another file of erasure keys."""
        env = {"COUNTERSIGN_DATABASE_URL": url or self.url, "COUNTERSIGN_KEYS": self.ring}
        if self.file:
            env["COUNTERSIGN_ERASURE_KEYS_FILE"] = str(self.file.path) if keys is None else str(keys)
        return CliRunner().invoke(command, [str(argument) for argument in arguments], env=env)

    def prove(self, account_id):
        """A person who never signs proves an address."""
        at = self.history.now()
        with self.sessions() as session:
            account = Account(account_id, f"u{account_id}")
            person = person_rows.ensure(within(session, self.vault, at, self.history.fresh), account)
            proven = ProvenAddress(address=f"u{account_id}@x.org", how="mailed-code", at=at)
            proof = emails.prove(within(session, self.vault, new_id=self.history.fresh), person, proven)
            self.history.write(session, "address.proven", SERVER, [proof])

    def erasing(self, later=timedelta(0)):
        """Its erasures, at a later time perhaps."""
        return Erasures(records=RecordAccess(self.sessions, self.vault, lambda: clock.now() + later, clock.new_id, url="https://cla.example.org"), engine=InlineEngine(), years=10)  # fmt: skip

    def erase(self):
        """Delete one, restrict two, and destroy the key of whose time is over; as the job does, their erasure keys."""
        erasing = self.erasing()
        erasing.delete(erasing.order(PROVEN, "asked", by=ADMINISTRATOR), by=ADMINISTRATOR)
        for account_id in (SIGNED, WITHDREW):
            erasing.restrict(erasing.order(account_id, "asked", by=ADMINISTRATOR), "evidence", by=ADMINISTRATOR)
        self.erasing(LONG_AGO).shred()
        if self.file:
            with self.sessions() as session:
                self.file.destroy(erasures.without_key(session, self.file.ids()))


@pytest.fixture(name="place", params=[False, True], ids=["ring alone", "erasure keys"])
def _place(request, tmp_path, database_url):
    """People of all kinds, backed up; then one withdraws, three are erased, and the list is exported."""
    place = Place(tmp_path, database_url, tmp_path / "erasure-keys" if request.param else None)
    with closing(SimpleNamespace(close=place.engine.dispose)):
        place.prove(PROVEN)
        receipts = {account_id: place.history.sign(account_id) for account_id in (SIGNED, WITHDREW, STAYS)}
        place.before = place.history.checkpoint()
        assert place.run(backup, tmp_path / "backup").exit_code == 0
        place.history.at = clock.now()
        place.history.withdraw(WITHDREW, receipts[WITHDREW])
        place.erase()
        written = place.run(exported, "export", "--out", tmp_path / "list")
        assert (written.exit_code, written.stderr) == (0, f"wrote 3 erasures to {tmp_path / 'list'}\n")
        yield place


def came_back(place, url):
    """What the restored database holds: on the list, in force, names and addresses that open, states, entries of erasures."""
    engine = db.open_engine(url)
    at = clock.now()
    with db.sessions(engine)() as session:
        listed = {account_id for _, account_id in public_records.listing(session, accepted=(), at=at).individuals}
        everyone = [PROVEN, SIGNED, WITHDREW, STAYS]
        standing = signatures.of(session, everyone, accepted=(("icla", "2.0", "en", "a" * 64),))
        covers = {signature.account_id for signature in standing if signature.withdrawn_at is None}
        opened = set()
        for row in session.exec(select(SignatureRecord)):
            with suppress(DecryptionFailed):
                signatures.evidence(place.vault, person_rows.find(session, row.account_id), row)
                opened.add(row.account_id)
        for row in session.exec(select(Proof)):
            if emails.opened(session, place.vault, [row.id]):
                opened.add(row.account_id)
        states = {erasure.account_id: erasure.state for erasure in erasures.decided(session)}
        entries = [entry.kind for entry in session.exec(select(LedgerEntry).order_by(LedgerEntry.number))]
        mail = [outbox.opened(place.vault, mail) for mail in session.exec(select(Mail))]
        known = {account for account in everyone if person_rows.find(session, account)}
    engine.dispose()
    return SimpleNamespace(
        listed=listed, covers=covers, opened=opened, states=states, mail=mail, known=known,
        entries=[kind for kind in entries if kind.startswith("erasure.")],
    )  # fmt: skip


@pytest.mark.slow
def test_with_the_list_erased_people_do_not_come_back_from_an_old_backup(place, other_url, tmp_path):
    done = place.run(restore, tmp_path / "backup", "--erasures", tmp_path / "list", url=other_url)
    assert done.exit_code == 0, done.output
    assert "repeated 3 of 3 erasures of the list; 1 deleted, 1 restricted, 1 keys destroyed, 0 already" in done.stdout
    assert "are undone" not in done.stdout

    found = came_back(place, other_url)
    assert found.states == {PROVEN: "deleted", SIGNED: "restricted", WITHDREW: "shredded"}
    assert found.entries == ["erasure.deleted", "erasure.restricted", "erasure.shredded"]
    assert found.known == {SIGNED, WITHDREW, STAYS}
    assert found.listed == {STAYS}
    assert found.covers == {SIGNED, STAYS}, "what is restricted counts until it is withdrawn, as before the restore"
    assert found.opened == {SIGNED, STAYS}, "evidence of who is restricted is kept"
    assert found.mail == [], "no person gets the same e-mail again"
    verified = place.run(ledger, "verify", url=other_url)
    assert verified.exit_code == 0, verified.output


@pytest.mark.slow
@on_sqlite
def test_a_repeated_erasure_keeps_the_moment_of_its_decision(place, other_url, tmp_path):
    assert place.run(restore, tmp_path / "backup", "--erasures", tmp_path / "list", url=other_url).exit_code == 0
    with place.sessions() as session:
        before = erasures.decided(session)
    engine = db.open_engine(other_url)
    with db.sessions(engine)() as session:
        assert erasures.decided(session) == before
        due = {
            erasure.id: erasures.find(session, erasure.id).due_at for erasure in before if erasure.state == "restricted"
        }
    engine.dispose()
    with place.sessions() as session:
        assert due == {erasure_id: erasures.find(session, erasure_id).due_at for erasure_id in due}


@pytest.mark.slow
def test_without_the_list_the_restore_says_which_erasures_are_undone(place, other_url, tmp_path):
    done = place.run(restore, tmp_path / "backup", url=other_url)
    (said,) = [line for line in done.stdout.splitlines() if "erasures decided after" in line]
    assert said.endswith(
        " UTC are undone. To repeat them, restore the backup again into an empty place, with --erasures and the newest list of"
        " `countersign erasures export`, or decide them again at /admin/erasures"
    )
    found = came_back(place, other_url)
    assert (found.states, found.listed) == ({}, {SIGNED, WITHDREW, STAYS})
    # Without their erasure keys even the backup opens no longer, and no entry explains why: verifying says so.
    assert done.exit_code == (1 if place.file else 0), done.output
    assert found.opened == {SIGNED, STAYS} | ({WITHDREW, PROVEN} if not place.file else set())


@pytest.mark.slow
@on_sqlite
def test_an_erasure_that_the_backup_has_already_is_not_repeated(place, other_url, tmp_path):
    assert place.run(backup, tmp_path / "newer").exit_code == 0
    done = place.run(restore, tmp_path / "newer", "--erasures", tmp_path / "list", url=other_url)
    assert done.exit_code == 0, done.output
    assert "repeated 0 of 3 erasures of the list; 3 already in the backup" in done.stdout
    assert came_back(place, other_url).entries.count("erasure.deleted") == 1


with_keys = pytest.mark.parametrize(("database_url", "place"), [("sqlite", True)], indirect=True)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ("", "COUNTERSIGN_ERASURE_KEYS_FILE is not set"),
        ("/gone", "/gone is not there"),
        ("another", "has no key of any person"),
        (".", "Is a directory"),
    ],
)
@pytest.mark.parametrize("listed", [True, False])
@with_keys
def test_without_the_right_erasure_keys_nothing_is_restored(place, other_url, tmp_path, keys, said, listed):
    """Without them, evidence that must be kept looks as if its key had been destroyed."""
    ErasureKeyFile(tmp_path / "another").make()
    ErasureKeyFile(tmp_path / "another").give(["stranger"], anew=False)
    options = ["--erasures", tmp_path / "list"] if listed else []
    keys = tmp_path / keys if keys else ""
    done = place.run(restore, tmp_path / "backup", *options, url=other_url, keys=keys)
    assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith("countersign: nothing was restored: COUNTERSIGN_ERASURE_KEYS_FILE")
    assert said in done.stderr
    assert not [file.name for file in tmp_path.iterdir() if file.name.startswith(("other", ".other.db.new"))]


@pytest.mark.slow
@with_keys
def test_a_missing_erasure_key_destroys_nothing_that_the_list_says_is_kept(place, other_url, tmp_path):
    with place.sessions() as session:
        person_id = person_rows.find(session, SIGNED).id
    place.file.destroy([person_id])
    done = place.run(restore, tmp_path / "backup", "--erasures", tmp_path / "list", url=other_url)
    assert done.exit_code == 1, "verifying says that a key is missing"
    assert "lacks the erasure keys of 1 of the people" in done.stderr
    assert "1 deleted, 1 restricted, 1 keys destroyed" in done.stdout
    with (
        closing(SimpleNamespace(close=(engine := db.open_engine(other_url)).dispose)),
        db.sessions(engine)() as session,
    ):
        assert not person_rows.is_erased(person_rows.find(session, SIGNED))


def erased_alike(place, listed, state):
    """A list by which both that signed ended in that state, and the file of erasure keys lacks their keys."""
    with place.sessions() as session:
        person_ids = {account_id: person_rows.find(session, account_id).id for account_id in (SIGNED, STAYS)}
    place.file.destroy(list(person_ids.values()))
    found = json.loads(listed.read_text(encoding="utf-8"))["erasures"]
    others = [line for line in found if line["account_id"] not in person_ids]
    theirs = [
        found[0] | {"id": f"e-{account_id}", "account_id": account_id, "person_id": person_id, "state": state}
        for account_id, person_id in person_ids.items()
    ]
    changed(listed, erasures=others + theirs)


@pytest.mark.slow
@with_keys
def test_a_backup_of_erased_people_alone_is_restored_with_the_list_that_says_so(place, other_url, tmp_path):
    erased_alike(place, tmp_path / "list", "shredded")
    done = place.run(restore, tmp_path / "backup", "--erasures", tmp_path / "list", url=other_url)
    assert done.exit_code == 0, done.output
    assert "1 deleted, 3 keys destroyed" in done.stdout


@pytest.mark.slow
@with_keys
def test_what_stops_verifying_does_not_say_that_nothing_was_restored(place, other_url, tmp_path):
    erased_alike(place, tmp_path / "list", "deleted")  # What the backup has of them must be kept.
    done = place.run(restore, tmp_path / "backup", "--erasures", tmp_path / "list", url=other_url)
    assert done.exit_code == 1, done.output
    assert "restored, but the log was not verified: COUNTERSIGN_ERASURE_KEYS_FILE" in done.stdout
    assert "1 deleted, 2 restricted, 1 keys destroyed" in done.stdout


def changed(file, **words):
    """The list with other words at its top or, as `first`, in its first erasure."""
    found = json.loads(file.read_text(encoding="utf-8"))
    found["erasures"][0] |= words.pop("first", {})
    file.write_text(json.dumps(found | words), encoding="utf-8")


@pytest.mark.slow
@on_sqlite
def test_an_erasure_of_an_account_unknown_to_the_backup_is_named(place, other_url, tmp_path):
    found = json.loads((tmp_path / "list").read_text(encoding="utf-8"))
    erasure = found["erasures"][0]
    changed(tmp_path / "list", erasures=[*found["erasures"], erasure | {"id": "e-later", "account_id": NAMELESS}])
    done = place.run(restore, tmp_path / "backup", "--erasures", tmp_path / "list", url=other_url)
    assert done.exit_code == 0, done.output
    assert "repeated 3 of 4" in done.stdout
    assert "accounts that this backup does not know, of the erasures e-later" in done.stdout


@pytest.mark.slow
@on_sqlite
def test_an_erasure_whose_id_is_another_request_is_not_repeated(place, other_url, tmp_path):
    assert place.run(backup, tmp_path / "newer").exit_code == 0
    changed(tmp_path / "list", first={"account_id": STAYS})
    done = place.run(restore, tmp_path / "newer", "--erasures", tmp_path / "list", url=other_url)
    assert done.exit_code == 1
    assert "the backup has another request with this id" in done.stdout
    assert STAYS in came_back(place, other_url).listed


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"log": "countersign-ledger/0000000000000000"}, "it is of another log (countersign-ledger/0000000000000000)"),
        ({"format": 2}, "it has another format than 1"),
        ({"erasures": {}}, "it is not a list of"),
        ({"exported_at": "yesterday"}, "`exported_at`"),
        ({"first": {"state": "asked"}}, "its erasure number 1 is not complete"),
        ({"first": {"account_id": True}}, "its erasure number 1 is not complete"),
        ({"first": {"id": "a\nb"}}, "its erasure number 1 is not complete"),
    ],
)
@on_sqlite
def test_a_wrong_list_is_refused_before_anything_is_restored(place, other_url, tmp_path, words, said):
    changed(tmp_path / "list", **words)
    done = place.run(restore, tmp_path / "backup", "--erasures", tmp_path / "list", url=other_url)
    assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert str(tmp_path / "list") in done.stderr
    assert said in done.stderr
    assert place.run(restore, tmp_path / "backup", url=other_url).exit_code == 0, "the place is still empty"


@on_sqlite
def test_the_list_holds_ids_alone_and_is_readable_by_its_owner_alone(place, tmp_path):
    text = (tmp_path / "list").read_text(encoding="utf-8")
    assert (tmp_path / "list").stat().st_mode & 0o777 == 0o600
    assert not [word for word in ("u11", "u12", "x.org", "Ada", "evidence", 'asked"') if word in text]
    found = json.loads(text)
    assert [erasure["account_id"] for erasure in found["erasures"]] == [PROVEN, SIGNED, WITHDREW]
    assert set(found["erasures"][0]) == {
        "id", "account_id", "person_id", "state", "asked_at", "decided_at", "decided_by", "due_at",
    }  # fmt: skip
    assert found["log"] == place.before.partition("\n")[0]
    # What was destroyed counts by that moment, which lies in the future here.
    with place.sessions() as session:
        since = erasures.decided(session, since=clock.now() + timedelta(days=1))
    assert [erasure.account_id for erasure in since] == [WITHDREW]
    assert len(json.loads(place.run(exported, "export", "--since", "1h").stdout)["erasures"]) == 3
    for no_time in ("long ago", "2999-01-01"):
        assert place.run(exported, "export", "--since", no_time).exit_code == 2


@pytest.mark.slow
@on_sqlite
def test_a_list_that_begins_after_the_backup_leaves_a_gap_that_is_named(place, other_url, tmp_path):
    changed(tmp_path / "list", since="2999-01-01T00:00:00Z")
    done = place.run(restore, tmp_path / "backup", "--erasures", tmp_path / "list", url=other_url)
    assert "the list begins at 2999-01-01 00:00:00 UTC: erasures between the backup and then are undone" in done.stdout


def checked(place, other_url, note):
    """The restore of the old backup beside a checkpoint."""
    kept = Path(place.folder) / "checkpoint"
    kept.write_text(note, encoding="utf-8")
    return place.run(restore, place.folder / "backup", "--checkpoint", kept, url=other_url)


@pytest.mark.slow
@on_sqlite
def test_a_checkpoint_from_before_the_backup_is_contained_in_the_log(place, other_url):
    done = checked(place, other_url, place.before)
    assert done.exit_code == 0, done.output
    assert "the log contains all 4 entries that the checkpoint counts" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("place", [False], indirect=True)
def test_a_checkpoint_from_after_the_backup_says_how_many_entries_are_missing(place, other_url):
    done = checked(place, other_url, place.history.checkpoint())
    assert done.exit_code == 0, done.output
    size = int(place.history.checkpoint().splitlines()[1])
    assert f"it has 4 entries, and the checkpoint counts {size}, so {size - 4} are missing" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("place", [False], indirect=True)
def test_a_checkpoint_that_the_log_contradicts_stops_the_restore(place, other_url, tmp_path):
    other = Place(tmp_path / "else", f"sqlite:///{tmp_path / 'else.db'}", None)
    other.prove(PROVEN)
    foreign = other.history.checkpoint()
    other.engine.dispose()
    done = checked(place, other_url, foreign)
    assert (done.exit_code, done.stdout.count("\n")) == (1, 1)
    assert "this checkpoint is of another log" in done.stdout
    rewritten = "\n".join([*place.before.splitlines()[:1], "3", *place.before.splitlines()[2:]]) + "\n"
    assert "was not signed by the key of this log" in checked(place, other_url, rewritten).stdout
    misshapen = checked(place, other_url, "hello")
    assert (misshapen.exit_code, "this is not a checkpoint" in misshapen.stderr) == (2, True)
    assert place.run(restore, tmp_path / "backup", url=other_url).exit_code == 0, "the place is still empty"
