"""Build files and manifests of tools whose files are not read: that they name something is said, so that no clean answer hides it."""

import re
from functools import reduce
from typing import Final

from audit.ecosystems.parsed_file import ParsedFile, not_read
from audit.licenses.spdx import data_file
from audit.usage import usage_by_folder

_TABLE: Final = data_file("unsupported-tools.toml")
# Parts of Apple's systems, and what CocoaPods, Flutter and Capacitor make of the packages that their own manifests name.
_PLATFORM: Final = data_file("platform-libraries.toml")
_OF_APPLE: Final = (
    rf"(?:{'|'.join([*_PLATFORM['frameworks'], *_PLATFORM['frameworks_by_option']])})\.framework|lib(?:c\+\+|objc|System)\.(?:tbd|dylib)"
    r"|libPods-[^*\n]{1,200}\.a|Pods_\w{1,200}\.framework|FlutterGeneratedPluginSwiftPackage|CapApp-SPM"
)
_PARTS: Final = {**_TABLE["parts"], "apple": _OF_APPLE}
# By the pattern of a file's name: the tool, and a pattern of the place where the file names dependencies.
_MARKS: Final[dict[str, tuple[str, str]]] = {
    pattern: (tool, reduce(lambda words, part: words.replace(f"<{part[0]}>", part[1]), _PARTS.items(), mark))
    for patterns, tool, mark in _TABLE["files"]["listed"]
    for pattern in patterns.split()
}
PATTERNS: Final = tuple(_MARKS)


def read(pattern: str, path: str, content: str) -> ParsedFile:
    """A finding where the file, which that pattern fits, names dependencies; none in folders of tests and examples."""
    tool, mark = _MARKS[pattern]
    if usage_by_folder(path):
        return ParsedFile()  # Nothing of these folders is delivered.
    named = re.search(mark, content, re.MULTILINE)
    if named is None:
        return ParsedFile()
    line = content.count("\n", 0, named.start()) + 1
    said = f"names dependencies for {tool}, whose files are not read"
    return ParsedFile(findings=(not_read(path, line, said),))
