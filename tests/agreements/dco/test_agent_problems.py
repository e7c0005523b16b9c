"""Under the DCO no AI agent acts alone, and none takes part where the rulebook blocks agents."""

import pytest

ADA = {"id": 11, "login": "ada", "type": "User"}
AGENT = {"id": 5, "login": "helper[bot]", "type": "Bot"}
GIT = {"name": "Helper", "email": "bot@agent.example"}
MAINT = {"kind": "dco", "account": None, "head_sha": "a" * 40, "by": {"id": 1, "login": "max"}}


def book(policy="ignore", **dco):
    agents = {"policy": policy, "accounts": [{"id": 5}], "emails": ["bot@agent.example"]}
    return {"people": {"agents": agents}, "dco": dco}


@pytest.fixture(name="check")
def _check(case, verdict):
    """The DCO check of a pull request that the agent opened, whose commit Ada's address signs off."""

    def judge(*commits, opener=AGENT, **changes):
        request = {**case(*commits)["pull_request"], "opener": opener}
        return verdict(*commits, pull_request=request, **changes).checks[0]

    return judge


@pytest.mark.parametrize(("opener", "senders", "alone"), [
    (AGENT, [], True), (AGENT, [AGENT], True), (ADA, [AGENT], False), (AGENT, [ADA], False), (AGENT, [{"id": 12, "login": "bo", "may_write": True}], False),
    (AGENT, [{"id": 99, "login": "other[bot]", "type": "Bot"}], True), (AGENT, [None], True), (None, [AGENT], True), (ADA, [], False),
    ({"id": 99, "login": "other[bot]", "type": "Bot"}, [], False), ({"id": 198982749, "login": "Copilot", "type": "Bot"}, [], True),
])  # fmt: skip
def test_an_agent_alone_needs_a_person_who_opened_or_pushed(check, opener, senders, alone):
    """An agent could write any person's sign-off."""
    found = check(opener=opener, senders=senders, rulebook=book())
    assert [problem.code for problem in found.problems] == (["dco/agent-alone"] if alone else [])
    assert found.conclusion.passes is not alone
    assert [commit.status for commit in found.commits] == ["pass"]


@pytest.mark.parametrize("matching", ["evidence", "exact"])
def test_exact_knows_no_agents_unless_they_are_blocked(check, matching):
    """The DCO app (dco2) knows none either."""
    assert check(rulebook=book(matching=matching)).conclusion.passes is (matching == "exact")
    assert not check(rulebook=book("block", matching=matching)).conclusion.passes


@pytest.mark.parametrize("role", ["opener", "sender", "author", "committer", "coauthor"])
def test_a_blocked_agent_is_found_in_every_role_by_account_or_address(check, commit, role):
    changes = {
        "author": {"author": GIT, "author_account": None},
        "committer": {"committer": GIT, "committer_account": AGENT},
        "coauthor": {"coauthors": [{**GIT, "account": None}]},
    }.get(role, {})
    given = {"opener": {}, "sender": {"opener": ADA, "senders": [AGENT]}}.get(role, {"opener": ADA})
    work = commit(**changes)
    assert [(problem.code, problem.role) for problem in check(work, rulebook=book("block"), **given).problems] == [
        ("dco/agent-blocked", role)
    ]
    assert "dco/agent-blocked" not in [problem.code for problem in check(work, rulebook=book(), **given).problems]


@pytest.mark.parametrize(("known", "blocked"), [(True, True), (False, False)])
@pytest.mark.parametrize("role", ["coauthor", "committer"])
def test_a_known_agent_is_blocked_only_while_the_shipped_list_counts(check, commit, known, blocked, role):
    claude = {"name": "Claude", "email": "noreply@anthropic.com"}
    named = {
        "coauthor": {"coauthors": [{**claude, "account": None}]},
        "committer": {"committer": claude, "committer_account": None},
    }
    rules = {"people": {"agents": {"policy": "block", "known": known}}}
    found = check(commit(**named[role]), opener=ADA, rulebook=rules)
    assert [problem.code for problem in found.problems] == (["dco/agent-blocked"] if blocked else [])


@pytest.mark.parametrize("message", ["Add", "Add\n\nSigned-off-by: Ada <ada@huawei.com>"])
def test_an_override_does_not_let_a_blocked_agent_pass(check, commit, message):
    work = commit(message=message, coauthors=[{**GIT, "account": None}])
    found = check(work, opener=ADA, rulebook=book("block"), overrides=[MAINT])
    assert [problem.code for problem in found.problems] == ["dco/agent-blocked"]
    assert not found.conclusion.passes
    assert [status.status for status in found.commits] == ["pass"]


@pytest.mark.parametrize(
    ("exempt", "passes"), [([{"id": 5}], True), ([{"id": 6}], False), ([{"login": "helper[bot]"}], False), ([], False)]
)
def test_an_exempt_agent_needs_neither_a_person_nor_a_sign_off_for_its_own_commits(check, commit, exempt, passes):
    own = commit(author=GIT, author_account=AGENT, message="Add")
    found = check(own, rulebook=book(exempt=exempt))
    assert found.conclusion.passes is passes
    assert ("dco/exempt" in found.commits[0].codes) is passes


@pytest.mark.parametrize(("opener", "senders", "author", "passes"), [
    ({"id": 50, "login": "machine"}, [], 50, True), (ADA, [{"id": 50, "login": "machine"}], 50, True), (ADA, [], 50, False),
    ({"id": 50, "login": "machine"}, [], 12, False), ({"id": 51, "login": "machine"}, [], 51, False),
])  # fmt: skip
def test_an_exempt_machine_account_needs_no_person_for_its_own_commits(check, commit, opener, senders, author, passes):
    account = {"id": author, "login": "machine", "type": "User"}
    work = commit(author={"name": "M", "email": "m@x.org"}, author_account=account, committer={"name": "M", "email": "m@x.org"},
                 committer_account=account, message="Sync")  # fmt: skip
    found = check(work, opener=opener, senders=senders, rulebook={"dco": {"exempt": [{"id": 50, "login": "x"}]}})
    assert found.conclusion.passes is passes
    assert found.commits[0].codes == (("dco/exempt",) if passes else ("dco/missing",))


def test_the_problem_says_who_may_waive_the_sign_off(check):
    for override in ("nobody", "admins", "maintainers"):
        (problem,) = check(rulebook=book(override=override)).problems
        assert problem.values == {"agent": "helper[bot]", "override": override}


def test_an_override_by_an_uninvolved_person_waives_the_sign_off(check):
    assert check(rulebook=book(), overrides=[MAINT]).conclusion.passes
    assert not check(rulebook=book(override="nobody"), overrides=[MAINT]).conclusion.passes
