"""Every reason for which the records refuse a change has a sentence."""

import re
from pathlib import Path

import pytest

from bot.portal.forms.refusals import CAMPAIGN_REFUSALS, ERASURE_REFUSALS, REFUSALS

STORES = Path(__file__).parents[4] / "agreements" / "store"


@pytest.mark.parametrize(
    ("kind", "sentences", "count"),
    [("Company", REFUSALS, 15), ("Campaign", CAMPAIGN_REFUSALS, 2), ("Erasure", ERASURE_REFUSALS | {"unknown": ""}, 1)],
)
def test_every_reason_for_a_refusal_has_its_sentence(kind, sentences, count):
    sources = [path.read_text(encoding="utf-8") for path in STORES.rglob("*.py")]
    reasons = {reason for text in sources for reason in re.findall(rf'{kind}Refused\("([a-z-]+)"\)', text)}

    assert len(reasons) > count
    assert sorted(reasons - sentences.keys()) == []
