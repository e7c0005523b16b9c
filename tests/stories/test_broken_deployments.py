"""A good new deployment gets an A; each broken deployment is named, with the right remedy, and its grade is lower.

The server, PostgreSQL, mail servers and disks are real; the small GitHub stands for GitHub.
"""

import socket

import pytest

from bot import db
from tests.stories.broken_deployments import TABLE, housed


@pytest.fixture(scope="module", name="house")
def _house(tmp_path_factory):
    """One house for all tests: a test mends again what it breaks."""
    with housed(tmp_path_factory.mktemp("house")) as made:
        yield made


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_good_new_deployment_gets_an_a(kind, house, request, tmp_path):
    if kind == "sqlite":
        found = house.doctor()
    else:
        url = request.getfixturevalue("postgres_url")
        with housed(tmp_path, COUNTERSIGN_DATABASE_URL=url) as made:
            found = made.doctor()
            with db.opened(url) as engine, engine.begin() as connection:
                connection.exec_driver_sql("ALTER ROLE CURRENT_USER SET default_transaction_read_only = on")
            try:
                broken = made.doctor()
            finally:
                with (
                    db.opened(url) as engine,
                    engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection,
                ):
                    connection.exec_driver_sql("SET default_transaction_read_only = off")
                    connection.exec_driver_sql("ALTER ROLE CURRENT_USER RESET default_transaction_read_only")
        assert broken.items["database.writable"]["status"] == "fail"
        assert "standby" in broken.items["database.writable"]["remedy"]
        assert broken.grade == "D"
    assert found.failed() == set(), [found.items[name]["message"] for name in found.failed()]
    assert found.grade == "A"


@pytest.mark.slow
def test_one_email_is_sent_on_demand_only(house):
    house.mail.got.clear()
    assert "mail.sent" not in house.doctor().items
    assert house.mail.got == []
    assert house.doctor("--mail-to", "admin@example.org").items["mail.sent"]["status"] == "pass"
    [got] = house.mail.got
    assert got.to == ["admin@example.org"]
    assert b"countersign doctor" in got.content
    refused = house.doctor("--mail-to", "no address").items["mail.sent"]
    assert (refused["status"], "--mail-to" in refused["remedy"]) == ("fail", True)


@pytest.mark.parametrize(
    ("broken", "item", "remedy", "grade"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE]
)
def test_a_broken_deployment_fails_its_item_with_the_right_remedy(broken, item, remedy, grade, house, request):
    if item == "database.reachable":
        house.more["postgres"] = request.getfixturevalue("postgres_server")
    with broken(house) as changed:
        found = house.doctor(**changed)
        if found.items[item]["status"] == "unknown":  # A busy machine lets a question take longer than its seconds.
            found = house.doctor(**changed)
    check = found.items[item]
    assert check["status"] in ("fail", "unknown"), found.output
    assert any(words in check["remedy"] for words in remedy.split("|")), check
    assert found.grade == grade, {name: found.items[name]["message"] for name in found.failed()}
    assert "hunter2" not in found.output
    assert "secret" not in check["message"].partition("sso.example.org")[2]
    assert found.seconds < 17


@pytest.mark.slow
def test_every_broken_deployment_is_mended_again(house):
    assert house.doctor().failed() == set()


@pytest.mark.slow
def test_a_silent_server_does_not_stop_the_doctor(house):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        at = f"127.0.0.1:{silent.getsockname()[1]}"
        found = house.doctor(
            "--port", silent.getsockname()[1],
            URL=f"http://{at}", GITHUB_URL=f"http://{at}", GITHUB_API_URL=f"http://{at}/api/v3",
            SMTP_URL=f"smtp://{at}", DATABASE_URL=f"postgresql://u:p@{at}/x",
        )  # fmt: skip
    assert found.seconds < 17
    assert found.grade == "D"
    assert {"server.public", "server.local", "mail.login", "database.reachable", "github.reachable"} <= found.failed()
