"""The doctor's items; tests/stories/test_broken_deployments.py shows that all pass where everything is right."""

import threading
import time

import pytest

import migrations
from bot import db
from bot.doctor import deployment
from bot.doctor.deployment import Question, ask
from bot.doctor.doctor_report import DoctorCheck, as_text
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


def test_the_items_have_stable_ids_and_fail_without_a_server(deployed):
    report = deployed.report()

    assert sorted(item.id for item in report.items) == sorted(IDS)
    unmet = [item.id for item in report.items if not item.is_met]
    assert unmet == ["settings.mail", "server.public", "server.local", "server.ready", "server.warnings"], as_text(
        report
    )
    assert (report.grade, report.is_fine) == ("D", False)


def test_without_any_setting_nothing_passes_unseen_and_nothing_is_made(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with deployment.connected(Settings()) as (hub, why):
        assert (hub, why) == (None, "COUNTERSIGN_APP_ID or COUNTERSIGN_PRIVATE_KEY is not set")


def test_items_that_depend_on_a_missing_app_or_database_are_unknown(deployed):
    report = deployed.report(PRIVATE_KEY="", DATABASE_URL=f"sqlite:///{deployed.folder / 'none.db'}")

    passed = [item.id for item in report.items if item.status == "pass" and item.id.startswith("settings")]
    assert passed == ["settings.known", "settings.address", "settings.administrators"]
    assert [item.id for item in report.items if item.status == "pass"][3:] == [
        "github.client-secret",
        "keys.ring",
        "keys.private",
        "licenses.data",
    ]
    assert (report.grade, report.is_fine) == ("D", False)
    assert not (deployed.folder / "none.db").exists()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["GITHUB_URL", "GITHUB_API_URL"])
def test_in_place_of_a_wrong_address_no_default_is_asked(deployed, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    migrations.upgrade(engine := db.open_engine("sqlite:///countersign.db"))
    engine.dispose()
    deployed.world.calls.clear()
    report = deployed.report(**{name: "ghe.example.org", "DATABASE_URL": "postgresql://h:port/x"})
    found = {item.id: (item.status, item.message) for item in report.items}

    assert found["database.reachable"] == ("fail", "COUNTERSIGN_DATABASE_URL is not the address of a database.")
    assert found["github.reachable"][0] == "unknown"
    assert f"COUNTERSIGN_{name}: must begin with http:// or https://" in found["github.reachable"][1]
    assert found["github.client-secret"] == ("unknown", "Not checked: GitHub could not be asked.")
    assert deployed.world.calls == []


def test_a_key_that_github_refuses_is_tried_once(deployed):
    other = deployed.world.app("other", deployed.cann, deployed.app.key)
    deployed.world.calls.clear()
    assert deployed.item("webhook.secret", APP_ID=str(other.id + 1))[0] == "unknown"
    assert len(deployed.world.calls) <= 2


ONE, TWO = DoctorCheck("a.one", "high"), DoctorCheck("a.two", "low")


def test_items_stand_in_the_order_of_the_questions():
    both, said = threading.Barrier(2, timeout=10), []

    def judge(check):
        both.wait()  # at the same time, or never
        yield check.passed("Well.")

    found = ask(
        [
            Question(doctor_check.id, (doctor_check,), lambda subject=doctor_check: judge(subject))
            for doctor_check in (ONE, TWO)
        ],
        10,
        said.append,
    )
    assert [doctor_result.id for doctor_result in found] == ["a.one", "a.two"] == said


def test_a_late_item_is_named_with_the_time_and_the_others_stand():
    forever = threading.Event()

    def judge():
        yield ONE.passed("Well.")
        forever.wait()

    begun = time.monotonic()
    first, second = ask([Question("database", (ONE, TWO), judge)], 0.2)
    forever.set()
    assert time.monotonic() - begun < 5
    assert (first.status, second.status) == ("pass", "unknown")
    assert second.message == "Not checked: the database did not answer within 0 seconds."
    assert second.remedy


def test_an_unexpected_error_of_a_check_is_raised():
    def judge():
        raise KeyError("x")

    with pytest.raises(KeyError):
        ask([Question("database", (ONE,), judge)], 5)
    with pytest.raises(AssertionError):
        ask([Question("database", (ONE,), lambda: [TWO.passed("Well.")])], 5)
