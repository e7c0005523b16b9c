"""Where everything is right, everything passes but the age of the licence data; where nothing is there, nothing does."""

from bot.doctor import deployment
from bot.doctor.report import as_text
from bot.settings import Settings

IDS = [
    "settings.valid", "settings.known", "settings.address", "settings.mail", "settings.administrators",
    "database.reachable", "database.schema",
    "database.log", "database.parties", "database.private", "keys.ring", "keys.private", "keys.complete", "keys.fit", "settings.accounts", "github.reachable",
    "github.clock", "github.app", "github.permissions", "github.grants", "github.events", "github.installations", "github.version", "github.api-version", "github.ruleset", "webhook.address",
    "webhook.secret", "webhook.answered", "webhook.lost", "webhook.silence", "database.backup", "work.workers", "work.backlog", "work.failed", "work.reversed", "texts.reviewed", "licenses.data",
    "webhooks.endpoints",
]  # fmt: skip


def test_a_deployment_in_which_all_is_well(deployed):
    """Its ids are an interface; what is left is advice."""
    report = deployed.report()

    assert sorted(one.id for one in report.items) == sorted(IDS)
    assert [one.id for one in report.items if not one.is_met] in ([], ["licenses.data"]), as_text(report)
    assert report.is_fine


def test_nothing_at_all(tmp_path, monkeypatch):
    """Without any setting nothing passes that was not looked at, and nothing is made."""
    monkeypatch.chdir(tmp_path)
    with deployment.connected(Settings()) as (hub, why):
        assert (hub, why) == (None, "COUNTERSIGN_APP_ID or COUNTERSIGN_PRIVATE_KEY is not set")


def test_nothing_that_was_not_looked_at_passes(deployed):
    """No App, no database: what depends on them is unknown."""
    report = deployed.report(PRIVATE_KEY="", DATABASE_URL=f"sqlite:///{deployed.folder / 'none.db'}")

    passed = [one.id for one in report.items if one.status == "pass" and one.id.startswith("settings")]
    assert passed == ["settings.known", "settings.address", "settings.mail", "settings.administrators"]
    assert [one.id for one in report.items if one.status == "pass"][4:] == ["keys.ring", "keys.private"]
    assert (report.grade, report.is_fine) == ("D", False)
    assert not (deployed.folder / "none.db").exists()


def test_a_key_that_github_refuses_is_not_tried_everywhere(deployed):
    """One call says it."""
    other = deployed.world.app("other", deployed.cann, deployed.app.key)
    deployed.world.calls.clear()
    assert deployed.item("webhook.secret", APP_ID=str(other.id + 1))[0] == "unknown"
    assert len(deployed.world.calls) <= 2
