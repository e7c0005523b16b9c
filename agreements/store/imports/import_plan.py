"""What an import would do to the records: which entries are new, which are known, and who has to decide them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from sqlmodel import Session, col, select

from agreements.imports.entries import ImportEntry, RejectedEntry
from agreements.store.imports import imported
from agreements.store.imports.imported import ImportSource
from agreements.store.lookup.keys import text_chunks
from agreements.store.people import signatures
from agreements.store.tables.records import ImportedEntry, SignatureRecord

_CONTRADICTS = "{where} has the same account's number with another login: leave the one that is wrong out"


@dataclass(frozen=True, slots=True)
class Plan:
    """Entries to add, those that are there already and why, and those that contradict an earlier one of the list.

    `doubts` says of those to add that wait for an administrator why: one of `import_doubts`.
    """

    added: tuple[ImportEntry, ...] = ()
    unchanged: tuple[tuple[ImportEntry, str], ...] = ()
    refused: tuple[RejectedEntry, ...] = ()
    doubts: Mapping[ImportEntry, str] = field(default_factory=dict)


def plan(session: Session, entries: Sequence[ImportEntry], source: ImportSource) -> Plan:
    """Part what is new from what is known. One person's agreement of one version is one entry: the earliest counts."""
    keys = [imported.key(entry, source) for entry in entries]
    stated: dict[str, ImportEntry] = {}
    first: dict[str, ImportEntry] = {}
    for key, entry in zip(keys, entries, strict=True):
        if not _contradicts(entry, stated.setdefault(key, entry)) and (
            key not in first or entry.signed_at < first[key].signed_at
        ):
            first[key] = entry
    known = _known(session, first) | _known_before(session, dict(zip(keys, entries, strict=True)), source)
    added, unchanged, refused = [], [], []
    for key, entry in zip(keys, entries, strict=True):
        if _contradicts(entry, stated[key]):
            refused.append(RejectedEntry(entry.where, entry.login, _CONTRADICTS.format(where=stated[key].where)))
        elif key in known:
            unchanged.append((entry, "imported before"))
        elif first[key] is not entry:
            unchanged.append((entry, f"the same person and version as {first[key].where}"))
        else:
            added.append(entry)
    return Plan(tuple(added), tuple(unchanged), tuple(refused), imported.doubts(session, added, source))


def _contradicts(entry: ImportEntry, stated: ImportEntry) -> bool:
    """Whether the list gives one account's number two logins, so that one of them is somebody else's."""
    return entry.login.lower() != stated.login.lower()


def _known(session: Session, keys: Iterable[str]) -> set[str]:
    found: set[str] = set()
    for chunk in text_chunks(list(keys)):
        found.update(session.exec(select(ImportedEntry.key).where(col(ImportedEntry.key).in_(chunk))))
    return found


def _known_before(session: Session, entries: Mapping[str, ImportEntry], source: ImportSource) -> set[str]:
    """Those of these keys whose entry a release imported that did not know parties, and whose signature is of the same party."""
    before = {imported.key_without_party(entry, source): key for key, entry in entries.items()}
    found: set[str] = set()
    for chunk in text_chunks(list(before)):
        query = (
            select(ImportedEntry.key, signatures.party())
            .join(SignatureRecord, col(SignatureRecord.id) == col(ImportedEntry.signature_id))
            .where(col(ImportedEntry.key).in_(chunk))
        )
        found |= {
            before[key] for key, party in session.exec(query) if party == imported.party(entries[before[key]], source)
        }
    return found
