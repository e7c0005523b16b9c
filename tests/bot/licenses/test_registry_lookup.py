"""Registries are asked as the settings say, remembered where they say, and never about licences of the rulebook."""

from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

from audit.facts import Dependency, Repository, Source
from audit.licenses.osadl import shipped
from audit.verdict.policy import CuratedLicense, Policy
from audit.verdict.repository_verdict import Judge
from bot.licenses import registry_lookup
from bot.registries import Registries
from bot.settings import Settings

AT = datetime(2026, 11, 22, tzinfo=UTC)
USES = Repository(
    name="cann/tool",
    dependencies=(Dependency(name="a", purl="pkg:npm/a@1"), Dependency(name="r", purl="pkg:npm/r@1"), Dependency(name="p", purl="pkg:npm/corp-p@1")),
)  # fmt: skip


@pytest.fixture(name="judge")
def _judge():
    """A rulebook that says what `r` is."""
    rules = Policy(dependencies=(CuratedLicense(name="r", license="ISC"), CuratedLicense(name="a", usage="build-tool")))
    return Judge(rules, shipped(), AT.date())


@pytest.fixture(name="settings")
def _settings(registry, tmp_path):
    """The registry on loopback, and a cache in a folder of the test's."""
    registry.says = {"/a/1": {"license": "MIT"}, "/r/1": {"license": "MIT"}}
    return Settings(
        registries=Registries.parse(registry.setting()),
        private_packages=("corp-*",),
        license_cache=tmp_path / "cache" / "licenses.db",
    )


def test_a_server_asks_the_registry_once_and_then_its_database(registry, settings, judge, sessions):
    for _ in range(2):
        found = registry_lookup.of_server(settings, sessions, lambda: AT).learned(USES, judge)
        assert [dependency.license.expression for dependency in found.repository.dependencies] == ["MIT", None, None]
        assert found.repository.dependencies[0].license.source is Source.REGISTRY
    assert registry.asked == ["/a/1"]


def test_a_user_asks_the_registry_once_and_then_the_file_even_offline(registry, settings, judge):
    for offline in (False, False, True):
        found = registry_lookup.of_user(settings, lambda: AT, pytest.fail, offline=offline).learned(USES, judge)
        assert [dependency.license.expression for dependency in found.repository.dependencies] == ["MIT", None, None]
    assert registry.asked == ["/a/1"]


@pytest.mark.parametrize(("registries", "offline"), [("none", False), (None, True)])
def test_offline_or_without_registries_nothing_is_known(registry, settings, judge, registries, offline):
    chosen = Settings(
        registries=Registries.parse(registries) if registries else settings.registries,
        license_cache=settings.license_cache,
    )
    found = registry_lookup.of_user(chosen, lambda: AT, pytest.fail, offline=offline).learned(USES, judge)

    assert found.repository.dependencies[0].license.expression is None
    assert not found.failed
    assert registry.asked == []
    assert not settings.license_cache.parent.exists()


def test_the_scope_of_answers_tells_settings_apart_without_a_password(settings):
    secret = replace(settings, registries=Registries.parse("npm=https://ada:secret@npm.example.org"))
    private = replace(settings, private_packages=())
    scopes = [
        registry_lookup.of_user(user_settings, lambda: AT, pytest.fail, offline=offline).scope
        for user_settings, offline in ((settings, False), (settings, True), (secret, False), (private, False))
    ]
    assert len(set(scopes)) == 4
    assert not [scope for scope in scopes if "secret" in scope or "ada" in scope]
    assert registry_lookup.of_user(settings, lambda: AT, pytest.fail, offline=False).scope == scopes[0]


def test_a_package_from_another_registry_is_asked_there(registry, settings, judge):
    mine = Repository(name="x", dependencies=(Dependency(name="a", purl="pkg:npm/a@1?repository_url=127.0.0.1"),))
    found = registry_lookup.of_user(settings, lambda: AT, pytest.fail, offline=False).learned(mine, judge)

    assert found.repository.dependencies[0].license.expression == "MIT"
    assert registry.asked == ["/a/1"]


def test_without_a_missing_licence_no_file_is_made(settings, judge):
    found = registry_lookup.of_user(settings, lambda: AT, pytest.fail, offline=False).learned(
        Repository(name="x"), judge
    )

    assert found.repository == Repository(name="x")
    assert not settings.license_cache.parent.exists()


def test_a_curated_licence_counts_in_the_repositories_that_it_names():
    rules = Policy(dependencies=(CuratedLicense(name="r", license="ISC", repositories=("cann/tool",)),))
    judge = Judge(rules, shipped(), date(2026, 11, 22))
    (_, ruled, _) = USES.dependencies

    assert judge.states("cann/tool", ruled)
    assert not judge.states("cann/other", ruled)
    assert not judge.states("cann/tool", USES.dependencies[0])
