"""The operator's choices; the only reader of the environment."""

import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from email.utils import parseaddr
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import SplitResult
from zoneinfo import ZoneInfo

from agreements.domains.canonical_form import canonical_address
from agreements.github_server import LOGIN, GitHubServer, github_server
from bot import registries, time_zones
from bot.access.roles import NO_MEMBERS, RoleMembers
from bot.network import resolvers
from bot.network.addresses import address_parts
from bot.registries import Registries
from bot.secret import NO_SECRET, Secret
from bot.whitelist_target import WhitelistTarget

Read = Callable[[str], object]
"""Turns the text of a setting into its value. Raises ValueError with one clause for what cannot be right."""

_PREFIX = "COUNTERSIGN_"  # What begins so and is no setting is reported: it is misspelt, as a rule.
_MAX_NAME_CHARACTERS = 60
_LOG_LEVELS = ("debug", "info", "warning", "error")


class SettingsInvalid(Exception):
    """Settings are missing or wrong; `problems` names all of them at once, `rest` holds those that are right."""

    def __init__(self, problems: tuple[str, ...], rest: "Settings") -> None:
        self.problems = problems
        self.rest = rest
        super().__init__("\n".join(problems))


class Setting(NamedTuple):
    """A setting as `Settings` declares it: how to `read` the variable `name`, its `text`, and if it `is_needed`."""

    read: Read
    text: str  # "" for a variable of another program.
    name: str
    is_needed: bool  # `serve` does not start without it.


def _setting(read: Read, default: object = "", *, name: str = "", is_needed: bool = False) -> Callable[[str], Any]:
    """A field with the sentence about its setting. The variable is called as the field is, unless `name` is given."""
    return lambda text: field(default=default, metadata={"setting": Setting(read, text, name, is_needed)})


_needed = partial(_setting, is_needed=True)


def _must(holds: str | Callable[[str], object], wrong: str, read: Read = str) -> Read:
    """A reader for texts of that form, a pattern or a test; `wrong` is the clause about other texts."""
    is_right = re.compile(holds).fullmatch if isinstance(holds, str) else holds

    def checked(text: str) -> object:
        if not is_right(text):
            raise ValueError(wrong)
        return read(text)

    return checked


def _is_url(text: str, *schemes: str) -> bool:
    parts = address_parts(text)
    return parts.scheme in schemes and bool(parts.hostname)


def _is_page(text: str) -> bool:
    return _is_url(text, "https", "http") and text.isprintable() and " " not in text


def _is_contact(text: str) -> bool:
    # No display name: a link is made of it.
    return _is_page(text) or bool(parseaddr(text) == ("", text) and canonical_address(text))


def _is_sender(text: str) -> bool:
    return "@" in parseaddr(text)[1] and text.isprintable()


def _is_title(text: str) -> bool:
    return len(text) <= _MAX_NAME_CHARACTERS and text.isprintable()


def _many(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())  # Commas alone are as good as nothing.


def _are_accounts(text: str) -> bool:
    return all(map(re.compile(LOGIN).fullmatch, _many(text)))


def _address(*schemes: str, read: Read) -> Read:
    begin = " or ".join(f"{scheme}://" for scheme in schemes)
    wrong = f"must begin with {begin} and name a host, with a port up to 65535 if any"
    return _must(lambda text: _is_url(text, *schemes), wrong, read)


def _own_address(holds: Callable[[SplitResult], object] = bool, wrong: str = "") -> Read:
    """A reader for an address without a password, whose parts are as they must be."""
    read = _must(lambda text: holds(address_parts(text)), wrong, lambda text: text.rstrip("/"))
    # Links and log lines show it.
    read = _must(lambda text: "@" not in address_parts(text).netloc, "must not contain a user name or a password", read)
    return _address("http", "https", read=read)


