"""A backup's file gives back its contents; a part that broke off, changed or was added is noticed before its use."""

import json
import zipfile
from datetime import UTC, datetime

import pytest

from bot.backup import archive
from bot.backup.archive import BackupInvalid

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.fixture(name="file")
def _file(tmp_path):
    """A backup with two files in it."""
    path = tmp_path / "backup"
    with path.open("wb") as stream, archive.write(
        stream, kind="sqlite", revision="0017", release="0.1.0", at=NOON
    ) as contents:  # fmt: skip
        for name in ("a", "b"):
            with contents.file(name) as write:
                write(b"x" * 1000)
                write(name.encode())
        contents.tables.update(person=3, company=4)
    return path


def rewritten(path, **changes):
    """The same file with other contents of these members; None leaves one out."""
    with zipfile.ZipFile(path) as found:
        members = {name: found.read(name) for name in found.namelist()}
    with zipfile.ZipFile(path, "w") as made:
        for name, data in {**members, **changes}.items():
            if data is not None:
                made.writestr(name, data)


def test_a_backup_gives_back_its_contents_and_manifest(file):
    with archive.opened(file) as found:
        assert b"".join(found.chunks("b")) == b"x" * 1000 + b"b"
        manifest = found.manifest
    assert (manifest.made_at, manifest.release, manifest.database, manifest.revision) == (
        NOON.isoformat(), "0.1.0", "sqlite", "0017",
    )  # fmt: skip
    assert (manifest.rows, manifest.files["a"][1], manifest.moment) == (7, 1001, NOON)


@pytest.mark.parametrize("part", [0.0, 0.3, 0.9, 0.99])
def test_a_truncated_backup_is_refused(file, part):
    data = file.read_bytes()
    file.write_bytes(data[: int(len(data) * part)])
    with pytest.raises(BackupInvalid), archive.opened(file):
        pass


def test_a_failure_of_the_restoring_is_no_fault_of_the_backup(file):
    with pytest.raises(RuntimeError, match="of the caller"), archive.opened(file):
        raise RuntimeError("of the caller")


def test_every_changed_byte_is_noticed(file):
    data = bytearray(file.read_bytes())
    with zipfile.ZipFile(file) as found:
        where = found.getinfo("b").header_offset - 3  # the end of what is packed of the first
    data[where] ^= 0xFF
    file.write_bytes(bytes(data))
    with pytest.raises(BackupInvalid), archive.opened(file):
        pass


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"a": b"y"}, "the checksum of a"),
        ({"c": b"y"}, "content differs from its manifest"),
        ({"b": None}, "content differs from its manifest"),
        ({"manifest.json": None}, "manifest is missing"),
        ({"manifest.json": b"[]"}, "manifest is missing or not readable"),
        ({"manifest.json": json.dumps({"format": 2}).encode()}, "format 2"),
    ],
)
def test_an_exchanged_added_or_missing_member_is_noticed(file, changes, said):
    rewritten(file, **changes)
    with pytest.raises(BackupInvalid, match=said), archive.opened(file):
        pass


@pytest.mark.parametrize(
    "words",
    [
        {"tables": ["a"]},
        {"tables": {"a": "x"}},
        {"revision": None},
        {"revision": ["0038"]},
        {"database": 5},
        {"release": {}},
        {"made_at": "9999-12-31T23:59:59-23:00"},
        {"files": {"a": 1}},
        {"other": 1},
    ],
)
def test_a_manifest_of_other_types_is_noticed(file, words):
    with zipfile.ZipFile(file) as found:
        manifest = json.loads(found.read("manifest.json"))
    rewritten(file, **{"manifest.json": json.dumps(manifest | words).encode()})
    with pytest.raises(BackupInvalid, match="manifest is missing or not readable"), archive.opened(file):
        pass


@pytest.mark.parametrize(
    ("moment", "said"), [("yesterday", "not readable"), ("2026-11-21T12:00:00", "in no time zone")]
)
def test_a_changed_moment_of_the_backup_is_noticed(file, moment, said):
    with zipfile.ZipFile(file) as found:
        manifest = json.loads(found.read("manifest.json"))
    rewritten(file, **{"manifest.json": json.dumps({**manifest, "made_at": moment}).encode()})
    with pytest.raises(BackupInvalid, match=said), archive.opened(file):
        pass


def test_a_member_named_by_the_manifest_and_missing_is_noticed(file):
    with archive.opened(file) as found, pytest.raises(BackupInvalid, match="it has no c"):
        next(found.chunks("c"))


def test_an_encrypted_member_is_noticed(file):
    data = bytearray(file.read_bytes())
    local, central = data.index(b"PK\x03\x04"), data.index(b"PK\x01\x02")
    data[local + 6] |= 1  # the flag "encrypted", in both headers of the first member
    data[central + 8] |= 1
    file.write_bytes(bytes(data))
    with pytest.raises(BackupInvalid, match="not a complete backup"), archive.opened(file):
        pass


@pytest.mark.parametrize("made_at", ["", "yesterday", "2026-11-25T02:17:04"])
def test_a_backup_without_its_moment_is_refused(file, made_at):
    """Such a backup could not be told from a new one."""
    with archive.opened(file) as found:
        assert found.manifest.moment == NOON
    with zipfile.ZipFile(file) as whole:
        manifest = json.loads(whole.read("manifest.json"))
    rewritten(file, **{"manifest.json": json.dumps(manifest | {"made_at": made_at})})
    with pytest.raises(BackupInvalid, match="manifest"), archive.opened(file):
        pass
