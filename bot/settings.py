"""The operator's choices; the only reader of the environment."""

import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from email.utils import parseaddr
from pathlib import Path
from typing import Any

from agreements.domains.domains import canonical_address
from agreements.github_server import GitHubServer, github_server
from bot import bearer_token, registries
from bot.access.roles import NO_MEMBERS, RoleMembers
from bot.network import resolvers
from bot.network.addresses import address_parts
from bot.registries import Registries
from bot.whitelist_target import WhitelistTarget


class SettingsInvalid(Exception):
    """Settings are missing or wrong; `problems` names all of them at once, `rest` holds those that are right."""

    def __init__(self, problems: tuple[str, ...], rest: "Settings") -> None:
        self.problems = problems
        self.rest = rest
        super().__init__("\n".join(problems))


@dataclass(frozen=True, slots=True)
class Secret:
    """Text that must not appear in logs, errors or representations."""

    _text: str = field(repr=False)

    def reveal(self) -> str:
        """The secret itself."""
        return self._text

    def __bool__(self) -> bool:
        return bool(self._text)


NAMES: Mapping[str, str] = {
    "COUNTERSIGN_URL": "Public address of this server. Links and callbacks begin with it.",
    "COUNTERSIGN_DATABASE_URL": "Database. Default: `sqlite:///countersign.db`. For several processes use `postgresql://…`.",
    "COUNTERSIGN_GITHUB_URL": "GitHub's web address. Default: `https://github.com`. For GitHub Enterprise Server or GHE.com: the address of your server; GitHub's own e-mail addresses follow from its host. See docs/decisions/github-server.md",
    "COUNTERSIGN_GITHUB_API_URL": "GitHub's API. Default: that of the server at COUNTERSIGN_GITHUB_URL: `https://api.github.com`, `https://api.SUBDOMAIN.ghe.com`, or your Enterprise Server's `…/api/v3`.",
    "COUNTERSIGN_APP_ID": "The App's number.",
    "COUNTERSIGN_PRIVATE_KEY": "The App's private key in PEM form.",
    "COUNTERSIGN_WEBHOOK_SECRET": "The App's webhook secret. While you rotate it: several, separated by commas.",
    "COUNTERSIGN_CLIENT_ID": "The App's client id, for signing in.",
    "COUNTERSIGN_CLIENT_SECRET": "The App's client secret.",
    "COUNTERSIGN_KEYS": "Key ring for personal data: `id:base64` on each line, the current key first. `countersign keys generate` makes one.",
    "COUNTERSIGN_ERASURE_KEYS_FILE": "File of erasure keys, one for each person, kept apart from the database. `serve` creates it. With it, an erased person's data cannot be read from older copies of the database either. Default: none. See docs/explanation/privacy.md#erasure-keys",
    "COUNTERSIGN_ACCOUNTS": "Organisations (or persons' accounts) that are served: logins or ids, separated by commas. Installations elsewhere are ignored. See docs/how-to/operating.md#choose-the-organisations",
    "COUNTERSIGN_RULEBOOK": "The organisation's rulebook as a file. If it changed before a start, open pull requests are checked again. Default: `.github/countersign.yml` in the organisation's `.github` repository.",
    "COUNTERSIGN_WEBHOOKS": "YAML file that lists servers which receive events. Default: none. See docs/reference/outgoing-webhooks.md",
    "COUNTERSIGN_ADMIN_TEAM": "Administrators: one `organisation/team`, or account ids separated by commas. Team members are cached for five minutes. Default: nobody. See docs/how-to/operating.md#name-administrators-and-auditors",
    "COUNTERSIGN_AUDITOR_TEAM": "Who can read everything and change nothing. Written like COUNTERSIGN_ADMIN_TEAM. Default: nobody.",
    "COUNTERSIGN_SMTP_URL": "Mail server: `smtp://user:password@host:587` (STARTTLS) or `smtps://user:password@host:465`. Default: e-mails are stored, but not sent. See docs/how-to/mail.md",
    "COUNTERSIGN_MAIL_FROM": "Sender of e-mails, such as `Countersign <cla@example.org>`. Needed with COUNTERSIGN_SMTP_URL.",
    "COUNTERSIGN_DNS_SERVERS": "Recursive DNS servers that are asked about a company's domain: two to five IP addresses of different operators, each with or without a port, separated by commas. All must agree. They are reached on port 53, UDP and TCP. Default: `1.1.1.1, 8.8.8.8` (Cloudflare, Google). Where those cannot be reached: for example `223.5.5.5, 119.29.29.29` (Alibaba, Tencent).",
    "COUNTERSIGN_WHITELIST_REPOSITORY": "`owner/name` or `owner/name:folder`. The public lists are committed there every night. Default: nowhere. See docs/how-to/operating.md#publish-the-public-lists",
    "COUNTERSIGN_RETENTION_YEARS": "For how many years the signed agreements of an erased person are kept after the decision or the withdrawal, whichever is later. Then their key is destroyed. Default: 10. See docs/explanation/privacy.md",
    "COUNTERSIGN_LICENSE_DATA": "File for newer licence data: `countersign license refresh` writes it and the commands read it. The newer of this file and the built-in data counts. Default: `countersign-license-data.json` in the working directory.",
    "COUNTERSIGN_REGISTRIES": "Package registries that are asked for licences: `none`, or `NAME=ADDRESS` and `NAME=none` separated by commas. NAME is one of `pypi`, `npm`, `crates`, `rubygems`, `packagist`, `hex`, `anaconda`, `maven`, `nuget`, `deps.dev`. An address can be your mirror with the same interface, with a user name and password in it. Default: the public registries. See docs/reference/registries.md",
    "COUNTERSIGN_PRIVATE_PACKAGES": "Names of packages about which no registry is ever asked, separated by commas: npm scopes (`@corp`), prefixes (`corp-*`), hosts and groups (`git.corp.example`, `com.corp`). `*` and `?` match as in a shell. Default: none.",
    "COUNTERSIGN_LICENSE_CACHE": "File in which the commands remember the answers of registries. The server remembers them in its database. Default: `countersign/licenses.db` in `$XDG_CACHE_HOME`, otherwise in `~/.cache`.",
    "COUNTERSIGN_NAME": "Name of your organisation or community, at the top of every page. At most 60 characters. Default: Countersign.",
    "COUNTERSIGN_LOGO": "Your logo as an SVG or PNG file, at most 256 KB. It is shown 26 pixels high. Default: Countersign's.",
    "COUNTERSIGN_COLOR": "Your colour for buttons and links, such as `#17614f`. It is darkened or lightened where text in it would be hard to read. Default: Countersign's.",
    "COUNTERSIGN_CONTACT": "Who helps people with agreements: an e-mail address or an https address. Every page links to it, and error pages show it. An e-mail address also receives the administrators' e-mails as long as no administrator has an address. Default: nobody.",
    "COUNTERSIGN_IMPRINT_URL": "Your imprint. Every page links to it. Default: none.",
    "COUNTERSIGN_PRIVACY_URL": "Your privacy notice. Every page links to it. Default: none.",
    "COUNTERSIGN_LOG_LEVEL": "Lowest level that is logged: `debug`, `info`, `warning` or `error`. Default: `info`. See docs/reference/logs.md",
    "COUNTERSIGN_METRICS_TOKEN": "Bearer token that a request for `/metrics` must have, at least 16 characters. Default: none; then private addresses can ask, directly and not through a proxy. See docs/reference/metrics.md",
    "COUNTERSIGN_REHEARSAL_TOKEN": "Your own GitHub token, for `countersign rehearse` alone. The server does not use it. Default: the command asks for it. See docs/how-to/set-up.md#rehearse-it",
    "COUNTERSIGN_PROXIES": "How many of your reverse proxies a request passes. Default: 0; then `X-Forwarded-*` is ignored. Too small a number makes all visitors share the proxy's limits; too large a number lets anyone forge an address. See docs/how-to/proxy.md",
}
"""Every setting and what it means, for `serve --help` and docs/reference/settings.md; each also exists as NAME_FILE, read from a mounted secret."""

