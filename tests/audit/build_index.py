"""Derives the forms of licence texts from the texts, for derive.py beside it: which are the same, where a title ends, what may be left out."""

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from audit.licenses.spdx import data_file
from audit.texts.normalization import NormalizedText, normalize
from audit.texts.pieces import shingles
from audit.texts.text_index import INDEXED_WORDS, digest

_KEY = re.compile(r"^spdx_license_key: (\S+)$", re.MULTILINE)
_LAST = 24
_RATES = ((200, 3), (1_000, 8))
_LONG = 24
TITLE = frozenset(
    [
        "and",
        "april",
        "august",
        "dated",
        "december",
        "february",
        "http",
        "january",
        "july",
        "june",
        "license",
        "licenses",
        "march",
        "may",
        "no",
        "november",
        "number",
        "october",
        "of",
        "org",
        "public",
        "september",
        "software",
        "text",
        "the",
        "v",
        "version",
        "www",
    ]
)
"""Words that stand in the lines of a title: version, date and address."""
_LENGTH, _DIGEST, _TITLE, _TAILS, _OTHERS = 2, 4, 5, 6, 7
_FEWEST = 20
TAILS = (
    " end of terms and conditions appendix how to apply the apache license ",
    " end of terms and conditions how to apply these terms ",
    " appendix how to apply these terms ",
    " how to apply these terms to your new ",
    " appendix how to use this license for your documents ",
    " addendum how to use this license for your documents ",
    " how to use this license for your documents ",
    " end of terms and conditions ",
    " creative commons is not a party to its public license",
    " creative commons may be contacted at ",
)
"""Where a part begins that tells how to use a licence, and grants nothing: it may be left out of a file."""

_END = " end of terms and conditions "
_PIECE = re.compile(r"\\.|\(\||\[ \]\*|.", re.DOTALL)
_SIGNS, _NO_WORDS = frozenset(".{}[]*+?|^$"), "\0"
_YEAR = re.compile(r"(?:19|20)\d\d|\d{1,2}(?:st|nd|rd|th)?")


_SECOND = {"LGPL-3.0-only": " gnu general public license version 3 29 june 2007 everyone "}
"""Texts of SPDX's that hold a second licence, on which the first builds: a file of the first alone is complete."""
_SUCCESSORS = {"BSD-2-Clause-FreeBSD": "BSD-2-Clause-Views", "Nunit": "zlib-acknowledgement", "StandardML-NJ": "SMLNJ"}
"""Deprecated ids whose text is worth knowing, and the id that SPDX puts in their place."""

_OMITTABLE = (
    "and that the name of ~holder not be used in advertising or publicity pertaining to distribution of the software without specific prior written permission",
    "~holder makes no representations about the suitability of this software for any purpose it is provided as is without express or implied warranty",
    (
        "~holder disclaims all warranties with regard to this software including all implied warranties of merchantability and fitness in no event "
        "shall ~holder be liable for any special indirect or consequential damages or any damages whatsoever resulting from loss of use data or "
        "profits whether in an action of contract negligence or other tortious action arising out of or in connection with the use or performance "
        "of this software"
    ),
)
"""What SPDX's templates of HPND and its variant for sale call optional; they hold names, and so are not in license-optional.json."""

