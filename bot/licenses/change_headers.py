"""Licence headers of the files that a pull request adds: which lack the one that the rulebook asks for."""

from collections.abc import Sequence
from typing import Final

from audit.facts import Finding, Place
from audit.headers.header_rule import HeaderRule
from audit.headers.license_headers import MAX_SOURCE_BYTES, check_header, findings, is_asked, left_out
from audit.scan.decoding import decode
from bot.github.audit_ports import GitTree, TreeEntry
from bot.github.ports import Files
from bot.licenses.remote_tree import Fetch

_MAX_FILES: Final = 1_000
_MAX_BYTES: Final = 50_000_000
"""How many new files of one change are looked at, and how much of them is held at once."""
_MAX_FINDINGS: Final = 100
"""Files that are named one by one."""


def lacking(files: Files, trees: tuple[GitTree, GitTree], header: HeaderRule, fetch: Fetch) -> tuple[Finding, ...]:
    """A finding for each new file without the header, and one where not all could be looked at; `trees` before and after.

    New is what GitHub calls so; of a change with more files than it lists, every path that was not there before.
    """
    before = frozenset(one.path for one in trees[0].entries)
    new = frozenset(files.added) if files.complete else None
    asked: list[TreeEntry] = []
    room = _MAX_BYTES
    for one in trees[1].entries:
        is_new = one.path not in before if new is None else one.path in new
        if not is_new or one.link or one.size > MAX_SOURCE_BYTES or not is_asked(one.path, header):
            continue
        room -= one.size
        if room < 0 or len(asked) >= _MAX_FILES:
            rest = Finding("tree/cut-short", Place("."), "more new files than are looked at for their licence headers")
            return (*_looked_at(asked, header, fetch), rest)
        asked.append(one)
    return _looked_at(asked, header, fetch)


def _looked_at(asked: Sequence[TreeEntry], header: HeaderRule, fetch: Fetch) -> tuple[Finding, ...]:
    """What GitHub no longer has was not looked at, which is said, too."""
    held = fetch({one.sha: one.size for one in asked}) if asked else {}
    states, gone = [], []
    for one in asked:
        if one.sha not in held:
            gone.append(Finding("file/unreadable", Place(one.path), "can't be read: GitHub no longer has it"))
            continue
        text = decode(held[one.sha])[0]
        if not left_out(text, one.path):
            states.append((one.path, check_header(one.path, text, header)))
    return (*findings(states, _MAX_FINDINGS), *gone)