_NEEDED = (
    "COUNTERSIGN_URL",
    "COUNTERSIGN_ACCOUNTS",
    "COUNTERSIGN_APP_ID",
    "COUNTERSIGN_PRIVATE_KEY",
    "COUNTERSIGN_WEBHOOK_SECRET",
    "COUNTERSIGN_CLIENT_ID",
    "COUNTERSIGN_CLIENT_SECRET",
    "COUNTERSIGN_KEYS",
)
_PREFIX = "COUNTERSIGN_"
_MAX_NAME_CHARACTERS = 60
OTLP_ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT"
"""OpenTelemetry's own name for where its collector is, in every program."""
LOG_LEVELS = ("debug", "info", "warning", "error")
_AS_WRITTEN = ("client_id", "mail_from", "name", "contact", "imprint_url", "privacy_url")
_LISTS = ("COUNTERSIGN_ACCOUNTS", "COUNTERSIGN_WEBHOOK_SECRET")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All choices, checked. What was not set is empty; `serve` needs everything in its list."""

    url: str = ""
    database_url: str = "sqlite:///countersign.db"
    github_url: str = "https://github.com"
    github_api_url: str = "https://api.github.com"
    app_id: int = 0
    private_key: Secret = Secret("")
    webhook_secrets: tuple[Secret, ...] = ()
    client_id: str = ""
    client_secret: Secret = Secret("")
    keys: Secret = Secret("")
    keys_file: Path | None = None
    erasure_keys_file: Path | None = None
    accounts: tuple[str, ...] = ()
    rulebook_path: Path | None = None
    webhooks_path: Path | None = None
    administrators: RoleMembers = NO_MEMBERS
    auditors: RoleMembers = NO_MEMBERS
    smtp_url: Secret = Secret("")
    mail_from: str = ""
    dns_servers: tuple[resolvers.Server, ...] = resolvers.USUAL
    whitelist_target: WhitelistTarget | None = None
    retention_years: int = 10
    license_data: Path = Path("countersign-license-data.json")
    registries: Registries = registries.USUAL
    private_packages: tuple[str, ...] = ()
    license_cache: Path = Path("countersign-licenses.db")
    name: str = ""
    logo: Path | None = None
    color: str = ""
    contact: str = ""
    imprint_url: str = ""
    privacy_url: str = ""
    log_level: str = "info"
    otlp_endpoint: str = ""
    metrics_token: Secret = Secret("")
    rehearsal_token: Secret = Secret("")
    proxies: int = 0
    unknown: tuple[str, ...] = ()
    """Variables that look like settings and are none, a clause each: misspelt, as a rule, so that a default counts."""

    @property
    def github_server(self) -> GitHubServer:
        """The server that `github_url` names."""
        return github_server(address_parts(self.github_url).hostname or "")

    @property
    def database_file(self) -> Path | None:
        """Where the SQLite database is; None for PostgreSQL and for a `file:` address."""
        scheme, found, name = self.database_url.partition("sqlite:///")
        name = name.partition("?")[0]
        return Path(name) if found and not scheme and not name.startswith("file:") else None


def load(environ: Mapping[str, str] | None = None, *, serving: bool = False) -> Settings:
    """Read the settings; `serving` asks for everything that `serve` needs. Raises SettingsInvalid with all problems."""
    reader = _SettingsReader(os.environ if environ is None else environ)  # noqa: TID251 - the only reader
    values = {name: reader.value(name) for name in (*NAMES, OTLP_ENDPOINT)}
    values |= {name: ",".join(_many(values[name])) for name in _LISTS}  # commas alone are as good as nothing
    values["COUNTERSIGN_LICENSE_CACHE"] = values["COUNTERSIGN_LICENSE_CACHE"] or reader.cached("licenses.db")
    wrong = dict(_wrong(values))
    problems = list(reader.problems.values())
    if serving:
        problems += [
            f"{name} is not set: {NAMES[name]}" for name in _NEEDED if not values[name] and name not in reader.problems
        ]
    problems += [f"{name}: {problem}" for name, problem in wrong.items()]
    web = Settings(github_url=values["COUNTERSIGN_GITHUB_URL"] or Settings().github_url)
    values["COUNTERSIGN_GITHUB_API_URL"] = values["COUNTERSIGN_GITHUB_API_URL"] or web.github_server.api_url(
        web.github_url
    )
    usable = {name: "" if name in wrong else value for name, value in values.items()}
    settings = replace(_build(reader.path("COUNTERSIGN_KEYS"), usable), unknown=tuple(_unknown(reader.environ)))
    if problems:
        raise SettingsInvalid(tuple(problems), settings)
    return settings


def server_of_clone(environ: Mapping[str, str] | None = None) -> GitHubServer:
    """The GitHub server for commands without an App: COUNTERSIGN_GITHUB_URL's, else GITHUB_SERVER_URL's of a workflow.

    The address of a remote says less: it may be a mirror's, or an alias of ssh. Raises SettingsInvalid.
    """
    found = os.environ if environ is None else environ  # noqa: TID251 - the only reader
    name = "COUNTERSIGN_GITHUB_URL"
    chosen = {one: found[one] for one in (name, f"{name}_FILE") if found.get(one, "").strip()}
    return load(chosen or {name: found.get("GITHUB_SERVER_URL", "")}).github_server


def for_child(values: Mapping[str, str]) -> dict[str, str]:
    """The environment for a process of ours: this one's without its own settings, and these."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(_PREFIX)}  # noqa: TID251 - the only reader
    return {**inherited, **values}


