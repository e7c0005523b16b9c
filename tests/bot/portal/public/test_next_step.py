"""Each visitor is shown the one step that helps to turn the pull request green, if there is one."""

import pytest

from bot.portal.public.next_step import NextStep, ViewerSituation, find

ADA, BOB = 11, 12
SELF = ViewerSituation(account_id=ADA, takes_part=True, corporate="ccla")
OTHER = ViewerSituation(account_id=14, takes_part=False, corporate="ccla")
STRANGER = ViewerSituation(account_id=None, takes_part=False, corporate="ccla")


def uncovered(account=ADA, code="cla/unsigned", agreement="icla"):
    """A finding about a person who is not covered."""
    return {"check": "CLA", "code": code, "account": account, "values": {"agreement": agreement}}


GHOST = {"check": "CLA", "code": "cla/unlinked-email", "values": {"why": "ghost"}}
UNLINKED = {"check": "CLA", "code": "cla/unlinked-email", "sha": "a" * 40}
DOUBT = {"check": "DCO", "code": "facts/incomplete"}


@pytest.mark.parametrize(
    ("entries", "situation", "expected"),
    [
        ((), SELF, None),
        ((DOUBT,), SELF, None),
        ((GHOST,), SELF, None),
        ((uncovered(),), SELF, NextStep("sign")),
        ((uncovered(code="cla/withdrawn"),), SELF, NextStep("sign")),
        ((uncovered(),), STRANGER, NextStep("sign")),
        ((uncovered(BOB),), SELF, NextStep("others")),
        ((uncovered(BOB),), OTHER, NextStep("others")),
        ((uncovered(), uncovered(BOB)), SELF, NextStep("sign", more=True)),
        ((uncovered(), uncovered()), SELF, NextStep("sign")),
        ((uncovered(BOB), UNLINKED), SELF, NextStep("prove", more=True)),
        ((UNLINKED,), SELF, NextStep("prove")),
        ((UNLINKED,), STRANGER, NextStep("prove")),
        ((UNLINKED,), OTHER, NextStep("prove")),
        ((uncovered(), UNLINKED), SELF, NextStep("sign", more=True)),
    ],
)
def test_the_agreement_is_the_first_step_and_the_address_the_second(entries, situation, expected):
    assert find(entries, situation) == expected


@pytest.mark.parametrize(
    ("entries", "either", "expected"),
    [
        ((), False, NextStep("sign-off")),
        ((uncovered(),), False, NextStep("sign", more=True)),
        ((uncovered(),), True, NextStep("sign")),
        ((uncovered(BOB),), False, NextStep("sign-off", more=True)),
        ((uncovered(BOB),), True, NextStep("sign-off")),
        ((UNLINKED,), True, NextStep("prove")),
    ],
)
def test_where_either_is_enough_the_agreement_or_the_sign_offs_are_the_step(entries, either, expected):
    assert find(entries, SELF, sign_off=True, either=either) == expected


@pytest.mark.parametrize(
    ("both", "enrol", "agreement", "expected"),
    [
        (False, ("huawei.com",), "icla", "enrol"),
        (False, (), "icla", "sign"),
        (True, ("huawei.com",), "icla", "sign"),
        (True, ("huawei.com",), "ccla", "enrol"),
        (True, (), "ccla", "employer"),
    ],
)
def test_enrolling_is_the_step_alone_or_after_the_visitors_own_signature(both, enrol, agreement, expected):
    situation = ViewerSituation(account_id=ADA, takes_part=True, corporate="ccla", both=both, enrol=enrol)

    assert find((uncovered(agreement=agreement),), situation).kind == expected


@pytest.mark.parametrize(
    ("both", "agreement", "expected"), [(False, "icla", "employer"), (True, "icla", "sign"), (True, "ccla", "employer")]
)
def test_a_company_that_covers_in_another_way_than_enrolling_leads_to_its_page(both, agreement, expected):
    situation = ViewerSituation(account_id=ADA, takes_part=True, corporate="ccla", both=both, employer=True)

    assert find((uncovered(agreement=agreement),), situation).kind == expected


def test_an_unlinked_address_can_be_proven_and_a_deleted_account_cannot():
    steps = [find([problem], STRANGER) for problem in (UNLINKED, GHOST, uncovered())]
    assert [step and step.kind for step in steps] == ["prove", None, "sign"]
