"""A lock file of which nothing was read: is it that nothing is locked, or that it is not what its kind looks like?"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from audit.ecosystems import json_text, toml_text, yaml_text
from audit.ecosystems.reading import Broken

_NPM: Final = {"packages": dict, "dependencies": dict}
_PYLOCK: Final = {"packages": list}
_SHAPES: Final[Mapping[str, Mapping[str, type]]] = {
    "package-lock.json": _NPM,
    "npm-shrinkwrap.json": _NPM,
    "pnpm-lock.yaml": {"importers": dict, "packages": dict, "dependencies": dict, "devDependencies": dict},
    "Pipfile.lock": {"default": dict, "develop": dict},
    "poetry.lock": {"package": list},
    "uv.lock": {"package": list},
    "pdm.lock": {"package": list, "metadata": dict},
    "pylock.toml": _PYLOCK,
    "pylock.*.toml": _PYLOCK,
    "Cargo.lock": {"package": list},
    "conan.lock": {"requires": list, "build_requires": list, "graph_lock": dict},
}
"""By file: keys of which a lock file has one at least, also when it locks nothing, and what they hold."""


def check(pattern: str, content: str) -> None:
    """Raises Broken when a lock file has none of the keys of its kind, or something else in one of them."""
    shape = _SHAPES.get(pattern)
    if shape is None:
        return
    data = _reader(pattern)(content)
    wrong = [key for key, kind in shape.items() if key in data and not isinstance(data[key], kind)]
    if wrong or not any(key in data for key in shape):
        keys = " or ".join(f"`{key}`" for key in (wrong or shape))
        raise Broken(
            f"{'not what is expected in' if wrong else 'there is no'} {keys}: nothing was read of this lock file", 1
        )


def _reader(pattern: str) -> Callable[[str], Mapping[str, Any]]:
    if pattern.endswith(".yaml"):
        return yaml_text.top
    return json_text.top if pattern.endswith((".json", "Pipfile.lock", "conan.lock")) else toml_text.load
