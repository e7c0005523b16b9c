"""Which texts a text that is none of them comes near to: a sample of their runs of words, and how many of each it has.

A run is in the sample by its checksum alone, so a text and an altered one keep the same runs but for those that were changed.
What is near is only a proposal: comparing word by word decides.
"""

import zlib
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import cache

from audit.licenses.spdx import data_file

_SHINGLE_WORDS = 5
_MIN_SHARE = 0.4
_MAX_WORDS = 400_000


def shingles(words: Sequence[str], one_in: int = 1) -> set[int]:
    """The checksums of one run of words in so many."""
    runs = (" ".join(words[at : at + _SHINGLE_WORDS]) for at in range(min(len(words) - _SHINGLE_WORDS + 1, _MAX_WORDS)))
    return {found for run in runs if not (found := zlib.crc32(run.encode())) % one_in}


def near(words: Sequence[str], most: int = 12) -> list[str]:
    """The ids of the texts that are most alike, of which these words hold at least four tenths; the most alike first."""
    known, sizes = _known()
    shared = Counter(one for mark in shingles(words) for one in known.get(mark, ()))
    found = []
    for one, count in shared.items():
        size, one_in = sizes[one]
        if count >= _MIN_SHARE * size:
            found.append((2 * count * one_in / (size * one_in + len(words)), one))
    return [one for _, one in sorted(found, key=lambda part: (-part[0], part[1]))[:most]]


@cache
def _known() -> tuple[Mapping[int, Sequence[str]], Mapping[str, tuple[int, int]]]:
    """The licences that have a mark; how many marks each has, and one in how many runs they are."""
    rows = data_file("license-marks.json")
    found: dict[int, list[str]] = defaultdict(list)
    for license_id, (_, *own) in rows.items():
        for mark in own:
            found[mark].append(license_id)
    return found, {license_id: (len(own), one_in) for license_id, (one_in, *own) in rows.items()}
