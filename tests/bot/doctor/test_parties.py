"""Agreements that count for nobody are a line of the doctor."""

from bot.doctor import parties
from tests.bot.records.test_party_derivation import CANN, Before


def test_whether_the_party_of_every_agreement_is_known(tmp_path):
    """It fails with their number, and passes when there is none; without a database it is unknown."""
    before = Before(f"sqlite:///{tmp_path / 'records.db'}")
    [first] = parties.judge(before.sessions)
    before.sign(1, CANN)
    [one] = parties.judge(before.sessions)
    before.sign(2, CANN)
    [two] = parties.judge(before.sessions)
    before.engine.dispose()
    [none] = parties.judge(None)

    assert [item.status for item in (first, one, two, none)] == ["pass", "fail", "fail", "unknown"]
    assert one.message == "1 agreement has no known party: it counts for nobody."
    assert two.message == "2 agreements have no known party: they count for nobody."
    assert "/admin/parties" in two.remedy
