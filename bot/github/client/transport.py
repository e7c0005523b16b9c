"""One authenticated transport to GitHub's API, as a protocol: four ways to call, and plain values back."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, Protocol

from agreements.github_server import GitHubServer
from bot.github.client.admission_control import AdmissionControl
from bot.github.client.server_features import ServerFeatures
from bot.github.ports import AppIdentity, Unreachable
from bot.github.reading import Json

Parameters = Mapping[str, str | int]


class Unavailable(Unreachable):
    """GraphQL gave no usable answer (5xx, not there, network): REST may still do."""


@dataclass(frozen=True, slots=True)
class GraphqlAnswer:
    """What GraphQL answered with HTTP 200."""

    data: Json
    errors: tuple[Json, ...] = ()


class Transport(Protocol):
    """Calls on behalf of the App, of one installation, or of nobody. Every failure is a HubError.

    What the server's version lacks is `Unsupported`, and is not asked for.
    """

    @property
    def features(self) -> ServerFeatures:
        """What is known of the server, by its answers so far."""

    def read(self, path: str, parameters: Parameters | None = None) -> Any:
        """GET one answer. `Moved` when GitHub redirects: it is never followed, the query would be lost."""

    def date(self, path: str) -> datetime:
        """GET an answer for the moment alone at which GitHub says that it gave it."""

    def pages(
        self, path: str, parameters: Parameters | None = None, *, under: str = "", by_cursor: bool = False
    ) -> Iterator[Any]:
        """The items of all pages, 100 a page; `under` names the list when the answer wraps it.

        `by_cursor`: the list has no numbered pages, its links name the next one.
        """

    def fetch_redirected(self, path: str, most: int) -> bytes | None:
        """GET what GitHub keeps at another host, fetched there without credentials, `most` bytes at most.

        None while GitHub still works on it (201, 202).
        """

    def write(self, verb: Literal["POST", "PATCH", "PUT", "DELETE"], path: str, body: Json | None = None) -> Any:
        """Change something. A POST is sent once, ever; the others are repeated on 429 and 5xx."""

    def query(self, document: str, variables: Json) -> GraphqlAnswer:
        """Ask GraphQL, without the optional parts that the server lacks; its errors are handed over, not judged.

        `Unavailable` when it did not answer properly, or knows a name of the document not at all.
        """


class TransportPool(Protocol):
    """Gives the transport for each way of being authenticated; transports may be used by many threads."""

    app_id: int
    server: GitHubServer
    control: AdmissionControl

    def identity(self, *, again: bool = False) -> AppIdentity:
        """Who we are at GitHub, asked once, or `again`."""

    def app(self) -> Transport:
        """As the App, by a JWT."""

    def installation(self, number: int) -> Transport:
        """As one installation, by its token."""

    def nobody(self) -> Transport:
        """Without any credentials."""

    def probe(self) -> int:
        """One cheap call for everybody whose wait is over; how many."""

    def close(self) -> None:
        """Close all connections."""
