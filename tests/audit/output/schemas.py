"""The published schemas of tests/cases/schemas as validators, and the checkers of the formats' own communities."""

import json
import lzma
import tempfile
from functools import cache
from pathlib import Path

import jsonschema_rs
from ntia_conformance_checker.ntia_checker import NTIAChecker

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
        f"{'/'.join(map(str, error.instance_path))}: {error.message}"
        for error in validator.iter_errors(json.loads(document))
    ]


def ntia(document):
    """What ntia-conformance-checker finds: `compliant`, packages without a supplier, and those to which no way leads."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sbom.spdx.json"
        path.write_bytes(document.encode())
        return NTIAChecker(str(path))
