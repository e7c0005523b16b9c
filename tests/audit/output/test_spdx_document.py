"""A document that spdx-tools reads, finds valid and writes back the same; usage is the type of the relationship."""

import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
from spdx_tools.spdx.parser.jsonlikedict.json_like_dict_parser import JsonLikeDictParser
from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document
from spdx_tools.spdx.writer.json.json_writer import write_document_to_stream

from audit.facts import Checksum, Finding, Learned, Place, Source, Usage
from audit.output.spdx_document import TYPES, sbom
from audit.output.spdx_validation import faults
from tests.audit.ecosystems.brief import together
from tests.audit.output.schemas import ntia
from tests.audit.runs import AT, LEFT_PAD, MIT, audited, organisation, text, used

ROOT = Path(__file__).parents[3]
GOLDEN = ROOT / "tests/cases/licenses"
EXPRESSIONS = {
    "MIT": "MIT", "mit or apache-2.0": "MIT OR Apache-2.0", "(MIT OR Apache-2.0) AND ISC": "(MIT OR Apache-2.0) AND ISC",
    "GPL-2.0+": "GPL-2.0-or-later", "BSD": "LicenseRef-BSD", "FooBar": "LicenseRef-FooBar", "LicenseRef-a": "LicenseRef-a",
    "GPL-2.0-only WITH Classpath-exception-2.0": "GPL-2.0-only WITH Classpath-exception-2.0",
    "GPL-2.0-only WITH No-such-exception": "LicenseRef-GPL-2.0-only-WITH-No-such-exception-6db2c761",
    "GPL-2.0-only WITH LicenseRef-scancode-own-exception": "LicenseRef-GPL-2.0-only-WITH-LicenseRef-scancode-own-exception-f18e070b",
    "LicenseRef-scancode-free-unknown": "LicenseRef-scancode-free-unknown", "Hippocratic-3.0-core": "Hippocratic-3.0-core",
    "DocumentRef-x:LicenseRef-y": "LicenseRef-DocumentRef-x-LicenseRef-y-04264297",
    "MIT AND (BSD OR FooBar)": "MIT AND (LicenseRef-BSD OR LicenseRef-FooBar)",
    "(GPL-2.0-only OR MIT) AND (ISC OR Apache-2.0)": "(GPL-2.0-only OR MIT) AND (ISC OR Apache-2.0)",
    "see LICENSE": "NOASSERTION", "NONE": "NOASSERTION", "NOASSERTION": "NOASSERTION", "": "NOASSERTION", None: "NOASSERTION",
}  # fmt: skip
"""What is stated of a licence, and what stands in the document as declared."""
HOSTILE = ["", "\x00", "中文", "a b\nc", "..", "x" * 500, "\ud83d", "<b>", "SPDXRef-DOCUMENT"]


def read_back(document):
    """What spdx-tools makes of it, written again."""
    out = io.StringIO()
    write_document_to_stream(JsonLikeDictParser().parse(json.loads(document)), out, validate=False)
    return json.loads(out.getvalue())


def test_the_whole_document_is_as_kept():
    assert (GOLDEN / "sbom.spdx.json").read_text() == sbom(organisation()[1], AT)


@pytest.mark.parametrize("work", organisation(), ids=lambda work: work.repository.name)
def test_a_document_is_valid_and_reads_back_the_same(work):
    document = sbom(work, AT)

    assert [] == validate_full_spdx_document(JsonLikeDictParser().parse(json.loads(document)))
    assert () == faults(document)
    assert json.loads(document.replace("PACKAGE-MANAGER", "PACKAGE_MANAGER")) == read_back(document)


@pytest.mark.parametrize("said", EXPRESSIONS)
def test_every_expression_gives_a_valid_document(said):
    work = audited(
        used("a", said, Usage.BUNDLED),
        used("b", said, Usage.BUNDLED, licenses=(text("LICENSE", MIT),)),
        license_id=said,
    )

    document = sbom(work, AT)

    assert () == faults(document)
    assert [package["licenseDeclared"] for package in json.loads(document)["packages"][1:]] == [EXPRESSIONS[said]] * 2


@pytest.mark.parametrize("name", HOSTILE)
def test_every_hostile_name_gives_a_valid_document(name):
    work = audited(used(name, "MIT", Usage.BUNDLED, version=name, purl=name), name=name, head=name)
    document = sbom(work, AT)

    assert () == faults(document)
    assert document.encode()


