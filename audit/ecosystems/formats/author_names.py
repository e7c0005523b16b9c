"""The authors that a manifest names, in whatever form its ecosystem has for them; their addresses are left out."""

from typing import Final

from audit import display_text

_MAX_AUTHORS: Final = 20
_MAX_NAME_CHARACTERS: Final = 100


def names(value: object) -> tuple[str, ...]:
    """The names in `Ada <ada@example.org> (https://…)`, in a mapping with a `name`, or in a list of either.

    An author who is named by an address alone is left out.
    """
    listed = value[:_MAX_AUTHORS] if isinstance(value, list) else [value]
    return tuple(dict.fromkeys(name for name in map(_name, listed) if name))


def _name(value: object) -> str:
    said = value.get("name") if isinstance(value, dict) else value
    if not isinstance(said, str):
        return ""
    plain = said[:500].partition("<")[0].partition("(")[0]
    return "" if "@" in plain or "://" in plain else display_text.line(plain, _MAX_NAME_CHARACTERS).strip()
