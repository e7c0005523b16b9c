"""The formats that can be imported, by the name that the command line gives them."""

from collections.abc import Callable, Mapping

from agreements.imports import cla_assistant_csv, cla_assistant_lite, clabot, easycla_csv, plain
from agreements.imports.entries import ImportDefaults, ImportFile

FORMATS: Mapping[str, Callable[[bytes, ImportDefaults], ImportFile]] = {
    "plain": plain.read,
    "cla-assistant-csv": cla_assistant_csv.read,
    "cla-assistant-lite": cla_assistant_lite.read,
    "clabot": clabot.read,
    "easycla-csv": easycla_csv.read,
}
"""Each reads the bytes of a file, with the importer's own values, and raises UnreadableImport."""
