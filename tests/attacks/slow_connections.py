"""Half-sent requests and silent connections: do other clients still get an answer?"""

import contextlib
import resource
import sys
import time

sys.path.append(__file__.rpartition("/")[0])

import program
import victim

HALF = b"POST /webhook HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\nX-GitHub-Event: ping\r\nX-GitHub-Delivery: a\r\n"
SEALED = b"X-Hub-Signature-256: sha256=" + b"0" * 64 + b"\r\n"
FORM = b"POST /sign/icla HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-www-form-urlencoded\r\n"
KINDS = {
    "a webhook without its body": HALF + SEALED + b"\r\n",
    "a webhook without a signature or a body": HALF + b"\r\n",
    "a form without its end": FORM + b"Content-Length: 9\r\n\r\na=",
    "half a head": b"GET / HTTP/1.1\r\nHo",
}


def attack(*, short, say):
    """Hold the server by connections that say less than they announce."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    half, idle = (40, 300) if short else (208, 2000)
    with victim.serving() as stage, contextlib.ExitStack() as held:
        through = _judge(stage, "no other connection", say, short=short)
        kinds = list(KINDS)
        for number in range(half):
            held.enter_context(contextlib.closing(victim.connect(stage, KINDS[kinds[number % len(kinds)]])))
        through += _judge(stage, f"{half} half-sent requests", say, short=short)
        with contextlib.suppress(OSError):  # a server that is silent by now takes no more
            for _ in range(idle):
                held.enter_context(contextlib.closing(victim.connect(stage)))
        for _ in range(3):
            through += _judge(stage, f"{half} half-sent requests and {idle} silent connections", say, short=short)
            time.sleep(0.2)
        say(f"memory at most {victim.memory(stage):.0f} MiB")
    return through


def _judge(stage, who, say, *, short):
    """What takes too long while they are there."""
    asked = {
        "/livez": (victim.get("/livez"), b"200", 0.1),
        "/readyz": (victim.get("/readyz"), b"200", 1.0),
        "a page": (victim.get("/"), b"200", 1.0),
        "a signed webhook": (victim.delivery(stage), b"202", 1.0),
    }
    # The best of three: another process of this machine may have its turn.
    took = {name: min(victim.seconds(stage, *words[:2]) for _ in range(3)) for name, words in asked.items()}
    say(f"{who}: " + ", ".join(f"{name} {seconds * 1000:.0f} ms" for name, seconds in took.items()))
    return [
        f"{name} took {took[name]:.2f} s with {who}"
        for name, (_, _, longest) in asked.items()
        if took[name] > victim.bearable(longest, short=short)
    ]


if __name__ == "__main__":
    sys.exit(program.main(attack))
