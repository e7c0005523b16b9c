"""Names that people write for licences, and the SPDX expression of each; a name of several licences is a family."""

import re
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from typing import Final

from audit.licenses import model_terms, spdx

RENAMED_IDS: Final[Mapping[str, str]] = {
    "BSD-2-Clause-FreeBSD": "BSD-2-Clause-Views",
    "BSD-2-Clause-NetBSD": "BSD-2-Clause",
    "bzip2-1.0.5": "bzip2-1.0.6",
    "eCos-2.0": "GPL-2.0-or-later WITH eCos-exception-2.0",
    "GPL-2.0-with-autoconf-exception": "GPL-2.0-only WITH Autoconf-exception-2.0",
    "GPL-2.0-with-bison-exception": "GPL-2.0-only WITH Bison-exception-2.2",
    "GPL-2.0-with-classpath-exception": "GPL-2.0-only WITH Classpath-exception-2.0",
    "GPL-2.0-with-font-exception": "GPL-2.0-only WITH Font-exception-2.0",
    "GPL-2.0-with-GCC-exception": "GPL-2.0-only WITH GCC-exception-2.0",
    "GPL-3.0-with-autoconf-exception": "GPL-3.0-only WITH Autoconf-exception-3.0",
    "GPL-3.0-with-GCC-exception": "GPL-3.0-only WITH GCC-exception-3.1",
    "Nokia-Qt-exception-1.1": "Qt-LGPL-exception-1.1",
    "StandardML-NJ": "SMLNJ",
    "wxWindows": "LGPL-2.0-or-later WITH WxWindows-exception-3.1",
}
"""The successors of SPDX's deprecated ids, but for GNU's, where `X` became `X-only` and `X+` became `X-or-later`."""
FAMILIES: Final[Mapping[str, tuple[str, ...]]] = {
    "AFL": ("AFL-1.1", "AFL-1.2", "AFL-2.0", "AFL-2.1", "AFL-3.0"),
    "AGPL": ("AGPL-1.0-only", "AGPL-3.0-only", "AGPL-3.0-or-later"),
    "Apache": ("Apache-1.0", "Apache-1.1", "Apache-2.0"),
    "Artistic": ("Artistic-1.0", "Artistic-1.0-Perl", "Artistic-2.0"),
    "BSD": ("BSD-2-Clause", "BSD-3-Clause", "BSD-4-Clause"),
    "CDDL": ("CDDL-1.0", "CDDL-1.1"),
    "EPL": ("EPL-1.0", "EPL-2.0"),
    "EUPL": ("EUPL-1.0", "EUPL-1.1", "EUPL-1.2"),
    "GPL": ("GPL-1.0-only", "GPL-2.0-only", "GPL-2.0-or-later", "GPL-3.0-only", "GPL-3.0-or-later"),
    "LGPL": ("LGPL-2.0-only", "LGPL-2.1-only", "LGPL-2.1-or-later", "LGPL-3.0-only", "LGPL-3.0-or-later"),
    "MPL": ("MPL-1.0", "MPL-1.1", "MPL-2.0"),
}
"""Names that several licences share: judged for each of them, known only where all come out the same."""

