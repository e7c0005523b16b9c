"""The reach of copyleft into a work that does not take in the used part."""

import pytest

from audit.facts import Usage
from audit.licenses.expression import Atom
from audit.rules.copyleft_reach import INCLUDED, ruling
from audit.usage import MODELS_AND_DATA


@pytest.mark.parametrize(("used", "usage", "verdict", "rule"), [
    ("MPL-2.0", "static-link", "obligations", "copyleft/file"), ("MPL-2.0", "source-merged", None, None), ("Ruby", "bundled", "obligations", "copyleft/file"),
    ("LGPL-2.1-only", "dynamic-link", "obligations", "copyleft/dynamic"), ("LGPL-2.1-only", "static-link", "conditional", "copyleft/static"),
    ("LGPL-2.1-only", "vendored", "conditional", "copyleft/apart"), ("LGPL-2.1-only", "source-merged", None, None), ("CECILL-C", "runtime-import", "obligations", "copyleft/dynamic"),
    ("GPL-3.0-only", "dynamic-link", None, None), ("CECILL-2.1", "dynamic-link", None, None), ("MIT", "static-link", None, None), ("OpenSSL", "static-link", "review", "copyleft/unclear"),
])  # fmt: skip
def test_copyleft_reaches_a_file_a_library_or_the_whole_work(used, usage, verdict, rule):
    found = ruling(Atom("MIT"), Atom(used), Usage(usage), "category")
    assert (found and found.verdict, found and found.rule, found and found.basis) == (
        verdict,
        rule,
        verdict and "category",
    )


def test_every_way_to_include_has_words():
    outside = {"build-tool", "dev-tool", "test-only", "separate-process", "network-service", "aggregate", "unknown"} | {
        usage.value for usage in MODELS_AND_DATA
    }
    assert {usage.value for usage in INCLUDED} | outside >= {usage.value for usage in Usage}
