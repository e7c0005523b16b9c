"""The running server: it answers at its public address and on this machine, belongs to this database, and is ready."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final, Literal

from sqlalchemy.exc import SQLAlchemyError

from bot.db import Sessions
from bot.doctor import probe, webhook
from bot.doctor.doctor_report import DATABASE_FIRST, TRY_AGAIN, DoctorCheck, DoctorResult, sentence
from bot.doctor.probe import NoServer
from bot.settings import Settings
from bot.store import keyring_holders

PUBLIC: Final = DoctorCheck("server.public", "critical")
LOCAL: Final = DoctorCheck("server.local", "high")
READY: Final = DoctorCheck("server.ready", "critical")
WARNINGS: Final = DoctorCheck("server.warnings", "medium")
CHECKS: Final = (PUBLIC, LOCAL, READY, WARNINGS)

_START: Final = (
    "Start it: `countersign serve`, or the service or container that runs it, and see its log. "
    "If it runs here with another host or port, give doctor the same: --host, --port."
)
_ANOTHER: Final = (
    "Point the address (DNS record, proxy, COUNTERSIGN_URL) at the server of this database, and stop the other one if it is an old one "
    "(see 'Two servers on one organisation' in the documentation)."
)
_FROM_HERE: Final = "Run `countersign doctor` on a machine that reaches the public address: GitHub's newest webhook was accepted there, so GitHub does."


@dataclass(frozen=True, slots=True)
class ListenAddress:
    """The `host` and `port` where `serve` was told to listen on this machine."""

    host: str = "127.0.0.1"
    port: int = 8080

    @property
    def address(self) -> str:
        """The address for a client: what listens everywhere is asked on loopback."""
        host = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}.get(self.host, self.host)  # noqa: S104 - read, not listened on
        return f"http://[{host}]:{self.port}" if ":" in host else f"http://{host}:{self.port}"


@dataclass(frozen=True, slots=True)
class _Found:
    """The server that answers at `address`: `who` it is and, unless it is ours, `why` not and the `remedy`.

    `is_reached`: something answered. `is_local`: this machine was asked, past any proxy.
    """

    address: str
    who: Literal["ours", "another", "unknown", "none"]
    why: str = ""
    remedy: str = ""
    is_reached: bool = True
    is_local: bool = False


def judge(settings: Settings, place: ListenAddress, sessions: Sessions | None) -> Iterator[DoctorResult]:
    """`sessions` is None where the database cannot be used: then no server can be told from another deployment's."""
    local = _found(place.address, sessions, is_local=True)
    public = _found(settings.url, sessions) if settings.url else None
    yield _public(settings, public)
    yield _local(local, public)
    yield from _ready(
        next(
            (server for who in ("ours", "unknown") for server in (public, local) if server and server.who == who), None
        )
    )


def from_here(results: Iterable[DoctorResult]) -> list[DoctorResult]:
    """The results; a public address that cannot be reached from here, but from GitHub, is not known to be wrong."""
    found = list(results)
    met = {result.id for result in found if result.status == "pass"}
    # Some networks do not lead their own public address back inside.
    reaches = {LOCAL.id, webhook.ADDRESS.id, webhook.ANSWERED.id} <= met
    return [
        PUBLIC.unknown(result.message, _FROM_HERE)
        if reaches and result.id == PUBLIC.id and result.status == "fail" and result.remedy == probe.REACH
        else result
        for result in found
    ]


def _found(address: str, sessions: Sessions | None, *, is_local: bool = False) -> _Found:
    found = _Found(address, "none", is_local=is_local)
    try:
        process = probe.process_at(address, is_local=is_local)
    except NoServer as error:
        return replace(found, why=str(error), remedy=error.remedy, is_reached=error.is_reached)
    if sessions is None:
        why = f"Countersign answers at {address}. Whether it is this deployment is not known: the database could not be read."
        return replace(found, who="unknown", why=why, remedy=DATABASE_FIRST)
    if not process:
        why = f"Countersign answers at {address}, but does not say which deployment it is: it waits for its database, or is an older release."
        return replace(
            found, who="unknown", why=why, remedy="See what server.ready says, and upgrade the server to this release."
        )
    try:
        with sessions() as session:
            is_ours = keyring_holders.is_known(session, process)
    except SQLAlchemyError:
        return replace(
            found, who="unknown", why=f"The database did not say whose server answers at {address}.", remedy=TRY_AGAIN
        )
    if is_ours:
        return replace(found, who="ours")
    why = f"Another deployment of Countersign answers at {address}: its server does not use this database."
    return replace(found, who="another", why=why, remedy=_ANOTHER)


def _public(settings: Settings, found: _Found | None) -> DoctorResult:
    if found is None:
        return PUBLIC.unknown("COUNTERSIGN_URL is not set.", "Set it to the public address of this server.")
    if found.who == "ours":
        return PUBLIC.passed(f"This deployment answers at {found.address}.")
    if found.who == "unknown":
        return PUBLIC.unknown(found.why, found.remedy)
    is_public_github = not settings.github_server.is_enterprise_server  # An Enterprise Server may reach it.
    if is_public_github and not found.is_reached and (private := probe.private_addresses(found.address)):
        return PUBLIC.failed(
            f"{found.why} It has the private address {', '.join(private)}, which GitHub cannot reach.",
            "Give the host a public address in the DNS (see 'Put a reverse proxy in front' in the documentation), or correct COUNTERSIGN_URL.",
        )
    return PUBLIC.failed(found.why, found.remedy)


def _local(found: _Found, public: _Found | None) -> DoctorResult:
    if found.who == "ours":
        return LOCAL.passed(f"This deployment's server answers on this machine, at {found.address}.")
    if found.who == "unknown":
        return LOCAL.unknown(found.why, found.remedy)
    if public is not None and public.who in ("ours", "unknown"):
        return LOCAL.not_applicable(
            f"The server is not at {found.address} on this machine: the public address answers."
        )
    if found.who == "another" or found.is_reached:
        remedy = f"Stop what listens there, or start the server at another port (`countersign serve --port`) and give doctor the same. {_START}"
        return LOCAL.failed(found.why, remedy)
    return LOCAL.failed(f"No server answers at {found.address} on this machine.", _START)


def _ready(found: _Found | None) -> Iterator[DoctorResult]:
    if found is None:
        said = "Not checked: no server of this deployment answered."
        yield from (check.unknown(said, _START) for check in (READY, WARNINGS))
        return
    try:
        answer = probe.readiness(found.address, is_local=found.is_local)
    except NoServer as error:
        yield READY.failed(f"/readyz is not answered: {error}", error.remedy)
        yield WARNINGS.unknown("Not checked: /readyz is not answered.", error.remedy)
        return
    if answer.why:
        yield READY.failed(
            sentence(f"the server at {found.address} is not ready: {answer.why}"),
            "Correct what it says here and in its log. Items of this report that fail for the same reason say how.",
        )
    else:
        yield READY.passed(f"The server at {found.address} is ready.")
    if answer.warnings:
        yield WARNINGS.failed(
            f"The server warns: {'; '.join(answer.warnings)}.",
            "Correct what it names; other items of this report say how. A warning disappears by itself within ten minutes after that.",
        )
    else:
        yield WARNINGS.passed("The server has no warnings.")
