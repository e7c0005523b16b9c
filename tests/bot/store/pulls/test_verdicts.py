"""Verdicts are kept by codes, commits and ids, without names and addresses."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from agreements.facts import Account, Check, Conclusion, Note, Problem, Verdict
from agreements.vault import KeyRing, Vault
from bot import verdict_codes
from bot.store.pulls import overrides, posts, pushes, verdicts
from bot.store.pulls.posts import PullRequestIdentity
from tests.bot.jobs.inline import InlineEngine
from tests.within import within

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
RED = Verdict(
    conclusion=Conclusion.FAILURE,
    checks=(
        Check(
            name="CLA",
            conclusion=Conclusion.FAILURE,
            problems=(
                Problem(
                    code="cla/unsigned",
                    account=Account(7, "ann"),
                    role="opener",
                    values={"agreement": "icla", "also": ("company",)},
                ),
                Problem(
                    code="cla/unlinked-email",
                    sha="a" * 40,
                    role="author",
                    values={"email": "a…e@example.org", "name": "Ann Example"},
                ),
            ),
            notes=(Note(code="cla/exempt", account=Account(8, "bot[bot]", "Bot")),),
        ),
    ),
)
BOX = PullRequestIdentity(repository_id=11, number=1, installation_id=1, owner_id=7, owner="cann", name="ge")
GREEN = Verdict(conclusion=Conclusion.SUCCESS)


def test_a_verdict_is_kept_by_codes_commits_and_account_ids(sessions):
    with sessions() as session:
        pull_id = posts.post(session, InlineEngine(), BOX)[0]
        assert verdicts.latest(session, pull_id) is None
        verdicts.add(session, pull_id, "a" * 40, RED, at=NOON)
    with sessions() as session:
        kept = verdicts.latest(session, pull_id)
        assert (kept.head_sha, kept.judged_at, kept.conclusion) == ("a" * 40, NOON, "failure")
        assert kept.codes == [
            {
                "check": "CLA", "code": "cla/unsigned", "sha": None, "account": 7, "role": "opener",
                "values": {"agreement": "icla", "also": ["company"]},
            },
            {"check": "CLA", "code": "cla/unlinked-email", "sha": "a" * 40, "account": None, "role": "author"},
            {"check": "CLA", "code": "cla/exempt", "sha": None, "account": 8},
        ]  # fmt: skip
        first = kept.id
        verdicts.add(session, pull_id, "a" * 40, RED, at=NOON + timedelta(seconds=1))
        assert verdicts.latest(session, pull_id).id == first
        passed = verdicts.add(session, pull_id, "a" * 40, GREEN, at=NOON + timedelta(seconds=1))
        assert passed.gone == {"cla/unsigned", "cla/unlinked-email", "cla/exempt"}
        assert not verdicts.add(session, pull_id, "a" * 40, RED, at=NOON + timedelta(seconds=1)).gone
        assert verdicts.latest(session, pull_id).id == first + 2


@pytest.mark.parametrize("code", sorted(verdict_codes.declared()))
def test_no_value_that_may_name_a_person_is_kept(sessions, code):
    names = (
        "agent", "agreement", "by", "by_sha", "company", "current", "domain", "email", "expected", "found", "line", "name",
        "path", "since", "version", "where",
    )  # fmt: skip
    values = {name: f"{name} of Ann Example <ann@example.org>" for name in names}
    told = Verdict(
        conclusion=Conclusion.FAILURE,
        checks=(Check(name="x", conclusion=Conclusion.FAILURE, problems=(Problem(code=code, values=values),)),),
    )
    with sessions() as session:
        pull_id = posts.post(session, InlineEngine(), BOX)[0]
        verdicts.add(session, pull_id, "a" * 40, told, at=NOON)
        kept = verdicts.latest(session, pull_id).codes[0].get("values", {})

    assert (kept.get("why") == "agent") is (code == "dco/missing"), "only that there is one"
    assert kept.keys().isdisjoint({"agent", "company", "domain", "email", "expected", "found", "line", "name"})
    assert "ann@" not in str(kept)


def test_mistakes_of_a_rulebook_are_kept_with_addresses_masked(sessions):
    error = "line 3: people.exempt: not a number: ann.example@example.org"
    problem = Problem(code="rulebook/invalid", values={"errors": (error, "line 4: did you mean cla?")})
    red = Verdict(
        conclusion=Conclusion.FAILURE,
        checks=(Check(name="Rulebook", conclusion=Conclusion.FAILURE, problems=(problem,)),),
    )
    with sessions() as session:
        pull_id = posts.post(session, InlineEngine(), BOX)[0]
        verdicts.add(session, pull_id, "a" * 40, red, at=NOON)
    with sessions() as session:
        kept = verdicts.latest(session, pull_id)
        masked = "line 3: people.exempt: not a number: a…e@example.org"
        assert kept.codes[0]["values"] == {"errors": [masked, "line 4: did you mean cla?"]}
        verdicts.add(session, pull_id, "a" * 40, red, at=NOON + timedelta(seconds=1))
        assert verdicts.latest(session, pull_id).id == kept.id


def test_the_logins_are_those_of_people_who_acted_on_the_pull_request(sessions):
    vault = Vault(KeyRing.parse(KeyRing.generate("k1")))
    with sessions() as session:
        pull_id = posts.post(session, InlineEngine(), BOX)[0]
        other = posts.post(session, InlineEngine(), replace(BOX, number=2))[0]
        for number, login in enumerate(["ann", "ann-renamed"]):
            pushes.record(session, pull_id, Account(7, login), after="a" * 40, before="", sequence=number + 1)
        pushes.record(session, other, Account(8, "elsewhere"), after="b" * 40, before="", sequence=1)
        for minute, login in [(1, "bo"), (0, "bo-once")]:
            override = overrides.OverrideDraft(
                pull_id=pull_id,
                kind="cla",
                account_id=7,
                head_sha="a" * 40,
                by=Account(9, login),
                by_role="admin",
                comment_id=minute + 1,
                reason="r",
            )
            at = NOON + timedelta(minutes=minute)
            overrides.add(within(session, vault, at, f"o{minute}"), override)
    with sessions() as session:
        assert verdicts.logins(session, pull_id) == {7: "ann-renamed", 9: "bo"}


def test_the_first_verdict_of_a_head_is_its_earliest(sessions):
    with sessions() as session:
        pull_id = posts.post(session, InlineEngine(), BOX)[0]
        for minute, (head, verdict) in enumerate([("a", RED), ("b", RED), ("a", GREEN), ("b", GREEN)]):
            verdicts.add(session, pull_id, head * 40, verdict, at=NOON + timedelta(minutes=minute))
    with sessions() as session:
        assert verdicts.first(session, pull_id, "a" * 40) == NOON
        assert verdicts.first(session, pull_id, "b" * 40) == NOON + timedelta(minutes=1)
        assert verdicts.first(session, pull_id, "c" * 40) is None
        assert verdicts.first(session, pull_id + 1, "a" * 40) is None
