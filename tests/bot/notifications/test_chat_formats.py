"""Messages are what each chat documents, in two languages, and no text of others does anything in them."""

import json
import re
import string
from datetime import UTC, datetime
from typing import get_args

import pytest

from bot.notifications import chat_formats
from bot.notifications.chat_formats import CHAT_FORMATS, dingtalk_signature, feishu_signature, message, words
from bot.notifications.payloads import ATTENTION, COMPANY, SIGNED, UNDELIVERED, WITHDRAWN, Event, Notification

AT = datetime(2020, 9, 6, 2, 47, 53, tzinfo=UTC)
SITE = "https://cla.example.org"
SIGNATURE = {
    "change": "signature.added",
    "account": {"id": 583231, "login": "octocat"},
    "agreement": {"name": "icla", "version": "2.0"},
}
SAID = "octocat (account 583231) signed icla 2.0."
LINK = f"{SITE}/admin/people/583231"
HOSTILE = (
    "<!channel> <!here|x> <@U1> &lt;!here&gt;",
    '<at user_id="all">x</at> <at>all</at> <@userid>',
    "@all @所有人 ＠ @13800000000",
    "<https://evil.example|Pay> [Pay](https://evil.example)",
    "evil.example/x www.evil.example evil。example dingtalk://evil",
    "{{DATE(2017-02-14T06:00:00Z, SHORT)}} ${evil} {company.__class__}",
    "x\n# evil.example\r\n\u2028**b** `c` \u202emoc.live",
)


def event(kind, values):
    """The JSON that is stored for an event."""
    return Notification(kind, values, AT).body


def company(name, change="company.changed"):
    """A change of a company with that name."""
    values = {"change": change, "company": {"id": "01C", "name": name}, "agreement": {"name": "ccla", "version": "1.0"}}
    return event("company-changed", values)


def sent(name, told=None, language="en", secret=b""):
    """Address and JSON that this chat gets."""
    written = message(told or event("signed", SIGNATURE), language, site=SITE)
    url, body = CHAT_FORMATS[name].request(written, url="https://chat.example/?key=1", secret=secret, at=AT)
    return url, json.loads(body)


def shown(body):
    """All texts in the JSON, which are all that a chat could read as markup."""
    if isinstance(body, dict | list):
        return [text for part in (body.values() if isinstance(body, dict) else body) for text in shown(part)]
    return [body] if isinstance(body, str) else []


