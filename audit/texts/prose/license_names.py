"""Licences as people name them in prose ("GPL v2+", "the Apache License, Version 2.0 (LICENSE-APACHE)"), and the files that they point to.

A sentence is brought to its words, in small letters, a blank between each; a licence becomes `§0`, `§1` …, one that is only like a
known one, or of which no version is said, `vague`, a file or folder `pathname` and an address of the web `url`.
GNU's without a version stand as the family (`LGPL`).
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

from audit.licenses import spdx
from audit.texts import vocabulary

PUBLIC_DOMAIN: Final = "public domain"  # Stands for an id.
_LINK: Final = re.compile(r"\[([^\[\]]{1,200})\](?:\(([^()\s]{1,300})\)|\[[^\[\]]{0,80}\])")
_URL: Final = re.compile(r"<?(?:\b(?:https?|ftp)://|\bwww\.)[^\s<>)\]]+>?", re.IGNORECASE)
# An id of SPDX's as it stands, such as `LGPL-2.1-or-later`.
_ID: Final = re.compile(r"(?<![\w./-])[A-Za-z][A-Za-z0-9.]{1,30}(?:-[A-Za-z0-9.]{1,20}){1,6}\+?(?![\w/-])")
_FILE: Final = re.compile(
    r"`(?P<quoted>[^`\s]{1,120})`|(?<![\w/.-])(?P<path>(?:\.{0,2}/)?[\w.+*-]{1,80}(?:/[\w.+*-]{1,80}){1,12}/?|[\w.+-]{1,60}/(?![\w/]))"
    r"|(?<![\w/.-])(?P<name>(?:[\w+-]{1,40}[-_.])?(?:COPYING|LICEN[CS]ES?|NOTICES?|COPYRIGHT|README|AUTHORS|CREDITS)(?:[-_.][\w+-]{1,30}(?:\.[\w+-]{1,20}){0,3})?"
    r"|[\w+*-]{1,60}\.(?:txt|TXT|md|rst|html?|pdf|[ch]|cc|cpp|py|java|js|s|S|asm|pl|sh))(?![\w/-])"
)
# `MIT/X11` is no path.
_LICENSE_WORDS: Final = vocabulary.words("mit x11 bsd expat gpl lgpl agpl mpl apache isc zlib and or style")
_WORDS: Final = re.compile(r"[a-z0-9.§]+")
_L: Final = r"(?: licen[cs]es?)?"
_V: Final = r"(?:,? ?(?:v|ver|version|versions|public licen[cs]e)?)? ?v?"
_GNU: Final = re.compile(
    r"(?<![\w.§])(?:the )?(?:gnu )?(?:(?P<kind>lesser |library |affero )?(?:gnu )?general public licen[cs]es?|(?P<short>[al]?gpl)(?: licen[cs]es?)?)"
    r"(?: [al]?gpl\b)?(?: as published by the (?:free software foundation|fsf)(?: inc)?)?"
    r"(?: ?(?:either |in )?(?:(?:v|ver|version|versions) ?)?(?P<version>[123](?:\.[01])?)(?![\w.])(?: of the licen[cs]e)?)?"
    r"(?P<later> (?:or|and) (?:at your (?:option|choice) )?(?:any )?(?:later|newer|above|higher|greater)(?: versions?)?| any later version can be used also)?"
    r"(?: only)?(?![\w.])"
)
# The name, and the ids by version.
_NAMED: Final[tuple[tuple[str, dict[str, str]], ...]] = (
    (rf"(?:the )?apache(?: software)?{_L}(?: asl| al)?", {"2": "Apache-2.0", "2.0": "Apache-2.0", "1.1": "Apache-1.1"}),
    (rf"(?:the )?(?:mozilla public{_L}(?: mpl)?|mpl)", {"2": "MPL-2.0", "2.0": "MPL-2.0", "1.1": "MPL-1.1", "1.0": "MPL-1.0"}),
    (rf"(?:the )?(?:eclipse public{_L}(?: epl)?|epl)", {"1": "EPL-1.0", "1.0": "EPL-1.0", "2": "EPL-2.0", "2.0": "EPL-2.0"}),
    (rf"(?:the )?(?:common development and distribution{_L}(?: cddl)?|cddl)", {"1": "CDDL-1.0", "1.0": "CDDL-1.0", "1.1": "CDDL-1.1"}),
    (rf"(?:the )?(?:european union public{_L}(?: eupl)?|eupl)", {"1.0": "EUPL-1.0", "1.1": "EUPL-1.1", "1.2": "EUPL-1.2"}),
    (rf"(?:the )?artistic{_L}", {"2": "Artistic-2.0", "2.0": "Artistic-2.0"}),
    (rf"(?:the )?(?:boost software|boost){_L}(?: bsl)?", {"1": "BSL-1.0", "1.0": "BSL-1.0"}),
    (rf"(?:the )?(?:sil )?open font{_L}(?: ofl)?", {"1.1": "OFL-1.1", "1.0": "OFL-1.0"}),
    (rf"(?:the )?(?:gnu )?(?:free documentation{_L}(?: g?fdl)?|g?fdl{_L})", {"1.1": "GFDL-1.1-only", "1.2": "GFDL-1.2-only", "1.3": "GFDL-1.3-only"}),
    (rf"(?:the )?mulan psl{_L}", {"1": "MulanPSL-1.0", "2": "MulanPSL-2.0"}),
)  # fmt: skip
_PLAIN: Final = (
    (rf"(?:the )?(?:mit x11|x11 mit|mit expat|expat mit|mit|expat){_L}", "MIT"),
    (rf"(?:the )?(?:bsd (?:3|three) clause|(?:3|three) clause bsd|(?:new|modified|revised) bsd){_L}", "BSD-3-Clause"),
    (rf"(?:the )?(?:bsd (?:2|two) clause|(?:2|two) clause bsd|simplified bsd|freebsd){_L}", "BSD-2-Clause"),
    (r"(?:the )?isc licen[cs]e", "ISC"),
    (r"(?:the )?zlib(?: libpng)? licen[cs]e", "Zlib"),
    (r"(?:the )?(?:freetype (?:project )?licen[cs]e(?: ftl)?|ftl)", "FTL"),
    (r"(?:the )?unlicense", "Unlicense"),
    (r"(?:the )?(?:creative commons )?cc0(?: 1.0)?(?: universal)?(?: licen[cs]e)?", "CC0-1.0"),
    (r"(?:the )?public domain", PUBLIC_DOMAIN),
)
# Names that do not say which.
_UNSAID: Final = re.compile(
    r"(?<![\w.§])(?:the )?(?:(?:original |old )?bsd|x window system|openssl|python|ruby|perl|x11)(?: licen[cs]es?)(?![\w.])|(?<![\w.§])bsd(?![\w.])"
)
# "BSD style" and "other licences" name no licence.
_ALIKE: Final = re.compile(
    r"(?:(?:a )?(?:licen[cs]e )?(?:very )?(?:similar|close|identical) to (?:that of )?(?:the )?(?:original )?)(?:§\d+|vague|x window system)|(?:§\d+|vague)(?: (?:or|and) (?:§\d+|vague))* (?:style|like|type|ish|compatible|derived)(?: licen[cs]es?)?"
    r"|(?:various |several |other |different |more |liberal |free |permissive |their |own |separate |additional |open |source |software |compatible |respective )+(?:licen[cs]es?|licen[cs]ing terms|licen[cs]e terms|terms)(?![\w.])"
)


@dataclass(frozen=True, slots=True)
class WordedSentence:
    """The `words` of a sentence, with tokens; the ids of its `licenses` by number, and the names of its `files`."""

    words: str
    licenses: tuple[str, ...]
    files: tuple[str, ...]


def worded(sentence: str) -> WordedSentence:
    """A sentence's words."""
    licenses: list[str] = []
    files: list[str] = []

    def token(license_id: str | None) -> str:
        if license_id is None:
            return " vague "
        licenses.append(license_id)
        return f" §{len(licenses) - 1} "

    def by_version(ids: Mapping[str, str]) -> Callable[[re.Match[str]], str]:
        return lambda found: token(ids.get(found.groupdict().get("version") or ""))

    # Addresses are taken out first, since they hold names of licences and files; `§` is the sign of our own tokens.
    plain = _URL.sub(
        " url ",
        _LINK.sub(
            lambda match: f"{match[1]} {match[2] or ''}" if match[1] != match[2] else match[1],
            sentence.replace("§", " "),
        ),
    )
    plain = re.sub(r"\bpublic[- ]domain\b", "public domain", plain.replace("and/or", "and or"), flags=re.IGNORECASE)
    # Ids before files: in backticks, an id would be taken for a file's name.
    plain = _ID.sub(lambda match: token(_known(match[0])) if _known(match[0]) else match[0], plain)
    plain = _FILE.sub(lambda found: _file(found, files), plain)
    plain = re.sub(r"(?<=\d)\+", " or later", plain.lower()).replace("(l)gpl", "lgpl")  # `GPL-2.0+`.
    words = " ".join(word.strip(".") for word in _WORDS.findall(plain.replace("'", "")) if word.strip("."))
    words = _GNU.sub(lambda match: token(_gnu(match)), words)
    for pattern, versions in _patterns():
        words = pattern.sub(by_version(versions), words)
    words = _ALIKE.sub(" vague ", " ".join(_UNSAID.sub(" vague ", words).split()))
    return _numbered(" ".join(words.split()), licenses, files)


