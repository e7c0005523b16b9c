"""Images, stores and variables are told apart by what stands there."""

import pytest

from bot.doctor.manifests import containers


@pytest.mark.parametrize(
    ("image", "pinned"),
    [
        ("countersign:0.1.0", True),
        ("registry.example.org:5000/countersign:0.1.0", True),
        ("countersign@sha256:" + "a" * 64, True),
        ("countersign:latest@sha256:" + "a" * 64, True),
        ("countersign:v1.2", True),
        ("countersign:sha-0a1b2c3d", True),
        ("countersign:20261128", True),
        ("postgres:17", False),
        ("postgres:17-alpine", False),
        ("countersign:1.2-latest", False),
        ("countersign:1.0-SNAPSHOT", False),
        ("countersign:pr-12", False),
        ("countersign", False),
        ("countersign:latest", False),
        ("countersign:main", False),
        ("registry.example.org:5000/countersign", False),
        ("countersign@sha256:short", False),
        ("", False),
    ],
)
def test_the_version_of_an_image_is_told_from_its_registrys_port(image, pinned):
    assert (not containers.unpinned(image)) is pinned


@pytest.mark.parametrize(
    ("image", "command", "variables", "ours"),
    [
        ("registry.example.org/countersign:1.2.3", [], [], True),
        ("registry.example.org/cla@sha256:countersign", [], [], False),
        ("cla-bot:1.2.3", ["countersign", "serve"], [], True),
        ("cla-bot:1.2.3", ["sh", "-c", "exec countersign serve"], [], True),
        ("cla-bot:1.2.3", [], ["COUNTERSIGN_KEYS_FILE"], True),
        ("caddy:2.10.1", [], ["COUNTERSIGN_HOST"], False),
        ("nginx:1.27.1", ["nginx"], [], False),
    ],
)
def test_our_containers_are_known_by_image_command_or_settings(image, command, variables, ours):
    assert containers.is_ours(image, command, variables) is ours


def test_a_client_in_a_databases_image_is_no_server():
    assert containers.is_store_server("docker.io/library/postgres:17.2", [])
    assert containers.is_store_server("postgres:17.2", ["-c", "max_connections=10"])
    assert containers.is_store_server("redis:7.4.1", ["/usr/bin/redis-server"])
    assert not containers.is_store_server("postgres:17.2", ["sh", "-c", "psql"])
    assert not containers.is_store_server("nginx:1.27.1", [])
    assert containers.is_collector("docker.io/prom/prometheus:v3.5.0")
    assert containers.is_open_store({"POSTGRES_HOST_AUTH_METHOD": "trust"}) == "POSTGRES_HOST_AUTH_METHOD"
    assert containers.is_open_store({"MYSQL_ALLOW_EMPTY_PASSWORD": "yes"}) == "MYSQL_ALLOW_EMPTY_PASSWORD"
    assert containers.is_open_store({"POSTGRES_HOST_AUTH_METHOD": "scram-sha-256", "ALLOW_EMPTY_PASSWORD": "no"}) == ""


def test_odd_values_in_place_of_words_and_mappings_break_nothing():
    assert containers.words("sh -c", ["a b", 3], None) == ["sh", "-c", "a b", "3"]
    assert containers.mapping({"a": {"b": [1]}}, "a", "b") == {}
    assert containers.mapping({"a": {"b": {"c": 1}}}, "a", "b") == {"c": 1}
    assert containers.mapping("text", "a") == {}
    assert list(containers.mappings([{"a": 1}, "b", None])) == [{"a": 1}]
    assert list(containers.mappings("text")) == []
    assert not containers.is_tracing({"OTEL_EXPORTER_OTLP_ENDPOINT": None})
    assert containers.is_tracing({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318"})
    assert not containers.is_tracing({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318", "OTEL_SDK_DISABLED": "true"})
    assert containers.listed(["a", 1]) == ["a", "1"]
    assert containers.listed("a") == []
    assert containers.words({"a": 1}) == []
