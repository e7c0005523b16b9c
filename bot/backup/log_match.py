"""Whether the log in a backup is the one of a kept checkpoint, and of a list of erasures: looked at before anything is written for good."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from agreements import ledger
from agreements.ledger import NoteInvalid, NoteMisshapen
from agreements.store.ledger.ledger import KEY_ID
from bot.backup.key_ring_match import Query

_KEY: Final = ("ledger_key", f"SELECT public_key FROM ledger_key WHERE id = '{KEY_ID}'")  # noqa: S608 - a constant
_SIZE: Final = ("ledger_checkpoint", "SELECT max(size) FROM ledger_checkpoint")
_ROOT: Final = "SELECT root FROM ledger_checkpoint WHERE size = {size:d}"


class OtherLog(Exception):
    """The log of the backup is not the one that it is compared with; the message says why, as one clause."""


@dataclass(frozen=True, slots=True)
class CheckpointMatch:
    """How many entries the log of the backup has, and how many a kept checkpoint of the same log counts."""

    entries: int
    kept: int

    @property
    def missing(self) -> int:
        """How many entries the backup lacks; 0 where it holds all that the checkpoint signed."""
        return max(self.kept - self.entries, 0)


def compare(note: str, tables: Iterable[str], query: Query) -> CheckpointMatch:
    """Compare the roots that the backup stores with a checkpoint. Raises OtherLog, and NoteMisshapen for what is none.

    A shorter log cannot contradict it: a checkpoint holds no root of fewer entries, only the key must be the same.
    Whether stored roots are those of the entries is what verifying the log finds out.
    """
    there = {name.rpartition(".")[2] for name in tables}
    keys = query(_KEY[1]) if _KEY[0] in there else ()
    try:
        kept = ledger.read_note(note, bytes(keys[0][0]) if keys else b"")
    except NoteMisshapen:
        raise
    except NoteInvalid as error:
        raise OtherLog(str(error) if keys else "the backup has no log yet") from None
    entries = int(query(_SIZE[1])[0][0] or 0) if _SIZE[0] in there else 0
    match = CheckpointMatch(entries, kept.size)
    if kept.size and not match.missing:
        roots = query(_ROOT.format(size=kept.size))
        if not roots or roots[0][0] != kept.root.hex():
            raise OtherLog(
                f"its first {kept.size:,} entries are not those that the checkpoint signed: the log was rewritten"
            )
    return match


def check_name(name: str, tables: Iterable[str], query: Query) -> None:
    """Raises OtherLog unless the log of the backup has this name, or has none yet."""
    is_begun = _KEY[0] in {one.rpartition(".")[2] for one in tables}
    keys = query(_KEY[1]) if is_begun else ()
    if keys and ledger.origin(bytes(keys[0][0])) != name:
        raise OtherLog(f"it is of another log ({name or 'none'}) than the backup")
