"""Two transactions at once: the second begins, in a thread of its own, while the first is still open."""

from concurrent.futures import Future, ThreadPoolExecutor, wait

_WAIT_SECONDS = 0.3  # Time enough for a deed that waits for nothing.


def behind(sessions, first, second) -> Future:
    """Do `first` with a session, and `second` with another one before it is committed; the outcome of the second."""

    def do():
        with sessions() as session:
            return second(session)

    with ThreadPoolExecutor(1) as pool:
        with sessions() as session:
            first(session)
            later = pool.submit(do)
            wait([later], timeout=_WAIT_SECONDS)
        wait([later])
    return later
