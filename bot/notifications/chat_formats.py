"""Messages for chats: an event in one sentence with a link, as the webhooks of Slack, Feishu, DingTalk, WeCom and Teams take it."""

import base64
import hashlib
import hmac
import html
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, Final
from urllib.parse import quote, urlencode

from audit import display_text
from bot.report.words.templates import Language, entries, listed

MAX_VALUE_CHARACTERS: Final = 100
"""Characters of a name in a message; WeCom takes 2,048 bytes of text in all."""
MAX_RESULT: Final = 10**9
"""The largest number in an answer that is repeated; all documented ones are smaller."""

words = partial(entries, part="webhooks.")

# The pages of events; those of administrators say more about a person or a company than a chat should.
_PAGES: Final = {
    "signed": "/admin/people/{account[id]}",
    "withdrawn": "/admin/people/{account[id]}",
    "company-changed": "/admin/companies/{company[id]}",
    "verdict-changed": "/pr/{repository[name]}/{number}",
    "license-violation": "/admin/licenses/{owner[id]}",
    "attention-needed": "{page}",
}
# Feishu, DingTalk and WeCom document no escape: `<at user_id="all">`, `<@userid>` and `@all` become wide signs instead.
_SIGNS: Final = str.maketrans("<>@", "\uff1c\uff1e\uff20")
# Chats make links of bare addresses, may decode entities, and Teams reads {{DATE(…)}}: a space without width prevents it.
_WITHIN: Final = re.compile(r"(?<=[.\u3002\uff0e\uff61])(?=[^\W\d_])|(?=://)|(?<=&)(?=[#\w])|(?<=[${])(?=\{)")


@dataclass(frozen=True, slots=True)
class Message:
    """A `text` of one sentence in a `language`, and the `link` to its page behind a `label`.

    `text` cannot make markup, mentions or links in any chat.
    """

    text: str
    link: str
    label: str
    language: Language = "en"

    @property
    def plain(self) -> str:
        """The whole message as plain text on two lines."""
        return f"{self.text}\n{self.label}: {self.link}"


def message(event: bytes, language: Language, *, site: str) -> Message:
    """The message about an event's JSON; `site` is our public address. Raises LookupError for an event that is not known."""
    told = json.loads(event)
    safe = _safe(told | {"reasons": listed(told.get("reasons", ()), language) or "?"})
    try:
        which = told.get("change") or told.get("conclusion") or ("one" if told["count"] == 1 else "more")
        text = words(language)[told["event"]][which].format_map(safe)
        page = quote(_PAGES[told["event"]].format_map(told))
    except LookupError:  # It was stored before the release went back.
        raise LookupError("this release has no sentence for the event") from None
    return Message(text, site + page, words(language)["message"]["link"], language)


