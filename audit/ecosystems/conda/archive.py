"""A Conda package by the address of its archive: channel, name, version; and by its name in a channel."""

import re
from dataclasses import dataclass
from typing import Final

from audit.ecosystems import artifacts, purls
from audit.ecosystems.origins import taken

_CHANNELS: Final = {"conda.anaconda.org": 0, "repo.anaconda.com": 1}
"""Hosts that all share, and how many folders stand before a channel's name."""
_ENDINGS: Final = (".conda", ".tar.bz2")
_FILE: Final = re.compile(r"[A-Za-z0-9_.+!-]{1,300}")
_MAX_ADDRESS_CHARACTERS: Final = 2_000


@dataclass(frozen=True, slots=True)
class CondaArchive:
    """What an archive's address says: its address without secrets, the channel (empty: not a shared host's), name, version."""

    address: str
    channel: str
    name: str
    version: str


def of_address(written: str) -> CondaArchive | None:
    """`https://conda.anaconda.org/conda-forge/linux-64/numpy-1.26.4-py312_0.conda`; None for what is no archive's address."""
    address = artifacts.address(written[:_MAX_ADDRESS_CHARACTERS]) or ""
    parts = address.partition("://")[2].split("/")
    ending = next((one for one in _ENDINGS if parts[-1].endswith(one)), "")
    file = parts[-1].removesuffix(ending)
    pieces = file.rsplit("-", 2)
    if not ending or len(pieces) != 3 or not all(pieces) or not _FILE.fullmatch(file):
        return None
    before = _CHANNELS.get(parts[0])
    channel = parts[1 + before] if before is not None and len(parts) > 2 + before else ""
    return CondaArchive(address, channel, pieces[0], pieces[1])


def purl(name: str, version: str | None, channel: str = "", address: str = "") -> str | None:
    """The package URL, with the channel where it is known, and the host where a channel is somebody's own."""
    url = purls.purl("conda", name, version)
    if url and channel and channel not in {"defaults", "nodefaults"}:
        url = f"{url}?channel={channel}" if re.fullmatch(r"[A-Za-z0-9._-]{1,100}", channel) else url
    return taken(url, address)
