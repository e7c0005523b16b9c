"""A file of endpoints that is not valid or not private fails, and so do webhooks that failed."""

from datetime import UTC, datetime

import pytest

from agreements.vault import KeyRing, Vault
from bot.store import outgoing_webhooks
from bot.store.outgoing_webhooks import QUEUE
from tests.bot.claims import take
from tests.within import within

GOOD = (
    "webhooks:\n  chat:\n    url: https://hooks.example.org/\n    secret: correct-horse-battery\n    events: [signed]\n"
)
AT = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.slow
def test_an_invalid_or_world_readable_file_fails_with_the_words_of_serve(deployed):
    file = deployed.folder / "webhooks.yml"
    file.write_text(GOOD)
    file.chmod(0o600)
    status, said = deployed.item("webhooks.endpoints", WEBHOOKS=str(file))
    assert (status, said) == ("pass", "Outgoing webhooks go to chat.")
    file.chmod(0o644)
    assert deployed.item("webhooks.endpoints", WEBHOOKS=str(file))[0] == "fail"
    file.write_text(GOOD.replace("https", "http"))
    status, said = deployed.item("webhooks.endpoints", WEBHOOKS=str(file))
    assert status == "fail"
    assert "line 3: webhooks.chat: url must begin with https://" in said


@pytest.mark.slow
def test_the_address_of_a_chat_is_never_shown(deployed):
    file = deployed.folder / "webhooks.yml"
    chat = GOOD.replace("    secret: correct-horse-battery\n", "    format: slack\n").replace("org/", "org/T0K3N")
    for text in (chat, chat.replace("slack", "slak"), chat.replace("chat:", "https://hooks.example.org/T0K3N:")):
        file.write_text(text)
        file.chmod(0o600)
        status, said = deployed.item("webhooks.endpoints", WEBHOOKS=str(file))
        assert status == ("pass" if text == chat else "fail")
        assert "T0K3N" not in said


@pytest.mark.slow
def test_files_with_an_address_or_a_secret_must_be_private(deployed):
    file, url, secret = (deployed.folder / name for name in ("webhooks.yml", "chat.url", "chat.secret"))
    file.write_text("webhooks:\n  chat: {url_file: chat.url, secret_file: chat.secret, events: [signed]}\n")
    url.write_text("https://hooks.example.org/T0K3N")
    secret.write_text("correct-horse-battery")
    for path in (file, url, secret):
        path.chmod(0o600)
    assert deployed.item("webhooks.endpoints", WEBHOOKS=str(file))[0] == "pass"
    for path in (url, secret):
        path.chmod(0o644)
        said = f"Every account of this machine can read {path} (its mode is 644)."
        assert deployed.item("webhooks.endpoints", WEBHOOKS=str(file)) == ("fail", said)
        path.chmod(0o600)


def test_failed_webhooks_are_counted(deployed):
    file = deployed.folder / "webhooks.yml"
    file.write_text(GOOD)
    assert deployed.item("webhooks.taken", WEBHOOKS=str(file))[0] == "pass"
    with deployed.sessions() as session:
        vault = Vault(KeyRing.parse(deployed.keys.read_text()))
        outgoing_webhooks.add(within(session, vault, AT, lambda: "w1"), b"{}", endpoints=["chat"], event="signed", account_id=None)  # fmt: skip
    with deployed.sessions() as session:
        QUEUE.failed(session, take(session, QUEUE, at=AT), "410")
    assert deployed.item("webhooks.taken", WEBHOOKS=str(file)) == (
        "fail",
        "1 outgoing webhook failed after a day of retries.",
    )
