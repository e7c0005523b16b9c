"""Another server is told what happens, signed and by one id, also after it was away: with the real server as a process."""

import json
import sqlite3
from pathlib import Path

import jsonschema_rs
import pytest

from bot import clock
from tests.bot.notifications.chat_server import ROBOT_SECRET, TOKEN, chat_server
from tests.bot.notifications.receiver import SECRET, Receiver
from tests.conftest import free_port

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
SCHEMA = jsonschema_rs.validator_for(
    json.loads((ROOT / "docs/reference/outgoing-webhooks.schema.json").read_text(encoding="utf-8"))
)


@pytest.fixture(name="receiver")
def _receiver(tmp_path):
    """A receiver that is away until a test starts it."""
    receiver = Receiver(tmp_path, free_port())
    yield receiver
    receiver.stop()


@pytest.fixture(name="telling")
def _telling(staged, tmp_path, receiver):
    """A community whose server tells the receiver of verdicts."""
    file = tmp_path / "webhooks.yml"
    text = f"webhooks:\n  chat: {{url: '{receiver.url}', secret: {SECRET}, events: [verdict-changed]}}\n"
    file.write_text(text)
    file.chmod(0o600)
    play = staged(settings={"COUNTERSIGN_WEBHOOKS": str(file)})
    play.community()
    play.stage.serve()
    return play


def told(play):
    """What the log says of outgoing webhooks: event and, of one that was not taken, what becomes of it."""
    return [(line["event"], line.get("state")) for line in play.log() if line["event"].startswith("outgoing-webhook.")]


def a_minute_later(play):
    """The next try is due now."""
    database = sqlite3.connect(play.stage.folder / "countersign.db", timeout=10)
    with database:
        database.execute("UPDATE outgoing_webhook SET due_at = made_at WHERE state = 'waiting'")
    database.close()


def test_a_receiver_that_was_away_gets_every_webhook(telling, receiver):
    ada = telling.person("ada", "ada@example.org")
    _, pull = telling.opens(ada)
    telling.judged(pull, "failure")
    telling.until(lambda: told(telling) == [("outgoing-webhook.not-taken", "waiting")])
    [(number, attempts)] = telling.rows("SELECT id, attempts FROM outgoing_webhook")
    assert attempts == 1

    receiver.start()
    a_minute_later(telling)
    telling.until(lambda: len(receiver.received) == 1)
    telling.until(lambda: told(telling)[-1] == ("outgoing-webhook.sent", None))
    [first] = receiver.received
    assert (first["event"], first["delivery"]) == ("verdict-changed", number)
    SCHEMA.validate(first["body"])
    assert first["body"]["number"] == pull.number
    assert (first["body"]["previous"], first["body"]["conclusion"]) == (None, "failure")
    assert SECRET not in (telling.stage.folder / "serve.log").read_text()


def test_a_group_at_dingtalk_is_told_with_a_link_and_its_refusal_shows_no_secret(staged, tmp_path):
    with chat_server("dingtalk", clock.now) as chat:
        (tmp_path / "chat.url").write_text(chat.url)
        (tmp_path / "chat.secret").write_text(ROBOT_SECRET)
        file = tmp_path / "webhooks.yml"
        file.write_text(
            "webhooks:\n  chat: {format: dingtalk, url_file: chat.url, secret_file: chat.secret, language: zh, events: [verdict-changed]}\n"
        )
        file.chmod(0o600)
        play = staged(settings={"COUNTERSIGN_WEBHOOKS": str(file), "COUNTERSIGN_LOG_LEVEL": "debug"})
        play.community()
        play.stage.serve()
        chat.answer = 200, b'{"errcode":310000,"errmsg":"sign not match"}'
        _, pull = play.opens(play.person("ada", "ada@example.org"))
        play.judged(pull, "failure")
        play.until(lambda: told(play) == [("outgoing-webhook.not-taken", "waiting")])
        assert play.rows("SELECT error FROM outgoing_webhook") == [("the endpoint refused it with errcode 310000",)]

        chat.answer = None
        a_minute_later(play)
        play.until(lambda: len(chat.messages) == 1)
    [message] = chat.messages
    sentence, link = message["text"]["content"].splitlines()
    name, _, result = sentence.partition(f"#{pull.number} ")
    assert result.startswith("检查未通过：")
    assert link == f"在 Countersign 中查看: {play.stage.url}/pr/{name}/{pull.number}"
    log = (play.stage.folder / "serve.log").read_text()
    for secret in (ROBOT_SECRET, TOKEN, "access_token"):
        assert secret not in log
