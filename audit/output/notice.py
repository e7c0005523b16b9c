"""The NOTICE of a work: its own words, then what the notices of the Apache-licensed works in it ask to be passed on, and no more.

After the ASF's licensing how-to and section 4(d) of the Apache License: every line binds all people downstream, so what does not
go out, other licences' works, boilerplate and repetitions stay away.
"""

import re
from collections.abc import Iterator
from hashlib import sha256
from itertools import groupby
from typing import Final

from audit import display_text
from audit.facts import Cell, Delivery, Repository, RepositoryAudit
from audit.licenses import model_terms
from audit.licenses.expression import atoms, read
from audit.output.shipped_parts import label, ordered, shipped, taken
from audit.texts.copyrights.copyright_holders import copyrights
from audit.usage import MODELS_AND_DATA

NOTICE_FILE_LICENSES: Final = frozenset({"Apache-2.0", "ECL-2.0", "ImageMagick", "Pixar", "SHL-0.5", "SHL-0.51"})
"""The licences whose text asks that the contents of a NOTICE file be passed on."""
HEADING: Final = "Notices of works that are part of this product"
"""The line from which on a NOTICE is ours: what stands above it is the repository's own and stays."""
_RULE: Final = "=" * 72
_THIN: Final = "-" * 72
_ASF: Final = re.compile(r"copyright[^\n]{0,80}\bapache software foundation\b", re.IGNORECASE)
_INCLUDES: Final = re.compile(
    r"this product includes software developed (?:at|by)\s{1,9}the apache software foundation"
    r"(?:\s{0,9}\(https?://(?:www\.)?apache\.org/?\))?\.?",
    re.IGNORECASE,
)
# Sentences of the Apache License's own notice: they say nothing of the work.
_TERMS: Final = (
    'licensed under the apache license, version 2.0 (the "license"); you may not use this file except in compliance with the license.',
    "you may obtain a copy of the license at",
    "http://www.apache.org/licenses/license-2.0",
    "https://www.apache.org/licenses/license-2.0",
    "unless required by applicable law or agreed to in writing, software distributed under the license is distributed on an",
    '"as is" basis, without warranties or conditions of any kind, either express or implied.',
    "see the license for the specific language governing permissions and limitations under the license.",
)
_BLANK: Final = re.compile(r"\n[ \t]*\n\s*")
_LETTER: Final = re.compile(r"\w")


def notice(audited: RepositoryAudit, delivery: Delivery | None = None) -> str:
    """The whole NOTICE; `delivery` is the repository's own unless another is asked for (source: of the tree alone)."""
    parts = [own(audited.repository)]
    for index, (carriers, blocks) in enumerate(sections(audited, delivery)):
        parts.append(_THIN if index else f"{_RULE}\n{HEADING}\n{_RULE}")
        parts += ["\n".join(carriers), *blocks]
    return "\n\n".join(parts) + "\n"


def own(repository: Repository) -> str:
    """The repository's own words: its own NOTICE, else its name and the copyright lines of its licence files."""
    written = sorted((text.path, text.text) for text in repository.notices if "/" not in text.path)
    if written:
        # What was written below by an earlier run is made anew.
        kept = display_text.text(written[0][1]).partition(f"{_RULE}\n{HEADING}")[0]
        lines = [line.rstrip() for line in kept.strip().split("\n")]
        if any(lines):
            return "\n".join(lines)
    texts = sorted((text.path, text.text) for text in repository.licenses if "/" not in text.path)
    holders = copyrights((text for _, text in texts), read(repository.license.expression))
    return "\n".join([display_text.line(repository.name.rpartition("/")[2]), *holders])


def sections(audited: RepositoryAudit, delivery: Delivery | None = None) -> list[tuple[tuple[str, ...], list[str]]]:
    """The blocks that are to be passed on: a line for each dependency that brings them, with its package URL, and they.

    Each block stands once, however many dependencies bring it.
    """
    mine = own(audited.repository)
    # What the work says itself is not said again.
    known = {key(block) for block in _blocks(mine)}
    texts: dict[str, str] = {}
    carriers: dict[str, dict[str, None]] = {}
    for cell in shipped(audited, delivery):
        for block in _passed_on(cell, within_asf=bool(_ASF.search(mine))):
            if key(block) not in known:
                texts.setdefault(key(block), block)
                carriers.setdefault(key(block), {})[label(cell.dependency)] = None
    # Blocks in a row that the same dependencies bring stand together.
    by_carriers = groupby(texts, key=lambda name: tuple(carriers[name]))
    return [(who, [texts[name] for name in names]) for who, names in by_carriers]


def _passed_on(cell: Cell, *, within_asf: bool) -> Iterator[str]:
    """The blocks of one dependency: the lines that licences of models ask for, as Llama's do, and those of its NOTICE files."""
    under = atoms(taken(cell))
    if cell.dependency.usage in MODELS_AND_DATA:
        terms = (model_terms.terms(atom.license) for atom in under)
        yield from (row.notice for row in terms if row is not None and row.notice)
    if any(atom.license in NOTICE_FILE_LICENSES for atom in under):
        for text in ordered(cell.dependency.notices):
            yield from relevant(text.text, within_asf=within_asf)


def relevant(text: str, *, within_asf: bool = False) -> Iterator[str]:
    """The blocks of a dependency's NOTICE that are to be passed on.

    Left out are the terms of the Apache License, lines that only divide, and the ASF's standing sentence where the ASF itself
    speaks. `within_asf`: the work is the ASF's own, whose copyright line covers the dependency's, too.
    """
    blocks = list(_blocks(text))
    of_asf = bool(blocks) and bool(_ASF.search(blocks[0]))
    for index, block in enumerate(blocks):
        left = _INCLUDES.sub("", block).strip() if of_asf else block
        # The work's own line of the ASF covers that of the dependency.
        if index == 0 and of_asf and within_asf:
            continue
        if _LETTER.search(_without_terms(left)):
            yield left


def key(block: str) -> str:
    """A hash that is the same for the same words, in any spacing and case."""
    return sha256(" ".join(block.casefold().split()).encode()).hexdigest()


def _blocks(text: str) -> Iterator[str]:
    for block in _BLANK.split(display_text.text(text).expandtabs(4).strip("\n")):
        lines = "\n".join(line.rstrip() for line in block.split("\n")).strip("\n")
        if lines.strip():
            yield lines


def _without_terms(block: str) -> str:
    words = " ".join(block.casefold().replace("“", '"').replace("”", '"').split())
    for sentence in _TERMS:
        words = words.replace(sentence, "")
    return words
