"""For a process under libfaketime: sleeping without clock_nanosleep, which that library answers with EINVAL here."""

import threading
import time


def _sleep(seconds):
    threading.Event().wait(seconds)


time.sleep = _sleep
