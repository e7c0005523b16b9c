"""Requests whose end two servers could see at two places: is what follows one ever taken for a request of its own?"""

import contextlib
import re
import socket
import sys

sys.path.append(__file__.rpartition("/")[0])

import program
import victim

SECOND = b"GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
CHUNKED = b"0\r\n\r\n"
HEADS = {
    "both lengths": b"Content-Length: 5\r\nTransfer-Encoding: chunked",
    "both lengths, other order": b"Transfer-Encoding: chunked\r\nContent-Length: 5",
    "two lengths": b"Content-Length: 5\r\nContent-Length: 0",
    "a list of lengths": b"Content-Length: 5, 5",
    "a signed length": b"Content-Length: +5",
    "a negative length": b"Content-Length: -5",
    "a hexadecimal length": b"Content-Length: 0x5",
    "a length in other digits": b"Content-Length: \xd9\xa5",
    "an endless length": b"Content-Length: 99999999999999999999",
    "a blank before the colon": b"Content-Length : 5",
    "a folded length": b"Content-Length:\r\n 5",
    "a tab in the coding": b"Transfer-Encoding:\tchunked",
    "a strange coding": b"Transfer-Encoding: xchunked",
    "a coding behind chunked": b"Transfer-Encoding: chunked, identity",
    "two codings": b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity",
    "a vertical tab before the coding": b"Transfer-Encoding: \x0bchunked",
    "a NUL in a header": b"X: a\x00b\r\nContent-Length: 5",
    "a bare CR in a header": b"X: a\rContent-Length: 5",
    "two hosts": b"Host: other.example\r\nContent-Length: 5",
}
"""Each head is to be refused, at every place and in every version of HTTP."""
PLACES = (b"/webhook", b"/livez", b"/", b"/sign/icla", b"/api/v1/people")
WITHIN = 5.0


def attack(*, short, say):
    """Each head, at each place, with a second request where one reading sees the end."""
    through, count = [], 0
    with victim.serving() as stage:
        for place in PLACES[:2] if short else PLACES:
            for version in (b"1.1",) if short else (b"1.1", b"1.0"):
                for name, lines in HEADS.items():
                    count += 1
                    head = b"POST %s HTTP/%s\r\nHost: 127.0.0.1\r\n%s\r\n\r\n" % (place, version, lines)
                    statuses = _statuses(stage, head + CHUNKED + SECOND)
                    if any(not status.startswith("4") for status in statuses) or len(statuses) != 1:
                        through.append(
                            f"{name} at {place.decode()}, HTTP/{version.decode()}: {statuses or 'no answer'}"
                        )
        well = _statuses(stage, b"POST /livez HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc" + SECOND)
        silent = victim.seconds(stage, victim.get("/livez")) == float("inf")
    say(f"{count} requests that could be read in two ways: {len(through)} were not refused with the connection ended")
    return (
        through + ([f"a plain request was answered by {well}"] if not well else []) + (["no /livez"] if silent else [])
    )


def _statuses(stage, text):
    """Of every answer on one connection."""
    answer = b""
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", stage.port), timeout=WITHIN) as line:
        line.sendall(text)
        while piece := line.recv(65536):
            answer += piece
    return [status.decode() for status in re.findall(rb"HTTP/1\.[01] (\d{3})", answer)]


if __name__ == "__main__":
    sys.exit(program.main(attack))
