"""Usage and delivery decide which parts are shipped."""

import pytest

from audit.facts import Delivery, Place, Usage
from audit.output.shipped_parts import label, shipped, ships, taken
from tests.audit.runs import ALL, LANG, LEFT_PAD, audited, used

TREE = {"source-merged", "vendored", "data-or-doc", "model-weights", "training-data"}
BUILT = TREE | {"static-link", "bundled", "header-only", "generated-output", "aggregate"}


@pytest.mark.parametrize(
    ("delivery", "out"), [("binary", BUILT), ("source", TREE), ("hosted", TREE), ("internal", TREE)]
)
def test_usage_and_delivery_decide_which_parts_are_shipped(delivery, out):
    assert out == {usage.value for usage in Usage if ships(usage, Delivery(delivery))}


def test_the_parts_of_another_delivery_can_be_asked_for():
    work = audited(*ALL)

    assert [LEFT_PAD] == [cell.dependency for cell in shipped(work, Delivery.SOURCE)]
    assert LANG in [cell.dependency for cell in shipped(work)]


def test_only_the_chosen_branch_of_an_expression_counts():
    either, none = audited(used("a", "GPL-2.0-only OR MIT", Usage.BUNDLED), used("b", "see file", Usage.BUNDLED)).cells

    assert str(taken(either)) == "MIT"
    assert taken(none) is None


def test_a_label_is_one_line():
    assert label(used("a\nb", "MIT", Usage.BUNDLED, purl=None)) == "a b 1.2.0"


def test_a_data_set_that_only_a_card_names_is_not_shipped():
    named, lying = Place("README.md", 3), Place("data/corpus")
    work = audited(
        used("named", "MIT", Usage.TRAINING_DATA, places=(named,)),
        used("lying", "MIT", Usage.TRAINING_DATA, places=(lying,)),
    )
    assert [cell.dependency.name for cell in shipped(work)] == ["lying"]
