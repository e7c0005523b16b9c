"""Files that live at the project's root in a checkout, and inside the package in a wheel."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

# Name in the wheel's `bot/_shipped` → path in a checkout; pyproject.toml's force-include says the same.
ROOTED: Mapping[str, str] = MappingProxyType(
    {
        "app.yaml": "app.yaml",
        "cann": "examples/cann",
        "rulebook.schema.json": "docs/reference/rulebook.schema.json",
    }
)

_PACKAGE = Path(__file__).parent


def path(name: str) -> Path:
    """The path of the file or folder of that name. Raises `KeyError` for a name that is not shipped."""
    in_checkout = _PACKAGE.parent / ROOTED[name]
    in_wheel = _PACKAGE / "_shipped" / name
    return in_wheel if in_wheel.exists() else in_checkout
