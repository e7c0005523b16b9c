"""`.reuse/dep5`: licences of files by paragraphs of paths, in the format of Debian's copyright files; and such a file itself.

Deprecated since REUSE 3.2, and valid: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/.
"""

import re
from collections.abc import Iterator
from typing import Final

from audit.ecosystems.parsed_file import ParseError
from audit.facts import Place
from audit.licenses.expression import read as read_expression
from audit.scan.reuse.annotations import Annotation, AnnotationFile, LicenseStatement, Precedence
from audit.scan.reuse.path_patterns import of_dep5
from audit.scan.reuse.reuse_toml import MAX_PATTERNS

PATH: Final = ".reuse/dep5"
OF_PACKAGE: Final = "debian/copyright"
_FIELD: Final = re.compile(r"([A-Za-z][A-Za-z0-9-]*+)[ \t]*+:[ \t]*+([^\n]*+)")
_FORMAT: Final = "copyright-format/1.0"

Paragraph = dict[str, tuple[int, list[str]]]  # By the name of a field in lower case: its line, and what its lines say.


def read(content: str) -> AnnotationFile:
    """Reads the file; the last paragraph that fits a file counts. Raises ParseError, with the line, for a bad one."""
    paragraphs = list(_paragraphs(content))
    said = " ".join(paragraphs[0].get("format", (1, []))[1]) if paragraphs else ""
    if _FORMAT not in said:
        raise ParseError(f"the first paragraph has no `Format:` of {_FORMAT}", 1)
    # A paragraph with a licence and no files holds the text of one that others name.
    annotations = tuple(
        _annotation(paragraph) for paragraph in paragraphs[1:] if "files" in paragraph or "license" not in paragraph
    )
    if sum(len(annotation.patterns) for annotation in annotations) > MAX_PATTERNS:
        raise ParseError(f"more than {MAX_PATTERNS:,} paths", None, "file/refused")
    return AnnotationFile(PATH, "", annotations)


def of_package(path: str, content: str) -> Iterator[LicenseStatement]:
    """The licences that a copyright file of Debian states of the work's files, without those of the packaging itself.

    One in no such format, and a licence without a known name, state nothing.
    """
    try:
        paragraphs = list(_paragraphs(content)) if _FORMAT in content else []
    except ParseError:
        return
    for paragraph in paragraphs:
        files = " ".join(paragraph.get("files", (1, []))[1]).split()
        line, lines = paragraph.get("license", (1, [""]))
        expression = read_expression(lines[0])
        if expression is not None and not all(pattern.startswith("debian/") for pattern in files):
            yield LicenseStatement(expression, Place(path, line))


def _paragraphs(content: str) -> Iterator[Paragraph]:
    """Fields are at the beginning of a line, what goes on with them is indented, paragraphs are divided by empty lines."""
    paragraph: Paragraph = {}
    last: list[str] | None = None
    for number, line in enumerate(content.split("\n"), 1):
        if not line.strip():
            if paragraph:
                yield paragraph
            paragraph, last = {}, None
        elif line.startswith("#"):
            continue
        elif line[0] in " \t":
            if last is None:
                raise ParseError("this line goes on with no field", number)
            last.append(line.strip())
        else:
            field = _FIELD.fullmatch(line.rstrip())
            name = field[1].lower() if field else ""
            if field is None or name in paragraph:
                raise ParseError(
                    "this line is no field" if field is None else f"`{field[1]}` stands here twice", number
                )
            last = [field[2]]
            paragraph[name] = number, last
    if paragraph:
        yield paragraph


def _annotation(paragraph: Paragraph) -> Annotation:
    start = min(line for line, _ in paragraph.values())
    for name in ("files", "license", "copyright"):
        if name not in paragraph:
            raise ParseError(f"a paragraph without `{name.title()}:`", start)
    patterns = " ".join(paragraph["files"][1]).split()
    if not patterns:
        raise ParseError("`Files:` names no file", paragraph["files"][0])
    line, lines = paragraph["license"]
    expression = read_expression(lines[0])  # The licence's text may stand below.
    if expression is None:
        raise ParseError(f"`{lines[0][:80]}` is no SPDX licence expression", line)
    license_ = LicenseStatement(expression, Place(PATH, line))
    # REUSE reads these paragraphs as annotations that aggregate.
    return Annotation(tuple(map(of_dep5, patterns)), Precedence.AGGREGATE, (license_,))