# Other names of an expression or a family than its id and its name on SPDX's list; as `plain` gives them.
_MEANT: Final[Mapping[str, str]] = {
    "MIT": "mit/x11; x11/mit; mit x11; mit/expat; expat/mit; expat; mit mit",
    "MIT OR Apache-2.0": "mit/apache-2.0",  # Cargo's older notation of a choice.
    "Apache-2.0 OR MIT": "apache-2.0/mit",
    "Apache-2.0": "apache 2; asl 2; al 2; apache software 2; apache public 2; apache2",
    "Apache-1.1": "apache software 1.1; asl 1.1",
    "BSD-2-Clause": "bsd 2; bsd 2clause; 2 clause bsd; simplified bsd; freebsd; bsd simplified; bsd 2 clause simplified",
    # Eclipse's Distribution License is BSD-3-Clause.
    "BSD-3-Clause": "bsd 3; bsd 3clause; 3 clause bsd; new bsd; modified bsd; revised bsd; bsd new; bsd revised; bsd 3 clause new; "
    "eclipse distribution 1; eclipse distribution edl 1; eclipse distribution 1 edl 1; edl 1",
    "BSD-4-Clause": "bsd 4; 4 clause bsd; original bsd; bsd original",
    "0BSD": "bsd 0 clause; 0 clause bsd; bsd zero clause; zero clause bsd",
    "BSL-1.0": "boost; boost software; boost 1; boost software 1; boost software 1 bsl 1",
    "ISC": "iscl; isc iscl",
    "Zlib": "zlib/libpng",
    "PSF-2.0": "psf; psfl; python software foundation; psf 2",
    "MPL-1.1": "mozilla public 1.1; mozilla public 1.1 mpl 1.1; mozilla public mpl 1.1",
    "MPL-2.0": "mozilla public 2 mpl 2; mozilla public 2; mozilla public mpl 2",
    "EPL-1.0": "eclipse public 1 epl 1; eclipse public 1; eclipse 1; eclipse public epl 1",
    "EPL-2.0": "eclipse public 2 epl 2; eclipse public 2; eclipse 2; eclipse public epl 2",
    "EUPL-1.1": "european union public licence 1.1 eupl 1.1; european union public 1.1 eupl 1.1",
    "EUPL-1.2": "european union public 1.2 eupl 1.2",
    "CC0-1.0": "cc0; cc0 1 universal cc0 1 public domain dedication; creative commons zero; cc0 1 universal; "
    "creative commons cc0; creative commons cc0 1; public domain, per creative commons cc0",
    "CC-BY-4.0": "creative commons attribution 4; cc by 4 international",
    "CC-BY-SA-4.0": "creative commons attribution share alike 4; cc by sa 4 international",
    "Unlicense": "unlicense unlicense",
    "CDDL-1.0": "common development and distribution cddl 1; common development and distribution 1 cddl 1",
    "CDDL-1.1": "common development and distribution cddl 1.1; common development and distribution 1.1 cddl 1.1",
    "WTFPL": "do what the fuck you want to public; wtfpl 2",
    "UPL-1.0": "universal permissive",
    "MulanPSL-1.0": "mulan psl 1; mulanpsl1; 木兰宽松许可证 第1版",
    "MulanPSL-2.0": "mulan psl 2; mulanpsl2; mulan permissive software 2; 木兰宽松许可证 第2版",
    "LicenseRef-scancode-mulanpubl-1.0": "mulanpubl 1; mulan publ 1; mulan public 1; 木兰公共许可证 第1版",
    "LicenseRef-scancode-mulanpubl-2.0": "mulanpubl 2; mulan publ 2; mulan public 2; 木兰公共许可证 第2版",
    **{
        f"LicenseRef-scancode-polyform-{variant}-1.0.0": (
            f"polyform {variant.replace('-', ' ')} 1.0.0; polyform {variant.replace('-', ' ')}"
        )
        for variant in ("defensive", "free-trial", "internal-use", "perimeter", "shield", "strict")
    },
    "LicenseRef-scancode-public-domain": "public domain; publicdomain; pd",
    "Apache": "apache; apache software; asl; asf",
    "BSD": "bsd",
    "MPL": "mozilla public; mpl; mozilla",
    "EPL": "eclipse public; epl",
    "Artistic": "artistic; perl artistic",
    "CDDL": "common development and distribution; cddl",
    "AFL": "academic free; afl; academic free afl",
    "EUPL": "eupl",
}
_GNU: Final = (
    ("GPL", ("1.0", "2.0", "3.0"), ("gpl", "gnu gpl", "gnu general public", "general public", "gnu public")),
    ("LGPL", ("2.0", "2.1", "3.0"), ("lgpl", "gnu lgpl", "gnu lesser general public", "gnu library general public",
                                     "gnu library or lesser general public", "lesser general public")),
    ("AGPL", ("1.0", "3.0"), ("agpl", "gnu agpl", "gnu affero general public", "affero general public")),
)  # fmt: skip
_OR_LATER: Final = ("or later", "or newer", "or later version", "or any later version", "and later", "and above")
_EXCEPTIONS: Final[Mapping[str, str]] = {
    "Classpath-exception-2.0": "classpath; classpath exception; gnu classpath exception; cpe",
    "GCC-exception-3.1": "gcc runtime library exception; gcc runtime library exception 3.1; gcc exception 3",
    "Linux-syscall-note": "linux syscall exception; linux syscall note exception",
    "LLVM-exception": "llvm exceptions",
    "LicenseRef-scancode-upx-exception-2.0-plus": "upx exception; licenseref upx exception; additionref upx exception",
}
# Creative Commons and Apache name a licence by its address; OSI and SPDX by its id.
_ADDRESS = re.compile(
    r"https?+://(?:www\.)?+(?:"
    r"creativecommons\.org/(?:licenses|publicdomain)/(?P<kind>[a-z-]++)/(?P<version>[0-9]\.[0-9])"
    r"(?:/(?P<port>[a-z]{2,3})(?=/|\Z))?+(?:/(?:deed|legalcode)(?:\.[a-z_-]++)?+)?+/?+"
    r"|apache\.org/licenses/license-(?P<apache>[0-9]\.[0-9])(?:\.txt|\.html)?+"
    r"|(?:opensource|spdx)\.org/licenses?+/(?P<id>[a-z0-9.-]+?)(?:\.html|\.txt)?+/?+)"
)
_AT_LEAST = re.compile(r">= ?([0-9.]+)")  # R writes `GPL (>= 2)`.
_AFTER_COMMA = re.compile(r", ?(?=v|[0-9])")  # The comma of `Apache License, Version 2.0` is no list.
_MIN_SIMILARITY: Final = 0.8  # The share of an id that is the same in a slip of the pen.
_MAX_ID_CHARACTERS: Final = 60  # Characters of an id of which a near one is looked for.
_SILENT_SIGNS = re.compile(r"[\s_\-()\[\]\"']+")
_VERSION = re.compile(r"(?<![a-z])v(?:ersion)?\.? ?(?=[0-9])")
# `GPLv3` and `LGPL2.1` are two words.
_GLUED = re.compile(r"(?<![a-z])(a?gpl|lgpl|gnu gpl|apache|mpl|epl|asl|bsd|eupl)v?(?=[0-9])")
_ZERO = re.compile(r"(?<=[0-9])\.0(?![0-9.])")  # `2.0` is `2`.
_SILENT = frozenset({"the", "license", "licence", "licenses", "version", "a", "under"})