def _safe(value: Any) -> Any:
    """The same with every text of others on one line, cut, and harmless in all chats."""
    if isinstance(value, Mapping):
        return {key: _safe(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_safe(part) for part in value]
    if isinstance(value, str):
        return _WITHIN.sub("\u200b", display_text.line(value, MAX_VALUE_CHARACTERS).translate(_SIGNS))
    return value


def _unsigned(_secret: bytes, _at: datetime) -> dict[str, str]:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatFormat:
    """The way in which a chat takes messages, by its company's documentation.

    `content` makes the JSON of a message. With a robot's secret `sign_body` and `sign_query` make what is added to the
    body and to the address. A chat with a `result` answers 200 also when it refuses: that number is 0 when it took the
    message, and one of `busy` when it takes no others for a while.
    """

    content: Callable[[Message], dict[str, Any]]
    sign_body: Callable[[bytes, datetime], dict[str, str]] = _unsigned
    sign_query: Callable[[bytes, datetime], dict[str, str]] = _unsigned
    result: str = ""
    busy: frozenset[int] = frozenset()

    def request(self, written: Message, *, url: str, secret: bytes, at: datetime) -> tuple[str, bytes]:
        """The address and the body with which the message is sent at that moment; not signed without a secret."""
        content = self.content(written)
        if secret:
            content |= self.sign_body(secret, at)
            if query := self.sign_query(secret, at):
                url += ("&" if "?" in url else "?") + urlencode(query)
        return url, json.dumps(content, ensure_ascii=False).encode()  # WeCom refuses escapes (40033).

    def number(self, answer: bytes) -> int | None:
        """The number `result` of an answer; None for an answer without one."""
        try:
            found = json.loads(answer)
        except (ValueError, RecursionError):
            return None
        number = found.get(self.result) if isinstance(found, dict) else None
        return number if type(number) is int and abs(number) <= MAX_RESULT else None


def _hmac(key: bytes, text: bytes) -> str:
    return base64.b64encode(hmac.new(key, text, hashlib.sha256).digest()).decode()


def feishu_signature(secret: bytes, at: datetime) -> dict[str, str]:
    """The `timestamp` in seconds and the `sign` of a custom bot: the text is the key, and nothing is signed with it."""
    stamp = str(int(at.timestamp()))
    return {"timestamp": stamp, "sign": _hmac(stamp.encode() + b"\n" + secret, b"")}


def dingtalk_signature(secret: bytes, at: datetime) -> dict[str, str]:
    """The `timestamp` in milliseconds and the `sign` of a custom robot: the secret is the key, the text is signed."""
    stamp = str(int(at.timestamp() * 1000))
    return {"timestamp": stamp, "sign": _hmac(secret, stamp.encode() + b"\n" + secret)}


def _slack(written: Message) -> dict[str, Any]:
    # In a rich_text block text is never parsed; `text` is shown in notifications, where & < > are Slack's control signs.
    section = [
        {"type": "text", "text": f"{written.text} "},
        {"type": "link", "url": written.link, "text": written.label},
    ]
    block = {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": section}]}
    # Else Slack would fetch the page to show a part of it.
    return {"text": html.escape(written.text, quote=False), "blocks": [block], "unfurl_links": False}


def _feishu(written: Message) -> dict[str, Any]:
    # A `text` message would read <at user_id="all"> in it; in a `post` each element says what it is.
    line = [
        {"tag": "text", "text": f"{written.text} "},
        {"tag": "a", "text": written.label, "href": written.link},
    ]
    locale = "zh_cn" if written.language == "zh" else "en_us"
    return {"msg_type": "post", "content": {"post": {locale: {"content": [line]}}}}


def _dingtalk(written: Message) -> dict[str, Any]:
    # A `text` message has no markup, and mentions only whom `at` names.
    return {"msgtype": "text", "text": {"content": written.plain}, "at": {"isAtAll": False}}


def _wecom(written: Message) -> dict[str, Any]:
    return {"msgtype": "text", "text": {"content": written.plain}}


def _teams(written: Message) -> dict[str, Any]:
    # A RichTextBlock reads no Markdown, a TextBlock would.
    card = {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.2",
        "body": [{"type": "RichTextBlock", "inlines": [{"type": "TextRun", "text": written.text}]}],
        "actions": [{"type": "Action.OpenUrl", "title": written.label, "url": written.link}],
    }
    kind = "application/vnd.microsoft.card.adaptive"
    return {"type": "message", "attachments": [{"contentType": kind, "contentUrl": None, "content": card}]}


# https://open.feishu.cn/document/client-docs/bot-v3/add-custom-bot: 100 messages a minute and 5 a second, else 11232.
_FEISHU: Final = ChatFormat(content=_feishu, sign_body=feishu_signature, result="code", busy=frozenset({11232}))
CHAT_FORMATS: Final[Mapping[str, ChatFormat]] = {
    # https://docs.slack.dev/messaging/formatting-message-text and .../reference/block-kit/blocks/rich-text-block
    "slack": ChatFormat(content=_slack),
    "feishu": _FEISHU,
    "lark": _FEISHU,  # The same bots at open.larksuite.com.
    # https://open.dingtalk.com/document/orgapp/custom-robot-access: 20 messages a minute, else 130101 for ten minutes.
    "dingtalk": ChatFormat(
        content=_dingtalk, sign_query=dingtalk_signature, result="errcode", busy=frozenset({130101})
    ),
    # https://developer.work.weixin.qq.com/document/path/91770: 20 messages a minute, else 45009 (.../path/90455).
    "wecom": ChatFormat(content=_wecom, result="errcode", busy=frozenset({45009})),
    # https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/add-incoming-webhook (Workflows),
    # https://learn.microsoft.com/adaptive-cards/authoring-cards/text-features (what reads Markdown).
    "teams": ChatFormat(content=_teams),
}
"""The chats by the name of their format."""
