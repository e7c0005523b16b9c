"""Takes one value of the facts at a time; a mistake is named in one line with its place."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from agreements import moments
from agreements.facts import Account
from agreements.rulebook.grammar import kind

_MAX_INTEGER = 2**63 - 1  # both databases' largest
ACCOUNT_TYPES = ("User", "Bot", "Organization", "Mannequin")
_Object = Mapping[str, object]


class FactsInvalid(ValueError):
    """The facts break their schema; the text is one line and begins with the key path."""

    def __init__(self, path: str, message: str) -> None:
        # A key of the input could break the line.
        where = "".join(char if char.isprintable() else "?" for char in path)
        super().__init__(f"{where}: {message}" if where else message)


def join(path: str, key: str) -> str:
    """The path of a key inside another."""
    return f"{path}.{key}" if path and key else path or key


def section(value: object, path: str) -> _Object:
    """The value as an object. Raises FactsInvalid."""
    if type(value) is dict:  # JSON gives dicts; asking the abstract class is slow.
        return value
    if not isinstance(value, Mapping):
        raise FactsInvalid(
            path or "facts", f"must be an object, not {kind(value)}" if value is not None else "is missing"
        )
    return value


def items(data: _Object, key: str, path: str, *, needed: bool = False) -> Iterator[tuple[object, str]]:
    """The items of a list with their paths; missing or null is none unless it is needed."""
    value = data.get(key)
    if (value is None or value == []) and not needed:
        return iter(())
    where = join(path, key)
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise FactsInvalid(where, f"must be a list, not {kind(value)}" if value is not None else "is missing")
    return ((item, f"{where}.{index}") for index, item in enumerate(value))


def text(data: _Object, key: str, path: str, *, default: str | None = None) -> str:
    """A text; missing or null is the default, and without one a mistake."""
    value = data.get(key)
    if isinstance(value, str) and value.isascii():  # The usual case needs no encoding.
        return value
    if value is None and default is not None:
        return default
    if not isinstance(value, str):
        raise FactsInvalid(join(path, key), f"must be a text, not {kind(value)}" if value is not None else "is missing")
    try:
        # Half a surrogate pair is no character: nothing could show or store it.
        value.encode()
    except UnicodeEncodeError:
        raise FactsInvalid(join(path, key), "holds half a surrogate pair") from None
    return value


def texts(data: _Object, key: str, path: str) -> tuple[str, ...]:
    """A list of texts; missing or null is none."""
    return tuple(text({"": value}, "", where) for value, where in items(data, key, path))


def filled(data: _Object, key: str, path: str) -> str:
    """A text that is not empty."""
    value = text(data, key, path)
    if not value:
        raise FactsInvalid(join(path, key), "must not be empty")
    return value


def number(value: object, path: str, *, least: int = 1) -> int:
    """A whole number that fits in 64 bits."""
    if not isinstance(value, int) or isinstance(value, bool):
        found = "a decimal" if isinstance(value, float) else kind(value)
        raise FactsInvalid(path, f"must be a whole number, not {found}" if value is not None else "is missing")
    if not least <= value <= _MAX_INTEGER:
        raise FactsInvalid(path, f"must be from {least} to {_MAX_INTEGER}")
    return value


def flag(data: _Object, key: str, path: str, *, default: bool | None) -> bool | None:
    """True, false or null; missing is the default."""
    value = data.get(key, default)
    if value is not None and not isinstance(value, bool):
        raise FactsInvalid(join(path, key), f"must be true or false, not {kind(value)}")
    return value


def choice(data: _Object, key: str, options: Sequence[str], path: str, *, needed: bool = False) -> str:
    """One of the options; missing or null is the first, unless it is needed."""
    value = data.get(key)
    if value is None and not needed:
        return options[0]
    if value is None:
        raise FactsInvalid(join(path, key), "is missing")
    if not isinstance(value, str) or value not in options:
        raise FactsInvalid(join(path, key), f"must be one of {', '.join(filter(None, options))}")
    return value


def moment(data: _Object, key: str, path: str) -> datetime | None:
    """A moment with its zone; missing or null is none."""
    value = data.get(key)
    if value is None:
        return None
    found = moments.moment(value) if isinstance(value, str) else None
    if found is None:
        raise FactsInvalid(join(path, key), "must be a date and time with a zone, like 2026-01-31T12:00:00Z")
    return found


def needed_moment(data: _Object, key: str, path: str) -> datetime:
    """As `moment`, and it must be there."""
    found = moment(data, key, path)
    if found is None:
        raise FactsInvalid(join(path, key), "is missing")
    return found


def account(value: object, path: str) -> Account | None:
    """An account; GitHub sends null as well as {} for none."""
    if value is None or value == {}:
        return None
    data = section(value, path)
    number_given = data.get("id")
    # Most ids are fine: the slower check words the mistake.
    if type(number_given) is not int or not 0 < number_given <= _MAX_INTEGER:
        number_given = number(number_given, join(path, "id"))
    return Account(number_given, text(data, "login", path, default=""), choice(data, "type", ACCOUNT_TYPES, path))


def account_id(value: object, path: str) -> int | None:
    """The id of an account, None for none."""
    found = account(value, path)
    return None if found is None else found.id