def _file(found: re.Match[str], files: list[str]) -> str:
    """The word for a file or a folder, which is noted; "MIT/X11" is none, nor is a word in quotation marks."""
    said = found["quoted"] or found["path"] or found["name"]
    parts = re.split(r"[/-]", said.lower())
    if set(parts) <= _LICENSE_WORDS:
        return " ".join(parts) if "style" in parts else " or ".join(part for part in parts if part not in {"and", "or"})
    if found["quoted"] and not re.search(r"[./_]|[A-Z]{3}", said):
        return f" {said} "
    files.append(said.rstrip("/.").rpartition("/")[2])
    return " pathname "


def _numbered(words: str, licenses: list[str], files: list[str]) -> WordedSentence:
    kept: list[str] = []

    def again(found: re.Match[str]) -> str:
        kept.append(licenses[int(found[1])])
        return f"§{len(kept) - 1}"

    made = re.sub(r"§(\d+)", again, words)
    return WordedSentence(made, tuple(kept), tuple(files))


def _known(said: str) -> str | None:
    """The id that some words are as they stand; GNU's without an ending are left to be read with what follows."""
    lists = spdx.lists().licenses
    if re.fullmatch(r"[AL]?GPL-\d\.\d", said):
        return None  # What follows may say "or later".
    bare = said.removesuffix("+")
    if bare != said and f"{bare}-or-later" in lists:
        return f"{bare}-or-later"
    return said if said in lists else None


def _gnu(found: re.Match[str]) -> str | None:
    kinds = {"lesser ": "LGPL", "library ": "LGPL", "affero ": "AGPL"}
    name = found["short"].upper() if found["short"] else kinds.get(found["kind"] or "", "GPL")
    version = found["version"]
    if version is None:
        return name  # Of no version: the family.
    made = f"{name}-{version if '.' in version else f'{version}.0'}-{'or-later' if found['later'] else 'only'}"
    return made if made in spdx.lists().licenses else None


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], Mapping[str, str]], ...]:
    behind = rf"(?:{_V}(?P<version>\d(?:\.\d)?)(?![\w.]))?{_L}(?: or (?:any )?later(?: versions?)?)?"
    named = ((rf"{name}{behind}", ids) for name, ids in _NAMED)
    plain = ((name, {"": license_id}) for name, license_id in _PLAIN)
    return tuple((re.compile(rf"(?<![\w.§]){pattern}(?![\w.])"), ids) for pattern, ids in (*named, *plain))
