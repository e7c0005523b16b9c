"""A small DNS for the demo, on loopback: it shows the TXT records that the player writes, and knows nothing else."""

import threading
from collections.abc import Mapping, Sequence
from socketserver import BaseRequestHandler, UDPServer

import dns.exception
import dns.message
import dns.rcode
import dns.rdatatype
import dns.rrset

from bot.network.resolvers import MIN_SERVERS

_TTL_SECONDS = 60

Zone = Mapping[str, Sequence[str]]
"""Name in lower case, without the final dot → its texts: ASCII, and so few that they fit into one answer by UDP."""


class DnsServers:
    """As many servers as Countersign wants to ask, all with the same zone; `start` it, and `close` it when done."""

    def __init__(self, zone: Zone) -> None:
        self._servers = [_Server(zone) for _ in range(MIN_SERVERS)]
        self._threads = [
            # `serve_forever` looks for its end this often; by its default, to close would take half a second.
            threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, name="names", daemon=True)
            for server in self._servers
        ]

    @property
    def addresses(self) -> str:
        """The addresses where they listen, as COUNTERSIGN_DNS_SERVERS takes them."""
        return ", ".join(f"127.0.0.1:{server.server_address[1]}" for server in self._servers)

    def start(self) -> None:
        """Begin to answer."""
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        """Stop answering."""
        for server, thread in zip(self._servers, self._threads, strict=True):
            if thread.is_alive():  # `shutdown` waits for ever where `serve_forever` never began.
                server.shutdown()
                thread.join()
            server.server_close()


class _Server(UDPServer):
    def __init__(self, zone: Zone) -> None:
        self.zone = zone
        super().__init__(("127.0.0.1", 0), _Handler)  # A free port, for this machine alone.


class _Handler(BaseRequestHandler):
    server: _Server

    def handle(self) -> None:
        """Answer one question; what is none gets no answer."""
        wire, socket = self.request
        answer = _answer(wire, self.server.zone)
        if answer is not None:
            socket.sendto(answer, self.client_address)


def _answer(wire: bytes, zone: Zone) -> bytes | None:
    try:
        query = dns.message.from_wire(wire)
        response = dns.message.make_response(query, recursion_available=True)
    except (dns.exception.DNSException, ValueError):
        return None
    for question in query.question:
        texts = zone.get(question.name.to_text(omit_final_dot=True).lower())
        if texts is None:
            response.set_rcode(dns.rcode.NXDOMAIN)
        elif question.rdtype == dns.rdatatype.TXT:
            # dnspython reads texts as a zone file has them: quoted, with escapes.
            quoted = ['"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"' for text in texts]
            response.answer.append(dns.rrset.from_text(question.name, _TTL_SECONDS, "IN", "TXT", *quoted))
    return response.to_wire()
