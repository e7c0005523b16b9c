"""setup.cfg and setup.py, the second by its syntax alone: the requirements that their lists spell out."""

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from audit import usage
from audit.ecosystems import format_checks
from audit.ecosystems.dependency_list import DependencyList
from audit.ecosystems.formats import manifest_suppliers, python_literals, python_program
from audit.ecosystems.formats.python_program import PythonProgram
from audit.ecosystems.formats.python_values import PythonValues, SpelledText
from audit.ecosystems.parsed_file import Include, ParsedFile, learned, said
from audit.ecosystems.python import specifiers
from audit.ecosystems.python.requirements import beside
from audit.facts import UNLEARNED, Place, Source, Usage
from audit.licenses.aliases import FAMILIES
from audit.licenses.expression import read

_SECTION: Final = re.compile(r"\[([^\]\n]*+)\]")
_KEY: Final = re.compile(r"([A-Za-z0-9_.-]++)[ \t]*+[=:]([^\n]*+)")
_NEEDED: Final = "install_requires"
_EXTRAS: Final = "extras_require"
_LISTS: Final = {
    _NEEDED: Usage.RUNTIME_IMPORT,
    "tests_require": Usage.TEST_ONLY,
    "setup_requires": Usage.BUILD_TOOL,
}
_EXTRAS_SECTIONS: Final = frozenset({"options.extras_require", "extras"})
_KEYS: Final = frozenset({*_LISTS, _EXTRAS})


def read_cfg(path: str, content: str) -> ParsedFile:
    """setup.cfg: `[options]`, `[options.extras_require]`, `[metadata]`, and pbr's `[extras]`."""
    found = DependencyList(path)
    includes = tuple(_requirements(found, content))
    stated = UNLEARNED
    supplied: dict[str, str] = {}
    classified: dict[str, int] = {}
    for line, section, key, words in values(content):
        if section == "metadata" and key == "name":
            found.own.add(specifiers.normalize(words))
        elif section == "metadata" and key == "license" and words:
            stated = learned(words, path, line, Source.METADATA)
        elif section == "metadata" and key == "classifiers" and words.startswith("License ::"):
            classified[words] = line
        elif section == "metadata" and key in {"author", "url"} and words:
            supplied.setdefault(key, words)
    meant = read(next(iter(classified))) if len(classified) == 1 else None
    # `license` often names a family, such as BSD, of which the classifier says more.
    if meant is not None and (not stated.expression or stated.expression in FAMILIES):
        stated = learned(str(meant), path, next(iter(classified.values())), Source.METADATA)
    suppliers = manifest_suppliers.named(supplied.get("author"), supplied.get("url"))
    return found.parsed(license=stated, suppliers=suppliers, includes=includes)


def _requirements(found: DependencyList, content: str) -> Iterator[Include]:
    """Add the requirements of a setup.cfg; of `file: …` the files."""
    files: tuple[str, str] | None = None  # The section and key of a list of files.
    for line, section, key, words in values(content):
        how, extra = _how(section, key), section in _EXTRAS_SECTIONS
        # `%` begins a reference to another value.
        if how is None or not words or words.startswith(("#", ";", "%")):
            continue
        if words.startswith("file:") or files == (section, key):
            files = section, key
            listed = (name.strip() for name in words.removeprefix("file:").split(","))
            yield from (Include(beside(found.path, name), found.place(line, words)) for name in listed if name)
            continue
        bare = words.partition(" #")[0]
        if section == "extras" and "://" not in bare:
            bare = bare.partition(":")[0]  # pbr writes a marker behind the colon.
        why = f"setup.cfg: {section}.{key}"
        dependency = specifiers.dependency(bare, how, why, Place(found.path, line), optional=extra)
        if dependency:
            found.dependencies.append(dependency)
        else:
            found.unreadable(line, f"{key}: no requirement: {said(words)!r}")


