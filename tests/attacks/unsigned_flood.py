"""Large bodies without a signature, many at once: how much memory do they take, and who waits for them?"""

import contextlib
import socket
import sys
import threading
import time

sys.path.append(__file__.rpartition("/")[0])

import program
import victim

MIB = 1024 * 1024
SIZE = 25 * MIB
LONGEST = 256
"""MiB that the server may have."""


def attack(*, short, say):
    """Send bodies of 25 MB with a signature that is none, some as fast as can be, some slowly."""
    count = 12 if short else 150
    with victim.serving() as stage:
        say(f"before: {victim.memory(stage):.0f} MiB")
        over = threading.Event()
        senders = [threading.Thread(target=_send, args=(stage, number, over), daemon=True) for number in range(count)]
        for sender in senders:
            sender.start()
        waits, webhooks, end = [], [], time.monotonic() + (4 if short else 30)
        while time.monotonic() < end and any(sender.is_alive() for sender in senders):
            waits.append(victim.seconds(stage, victim.get("/livez")))
            webhooks.append(victim.seconds(stage, victim.delivery(stage), b"202"))
            time.sleep(0.1)
        over.set()
        for sender in senders:
            sender.join(15)
        most = victim.memory(stage)
    say(f"{count} bodies of {SIZE // MIB} MiB: at most {most:.0f} MiB")
    say(f"/livez at most {max(waits) * 1000:.0f} ms, a signed webhook {max(webhooks) * 1000:.0f} ms")
    through = [f"the server took {most:.0f} MiB"] if most > LONGEST else []
    # All senders share this machine's processors with the server.
    through += [f"/livez took {max(waits):.1f} s"] if max(waits) > victim.bearable(1, short=short) else []
    return through + (
        [f"a signed webhook took {max(webhooks):.1f} s"] if max(webhooks) > victim.bearable(3, short=short) else []
    )


def _send(stage, number, over):
    """One body, up to its last byte, which slow ones never send."""
    head = (
        f"POST /webhook HTTP/1.1\r\nHost: x\r\nX-GitHub-Event: push\r\nX-GitHub-Delivery: {number}\r\n"
        f"X-Hub-Signature-256: sha256={'0' * 64}\r\nContent-Length: {SIZE}\r\n\r\n"
    )
    piece = b" " * 65536
    with contextlib.suppress(OSError), contextlib.closing(_connected(stage)) as line:
        line.sendall(head.encode())
        for _ in range(SIZE // len(piece) - 1):
            if over.is_set():
                return
            line.sendall(piece)
        if number % 3:
            line.sendall(piece)
            line.recv(1000)
        else:
            over.wait(20)


def _connected(stage):
    return socket.create_connection(("127.0.0.1", stage.port), timeout=20)


if __name__ == "__main__":
    sys.exit(program.main(attack))
