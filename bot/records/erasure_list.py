"""The list of erasures that is kept beside backups: ids and moments alone, to be repeated when an older backup is restored."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any, Final

from sqlmodel import Session

from agreements import moments
from agreements.store import erasures
from agreements.store.erasures import DELETED, RESTRICTED, SHREDDED, DecidedErasure, ErasureRefused
from agreements.store.ledger import stored_ledger
from agreements.vault import DecryptionFailed, KeyDestroyed
from bot.records.erasure import ABSENT, DONE, Erasures

FORMAT_VERSION: Final = 1
UNREADABLE, NO_KEY = "unreadable", "no-key"
"""Reasons, beside those of ErasureRefused, for which an erasure was not repeated: what it needs to read was changed, or
the person's erasure key is missing."""
_MAX_ID: Final = 2**63 - 1  # A BIGINT column takes no more.


class ErasureListInvalid(Exception):
    """The file is no list of erasures, or not whole; the message says why, as one clause."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasureList:
    """The `erasures` that were decided from `since` (None: ever) to `exported_at`; `log` is the name of the log that has them."""

    log: str
    exported_at: datetime
    since: datetime | None
    erasures: Sequence[DecidedErasure]


@dataclass(slots=True)
class RepeatedErasures:
    """The result of a list: in `done` ids of erasures by what was done; in `refused` the others, each with the reason."""

    done: dict[str, list[str]] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)

    def count(self, *states: str) -> int:
        """The number of erasures that ended in one of these states."""
        return sum(len(self.done.get(state, ())) for state in states)

    @property
    def repeated(self) -> int:
        """The number of erasures that the backup had undone."""
        return self.count(DELETED, RESTRICTED, SHREDDED)

    @property
    def known(self) -> int:
        """The number of erasures that the backup has itself."""
        return self.count(DONE)

    @property
    def absent(self) -> Sequence[str]:
        """The erasures of accounts that the backup does not know."""
        return self.done.get(ABSENT, ())


def read(session: Session, *, since: datetime | None, at: datetime) -> ErasureList:
    """The list of this database. It needs no key: nothing in it is encrypted."""
    name = (stored_ledger.newest(session) or "").partition("\n")[0]
    return ErasureList(log=name, exported_at=at, since=since, erasures=erasures.decided(session, since=since))


def dump(found: ErasureList) -> str:
    """The file: JSON, an erasure a line."""
    head = {
        "format": FORMAT_VERSION,
        "log": found.log,
        "exported_at": moments.text(found.exported_at),
        "since": found.since and moments.text(found.since),
    }
    lines = ",\n".join(json.dumps(_plain(erasure)) for erasure in found.erasures)
    return f'{json.dumps(head)[:-1]}, "erasures": [\n{lines}\n]}}\n'


def parse(text: str) -> ErasureList:
    """The list of a file. Raises ErasureListInvalid."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):  # RecursionError: nested too deep.
        raise ErasureListInvalid("it is not JSON, or not whole") from None
    if not isinstance(found, dict) or not isinstance(found.get("erasures"), list):
        raise ErasureListInvalid("it is not a list of `countersign erasures export`")
    if found.get("format") != FORMAT_VERSION:
        raise ErasureListInvalid(f"it has another format than {FORMAT_VERSION}, which this release reads")
    try:
        return ErasureList(
            log=_text(found["log"], empty=True),
            exported_at=_moment(found["exported_at"]),
            since=None if found["since"] is None else _moment(found["since"]),
            erasures=tuple(_erasure(number, entry) for number, entry in enumerate(found["erasures"], 1)),
        )
    except (KeyError, TypeError, ValueError):
        raise ErasureListInvalid("`log`, `exported_at` or `since` is missing or not right") from None


def repeat(erasing: Erasures, found: ErasureList) -> RepeatedErasures:
    """Repeat each, one transaction each, in the order of the decisions. Interrupted, it may be repeated."""
    result = RepeatedErasures()
    # In the order of the decisions: of one account there may be several.
    for erasure in sorted(found.erasures, key=lambda erasure: (erasure.decided_at, erasure.id)):
        try:
            result.done.setdefault(erasing.repeat(erasure), []).append(erasure.id)
        except ErasureRefused as refused:
            result.refused[erasure.id] = refused.reason
        except KeyDestroyed:
            result.refused[erasure.id] = NO_KEY
        except DecryptionFailed:  # Of a person's key or proven address, as verifying says in detail.
            result.refused[erasure.id] = UNREADABLE
    return result


def _plain(erasure: DecidedErasure) -> dict[str, object]:
    return {
        name: moments.text(value) if isinstance(value, datetime) else value for name, value in asdict(erasure).items()
    }


def _erasure(number: int, found: Any) -> DecidedErasure:
    try:
        values: dict[str, Any] = {
            name: None if found[name] is None and name in _MAY_LACK else field_reader(found[name])
            for name, field_reader in _READERS.items()
        }
        return DecidedErasure(**values)
    except (KeyError, TypeError, ValueError):
        raise ErasureListInvalid(f"its erasure number {number} is not complete, or not right") from None


def _state(value: object) -> str:
    if value not in (DELETED, RESTRICTED, SHREDDED):
        raise ValueError
    return str(value)


def _text(value: object, *, empty: bool = False) -> str:
    if not isinstance(value, str) or not value.isprintable() or not (value or empty):
        raise ValueError
    return value


def _account(value: object) -> int:
    # JSON's `true` is an int to Python.
    if not isinstance(value, int) or isinstance(value, bool) or not 0 < value <= _MAX_ID:
        raise ValueError
    return value


def _moment(value: object) -> datetime:
    found = moments.moment(value) if isinstance(value, str) else None
    if found is None:
        raise ValueError
    return found


_READERS: Final[Mapping[str, Callable[[object], Any]]] = {
    "id": _text,
    "account_id": _account,
    "person_id": _text,
    "state": _state,
    "asked_at": _moment,
    "decided_at": _moment,
    "decided_by": _account,
    "due_at": _moment,
}
"""The fields of an erasure, in the order in which the file has them."""
_MAY_LACK: Final = {"person_id", "decided_by", "due_at"}
