"""Every verdict has its entry, and no two look alike."""

from audit.facts import LicenseVerdict
from audit.output.legend import LEGEND


def test_every_verdict_in_order():
    """A sign, a meaning and Chinese for each, all of them different."""
    assert list(LEGEND) == list(LicenseVerdict)
    for words in zip(*LEGEND.values(), strict=True):
        assert len(set(words)) == len(LicenseVerdict)
