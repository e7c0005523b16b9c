"""A person is "deleted at once", then the database's files are copied: does any key of the person open in the copy?

The attacker knows how keys are stored, and has today's key ring and the person's id, which stands in the log. The
attacker tries every place in the copy: of the files as they are afterwards, and of a backup that was made before.
"""

import re
import shutil
import sqlite3
import sys
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace

sys.path.append(__file__.rpartition("/")[0])

import program

from agreements.vault import DecryptionFailed, KeyRing, Vault, WrappedKey
from bot.demo.servers import DemoServers
from tests.conftest import two_free_ports
from tests.stories.canaries import Guest

SETTING = "COUNTERSIGN_ERASURE_KEYS_FILE"
PLAIN, DOUBLE = 61, 90
"""Bytes of a stored data key: wrapped by the ring alone, and by an erasure key before."""
WITHIN = 20.0


def attack(*, short, say):
    """A few people prove an address and are erased; carve what was copied before and after."""
    through = []
    for kept in (True,) if short else (False, True):
        with tempfile.TemporaryDirectory(prefix="countersign-attack-") as folder:
            through += _one(Path(folder), kept=kept, many=2 if short else 12, say=say)
    return through


def _one(folder, *, kept, many, say):
    """With or without a file of erasure keys beside the ring."""
    named = {SETTING: str(folder / "erasure-keys")} if kept else {}
    port = two_free_ports()
    with DemoServers(folder / "stage", port=port, github_port=port + 1, settings=named) as stage:
        boss = stage.world.user("boss")
        cann = stage.world.organization("cann", admins=[boss])
        stage.world.team(cann, "cla-admins", [boss])
        stage.world.install(stage.app, cann, boss)
        stage.serve()
        people = [_comes(stage, f"eve{number}") for number in range(many)]
        before = _copied(folder / "stage", folder / "before", named.values())
        for eve in people:
            _is_erased(stage, eve)
        names = [person_id for (person_id,) in _rows(stage, "SELECT person_id FROM erasure")]
        time.sleep(1)
        after = _copied(folder / "stage", folder / "after", named.values())
        ring = KeyRing.parse((folder / "stage" / "keys").read_text())
    return _judged(before, after, names, ring, kept=kept, say=say)


def _judged(before, after, names, ring, *, kept, say):
    """What opens where; a backup from before opens without erasure keys, as the documentation says."""
    if kept and not (before / "erasure-keys").exists():
        return [*_judged(before, after, names, ring, kept=False, say=say), "there are no erasure keys"]
    where = "with erasure keys" if kept else "with the ring alone"
    was, is_now = _vault(ring, before, kept=kept), _vault(ring, after, kept=kept)
    tries = {
        "the files before, with the keys of then": (before, was),
        "the files afterwards, with the keys of then": (after, was),
        "a backup from before, with the keys of now": (before, is_now),
    }
    opened = {what: _carved(place, vault, names) for what, (place, vault) in tries.items()}
    for what, count in opened.items():
        say(f"{where}: {what}: {count} of {len(names)} people's keys open")
    control, files, backup = opened.values()
    through = [f"{where}: the carving itself found nothing before"] if control < len(names) else []
    through += [f"{where}: {files} keys of erased people opened in the files"] if files else []
    return through + ([f"{where}: {backup} opened in a backup from before"] if kept and backup else [])


def _comes(stage, login):
    """A person signs in and proves an address by a mailed code."""
    stage.world.user(login)
    guest = Guest(SimpleNamespace(stage=stage, world=stage.world)).signs_in(login)
    address = f"{login}@home.example"
    guest.sends("/me/emails", "/me/emails", address=address)
    number = re.search(r'name="id" value="([^"]+)"', guest.asks("GET", "/me/emails").text)[1]
    guest.sends("/me/emails/code", "/me/emails", id=number, code=_code(stage, address))
    return guest


def _code(stage, address):
    """The newest one that was mailed there, as its owner reads it."""
    emails = [mail for mail in stage.world.mailbox() if mail.to == address]
    return re.search(r"\b\d{8}\b", emails[0].body)[0]


def _is_erased(stage, guest):
    """They ask, an administrator decides; it is done when the job is."""
    guest.sends("/me/erasure", "/me/erasure", sure="y")
    [(wish,)] = _rows(stage, "SELECT id FROM erasure WHERE state = 'asked'")
    boss = Guest(guest.play).signs_in("boss")
    boss.sends(f"/admin/erasures/{wish}/delete", f"/admin/erasures/{wish}", sure="y")
    assert _rows(stage, f"SELECT state FROM erasure WHERE id = '{wish}'") == [("deleted",)]
    _until(lambda: not _rows(stage, "SELECT 1 FROM workflow_status WHERE status NOT IN ('SUCCESS', 'ERROR')"))


def _until(condition):
    end = time.monotonic() + WITHIN
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)


def _rows(stage, query):
    connection = sqlite3.connect(f"file:{stage.settings.database_file}?mode=ro", uri=True, timeout=10)
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()


def _copied(stage, to, others):
    """The database's files, its log among them, and the other files, as an attacker who copies the disk has them."""
    to.mkdir()
    for file in (*stage.glob("countersign.db*"), *(Path(path) for path in others)):
        if file.exists():
            shutil.copyfile(file, to / file.name)
    return to


def _vault(ring, place, *, kept):
    if not kept:
        return Vault(ring)
    from bot.records.erasure_keys import ErasureKeyFile

    return Vault(ring, erasure_keys=ErasureKeyFile(place / "erasure-keys"))


def _carved(place, vault, names):
    """How many of these people's data keys open somewhere in those files."""
    content = b"\n".join(file.read_bytes() for file in sorted(place.glob("countersign.db*")))
    places = [found.start() for found in re.finditer(b"\x01", content)]
    pieces = {content[start : start + size] for start in places for size in (PLAIN, DOUBLE)}
    return sum(any(_opens(vault, piece, name) for piece in pieces) for name in names)


def _opens(vault, piece, name):
    try:
        vault.unwrap(WrappedKey(vault.ids[0], piece), "person", name)
    except DecryptionFailed:
        return False
    return True


if __name__ == "__main__":
    sys.exit(program.main(attack))
