"""A bot or an exempt machine account needs no sign-off on the commits that it proves to be its own."""

import pytest

BOT = {"id": 99, "login": "helper[bot]", "type": "Bot"}


def test_a_known_agent_that_is_a_bot_certifies_nothing(commit, verdict):
    devin = {"name": "Devin", "email": "158243242+devin-ai-integration[bot]@users.noreply.github.com"}
    account = {"id": 158243242, "login": "devin-ai-integration[bot]", "type": "Bot"}
    work = commit(author=devin, author_account=account, message="Add")
    for senders in ([], [{**account, "may_write": False}], [{**account, "may_write": True}]):
        assert verdict(work, senders=senders).checks[0].commits[0].codes == ("dco/missing",)


@pytest.mark.parametrize(("email", "sender", "proven"), [
    ("99+helper[bot]@users.noreply.github.com", BOT, True),
    ("99+renamed[bot]@users.noreply.github.com", BOT, True),
    ("98+helper[bot]@users.noreply.github.com", BOT, False),
    ("helper[bot]@users.noreply.github.com", BOT, False),
    ("11+evil[bot]@users.noreply.github.com", {"id": 11, "login": "ada", "type": "User"}, False),
    ("11+evil[bot]@users.noreply.github.com", None, False),
])  # fmt: skip
def test_a_bot_s_address_without_a_bot_s_account_certifies_nothing(commit, verdict, email, sender, proven):
    """Any author can write a bot's address, so its id must be that of an actor who is a bot."""
    work = commit(author={"name": "helper[bot]", "email": email}, author_account=None, message="Bump")
    judged = verdict(work, senders=[{**sender, "may_write": False}] if sender else [])
    assert (judged.checks[0].commits[0].codes == ("dco/bot",)) is proven
    assert judged.conclusion.passes is proven


MACHINE = {"id": 50, "login": "machine", "type": "User"}


@pytest.mark.parametrize(("who", "code"), [(BOT, "dco/bot"), (MACHINE, "dco/exempt")])
@pytest.mark.parametrize("email", ["m@x.org", "{id}+{login}@users.noreply.github.com"])
def test_a_machine_proves_only_the_commits_that_it_pushed(commit, verdict, who, code, email):
    named = {"name": "Machine", "email": email.format(**who)}
    account = None if who is BOT and "noreply" in email else who  # GraphQL names no account for a bot.
    given = {"author": named, "author_account": account, "committer": named, "committer_account": account}
    pushed, forged = commit(message="Sync", **given), commit(sha="b" * 40, message="Sync", **given)

    def codes(**sender):
        rules = {"dco": {"exempt": [{"id": 50}]}}
        found = verdict(forged, pushed, rulebook=rules, senders=[{**who, "may_write": False, **sender}]).checks[0]
        return [status.codes == (code,) for status in found.commits]

    assert codes(shas=["a" * 40]) == [False, True]
    assert codes(shas=[]) == [False, False], "it reopened the pull request, and pushed nothing"
    assert codes() == codes(shas=None) == [True, True], "not looked at"


def test_the_committer_s_own_sign_off_certifies_an_unproven_bot_s_commit(commit, verdict):
    assert verdict(commit(author={"name": "helper[bot]", "email": "x@y.org"}, author_account=BOT)).conclusion.passes
    pushed = [{**BOT, "may_write": False}]
    assert not verdict(commit(committer_account=BOT, message="Add"), senders=pushed).conclusion.passes
