"""Native libraries that Go sources link: `#cgo LDFLAGS: -lX` and `#cgo pkg-config: X` in the comment above `import "C"`."""

import re
from dataclasses import replace
from typing import Final

from audit.ecosystems.native.named_libraries import LinkedName, NamedLibraries, linked, module_names
from audit.ecosystems.parsed_file import ParsedFile
from audit.facts import Usage

_LINE: Final = re.compile(
    r"^[ \t]*+(?://[ \t]*+)?#cgo[ \t]++([^:\n\"]{0,200}?)(LDFLAGS|pkg-config)[ \t]*+:([^\n]*+)", re.MULTILINE
)
"""The `go` command reads these lines in comments; what stands before the word says on which systems (`linux,amd64`)."""


def read(path: str, content: str, how: Usage) -> ParsedFile:
    """The libraries that a Go file names so; `how` is the file's own use, when it is for tests or tools alone."""
    named = NamedLibraries(path)
    if "#cgo" in content and '"C"' in content:
        for said in _LINE.finditer(content):
            number = content.count("\n", 0, said.start()) + 1
            systems = " ".join(said[1].split())
            why = f"#cgo {said[2]}{f', on {systems}' if systems else ''}"
            line = said[0].strip().lstrip("/ \t")
            for one in linked(said[3]) if said[2] == "LDFLAGS" else map(LinkedName, module_names(said[3])):
                if said[2] == "LDFLAGS":
                    named.link(one, number, line, f"{why}: -l{one.name}")
                else:
                    named.module(one, number, line, why)
    found = named.parsed()
    if how is Usage.STATIC_LINK:  # a file of the program: the libraries are linked as the lines say
        return found
    return replace(found, dependencies=tuple(replace(one, usage=how) for one in found.dependencies))
