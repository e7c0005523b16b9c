"""Settings: all problems at once, files for secrets, nothing secret shown."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bot.network.resolvers import Server
from bot.settings import NAMES, Settings, SettingsInvalid, load, server_of_clone

PEM = "-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----"
WHOLE = {
    "COUNTERSIGN_URL": "https://cla.example.org/",
    "COUNTERSIGN_ACCOUNTS": "cann, 4711",
    "COUNTERSIGN_APP_ID": "12",
    "COUNTERSIGN_PRIVATE_KEY": PEM,
    "COUNTERSIGN_WEBHOOK_SECRET": "new, old",
    "COUNTERSIGN_CLIENT_ID": "Iv1.x",
    "COUNTERSIGN_CLIENT_SECRET": "hush-hush",
    "COUNTERSIGN_KEYS": "k1:AAAA",
}


def test_a_whole_set_of_settings_is_read():
    settings = load(WHOLE, serving=True)

    assert "https://cla.example.org" == settings.url
    assert ("cann", "4711") == settings.accounts
    assert ["new", "old"] == [secret.reveal() for secret in settings.webhook_secrets]
    assert "https://api.github.com" == settings.github_api_url
    assert "sqlite:///countersign.db" == settings.database_url


def test_name_logo_colour_and_contact_are_as_chosen(tmp_path):
    chosen = {
        "NAME": "The Bridge Builders",
        "COLOR": "#17614F",
        "LOGO": str(tmp_path / "logo.svg"),
        "CONTACT": "cla@example.org",
    }
    settings = load({f"COUNTERSIGN_{name}": value for name, value in chosen.items()})

    assert ("The Bridge Builders", "#17614f") == (settings.name, settings.color)
    assert (tmp_path / "logo.svg", "cla@example.org") == (settings.logo, settings.contact)
    assert "https://example.org/help" == load({"COUNTERSIGN_CONTACT": "https://example.org/help"}).contact


def test_an_unknown_setting_is_named_with_its_likeness_and_without_its_value():
    linked = {
        "COUNTERSIGN_SERVICE_HOST": "10.0.0.1",
        "COUNTERSIGN_SERVICE_PORT_HTTP": "80",
        "COUNTERSIGN_PORT": "tcp://10.0.0.1:80",
        "COUNTERSIGN_PORT_80_TCP_ADDR": "10.0.0.1",
    }
    assert (
        load({**WHOLE, **linked, "COUNTERSIGN_GONE": " ", "OTHER_NAME": "x", "COUNTERSIGN_URL_FILE": ""}).unknown == ()
    )
    assert load(
        {"COUNTERSIGN_PORT": "8080", "COUNTERSIGN_DATABSE_URL": "hush", "COUNTERSIGN_KEYS_FIEL": "x"}
    ).unknown == (
        "COUNTERSIGN_DATABSE_URL is not a setting; did you mean COUNTERSIGN_DATABASE_URL?",
        "COUNTERSIGN_KEYS_FIEL is not a setting; did you mean COUNTERSIGN_KEYS_FILE?",
        "COUNTERSIGN_PORT is not a setting",
    )
    with pytest.raises(SettingsInvalid) as caught:
        load({"COUNTERSIGN_DATABSE_URL": "x"}, serving=True)
    assert len(caught.value.rest.unknown) == 1


def test_a_private_key_among_the_certificates_is_not_kept():
    with pytest.raises(SettingsInvalid, match="COUNTERSIGN_PDF_CERTIFICATE: must not contain a private key") as caught:
        load({"COUNTERSIGN_PDF_CERTIFICATE": f"-----BEGIN CERTIFICATE-----\n{PEM}"})
    assert "MIIE" not in f"{caught.value}{caught.value.rest}"


def test_all_missing_settings_are_named_together():
    with pytest.raises(SettingsInvalid) as caught:
        load({}, serving=True)

    assert [name for name in WHOLE if not any(name in line for line in caught.value.problems)] == []
    assert len(WHOLE) == len(caught.value.problems)


def test_commands_that_need_no_app_read_the_settings_without_it():
    assert "" == load({}).url


@pytest.mark.parametrize("name", sorted(NAMES))
def test_every_setting_may_come_from_a_file(name, tmp_path):
    secret = tmp_path / "secret"
    others = {
        "COUNTERSIGN_RULEBOOK": str(secret),
        "COUNTERSIGN_DATABASE_URL": "sqlite:///x.db",
        "COUNTERSIGN_PROXIES": "1",
        "COUNTERSIGN_RETENTION_YEARS": "9",
        "COUNTERSIGN_ERASURE_KEYS_FILE": "/var/erasure-keys",
        "COUNTERSIGN_ADMIN_TEAM": "cann/legal",
        "COUNTERSIGN_AUDITOR_TEAM": "12, 34",
        "COUNTERSIGN_SMTP_URL": "smtp://mail.example.org:587",
        "COUNTERSIGN_PDF_KEY": PEM,
        "COUNTERSIGN_MAIL_FROM": "Countersign <cla@example.org>",
        "COUNTERSIGN_DNS_SERVERS": "192.0.2.1, 192.0.2.2",
        "COUNTERSIGN_WHITELIST_REPOSITORY": "cann/community:public",
        "COUNTERSIGN_REGISTRIES": "npm=https://npm.corp.example",
        "COUNTERSIGN_COLOR": "#17614f",
        "COUNTERSIGN_LOG_LEVEL": "debug",
        "COUNTERSIGN_TIME_ZONE": "Asia/Shanghai",
    }
    secret.write_text(f"{ {**WHOLE, **others}.get(name, 'https://x.example') }\n")
    environ = {key: value for key, value in WHOLE.items() if key != name}
    if name == "COUNTERSIGN_SMTP_URL":
        environ["COUNTERSIGN_MAIL_FROM"] = "cla@example.org"

    load({**environ, f"{name}_FILE": str(secret)}, serving=True)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"COUNTERSIGN_URL": "cla.example.org"}, "COUNTERSIGN_URL"),
        (
            {"COUNTERSIGN_URL": "ftp://cla.example.org"},
            "COUNTERSIGN_URL: must begin with http:// or https:// and name a host, with a port up to 65535 if any",
        ),
        (
            {"COUNTERSIGN_URL": "https://hunter2@["},
            "COUNTERSIGN_URL: must begin with http:// or https:// and name a host, with a port up to 65535 if any",
        ),
        ({"COUNTERSIGN_GITHUB_URL": "https://me:hunter2@\u2100"}, "COUNTERSIGN_GITHUB_URL: must begin with http://"),
        (
            {"COUNTERSIGN_GITHUB_URL": "https://gh.m\u00fcller.example"},
            "COUNTERSIGN_GITHUB_URL: must name its host in letters",
        ),
        (
            {"COUNTERSIGN_GITHUB_URL": "https://gh$(id).example"},
            "COUNTERSIGN_GITHUB_URL: must name its host in letters",
        ),
        ({"COUNTERSIGN_URL": "https://example.org/cla"}, "must have only a scheme and host"),
        ({"COUNTERSIGN_URL": "https://example.org?x"}, "must have only a scheme and host"),
        ({"COUNTERSIGN_URL": "https://me@example.org"}, "COUNTERSIGN_URL: must not contain a user name or a password"),
        (
            {"COUNTERSIGN_GITHUB_API_URL": "https://me:hunter2@github.example/api/v3"},
            "COUNTERSIGN_GITHUB_API_URL: must not contain a user name or a password",
        ),
        ({"COUNTERSIGN_ADMIN_TEAM": "ada"}, "COUNTERSIGN_ADMIN_TEAM: must be organisation/team, or account ids"),
        ({"COUNTERSIGN_AUDITOR_TEAM": "a/b/c"}, "COUNTERSIGN_AUDITOR_TEAM: must be organisation/team"),
        ({"COUNTERSIGN_SMTP_URL": "x.org", "COUNTERSIGN_MAIL_FROM": "a@x.org"}, "must begin with smtp:// or smtps://"),
        (
            {"COUNTERSIGN_SMTP_URL": "smtp://me:hunter2@[", "COUNTERSIGN_MAIL_FROM": "a@x.org"},
            "COUNTERSIGN_SMTP_URL: must begin with smtp:// or smtps://",
        ),
        (
            {"COUNTERSIGN_REGISTRIES": "npm=https://me:hunter2@\u2100"},
            "COUNTERSIGN_REGISTRIES: the address of npm is not",
        ),
        ({"COUNTERSIGN_SMTP_URL": "smtp://mail.example.org"}, "must be set when COUNTERSIGN_SMTP_URL is set"),
        ({"COUNTERSIGN_MAIL_FROM": "countersign"}, "must be an address"),
        ({"COUNTERSIGN_ACCOUNTS": "cann other"}, "COUNTERSIGN_ACCOUNTS: must be logins or ids, separated by commas"),
        ({"COUNTERSIGN_ACCOUNTS": "cann, https://github.com/other"}, "must be logins or ids"),
        ({"COUNTERSIGN_ACCOUNTS": "-1"}, "must be logins or ids"),
        ({"COUNTERSIGN_APP_ID": "twelve"}, "must be the App's number"),
        ({"COUNTERSIGN_APP_ID": "0"}, "must be the App's number"),
        ({"COUNTERSIGN_PRIVATE_KEY": "abc"}, "not a PEM private key"),
        ({"COUNTERSIGN_DATABASE_URL": "mysql://x"}, "must be sqlite:///FILE, or postgresql://"),
        ({"COUNTERSIGN_DATABASE_URL": "sqlite://"}, "must be sqlite:///FILE, or postgresql://"),
        ({"COUNTERSIGN_DATABASE_URL": "sqlite:x.db"}, "must be sqlite:///FILE, or postgresql://"),
        *(
            ({"COUNTERSIGN_DATABASE_URL": f"sqlite:///{name}"}, "must name the SQLite file by its path alone")
            for name in (
                "x.db?mode=ro",
                "x.db?timeout=abc",
                "/x.db?mode=ro&uri=true",
                "x?",
                "file:x.db?mode=ro",
                "file:x",
            )
        ),
        ({"COUNTERSIGN_DATABASE_URL": "sqlite:///"}, "must name a file"),
        ({"COUNTERSIGN_DATABASE_URL": "sqlite:///:memory:"}, "must name a file"),
        *(
            (
                {"COUNTERSIGN_DATABASE_URL": f"postgresql://{place}"},
                "_URL: must be sqlite:///FILE, or postgresql://ROLE:PASSWORD@HOST",
            )
            for place in (
                "u:p@h:port/x",
                "u:hunter2@[::1/x",
                "u:p@h:5432x/x",
                "u:p@hunter2@h/x",
                "h:1:2/x",
                "u:p@h:54 32/x",
            )
        ),
        ({"COUNTERSIGN_DNS_SERVERS": "1.1.1.1"}, "COUNTERSIGN_DNS_SERVERS: must name two to five different servers"),
        ({"COUNTERSIGN_DNS_SERVERS": "dns.example.org, 1.1.1.1"}, "is no IP address"),
        ({"COUNTERSIGN_PROXIES": "yes"}, "COUNTERSIGN_PROXIES: must be the number of your own reverse proxies"),
        ({"COUNTERSIGN_PROXIES": "-1"}, "0 to 9"),
        ({"COUNTERSIGN_LOG_LEVEL": "loud"}, "COUNTERSIGN_LOG_LEVEL: must be one of debug, info, warning, error"),
        ({"COUNTERSIGN_METRICS_TOKEN": "short"}, "COUNTERSIGN_METRICS_TOKEN: must be at least 16"),
        ({"COUNTERSIGN_METRICS_TOKEN": "a long one with spaces"}, "without a space"),
        (
            {"OTEL_EXPORTER_OTLP_ENDPOINT": "otel:hunter2@collector"},
            "OTEL_EXPORTER_OTLP_ENDPOINT: must begin with http:// or https:// and name a host, with a port up to 65535 if any",
        ),
        ({"COUNTERSIGN_WHITELIST_REPOSITORY": "cann"}, "must be owner/name"),
        ({"COUNTERSIGN_RETENTION_YEARS": "0"}, "1 to 99"),
        ({"COUNTERSIGN_RETENTION_YEARS": "ten"}, "1 to 99"),
        ({"COUNTERSIGN_PROXIES": "10"}, "0 to 9"),
        ({"COUNTERSIGN_PROXIES": "²"}, "0 to 9"),
        ({"COUNTERSIGN_COLOR": "green"}, "COUNTERSIGN_COLOR: must be # and six digits"),
        ({"COUNTERSIGN_COLOR": "#12345g"}, "such as #17614f"),
        ({"COUNTERSIGN_NAME": "N" * 61}, "COUNTERSIGN_NAME: must be one line of at most 60 characters"),
        ({"COUNTERSIGN_NAME": "One\nTwo"}, "must be one line"),
        ({"COUNTERSIGN_CONTACT": "Ada <ada@example.org>"}, "COUNTERSIGN_CONTACT: must be an e-mail address"),
        ({"COUNTERSIGN_CONTACT": "javascript:alert(1)"}, "COUNTERSIGN_CONTACT: must be an e-mail address"),
        ({"COUNTERSIGN_CONTACT": "https://["}, "COUNTERSIGN_CONTACT: must be an e-mail address"),
        ({"COUNTERSIGN_IMPRINT_URL": "https://["}, "COUNTERSIGN_IMPRINT_URL: must be an https address"),
        ({"COUNTERSIGN_IMPRINT_URL": "example.org/imprint"}, "COUNTERSIGN_IMPRINT_URL: must be an https address"),
        ({"COUNTERSIGN_PRIVACY_URL": "javascript:alert(1)"}, "COUNTERSIGN_PRIVACY_URL: must be an https address"),
        ({"COUNTERSIGN_KEYS_FILE": "/nowhere/keys"}, "both set"),
        ({"COUNTERSIGN_KEYS": "", "COUNTERSIGN_KEYS_FILE": "/nowhere/keys"}, "cannot read /nowhere/keys"),
        ({"COUNTERSIGN_KEYS": "", "COUNTERSIGN_KEYS_FILE": "/dev/null"}, "_FILE: the file /dev/null is empty"),
        ({"COUNTERSIGN_ACCOUNTS": " , "}, "COUNTERSIGN_ACCOUNTS is not set"),
        ({"COUNTERSIGN_WEBHOOK_SECRET": ",,"}, "COUNTERSIGN_WEBHOOK_SECRET is not set"),
    ],
)
def test_a_wrong_value_is_named_once_with_its_remedy(change, words):
    with pytest.raises(SettingsInvalid) as caught:
        load({**WHOLE, **change}, serving=True)

    assert 1 == len(caught.value.problems)
    assert words in caught.value.problems[0]
    assert "hunter2" not in caught.value.problems[0]


def test_the_right_settings_are_kept_beside_the_problems():
    with pytest.raises(SettingsInvalid) as caught:
        load({**WHOLE, "COUNTERSIGN_URL": "nowhere", "COUNTERSIGN_APP_ID": "²"}, serving=True)

    rest = caught.value.rest
    assert (rest.url, rest.app_id, rest.keys.reveal(), rest.accounts) == ("", 0, "k1:AAAA", ("cann", "4711"))


@pytest.mark.parametrize(
    ("url", "file"),
    [
        ("", "countersign.db"),
        ("sqlite:///a folder/x#1%20.db", "a folder/x#1%20.db"),
        ("sqlite:////var/lib/x.db", "/var/lib/x.db"),
        ("sqlite:///file:x.db?uri=true", None),
        ("postgresql://ada:hunter2@host/x", None),
        ("postgres://ada:hun/ter%402@[::1]:5432?connect_timeout=1", None),
        ("postgresql://ada@/x?host=/run/postgresql", None),
        ("postgresql:///x", None),
        ("postgresql://host", None),
        ("postgresql://ada:hunter2@host/x?options=sqlite:///y", None),
    ],
)
def test_the_databases_place_is_a_path_for_sqlite_alone(url, file):
    assert load({"COUNTERSIGN_DATABASE_URL": url}).database_file == (None if file is None else Path(file))


def test_no_proxy_is_trusted_unless_it_is_counted():
    assert load(WHOLE, serving=True).proxies == 0
    assert load({**WHOLE, "COUNTERSIGN_PROXIES": " 2 "}, serving=True).proxies == 2
    assert load(WHOLE, serving=True).retention_years == 10
    assert load({**WHOLE, "COUNTERSIGN_RETENTION_YEARS": "7"}, serving=True).retention_years == 7


def test_two_public_dns_servers_are_asked_unless_others_are_named():
    assert load(WHOLE, serving=True).dns_servers == (Server("1.1.1.1"), Server("8.8.8.8"))
    chosen = load({**WHOLE, "COUNTERSIGN_DNS_SERVERS": "192.0.2.1:54,192.0.2.2"}, serving=True)
    assert chosen.dns_servers == (Server("192.0.2.1", 54), Server("192.0.2.2"))


def test_secrets_do_not_show():
    shown = repr(load(WHOLE, serving=True))

    assert not [word for word in ("hush-hush", "MIIE", "k1:AAAA", "'old'") if word in shown]


@pytest.mark.parametrize(("url", "host"), [
    ("", "github.com"), ("https://github.com/", "github.com"), ("https://GitHub.com:443", "github.com"), ("https://www.github.com", "github.com"),
    ("https://ghe.corp.example", "ghe.corp.example"), ("https://GHE.corp.example:8443/github/", "ghe.corp.example"), ("http://ghe.corp.example.", "ghe.corp.example"),
    ("https://acme.ghe.com", "acme.ghe.com"), ("http://127.0.0.1:3000", "127.0.0.1"), ("http://[::1]:3000/x", "[::1]"), ("http://git_hub:3000", "git_hub"),
])  # fmt: skip
def test_the_kind_of_server_follows_from_githubs_address(url, host):
    given = {"COUNTERSIGN_GITHUB_URL": url} if url else {}
    assert load({**given, "COUNTERSIGN_GITHUB_API_URL": "https://api.github.com"}).github_server.host == host
    assert server_of_clone(given).host == host
    assert server_of_clone({"GITHUB_SERVER_URL": url}).host == host


def test_the_setting_counts_before_the_workflows_server(tmp_path):
    there, file = {"GITHUB_SERVER_URL": "https://ghe.corp.example"}, tmp_path / "url"
    file.write_text("https://acme.ghe.com\n")
    assert server_of_clone({"COUNTERSIGN_GITHUB_URL": "https://github.com", **there}).is_github_com
    assert server_of_clone({"COUNTERSIGN_GITHUB_URL_FILE": str(file), **there}).host == "acme.ghe.com"
    assert server_of_clone({"GITHUB_SERVER_URL": " "}).is_github_com
    assert load(there).github_server == Settings().github_server


@pytest.mark.parametrize(("environ", "said"), [
    ({"GITHUB_SERVER_URL": "ghe.corp.example"}, "COUNTERSIGN_GITHUB_URL: must begin with http:// or https://"),
    ({"COUNTERSIGN_GITHUB_URL": "https://a b"}, "COUNTERSIGN_GITHUB_URL: must begin with http:// or https://"),
    ({"COUNTERSIGN_GITHUB_URL_FILE": "/nowhere", "GITHUB_SERVER_URL": "https://github.com"}, "COUNTERSIGN_GITHUB_URL_FILE: cannot read"),
])  # fmt: skip
def test_a_mistaken_address_is_no_other_server(environ, said):
    with pytest.raises(SettingsInvalid, match=said):
        server_of_clone(environ)


@pytest.mark.parametrize(("url", "api"), [
    ("", "https://api.github.com"), ("https://github.com/", "https://api.github.com"), ("https://www.github.com", "https://api.github.com"),
    ("https://octo.ghe.com", "https://api.octo.ghe.com"), ("https://ghe.corp.example/", "https://ghe.corp.example/api/v3"),
    ("https://ghe.corp.example:8443", "https://ghe.corp.example:8443/api/v3"), ("https://ghe.com.evil.example", "https://ghe.com.evil.example/api/v3"),
])  # fmt: skip
def test_the_api_follows_from_the_servers_own_address(url, api):
    """An Enterprise Server's keys must not go to github.com."""
    given = {"COUNTERSIGN_GITHUB_URL": url} if url else {}
    assert load(given).github_api_url == api
    assert (
        load({**given, "COUNTERSIGN_GITHUB_API_URL": "https://other.example/api/"}).github_api_url
        == "https://other.example/api"
    )


