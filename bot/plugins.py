"""Plugins: distributions that the operator names, whose entry points add ecosystems, report and webhook formats.

The module of each kind registers what a plugin adds, by the call that registers what Countersign brings itself.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from importlib.metadata import Distribution, EntryPoint


class PluginInvalid(ValueError):
    """A plugin cannot be used; one line that says which distribution, which entry point, why, and what to do."""


class PluginFailed(Exception):
    """A report format of a plugin failed, or gave no text; the line names the plugin."""


@dataclass(frozen=True, slots=True)
class Plugin:
    """A distribution that is loaded: its `name`, `version` and what it `adds`, such as `ecosystems elm`."""

    name: str
    version: str
    adds: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.name} {self.version} ({', '.join(self.adds)})"


# By normalized name; a process tries each once, since what is registered stays.
_TRIED: Final[dict[str, "Plugin | PluginInvalid"]] = {}


def load(names: Iterable[str]) -> tuple[Plugin, ...]:
    """Register what these distributions add. Raises PluginInvalid."""
    found = []
    # Only these: a plugin runs with the rights of the process, and a dependency could bring one unasked.
    for name in names:
        # A distribution is the same however its name is written (PyPA's name normalization).
        key = re.sub(r"[-_.]+", "-", name).lower()
        if key not in _TRIED:
            try:
                _TRIED[key] = _load(name)
            except PluginInvalid as error:
                _TRIED[key] = error
        result = _TRIED[key]
        if isinstance(result, PluginInvalid):
            raise result
        found.append(result)
    return tuple(found)


def _load(name: str) -> Plugin:
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        found = distribution(name)
    except (PackageNotFoundError, ValueError):
        raise PluginInvalid(
            f"{name} is not installed beside Countersign: install it, or remove it from COUNTERSIGN_PLUGINS"
        ) from None
    entries = [point for point in found.entry_points if point.group.startswith("countersign.")]
    if not entries:
        raise _refused(found, f"has no entry point of {', '.join(_KINDS)}")
    for entry in entries:
        _add(found, entry)
    adds = tuple(f"{entry.group.removeprefix('countersign.')} {entry.name}" for entry in entries)
    return Plugin(found.name, found.version, adds)


def _refused(found: "Distribution", why: str) -> PluginInvalid:
    return PluginInvalid(f"{found.name} {found.version} {why}: correct it, or remove it from COUNTERSIGN_PLUGINS")


def _add(found: "Distribution", entry: "EntryPoint") -> None:
    what = f"adds {entry.name} to {entry.group}"
    register = _KINDS.get(entry.group)
    if register is None:
        raise _refused(found, f"{what}, but a plugin can add to {', '.join(_KINDS)} only")
    try:
        added = entry.load()
    except (Exception, SystemExit) as error:  # Loading runs a stranger's module, which may raise anything.
        raise _refused(found, f"{what}, but cannot be loaded ({type(error).__name__}: {error})") from error
    try:
        register(entry.name, added, f"{found.name} {found.version}")
    except (TypeError, ValueError) as error:
        raise _refused(found, f"{what}, but {error}") from error


def _ecosystem(family: str, readers: object, plugin: str) -> None:
    from audit import ecosystems
    from audit.ecosystems.parsed_file import ParsedFile, ParseError

    if not isinstance(readers, Mapping):
        raise TypeError(f"it is {type(readers).__name__}, not a mapping of file names to readers")
    rows = [
        (str(pattern), family, _guarded(reader, plugin, ParsedFile, ParseError)) for pattern, reader in readers.items()
    ]
    ecosystems.register(rows, plugin)


def _report(name: str, report: object, plugin: str) -> None:
    from audit.output import all_reports

    all_reports.register(name, _guarded(report, plugin, str, PluginFailed))


def _webhook(name: str, body: object, plugin: str) -> None:
    from bot.notifications import endpoints
    from bot.notifications.webhook_sender import WebhookRefused

    endpoints.register(name, _guarded(body, plugin, bytes, WebhookRefused, is_private=True))


# By the group of an entry point: called with name, object, the plugin's name and version.
_KINDS: Final[Mapping[str, Callable[[str, object, str], None]]] = {
    "countersign.ecosystems": _ecosystem,
    "countersign.reports": _report,
    "countersign.webhooks": _webhook,
}


def _guarded(
    call: object, plugin: str, kind: type, failure: type[Exception], *, is_private: bool = False
) -> Callable[..., Any]:
    """The call of a plugin, whose every error is a `failure` that names the plugin.

    `is_private`: the text of the error is not told, since it may repeat what the call was given.
    """
    if not callable(call):
        raise TypeError(f"it is {type(call).__name__}, which cannot be called")

    def guarded(*arguments: object) -> Any:
        try:
            answer = call(*arguments)
        except failure:
            raise  # The plugin's own words, as the caller expects them.
        except Exception as error:
            said = type(error).__name__ if is_private else f"{type(error).__name__}: {error}"
            raise failure(f"the plugin {plugin} failed ({said})") from error
        if not isinstance(answer, kind):  # Else it would fail later, where no line names the plugin.
            raise failure(f"the plugin {plugin} gave {type(answer).__name__} instead of {kind.__name__}")
        return answer

    return guarded
