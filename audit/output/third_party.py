"""THIRD-PARTY-LICENSES: what is part of the work, whose it is and under which terms; each text once, none made up."""

from collections.abc import Iterator

from audit import display_text
from audit.facts import Cell, RepositoryAudit, Text
from audit.licenses.expression import atoms
from audit.licenses.spdx import exception_texts, texts
from audit.output.shipped_parts import holders, label, ordered, shipped, taken
from audit.verdict.unreadable_input import not_read, of_unknown_origin, unreadable

_RULE = "=" * 72


def third_party(audited: RepositoryAudit) -> str:
    """The whole file."""
    cells = shipped(audited)
    name = display_text.line(audited.repository.name)
    parts = [f"Works by others that are part of {name}, and their licences."]
    parts += _entries(cells) or [_none(audited)]
    for title, text in _texts(cells):
        parts += [f"{_RULE}\n{title}\n{_RULE}", text]
    absent = [
        f"{label(cell.dependency)}: {display_text.line(reason)}"
        for cell in cells
        if not cell.dependency.licenses
        for reason in _unknown(cell)
    ]
    if absent:  # A person has to find them: no text is made up.
        parts += [f"{_RULE}\nTexts that are missing\n{_RULE}", "\n".join(dict.fromkeys(absent))]
    return "\n\n".join(parts) + "\n"


def _none(audited: RepositoryAudit) -> str:
    # Plainly none only where nothing was left open: no text of unknown origin, no input that could not be read.
    if unreadable(audited.findings):
        return "None was found in the files that could be read. The findings of the audit list the rest."
    if any(not_read(audited.findings)):
        return f"None was found in the files that are read; {not_read(audited.findings)}. The findings of the audit list them."
    if doubtful := of_unknown_origin(audited.findings):
        return f"Only {doubtful} of unknown origin were found. The findings of the audit list them."
    return "There are none."


def _entries(cells: tuple[Cell, ...]) -> list[str]:
    works: dict[str, set[str]] = {}
    for cell in cells:
        under = taken(cell)
        terms = (
            f"which is available under {display_text.line(str(under), 1000)}" if under else "whose licence is not known"
        )
        works.setdefault(f"{label(cell.dependency)}, {terms}", set()).update(holders(cell))
    return ["\n".join([said, *(f"    {line}" for line in sorted(lines))]) for said, lines in works.items()]


def _texts(cells: tuple[Cell, ...]) -> Iterator[tuple[str, str]]:
    """Title and text: licences by SPDX's id, exceptions, then what came with works whose licence SPDX has no text of."""
    used = sorted({atom.license for cell in cells for atom in atoms(taken(cell))})
    for name in used:
        if name in texts():
            yield name, display_text.text(texts()[name]).strip("\n")
    for name in sorted({atom.exception for cell in cells for atom in atoms(taken(cell)) if atom.exception}):
        if name in exception_texts():
            yield name, display_text.text(exception_texts()[name]).strip("\n")
    own: dict[str, tuple[Text, dict[str, None]]] = {}
    for cell in cells:
        if _unknown(cell):
            for text in ordered(cell.dependency.licenses):
                # A text of several works stands once, below all of their names.
                own.setdefault(text.sha256, (text, {}))[1][label(cell.dependency)] = None
    for text, bringing in own.values():
        yield "\n".join([*bringing, display_text.line(text.path)]), display_text.text(text.text).strip("\n")


def _unknown(cell: Cell) -> list[str]:
    used = atoms(taken(cell))
    found = [atom.license for atom in used if atom.license not in texts()]
    found += [atom.exception for atom in used if atom.exception and atom.exception not in exception_texts()]
    return found if used else ["its licence is not known"]