ONE_MORE = """
    motto: str = _setting(_must("[A-Z].*", "must begin with a capital letter"))(
        "A motto. Default: none."
    )
    name: str = _setting"""
ASKED = """
import importlib.util, json, sys
import bot
spec = importlib.util.spec_from_file_location("bot.settings", sys.argv[1])
sys.modules["bot.settings"] = bot.settings = settings = importlib.util.module_from_spec(spec)
spec.loader.exec_module(settings)
from click.testing import CliRunner
from bot.cli import root
from bot.doctor import setting_checks as doctor
from docs import generate
try:
    settings.load({"COUNTERSIGN_MOTTO": "small"})
except settings.SettingsInvalid as error:
    problems = error.problems
print(json.dumps({
    "read": settings.load({"COUNTERSIGN_MOTTO": "Build."}).motto,
    "unknown": settings.load({"COUNTERSIGN_MOTTO": "Build."}).unknown,
    "doctor": doctor.judge(settings.Settings(), problems)[0].message,
    "help": CliRunner().invoke(root, ["serve", "--help"]).output,
    "docs": list(generate.settings()),
}))
"""


@pytest.mark.slow
def test_a_setting_declares_itself(tmp_path):
    root = Path(__file__).parents[2]
    source = (root / "bot" / "settings.py").read_text(encoding="utf-8")
    copy = tmp_path / "settings.py"
    assert source.count("\n    name: str = _setting") == 1
    copy.write_text(source.replace("\n    name: str = _setting", ONE_MORE), encoding="utf-8")
    done = subprocess.run([sys.executable, "-c", ASKED, copy], cwd=root, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["read"], found["unknown"]) == ("Build.", [])
    assert found["doctor"] == "COUNTERSIGN_MOTTO: must begin with a capital letter."
    assert "COUNTERSIGN_MOTTO A motto. Default: none." in " ".join(found["help"].split())
    assert ["COUNTERSIGN_MOTTO", "A motto. Default: none."] in found["docs"]
