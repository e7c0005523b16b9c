"""setup.cfg and setup.py, the second by its text alone: the requirements that their lists spell out."""

import re
from collections.abc import Iterator
from typing import Final

from audit import usage
from audit.ecosystems.dependency_list import DependencyList
from audit.ecosystems.formats import manifest_suppliers, python_literals
from audit.ecosystems.parsed_file import ParsedFile, learned, said
from audit.ecosystems.python import specifiers
from audit.facts import UNLEARNED, Place, Source, Usage
from audit.licenses.aliases import FAMILIES
from audit.licenses.expression import read

_SECTION: Final = re.compile(r"\[([^\]\n]*+)\]")
_KEY: Final = re.compile(r"([A-Za-z0-9_.-]++)[ \t]*+[=:]([^\n]*+)")
_NEEDED: Final = "install_requires"
_COMPUTED: Final = f"{_NEEDED} is computed, and setup.py is not run"
_LISTS: Final = {
    _NEEDED: Usage.RUNTIME_IMPORT,
    "tests_require": Usage.TEST_ONLY,
    "setup_requires": Usage.BUILD_TOOL,
}


def read_cfg(path: str, content: str) -> ParsedFile:
    """setup.cfg: `[options]`, `[options.extras_require]`, `[metadata]`."""
    found = DependencyList(path)
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
        extra = section == "options.extras_require"
        how = _LISTS.get(key) if section == "options" else None
        if extra:
            how = usage.of_extra(key)
        # `file:` names a file, and `%` begins a reference to another value.
        if how is None or not words or words.startswith(("#", "file:", "%")):
            continue
        why = f"setup.cfg: {section}.{key}"
        dependency = specifiers.dependency(words.partition(" #")[0], how, why, Place(path, line), optional=extra)
        if dependency:
            found.dependencies.append(dependency)
        else:
            found.unreadable(line, f"{key}: no requirement: {said(words)!r}")
    meant = read(next(iter(classified))) if len(classified) == 1 else None
    # `license` often names a family, such as BSD, of which the classifier says more.
    if meant is not None and (not stated.expression or stated.expression in FAMILIES):
        stated = learned(str(meant), path, next(iter(classified.values())), Source.METADATA)
    suppliers = manifest_suppliers.named(supplied.get("author"), supplied.get("url"))
    return found.parsed(license=stated, suppliers=suppliers)


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
    """setup.py is never run: lists of texts in it are read; requirements that it computes are a finding."""
    spelled = python_literals.tokens(content)
    spelled_out = python_literals.lists(spelled, frozenset(_LISTS))
    lists = [(name, _LISTS[name], False, listed) for name, listed in spelled_out.items()]
    for extra, listed in python_literals.tables(spelled, "extras_require").items():
        lists.append((f"extras_require.{extra}", usage.of_extra(extra), True, listed))
    found = DependencyList(path)
    for name, how, optional, listed in lists:
        for words, line in listed:
            dependency = specifiers.dependency(words, how, f"setup.py: {name}", Place(path, line), optional=optional)
            found.dependencies += [dependency] if dependency else []
    stated = python_literals.lists(spelled, frozenset({"name", "license", "author", "url"}))
    found.own |= {specifiers.normalize(words) for words, _ in stated["name"][:1]}
    license_of = [learned(words, path, line, Source.METADATA) for words, line in stated["license"][:1]]
    # A list may be spelled out besides.
    computed = None if spelled_out[_NEEDED] else python_literals.computed(spelled, _NEEDED)
    if computed is not None:
        found.not_read(computed, _COMPUTED)
    suppliers = (next((words for words, _ in stated[key]), "") for key in ("author", "url"))
    return found.parsed(
        license=license_of[0] if license_of else UNLEARNED, suppliers=manifest_suppliers.named(*suppliers)
    )
