"""Whose data the audit judges by, as their licences ask it to be named."""

import json
from functools import cache
from importlib import resources


@cache
def attributions() -> tuple[str, ...]:
    """One sentence for each source of the vendored data (audit/data/sources.json), in order."""
    found = json.loads((resources.files("audit") / "data/sources.json").read_text(encoding="utf-8"))
    return tuple(dict.fromkeys(f"{one['attribution']} Data of {one['data']}, {one['license']}." for one in found))