def plain(text: str) -> str:
    """Words alone: `The Apache License, Version 2.0` is `apache 2`, `GPLv2+` is `gpl 2+`, `MIT/X11` is `mit / x11`.

    Signs that may mean something (`MIT*`, `MIT, BSD`) stay, and so make another name of it.
    """
    words = _SILENT_SIGNS.sub(" ", _AFTER_COMMA.sub(" ", _AT_LEAST.sub(r"\1+", text.casefold()))).replace("/", " / ")
    words = _GLUED.sub(r"\1 ", _VERSION.sub("", words))
    return " ".join(word for word in _ZERO.sub("", words).split() if word not in _SILENT)


def ids() -> Mapping[str, str]:
    """The id, family or expression that it is today, by id in small letters."""
    return _tables()[0]


def license_of(text: str) -> str | None:
    """The SPDX expression, or the family, that this name of one licence means; None for an unknown name."""
    exact = ids().get(text.casefold())
    # Ids win over addresses, and these over words.
    return exact or _of_address(text) or _tables()[1].get(plain(text))


def _of_address(text: str) -> str | None:
    found = _ADDRESS.fullmatch(text.strip().casefold())
    if found is None:
        return None
    if found["id"] or found["apache"]:
        return ids().get(found["id"] or f"apache-{found['apache']}")
    # Addresses of Creative Commons call CC0 `zero`, and the mark of the public domain `mark`.
    kind = {"zero": "cc0", "mark": "cc-pdm"}.get(found["kind"], f"cc-{found['kind']}")
    return ids().get(f"{kind}-{found['version']}" + (f"-{found['port']}" if found["port"] else ""))


def exception_of(text: str) -> str | None:
    """The id of the exception that is meant; None for an unknown one."""
    exceptions = _tables()[2]
    return exceptions.get(text.casefold()) or exceptions.get(plain(text))


