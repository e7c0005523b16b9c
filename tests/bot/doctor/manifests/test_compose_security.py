"""What a service may do to its host is named, in each of compose's forms."""

import pytest

from bot.doctor.manifests import compose_file, compose_security

GOOD = {"image": "countersign:1.2.3", "user": "10001", "command": ["serve", "--host", "0.0.0.0"]}


def found(name, others=None, document=None, **service):
    """What is said about one service."""
    whole = {"services": {"web": {**GOOD, **service}, **(others or {})}, **(document or {})}
    return compose_security.judge(whole, compose_file.services(whole))[name]


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
def test_one_service(name, service, said):
    """What is said of it, or nothing."""
    assert found(name, **service) == ([f"service web: {said}"] if said else [])


def test_what_the_file_says_elsewhere():
    """Networks, volumes and configs by name; a database in another's network."""
    assert found(
        "security.host-namespaces", document={"networks": {"n": {"name": "host", "external": True}}}, networks=["n"]
    ) == ["service web: its network n is the host's"]
    device = {"volumes": {"v": {"driver_opts": {"type": "none", "o": "bind", "device": "/"}}}}
    assert found("security.host-paths", document=device, volumes=["v:/x"]) == [
        "service web: volumes mounts / of the host"
    ]
    configs = {"configs": {"c": {"content": "a: 1\npassword: x\n"}}}
    assert found("security.secrets", document=configs) == ["configs.c: c (password) is a secret"]
    database = {"db": {"image": "postgres:17.2", "network_mode": "service:web"}}
    assert found("security.exposure", others=database, ports=["5432:5432"]) == [
        "service db: a database publishes the ports 5432"
    ]
    assert found("security.exposure", others=database, ports=["443:443"]) == []


def test_without_a_web_server():
    """There is nothing to encrypt."""
    assert found("security.tls", command="migrate") is None
