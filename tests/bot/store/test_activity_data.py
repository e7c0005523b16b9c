"""The bot's tables give an account its own rows, with times instead of contents."""

import json
from datetime import UTC, datetime

from agreements.facts import Account
from agreements.vault import KeyRing, Vault
from bot.store import activity_data, notifications, outbox, portal_sessions
from bot.store.outbox import Email
from bot.store.pulls import overrides, posts, pull_state
from bot.store.pulls.overrides import OverrideDraft
from bot.store.pulls.posts import PullRequestIdentity
from bot.store.records import PushRecord, VerdictRecord
from tests.bot.jobs.inline import InlineEngine
from tests.within import within

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


def test_the_data_of_an_account_has_its_rows_without_contents_of_mail_and_sessions(sessions):
    vault = Vault(KeyRing.parse(KeyRing.generate("k1")))
    box = PullRequestIdentity(repository_id=11, number=7, installation_id=1, owner_id=7, owner="cann", name="ge")
    codes = [{"code": "cla/unsigned", "account": 11}, {"code": "cla/unsigned", "account": 12}]
    with sessions() as session:
        pull_id = posts.post(session, InlineEngine(), box)[0]
        pull_state.replace_participants(session, pull_id, [11, 12])
        told = {"pull_id": pull_id, "head_sha": "a" * 40}
        session.add(VerdictRecord(judged_at=NOON, conclusion="failure", codes=codes, **told))
        session.add(VerdictRecord(judged_at=NOON, conclusion="success", codes=[], **told))
        for account_id, login in ((11, "ada"), (12, "bob")):
            pushed = {"sender_id": account_id, "sender_login": login, "sender_type": "User", "batches": []}
            session.add(PushRecord(pull_id=pull_id, sequence=account_id, after="a" * 40, **pushed))
            portal_sessions.keep(session, vault, f"hash-{login}", account_id, b"sealed", NOON)
            email = Email(kind="receipt", to=f"{login}@secret.example", language="en", account_id=account_id)
            outbox.add(within(session, vault, NOON, f"m-{login}"), email)
        draft = OverrideDraft(
            pull_id=pull_id, kind="cla", account_id=11, head_sha="a" * 40, by=Account(13, "mia"), by_role="admin", comment_id=1,
            reason="Her employer says so",
        )  # fmt: skip
        for account_id in (11, 12):
            notifications.choose(session, account_id, "daily" if account_id == 11 else "never", at=NOON)
        portal_sessions.choose_time_zone(session, 11, "Asia/Shanghai")
        overrides.add(within(session, vault, NOON, "o1"), draft)
    with sessions() as session:
        ada, bob = (activity_data.everything(session, vault, account_id) for account_id in (11, 12))

    assert ada["pull_requests"] == [
        {
            "pull_request": "cann/ge#7", "open": True,
            "verdicts": [{"at": "2026-11-21T12:00:00Z", "head_sha": "a" * 40, "about_you": [codes[0]]}],
        }
    ]  # fmt: skip
    assert [push["login"] for push in ada["pushes"]] == ["ada"]
    assert [(override["about_you"], override["by_you"], override["reason"]) for override in ada["overrides"]] == [
        (True, False, "Her employer says so")
    ]
    assert bob["overrides"] == []
    assert (len(ada["visits"]), ada["visits"][0]["began_at"]) == (1, "2026-11-21T12:00:00Z")
    assert [(mail["kind"], mail["state"]) for mail in ada["mail"]] == [("receipt", "waiting")]
    assert ada["notifications"] == [{"often": "daily", "told_entry": -1, "told_at": "2026-11-21T12:00:00Z"}]
    assert (ada["settings"], bob["settings"]) == ([{"time_zone": "Asia/Shanghai"}], [])
    assert "bob" not in json.dumps(ada)
    assert "secret.example" not in json.dumps(ada)