VARIANTS = (
    (
        "BSD-2-Clause",
        (
            ("this software is provided as is", "this is provided as is"),
            ("use of this software even", "use of this even"),
        ),
    ),
    ("ISC", (("this software for any purpose", "this software and its documentation for any purpose"),)),
    ("BSD-3-Clause", (("~nobody may be used to endorse", "the names of its contributors may not be used to endorse"),)),
    ("BSD-3-Clause", (("~nobody may be used to endorse", "the names of any contributors may not be used to endorse"),)),
    (
        "BSD-3-Clause",
        (
            (
                "in source and binary forms with or",
                "in source and binary forms of the software as well as documentation with or",
            ),
            ("this software is provided", "this software and documentation is provided"),
            ("use of this software even", "use of this software and documentation even"),
        ),
    ),
    ("MPL-1.1", (("your choice of the mpl or the alternative", "your choice of the npl or the alternative"),)),
    ("ISC", (("resulting from loss of use data", "resulting from loss of mind use data"),)),
    *(
        (license_id, tuple((part, "") for part in parts))
        for license_id in ("HPND", "HPND-sell-variant")
        for count in range(1, len(_OMITTABLE) + 1)
        for parts in combinations(_OMITTABLE, count)
    ),
    *(
        (
            license_id,
            (
                (
                    "merchantability and fitness in no event",
                    "merchantability and fitness for a particular purpose in no event",
                ),
            ),
        )
        for license_id in ("HPND", "HPND-sell-variant")
    ),
    (
        "ImageMagick",
        (
            ("irrevocable patent license", "irrevocable except as stated in this section patent license"),
            ("www imagemagick org script", "imagemagick org script"),
        ),
    ),
)
"""Whole texts of others that were reviewed word for word: a licence's, with these words changed, all of them, and nothing else.

They narrow nothing and ask nothing more, are in wide use, and their authors call them by the licence's name.
"""

OPTIONAL = {
    "Apache-1.1": (
        "portions of this software are based upon public domain software originally written at the national center for supercomputing applications "
        "university of illinois urbana champaign"
    )
}
"""Sentences that say where one work's code comes from and stand in SPDX's text of a licence; those of other works are without."""

HEADLESS = dict.fromkeys(("Unicode-3.0", "Unicode-DFS-2015", "Unicode-DFS-2016"), " permission is hereby granted ")
"""Texts whose head only says what the words below speak of, and the words from which Unicode's own data files have them: without it."""

_GRANT = " this program is free software you can redistribute it and or modify it under the terms of the gnu general public license"
_LIBRARY = " this library is free software you can redistribute it and or modify it under the terms of the gnu {} general public license"
_SENT = " if not see www gnu org licenses "
NOTICES = {
    "Apache-2.0": (" licensed under the apache license version 2 0 the license ", " limitations under the license "),
    "MPL-2.0": (
        " this source code form is subject to the terms of the mozilla public license v 2 0 ",
        " at mozilla org mpl 2 0 ",
    ),
    "GPL-3.0-or-later": (f"{_GRANT} as published by the free software foundation either version 3 ", _SENT),
    "AGPL-3.0-or-later": (
        f"{_GRANT.replace('gnu general', 'gnu affero general')} as published by the free software foundation either version 3 ",
        _SENT,
    ),
    "ECL-2.0": (
        " licensed under the educational community license version 2 0 the license ",
        " limitations under the license ",
    ),
}
"""Where in a licence's text the words stand by which a work is put under it: from which words to which."""


def derive(texts: Mapping[str, str], names: Mapping[str, str], deprecated: frozenset[str]) -> str:
    """The file of forms as JSON, one text a line: derived from the texts alone, the same bytes each time."""
    groups: dict[str, list[str]] = defaultdict(list)
    normals: dict[str, NormalizedText] = {}
    for name in sorted(texts):
        now = current(name, texts, deprecated)
        if now is not None:
            made = normalize(texts[name])
            groups[made.form].append(name)
            normals[made.form] = made
    cut = {form: _title_end(form, texts[ids[0]], names.get(ids[0], ids[0]), ids[0]) for form, ids in groups.items()}
    bare = defaultdict(set)
    for form, ids in groups.items():
        bare[_core(form, cut[form], _license(ids, texts, deprecated))[0]].add(_license(ids, texts, deprecated))
    rows = []
    for form, ids in groups.items():
        license_id = _license(ids, texts, deprecated)
        titled = len(bare[_core(form, cut[form], license_id)[0]]) > 1
        rows.append(
            _row(form, 0 if titled else cut[form], license_id, tuple(other for other in ids if other != license_id))
        )
    rows = [*_merged([*rows, *_variants(rows, normals)]), *_notices(normals)]
    return "[\n" + ",\n".join(json.dumps(row, separators=(",", ":")) for row in sorted(rows)) + "\n]\n"


def rate(words: Sequence[str]) -> int:
    """One in how many runs of a licence's text is in its sample: the shorter the text, the more of them."""
    return next((one_in for most, one_in in _RATES if len(words) < most), _LONG)


