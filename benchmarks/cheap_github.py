"""The cheapest GitHub, in a process of its own: it takes little of the machine from what is measured."""

import json
import pickle
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from front.load import Post
from place import Place, listening

from bot import clock
from bot.demo.github.webhooks import signature
from bot.github.connection import connect
from bot.github.documents import SNAPSHOT_QUERY, label_variables

PROGRAM = Path(__file__).parent / "github_stub.py"


@contextmanager
def stub(port: int, look: object, latency: float = 0.0) -> Iterator[None]:
    """The cheapest GitHub on that port; each call takes so many seconds."""
    process = subprocess.Popen([sys.executable, str(PROGRAM)], stdin=subprocess.PIPE)
    assert process.stdin is not None
    try:
        with process.stdin as given:
            pickle.dump((port, look, latency), given)
        listening(port)
        yield
    finally:
        process.kill()  # It has nothing to write at its end.
        process.wait()


def look(place: Place) -> object:
    """The answer of the small GitHub about a pull request."""
    stage = place.stage
    hub = connect(
        server=place.world.server,
        api_url=f"{stage.github_url}/api/v3",
        app_id=stage.app.id,
        private_key=stage.settings.private_key.reveal(),
    )
    [installation] = place.world.installations
    variables = {"owner": "cann", "name": "ops-math", "number": 1, **label_variables(("cla-signed", "cla-required"))}
    return hub._pool.installation(installation).query(SNAPSHOT_QUERY, variables).data  # noqa: SLF001 - the answer as GitHub words it, which no public call gives


def posts(place: Place, model: Post, first: int, count: int) -> list[Post]:
    """As many deliveries like that one, each about a pull request of its own, with the head that the stub shows."""
    payload = json.loads(model.body)
    posts = []
    for number in range(first + 1, first + count + 1):
        # The stub answers with this head, which follows from the number.
        pull = payload["pull_request"]
        pull = {**pull, "number": number, "head": {**pull["head"], "sha": f"{number:040x}"}}
        body = json.dumps({**payload, "number": number, "pull_request": pull}).encode()
        sealed = signature(place.stage.app.webhook_secret, body)
        headers = {**model.headers, "X-GitHub-Delivery": clock.new_id(), "X-Hub-Signature-256": sealed}
        posts.append(Post(headers, body))
    return posts
