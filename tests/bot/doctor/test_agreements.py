"""Agreements that are templates, or have no known party, are a line of the doctor."""

import pytest

from bot.doctor import agreements
from tests.bot.records.test_party_derivation import CANN, Before

pytestmark = pytest.mark.slow


def test_a_rulebook_that_asks_for_a_template_fails(deployed):
    rulebook = deployed.folder / "countersign.yml"
    rulebook.write_text(
        "version: 1\nrepositories: [{match: ['*'], require: cla}]\nagreements: {individual: {text: icla, version: '2.0'}}\n"
    )
    assert deployed.item("texts.reviewed")[0] == "not-applicable", "it is not known yet what will be asked for"
    own = deployed.folder / "dco.yml"
    own.write_text("version: 1\nrepositories: [{match: ['*'], require: dco}]\n")
    assert deployed.item("texts.reviewed", RULEBOOK=str(own))[0] == "pass"
    status, message = deployed.item("texts.reviewed", RULEBOOK=str(rulebook))
    assert (status, "icla 2.0" in message) == ("fail", True)
    assert deployed.item("texts.reviewed", DATABASE_URL=f"sqlite:///{deployed.folder / 'none.db'}")[0] == "unknown"


def test_agreements_without_a_known_party_fail_with_their_number(tmp_path):
    before = Before(f"sqlite:///{tmp_path / 'records.db'}")
    [first] = agreements.judge_parties(before.sessions)
    before.sign(1, CANN)
    [one_unknown] = agreements.judge_parties(before.sessions)
    before.sign(2, CANN)
    [two_unknown] = agreements.judge_parties(before.sessions)
    before.engine.dispose()
    [none] = agreements.judge_parties(None)

    assert [item.status for item in (first, one_unknown, two_unknown, none)] == ["pass", "fail", "fail", "unknown"]
    assert one_unknown.message == "1 agreement has no known party: it counts for nobody."
    assert two_unknown.message == "2 agreements have no known party: they count for nobody."
    assert "/admin/parties" in two_unknown.remedy