def derive_marks(texts: Mapping[str, str], deprecated: frozenset[str]) -> str:
    """The file of marks (audit/texts/pieces.py) as JSON: of each different text by its id, without its tail."""
    groups: dict[str, list[str]] = defaultdict(list)
    for name in sorted(texts):
        if name not in deprecated:
            groups[normalize(texts[name]).form].append(name)
    made = {}
    for form, ids in groups.items():
        license_id = _license(ids, texts, deprecated)
        words = _core(form, 0, license_id)[0].split()
        made[license_id] = [rate(words), *sorted(shingles(words, rate(words)))]
    return (
        "{\n" + ",\n".join(f'"{key}":{json.dumps(made[key], separators=(",", ":"))}' for key in sorted(made)) + "\n}\n"
    )


def _variants(rows: list[list[Any]], forms: Mapping[str, NormalizedText]) -> Iterator[list[Any]]:
    """A row for each variant: the licence's text with all of the variant's words put in, and nothing else changed."""
    for license_id, changes in VARIANTS:
        row, form, cut = _of(license_id, rows, forms)
        for old, new in changes:
            assert form.count(f" {old} ") == 1, (license_id, old)
            form = form.replace(f" {old} ", f" {new} " if new else " ")
        yield _row(form, cut, license_id, tuple(row[_OTHERS]))
    for license_id, start in HEADLESS.items():
        row, form, _ = _of(license_id, rows, forms)
        yield _row(form[form.index(start) :], 0, license_id, tuple(row[_OTHERS]))


def _of(license_id: str, rows: list[list[Any]], forms: Mapping[str, NormalizedText]) -> tuple[list[Any], str, int]:
    """A licence's row, its form, and where in that its title ends."""
    [row] = (row for row in rows if row[0] == license_id)
    cut = len(row[_TITLE]) + 1 if row[_TITLE] else 0
    return row, next(form for form in forms if digest(form[cut : cut + row[_LENGTH]]) == row[_DIGEST]), cut


def _merged(rows: list[list[Any]]) -> list[list[Any]]:
    """Texts that differ only in their tails are one, and each of the tails may stand behind it."""
    found: dict[str, list[Any]] = {}
    for row in rows:
        kept = found.setdefault(row[_DIGEST], row)
        if kept is not row:
            kept[_TAILS] += [tail for tail in row[_TAILS] if tail not in kept[_TAILS]]
            kept[_OTHERS] = tuple(sorted({*kept[_OTHERS], *row[_OTHERS]}))
    for row in found.values():
        row[_TAILS].sort(reverse=True)  # the longest first: the others begin it
    return list(found.values())


def current(name: str, texts: Mapping[str, str], deprecated: frozenset[str]) -> str | None:
    """The id that a text goes by: its own, or what a deprecated one became; None where that is no id alone."""
    if name not in deprecated:
        return name
    only = f"{name.removesuffix('+')}-only"
    return only if only in texts else _SUCCESSORS.get(name)


def _license(ids: list[str], texts: Mapping[str, str], deprecated: frozenset[str]) -> str:
    """Of all ids of one text the one that says least: `-only` before `-or-later`, the shortest of the others, then by letter."""
    known = sorted({now for name in ids if (now := current(name, texts, deprecated))})
    plain = [name for name in known if name.endswith("-only") and "invariants" not in name]
    return plain[0] if plain else min(known, key=lambda name: (len(name), name))