def test_slack_gets_rich_text_which_it_does_not_parse():
    section = [
        {"type": "text", "text": f"{SAID} "},
        {"type": "link", "url": LINK, "text": "Open in Countersign"},
    ]
    block = {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": section}]}
    assert sent("slack")[1] == {"text": SAID, "blocks": [block], "unfurl_links": False}


@pytest.mark.parametrize("name", ["feishu", "lark"])
def test_feishu_and_lark_get_a_post_of_their_language(name):
    line = [
        {"tag": "text", "text": f"{SAID} "},
        {"tag": "a", "text": "Open in Countersign", "href": LINK},
    ]
    assert sent(name)[1] == {"msg_type": "post", "content": {"post": {"en_us": {"content": [line]}}}}
    [(locale, post)] = sent(name, language="zh")[1]["content"]["post"].items()
    assert (locale, post["content"][0][0]["text"]) == ("zh_cn", "octocat（账号 583231）签署了 icla 2.0。 ")


def test_dingtalk_and_wecom_get_plain_text():
    plain = {"content": f"{SAID}\nOpen in Countersign: {LINK}"}
    assert sent("dingtalk")[1] == {"msgtype": "text", "text": plain, "at": {"isAtAll": False}}
    assert sent("wecom")[1] == {"msgtype": "text", "text": plain}


def test_teams_gets_a_card_without_markdown():
    [card] = sent("teams")[1]["attachments"]
    assert card["content"]["body"] == [{"type": "RichTextBlock", "inlines": [{"type": "TextRun", "text": SAID}]}]
    assert card["content"]["actions"] == [{"type": "Action.OpenUrl", "title": "Open in Countersign", "url": LINK}]


def test_signatures_follow_the_formulas_of_feishu_and_dingtalk():
    """Made by `openssl dgst -sha256 -hmac KEY -binary | base64`, with the secret of DingTalk's own example."""
    secret = b"this is secret"
    feishu = {"timestamp": "1599360473", "sign": "/eYKrXQBzTjUZJ3s6NX16VxGbTwmK7AEs8/FnvC1CSw="}
    assert feishu_signature(secret, AT) == feishu
    assert {key: sent("lark", secret=secret)[1][key] for key in feishu} == feishu
    dingtalk = {"timestamp": "1599360473000", "sign": "hXZTWifRGHclNuZSKxoXc//sh51SWfVfRIhcdeKs63I="}
    assert dingtalk_signature(secret, AT) == dingtalk
    url, body = sent("dingtalk", secret=secret)
    signed = "timestamp=1599360473000&sign=hXZTWifRGHclNuZSKxoXc%2F%2Fsh51SWfVfRIhcdeKs63I%3D"
    assert url == f"https://chat.example/?key=1&{signed}"
    assert "sign" not in body


@pytest.mark.parametrize("name", ["slack", "wecom", "teams"])
def test_chats_without_robot_secrets_get_no_signature_in_message_and_address(name):
    assert sent(name, secret=b"this is secret") == sent(name)


@pytest.mark.parametrize("called", HOSTILE)
@pytest.mark.parametrize("name", CHAT_FORMATS)
def test_names_of_others_make_no_markup_no_mention_and_no_link(name, called):
    harmless, hostile = (shown(sent(name, company(company_name))[1]) for company_name in ("Huawei", called))
    assert len(harmless) == len(hostile)
    for clean, text in zip(harmless, hostile, strict=True):
        if clean != text:
            foreign = text.replace(f"{SITE}/admin/companies/01C", "")
            assert not {"<", ">", "@", "\u202e", "\u2028", "\r"} & set(foreign)
            assert "://" not in foreign.replace("\u200b://", "")
            assert not re.search(r"evil[.。]example|www[.]evil", foreign)
            assert foreign.count("\n") == clean.count("\n")
            assert not re.search(r"&(lt|gt);|\{\{|\$\{", foreign)


def test_slack_gets_its_control_signs_as_entities_in_notifications():
    told = company("A&T R & D")
    assert sent("slack", told)[1]["text"].startswith("A&amp;\u200bT R &amp; D changed")
    assert "A&\u200bT R & D" in message(told, "en", site=SITE).text


def test_logins_repositories_dependencies_and_licences_are_as_harmless():
    account = event("signed", SIGNATURE | {"account": {"id": 1, "login": "<!here>"}})
    text = message(account, "en", site=SITE).text
    assert text.startswith("\uff1c!here\uff1e (account 1)")
    violation = {"dependency": "@scope/evil.com", "version": "<1>", "license": "https://x.y", "rule": "r1"}
    night = {"owner": {"id": 3}, "repository": {"name": "cann/a?b"}, "count": 2, "violations": [violation] * 2}
    found = message(event("license-violation", night), "en", site=SITE)
    assert found.text == (
        "cann/a?b newly violates the licence rules 2 times, first with \uff20scope/evil.\u200bcom \uff1c1\uff1e"
        " (https\u200b://x.\u200by)."
    )
    assert found.link == f"{SITE}/admin/licenses/3"


def test_a_verdict_leads_to_its_explanation_and_has_its_public_reasons():
    verdict = {"repository": {"id": 5, "name": "cann/a?b"}, "number": 7, "conclusion": "failure", "previous": None}
    found = message(
        event("verdict-changed", verdict | {"reasons": ["cla/not-covered", "dco/missing"]}), "zh", site=SITE
    )
    assert found.text == "cann/a?b#7 检查未通过：cla/not-covered、dco/missing。"
    assert found.link == f"{SITE}/pr/cann/a%3Fb/7"
    assert found.label == "在 Countersign 中查看"
    nothing = message(event("verdict-changed", verdict | {"reasons": []}), "en", site=SITE)
    assert nothing.text.endswith("the check: ?.")


def test_what_waits_for_administrators_leads_to_their_page():
    found = message(event("attention-needed", {"change": "mail.failed", "page": "/admin"}), "en", site=SITE)
    assert found.plain == f"An e-mail could not be delivered.\nOpen in Countersign: {SITE}/admin"


@pytest.mark.parametrize(
    "told", [b'{"event": "signed", "change": "new"}', b'{"event": "new"}', company("x", "new.kind")]
)
def test_an_event_of_a_later_release_is_said_to_have_no_sentence(told):
    with pytest.raises(LookupError, match=r"^this release has no sentence for the event$"):
        message(told, "en", site=SITE)


def test_every_change_has_a_sentence_and_both_languages_ask_for_the_same_values():
    names = {
        section: {key: [name for _, name, _, _ in string.Formatter().parse(said) if name] for key, said in part.items()}
        for section, part in words("en").items()
    }
    conclusions = {"success", "failure", "neutral", "action_required"}
    assert {section: set(part) for section, part in names.items()} == {
        "message": {"link"},
        "signed": set(SIGNED),
        "withdrawn": set(WITHDRAWN),
        "company-changed": set(COMPANY | SIGNED),
        "verdict-changed": conclusions,
        "license-violation": {"one", "more"},
        "attention-needed": {*ATTENTION, UNDELIVERED},
    }
    assert set(get_args(Event)) == set(names) - {"message"} == set(chat_formats._PAGES)
    for section, part in words("zh").items():
        assert set(part) == set(names[section])
        for key, said in part.items():
            asked = {name for _, name, _, _ in string.Formatter().parse(said) if name}
            assert asked == set(names[section][key]), (section, key)


@pytest.mark.parametrize("letter", ["x.", "汉", "<"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_longest_message_is_short_enough_for_every_chat(letter, language):
    long = letter * 1000
    violation = {"dependency": long, "version": long, "license": long, "rule": "r1"}
    night = {"owner": {"id": 3}, "repository": {"name": long}, "count": 1, "violations": [violation]}
    _, body = sent("wecom", event("license-violation", night), language)
    assert len(body["text"]["content"].encode()) <= 2048


@pytest.mark.parametrize(
    ("answer", "number"),
    [
        (b'{"errcode": 0}', 0),
        (b'{"errcode": 310000, "errmsg": "x"}', 310000),
        (b'{"errcode": false}', None),
        (b'{"errcode": "0"}', None),
        (b'{"errcode": 0.0}', None),
        (b'{"errcode": 12345678901}', None),
        (b'{"errcode": 0', None),
        (b'{"code": 0}', None),
        (b"[0]", None),
        (b"ok", None),
        (b"", None),
        (b"\xff", None),
        (b"[" * 4096, None),
    ],
)
def test_only_a_documented_zero_says_that_a_message_was_taken(answer, number):
    assert CHAT_FORMATS["wecom"].number(answer) == number
