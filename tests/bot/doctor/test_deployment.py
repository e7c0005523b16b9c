"""Which items there are. That everything passes where everything is right, tests/stories/test_broken_deployments.py shows."""

from bot.doctor import deployment
from bot.doctor.report import as_text
from bot.settings import Settings

IDS = [
    "settings.valid", "settings.known", "settings.address", "settings.mail", "settings.administrators",
    "database.reachable", "database.writable", "database.space", "database.schema",
    "database.log", "database.log-signed", "database.parties", "database.private", "keys.ring", "keys.private", "keys.complete", "keys.fit", "keys.erasure",
    "server.public", "server.local", "server.ready", "server.warnings", "mail.login", "github.client-secret", "settings.accounts", "github.reachable",
    "github.clock", "github.app", "github.permissions", "github.grants", "github.events", "github.installations", "github.version", "github.api-version", "github.ruleset", "webhook.address",
    "webhook.secret", "webhook.answered", "webhook.lost", "webhook.silence", "database.backup", "work.workers", "work.backlog", "work.failed", "work.reversed", "texts.reviewed", "licenses.data",
    "webhooks.endpoints",
]  # fmt: skip


def test_a_deployment_without_a_server(deployed):
    """Its ids are an interface. Nothing answers at its addresses, and there is no mail server."""
    report = deployed.report()

    assert sorted(one.id for one in report.items) == sorted(IDS)
    unmet = [one.id for one in report.items if not one.is_met]
    assert unmet == ["settings.mail", "server.public", "server.local", "server.ready", "server.warnings"], as_text(
        report
    )
    assert (report.grade, report.is_fine) == ("D", False)


def test_nothing_at_all(tmp_path, monkeypatch):
    """Without any setting nothing passes that was not looked at, and nothing is made."""
    monkeypatch.chdir(tmp_path)
    with deployment.connected(Settings()) as (hub, why):
        assert (hub, why) == (None, "COUNTERSIGN_APP_ID or COUNTERSIGN_PRIVATE_KEY is not set")


def test_nothing_that_was_not_looked_at_passes(deployed):
    """No App, no database: what depends on them is unknown."""
    report = deployed.report(PRIVATE_KEY="", DATABASE_URL=f"sqlite:///{deployed.folder / 'none.db'}")

    passed = [one.id for one in report.items if one.status == "pass" and one.id.startswith("settings")]
    assert passed == ["settings.known", "settings.address", "settings.administrators"]
    assert [one.id for one in report.items if one.status == "pass"][3:] == [
        "github.client-secret",
        "keys.ring",
        "keys.private",
        "licenses.data",
    ]
    assert (report.grade, report.is_fine) == ("D", False)
    assert not (deployed.folder / "none.db").exists()


def test_a_key_that_github_refuses_is_not_tried_everywhere(deployed):
    """One call says it."""
    other = deployed.world.app("other", deployed.cann, deployed.app.key)
    deployed.world.calls.clear()
    assert deployed.item("webhook.secret", APP_ID=str(other.id + 1))[0] == "unknown"
    assert len(deployed.world.calls) <= 2
