"""A token is known by its hashes, opens what its log entry says, and each step of it is logged."""

import threading
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import delete, insert, text
from sqlmodel import select

from agreements.store.integrity.verification import VerificationOptions, verify
from agreements.store.ledger.transient_rows import RowRefused
from agreements.store.tables.ledger_records import LedgerEntry, RowMac
from agreements.vault import KeyRing, Vault
from bot.clock import new_id as fresh
from bot.store import tokens
from bot.store.logged_tables import TABLES
from bot.store.tokens import SCOPES, ApiToken, TokenRefused
from tests.within import within

AT = datetime(2026, 1, 1, tzinfo=UTC)
DAY = timedelta(days=1)
OLD, NEW = KeyRing.generate("k1"), KeyRing.generate("k2")
VAULT = Vault(KeyRing.parse(OLD))


def context(session, at=AT, by=None):
    return within(session, VAULT, at, fresh, by=by)


def make(session, name="ci", scopes=("covered:read",), until=AT + DAY, new_id="t1"):
    made = tokens.make(within(session, VAULT, AT, new_id, by=90), name, scopes, until=until)
    context(session, by=90).log("token.made", rows=[made[0]])
    return made


def refusal(session, words, at=AT, vault=VAULT):
    """Why these words open nothing."""
    with pytest.raises((TokenRefused, RowRefused)) as refused:
        tokens.holder(session, vault, words, at=at)
    return refused.value.why


def kinds(session):
    return list(session.exec(select(LedgerEntry.kind).order_by(LedgerEntry.number)))


def test_a_token_is_stored_by_its_hash_and_found_until_it_ends(sessions):
    with sessions() as session:
        row, words = make(session, scopes=("personal", "covered:read"))
        assert len(words) == 44
        assert words[4:] not in str(row.model_dump())
        assert row.scopes == "covered:read personal"
        for later, noted in ((0, 0), (30, 0), (61, 61)):
            at = AT + timedelta(seconds=later)
            assert tokens.holder(session, VAULT, words, at=at).scopes == {"covered:read", "personal"}
            session.refresh(row)
            assert row.used_at == AT + timedelta(seconds=noted)
        assert refusal(session, words, AT + DAY) == "ended"


def test_an_unknown_or_misshapen_token_is_refused(sessions):
    with sessions() as session:
        _, words = make(session)
        for other in ("", "cst_", words[:-1], words + "x", words.swapcase(), "cst_" + "0" * 40, words + "\n", "é" * 44):
            assert refusal(session, other) == "unknown"


def test_a_token_is_revoked_once_and_at_once(sessions):
    with sessions() as session:
        _, words = make(session)
        row = tokens.revoke(within(session, VAULT, AT), "t1")
        assert row.revoked_at == AT
        context(session).log("token.revoked", rows=[row])
        assert tokens.revoke(within(session, VAULT, AT), "t1") is None
        assert tokens.revoke(within(session, VAULT, AT), "t9") is None
        assert refusal(session, words) == "ended"
        assert [token.id for token in tokens.newest(session, most=5)] == ["t1"]


def test_all_tokens_are_revoked_at_once_with_an_entry_each(sessions):
    with sessions() as session:
        _, words = make(session)
        _, others = make(session, new_id="t2")
        make(session, until=AT + DAY / 2, new_id="t3")  # Ended by itself.
        tokens.make(within(session, VAULT, AT, "t4", by=90), "unlogged", ["covered:read"], until=AT + DAY)
        later = AT + DAY / 2
        assert [tokens.revoke_all(context(session, later)) for _ in range(2)] == [2, 0]
        assert [refusal(session, each, later) for each in (words, others)] == ["ended", "ended"]
        assert kinds(session)[-3:] == ["token.made", "token.revoked", "token.revoked"]


@pytest.mark.parametrize(
    "wrong",
    [{"name": " "}, {"name": "x" * 101}, {"scopes": ()}, {"scopes": ("personal",)}, {"scopes": ("all", SCOPES[0])},
     {"until": AT}, {"until": AT + 366 * DAY}],
)  # fmt: skip
def test_a_token_without_purpose_end_or_scope_is_not_made(sessions, wrong):
    with sessions() as session, pytest.raises(ValueError, match=r"a token|not empty"):
        make(session, **wrong)


def test_a_token_without_a_log_entry_opens_nothing(sessions):
    with sessions() as session:
        _, words = tokens.make(within(session, VAULT, AT, "t1", by=90), "ci", ["covered:read"], until=AT + DAY)
        assert refusal(session, words) == "unlogged"
        assert tokens.refused(session, VAULT, tokens.newest(session, most=5)) == {"t1"}


