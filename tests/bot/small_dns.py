"""A DNS server on loopback for tests: a few names, some ways to misbehave, and a refusal of what it does not know."""

import socket
import struct
import threading
from contextlib import suppress
from dataclasses import dataclass, field

import dns.flags
import dns.message
import dns.rcode
import dns.rrset


@dataclass
class SmallDns:
    """A DNS server on loopback, by UDP and TCP; `zone` maps (name, type) to texts. What it does not know it refuses."""

    zone: dict = field(default_factory=dict)
    behave: str = ""  # a response code by name, `silent`, `garbage`, or `cut` (each answer by UDP is cut off)
    asked: list = field(default_factory=list)
    port: int = 0

    def start(self):
        """Listen on one free port, on both."""
        self.tcp = socket.create_server(("127.0.0.1", 0))
        self.port = self.tcp.getsockname()[1]
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.bind(("127.0.0.1", self.port))
        self.threads = [threading.Thread(target=serve) for serve in (self._serve_udp, self._serve_tcp)]
        for thread in self.threads:
            thread.start()
        return self

    def stop(self):
        """No more answers: the threads are woken, then the sockets are closed."""
        for listener in (self.udp, self.tcp):
            with suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)
        for thread in self.threads:
            thread.join()
        self.udp.close()
        self.tcp.close()

    def _serve_udp(self):
        try:
            while True:
                wire, where = self.udp.recvfrom(4096)
                if not wire:
                    return
                answer = self._answer(wire, "udp")
                if answer is not None:
                    self.udp.sendto(answer, where)
        except OSError:
            return

    def _serve_tcp(self):
        try:
            while True:
                peer, _ = self.tcp.accept()
                with peer:
                    (size,) = struct.unpack("!H", peer.recv(2, socket.MSG_WAITALL))
                    answer = self._answer(peer.recv(size, socket.MSG_WAITALL), "tcp")
                    if answer is not None:
                        peer.sendall(struct.pack("!H", len(answer)) + answer)
        except OSError:
            return

    def _answer(self, wire, way):
        query = dns.message.from_wire(wire)
        question = query.question[0]
        self.asked.append((way, str(question.name), question.rdtype.name))
        response = dns.message.make_response(query, recursion_available=True)
        if self.behave == "silent":
            return None
        if self.behave == "garbage":
            return b"\0" * 7
        if self.behave not in ("", "cut"):
            response.set_rcode(dns.rcode.from_text(self.behave))
            return response.to_wire()
        if not any(name == str(question.name) for name, _ in self.zone):
            response.set_rcode(dns.rcode.REFUSED)
            return response.to_wire()
        name = str(question.name)
        while (name, "CNAME") in self.zone:
            target = self.zone[name, "CNAME"]
            response.answer.append(dns.rrset.from_text(name, 60, "IN", "CNAME", target))
            name = target
        texts = self.zone.get((name, question.rdtype.name), [])
        if texts:
            response.answer.append(dns.rrset.from_text(name, 60, "IN", question.rdtype.name, *texts))
        whole = response.to_wire(max_size=65535)
        if way == "udp" and (self.behave == "cut" or len(whole) > query.payload):
            cut = dns.message.make_response(query)
            cut.flags |= dns.flags.TC
            return cut.to_wire()
        return whole
