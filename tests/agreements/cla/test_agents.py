"""Who answers for an AI agent's work, and what is said where no person does."""

import pytest

ADA = {"id": 11, "login": "ada", "type": "User"}
AGENT = {"id": 5, "login": "helper[bot]", "type": "Bot"}
SIGNED = {"agreement": "icla", "version": "2.0", "account": {"id": 11}, "signed_at": "2026-01-01T00:00:00Z"}


def book(policy="ignore", **people):
    agents = {"policy": policy, "accounts": [{"id": 5}], "emails": ["bot@agent.example"]}
    return {"repositories": [{"match": ["*"], "require": "cla"}], "people": {"agents": agents, **people}}


@pytest.fixture(name="check")
def _check(case, verdict):
    """The CLA check of a pull request that the agent opened, whose commit is by Ada's address."""

    def judge(*commits, opener=AGENT, **changes):
        request = {**case(*commits)["pull_request"], "opener": opener}
        return verdict(*commits, pull_request=request, signatures=[SIGNED], **changes).checks[0]

    return judge


def codes(check):
    return [one.code for one in (*check.problems, *check.notes)]


@pytest.mark.parametrize(("senders", "passes"), [
    ([], False), ([AGENT], False), ([ADA], True), ([{**ADA, "may_write": True}], True), ([{"id": 12, "login": "bo", "may_write": True}], False),
    ([{"id": 99, "login": "other[bot]", "type": "Bot", "may_write": True}], False), ([None], False),
])  # fmt: skip
def test_who_answers_for_an_agent_that_opened(check, senders, passes):
    """A covered person who pushed; one who only may write, a bot and a deleted account answer for nothing."""
    found = check(rulebook=book(), senders=senders)
    assert found.conclusion.passes is passes
    assert ("cla/agent-alone" in codes(found)) is not passes


def test_a_name_in_a_commit_answers_for_nothing(check, commit):
    """A covered author, committer or co-author is a claim that the agent may have written."""
    one = commit(coauthors=[{"name": "Ada", "email": "ada@huawei.com", "account": ADA}])
    assert codes(check(one, rulebook=book())) == ["cla/agent-alone", "cla/agent-ignored", "cla/individual"]


def test_no_second_problem(check):
    """Where a person opened or pushed and is not covered, that alone is said."""
    found = check(rulebook=book(), senders=[{"id": 12, "login": "bo"}])
    assert [one.code for one in found.problems] == ["cla/unsigned"]


@pytest.mark.parametrize(("policy", "opener", "senders", "asked"), [
    ("ignore", ADA, [], False), ("responsible", ADA, [], False), ("ignore", {"id": 50, "login": "machine"}, [], False),
    ("responsible", {"id": 50, "login": "machine"}, [], True), ("responsible", {"id": 50, "login": "machine"}, [ADA], False),
    ("ignore", {"id": 99, "login": "other[bot]", "type": "Bot"}, [], False), ("responsible", {"id": 99, "login": "other[bot]", "type": "Bot"}, [], True),
])  # fmt: skip
def test_work_of_an_agent_that_others_opened(check, commit, policy, opener, senders, asked):
    """`responsible` asks for a covered person whoever opened; `ignore` asks only where an agent opened or pushed."""
    one = commit(author={"name": "Helper", "email": "bot@agent.example"}, author_account=None)
    found = check(one, opener=opener, senders=senders, rulebook=book(policy, exempt=[{"id": 50}, {"id": 99}]))
    assert ("cla/agent-alone" in codes(found)) is asked
    assert found.conclusion.passes is not asked


@pytest.mark.parametrize(("role", "account"), [("opener", 5), ("author", None), ("committer", 5)])
def test_what_the_problem_names(check, commit, role, account):
    """The agent in its first role; its account's number, where it has one, is what a maintainer would exempt."""
    git = {"name": "Helper", "email": "bot@agent.example"}
    one = (
        commit(**{role: git, f"{role}_account": None if role == "author" else AGENT}) if role != "opener" else commit()
    )
    opener = AGENT if role == "opener" else {"id": 50, "login": "machine"}
    (problem,) = check(one, opener=opener, rulebook=book("responsible", exempt=[{"id": 50}])).problems
    assert (problem.code, problem.role, problem.account and problem.account.id) == ("cla/agent-alone", role, account)
    assert problem.values.get("id") == account


@pytest.mark.parametrize(("by", "covered"), [(ADA, True), ({"id": 12, "login": "bo"}, False)])
def test_a_voucher_must_be_covered(check, by, covered):
    """The problem names a voucher who is not."""
    said = [{"kind": "vouch", "account": None, "head_sha": "a" * 40, "by": by, "reason": "I read it"}]
    found = check(rulebook=book(), overrides=said)
    assert found.conclusion.passes is covered
    assert [one.values.get("voucher") for one in found.problems] == ([] if covered else ["bo"])