def _how(section: str, key: str) -> Usage | None:
    """The usage of what a key of setup.cfg lists; None for all other keys."""
    if section in _EXTRAS_SECTIONS:
        return usage.of_extra(key)
    named = key.replace("-", "_")  # Older files have hyphens.
    if section == "metadata" and named == "requires_dist":
        return Usage.RUNTIME_IMPORT
    return _LISTS.get(named) if section == "options" else None


def values(content: str) -> Iterator[tuple[int, str, str, str]]:
    """Each line's number, section, key and words."""
    section = key = ""
    for number, raw in enumerate(content.split("\n"), 1):
        line = raw.rstrip("\r")
        header = _SECTION.match(line)
        named = _KEY.match(line)
        if header:
            section, key = header[1].strip(), ""
        elif line[:1] in {" ", "\t"}:  # It belongs to the key above.
            yield number, section, key, line.strip()
        elif named:
            key = named[1]
            yield number, section, key, named[2].strip()


def read_py(path: str, content: str) -> ParsedFile:
    """setup.py is never run: what it spells out is read; requirements that it computes are a finding."""
    found = DependencyList(path)
    program = python_program.parse(content, _KEYS)
    if program:
        _read_program(found, program)
    # Marks of a merge are told of any file.
    elif any(key in content for key in (*_KEYS, "**")) and not format_checks.conflicts(path, content):
        found.not_read(None, f"is not Python 3, or has more than {python_program.MAX_CHARACTERS:,} characters")
    stated = python_literals.lists(python_literals.tokens(content), frozenset({"name", "license", "author", "url"}))
    found.own |= {specifiers.normalize(words) for words, _ in stated["name"][:1]}
    license_of = [learned(words, path, line, Source.METADATA) for words, line in stated["license"][:1]]
    suppliers = (next((words for words, _ in stated[key]), "") for key in ("author", "url"))
    return found.parsed(
        license=license_of[0] if license_of else UNLEARNED, suppliers=manifest_suppliers.named(*suppliers)
    )


def _read_program(found: DependencyList, program: PythonProgram) -> None:
    """The requirements in the lists of a program, and its calls of setup with arguments that it computes."""
    values = PythonValues(program)
    for key, how in _LISTS.items():
        stated = program.stated.get(key, [])
        _add_spelled(found, key, how, values.texts(stated, 1))
    tables = {getattr(table, "id", table): table for table in program.stated.get(_EXTRAS, [])}
    names = frozenset(name for name in tables if isinstance(name, str))
    for table in tables.values():
        for extra, value in values.table(table):
            # An extra of all others (`sum(extras.values(), [])`) adds nothing to these.
            spelled = values.texts([value], table.lineno, names)
            named = f"{_EXTRAS}.{extra}" if extra else _EXTRAS
            _add_spelled(found, named, usage.of_extra(extra or ""), spelled, optional=True)
    for call in program.open_calls:
        is_setup = isinstance(call.func, ast.Name | ast.Attribute) and "setup" in ast.unparse(call.func)
        given = [entry for word in call.keywords if word.arg is None for entry in values.table(word.value)]
        if is_setup and any(not key for key, _ in given):
            found.not_read(call.lineno, "computes arguments of setup(), and setup.py is not run")


def _add_spelled(
    found: DependencyList, key: str, how: Usage, spelled: Iterable[SpelledText], *, optional: bool = False
) -> None:
    for text in dict.fromkeys(spelled):
        dependency = specifiers.dependency(
            text.words, how, f"setup.py: {key}", Place(found.path, text.line), optional=optional
        )
        if dependency:
            found.dependencies.append(dependency if text.whole else replace(dependency, version_range=""))
        elif text.words:
            found.unreadable(text.line, f"{key}: no requirement: {said(text.words)!r}")
        else:
            why = f"{key.partition('.')[0]} is computed, and setup.py is not run"
            if not any(why in finding.message for finding in found.findings):
                found.not_read(text.line, why)
