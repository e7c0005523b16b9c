"""The published schemas of tests/cases/schemas as validators."""

import json
import lzma
from functools import cache
from pathlib import Path

import jsonschema_rs

SCHEMAS = Path(__file__).parents[2] / "cases/schemas"


def _schema(name):
    return json.loads(lzma.decompress((SCHEMAS / f"{name}.json.xz").read_bytes()))


@cache
def cyclonedx():
    """CycloneDX 1.6, formats included."""
    resources = [
        (f"http://cyclonedx.org/schema/{name}.SNAPSHOT.schema.json", _schema(f"cyclonedx-{name}"))
        for name in ("spdx", "jsf-0.82")
    ]
    registry = jsonschema_rs.Registry(resources)
    return jsonschema_rs.validator_for(_schema("cyclonedx-bom-1.6"), registry=registry, validate_formats=True)


@cache
def sarif():
    """SARIF 2.1.0, formats included."""
    return jsonschema_rs.validator_for(_schema("sarif-2.1.0"), validate_formats=True)


def faults(validator, document):
    """What is wrong, in words; empty when it is valid."""
    return [
        f"{'/'.join(map(str, one.instance_path))}: {one.message}" for one in validator.iter_errors(json.loads(document))
    ]
