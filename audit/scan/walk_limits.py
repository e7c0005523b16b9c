"""The bounds of one walk through a tree: how much of it is seen, read and taken apart."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Limits:
    """The bounds of one walk.

    `entries` of folders are seen, down to a `depth` of folders. Of one file at most so many bytes are read: `manifest`,
    `legal` (licences, notices, metadata), `source` (its beginning), and `total` of all files; of each kind so many
    `sources`.

    `legal_total` is for all different texts of licences and notices together: they are held, and gone through once and
    again. `parsed` is the work of reading manifests, lock files and metadata, in characters (audit/ecosystems): a
    minute or two where they were made to take long. `identified` is the work of finding out what they are, in
    characters read (audit/texts/detector.py): half a minute where they were made to take long, else some 50,000
    licences that differ. `heads` are the text files of which the first `head` bytes are looked at for tags and notices
    of licences, unless one has more than `headed` bytes.
    """

    entries: int = 500_000
    depth: int = 64
    manifest: int = 32_000_000
    source: int = 256_000
    legal: int = 2_000_000
    legal_total: int = 50_000_000
    parsed: int = 200_000_000
    identified: int = 100_000_000
    total: int = 1_000_000_000
    sources: int = 500_000
    heads: int = 500_000
    head: int = 64 * 1024
    headed: int = 1 << 62


LIMITS: Final = Limits()  # Unless the caller gives others.
