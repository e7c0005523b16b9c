"""How long pages take while webhooks pour in, beside the same pages without any."""

import threading
from collections.abc import Sequence

from figures import Figure, percentiles
from front import pages, webhook
from front.load import Answer, Post
from place import opened

SECONDS = 20
PAGES_A_SECOND, WEBHOOKS_A_SECOND = 10, 100


def measure(*, quick: bool) -> list[Figure]:
    """Ten pages a second, calm; then the same ones while a hundred deliveries a second come in, and are judged."""
    seconds = 3 if quick else SECONDS
    with opened(latency=webhook.LATENCY) as place:
        posts = webhook.deliveries(place, WEBHOOKS_A_SECOND * seconds)
        asked = [Post({}, b"", pages.OPEN[number % len(pages.OPEN)]) for number in range(PAGES_A_SECOND * seconds)]
        place.stage.serve()
        port = place.stage.port
        webhook.load(port, asked[:20], PAGES_A_SECOND)  # What is loaded late is loaded by then
        calm = webhook.load(port, asked, PAGES_A_SECOND)
        sent: list[Answer] = []
        flood = threading.Thread(target=lambda: sent.extend(webhook.load(port, posts, WEBHOOKS_A_SECOND)))
        flood.start()
        answers = webhook.load(port, asked, PAGES_A_SECOND)
        flood.join()
    _all_taken(sent, answers)
    return percentiles(
        f"a page while {WEBHOOKS_A_SECOND} webhooks a second come in, {{}}", webhook.waits(answers), webhook.waits(calm),
        beside="the same pages, calm", targets={"p50": "", "p95": "≤ 150 ms", "p99": ""},
    )  # fmt: skip


def _all_taken(sent: Sequence[Answer], answers: Sequence[Answer]) -> None:
    refused = [answer.status for answer in sent if answer.status != 202] + [
        answer.status for answer in answers if answer.status != 200
    ]
    if refused:
        raise RuntimeError(f"{len(refused)} were not answered as they should be: {sorted(set(refused))}")
