"""The servers of the chats on loopback: they look at a message as each company documents it, and answer in its words."""

import base64
import hashlib
import hmac
import json
from contextlib import contextmanager
from urllib.parse import parse_qs, urlsplit

from tests.http_server import LoopbackServer, QuietHandler

ROBOT_SECRET = "SEC-of-a-robot-in-a-group"
TOKEN = "T0K3N-in-the-address"
PATHS = {
    "slack": f"/services/T000/B000/{TOKEN}",
    "feishu": f"/open-apis/bot/v2/hook/{TOKEN}",
    "lark": f"/open-apis/bot/v2/hook/{TOKEN}",
    "dingtalk": f"/robot/send?access_token={TOKEN}",
    "wecom": f"/cgi-bin/webhook/send?key={TOKEN}",
    "teams": f"/workflows/a/triggers/manual/paths/invoke?api-version=1&sig={TOKEN}",
}
SIGNED = ("feishu", "lark", "dingtalk")


class ChatServer:
    """One chat: `answer` replaces its own answer by status and bytes, or by a function that writes to the connection."""

    def __init__(self, name, clock):
        self.name, self.clock, self.answer, self.messages = name, clock, None, []
        chat = self

        class Handler(QuietHandler):
            def do_POST(self):
                raw = self.body()
                assert self.headers["Content-Type"] == "application/json; charset=utf-8"
                assert b"\\u" not in raw  # WeCom answers 40033 to escapes.
                body = json.loads(raw)
                answer = chat.answer or chat.judge(body, self.path)
                if callable(answer):
                    answer(self)
                else:
                    self.answer(*answer)

        self.server = LoopbackServer(Handler)
        self.url = self.server.url + PATHS[name]

    def judge(self, body, path):
        """Status and answer of the company."""
        query = {key: found[0] for key, found in parse_qs(urlsplit(path).query).items()}
        if TOKEN not in path:
            return 403, b"invalid_token"
        return getattr(self, {"lark": "feishu"}.get(self.name, self.name))(body, query)

    def taken(self, body, status, said):
        self.messages.append(body)
        return status, said

    def slack(self, body, _query):
        return self.taken(body, 200, b"ok") if body.get("text") and body["blocks"] else (400, b"no_text")

    def teams(self, body, _query):
        [attachment] = body["attachments"]
        is_card = attachment["contentType"] == "application/vnd.microsoft.card.adaptive" and body["type"] == "message"
        return self.taken(body, 202, b"") if is_card else (400, b"")

    def feishu(self, body, _query):
        stamp = body.get("timestamp", "0")
        wanted = hmac.new(f"{stamp}\n{ROBOT_SECRET}".encode(), digestmod=hashlib.sha256).digest()
        if body.get("sign") != base64.b64encode(wanted).decode() or abs(self.clock().timestamp() - int(stamp)) > 3600:
            return 200, b'{"code":19021,"msg":"sign match fail or timestamp is not within one hour from current time"}'
        return self.taken(body, 200, b'{"code":0,"data":{},"msg":"success"}')

    def dingtalk(self, body, query):
        stamp = query.get("timestamp", "0")
        wanted = hmac.new(ROBOT_SECRET.encode(), f"{stamp}\n{ROBOT_SECRET}".encode(), hashlib.sha256).digest()
        late = abs(self.clock().timestamp() * 1000 - int(stamp)) > 3_600_000
        if query.get("sign") != base64.b64encode(wanted).decode() or late:
            return 200, b'{"errcode":310000,"errmsg":"sign not match"}'
        return self.taken(body, 200, b'{"errcode":0,"errmsg":"ok"}')

    def wecom(self, body, query):
        if query["key"] != TOKEN:
            return 200, b'{"errcode":93000,"errmsg":"invalid webhook url"}'
        return self.taken(body, 200, b'{"errcode":0,"errmsg":"ok"}')


@contextmanager
def chat_server(name, clock):
    """The chat while it is there."""
    chat = ChatServer(name, clock)
    with chat.server.running():
        yield chat