def test_the_first_use_of_a_day_is_an_entry(sessions):
    with sessions() as session:
        _, words = make(session, until=AT + 3 * DAY)
    for at, logged in ((AT, False), (AT + DAY / 2, True), (AT + DAY, False), (AT + DAY, True)):
        with sessions() as session:
            assert tokens.holder(session, VAULT, words, at=at).logged is logged
        with sessions() as session:
            tokens.log_use(context(session, at), "t1", "covered")
    with sessions() as session:
        assert kinds(session) == ["token.made", "token.used", "token.used"]


def test_racing_first_uses_of_a_token_are_one_entry(sessions):
    with sessions() as session:
        make(session)
    barrier = threading.Barrier(4)

    def use():
        barrier.wait()
        with sessions() as session:
            tokens.log_use(context(session), "t1", "covered")

    threads = [threading.Thread(target=use) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with sessions() as session:
        assert kinds(session) == ["token.made", "token.used"]


def test_the_end_of_a_token_by_time_is_one_entry(sessions):
    with sessions() as session:
        make(session)
        make(session, new_id="t2")
        make(session, new_id="t3", until=AT + 9 * DAY)
        context(session).log("token.revoked", rows=[tokens.revoke(within(session, VAULT, AT), "t2")])
    for _ in range(2):
        with sessions() as session:
            assert tokens.log_ends(context(session, AT + DAY)) == []
    with sessions() as session:
        assert kinds(session)[3:] == ["token.revoked", "token.expired"]
        named = session.exec(select(LedgerEntry.rows).where(LedgerEntry.kind == "token.expired")).one()
        assert '"t1"' in named


def test_a_token_works_under_either_key_and_then_under_the_new_one(sessions):
    both, new = Vault(KeyRing.parse(f"{NEW}\n{OLD}")), Vault(KeyRing.parse(NEW))
    with sessions() as session:
        _, words = make(session)
        assert tokens.holder(session, both, words, at=AT).id == "t1"
        assert tokens.index(session, both) == 1
        assert tokens.index(session, both) == 0
        assert tokens.holder(session, both, words, at=AT).id == "t1"
        assert refusal(session, words, vault=VAULT) == "wrong-code"
        # The look-up fits; the code of the row in the log is of the old key until that is moved, too.
        assert refusal(session, words, vault=new) == "unlogged"


def test_a_token_of_an_earlier_release_gets_its_look_up_when_used(sessions):
    with sessions() as session:
        row, words = make(session)
        made = row.token_index
        session.execute(text("UPDATE api_token SET token_index = NULL"))
        assert tokens.holder(session, VAULT, words, at=AT).id == "t1"
        session.refresh(row)
        assert row.token_index == made
        session.execute(text("UPDATE api_token SET token_index = NULL, scopes = 'personal signatures:read'"))
        assert refusal(session, words) == "unlogged"
        assert tokens.index(session, VAULT) == 0


PLAIN = "INSERT INTO api_token (id, name, token_hash, scopes, made_at, made_by, expires_at, token_index) SELECT "
FORGERIES = {
    "a plain SHA-256": PLAIN + "'x', 'x', :hash, 'personal signatures:read', made_at, 90, expires_at, NULL FROM api_token WHERE id = 't1'",
    "the look-up of another row": PLAIN + "'x', 'x', :hash, 'personal signatures:read', made_at, 90, expires_at, token_index FROM api_token WHERE id = 't1'",
    "its own look-up, kept from a deleted row": PLAIN + "'x', 'x', :hash, 'personal signatures:read', made_at, 90, expires_at, :index FROM api_token WHERE id = 't1'",
}  # fmt: skip


@pytest.mark.parametrize("statement", FORGERIES.values(), ids=FORGERIES)
def test_an_inserted_row_opens_nothing(sessions, statement):
    words = "cst_" + "A" * 40
    known = tokens._hash(words)
    with sessions() as session:
        make(session)
        session.execute(text(statement), {"hash": known, "index": VAULT.blind_index(tokens.INDEX, known)})
        assert refusal(session, words) == "unlogged"
    with sessions() as session, pytest.raises(Exception, match="api_token x was added: no entry names it"):
        verify(session, VAULT, TABLES, VerificationOptions())
    with sessions() as session:
        assert tokens.index(session, VAULT) == 0
        assert refusal(session, words) == "unlogged"
        session.execute(text("DELETE FROM api_token WHERE id = 'x'"))
    with sessions() as session:
        assert verify(session, VAULT, TABLES, VerificationOptions()).entries == 1


CHANGES = {
    "wider": "UPDATE api_token SET scopes = 'covered:read personal' WHERE id = 't1'",
    "longer": "UPDATE api_token SET expires_at = '2027-01-01 00:00:00.000000+00:00' WHERE id = 't1'",
    "another name": "UPDATE api_token SET name = 'x' WHERE id = 't1'",
    "made by another": "UPDATE api_token SET made_by = 91 WHERE id = 't1'",
    "a revoked one revived": "UPDATE api_token SET revoked_at = NULL WHERE id = 't2'",
    "an expired one revived": "UPDATE api_token SET expires_at = '2027-01-01 00:00:00.000000+00:00' WHERE id = 't3'",
}


@pytest.fixture(name="three")
def _three(sessions):
    """Words of three tokens: one that is good, one that was revoked, one whose time is over at AT + DAY."""
    with sessions() as session:
        words = {name: make(session, new_id=name, until=until)[1]
                 for name, until in (("t1", AT + 9 * DAY), ("t2", AT + 9 * DAY), ("t3", AT + DAY))}  # fmt: skip
        context(session).log("token.revoked", rows=[tokens.revoke(within(session, VAULT, AT), "t2")])
    return words


@pytest.mark.parametrize("statement", CHANGES.values(), ids=CHANGES)
def test_a_changed_row_opens_nothing(sessions, three, statement):
    changed = next(name for name in ("t1", "t2", "t3") if statement.endswith(f"'{name}'"))
    with sessions() as session:
        session.execute(
            text(statement.replace("+00:00", "" if session.get_bind().dialect.name == "sqlite" else "+00:00"))
        )
        assert refusal(session, three[changed], AT + DAY) == "unlogged"
    with sessions() as session, pytest.raises(Exception, match=f"api_token {changed} that it names was changed"):
        verify(session, VAULT, TABLES, VerificationOptions())
    with sessions() as session:
        for write in (
            lambda: tokens.log_use(context(session, AT + DAY), changed, "covered"),
            lambda: tokens.revoke(within(session, VAULT, AT + DAY), changed),
        ):
            with pytest.raises(RowRefused):
                write()
        refused = tokens.log_ends(context(session, AT + 400 * DAY))
        assert [row_refused.row for row_refused in refused] == [changed]
        assert refusal(session, three[changed], AT + DAY) == "unlogged"


def test_a_row_inserted_again_opens_only_as_it_was(sessions, three):
    with sessions() as session:
        row = session.get(ApiToken, "t1").model_dump()
        for scopes, opens in ((row["scopes"], True), ("personal signatures:read", False)):
            session.execute(text("DELETE FROM api_token WHERE id = 't1'"))
            session.execute(insert(ApiToken).values({**row, "scopes": scopes}))
            if opens:
                assert tokens.holder(session, VAULT, three["t1"], at=AT).scopes == {"covered:read"}
            else:
                assert refusal(session, three["t1"]) == "unlogged"


def test_a_revoked_token_put_back_with_its_code_opens_nothing(sessions):
    with sessions() as session:
        row, words = make(session)
        kept = [row.model_dump(), session.get(RowMac, ("api_token", "t1")).model_dump()]
        context(session).log("token.revoked", rows=[tokens.revoke(within(session, VAULT, AT), "t1")])
        for model, values in zip((ApiToken, RowMac), kept, strict=True):
            session.execute(delete(model))
            session.execute(insert(model).values(values))
        session.expire_all()
        assert refusal(session, words) == "unlogged"
    with sessions() as session, pytest.raises(Exception, match="api_token t1 that it names was changed"):
        verify(session, VAULT, TABLES, VerificationOptions())


def test_swapped_hashes_of_two_tokens_open_nothing(sessions, three):
    with sessions() as session:
        mine, other = session.get(ApiToken, "t1"), session.get(ApiToken, "t3")
        hashes = [(token.token_hash, token.token_index) for token in (mine, other)]
        swap = text("UPDATE api_token SET token_hash = :hash, token_index = :index WHERE id = :id")
        for token_id, (value, index) in (("t1", ("between", None)), ("t3", hashes[0]), ("t1", hashes[1])):
            session.execute(swap, {"id": token_id, "hash": value, "index": index})
        assert [refusal(session, three[name]) for name in ("t1", "t3")] == ["unlogged", "unlogged"]
    with sessions() as session, pytest.raises(Exception, match=r"api_token t. that it names was changed"):
        verify(session, VAULT, TABLES, VerificationOptions())


def test_a_look_up_copied_from_another_token_opens_nothing(sessions, three):
    with sessions() as session:
        session.execute(
            text(
                "UPDATE api_token SET token_index = (SELECT token_index FROM api_token WHERE id = 't3') WHERE id = 't1'"
            )
        )
        assert refusal(session, three["t1"]) == "wrong-code"
        assert tokens.holder(session, VAULT, three["t3"], at=AT).id == "t3"
    with (
        sessions() as session,
        pytest.raises(Exception, match="look-up of the row api_token t1 that it names was changed"),
    ):
        verify(session, VAULT, TABLES, VerificationOptions())
