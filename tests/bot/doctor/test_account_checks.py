"""Each account that is served is one at GitHub, and has the App."""


def test_accounts_by_login_and_by_id(deployed):
    """Upper and lower case do not matter."""
    assert deployed.item("settings.accounts", ACCOUNTS="CANN")[0] == "pass"
    assert deployed.item("settings.accounts", ACCOUNTS=str(deployed.cann.id))[0] == "pass"


def test_accounts_that_are_wrong(deployed):
    """Each with its own reason."""
    deployed.world.organization("elsewhere", admins=[deployed.boss])
    status, message = deployed.item("settings.accounts", ACCOUNTS="cann, elsewhere, nobody-there, 424242")
    assert status == "fail"
    assert message == (
        "the App is not installed on elsewhere; GitHub has no account named nobody-there; the App is not installed on 424242."
    )
    deployed.world.suspend(deployed.installation, deployed.boss)
    assert deployed.item("settings.accounts") == ("fail", "cann has suspended the App.")
    assert deployed.item("settings.accounts", ACCOUNTS="")[0] == "fail"


def test_a_team(deployed):
    """There, with somebody in it."""
    deployed.world.team(deployed.cann, "cla-admins", members=[deployed.boss])
    deployed.world.team(deployed.cann, "empty", members=[])
    assert deployed.item("settings.administrators", ADMIN_TEAM="cann/cla-admins")[0] == "pass"
    assert deployed.item("settings.administrators", ADMIN_TEAM="cann/empty")[0] == "fail"
    assert deployed.item("settings.administrators", ADMIN_TEAM="cann/none")[0] == "fail"
    assert deployed.item("settings.administrators", ADMIN_TEAM="cann/cla-admins", PRIVATE_KEY="")[0] == "unknown"
