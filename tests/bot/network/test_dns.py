"""A domain shows its word when every server says so; what one of them can't say is not known."""

import pytest

from bot.network.dns import Hosts, mail_hosts, record, shows
from bot.network.resolvers import Server
from tests.bot.small_dns import SmallDns
from tests.conftest import free_port

NAME, TOKEN = "_cla-challenge.huawei.com.", "0f" * 16
RIGHT = f'"cla-verify={TOKEN}"'


@pytest.fixture(name="two")
def _two():
    """Two servers that know the record."""
    servers = [SmallDns({(NAME, "TXT"): [RIGHT]}).start() for _ in range(2)]
    yield servers
    for server in servers:
        server.stop()


@pytest.fixture(name="ask")
def _ask(two):
    """What they say together about the token at huawei.com."""

    def ask(token=TOKEN):
        return shows("huawei.com", token, [Server("127.0.0.1", server.port) for server in two])

    return ask


def test_both_servers_are_asked_once_and_show_the_record(two, ask):
    assert record("huawei.com", TOKEN) == ("_cla-challenge.huawei.com", f"cla-verify={TOKEN}")
    assert ask() == "shown"
    assert [server.asked for server in two] == [[("udp", NAME, "TXT")]] * 2


SHOWN = (['"v=spf1 -all"', RIGHT, '"cla-verify=other"'], [f'"cla-verify={TOKEN[:9]}" "{TOKEN[9:]}"'])
"""Other records beside it don't matter, and it may be in several pieces."""
ABSENT = (
    ['"cla-verify=other"'], [f'"cla-verify={TOKEN} "'], [f'"CLA-VERIFY={TOKEN}"'], [f'"x cla-verify={TOKEN}"'],
    ['"cla-verify="', f'"{TOKEN}"'], [f'"cla-verify={TOKEN.upper()}"'], ['""'],
)  # fmt: skip


@pytest.mark.parametrize("texts", SHOWN + ABSENT)
def test_only_the_very_text_counts(two, ask, texts):
    for server in two:
        server.zone[NAME, "TXT"] = texts
    assert ask() == ("shown" if texts in SHOWN else "absent")


def test_a_cname_is_followed(two, ask):
    for server in two:
        server.zone = {(NAME, "CNAME"): "challenges.dns.example.", ("challenges.dns.example.", "TXT"): [RIGHT]}
    assert ask() == "shown"


@pytest.mark.parametrize("behave", ["", "cut"])
def test_an_answer_too_large_for_a_packet_comes_by_tcp(two, ask, behave):
    for server in two:
        server.behave = behave
        server.zone[NAME, "TXT"] = [*(f'"noise-{number}-{"x" * 200}"' for number in range(250)), RIGHT]
    assert ask() == "shown"
    assert [way for way, _, _ in two[0].asked] == ["udp", "tcp"]


@pytest.mark.parametrize("behave", ["NXDOMAIN", "no-data"])
def test_a_missing_name_or_text_is_certainly_not_there(two, ask, behave):
    for server in two:
        server.behave = "" if behave == "no-data" else behave
        server.zone = {(NAME, "A"): ["192.0.2.1"]}
    assert ask() == "absent"


@pytest.mark.parametrize("behave", ["SERVFAIL", "REFUSED", "silent", "garbage", "no-server"])
@pytest.mark.parametrize("which", [0, 1])
def test_one_server_that_cannot_say_makes_the_record_unknown(two, ask, behave, which, monkeypatch):
    two[which].behave = behave
    if behave == "no-server":
        two[which].port = free_port()
    monkeypatch.setattr("bot.network.dns.SERVER_TIMEOUT_SECONDS", 0.6)
    assert ask() == "unknown"


@pytest.mark.parametrize("which", [0, 1])
def test_two_servers_that_differ_are_no_proof(two, ask, which):
    two[which].zone[NAME, "TXT"] = ['"old"']
    assert ask() == "differs"


def test_one_server_an_empty_token_or_a_long_name_is_not_asked():
    server, other = Server("127.0.0.1", 9), Server("127.0.0.1", 10)
    with pytest.raises(ValueError, match="two servers"):
        shows("huawei.com", TOKEN, [server, server])
    with pytest.raises(ValueError, match="token"):
        shows("huawei.com", "", [server, other])
    with pytest.raises(ValueError, match="no name"):
        shows(".".join(["a" * 60] * 4), TOKEN, [server, other])


def test_mail_hosts_come_from_the_first_server_that_answers(two):
    servers = [Server("127.0.0.1", server.port) for server in two]
    two[0].behave = "SERVFAIL"
    two[1].zone = {
        ("rd.huawei.com.", "MX"): ["20 b.huawei.com.", "10 a.huawei.com."],
        ("huawei.com.", "NS"): ["ns2.huawei.com.", "ns1.huawei.com."],
        ("nomail.org.", "MX"): ["0 ."],
        ("nomail.org.", "TXT"): ['"x"'],
    }

    found = mail_hosts("rd.huawei.com", "huawei.com", servers)
    assert found == Hosts(("a.huawei.com", "b.huawei.com"), ("ns1.huawei.com", "ns2.huawei.com"))
    assert mail_hosts("nomail.org", "nomail.org", servers) == Hosts((), ())
    two[1].behave = "SERVFAIL"
    assert mail_hosts("rd.huawei.com", "huawei.com", servers) is None