_PEM_KEY = _must("(?s).*PRIVATE KEY-----.*", "not a PEM private key (it begins with -----BEGIN)", Secret)
_WEB_PAGE = _must(_is_page, "must be an https address, such as https://example.org/imprint")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All choices, checked, each declared once, with the sentence that people read. `serve` needs some of them."""

    url: str = _needed(
        _own_address(
            lambda parts: not (parts.path.strip("/") or parts.query or parts.fragment),
            "must have only a scheme and host, such as https://cla.example.org",
        )
    )("Public address of this server, with which links and callbacks begin.")
    database_url: str = _setting(
        _must(
            r"(?s)sqlite:///.*|postgres(ql)?://([^:/]*(:[^@]*)?@)?(\[[^/?@]+\]|[^/:?@\[\]]+)?(:[0-9]{0,5})?([/?].*)?",
            "must be sqlite:///FILE, or postgresql://ROLE:PASSWORD@HOST:5432/NAME with / ? # @ : in a password as %2F %3F %23 %40 %3A",
            # In memory, each connection would have a database of its own.
            _must(
                "(?s)(?!sqlite:///(:memory:)?$).*",
                "must name a file, such as sqlite:///countersign.db",
                # SQLite takes them of a `file:` address alone, and would write to a database that was named `?mode=ro`.
                _must(
                    "(?s)(?!sqlite:///).*|sqlite:///(file:.*[?&]uri=true.*|(?!file:)[^?]*)",
                    "must name the SQLite file by its path alone, as options such as ?mode=ro would be ignored",
                ),
            ),
        ),
        "sqlite:///countersign.db",
    )("Database. Default: `sqlite:///countersign.db`. For several processes use `postgresql://…`.")
    github_url: str = _setting(
        _own_address(
            lambda parts: re.fullmatch("[0-9a-z._:-]+", parts.hostname or ""),
            "must name its host in letters, digits, dots and hyphens, such as https://ghe.example.org",
        ),
        "https://github.com",
    )(
        "GitHub's web address, or that of your Enterprise Server or GHE.com. Default: `https://github.com`. See 'IP allow lists, SAML and Enterprise Server' in the documentation"
    )
    github_api_url: str = _setting(_own_address(), "https://api.github.com")(
        "GitHub's API. Default: that of COUNTERSIGN_GITHUB_URL, such as `https://api.github.com` or your Enterprise Server's `…/api/v3`."
    )
    app_id: int = _needed(_must("0*[1-9][0-9]*", "must be the App's number, as on its settings page", int), 0)(
        "The App's number."
    )
    private_key: Secret = _needed(_PEM_KEY, NO_SECRET)("The App's private key in PEM form.")
    webhook_secrets: tuple[Secret, ...] = _needed(
        lambda text: tuple(map(Secret, _many(text))), (), name="COUNTERSIGN_WEBHOOK_SECRET"
    )("The App's webhook secret. While you rotate it: several, separated by commas.")
    client_id: str = _needed(str)("The App's client id, for signing in.")
    client_secret: Secret = _needed(Secret, NO_SECRET)("The App's client secret.")
    keys: Secret = _needed(Secret, NO_SECRET)(
        "Key ring for personal data: `id:base64` on each line, the current key first. `countersign keys generate` makes one."
    )
    erasure_keys_file: Path | None = _setting(Path, None)(
        "File of erasure keys, kept apart from the database, so that older copies do not reveal an erased person's data. `serve` creates it. Default: none. See 'Erasure keys' in the documentation"
    )
    accounts: tuple[str, ...] = _needed(
        _must(_are_accounts, "must be logins or ids, separated by commas, such as cann, 4711", _many), ()
    )(
        "Organisations or persons' accounts that are served: logins or ids, separated by commas. Others are ignored. See 'Choose the organisations' in the documentation"
    )
    rulebook_path: Path | None = _setting(Path, None, name="COUNTERSIGN_RULEBOOK")(
        "The organisation's rulebook as a file. After a change and a restart, open pull requests are checked again. Default: `.github/countersign.yml` in the organisation's `.github` repository."
    )
    webhooks_path: Path | None = _setting(Path, None, name="COUNTERSIGN_WEBHOOKS")(
        "YAML file of servers that receive events. Default: none. See 'Outgoing webhooks' in the documentation"
    )
    administrators: RoleMembers = _setting(RoleMembers.parse, NO_MEMBERS, name="COUNTERSIGN_ADMIN_TEAM")(
        "Administrators: one `organisation/team` (members are cached for five minutes), or account ids separated by commas. Default: nobody. See 'Name administrators and auditors' in the documentation"
    )
    auditors: RoleMembers = _setting(RoleMembers.parse, NO_MEMBERS, name="COUNTERSIGN_AUDITOR_TEAM")(
        "Who can read everything, written like COUNTERSIGN_ADMIN_TEAM. Default: nobody."
    )
    smtp_url: Secret = _setting(_address("smtp", "smtps", read=Secret), NO_SECRET)(
        "Mail server: `smtp://user:password@host:587` (STARTTLS) or `smtps://user:password@host:465`. Default: e-mails are stored, but not sent. See 'Send mail' in the documentation"
    )
    mail_from: str = _setting(_must(_is_sender, "must be an address, such as Countersign <cla@example.org>"))(
        "Sender of e-mails, such as `Countersign <cla@example.org>`. Needed with COUNTERSIGN_SMTP_URL."
    )
    dns_servers: tuple[resolvers.Server, ...] = _setting(resolvers.parse, resolvers.USUAL)(
        "Recursive DNS servers that are asked about a company's domain: two to five IP addresses of different operators, separated by commas, on port 53 (UDP and TCP) unless one has its own. All must agree. Default: `1.1.1.1, 8.8.8.8`. If those cannot be reached: for example `223.5.5.5, 119.29.29.29` (Alibaba, Tencent)."
    )
    whitelist_target: WhitelistTarget | None = _setting(
        WhitelistTarget.parse, None, name="COUNTERSIGN_WHITELIST_REPOSITORY"
    )(
        "`owner/name` or `owner/name:folder` in which the public lists are committed every night. Default: nowhere. See 'Publish the public lists' in the documentation"
    )
    retention_years: int = _setting(_must("0*[1-9][0-9]?", "must be a number of years, 1 to 99", int), 10)(
        "Years for which an erased person's signed agreements are kept, from the decision or the withdrawal, whichever is later. Default: 10. See 'Erasure' in the documentation"
    )
    license_data: Path = _setting(Path, Path("countersign-license-data.json"))(
        "File of newer licence data, as `countersign license refresh` writes it. Default: `countersign-license-data.json` in the working directory."
    )
    registries: Registries = _setting(Registries.parse, registries.USUAL)(
        "Registries that are asked for licences: `none`, or `NAME=ADDRESS` and `NAME=none` separated by commas. NAME is one of `pypi`, `npm`, `crates`, `rubygems`, `packagist`, `hex`, `anaconda`, `maven`, `nuget`, `deps.dev`. ADDRESS is a mirror, which may have a user name and password in it. Default: the public registries. See 'Registries' in the documentation"
    )
    private_packages: tuple[str, ...] = _setting(_many, ())(
        "Packages about which no registry is ever asked, separated by commas: npm scopes (`@corp`), patterns (`corp-*`), hosts and groups (`git.corp.example`, `com.corp`). Default: none."
    )
    plugins: tuple[str, ...] = _setting(_many, ())(
        "Plugins that are loaded: names of installed Python distributions, separated by commas. They run with the server's rights, so name only what you trust. Default: none. See 'Write a plugin' in the documentation"
    )
    license_cache: Path = _setting(Path, Path("countersign-licenses.db"))(
        "File in which the commands keep answers of registries; the server keeps them in its database. Default: `countersign/licenses.db` in `$XDG_CACHE_HOME`, otherwise in `~/.cache`."
    )
    pdf_certificate: str = _setting(_must("(?s)(?!.*PRIVATE KEY).*", "must not contain a private key"))(
        "Certificate in PEM form, followed by its chain, that signs receipts as PDF (PAdES) and nothing else. Needs COUNTERSIGN_PDF_KEY and the extra `pades`. Default: the pages are not signed. See 'Sign receipts as PDF' in the documentation"
    )
    pdf_key: Secret = _setting(_PEM_KEY, NO_SECRET)("Its private key, as PEM without a password.")
    name: str = _setting(_must(_is_title, f"must be one line of at most {_MAX_NAME_CHARACTERS} characters"))(
        "Name at the top of every page, at most 60 characters. Default: Countersign."
    )
    logo: Path | None = _setting(Path, None)(
        "Your logo, SVG or PNG, at most 256 KB, shown 26 pixels high. Default: Countersign's."
    )
    color: str = _setting(
        _must("#[0-9a-fA-F]{6}", "must be # and six digits of 0-9 and a-f, such as #17614f", str.lower)
    )(
        "Your colour for buttons and links, such as `#17614f`, adjusted where it would be hard to read. Default: Countersign's."
    )
    contact: str = _setting(
        _must(_is_contact, "must be an e-mail address, such as cla@example.org, or an https address")
    )(
        "Who helps people with agreements: an e-mail or https address on every page. An e-mail address also receives the administrators' e-mails while no administrator has an address. Default: nobody."
    )
    imprint_url: str = _setting(_WEB_PAGE)("Your imprint, linked on every page. Default: none.")
    privacy_url: str = _setting(_WEB_PAGE)("Your privacy notice, linked on every page. Default: none.")
    time_zone: ZoneInfo = _setting(time_zones.parse, time_zones.parse(time_zones.UTC_NAME))(
        "Time zone of the times on pages, such as `Asia/Shanghai`, for people who have chosen none on `/me`. Checks, comments, e-mails and files stay in UTC. Default: `UTC`."
    )
    log_level: str = _setting(
        _must(f"(?i){'|'.join(_LOG_LEVELS)}", f"must be one of {', '.join(_LOG_LEVELS)}", str.lower), "info"
    )("Lowest level logged: `debug`, `info`, `warning`, `error`. Default: `info`. See 'Log lines' in the documentation")
    metrics_token: Secret = _setting(Secret.bearer_token, NO_SECRET)(
        "Bearer token for `/metrics`, at least 16 characters. Default: none; then private addresses can ask, not through a proxy. See 'Metrics and traces' in the documentation"
    )
    rehearsal_token: Secret = _setting(Secret.bearer_token, NO_SECRET)(
        "Your own GitHub token, for `countersign rehearse` alone. Default: the command asks for it. See 'Rehearse it' in the documentation"
    )
    proxies: int = _setting(_must("[0-9]", "must be the number of your own reverse proxies in a row, 0 to 9", int), 0)(
        "Number of your reverse proxies that a request passes. Default: 0, which ignores `X-Forwarded-*`. If too small, all visitors share the proxy's limits; if too large, anyone can forge an address. See 'Put a reverse proxy in front' in the documentation"
    )
    otlp_endpoint: str = _setting(_address("http", "https", read=str), name="OTEL_EXPORTER_OTLP_ENDPOINT")("")
    """OpenTelemetry's own name for where its collector is, in every program."""
    keys_file: Path | None = None
    """The file that `keys` were read from, if they were."""
    unknown: tuple[str, ...] = ()
    """Variables that look like settings and are none, a clause each: misspelt, as a rule, so that a default counts."""

    @property
    def github_server(self) -> GitHubServer:
        """The server that `github_url` names."""
        return github_server(address_parts(self.github_url).hostname or "")

    @property
    def database_file(self) -> Path | None:
        """The file of the SQLite database; None for PostgreSQL and for a `file:` address."""
        scheme, found, name = self.database_url.partition("sqlite:///")
        return Path(name) if found and not scheme and not name.startswith("file:") else None


