"""Compose's many ways to say one thing are read alike."""

import pytest
import yaml

from bot.doctor.manifests import compose, compose_file
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
def test_each_item_judges_one_service_by_its_own_words(name, service, said):
    assert found(name, **service) == ([f"service web: {said}"] if said else [])


def test_workers_and_jobs_need_no_healthcheck():
    assert found("reliability.probes", command="serve --role worker") is None
    assert found("reliability.probes", command=["migrate"]) is None


def test_a_collector_among_the_services_collects_from_all():
    both = {"services": {"web": GOOD, "prometheus": {"image": "prom/prometheus:v3.0.1"}}}
    assert compose.judge(both)["observability.metrics"] == []


def test_backups_may_be_made_elsewhere_but_not_by_a_stopped_service():
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


def test_a_quick_start_without_hardening_fails():
    judged = compose.judge(yaml.safe_load(HOSTILE))
    bad = {name for name, said in judged.items() if said}

    assert bad >= {
        "security.privileged", "security.host-namespaces", "security.host-paths", "security.secrets", "security.image", "security.non-root",
        "security.exposure", "security.tls", "reliability.probes", "reliability.database", "reliability.backups", "reliability.resources",
    }  # fmt: skip


@pytest.mark.parametrize(
    "value", [[5], None, *(pytest.param(value, marks=pytest.mark.nightly) for value in (5, "x", [[]], {"a": 5}, True))]
)
def test_an_odd_value_at_any_place_of_the_sample_breaks_nothing(value):
    found = plain(composed(COMPOSE[0]).compose)

    def places(node, way=()):
        for key, child in node.items() if isinstance(node, dict) else enumerate(node):
            yield (*way, key)
            if isinstance(child, dict | list):
                yield from places(child, (*way, key))

    for way in list(places(found)):
        document = plain(found)
        node = document
        for key in way[:-1]:
            node = node[key]
        node[way[-1]] = value
        assert compose.judge(document)


SECURE = {"image": "countersign:1.2.3", "user": "10001", "command": ["serve", "--host", "0.0.0.0"]}


def said_of(name, others=None, document=None, **service):
    """What is said about one service."""
    whole = {"services": {"web": {**SECURE, **service}, **(others or {})}, **(document or {})}
    return compose.judge(whole)[name]


@pytest.mark.parametrize(
    ("name", "service", "said"),
    [
        ("security.non-root", {"user": None}, "it runs as the image's user, which may be root"),
        ("security.non-root", {"user": "0:0"}, "it runs as root"),
        ("security.non-root", {"user": "00"}, "it runs as root"),
        ("security.non-root", {"user": 10001}, ""),
        ("security.non-root", {"user": "${UID}"}, "the environment decides about its user (${UID})"),
        ("security.privileged", {"privileged": True}, "privileged is true"),
        ("security.privileged", {"privileged": "true"}, "privileged is true"),
        ("security.privileged", {"privileged": False}, ""),
        ("security.privileged", {"post_start": [{"command": "x", "privileged": True}]}, "post_start.privileged is true"),
        ("security.host-paths", {"use_api_socket": True}, "use_api_socket is true, so it has the container engine's socket"),
        ("security.capabilities", {"cap_drop": ["all"]}, ""),
        ("security.capabilities", {"cap_drop": ["NET_RAW"]}, "cap_drop does not contain ALL"),
        ("security.capabilities", {"cap_drop": ["ALL"], "cap_add": ["NET_BIND_SERVICE"]}, ""),
        ("security.capabilities", {"cap_drop": ["ALL"], "cap_add": ["CAP_SYS_ADMIN"]}, "cap_add has SYS_ADMIN"),
        ("security.privilege-escalation", {"security_opt": ["no-new-privileges=true"]}, ""),
        ("security.privilege-escalation", {"security_opt": ["no-new-privileges:false"]}, "security_opt does not contain no-new-privileges:true"),
        ("security.seccomp", {"security_opt": ["seccomp:unconfined"]}, "security_opt has seccomp:unconfined"),
        ("security.host-namespaces", {"network_mode": "host"}, "network_mode is host"),
        ("security.host-namespaces", {"network_mode": "none"}, ""),
        ("security.host-namespaces", {"userns_mode": "host"}, "userns_mode is host"),
        ("security.host-paths", {"volumes": ["./data:/data", "/srv/x:/x", "named:/y"]}, ""),
        ("security.host-paths", {"volumes": ["/etc/letsencrypt:/tls:ro"]}, ""),
        ("security.host-paths", {"volumes": ["/proc/../proc:/p"]}, "volumes mounts /proc/../proc of the host"),
        ("security.host-paths", {"volumes": ["/etc/:/e:ro"]}, "volumes mounts /etc/ of the host"),
        ("security.host-paths", {"volumes": ["//var//run/docker.sock:/s"]}, "volumes mounts //var//run/docker.sock of the host"),
        ("security.host-paths", {"volumes": ["/srv/podman.sock:/s"]}, "volumes mounts /srv/podman.sock of the host"),
        ("security.host-paths", {"volumes": ["~:/h"]}, "volumes mounts ~ of the host"),
        ("security.host-paths", {"device_cgroup_rules": ["a *:* rwm"]}, "device_cgroup_rules has a *:* rwm"),
        ("security.sysctls", {"sysctls": {"net.ipv4.ip_unprivileged_port_start": 0}}, ""),
        ("security.secrets", {"environment": ["COUNTERSIGN_KEYS=a:b", "X=1"]}, "COUNTERSIGN_KEYS has its value in the file"),
        ("security.secrets", {"environment": ["COUNTERSIGN_KEYS"]}, ""),
        ("security.secrets", {"environment": {"A_TOKEN": "x", "B_TOKEN": "y"}}, "A_TOKEN, B_TOKEN have their value in the file"),
        ("security.secrets", {"build": {"args": {"PIP_TOKEN": "x"}}}, "build.args has the value of PIP_TOKEN"),
        ("security.secrets", {"healthcheck": {"test": "curl -u a:b http://x"}}, "a user with a password stands in its healthcheck.test"),
        ("security.image", {"image": "${IMAGE:?}"}, "the image ${IMAGE:?} is not pinned"),
        ("security.image", {"image": None, "build": "."}, ""),
        ("security.exposure", {"image": "postgres:17.2", "ports": ["5432:5432"]}, "a database publishes the ports 5432"),
        ("security.exposure", {"image": "postgres:17.2", "ports": ["127.0.0.1:5432:5432"]}, ""),
        ("security.exposure", {"image": "postgres:17.2", "environment": {"POSTGRES_HOST_AUTH_METHOD": "trust"}}, "POSTGRES_HOST_AUTH_METHOD lets everybody in without a password"),
        ("security.exposure", {"image": "prom/prometheus:v3.5.0", "ports": ["9090:9090"]}, "metrics are published on the port 9090"),
        ("security.tls", {"ports": ["80:8080"]}, "the port 8080 is published without TLS"),
        ("security.tls", {"ports": ["127.0.0.1:80:8080"]}, ""),
        ("security.tls", {"ports": ["443:443"]}, ""),
        ("security.tls", {"ports": ["8000-9000:8000-9000"]}, "the port 8000-9000 is published without TLS"),
    ],
)  # fmt: skip
def test_each_item_judges_one_service_in_its_host(name, service, said):
    assert said_of(name, **service) == ([f"service web: {said}"] if said else [])


