"""Runs `countersign serve` for a test, and prints which modules it has loaded: once it is ready, or also what it loads soon after."""

import json
import os
import signal
import sys
import threading
import time
import urllib.request

from bot import cli, serving


def _told(port, is_warm):
    while True:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=5).close()
        except OSError:
            time.sleep(0.05)
        else:
            break
    while is_warm and any(thread.name == "soon" for thread in threading.enumerate()):
        time.sleep(0.05)
    print(json.dumps(sorted(sys.modules)), flush=True)
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    serving.SOON_SECONDS = float(sys.argv[2])
    threading.Thread(target=_told, args=(sys.argv[1], serving.SOON_SECONDS == 0), daemon=True).start()
    cli.main(["serve", "--port", sys.argv[1]])
