"""Takes webhooks while setting up: a ping is answered, everything else is left for the server, and each shows that GitHub reaches us."""

import threading
from collections.abc import Callable

from flask import Request

from bot.webhook.endpoint import GUID
from bot.webhook.signature import BadSignature, WebhookSignature

Answer = tuple[dict[str, str], int]


class WebhookReceiver:
    """Many threads may use one. `secret` gives the App's webhook secret, "" before there is an App."""

    def __init__(self, secret: Callable[[], str]) -> None:
        self._secret = secret
        self._arrived = threading.Event()

    @property
    def has_arrived(self) -> bool:
        """Whether a webhook came that was signed with our secret."""
        return self._arrived.is_set()

    def wait(self, seconds: float) -> bool:
        """Wait for one; False when none came."""
        return self._arrived.wait(seconds)

    def receive(self, request: Request) -> Answer:
        """200 for a ping; 503 for what the server is to be sent again once it runs, which is nothing lost."""
        secret = self._secret()
        if not secret:
            return {"message": "the App is being registered, please deliver again"}, 503
        try:
            signature = WebhookSignature([secret.encode()], request.headers.get("X-Hub-Signature-256"))
            signature.update(request.get_data(cache=False))
            signature.verify()
        except BadSignature as error:
            return {"message": str(error)}, 401
        if not GUID.fullmatch(request.headers.get("X-GitHub-Delivery", "")):
            return {"message": "X-GitHub-Delivery is missing or misshapen"}, 400
        self._arrived.set()
        if request.headers.get("X-GitHub-Event") == "ping":
            return {"message": "pong"}, 200
        return {"message": "Countersign is being set up, please deliver again"}, 503