def _unknown(environ: Mapping[str, str]) -> Iterator[str]:
    """What begins as our settings do and is none of them; but for what is empty, and what Kubernetes sets for a Service."""
    known = [f"{name}{ending}" for name in NAMES for ending in ("", "_FILE")]
    services = [name.removesuffix("SERVICE_HOST") for name in environ if name.endswith("_SERVICE_HOST")]
    linked = tuple(f"{service}{ending}" for service in services for ending in ("SERVICE_", "PORT"))
    for name in sorted(environ):
        if name.startswith(_PREFIX) and name not in known and environ[name].strip() and not name.startswith(linked):
            rest = name.removeprefix(_PREFIX)
            near = get_close_matches(rest, [one.removeprefix(_PREFIX) for one in known], n=1)
            yield f"{name} is not a setting" + (f"; did you mean {_PREFIX}{near[0]}?" if near else "")


class _SettingsReader:
    """Takes a value from NAME or from the file that NAME_FILE points at."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self.environ = environ
        self.problems: dict[str, str] = {}

    def path(self, name: str) -> Path | None:
        """The file that NAME_FILE points at, if it does."""
        return _path(self.environ.get(f"{name}_FILE", "").strip())

    def cached(self, name: str) -> str:
        """A file of ours in the user's cache; in the working directory where the user has no home."""
        folder, home = (self.environ.get(name, "") for name in ("XDG_CACHE_HOME", "HOME"))
        folder = folder if folder.startswith("/") else f"{home}/.cache" if home else ""
        return f"{folder}/countersign/{name}" if folder else f"countersign-{name}"

    def value(self, name: str) -> str:
        path = self.path(name)
        if path is None:
            return self.environ.get(name, "").strip()
        if self.environ.get(name, "").strip():
            return self._bad(name, f"{name} and {name}_FILE are both set: remove one")
        try:
            text = path.read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            why = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
            return self._bad(name, f"{name}_FILE: cannot read {path}: {why}")
        return text or self._bad(name, f"{name}_FILE: the file {path} is empty")

    def _bad(self, name: str, problem: str) -> str:
        self.problems[name] = problem
        return ""