SETTINGS: Mapping[str, Setting] = {  # By the name of its field.
    settings_field.name: declared._replace(name=declared.name or f"{_PREFIX}{settings_field.name.upper()}")
    for settings_field in fields(Settings)
    if (declared := settings_field.metadata.get("setting"))
}
# Each also exists as NAME_FILE, read from a mounted secret.
NAMES: Mapping[str, str] = {setting.name: setting.text for setting in SETTINGS.values() if setting.text}


def load(environ: Mapping[str, str] | None = None, *, serving: bool = False) -> Settings:
    """Read the settings; `serving` asks for everything that `serve` needs. Raises SettingsInvalid with all problems."""
    environ = os.environ if environ is None else environ  # noqa: TID251 - the only reader
    texts, unread, wrong = dict[str, str](), dict[str, str](), dict[str, str]()
    values: dict[str, Any] = {}
    for field_name, setting in SETTINGS.items():
        try:
            texts[setting.name] = text = _text(environ, setting.name)
            if text:
                values[field_name] = setting.read(text)
        except _Unread as error:
            unread[setting.name] = str(error)
        except ValueError as error:  # No reader repeats what may be a secret.
            wrong[setting.name] = str(error)
    if texts.get("COUNTERSIGN_SMTP_URL") and not texts.get("COUNTERSIGN_MAIL_FROM"):
        wrong["COUNTERSIGN_MAIL_FROM"] = "must be set when COUNTERSIGN_SMTP_URL is set"
    if not texts.get("COUNTERSIGN_GITHUB_API_URL"):
        web = Settings(github_url=texts.get("COUNTERSIGN_GITHUB_URL") or Settings().github_url)
        values["github_api_url"] = web.github_server.api_url(web.github_url).rstrip("/")
    if not texts.get("COUNTERSIGN_LICENSE_CACHE"):
        values["license_cache"] = Path(_cached(environ, "licenses.db"))
    told = {*unread, *wrong}  # These are not called missing, too.
    lacking = [
        setting
        for name, setting in SETTINGS.items()
        if setting.is_needed and not values.get(name) and setting.name not in told
    ]
    missing = [f"{setting.name} is not set: {setting.text}" for setting in lacking if serving]
    problems = (*unread.values(), *missing, *(f"{name}: {problem}" for name, problem in wrong.items()))
    settings = Settings(**values, keys_file=_file(environ, "COUNTERSIGN_KEYS"), unknown=tuple(_unknown(environ)))
    if problems:
        raise SettingsInvalid(problems, settings)
    return settings


