"""What the settings alone tell."""


def test_settings_that_are_missing_or_wrong(deployed):
    """All of them at once, each by name."""
    status, message = deployed.item("settings.valid", CLIENT_SECRET="", DATABASE_URL="mysql://x")
    assert status == "fail"
    assert "COUNTERSIGN_CLIENT_SECRET is not set" in message
    assert "COUNTERSIGN_DATABASE_URL: must begin with" in message
    assert ".." not in message
    assert ".;" not in message


def test_a_setting_that_is_misspelt(deployed):
    """It has no effect, which nothing else would say: the name that was meant, and never the value."""
    assert deployed.item("settings.known")[0] == "pass"
    status, message = deployed.item("settings.known", ERASURE_KEY_FILE="/secret", XYZ="1")
    near = "did you mean COUNTERSIGN_ERASURE_KEYS_FILE?"
    assert status == "fail"
    assert message == f"COUNTERSIGN_ERASURE_KEY_FILE is not a setting; {near} COUNTERSIGN_XYZ is not a setting."


def test_a_rulebook_that_cannot_be_read(deployed):
    """As serving would say it."""
    status, message = deployed.item("settings.valid", RULEBOOK="/nowhere/at/all.yml")
    assert (status, "cannot read /nowhere/at/all.yml" in message) == ("fail", True)


def test_the_address(deployed):
    """Without TLS passwords of nobody, but sessions, would be in the clear."""
    assert deployed.item("settings.address")[0] == "pass"
    assert deployed.item("settings.address", URL="http://cla.example.org")[0] == "fail"
    assert deployed.item("settings.address", URL="http://127.0.0.1:8080")[0] == "not-applicable"
    assert deployed.item("settings.address", URL="")[0] == "unknown"


def test_an_address_that_github_cannot_reach(deployed):
    """github.com cannot reach this machine or a network; a GitHub beside us can."""
    at = {"GITHUB_URL": "https://github.com", "URL": "https://cla.corp.internal"}
    assert deployed.item("settings.address", **at) == (
        "fail",
        "GitHub cannot reach cla.corp.internal from the internet.",
    )
    assert deployed.item("settings.address", **{**at, "URL": "http://127.0.0.1:8080"})[0] == "fail"
    assert deployed.item("settings.address", **{**at, "GITHUB_URL": "https://ghe.corp.internal"})[0] == "pass"


def test_mail_and_administrators(deployed):
    """Neither is needed to serve; somebody should say so."""
    assert deployed.item("settings.mail", SMTP_URL="")[0] == "fail"
    assert deployed.item("settings.administrators", ADMIN_TEAM="") == (
        "fail",
        "There are no administrators: COUNTERSIGN_ADMIN_TEAM is not set.",
    )
    assert deployed.item("settings.administrators") == ("pass", "1 account administers.")
