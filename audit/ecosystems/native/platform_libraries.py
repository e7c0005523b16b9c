"""The parts of the system or the compiler on which a work runs, by their names for linkers: no work brings them along."""

import re
from functools import lru_cache
from typing import Final

from audit.licenses.spdx import data_file

_NAMES: Final = data_file("platform-libraries.toml")
_SYSTEM: Final = frozenset(_NAMES["system"])
# The run-time libraries of Microsoft's and Borland's compilers, whichever version.
_VERSIONED: Final = re.compile(
    r"(?:msvcrt|msvcr|msvcp|msvcprt|vcruntime|ucrt|libcmt|libcpmt|libucrt|libvcruntime|concrt|vcomp|api-ms-[a-z0-9-]{1,60}|ext-ms-[a-z0-9-]{1,60})"
    r"[0-9_-]{0,8}d?(?:_static)?|(?:lib)?clang_rt[\w.-]{0,60}|stdc\+\+[\w.-]{0,20}|vcl|rtl|cw32(?:mt)?i?|import32"
)
_OF_TWO: Final = {  # Other libraries have these names, too: parts of a platform stand beside others of its parts.
    "uuid": re.compile(
        r"(?i)(?:-l|(?<!\w))(?:ole32|oleaut32|kernel32|user32|gdi32|comctl32|comdlg32|ws2_32|wsock32|shell32|advapi32|winmm|mingw32)\b|-mwindows\b|mingw"
    ),
    "net": re.compile(r"-l(?:auto|nsl|socket)\b|-mcrt="),
    "x": re.compile(r"-l(?:prot|socket)\b"),
}
_FRAMEWORKS: Final = frozenset(_NAMES["frameworks"])  # Apple's, by the names under which builds look.
# Without `-framework` before them, these are names of other authors' libraries.
_FRAMEWORKS_BY_OPTION: Final = frozenset(_NAMES["frameworks_by_option"])


def is_system(name: str, *beside: str) -> bool:
    """Whether `-lNAME` is a part of the system or the compiler; `beside`: other words for the linker, and the path."""
    small = name.lower()
    if small in _SYSTEM or _VERSIONED.fullmatch(small):
        return True
    # `-luuid` is Windows' own beside `-lole32`.
    return small in _OF_TWO and any(_stands_beside(small, words) for words in beside)


@lru_cache(maxsize=64)  # Asked for each library of a line.
def _stands_beside(name: str, words: str) -> bool:
    return _OF_TWO[name].search(words) is not None


def is_framework(name: str, *, by_option: bool = False) -> bool:
    """Whether a name is that of a part of Apple's systems; `by_option` says that `-framework` stands before it."""
    return name in _FRAMEWORKS or (by_option and name in _FRAMEWORKS_BY_OPTION)
