"""A compose file's short and long forms, defaults and overrides mean what compose makes of them."""

import pytest

from bot.doctor.manifests import compose_file
from bot.doctor.manifests.compose_file import Mount, Port


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("${A:-x}", "x"),
        ("${A-x}:${B:-1.2}", "x:1.2"),
        ("${A:-${B:-x}}", "x"),
        ("${A:?set it}", "${A:?set it}"),
        ("${A}", "${A}"),
        ("${A:-}", "${A:-}"),
        ("$$(date)", "$(date)"),
        ("plain", "plain"),
    ],
)
def test_a_variable_takes_its_default_and_no_value_of_this_machine(text, meant):
    assert compose_file.settled({"a": [text, 1]}) == {"a": [meant, 1]}


def test_an_override_joins_mappings_and_lists_and_replaces_commands():
    base = {"services": {"web": {"command": ["a"], "ports": ["1:1"], "environment": ["A=1"], "image": "x"}}}
    other = {
        "services": {"web": {"command": ["b"], "ports": ["2:2"], "environment": {"B": "2"}, "user": "0"}, "new": {}}
    }
    assert compose_file.overridden(base, other) == {
        "services": {
            "web": {
                "command": ["b"],
                "ports": ["1:1", "2:2"],
                "environment": {"A": "1", "B": "2"},
                "image": "x",
                "user": "0",
            },
            "new": {},
        }
    }


@pytest.mark.parametrize(
    ("said", "port"),
    [
        ("8080:8080", Port("", "8080")),
        ("127.0.0.1:5432:5432/tcp", Port("127.0.0.1", "5432")),
        ("[::1]:80:80", Port("[::1]", "80")),
        ("5432", Port("", "5432")),
        (5432, Port("", "5432")),
        ({"target": 5432, "published": "1", "host_ip": "127.0.0.1"}, Port("127.0.0.1", "5432")),
        ({"target": 5432}, Port("", "5432")),
    ],
)
def test_ports_are_read_with_and_without_an_address(said, port):
    assert [*compose_file.ports({"ports": [said]})] == [port]
    assert port.is_public is (port.address == "")


@pytest.mark.parametrize(
    ("said", "mount"),
    [
        ("./a:/b:ro", Mount("bind", "./a", "/b", is_read_only=True)),
        ("/a:/b", Mount("bind", "/a", "/b", is_read_only=False)),
        ("a:/b:z,ro", Mount("volume", "a", "/b", is_read_only=True)),
        ("C:\\a:/b", Mount("bind", "C:\\a", "/b", is_read_only=False)),
        ("C:/a:/b:ro", Mount("bind", "C:/a", "/b", is_read_only=True)),
        ("${A:?set it}:/b", Mount("bind", "${A:?set it}", "/b", is_read_only=False)),
        ("${A}/x:/b:ro", Mount("bind", "${A}/x", "/b", is_read_only=True)),
        ("/b", Mount("anonymous", "", "/b", is_read_only=False)),
        (
            {"type": "bind", "source": "/a", "target": "/b", "read_only": True},
            Mount("bind", "/a", "/b", is_read_only=True),
        ),
        ({"type": "volume", "target": "/b"}, Mount("anonymous", "", "/b", is_read_only=False)),
    ],
)
def test_mounts_are_folders_named_volumes_or_temporary(said, mount):
    service = {"volumes": [said]}
    assert [*compose_file.mounts(service)] == [mount]
    assert compose_file.keeps(service, "/b/x") is (mount.kind != "anonymous" and not mount.is_read_only)
    assert compose_file.has_volume(service) is compose_file.keeps(service, "/b/x")
    assert not compose_file.keeps({**service, "tmpfs": "/b/x:size=1m"}, "/b/x/y")


@pytest.mark.parametrize(
    ("check", "command"),
    [
        ({"test": "curl x"}, ["sh", "-c", "curl x"]),
        ({"test": ["CMD-SHELL", "curl x"]}, ["sh", "-c", "curl x"]),
        ({"test": ["CMD", "curl", "x"]}, ["curl", "x"]),
        ({"test": ["NONE"]}, None),
        ({"test": "curl x", "disable": True}, None),
        ({}, None),
    ],
)
def test_healthchecks_are_read_in_all_their_forms(check, command):
    assert compose_file.health_command({"healthcheck": check}) == command


def test_included_extended_and_incomplete_services_are_named_as_unread():
    document = {
        "include": ["a.yaml"],
        "services": {"web": {"extends": {"file": "b.yaml"}}, "odd": None, "built": {"build": "."}},
    }
    assert compose_file.unread(document) == [
        "include",
        "services.web.extends",
        "services.odd has neither image nor build",
    ]
    assert compose_file.services(document)["odd"] == {}


def test_a_service_is_web_worker_or_job_by_its_command():
    web, worker, job = (
        {"image": "countersign:1.2.3", "command": said} for said in ("serve", "serve --role worker", "migrate")
    )
    assert [compose_file.is_web(service) for service in (web, worker, job)] == [True, False, False]
    assert [compose_file.is_server(service) for service in (web, worker, job)] == [True, True, False]
    assert compose_file.is_web({"image": "countersign:1.2.3"})
    assert compose_file.copies({"deploy": {"replicas": 3}}) == 3
    assert compose_file.copies({"scale": "2"}) == 2
    assert compose_file.copies({}) == 1