def test_each_usage_has_a_relationship_type_and_comes_back():
    uses = [used(usage.value, "MIT", usage, optional=usage is Usage.RUNTIME_IMPORT) for usage in Usage]
    found = json.loads(sbom(audited(*uses), AT))
    names = {package["SPDXID"]: package["name"] for package in found["packages"]}
    related = {
        (
            names.get(relation["spdxElementId"]),
            relation["relationshipType"],
            names.get(relation["relatedSpdxElement"]),
        ): relation.get("comment")
        for relation in found["relationships"]
    }

    for usage in Usage:
        kind, forward = TYPES[usage]
        ends = ("org/work", kind, usage.value) if forward else (usage.value, kind, "org/work")
        assert related[ends] == f"usage: {usage}"
    assert related["runtime-import", "OPTIONAL_DEPENDENCY_OF", "org/work"]


def test_the_declared_and_the_concluded_licence_are_told_apart():
    either = used("a", "GPL-2.0-only OR MIT", Usage.BUNDLED)
    ruled = used("b", "MIT", Usage.BUNDLED)
    object.__setattr__(ruled, "license", Learned("MIT", Source.RULEBOOK))
    first, second = json.loads(sbom(audited(either, ruled), AT))["packages"][1:]

    assert (first["licenseDeclared"], first["licenseConcluded"]) == ("GPL-2.0-only OR MIT", "MIT")
    assert (second["licenseDeclared"], second["licenseConcluded"]) == ("NOASSERTION", "MIT")


def test_a_package_used_twice_is_one_package_with_two_relationships():
    found = json.loads(sbom(audited(used("a", "MIT", Usage.BUNDLED), used("a", "MIT", Usage.TEST_ONLY)), AT))

    assert len(found["packages"]) == 2
    assert len(found["relationships"]) == 3


APP = used(
    "app", "MIT", Usage.RUNTIME_IMPORT, direct=True, needs=("pkg:npm/lib@1.2.0", "pkg:npm/app@1.2.0", "pkg:npm/gone@1")
)
LIB = used("lib", "MIT", Usage.RUNTIME_IMPORT, direct=False, needs=("pkg:npm/tool@1.2.0",))
TOOL = used("tool", "MIT", Usage.DEV_TOOL, direct=False)


def related(document):
    """Each relationship, by the names of packages."""
    found = json.loads(document)
    names = {package["SPDXID"]: package["name"] for package in found["packages"]}
    return {
        (
            names.get(relation["spdxElementId"], "document"),
            relation["relationshipType"],
            names[relation["relatedSpdxElement"]],
        )
        for relation in found["relationships"]
    }


def test_the_graph_says_which_package_brings_which():
    assert related(sbom(audited(APP, LIB, TOOL), AT)) == {
        ("document", "DESCRIBES", "org/work"),
        ("org/work", "DEPENDS_ON", "app"),
        ("app", "DEPENDS_ON", "lib"),
        ("lib", "DEPENDS_ON", "tool"),
        ("app", "RUNTIME_DEPENDENCY_OF", "org/work"),
        ("lib", "RUNTIME_DEPENDENCY_OF", "org/work"),
        ("tool", "DEV_TOOL_OF", "org/work"),
    }


@pytest.mark.parametrize("usage", Usage)
@pytest.mark.parametrize("direct", [True, False, None])
def test_every_use_is_reached_from_the_document_on(usage, direct):
    a = used("a", "MIT", usage, direct=direct, needs=("pkg:npm/b@1.2.0",))
    b = used("b", "MIT", usage, direct=direct and None, needs=("pkg:npm/a@1.2.0", "pkg:npm/c@1.2.0"))
    c = used("c", "MIT", Usage.DEV_TOOL, direct=False)
    checker = ntia(sbom(audited(a, b, c), AT))

    assert checker.floating_component_ids == set()
    assert len(checker.reachable_component_ids) == 4
    assert checker.compliant