@pytest.mark.parametrize(("override", "email", "by", "passes"), [
    ("maintainers", "gone@old.org", {"id": 1, "login": "max"}, True), ("maintainers", "GONE@old.org", {"id": 1}, True),
    ("nobody", "gone@old.org", {"id": 1}, False), ("maintainers", "other@old.org", {"id": 1}, False), ("maintainers", "", {"id": 1}, False),
])  # fmt: skip
def test_an_address_that_was_exempted(check, commit, override, email, by, passes):
    """A dead address is taken out for this head, where the rulebook lets somebody do so."""
    gone = commit(author={"name": "Gone", "email": "gone@old.org"}, author_account=None)
    said = [{"kind": "cla", "account": None, "email": email or "x@y.org", "head_sha": "a" * 40, "by": by}]
    found = check(gone, opener=ADA, rulebook=book(override=override), overrides=said)
    assert found.conclusion.passes is passes
    stale = [{**said[0], "head_sha": "b" * 40}]
    assert not check(gone, opener=ADA, rulebook=book(override=override), overrides=stale).conclusion.passes


@pytest.mark.parametrize(("by", "passes"), [({"id": 1, "login": "max"}, True), ({"id": 99, "login": "gone"}, False)])
def test_the_address_of_an_account_that_is_gone(check, commit, by, passes):
    """Its number in a no-reply address is a claim; who has that number exempts nothing of their own."""
    gone = commit(author={"name": "Gone", "email": "99+gone@users.noreply.github.com"}, author_account=None)
    said = [
        {"kind": "cla", "account": None, "email": "99+gone@users.noreply.github.com", "head_sha": "a" * 40, "by": by}
    ]
    assert not check(gone, opener=ADA, rulebook=book(override="admins")).conclusion.passes
    assert check(gone, opener=ADA, rulebook=book(override="admins"), overrides=said).conclusion.passes is passes


def test_an_address_of_an_account_is_exempted_by_its_account(check, commit):
    """Where GitHub names the account, an exempted address changes nothing."""
    one = commit(author={"name": "Bo", "email": "bo@x.org"}, author_account={"id": 12, "login": "bo"})
    said = [{"kind": "cla", "account": None, "email": "bo@x.org", "head_sha": "a" * 40, "by": {"id": 1}}]
    assert not check(one, opener=ADA, rulebook=book(override="admins"), overrides=said).conclusion.passes


@pytest.mark.parametrize(("account", "email", "why"), [
    ({"id": 13, "login": "acme", "type": "Organization"}, "team@acme.org", "organization"), ({"id": 13, "login": "m", "type": "Mannequin"}, "m@acme.org", "mannequin"),
    (None, "13+gone@users.noreply.github.com", "gone"),
])  # fmt: skip
def test_who_cannot_sign(check, commit, account, email, why):
    """An organisation, a mannequin and an account that is gone are not asked to sign."""
    (problem,) = check(
        commit(author={"name": "X", "email": email}, author_account=account), opener=ADA, rulebook=book()
    ).problems
    assert (problem.code, problem.values["why"], problem.account.id) == ("cla/cannot-sign", why, 13)


def test_a_number_that_github_names_elsewhere_is_not_gone(check, commit):
    """The same account pushed: it exists, and is asked to sign."""
    one = commit(author={"name": "Bo", "email": "12+bo@users.noreply.github.com"}, author_account=None)
    found = check(one, opener=ADA, rulebook=book(check=["opener", "authors"]), senders=[{"id": 12, "login": "bo"}])
    assert [problem.code for problem in found.problems] == ["cla/unsigned"]


@pytest.mark.parametrize(("sender", "code"), [
    ({"may_write": True}, "cla/sender-writes"), ({"may_write": False}, "cla/bot-not-listed"),
])  # fmt: skip
def test_a_bot_that_may_write(check, sender, code):
    """It only brought the base branch in, or rebased: noted like a person who may write."""
    found = check(opener=ADA, rulebook=book(), senders=[{"id": 99, "login": "mergify[bot]", "type": "Bot", **sender}])
    assert code in codes(found)
    assert found.conclusion.passes is (code == "cla/sender-writes")


def test_a_bot_that_may_write_brings_work_of_its_own(check, commit):
    """Then it is judged as its author."""
    bot = {"id": 99, "login": "mergify[bot]", "type": "Bot"}
    one = commit(author={"name": "m", "email": "99+mergify[bot]@users.noreply.github.com"}, author_account=None)
    found = check(one, opener=ADA, rulebook=book(), senders=[{**bot, "may_write": True}])
    assert "cla/bot-not-listed" in codes(found)