def server_of_clone(environ: Mapping[str, str] | None = None) -> GitHubServer:
    """The GitHub server for commands without an App, by variables. Raises SettingsInvalid."""
    found = os.environ if environ is None else environ  # noqa: TID251 - the only reader
    # A workflow has GITHUB_SERVER_URL. The address of a remote says less: it may be a mirror's, or an alias of ssh.
    name = "COUNTERSIGN_GITHUB_URL"
    chosen = {variable: found[variable] for variable in (name, f"{name}_FILE") if found.get(variable, "").strip()}
    return load(chosen or {name: found.get("GITHUB_SERVER_URL", "")}).github_server


def for_child(values: Mapping[str, str]) -> dict[str, str]:
    """The environment for a process of ours: this one's without its own settings, and these."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(_PREFIX)}  # noqa: TID251 - the only reader
    return {**inherited, **values}  # Without ours: a child needs none of our secrets.


def _unknown(environ: Mapping[str, str]) -> Iterator[str]:
    known = [f"{name}{ending}" for name in NAMES for ending in ("", "_FILE")]
    # Kubernetes sets several variables for each Service: those of one called `countersign` begin as ours do.
    services = [name.removesuffix("SERVICE_HOST") for name in environ if name.endswith("_SERVICE_HOST")]
    linked = tuple(f"{service}{ending}" for service in services for ending in ("SERVICE_", "PORT"))
    for name in sorted(environ):
        if name.startswith(_PREFIX) and name not in known and environ[name].strip() and not name.startswith(linked):
            rest = name.removeprefix(_PREFIX)
            near = get_close_matches(rest, [variable.removeprefix(_PREFIX) for variable in known], n=1)
            yield f"{name} is not a setting" + (f"; did you mean {_PREFIX}{near[0]}?" if near else "")


class _Unread(ValueError):
    """The value of a setting could not be taken from the environment or its file."""


def _text(environ: Mapping[str, str], name: str) -> str:
    """The value of NAME, or of the file that NAME_FILE points at; "" where neither is set. Raises _Unread."""
    value, path = environ.get(name, "").strip(), _file(environ, name)
    if path is None:
        return value  # Compose files leave empty variables: these are not set.
    if value:  # One of them may be old: to choose would be a guess.
        raise _Unread(f"{name} and {name}_FILE are both set: remove one")
    try:
        text = path.read_text(encoding="utf-8").strip()  # Editors and `echo` end a file with a line end.
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
        raise _Unread(f"{name}_FILE: cannot read {path}: {why}") from None
    if not text:
        raise _Unread(f"{name}_FILE: the file {path} is empty")
    return text


def _file(environ: Mapping[str, str], name: str) -> Path | None:
    text = environ.get(f"{name}_FILE", "").strip()
    return Path(text) if text else None


def _cached(environ: Mapping[str, str], name: str) -> str:
    """A file of ours in the user's cache; in the working directory where the user has no home."""
    folder, home = (environ.get(variable, "") for variable in ("XDG_CACHE_HOME", "HOME"))
    # A relative XDG_CACHE_HOME is to be ignored (XDG Base Directory Specification).
    folder = folder if folder.startswith("/") else f"{home}/.cache" if home else ""
    return f"{folder}/countersign/{name}" if folder else f"countersign-{name}"