def test_a_tool_that_nothing_needs_has_its_usage_on_the_relationship():
    """`DEPENDS_ON` alone would make the tool look like a part."""
    found = json.loads(sbom(audited(used("t", "MIT", Usage.BUILD_TOOL)), AT))["relationships"]

    assert [
        (relation["relationshipType"], relation.get("comment"))
        for relation in found
        if "Package" not in relation["spdxElementId"]
    ] == [
        ("DESCRIBES", None),
        ("DEPENDS_ON", "usage: build-tool"),
    ]


@pytest.mark.parametrize(
    ("address", "location"),
    [
        ("https://registry.npmjs.org/@s/a/-/a-1.tgz", True),
        ("git+ssh://github.com/o/a.git@00ff", True),
        ("http://npm.example.com:4873/a.tgz", True),
        ("http://localhost:4873/a.tgz", False),  # SPDX asks for a domain
        ("http://10.0.0.1/a.tgz", False),
        ("https://xn--a.example/" + "x" * 3_000, False),
        ("https://host_name.example.com/a", False),
        (None, False),
    ],
)
def test_downloads_and_checksums_are_those_of_the_lock_file(address, location):
    sums = (Checksum("SHA1", "0a" * 20), Checksum("SHA512", "0b" * 64))
    document = sbom(audited(used("a", "MIT", Usage.BUNDLED, download=address, checksums=sums)), AT)
    package = json.loads(document)["packages"][1]

    assert () == faults(document)
    assert package["downloadLocation"] == (address if location else "NOASSERTION")
    assert [entry["checksumValue"] for entry in package["checksums"]] == [checksum.value for checksum in sums]


def test_every_package_has_a_supplier_and_a_version_or_says_unknown():
    system = used("openssl", "Apache-2.0", Usage.DYNAMIC_LINK, purl="pkg:generic/openssl", version=None)
    by_owner, by_name = (json.loads(sbom(audited(LEFT_PAD, system), AT, owner)) for owner in (None, "Example (Ltd)"))

    assert [(package["supplier"], package["versionInfo"]) for package in by_owner["packages"]] == [
        ("Organization: org", "unknown"),
        ("Organization: org", "1.2.0"),
        ("NOASSERTION", "unknown"),
    ]
    assert by_name["packages"][0]["supplier"] == "Organization: Example [Ltd]"
    assert [document["creationInfo"]["creators"] for document in (by_owner, by_name)] == [
        ["Tool: countersign"],
        ["Tool: countersign", "Organization: Example [Ltd]"],
    ]


LOCKS = {
    "npm/package-lock-v1.json": "package-lock.json", "npm/package-lock-v3.json": "package-lock.json", "uv/uv.lock": "uv.lock",
    "uv/pylock.toml": "pylock.toml",
}  # fmt: skip


@pytest.mark.parametrize(("case", "name"), LOCKS.items())
def test_a_document_has_the_minimum_elements_of_ntia(case, name):
    found = together({name: (ROOT / "tests/cases/ecosystems" / case).read_text(encoding="utf-8")})
    document = sbom(audited(*found, head="0" * 40), AT)
    data = json.loads(document)
    packages = {package["SPDXID"]: package for package in data["packages"]}
    checker = ntia(document)

    assert () == faults(document)
    assert len(packages) == len(data["packages"]) > 5
    assert all(
        package["supplier"].startswith("Organization: ") and package["versionInfo"] != "unknown"
        for package in packages.values()
    )
    assert checker.compliant
    assert checker.floating_component_ids == set()
    brings = any(kind == "DEPENDS_ON" and package != "org/work" for package, kind, _ in related(document))
    assert brings or name == "pylock.toml"  # PEP 751 leaves it to the writer whether needs are written


def test_files_under_other_licences_are_told_at_the_work():
    said = "a source file says BSD-3-Clause, which the licence of the work, MIT, does not name"
    audit = audited()
    told = replace(
        audit,
        findings=(
            Finding(
                "license/attribution",
                Place("a.py", 3),
                f"{said}: if it is somebody else's, keep its notices with the work",
            ),
            Finding("file/broken", Place("x.json", 1), "this is not JSON"),
        ),
    )
    [work, *_] = json.loads(sbom(told, AT))["packages"]
    assert work["licenseComments"] == f"a.py:3: {said}."
    assert [] == validate_full_spdx_document(JsonLikeDictParser().parse(json.loads(sbom(told, AT))))
    assert "licenseComments" not in json.loads(sbom(audit, AT))["packages"][0]