_PARSERS: Mapping[str, Callable[[str], object]] = {
    "COUNTERSIGN_ADMIN_TEAM": RoleMembers.parse,
    "COUNTERSIGN_AUDITOR_TEAM": RoleMembers.parse,
    "COUNTERSIGN_DNS_SERVERS": resolvers.parse,
    "COUNTERSIGN_WHITELIST_REPOSITORY": WhitelistTarget.parse,
    "COUNTERSIGN_REGISTRIES": Registries.parse,
    "COUNTERSIGN_METRICS_TOKEN": bearer_token.parse,
    "COUNTERSIGN_REHEARSAL_TOKEN": bearer_token.parse,
}
"""What reads a setting that has a form of its own; each raises ValueError with one clause."""

_ACCOUNT = re.compile("[0-9A-Za-z][0-9A-Za-z_-]*")


def _wrong(values: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """What is set but cannot be right: the setting's name, and why."""
    yield from _wrong_addresses(values)
    if not all(_ACCOUNT.fullmatch(part) for part in _many(values["COUNTERSIGN_ACCOUNTS"])):
        yield "COUNTERSIGN_ACCOUNTS", "must be logins or ids, separated by commas, such as cann, 4711"
    number = values["COUNTERSIGN_APP_ID"]
    if number and not (_is_number(number) and number.strip("0")):
        yield "COUNTERSIGN_APP_ID", "must be the App's number, as on its settings page"
    if values["COUNTERSIGN_PRIVATE_KEY"] and "PRIVATE KEY-----" not in values["COUNTERSIGN_PRIVATE_KEY"]:
        yield "COUNTERSIGN_PRIVATE_KEY", "not a PEM private key (it begins with -----BEGIN)"
    for name, parse in _PARSERS.items():
        try:
            parse(values[name])
        except ValueError as error:
            yield name, str(error)
    yield from _wrong_mail(values)
    yield from _wrong_numbers(values)
    yield from _wrong_branding(values)
    yield from _wrong_telemetry(values)
    database = values["COUNTERSIGN_DATABASE_URL"]
    if database and not database.startswith(("sqlite:///", "postgresql://", "postgres://")):
        yield "COUNTERSIGN_DATABASE_URL", "must begin with sqlite:/// or postgresql://"
    elif database in ("sqlite:///", "sqlite:///:memory:"):
        yield "COUNTERSIGN_DATABASE_URL", "must name a file, such as sqlite:///countersign.db"


def _wrong_addresses(values: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for name in ("COUNTERSIGN_URL", "COUNTERSIGN_GITHUB_URL", "COUNTERSIGN_GITHUB_API_URL", OTLP_ENDPOINT):
        if not values[name]:
            continue
        address = address_parts(values[name])
        if address.scheme not in ("http", "https") or not address.hostname:
            yield name, "must begin with http:// or https:// and name a host, with a port up to 65535 if any"
        elif name != OTLP_ENDPOINT and "@" in address.netloc:
            yield name, "must not contain a user name or a password"
        elif name == "COUNTERSIGN_GITHUB_URL" and not re.fullmatch("[0-9a-z._:-]+", address.hostname):
            yield name, "must name its host in letters, digits, dots and hyphens, such as https://ghe.example.org"
        elif name == "COUNTERSIGN_URL" and (address.path.strip("/") or address.query or address.fragment):
            yield name, "must have only a scheme and host, such as https://cla.example.org"


def _wrong_numbers(values: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    years = values["COUNTERSIGN_RETENTION_YEARS"]
    if years and not (_is_number(years) and 1 <= int(years) <= 99):
        yield "COUNTERSIGN_RETENTION_YEARS", "must be a number of years, 1 to 99"
    proxies = values["COUNTERSIGN_PROXIES"]
    if proxies and not (_is_number(proxies) and len(proxies) == 1):
        yield "COUNTERSIGN_PROXIES", "must be the number of your own reverse proxies in a row, 0 to 9"


def _wrong_branding(values: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    if values["COUNTERSIGN_COLOR"] and not re.fullmatch("#[0-9a-fA-F]{6}", values["COUNTERSIGN_COLOR"]):
        yield "COUNTERSIGN_COLOR", "must be # and six digits of 0-9 and a-f, such as #17614f"
    if len(values["COUNTERSIGN_NAME"]) > _MAX_NAME_CHARACTERS or not values["COUNTERSIGN_NAME"].isprintable():
        yield "COUNTERSIGN_NAME", f"must be one line of at most {_MAX_NAME_CHARACTERS} characters"
    for name in ("COUNTERSIGN_IMPRINT_URL", "COUNTERSIGN_PRIVACY_URL"):
        if values[name] and not _is_page(values[name]):
            yield name, "must be an https address, such as https://example.org/imprint"
    contact = values["COUNTERSIGN_CONTACT"]
    if contact and not (_is_page(contact) or (parseaddr(contact) == ("", contact) and canonical_address(contact))):
        yield "COUNTERSIGN_CONTACT", "must be an e-mail address, such as cla@example.org, or an https address"


def _is_page(text: str) -> bool:
    address = address_parts(text)
    return address.scheme in ("https", "http") and bool(address.hostname) and text.isprintable() and " " not in text


def _wrong_telemetry(values: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    level = values["COUNTERSIGN_LOG_LEVEL"]
    if level and level.lower() not in LOG_LEVELS:
        yield "COUNTERSIGN_LOG_LEVEL", f"must be one of {', '.join(LOG_LEVELS)}"


def _wrong_mail(values: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    address = address_parts(values["COUNTERSIGN_SMTP_URL"])
    if values["COUNTERSIGN_SMTP_URL"] and (address.scheme not in ("smtp", "smtps") or not address.hostname):
        yield (
            "COUNTERSIGN_SMTP_URL",
            "must begin with smtp:// or smtps:// and name a host, with a port up to 65535 if any",
        )
    sender = values["COUNTERSIGN_MAIL_FROM"]
    if sender and ("@" not in parseaddr(sender)[1] or not sender.isprintable()):
        yield "COUNTERSIGN_MAIL_FROM", "must be an address, such as Countersign <cla@example.org>"
    if values["COUNTERSIGN_SMTP_URL"] and not sender:
        yield "COUNTERSIGN_MAIL_FROM", "must be set when COUNTERSIGN_SMTP_URL is set"


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal()


def _many(text: str) -> tuple[str, ...]:
    """The parts of a list that commas separate."""
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _path(text: str) -> Path | None:
    return Path(text) if text else None


def _build(keys_file: Path | None, values: Mapping[str, str]) -> Settings:
    fallback = Settings()
    as_written: dict[str, Any] = {name: values[_PREFIX + name.upper()] for name in _AS_WRITTEN}
    return Settings(
        **as_written,
        url=values["COUNTERSIGN_URL"].rstrip("/"),
        database_url=values["COUNTERSIGN_DATABASE_URL"] or fallback.database_url,
        github_url=(values["COUNTERSIGN_GITHUB_URL"] or fallback.github_url).rstrip("/"),
        github_api_url=(values["COUNTERSIGN_GITHUB_API_URL"] or fallback.github_api_url).rstrip("/"),
        app_id=int(values["COUNTERSIGN_APP_ID"] or 0),
        private_key=Secret(values["COUNTERSIGN_PRIVATE_KEY"]),
        webhook_secrets=tuple(Secret(part) for part in _many(values["COUNTERSIGN_WEBHOOK_SECRET"])),
        client_secret=Secret(values["COUNTERSIGN_CLIENT_SECRET"]),
        keys=Secret(values["COUNTERSIGN_KEYS"]),
        keys_file=keys_file,
        erasure_keys_file=_path(values["COUNTERSIGN_ERASURE_KEYS_FILE"]),
        accounts=_many(values["COUNTERSIGN_ACCOUNTS"]),
        rulebook_path=_path(values["COUNTERSIGN_RULEBOOK"]),
        webhooks_path=_path(values["COUNTERSIGN_WEBHOOKS"]),
        administrators=RoleMembers.parse(values["COUNTERSIGN_ADMIN_TEAM"]),
        auditors=RoleMembers.parse(values["COUNTERSIGN_AUDITOR_TEAM"]),
        smtp_url=Secret(values["COUNTERSIGN_SMTP_URL"]),
        dns_servers=resolvers.parse(values["COUNTERSIGN_DNS_SERVERS"]),
        whitelist_target=WhitelistTarget.parse(values["COUNTERSIGN_WHITELIST_REPOSITORY"]),
        retention_years=int(values["COUNTERSIGN_RETENTION_YEARS"] or fallback.retention_years),
        license_data=_path(values["COUNTERSIGN_LICENSE_DATA"]) or fallback.license_data,
        registries=Registries.parse(values["COUNTERSIGN_REGISTRIES"]),
        private_packages=_many(values["COUNTERSIGN_PRIVATE_PACKAGES"]),
        license_cache=Path(values["COUNTERSIGN_LICENSE_CACHE"]),
        logo=_path(values["COUNTERSIGN_LOGO"]),
        color=values["COUNTERSIGN_COLOR"].lower(),
        log_level=values["COUNTERSIGN_LOG_LEVEL"].lower() or fallback.log_level,
        otlp_endpoint=values[OTLP_ENDPOINT],
        metrics_token=Secret(values["COUNTERSIGN_METRICS_TOKEN"]),
        rehearsal_token=Secret(values["COUNTERSIGN_REHEARSAL_TOKEN"]),
        proxies=int(values["COUNTERSIGN_PROXIES"] or 0),
    )
