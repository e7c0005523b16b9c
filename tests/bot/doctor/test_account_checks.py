"""Each account that is served is one at GitHub, and has the App."""

import pytest

pytestmark = pytest.mark.slow


def test_accounts_are_found_by_login_in_any_case_and_by_id(deployed):
    assert deployed.item("settings.accounts", ACCOUNTS="CANN")[0] == "pass"
    assert deployed.item("settings.accounts", ACCOUNTS=str(deployed.cann.id))[0] == "pass"


def test_each_wrong_account_is_told_its_own_reason(deployed):
    deployed.world.organization("elsewhere", admins=[deployed.boss])
    status, message = deployed.item("settings.accounts", ACCOUNTS="cann, elsewhere, nobody-there, 424242")
    assert status == "fail"
    assert message == (
        "the App is not installed on elsewhere; GitHub has no account named nobody-there; the App is not installed on 424242."
    )
    deployed.world.suspend(deployed.installation, deployed.boss)
    assert deployed.item("settings.accounts") == ("fail", "cann has suspended the App.")
    assert deployed.item("settings.accounts", ACCOUNTS="")[0] == "fail"


def test_an_empty_or_unknown_team_fails(deployed):
    deployed.world.team(deployed.cann, "cla-admins", members=[deployed.boss])
    deployed.world.team(deployed.cann, "empty", members=[])
    assert deployed.item("settings.administrators", ADMIN_TEAM="cann/cla-admins")[0] == "pass"
    assert deployed.item("settings.administrators", ADMIN_TEAM="cann/empty")[0] == "fail"
    assert deployed.item("settings.administrators", ADMIN_TEAM="cann/none")[0] == "fail"
    assert deployed.item("settings.administrators", ADMIN_TEAM="cann/cla-admins", PRIVATE_KEY="")[0] == "unknown"
