"""Compose's many ways to say one thing are read alike."""

import pytest

from bot.doctor.manifests import compose

GOOD = {"image": "countersign:0.1.0", "user": "10001"}


def found(name, **service):
    """What is said about one service."""
    return compose.judge({"services": {"web": {**GOOD, **service}}})[name]


@pytest.mark.parametrize(
    ("name", "service", "said"),
    [
        ("security.non-root", {"user": None}, "it runs as the image's user, which may be root"),
        ("security.non-root", {"user": "0:0"}, "it runs as root"),
        ("security.non-root", {"user": 10001}, ""),
        ("security.capabilities", {"cap_drop": ["all"]}, ""),
        ("security.capabilities", {"cap_drop": ["NET_RAW"]}, "cap_drop does not contain ALL"),
        ("security.capabilities", {"cap_drop": ["ALL"], "cap_add": ["NET_BIND_SERVICE"]}, ""),
        ("security.capabilities", {"cap_drop": ["ALL"], "cap_add": ["SYS_ADMIN"]}, "cap_add has SYS_ADMIN"),
        ("security.privilege-escalation", {"security_opt": ["no-new-privileges=true"]}, ""),
        ("security.privilege-escalation", {"security_opt": ["no-new-privileges:false"]}, "security_opt does not contain no-new-privileges:true"),
        ("security.privilege-escalation", {"privileged": True}, "privileged is true"),
        ("security.seccomp", {"security_opt": ["seccomp:unconfined"]}, "seccomp is unconfined"),
        ("security.network-policy", {"network_mode": "host"}, "it uses the host's network"),
        ("security.network-policy", {"image": "postgres:17", "ports": ["5432:5432"]}, "a database publishes ports"),
        ("security.network-policy", {"ports": ["8080:8080"]}, ""),
        ("security.secrets", {"environment": ["COUNTERSIGN_KEYS=a:b", "X=1"]}, "COUNTERSIGN_KEYS has its value in the file"),
        ("security.secrets", {"environment": ["COUNTERSIGN_KEYS"]}, ""),
        ("security.secrets", {"environment": {"A_TOKEN": "x", "B_TOKEN": "y"}}, "A_TOKEN, B_TOKEN have their value in the file"),
        ("security.image", {"image": "${IMAGE:-countersign:0.1.0}"}, ""),
        ("security.image", {"image": "countersign:${TAG:-latest}"}, "the image countersign:${TAG:-latest} is not pinned"),
        ("security.image", {"image": "${IMAGE:?}"}, "the image ${IMAGE:?} is not pinned"),
        ("reliability.resources", {"mem_limit": "512m", "cpus": 1}, ""),
        ("reliability.resources", {"mem_limit": "512m"}, "no limit for cpus"),
        ("reliability.restart", {"restart": "on-failure:5"}, ""),
        ("reliability.restart", {"deploy": {"restart_policy": {"condition": "any"}}}, ""),
        ("reliability.restart", {"restart": "no"}, "restart is not set"),
        ("reliability.restart", {"command": "migrate"}, ""),
        ("reliability.probes", {"healthcheck": {"test": ["NONE"]}}, "no healthcheck"),
        ("reliability.probes", {"healthcheck": {"test": "true"}}, ""),
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


def test_an_image_that_is_built_here():
    """From the files beside it."""
    assert compose.judge({"services": {"web": {"build": "."}}})["security.image"] == []


def test_what_stands_elsewhere():
    """Is named."""
    document = {"include": ["a.yaml"], "services": {"web": {"extends": {"file": "b.yaml"}}, "odd": None}}
    assert compose.unread(document) == ["include", "services.web.extends"]
    assert compose.services(document)["odd"] == {}