@pytest.mark.parametrize(
    "source",
    [
        "/srv/../etc", "/srv/x/../../var/lib/docker", "/etc/", "//etc", "/./etc/.", "/var//lib/./docker/volumes", "/..", "/var/lib",
        "../../../etc", "./../../etc", "./x/../../run/docker.sock", "..", "../", "../..", "~", "~/", "~/.", "~/..", "~/../../etc",
        "$HOME", "${HOME}", "${HOME}/", "${HOME:?who}/..", "${PWD}/..", "$PWD/../../etc", "${DATA}/../../proc", "${DATA:-/etc}",
        "${DATA:-/srv/../etc}", "${A:-${B:-/root}}", "${ROOT:-}/etc", "C:\\", "C:/", "c:\\Users", "C:/x/../Windows/System32", "D:/etc",
        "\\\\.\\pipe\\docker_engine", "//./pipe/docker_engine", "C:\\ProgramData\\docker\\volumes",
    ],
)  # fmt: skip
@pytest.mark.parametrize("form", ["short", "long", "named", "secrets", "configs"])
def test_a_path_of_the_hosts_own_is_found_however_it_is_written(source, form):
    assert mounted(source, form)


@pytest.mark.parametrize(
    "source",
    [
        "/srv/x", "/srv/../data", "/etc/letsencrypt/", "/var/lib/countersign", ".", "./", "./etc", "./x/../etc", "..data", "../data",
        "../proxy/Caddyfile", "../.config", ".../etc", "~/data", "~/etc", "$HOME/x", "${DATA}", "${DATA:-./data}", "${DATA:?set it}",
        "${DATA:?such as /etc}/x", "${DATA}/etc", "C:\\countersign", "D:/data/../etc2", "/homes", "/var/lib/dockers",
    ],
)  # fmt: skip
@pytest.mark.parametrize("form", ["short", "long", "named", "secrets", "configs"])
def test_a_folder_made_for_the_service_is_not_called_the_hosts(source, form):
    assert not mounted(source, form)


def mounted(source, form):
    """What is said of a mount of that source, written in that form."""
    document = {
        "services": {"web": SECURE},
        "volumes": {"data": {"driver_opts": {"type": "none", "o": "bind", "device": source}}},
        **{key: {"data": {"file": source}} for key in ("secrets", "configs")},
    }
    said = {
        "short": {"volumes": [f"{source}:/x:ro"]},
        "long": {"volumes": [{"type": "bind", "source": source, "target": "/x"}]},
        "named": {"volumes": ["data:/x"]},
        "secrets": {"secrets": ["data"]},
        "configs": {"configs": [{"source": "data", "target": "/x"}]},
    }
    settled = compose_file.settled({**document, "services": {"web": {**SECURE, **said[form]}}})
    return compose.judge(settled)["security.host-paths"]


def test_networks_volumes_and_configs_are_followed_by_name():
    assert said_of(
        "security.host-namespaces", document={"networks": {"n": {"name": "host", "external": True}}}, networks=["n"]
    ) == ["service web: its network n is the host's"]
    device = {"volumes": {"v": {"driver_opts": {"type": "none", "o": "bind", "device": "/"}}}}
    assert said_of("security.host-paths", document=device, volumes=["v:/x"]) == [
        "service web: volumes mounts / of the host"
    ]
    configs = {"configs": {"c": {"content": "a: 1\npassword: x\n"}}}
    assert said_of("security.secrets", document=configs) == ["configs.c: c (password) is a secret"]
    database = {"db": {"image": "postgres:17.2", "network_mode": "service:web"}}
    assert said_of("security.exposure", others=database, ports=["5432:5432"]) == [
        "service db: a database publishes the ports 5432"
    ]
    assert said_of("security.exposure", others=database, ports=["443:443"]) == []


def test_without_a_web_server_encryption_does_not_apply():
    assert said_of("security.tls", command="migrate") is None