@cache
def known() -> frozenset[str]:
    """The ids of licences that something is known of: SPDX's current ones, AboutCode's references, and those of models."""
    lists = spdx.lists()
    current = frozenset(became(license_id) for license_id in lists.licenses if " " not in became(license_id))
    return current | lists.references | model_terms.ids()


@lru_cache(maxsize=1024)
def nearest(license_id: str) -> str | None:
    """The current SPDX id that an unknown one is most like; None where none is, and for a private reference."""
    if "Ref-" in license_id or len(license_id) > _MAX_ID_CHARACTERS:  # A private reference is no slip.
        return None
    spelled = {candidate.casefold(): candidate for candidate in sorted(known() - spdx.lists().references)}
    from difflib import get_close_matches  # noqa: PLC0415 - only a slip of the pen needs it

    found = get_close_matches(license_id.casefold(), spelled, n=1, cutoff=_MIN_SIMILARITY)
    return spelled[found[0]] if found else None


def became(license_id: str) -> str:
    """The successor of SPDX's id: the id itself unless it is deprecated."""
    if license_id in RENAMED_IDS:
        return RENAMED_IDS[license_id]
    if license_id not in spdx.lists().deprecated:
        return license_id
    # GNU's `X` became `X-only`, and `X+` became `X-or-later`.
    successor = f"{license_id[:-1]}-or-later" if license_id.endswith("+") else f"{license_id}-only"
    return successor if successor in spdx.lists().licenses else license_id  # Net-SNMP and Nunit have none.


@cache
def _tables() -> tuple[Mapping[str, str], Mapping[str, str], Mapping[str, str]]:
    """Three tables: licences by id in any case, licences by words, exceptions by both."""
    lists = spdx.lists()
    # The last one wins: an id of SPDX over a key of AboutCode's, and that over a name of the models' table.
    by_id = dict(model_terms.names()) | {
        license_id.casefold(): license_id for license_id in (*model_terms.ids(), *lists.references)
    }
    by_id |= {key.casefold(): became(license_id) for key, license_id in lists.keys.items()}
    by_id |= {license_id.casefold(): became(license_id) for license_id in lists.licenses}
    by_id |= {family.casefold(): family for family in FAMILIES}
    phrases: dict[str, str] = {}
    for expression, words in _written():
        phrases.setdefault(words, expression)  # The first one wins: what is written here over SPDX's names.
    exceptions = {exception.casefold(): RENAMED_IDS.get(exception, exception) for exception in lists.exceptions}
    for exception, said in _EXCEPTIONS.items():
        exceptions |= dict.fromkeys(said.split("; "), exception)
    for exception, name in lists.exceptions.items():
        for words in (plain(exception), plain(name)):
            exceptions.setdefault(words, RENAMED_IDS.get(exception, exception))
    return by_id, phrases, exceptions


def _written() -> Iterator[tuple[str, str]]:
    yield from _gnu()
    for expression, said in _MEANT.items():
        yield from ((expression, plain(words)) for words in said.split("; "))
    names: dict[str, set[str]] = {}
    for license_id, name in spdx.lists().licenses.items():
        for words in (plain(license_id), plain(name)):
            names.setdefault(words, set()).add(became(license_id))
    for words, meant in names.items():
        if len(meant) == 1:  # Else two licences share the name.
            yield meant.pop(), words


def _gnu() -> Iterator[tuple[str, str]]:
    """The GNU licences: `GPLv2+`, `GNU Lesser General Public License v3 or later (LGPLv3+)`, a bare `AGPL`."""
    for short, versions, names in _GNU:
        for name in names:
            yield short, plain(name)
            yield short, plain(f"{name} {short}")
        for version in versions:
            only, later = f"{short}-{version}-only", f"{short}-{version}-or-later"
            for name in names:
                written = (f"{name} {version}", f"{name} {short} {version}", f"{name} {version} {short} {version}")
                yield from ((only, plain(spelling)) for spelling in (*written, f"{name} {version} only"))
                yield from ((later, plain(f"{spelling}+")) for spelling in written)
                for after in _OR_LATER:
                    yield later, plain(f"{name} {version} {after}")
                    yield later, plain(f"{name} {short} {version} {after}")
                    yield later, plain(f"{name} {version} {after} {short} {version}+")
