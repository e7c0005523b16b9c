"""Asks an address whether a server of Countersign answers there; each other outcome has its own word and remedy."""

import json
import socket
import ssl
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final

import requests
from requests.utils import get_environ_proxies
from urllib3.exceptions import HTTPError

from agreements.domains.masking import visible
from bot.network.addresses import address_parts, is_public

_TIMEOUT_SECONDS: Final = 3.0  # To connect, and for each part of an answer.
_MAX_READ: Final = 65_536  # Bytes of an answer: any server may answer there.
MAX_SAID: Final = 300  # Characters of a server's words that are shown.

REACH: Final = "Correct COUNTERSIGN_URL, the DNS record or the firewall, and have a proxy pass all paths to the server (see 'Put a reverse proxy in front' in the documentation)."
_CERTIFY: Final = (
    "Install a certificate for this host that is valid today, with its whole chain, from an authority that GitHub trusts "
    "(see 'Put a reverse proxy in front' in the documentation). For one of your own network, set REQUESTS_CA_BUNDLE to its certificate here."
)
_BEHIND: Final = "Start the server, and point the proxy at its host and port (see 'Put a reverse proxy in front' in the documentation)."
_REDIRECT: Final = (
    "Set COUNTERSIGN_URL to the address that answers by itself, or take the redirect off /livez, /readyz and /webhook."
)
_OTHER: Final = (
    "Point the address at this server: the DNS record, the proxy's rule, or COUNTERSIGN_URL. Whatever is in front must let /livez, "
    "/readyz and /webhook through without a sign-in."
)
_GATEWAY: Final = (HTTPStatus.BAD_GATEWAY, HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.GATEWAY_TIMEOUT)


class NoServer(Exception):
    """No server of Countersign answers there: `str()` says why, in a sentence, `remedy` what to do.

    `is_reached`: something answered, so that the way there is open.
    """

    def __init__(self, why: str, remedy: str, *, is_reached: bool = False) -> None:
        self.remedy = remedy
        self.is_reached = is_reached
        super().__init__(why)


@dataclass(frozen=True, slots=True)
class ReadyAnswer:
    """The answer of /readyz: `why` it is not ready, "" when it is, and its `warnings`."""

    why: str
    warnings: tuple[str, ...]


def process_at(address: str, *, is_local: bool = False) -> str:
    """The id of the process of Countersign that answers there, "" where it has none to say. Raises NoServer."""
    if not is_local:  # A host without an address has a remedy of its own.
        _resolve(address)
    status, body, target = _get(f"{address}/livez", is_local=is_local)
    if target:
        raise NoServer(f"{address}/livez redirects to {target}.", _REDIRECT, is_reached=True)
    if status != HTTPStatus.OK or body.get("status") != "alive":
        raise _something_else(address, status)
    return str(body.get("process") or "")


def readiness(address: str, *, is_local: bool = False) -> ReadyAnswer:
    """Whether the server there is ready. Raises NoServer."""
    status, body, _ = _get(f"{address}/readyz", is_local=is_local)
    if body.get("status") not in ("ready", "not ready"):
        raise _something_else(address, status)
    warnings = tuple(_shown(warning) for warning in body.get("warnings") or () if isinstance(warning, str))
    github = tuple(
        _shown(f"GitHub: {state.get('why')}") for state in body.get("github") or () if isinstance(state, dict)
    )
    is_ready = status == HTTPStatus.OK and body["status"] == "ready"
    return ReadyAnswer("" if is_ready else _shown(str(body.get("why") or f"it answers {status}")), (*warnings, *github))


def _resolve(address: str) -> None:
    """Raises NoServer for a host without an address."""
    parts = address_parts(address)
    host, port = parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)
    if get_environ_proxies(address).get(parts.scheme):  # A proxy resolves names for us.
        return
    try:
        socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise NoServer(f"{host} cannot be resolved: the DNS has no address for it.", REACH) from None


def private_addresses(address: str) -> tuple[str, ...]:
    """The IP addresses that the host has here, where none of them can be reached from the internet."""
    try:
        found = {str(info[4][0]) for info in socket.getaddrinfo(address_parts(address).hostname or "", None)}
    except (OSError, UnicodeError):
        return ()
    return tuple(sorted(found)) if not any(map(is_public, found)) else ()


def _get(url: str, *, is_local: bool) -> tuple[int, Mapping[str, Any], str]:
    """Status, JSON object (empty for anything else) and where it redirects to. Raises NoServer."""
    address = url.rpartition("/")[0]
    with requests.Session() as session:
        session.trust_env = not is_local  # No proxy is asked for this machine
        try:
            with session.get(url, timeout=_TIMEOUT_SECONDS, allow_redirects=False, stream=True) as answer:
                location = answer.headers.get("Location", "") if answer.is_redirect else ""
                return answer.status_code, json_object(answer), _target(location, address)
        except (requests.RequestException, HTTPError, OSError, ValueError) as error:
            raise _unanswered(address, error) from None


def json_object(answer: requests.Response) -> Mapping[str, Any]:
    """The JSON object that an answer is; empty for anything else. Raises urllib3's errors and OSError."""
    try:
        found = json.loads(answer.raw.read(_MAX_READ, decode_content=True))
    except (ValueError, RecursionError):  # Any server may answer there.
        return {}
    return found if isinstance(found, dict) else {}


def _target(location: str, address: str) -> str:
    # Scheme and host alone: what follows may hold a secret.
    parts = address_parts(location)
    return f"{parts.scheme}://{parts.hostname}" if parts.hostname else f"another path of {address}" if location else ""


def _unanswered(address: str, error: Exception) -> NoServer:
    host = address_parts(address).hostname or address
    for cause in _causes(error):
        if isinstance(cause, ssl.SSLCertVerificationError):
            why = cause.verify_message.rstrip(".") or "it cannot be verified"
            return NoServer(f"The certificate of {host} is not valid: {visible(why)}.", _CERTIFY, is_reached=True)
        if isinstance(cause, ssl.SSLError):
            return NoServer(f"{address} does not speak TLS as HTTPS needs it.", _CERTIFY, is_reached=True)
        if isinstance(cause, ConnectionRefusedError):
            return NoServer(f"Nothing listens at {address} (connection refused).", REACH)
        if isinstance(cause, TimeoutError | requests.Timeout):
            return NoServer(f"{address} did not answer within {_TIMEOUT_SECONDS:.0f} seconds.", REACH)
    return NoServer(f"{address} cannot be reached.", REACH)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    # requests and urllib3 hand the system's errors on as arguments, `reason` or context.
    seen: list[BaseException] = []
    waiting = [error]
    while waiting:
        cause = waiting.pop()
        if isinstance(cause, BaseException) and cause not in seen:  # Errors may wrap each other.
            seen.append(cause)
            waiting += [*cause.args, getattr(cause, "reason", None), cause.__cause__, cause.__context__]
            yield cause


def _something_else(address: str, status: int) -> NoServer:
    if status in _GATEWAY:
        return NoServer(
            f"A proxy answers {status} at {address}: it does not reach Countersign.", _BEHIND, is_reached=True
        )
    if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
        return NoServer(f"{address} asks for a sign-in ({status}) before Countersign.", _OTHER, is_reached=True)
    return NoServer(f"Something other than Countersign answers at {address} ({status}).", _OTHER, is_reached=True)


def _shown(text: str) -> str:
    return visible(text)[:MAX_SAID]  # Another server's words may hold control characters.
