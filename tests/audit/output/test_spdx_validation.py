"""The quick validation finds the same as spdx-tools' own, in linear time."""

import json
from time import process_time

import pytest

from audit.facts import Usage
from audit.output.spdx_document import sbom
from audit.output.spdx_validation import faults, report
from tests.audit.runs import ALL, AT, audited, used

VALID = sbom(audited(*ALL), AT)


def altered(change):
    """A valid document, then changed."""
    document = json.loads(sbom(audited(*ALL), AT))
    change(document)
    return json.dumps(document)


CHANGES = {
    "a relationship names": lambda document: document["relationships"][0].update(relatedSpdxElement="SPDXRef-nobody"),
    "stands 2 times": lambda document: document["packages"].append(document["packages"][0]),
    "nothing says": lambda document: document.update(relationships=[]),
    "Unrecognized license reference": lambda document: document["packages"][1].update(licenseConcluded="Nonsense-1.0"),
    "spdx_id must only contain": lambda document: document["packages"][1].update(SPDXID="SPDXRef-a b"),
    "document_namespace": lambda document: document.update(documentNamespace="no address"),
    "only documents of SPDX-2.3": lambda document: document.update(spdxVersion="SPDX-2.2"),
    "locator": lambda document: document["packages"][1]["externalRefs"][0].update(referenceLocator="a b"),
    "extracted_text must be": lambda document: document["hasExtractedLicensingInfos"][0].pop("extractedText"),
    "Error while constructing Package": lambda document: document["packages"][0].pop("name"),
}


@pytest.mark.parametrize(("said", "change"), CHANGES.items())
def test_each_fault_is_told_in_words(said, change):
    assert any(said in fault for fault in faults(altered(change)))


@pytest.mark.parametrize("words", ["", "[]", "null", "{}", "[" * 100_000, '{"spdxVersion": 1}', "\ud800"])
def test_text_that_is_no_document_is_a_fault(words):
    assert faults(words)


def seconds(count):
    """Of the processor, for a document of that many packages; the best of three."""
    document = sbom(audited(*(used(f"n{number}", "MIT", Usage.STATIC_LINK) for number in range(count))), AT)
    best = 1e9
    for _ in range(3):
        start = process_time()
        assert () == faults(document)
        best = min(best, process_time() - start)
    return best


@pytest.mark.slow
def test_the_time_of_validation_is_linear():
    assert seconds(1_600) < 2 * 8 * seconds(200) + 0.1


def test_a_report_of_valid_documents_is_one_line():
    assert (["spdx-tools: 1 of 1 SBOM is valid"], True) == report([("a", VALID)])
    assert (["spdx-tools: 0 of 0 SBOMs are valid"], True) == report([])


def test_a_report_of_invalid_documents_names_their_first_faults():
    broken = json.loads(VALID)
    broken["relationships"] += [
        {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "AMENDS", "relatedSpdxElement": "SPDXRef-nobody"}
    ] * 60
    lines, valid = report([("a", VALID), ("b", json.dumps(broken)), ("c", "{")])
    assert not valid
    assert lines[0] == "b: a relationship names SPDXRef-nobody, which does not exist"
    assert lines[50] == "b: and 10 faults more"
    assert lines[51].startswith("c: no SPDX document in JSON")
    assert lines[-1] == "spdx-tools: 1 of 3 SBOMs are valid"
