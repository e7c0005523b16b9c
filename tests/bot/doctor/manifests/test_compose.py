"""Compose's many ways to say one thing are read alike."""

import pytest
import yaml

from bot.doctor.manifests import compose
from tests.bot.doctor.manifests.test_assessment import COMPOSE, composed, plain

GOOD = {"image": "countersign:0.1.0", "user": "10001"}


def found(name, **service):
    """What is said about one service."""
    return compose.judge({"services": {"web": {**GOOD, **service}}})[name]


@pytest.mark.parametrize(
    ("name", "service", "said"),
    [
        ("reliability.resources", {"mem_limit": "512m", "cpus": 1}, ""),
        ("reliability.resources", {"mem_limit": "512m"}, "no limit for cpus"),
        ("reliability.restart", {"restart": "on-failure:5"}, ""),
        ("reliability.restart", {"deploy": {"restart_policy": {"condition": "any"}}}, ""),
        ("reliability.restart", {"restart": "no"}, "restart is not set"),
        ("reliability.restart", {"command": "migrate"}, ""),
        ("reliability.probes", {"healthcheck": {"test": ["NONE"]}}, "no healthcheck"),
        ("reliability.probes", {"healthcheck": {"test": "true"}}, "`true` succeeds whatever the server does"),
        ("reliability.probes", {"healthcheck": {"test": "curl -f http://localhost:8080/readyz"}}, ""),
        ("reliability.probes", {"image": "postgres:17.2", "healthcheck": {"test": ["CMD", "pg_isready"]}}, ""),
        ("reliability.probes", {"image": "postgres:17.2", "healthcheck": {"test": ["CMD", "true"]}}, "`true` succeeds whatever the server does"),
        ("reliability.restart", {"deploy": {"restart_policy": {"condition": "none"}}}, "restart is not set"),
        ("reliability.database", {"env_file": ["x"]}, ""),
        ("reliability.database", {"volumes": ["d:/var/lib/countersign"]}, ""),
        ("reliability.database", {"volumes": ["d:/var/lib/countersign"], "scale": 2}, "2 replicas cannot share a SQLite file"),
        ("reliability.database", {}, "the SQLite file /var/lib/countersign/countersign.db is on no volume that stays, so the records are lost with the container"),
        ("reliability.database", {"image": "postgres:17.2", "volumes": ["d:/var/lib/postgresql/data"]}, ""),
        ("reliability.database", {"image": "postgres:17.2"}, "the database's files are on no volume that stays, so the records are lost with the container"),
        ("reliability.backups", {"command": "backup /b/x", "volumes": ["./b:/b"]}, ""),
        ("reliability.backups", {"command": "backup /b/x"}, "the backup is written to /b/x, which is on no volume that stays"),
        ("observability.logs", {"logging": {"driver": "journald"}}, ""),
        ("observability.logs", {"logging": {"driver": "json-file"}}, "its logs have no size limit (max-size)"),
        ("observability.logs", {}, "its logs have no size limit (max-size)"),
        ("observability.metrics", {"labels": ["prometheus.io/scrape=true"]}, ""),
        ("observability.metrics", {}, "nothing collects its metrics"),
    ],
)  # fmt: skip
def test_one_service(name, service, said):
    """What is said of it, or nothing."""
    assert found(name, **service) == ([f"service web: {said}"] if said else [])


def test_workers_and_jobs_need_no_healthcheck():
    """They answer nobody."""
    assert found("reliability.probes", command="serve --role worker") is None
    assert found("reliability.probes", command=["migrate"]) is None


def test_a_collector_among_the_services():
    """It collects from all of them."""
    both = {"services": {"web": GOOD, "prometheus": {"image": "prom/prometheus:v3.0.1"}}}
    assert compose.judge(both)["observability.metrics"] == []


def test_backups():
    """Made elsewhere, or by a service that never runs."""
    kept = {"web": {**GOOD, "labels": {"countersign/backups": "Cloud SQL, daily"}}}
    assert compose.judge({"services": kept})["reliability.backups"] == []
    never = {"backup": {**GOOD, "command": "backup /b/x", "volumes": ["./b:/b"], "scale": 0}}
    assert compose.judge({"services": never})["reliability.backups"] == ["nothing makes backups of the database"]


HOSTILE = """
services:
  web:
    image: countersign
    privileged: true
    pid: host
    ports: ["8080:8080"]
    environment: {COUNTERSIGN_KEYS: "1:hunter2"}
    volumes: ["/var/run/docker.sock:/var/run/docker.sock"]
    healthcheck: {test: exit 0}
  db:
    image: postgres
    ports: ["5432:5432"]
    environment: [POSTGRES_PASSWORD=postgres]
"""


def test_a_quick_start():
    """As people write it."""
    judged = compose.judge(yaml.safe_load(HOSTILE))
    bad = {name for name, said in judged.items() if said}

    assert bad >= {
        "security.privileged", "security.host-namespaces", "security.host-paths", "security.secrets", "security.image", "security.non-root",
        "security.exposure", "security.tls", "reliability.probes", "reliability.database", "reliability.backups", "reliability.resources",
    }  # fmt: skip


@pytest.mark.parametrize("value", [5, "x", [5], [[]], {"a": 5}, None, True])
def test_whatever_stands_somewhere(value):
    """Nothing breaks the judgement: at each place of the sample something else may stand."""
    found = plain(composed(COMPOSE[0]).compose)

    def places(node, way=()):
        for key, one in node.items() if isinstance(node, dict) else enumerate(node):
            yield (*way, key)
            if isinstance(one, dict | list):
                yield from places(one, (*way, key))

    for way in list(places(found)):
        document = plain(found)
        node = document
        for key in way[:-1]:
            node = node[key]
        node[way[-1]] = value
        assert compose.judge(document)
