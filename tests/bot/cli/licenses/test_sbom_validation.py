"""What spdx-tools says of SBOMs, in lines."""

import json

from audit.output.spdx_document import sbom
from bot.cli.licenses.sbom_validation import judged
from tests.audit.editions import ALL, AT, audited

VALID = sbom(audited(*ALL), AT)


def test_valid_ones():
    """One line."""
    assert (["spdx-tools: 1 of 1 SBOM is valid"], True) == judged([("a", VALID)])
    assert (["spdx-tools: 0 of 0 SBOMs are valid"], True) == judged([])


def test_one_that_is_not():
    """Its faults by name, as many as one can read, and how many more there are."""
    broken = json.loads(VALID)
    broken["relationships"] += [
        {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "AMENDS", "relatedSpdxElement": "SPDXRef-nobody"}
    ] * 60
    lines, valid = judged([("a", VALID), ("b", json.dumps(broken)), ("c", "{")])
    assert not valid
    assert lines[0] == "b: a relationship names SPDXRef-nobody, which is not there"
    assert lines[50] == "b: and 10 faults more"
    assert lines[51].startswith("c: no SPDX document in JSON")
    assert lines[-1] == "spdx-tools: 1 of 3 SBOMs are valid"
