"""Sign-offs are found with their pull request, for their account alone."""

from datetime import timedelta

from agreements.facts import Account
from agreements.store.people import person_rows, portal_signoffs
from agreements.store.people.portal_signoffs import PortalSignoffDraft
from bot.store.pulls import signed_pulls
from tests.bot.store.pulls.test_named_pulls import NOON, stored
from tests.within import within


def test_an_accounts_sign_offs_are_listed_the_newest_first_with_their_pull_request(sessions, vault):
    with sessions() as session:
        stored(session, 9, number=7)
        stored(session, 9, number=8)
        ids = iter(("ada", "bob", *"1234567890"))
        made = []
        for number, account in ((7, Account(11, "ada")), (8, Account(11, "ada")), (7, Account(12, "bob"))):
            context = within(session, vault, NOON + timedelta(hours=number), lambda: next(ids), by=account.id)
            person = person_rows.ensure(context, account)
            draft = PortalSignoffDraft(
                repository_id=9, number=number, shas=("a" * 40,), text_sha256="d" * 64, statement_id="s", statement_sha256="e" * 64,
                language="en", identity_proof="github-oauth",
            )  # fmt: skip
            made.append(portal_signoffs.add(context, person, draft).id)

        found = signed_pulls.of_account(session, 11)
        assert [(row.id, pull.name, pull.number) for row, pull in found] == [
            (made[1], "Ops-Math", 8),
            (made[0], "Ops-Math", 7),
        ]
        assert [row.id for row, _pull in signed_pulls.of_account(session, 11, made[0])] == [made[0]]
        assert signed_pulls.of_account(session, 11, made[2]) == []
