"""How long pages of the portal take, fifty a second, signed in and not, while the worker runs in the same process."""

import hashlib
import json
import secrets
from collections import Counter

from figures import Figure, percentiles
from front import webhook
from front.load import Post
from place import Place, opened

from agreements.vault import place
from bot import clock
from bot.store import portal_sessions

SECONDS = 20
PAGES = (
    "/",
    "/sign/icla",
    "/faq",
    "/guide",
    "/me",
    "/sign/icla",
    "/company",
    "/pr/cann/ops-math/1",
    "/sign/ccla",
    "/admin",
)
"""Each as often as it stands here; `/me`, `/company` and `/admin` by a person who is signed in."""

VISITOR = 777
"""Account id of the person who is signed in."""

SIGNED_IN = {"/me", "/company", "/admin"}
OPEN = ("/", "/sign/icla", "/faq", "/guide", "/sign/ccla")
"""Public pages, which need no records."""


def measure(*, quick: bool) -> list[Figure]:
    """The mix above, at a steady rate; beside the first page alone, asked for in the same way."""
    count = webhook.RATE * (3 if quick else SECONDS)
    with opened(latency=webhook.LATENCY, settings={"COUNTERSIGN_ADMIN_TEAM": str(VISITOR)}) as stage:
        cookie = _visit(stage)
        stage.stage.serve()
        home = webhook.load(stage.stage.port, [Post({}, b"", "/livez")] * count)
        posts = [_ask(PAGES[number % len(PAGES)], cookie) for number in range(count)]
        webhook.load(stage.stage.port, posts[:20], 10)  # What is loaded late is loaded by then
        answers = webhook.load(stage.stage.port, posts)
    by_status = Counter(answer.status for answer in answers)
    print(f"answers: {dict(by_status)}")
    if set(by_status) - {200, 404}:  # 404: no pull request is known here.
        raise RuntimeError("not every page was answered")
    return percentiles(
        f"a page of the portal, {{}} of {count} at {webhook.RATE}/s", webhook.waits(answers), webhook.waits(home),
        beside="/livez", targets={"p50": "", "p95": "≤ 150 ms", "p99": ""},
    )  # fmt: skip


def _ask(path: str, cookie: str) -> Post:
    return Post({"Cookie": cookie, "Accept-Language": "zh-CN"} if path in SIGNED_IN else {}, b"", path)


def _visit(stage: Place) -> str:
    word = secrets.token_urlsafe(32)
    id_hash = hashlib.sha256(word.encode()).hexdigest()
    contents = json.dumps({"account": {"id": VISITOR, "login": "owner"}, "emails": ["owner@example.org"]}).encode()
    sealed = stage.services.vault.encrypt_for_server(contents, place("visit", "sealed", id_hash))
    with stage.services.sessions() as session:
        portal_sessions.keep(session, stage.services.vault, id_hash, VISITOR, sealed, clock.now())
    return f"countersign={word}"
