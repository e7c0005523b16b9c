"""The pages are served on a real socket until the operator finishes."""

import threading

import requests

from bot import clock
from bot.server import listening
from bot.setup import page_server


def test_until_finished(beginning):
    """The address is printed with its key; the result of the check is returned."""
    beginning.complete()
    listener = listening.listener("127.0.0.1", 0)
    beginning.registrar.page_url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    said, found = [], []
    thread = threading.Thread(
        target=lambda: found.append(
            page_server.run(beginning.registrar, listener, clock.now, said.append, browser=False)
        )
    )
    thread.start()
    while not said:
        thread.join(0.05)
    address = next(word for word in said[0].split() if word.startswith("http"))
    with requests.Session() as browser:
        browser.trust_env = False
        assert "Step 5 of 5" in browser.get(address, timeout=60).text
        assert browser.post(f"{beginning.registrar.page_url}/finish", timeout=60).status_code == 200
    thread.join(20)

    assert not thread.is_alive()
    assert found[0].items
