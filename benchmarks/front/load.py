"""A steady load on loopback: requests sent at fixed moments, whether the one before was answered or not."""

import http.client
import itertools
import pickle
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass

THREADS = 32
WARM_UP = 1.0
"""Seconds before the first delivery, for all threads to be connected."""


@dataclass(frozen=True, slots=True)
class Post:
    """One request to be sent, signed already; without a body the page at `path` is asked for."""

    headers: dict[str, str]
    body: bytes
    path: str = "/webhook"


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer: its `status` (0: none came), and `wait`, the seconds since the moment `due` of its request."""

    status: int
    wait: float
    due: float = 0.0


def send(port: int, posts: Sequence[Post], rate: float) -> list[Answer]:
    """Send each once, `rate` a second, to that loopback port."""
    answers = [Answer(0, 0.0)] * len(posts)
    turn, start = itertools.count(), time.perf_counter() + WARM_UP

    def work() -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        while (number := next(turn)) < len(posts):
            # By the plan, not after the last answer: a slow server must not slow down the load.
            due = start + number / rate
            time.sleep(max(0.0, due - time.perf_counter()))
            try:
                post = posts[number]
                connection.request("POST" if post.body else "GET", post.path, post.body or None, post.headers)
                answer = connection.getresponse()
                answer.read()
                answers[number] = Answer(answer.status, time.perf_counter() - due, due)
            except OSError:
                connection.close()
                answers[number] = Answer(0, time.perf_counter() - due, due)

    threads = [threading.Thread(target=work) for _ in range(min(THREADS, len(posts)))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


if __name__ == "__main__":  # Its own process, so that the simulated GitHub's work does not delay the clock
    port, rows, rate = pickle.load(sys.stdin.buffer)
    answers = send(port, [Post(*row) for row in rows], rate)
    pickle.dump([(answer.status, answer.wait, answer.due) for answer in answers], sys.stdout.buffer)
