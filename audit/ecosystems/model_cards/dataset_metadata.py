"""Metadata of data sets and of works that are cited: Croissant, Frictionless data packages, `dataset_infos.json`, CITATION.cff, Zenodo."""

from collections.abc import Mapping
from typing import Any, Final

from audit.ecosystems.formats import json_text, yaml_text
from audit.ecosystems.model_cards.card_statement import NOTHING, CardStatement, stated
from audit.ecosystems.parsed_file import table, text, texts
from audit.facts import UNLEARNED, Place

_MAX_CONFIGURATIONS: Final = 100
_NAMES: Final = ("name", "id", "identifier", "url", "@id", "path")  # The name of a licence that is an object.


def read_croissant(path: str, content: str) -> CardStatement:
    """A data set in JSON-LD (docs.mlcommons.org/croissant): `license` is an address, an id, or an object."""
    data = json_text.top(content)
    value = data.get("license", data.get("sc:license"))  # `sc:` is schema.org's prefix.
    line = data.lines().get("license")
    return CardStatement(license=stated(Place(path, line), [_word(entry) for entry in _each(value)]), is_data=True)


def read_data_package(path: str, content: str) -> CardStatement:
    """A data package (datapackage.org): `licenses` lists objects; `license` is what its first edition had."""
    data = json_text.top(content)
    key = "licenses" if "licenses" in data else "license"
    names = [_word(entry) for entry in _each(data.get(key))]
    return CardStatement(license=stated(Place(path, data.lines().get(key)), names), is_data="resources" in data)


def read_dataset_infos(path: str, content: str) -> CardStatement:
    """The metadata that `datasets` writes of each configuration: all licences that it names count."""
    data = json_text.top(content)
    parts = [data, *json_text.objects(data).values()][:_MAX_CONFIGURATIONS]
    names = dict.fromkeys(name for part in parts for name in texts(part.get("license") or []) if name.strip())
    return CardStatement(license=stated(Place(path), list(names)), is_data=True)


def read_dataset_info(path: str, content: str) -> CardStatement:
    """The same as YAML."""
    data = yaml_text.top(content)
    return CardStatement(license=stated(Place(path, data.lines.get("license")), data.get("license")), is_data=True)


def read_citation(path: str, content: str) -> CardStatement:
    """CITATION.cff (citation-file-format.github.io): a list of licences is a choice."""
    data = yaml_text.top(content)
    if not text(data.get("cff-version")):  # Every such file must have it.
        return NOTHING
    names = texts(data.get("license") or [])
    place = Place(path, data.lines.get("license"))
    parts = [stated(place, name) for name in names]
    # Its schema says that who takes the work may choose.
    if len(parts) > 1 and all(part.expression for part in parts):
        return CardStatement(license=stated(place, " OR ".join(part.expression or "" for part in parts)), is_own=True)
    return CardStatement(license=stated(place, names), is_own=True)


def read_zenodo(path: str, content: str) -> CardStatement:
    """`.zenodo.json`: `license` is an id, or an object with one."""
    data = json_text.top(content)
    value = data.get("license")
    place = Place(path, data.lines().get("license"))
    return CardStatement(license=stated(place, _word(value)) if value else UNLEARNED, is_own=True)


def _each(value: object) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _word(value: object) -> str:
    """A licence's name, or that of an object which is one."""
    if isinstance(value, Mapping):
        return next((words for key in _NAMES if (words := text(table(value).get(key)))), "")
    return text(value)
