"""The trend: nothing of one night, a table of the newest sixty, and a line that tells the violations."""

from collections import Counter
from datetime import timedelta

from audit.facts import LicenseVerdict
from audit.output.audit_run import Totals
from audit.output.trend import trend
from tests.audit.runs import AT


def nights(*violations):
    """One a day."""
    return [
        Totals(AT + timedelta(days=day), 3, count, Counter({LicenseVerdict.INCOMPATIBLE: count}))
        for day, count in enumerate(violations)
    ]


def test_nothing_to_compare():
    """One night is no trend."""
    assert list(trend(nights(4))) == []


def test_newest_first():
    """In words, in steps, and as a table."""
    said = "".join(trend(nights(4, 0, 2)))

    assert "Violations went from 4 to 2 since 2026-11-22." in said
    assert 'd="M0 1.0 H50.0 V23.0 H100.0 V12.0"' in said
    assert said.index("2026-11-24") < said.index('<th scope="row">2026-11-22')


def test_long_ones_are_cut():
    """To sixty nights; no violations at all is a flat line."""
    assert "".join(trend(nights(*[0, 1] * 50))).count('<th scope="row">') == 60
    assert 'd="M0 23.0 H100.0 V23.0"' in "".join(trend(nights(0, 0)))
