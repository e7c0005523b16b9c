"""SPDX documents held against spdx-tools, and what is wrong with them in lines."""

from collections.abc import Iterable

from audit import plain
from audit.output.spdx_validation import faults

_MOST = 50
"""Faults that are shown of a document."""


def judged(documents: Iterable[tuple[str, str]]) -> tuple[list[str], bool]:
    """What is wrong with each of these (its name, its text), one line a fault and one for the whole; and whether all are valid."""
    lines, valid, count = list[str](), 0, 0
    for name, text in documents:
        found = faults(text)
        count, valid = count + 1, valid + (not found)
        lines += [f"{name}: {one}" for one in found[:_MOST]]
        if len(found) > _MOST:
            lines.append(f"{name}: and {len(found) - _MOST:,} faults more")
    lines.append(
        f"spdx-tools: {valid:,} of {plain.count(count, 'SBOM', 'SBOMs')} {'is' if count == 1 else 'are'} valid"
    )
    return lines, valid == count
