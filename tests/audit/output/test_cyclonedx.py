"""Documents that the published schema of CycloneDX 1.6 takes; the same input gives the same bytes."""

import json
from pathlib import Path

import pytest

from audit.ecosystems.sbom.cyclonedx_reader import read
from audit.facts import Checksum, Learned, Source, Usage
from audit.output.cyclonedx import bom
from tests.audit.output.schemas import cyclonedx, faults
from tests.audit.output.test_spdx_document import APP, EXPRESSIONS, HOSTILE, LIB, TOOL
from tests.audit.runs import ALL, AT, LEFT_PAD, MIT, OWN, audited, organisation, text, used

GOLDEN = Path(__file__).parents[2] / "cases/licenses/bom.cdx.json"


def components(*dependencies, **more):
    """The components of a document by name."""
    return {
        component["name"]: component for component in json.loads(bom(audited(*dependencies, **more), AT))["components"]
    }


def test_the_whole_document_is_as_kept():
    assert GOLDEN.read_text() == bom(audited(APP, LIB, TOOL, LEFT_PAD, head="0" * 40), AT, "Example Ltd")


def test_the_schema_refuses_an_unknown_key():
    document = json.loads(bom(audited(*ALL), AT))
    document["components"][0]["nonsense"] = 1
    assert faults(cyclonedx(), json.dumps(document))


@pytest.mark.parametrize("work", organisation(), ids=lambda work: work.repository.name)
def test_each_document_is_valid_by_the_schema(work):
    assert [] == faults(cyclonedx(), bom(work, AT, "Example Ltd"))


@pytest.mark.parametrize("said", EXPRESSIONS)
def test_every_expression_gives_a_valid_document(said):
    with_text = used("b", said, Usage.BUNDLED, licenses=(text("LICENSE", MIT),))
    assert [] == faults(cyclonedx(), bom(audited(used("a", said, Usage.BUNDLED), with_text, license_id=said), AT))


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("GPL-2.0-only WITH Classpath-exception-2.0", {"expression": "GPL-2.0-only WITH Classpath-exception-2.0"}),
        ("GPL-2.0-only WITH No-such-exception", {"license": {"name": "GPL-2.0-only WITH No-such-exception"}}),
    ],
)
def test_an_exception_is_written_only_with_a_licence_that_spdx_knows(said, written):
    [found] = components(used("a", said, Usage.BUNDLED))["a"]["licenses"]
    found.get("license", found).pop("acknowledgement")

    assert found == written


@pytest.mark.parametrize("name", HOSTILE)
def test_every_hostile_name_gives_a_valid_document(name):
    work = audited(used(name, "MIT", Usage.BUNDLED, version=name, purl=name), name=name, head=name)
    assert [] == faults(cyclonedx(), bom(work, AT, name))


@pytest.mark.parametrize(
    ("usage", "scope"),
    [
        *((usage, "excluded") for usage in (Usage.BUILD_TOOL, Usage.DEV_TOOL, Usage.TEST_ONLY)),
        (Usage.BUNDLED, "required"),
    ],
)
def test_a_component_has_its_scope_and_its_usage_as_a_property(usage, scope):
    found = components(used("a", "MIT", usage))["a"]
    assert found["scope"] == scope
    assert {"name": "countersign:usage", "value": usage.value} in found["properties"]


def test_a_component_used_twice_has_the_most_binding_scope():
    found = components(
        used("a", "MIT", Usage.TEST_ONLY),
        used("a", "MIT", Usage.BUNDLED, modified=True),
        used("b", "MIT", Usage.BUNDLED, optional=True),
    )
    assert (found["a"]["scope"], found["b"]["scope"]) == ("required", "optional")
    assert [entry["value"] for entry in found["a"]["properties"]][:2] == ["bundled", "test-only"]
    assert {"name": "countersign:modified", "value": "true"} in found["a"]["properties"]


def test_the_declared_licence_stands_beside_the_concluded_one():
    ruled = used("b", "MIT", Usage.BUNDLED)
    object.__setattr__(ruled, "license", Learned("MIT", Source.RULEBOOK))
    found = components(used("a", "GPL-2.0-only OR MIT", Usage.BUNDLED), ruled, used("c", "ISC", Usage.BUNDLED), OWN)

    assert found["a"]["licenses"] == [{"expression": "MIT", "acknowledgement": "concluded"}]
    assert {"name": "countersign:license:declared", "value": "GPL-2.0-only OR MIT"} in found["a"]["properties"]
    assert found["b"]["licenses"] == [{"expression": "MIT", "acknowledgement": "concluded"}]
    assert found["c"]["licenses"] == [{"expression": "ISC", "acknowledgement": "declared"}]
    assert found["own-terms"]["licenses"][0]["license"] == {
        "name": "LicenseRef-own",
        "acknowledgement": "declared",
        "text": {"contentType": "text/plain", "content": "Be kind.\n"},
    }


def test_downloads_and_hashes_are_written_without_sha_224():
    """CycloneDX has no SHA-224."""
    sums = (Checksum("SHA224", "0a" * 28), Checksum("SHA512", "0b" * 64))
    archive = used("a", "MIT", Usage.BUNDLED, download="https://registry.npmjs.org/a.tgz", checksums=sums)
    commit = used("g", "MIT", Usage.BUNDLED, download="git+https://github.com/o/g@00ff", purl="pkg:github/o/g@00ff")
    found = components(archive, commit)

    assert found["a"]["hashes"] == [{"alg": "SHA-512", "content": "0b" * 64}]
    assert found["a"]["externalReferences"] == [{"url": "https://registry.npmjs.org/a.tgz", "type": "distribution"}]
    assert found["g"]["externalReferences"][0]["type"] == "vcs"
    assert found["g"]["supplier"] == {"name": "github.com/o"}


def test_every_component_has_a_line_in_the_graph():
    found = json.loads(bom(audited(APP, LIB, TOOL), AT))["dependencies"]
    app, lib, tool = (f"pkg:npm/{name}@1.2.0" for name in ("app", "lib", "tool"))
    assert found == [
        {"ref": "repository", "dependsOn": [app]},
        {"ref": app, "dependsOn": [lib]},
        {"ref": lib, "dependsOn": [tool]},
        {"ref": tool, "dependsOn": []},
    ]


def test_documents_of_two_moments_differ_in_one_line():
    later = bom(audited(*reversed(ALL)), AT.replace(year=2027)).splitlines()
    differing = [line for line, other in zip(bom(audited(*ALL), AT).splitlines(), later, strict=True) if line != other]
    assert len(differing) == 1
    assert differing[0].startswith('"metadata": {"timestamp": "2026-11-22T01:02:03Z"')
    assert json.loads(bom(audited(LEFT_PAD), AT))["serialNumber"] != json.loads(bom(audited(*ALL), AT))["serialNumber"]


def test_models_and_data_have_types_of_their_own():
    both = used("m", "MIT", Usage.MODEL_WEIGHTS), used("d", "CC-BY-4.0", Usage.TRAINING_DATA)
    assert {name: component["type"] for name, component in components(*both).items()} == {
        "d": "data",
        "m": "machine-learning-model",
    }
    document = bom(audited(*both), AT)
    assert [] == faults(cyclonedx(), document)
    others = document.replace('"name": "countersign"', '"name": "another"').replace(
        '"name":"countersign"', '"name":"another"'
    )
    assert {dependency.name: dependency.usage for dependency in read("bom.json", others).dependencies}[
        "m"
    ] is Usage.MODEL_WEIGHTS