def _core(form: str, cut: int, license_id: str) -> tuple[str, str]:
    """The form without its title and tail, and the tail; both begin and end with a blank."""
    found = [at for tail in (_SECOND.get(license_id), *TAILS) if tail and (at := form.find(tail)) > len(form) // 20]
    end = min(found, default=len(form) - 1)
    if len(form) - end > len(form) // 3 and license_id not in _SECOND:
        end = len(form) - 1
    return form[cut : end + 1], form[end:]


def _row(form: str, cut: int, license_id: str, others: tuple[str, ...]) -> list[Any]:
    core, tail = _core(form, cut, license_id)
    tails = [tail] if len(tail) > 1 else []
    tails += [_END for tail in tails if tail.startswith(_END) and tail != _END]
    first = " ".join(core.split()[:INDEXED_WORDS])
    made = [(len(tail), digest(tail)) for tail in tails]
    return [license_id, first, len(core), core[-_LAST:], digest(core), form[:cut].strip(), made, others, 0]


def _notices(forms: Mapping[str, NormalizedText]) -> Iterator[list[Any]]:
    """The words by which a work is put under a licence, as the licence's own appendix has them."""
    made: dict[str, str] = {}
    for form in forms:
        for license_id, (start, end) in NOTICES.items():
            begin = form.find(start)
            stop = form.find(end, begin)
            if begin >= 0 and stop >= 0:
                made[form[begin : stop + len(end)]] = license_id
    for notice, license_id in made.items():
        row = _row(notice, 0, license_id, ())
        yield [*row[:-1], 1]


def _title_end(form: str, text: str, name: str, license_id: str) -> int:
    """Where in the form the title ends: lines at the top that hold the licence's name, version, date and address only."""
    known = TITLE | set(normalize(f"x {name} {license_id}").form.split())
    end, rest = 0, form
    for line in text.split("\n")[:12]:
        words = normalize(f"x {line.strip('#* ')}").form.split()[1:]
        if not words or not rest.startswith(f" {' '.join(words)} "):
            continue
        if not all(word in known or _YEAR.fullmatch(word) for word in words):
            break
        end += len(" ".join(words)) + 1
        rest = form[end:]
    return end if len(rest.split()) >= _FEWEST else 0


def derive_model_forms(entries: Sequence[str]) -> str:
    """By the digest of its words: the id of each licence of models whose text is one of AboutCode's; the reviewed table names them."""
    wanted = {licence["id"] for licence in data_file("model-licenses.json")["licenses"]}
    made = {}
    for entry in entries:
        _, head, text = re.split(r"^---[ \t]*$", entry, maxsplit=2, flags=re.MULTILINE)
        said = _KEY.search(head)
        if said and said[1] in wanted and text.strip():
            made[digest(normalize(text).form)] = said[1]
    return json.dumps(dict(sorted(made.items(), key=lambda pair: pair[1])), indent=0) + "\n"


def derive_optional(texts: Mapping[str, str], patterns: Mapping[str, Sequence[str]]) -> str:
    """The file of optional parts (audit/texts/comparison.py) as JSON, from patterns made of SPDX's templates, in which `(|…)` is optional.

    A part with places to fill in is left out, and so is one that doesn't stand once in the licence's text: the rest is words.
    """
    made = {}
    for license_id in sorted(texts):
        form = normalize(texts[license_id]).form
        parts = {
            normalize(f"x {part}").form[3:-1] for pattern in patterns.get(license_id, ()) for part in _optional(pattern)
        }
        parts |= {OPTIONAL[license_id]} if license_id in OPTIONAL else set()
        kept = {part for part in parts if part and form.count(f" {part} ") == 1 and len(part) * 3 < len(form)}
        if kept:
            made[license_id] = sorted(kept, key=lambda part: (-len(part), part))
    return json.dumps(made, indent=0, ensure_ascii=False) + "\n"


def _optional(pattern: str) -> Iterator[str]:
    """The words of each optional group of a pattern, those within it included; none that holds what is no word."""
    opened: list[tuple[bool, list[str]]] = []
    for match in _PIECE.finditer(pattern):
        piece = match[0]
        if piece in {"(|", "("}:
            opened.append((piece == "(|", []))
        elif piece == ")":
            optional, words = opened.pop()
            if not optional:
                words = [_NO_WORDS]
            elif _NO_WORDS not in (said := "".join(words)) and "endoptional" not in said:
                yield said
            if opened:
                opened[-1][1].extend(words)
        elif opened:
            opened[-1][1].append(_literal(piece))


def _literal(piece: str) -> str:
    """What a piece of a pattern stands for, as far as it is a word's."""
    if piece == "[ ]*":
        return " "
    if piece[0] == "\\":
        return piece[1:]
    return _NO_WORDS if piece in _SIGNS else piece
