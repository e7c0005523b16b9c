"""Weights and data are judged by their own terms."""

import pytest

from audit.facts import UNKNOWN_TERMS_RULE, Delivery, LicenseVerdict, Usage
from audit.licenses import model_terms, osadl
from audit.rules.expression_compatibility import judge
from audit.rules.models_and_data import unknown
from audit.rules.ruling import Ruling

MATRIX = osadl.shipped()


def asked(inbound, outbound="Apache-2.0", usage=Usage.MODEL_WEIGHTS):
    """Verdict and rule."""
    found = judge(outbound, inbound, usage, Delivery.BINARY, MATRIX)
    return f"{found.verdict} {found.rule}"


@pytest.mark.parametrize("usage", [Usage.MODEL_WEIGHTS, Usage.TRAINING_DATA])
@pytest.mark.parametrize(("inbound", "expected"), [
    ("MIT", "compatible model/permissive"), ("apache-2.0", "compatible model/permissive"), ("CC0-1.0", "compatible model/permissive"),
    ("PDDL-1.0", "compatible model/permissive"), ("CC-BY-4.0", "compatible model/attribution"), ("cdla-permissive-2.0", "compatible model/attribution"),
    ("OpenMDW-1.0", "compatible model/attribution"), ("odbl", "obligations model/share-alike"), ("CC-BY-SA-4.0", "obligations model/share-alike"),
    ("llama3.1", "conditional model/restricted"), ("gemma", "conditional model/restricted"), ("openrail++", "conditional model/restricted"),
    ("c-uda", "conditional model/restricted"), ("CC-BY-NC-4.0", "review model/non-commercial"), ("mrl", "review model/non-commercial"),
    ("CC-BY-ND-4.0", "review model/no-derivatives"), ("JSON", "review model/review"), ("LicenseRef-scancode-commercial-license", "review model/review"),
    ("LicenseRef-ours", "review model/unknown-terms"), (None, "review model/unknown-terms"), ("NONE", "review model/unknown-terms"),
    ("other", "review model/unknown-terms"), ("GPL-3.0-only", "incompatible osadl/incompatible"), ("MIT OR CC-BY-NC-4.0", "compatible model/permissive"),
    ("MIT AND llama3.1", "conditional model/restricted"),
])  # fmt: skip
def test_weights_and_data_are_judged_by_their_own_terms(inbound, expected, usage):
    assert asked(inbound, usage=usage) == expected


def test_the_work_s_licence_matters_to_copyleft_and_noncommercial_terms():
    assert asked("GPL-3.0-only", "GPL-3.0-only") == "obligations osadl/obligations"
    assert asked("CC-BY-NC-4.0", "CC-BY-NC-4.0") == "conditional model/non-commercial"
    assert asked("llama3.1", None) == "conditional model/restricted"
    assert asked("MIT", None) == "compatible model/permissive"
    assert asked("GPL-3.0-only", None) == "unknown-license outbound/unknown"


def test_the_reason_names_the_duties_and_their_source():
    found = judge("MIT", "llama3.1", Usage.MODEL_WEIGHTS, Delivery.BINARY, MATRIX)
    terms = model_terms.terms("LicenseRef-scancode-llama-3.1-license-2024")
    for clause in (terms.limits, terms.duties, "github.com/meta-llama", "700 million", "Built with Llama"):
        assert clause in found.reason
    assert found.basis == "curated"
    promised = judge("MIT", "CC-BY-NC-4.0", Usage.MODEL_WEIGHTS, Delivery.BINARY, MATRIX).reason
    assert "MIT, the licence of the work, allows commercial use of all the rest" in promised


def test_a_model_that_only_tests_use_needs_review_for_its_restrictions():
    assert asked("llama3.1", usage=Usage.TEST_ONLY) == "review usage/restricted"


def test_unknown_terms_need_review():
    assert unknown("why") == Ruling(LicenseVerdict.REVIEW, UNKNOWN_TERMS_RULE, "none", "why")
