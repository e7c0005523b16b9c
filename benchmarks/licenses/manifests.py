"""Manifests made to be slow to read: a million characters of each, by the kind of file that takes longest."""

import time

from figures import Figure

from audit.ecosystems import read

LARGEST = 1_000_000
"""Characters: a file that people write is not read with more."""
SLOW = {
    "Package.swift": ".package(",
    "Gemfile": "gem 'a', ",
    "Podfile": "pod 'a'\n",
    "mix.exs": "deps: [{:a, ",
    "a.gemspec": ".name = [",
    "CMakeLists.txt": "(",
    "meson.build": "dependency(",
    "conanfile.py": "self.requires(",
    "setup.py": "(",
    "Dockerfile": "FROM a AS b\n",
    "pom.xml": "<a>",
    "package.json": '{"a":',
    "go.mod": "require a.b/c v1.0.0\n",
    "requirements.txt": "do\n",
}
"""What is repeated: of each family what took longest of two hundred pieces."""


def measure(*, quick: bool) -> list[Figure]:
    """Processor time for each, and for options that open a value within the value before, which once took time in its square."""
    size = LARGEST // (20 if quick else 1)
    texts = {path: piece * (size // len(piece)) for path, piece in SLOW.items()}
    nested = 'gem "a", ' + "a: [" * (size // 4 - 3)  # Not more characters than are read
    return [
        *(_figure(path, f"`{SLOW[path].strip()}`", text) for path, text in texts.items()),
        _figure("Gemfile", "options within options", nested),
    ]


def _figure(path: str, piece: str, text: str) -> Figure:
    started = time.process_time()  # Others use the machine, too.
    read(path, text)
    took = time.process_time() - started
    return Figure(what=f"{path} of {len(text):,} characters, {piece}", value=took, unit="s", target="≤ 10")
