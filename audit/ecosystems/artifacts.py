"""The archive of a package as a lock file names it: its address without secrets, its checksums as SPDX writes them."""

import binascii
import re
from typing import Final

from audit.facts import Checksum

_MAX_VALUE_CHARACTERS: Final = 2_000  # A lock file is a stranger's text: a value may have any length.
_SCHEMES: Final = ("https", "http", "ftp", "git", "ssh", "svn", "hg", "bzr")
_ADDRESS: Final = re.compile(
    r"((?:(?:git|hg|svn|bzr)\+)?([a-z]++)://)(?:[^/@\s]*+@)?([A-Za-z0-9.-]++(?::\d{1,5})?(?:/[A-Za-z0-9._~:/@!&'()*+,;=%-]*+)?)"
)  # Scheme, host and path; a variable (`${…}`) in it makes it no address.
# Git's short form of an SSH address, `git@host:path`.
_SHORT: Final = re.compile(r"(?:git\+ssh://|ssh://)?git@([A-Za-z0-9.-]++):([A-Za-z0-9._~/-]++)")
# Tags and branches count: not every lock file resolves them to a commit.
_COMMIT: Final = re.compile(r"[0-9A-Za-z._/-]{1,100}")
_HEX: Final = re.compile(r"[0-9A-Fa-f]++")
_BITS: Final = {  # SPDX 2.3's algorithms (section 7.10) that lock files use, and the bits of their digests.
    "MD5": 128, "SHA1": 160, "SHA224": 224, "SHA256": 256, "SHA384": 384, "SHA512": 512,
    "SHA3-256": 256, "SHA3-384": 384, "SHA3-512": 512, "BLAKE2b-256": 256, "BLAKE2b-384": 384, "BLAKE2b-512": 512,
}  # fmt: skip
_SPELLINGS: Final = {
    **{name.lower(): name for name in _BITS},
    **{name.lower().replace("sha", "sha-"): name for name in _BITS if name.startswith("SHA") and "-" not in name},
    "blake2b": "BLAKE2b-512",
}  # fmt: skip
_MAX_CHECKSUMS: Final = 8  # Of one archive.


def address(written: str) -> str | None:
    """The address of an archive or a repository: scheme, host and path alone; None for a path, or no address."""
    # The rest may hold a token or a person's account: a server that demands one refuses the address.
    bare = written.strip()[:_MAX_VALUE_CHARACTERS].partition("#")[0].partition("?")[0]
    found = _ADDRESS.fullmatch(bare)
    short = None if found else _SHORT.fullmatch(bare)
    if short:
        return f"git+ssh://{short[1].lower()}/{short[2].lstrip('/')}"
    if found is None or found[2] not in _SCHEMES:
        return None
    host, slash, rest = found[3].partition("/")
    # A second `@` before the path ends would begin SPDX's revision: it is written as what it means in an address.
    return f"{found[1]}{host.lower()}{slash}{rest.replace('@', '%40') if found[1].startswith('git+') else rest}"


def repository(written: str, commit: str | None) -> str | None:
    """A Git repository's commit in SPDX's form, `git+https://host/path@commit`; None without an address."""
    found = address(written.removeprefix("git+"))
    if found is None:
        return None
    mark = f"@{commit}" if commit and _COMMIT.fullmatch(commit) else ""
    return f"{'' if found.startswith('git') else 'git+'}{found}{mark}"


def of_address(written: str) -> str | None:
    """The address that a lock file writes in one: an archive's, or `git+ssh://…#commit`."""
    front, _, mark = written.partition("#")
    if written.startswith(("git+", "git:", "git@")) or front.endswith(".git"):
        return repository(front, mark or None)
    return address(written)


def checksum(algorithm: str, digest: str) -> tuple[Checksum, ...]:
    """A checksum by a lock file's name of its algorithm; empty if SPDX does not have it, or the length is wrong."""
    name = _SPELLINGS.get(algorithm.lower())
    value = digest.strip()
    # SPDX's validator refuses a digest of another length, and with it the whole document.
    if name is None or len(value) * 4 != _BITS[name] or not _HEX.fullmatch(value):
        return ()
    return (Checksum(name, value.lower()),)


def prefixed(written: str) -> tuple[Checksum, ...]:
    """`sha256:…` as Python's lock files write it."""
    algorithm, _, digest = written.strip()[:_MAX_VALUE_CHARACTERS].partition(":")
    return checksum(algorithm, digest)


def integrity(written: str) -> tuple[Checksum, ...]:
    """The `sha512-…` of npm's lock files: Base64, one or several with spaces between (W3C's Subresource Integrity)."""
    found: dict[Checksum, None] = {}
    for word in written[:_MAX_VALUE_CHARACTERS].split()[:_MAX_CHECKSUMS]:
        # Subresource Integrity lets options follow a `?`.
        algorithm, _, digest = word.partition("?")[0].partition("-")
        name = _SPELLINGS.get(algorithm)
        try:
            # Without strict mode Python passes over characters that are not Base64's.
            value = binascii.a2b_base64(digest, strict_mode=True) if name else b""
        except (binascii.Error, ValueError):
            continue
        if name and len(value) * 8 == _BITS[name]:
            found[Checksum(name, value.hex())] = None
    return tuple(found)
