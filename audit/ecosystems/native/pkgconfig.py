"""pkg-config's own files (`.pc`, and templates of them): the libraries that a library of the work needs."""

import re
from typing import Final

from audit.ecosystems.native.named_libraries import LinkedName, NamedLibraries, logical_lines, module_names
from audit.ecosystems.parsed_file import ParsedFile

_FIELD: Final = re.compile(r"(Requires|Requires\.private|Libs|Libs\.private)[ \t]*+:([^\n]*+)")
_ENDING: Final = re.compile(r"(?:-uninstalled)?\.pc(?:\.\w{1,10})?$")


def read(path: str, content: str) -> ParsedFile:
    """The file's own name is the work's; libraries that it requires and links are used, but for `-L` and variables."""
    named = NamedLibraries(path)
    stem = _ENDING.sub("", path.rpartition("/")[2])
    named.make(stem.removeprefix("lib"))
    named.own.add(stem)
    for number, line in logical_lines(content):
        said = _FIELD.match(line.strip())
        if said is None:
            continue
        why = f"{path.rpartition('/')[2]}: {said[1]}"
        if said[1].startswith("Libs"):
            # `Libs` has the work's own library, too, whose name is often a variable.
            for word in re.split(r"\s+", said[2]):
                if word.startswith("-l") and not re.search(r"[$@%]", word):
                    named.link(LinkedName(word[2:]), number, line, f"{why} {word}")
            continue
        for name in module_names(re.sub(r"@\w+@|\$\{\w+\}", " ", said[2])):
            named.module(LinkedName(name), number, line, why)
    return named.parsed()
