"""Loose objects, git's own files, read and written in process: a git process for each would take a hundred times as long."""

import hashlib
import re
import threading
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_HASH = re.compile(r"[0-9a-f]{40}").fullmatch
_ENTRY = re.compile(rb"(\d+) ([^\0]+)\0(.{20})", re.DOTALL)

Entries = dict[bytes, tuple[bytes, str]]  # Mode and hash of what is in a tree, by name.

FILE, FOLDER = b"100644", b"40000"  # Git's modes.


def read(folder: Path, sha: str) -> tuple[str, bytes] | None:
    """Kind and content of an object; None for one that is in a pack or nowhere, which only git itself can tell."""
    for store in _stores(folder) if _HASH(sha) else ():
        with suppress(OSError):  # It is in another store, in a pack, or nowhere.
            heading, _, content = zlib.decompress((store / sha[:2] / sha[2:]).read_bytes()).partition(b"\0")
            return heading.decode().partition(" ")[0], content
    return None


def _stores(folder: Path) -> Iterator[Path]:
    """The folders in which git finds the objects: its own, then those of the repositories that share theirs."""
    found = [folder / "objects"]
    for store in found:  # The list grows meanwhile: they may share those of others.
        yield store
        with suppress(OSError):
            named = map(Path, (store / "info/alternates").read_text(encoding="utf-8").splitlines())
            found += [path for path in dict.fromkeys(named) if path not in found]


def write(folder: Path, kind: str, content: bytes) -> str:
    """Store an object; gives its hash."""
    whole = b"%s %d\0%s" % (kind.encode(), len(content), content)
    sha = hashlib.sha1(whole, usedforsecurity=False).hexdigest()
    file = folder / "objects" / sha[:2] / sha[2:]
    if not file.exists():  # The same content has the same hash.
        file.parent.mkdir(exist_ok=True)
        fresh = file.with_name(f"tmp_obj_{threading.get_ident()}")  # As git does: no reader takes that for an object
        fresh.write_bytes(zlib.compress(whole, 1))  # Fast rather than small.
        fresh.replace(file)
    return sha


def entries(content: bytes) -> Entries:
    """A tree's content as what is in it."""
    return {name: (mode, sha.hex()) for mode, name, sha in _ENTRY.findall(content)}


def write_tree(folder: Path, items: Entries) -> str:
    """Store a tree; gives its hash."""
    ordered = sorted(items.items(), key=lambda item: item[0] + b"/" * (item[1][0] == FOLDER))  # Git's own order
    lines = (b"%s %s\0%s" % (mode, name, bytes.fromhex(sha)) for name, (mode, sha) in ordered)
    return write(folder, "tree", b"".join(lines))
