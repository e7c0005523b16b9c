"""The CLA check gives each contributor of a pull request one problem or one note."""

import pytest

ADA, BO = {"id": 11, "login": "ada"}, {"id": 12, "login": "bo"}
AGENT = {"id": 5, "login": "agent"}
CLA = {"repositories": [{"match": ["*"], "require": "cla"}]}


def signed(*ids):
    return [
        {"agreement": "icla", "version": "2.0", "account": {"id": number}, "signed_at": "2026-01-01T00:00:00Z"}
        for number in ids
    ]


def people(**rules):
    return {**CLA, "people": rules}


@pytest.fixture(name="results")
def _results(verdict):
    """Code, role and account id of every problem and note."""

    def judge(*commits, rulebook=CLA, **changes):
        check = verdict(*commits, rulebook=rulebook, **changes).checks[0]
        assert check.conclusion.passes is (not check.problems)
        return [
            (problem.code, problem.role, problem.account and problem.account.id)
            for problem in (*check.problems, *check.notes)
        ]

    return judge


@pytest.mark.parametrize(("check", "roles"), [
    (["opener"], ["opener"]), (["authors"], ["author"]), (["opener", "coauthors"], ["opener", "coauthor"]), (["senders"], ["sender"]),
])  # fmt: skip
def test_only_the_roles_in_people_check_are_judged(results, commit, check, roles):
    work = commit(author_account=BO, coauthors=[{"name": "Cy", "email": "c@x", "account": {"id": 13}}])
    assert [role for _, role, _ in results(work, rulebook=people(check=check), senders=[{"id": 14}])] == roles


@pytest.mark.parametrize("opener", [None, {}])
def test_a_deleted_account_that_opened_the_pull_request_is_a_problem(results, case, opener):
    request = {**case()["pull_request"], "opener": opener}
    assert ("cla/unlinked-email", "opener", None) in results(signatures=signed(11), pull_request=request)


@pytest.mark.parametrize("role", ["opener", "sender"])
def test_the_problem_of_a_deleted_account_has_no_address(verdict, case, role):
    request = {**case()["pull_request"], **({"opener": None} if role == "opener" else {})}
    senders = [None] if role == "sender" else []
    (found,) = verdict(rulebook=CLA, signatures=signed(11), pull_request=request, senders=senders).checks[0].problems
    assert (found.role, found.account, found.values) == (role, None, {"email": "", "name": "", "why": "ghost"})


def test_a_problem_names_the_wanted_agreement_and_company_names_are_masked(verdict):
    """A company's name comes from outside and might hold an address."""
    (problem,) = verdict(rulebook=CLA).checks[0].problems
    assert problem.values == {"agreement": "icla", "also": ("company",)}
    firm = {"name": "Ada <ada@x.org>", "agreement": "ccla", "version": "2.0", "signed_at": "2026-01-01T00:00:00Z", "covers": [{"account": 11}]}  # fmt: skip
    (note,) = verdict(rulebook=CLA, companies=[firm]).checks[0].notes
    assert note.values == {"agreement": "ccla", "version": "2.0", "company": "Ada <a…a@x.org>"}


@pytest.mark.parametrize(("shas", "parents", "code"), [
    (None, ["1"], "cla/sender-writes"), ([], ["1"], "cla/sender-writes"), (["a" * 40], ["1", "2"], "cla/sender-writes"),
    (["a" * 40], ["1"], "cla/bot-not-listed"), (["a" * 40], ["1", "1"], "cla/bot-not-listed"),
])  # fmt: skip
def test_a_bot_that_may_write_is_noted_only_while_it_brought_no_more_than_the_base(
    results, commit, shas, parents, code
):
    robot = {"id": 99, "login": "helper[bot]", "type": "Bot", "may_write": True, "shas": shas}
    found = results(commit(parents=parents), senders=[robot], signatures=signed(11))
    assert sorted(found) == sorted([("cla/individual", "opener", 11), (code, "sender", 99)])


@pytest.mark.parametrize("sender", [None, {}, {"may_write": True}])
def test_a_deleted_account_that_pushed_is_a_problem(results, sender):
    assert ("cla/unlinked-email", "sender", None) in results(signatures=signed(11), senders=[sender])


@pytest.mark.parametrize(("sender", "mine", "codes"), [
    ({**BO, "may_write": True}, {}, ["cla/individual", "cla/sender-writes"]), ({**BO, "may_write": False}, {}, ["cla/unsigned", "cla/individual"]),
    ({**BO, "may_write": True}, {"author_account": BO}, ["cla/unsigned", "cla/individual"]),
    ({**BO, "may_write": True}, {"author_account": BO, "parents": ["1", "2"]}, ["cla/individual", "cla/sender-writes"]),
    ({**BO, "may_write": None}, {}, ["cla/unsigned", "cla/individual"]),
])  # fmt: skip
def test_a_sender_who_may_write_needs_cover_only_for_work_of_their_own(results, commit, sender, mine, codes):
    assert [code for code, _, _ in results(commit(**mine), senders=[sender], signatures=signed(11))] == codes


@pytest.mark.parametrize("account", [None, {}])
def test_each_address_without_an_account_is_one_problem_with_the_address_masked(verdict, commit, account):
    author = {"name": "ada@huawei.com", "email": "ada@huawei.com"}
    two = [commit(sha=sha * 40, author=author, author_account=account) for sha in "bc"]
    found = verdict(*two, rulebook=CLA, signatures=signed(11)).checks[0].problems
    assert [(problem.code, problem.sha, problem.role, problem.values) for problem in found] == [
        ("cla/unlinked-email", "b" * 40, "author", {"email": "a…a@huawei.com", "name": "a…a@huawei.com"})
    ]


@pytest.mark.parametrize("author", [None, {}, {"name": "Bo", "email": ""}, {"name": "Bo", "email": " "}])
def test_a_contributor_without_any_address_is_said_to_have_none(verdict, commit, author):
    found = verdict(commit(author=author, author_account=None), rulebook=CLA, signatures=signed(11)).checks[0].problems
    assert [(problem.code, problem.values["why"]) for problem in found] == [("cla/unlinked-email", "no-address")]


def test_coauthors_are_read_from_trailers_without_accounts_if_github_gave_none(results, commit):
    work = commit(message="Add\n\nco-Authored-By: Bo <bo@x.org>\n")
    assert ("cla/unlinked-email", "coauthor", None) in results(work, signatures=signed(11, 12))
    assert results({**work, "coauthors": []}, signatures=signed(11)) == [("cla/individual", "opener", 11)]


@pytest.mark.parametrize(("signatures", "senders", "code"), [
    ((11,), [BO], "cla/exempt"), ((11,), [], "cla/bot-unproven"), ((11, 12), [], "cla/individual"),
    ((11,), [{**BO, "shas": ["a" * 40]}], "cla/exempt"), ((11,), [{**BO, "shas": []}], "cla/bot-unproven"), ((11, 12), [{**BO, "shas": []}], "cla/individual"),
])  # fmt: skip
def test_an_exempt_author_is_exempt_only_if_they_opened_or_pushed(results, commit, signatures, senders, code):
    found = results(
        commit(author_account=BO), rulebook=people(exempt=[{"id": 12}]), senders=senders, signatures=signed(*signatures)
    )
    assert code in [outcome for outcome, _, account in found if account == 12]


@pytest.mark.parametrize(("rule", "code"), [("exempt", "cla/member"), ("required", "cla/unsigned")])
def test_members_need_no_cover_if_the_rulebook_says_so(results, rule, code):
    assert results(rulebook=people(members=rule), members=[11]) == [(code, "opener", 11)]


@pytest.mark.parametrize(("rule", "owner", "members", "code"), [
    ("exempt", {"owner_type": "User", "owner_id": 11}, [], "cla/member"), ("exempt", {"owner_type": "User", "owner_id": 11}, [12], "cla/member"),
    ("required", {"owner_type": "User", "owner_id": 11}, [], "cla/unsigned"), ("exempt", {"owner_type": "User", "owner_id": 12}, [], "cla/unsigned"),
    ("exempt", {"owner_type": "User"}, [], "cla/unsigned"), ("exempt", {"owner_type": "User", "owner_id": None}, [11], "cla/member"),
    ("exempt", {"owner_type": "Organization", "owner_id": 11}, [], "cla/unsigned"), ("exempt", {"owner_id": 11}, [], "cla/unsigned"),
])  # fmt: skip
def test_the_owner_of_a_user_s_repository_is_its_member_by_id_alone(results, rule, owner, members, code):
    """The name in front of a repository proves nothing, and an organisation is no one's member."""
    repository = {"full_name": "ada/ops-math", **owner}
    found = results(rulebook=people(members=rule), repository=repository, members=members)
    assert found == [(code, "opener", 11)]


@pytest.mark.parametrize("policy", ["ignore", "block"])
@pytest.mark.parametrize(("account", "shown"), [(AGENT, "agent"), (None, "b…t@agent.example")])
def test_an_agent_is_named_by_its_login_or_else_by_its_masked_address(verdict, commit, policy, account, shown):
    work = commit(coauthors=[{"name": "Agent", "email": "bot@agent.example", "account": account}])
    rulebook = people(agents={"policy": policy, "emails": ["bot@agent.example"]})
    check = verdict(work, rulebook=rulebook, signatures=signed(11)).checks[0]
    assert [item.values for item in (*check.problems, *check.notes) if item.role == "coauthor"] == [{"agent": shown}]


@pytest.mark.parametrize(("policy", "expected"), [
    ("ignore", [("cla/unsigned", "coauthor", 12), ("cla/individual", "opener", 11), ("cla/agent-ignored", "coauthor", 12)]),
    ("block", [("cla/agent-blocked", "coauthor", 12), ("cla/unsigned", "coauthor", 12), ("cla/individual", "opener", 11)]),
])  # fmt: skip
def test_a_person_whose_account_stands_beside_an_agent_s_address_is_judged_too(results, commit, policy, expected):
    others = [{"name": "C", "email": email, "account": BO} for email in ("bot@agent.example", "bo@x.org")]
    rulebook = people(agents={"policy": policy, "emails": ["bot@agent.example"]})
    assert results(commit(coauthors=others), rulebook=rulebook, signatures=signed(11)) == expected


CLAUDE, KNOWN = {"id": 81847, "login": "claude"}, "NoReply@Anthropic.com"


@pytest.mark.parametrize(("agents", "who", "expected"), [
    (None, {}, ("cla/agent-ignored", {"agent": "Claude"})), ({}, {"account": CLAUDE}, ("cla/agent-ignored", {"agent": "Claude"})),
    (None, {"account": {"id": 81847, "login": "renamed"}, "email": "x@y.org"}, ("cla/agent-ignored", {"agent": "Claude"})),
    ({"policy": "block"}, {}, ("cla/agent-blocked", {"agent": "Claude"})), ({"policy": "block", "known": True}, {"account": CLAUDE}, ("cla/agent-blocked", {"agent": "Claude"})),
    ({"known": False}, {}, ("cla/unlinked-email", None)), ({"known": False}, {"account": CLAUDE}, ("cla/unsigned", None)),
    ({"known": False, "policy": "block"}, {}, ("cla/unlinked-email", None)), ({"known": False, "emails": ["noreply@anthropic.com"]}, {}, ("cla/agent-ignored", {"agent": "Claude"})),
    (None, {"email": "xnoreply@anthropic.com"}, ("cla/unlinked-email", None)), (None, {"email": "noreply@anthropic.com.x.org"}, ("cla/unlinked-email", None)),
    (None, {"email": "noreply@sub.anthropic.com"}, ("cla/unlinked-email", None)), (None, {"name": "Claude", "email": "c@x.org"}, ("cla/unlinked-email", None)),
    (None, {"email": "x@y.org", "account": {"id": 6, "login": "claude"}}, ("cla/unsigned", None)),
])  # fmt: skip
def test_known_agents_as_coauthors_are_recognised_by_exact_id_or_address_only(verdict, commit, agents, who, expected):
    work = commit(coauthors=[{"name": "N", "email": KNOWN, "account": None, **who}])
    rulebook = CLA if agents is None else people(agents=agents)
    check = verdict(work, rulebook=rulebook, signatures=signed(11)).checks[0]
    (found,) = [item for item in (*check.problems, *check.notes) if item.role == "coauthor"]
    code, values = expected
    assert found.code == code
    assert values is None or found.values == values
    assert check.conclusion.passes is (code == "cla/agent-ignored")


@pytest.mark.parametrize("policy", ["ignore", "block"])
@pytest.mark.parametrize("email", [KNOWN, "209825114+claude[bot]@users.noreply.github.com"])
def test_an_account_that_holds_a_known_agent_s_address_is_judged_as_a_person(results, commit, policy, email):
    linked = commit(coauthors=[{"name": "Claude", "email": email, "account": BO}])
    assert ("cla/unsigned", "coauthor", 12) in results(
        linked, rulebook=people(agents={"policy": policy}), signatures=signed(11)
    )
    proven = commit(coauthors=[{"name": "Claude", "email": KNOWN, "account": None}])
    assert ("cla/unsigned", "coauthor", 12) in results(
        proven, rulebook=people(agents={"policy": policy}), signatures=signed(11), emails={"12": [KNOWN]}
    )


def test_a_known_agent_with_several_accounts_and_addresses_is_named_once(verdict, commit):
    who = [(KNOWN, None), ("x@y.org", CLAUDE), ("81847+claude@users.noreply.github.com", None), ("41898282+claude[bot]@users.noreply.github.com", None)]  # fmt: skip
    work = commit(coauthors=[{"name": "Claude", "email": email, "account": account} for email, account in who])
    (note,) = [
        note for note in verdict(work, rulebook=CLA, signatures=signed(11)).checks[0].notes if note.role == "coauthor"
    ]
    assert (note.code, note.values["agent"]) == ("cla/agent-ignored", "Claude")


@pytest.mark.parametrize("changes", [
    {"author": {"name": "Claude", "email": KNOWN}, "author_account": CLAUDE}, {"author": {"name": "Claude", "email": KNOWN}, "author_account": None},
])  # fmt: skip
def test_the_opener_answers_for_commits_whose_author_is_a_known_agent(results, commit, changes):
    found = [(code, role) for code, role, _ in results(commit(**changes), rulebook=CLA, signatures=signed(11))]
    assert found == [("cla/individual", "opener"), ("cla/agent-ignored", "author")]


@pytest.mark.parametrize(("changes", "rule", "code"), [
    ({}, "maintainers", "cla/overridden"), ({}, "nobody", "cla/unsigned"), ({"account": None}, "admins", "cla/unsigned"), ({"account": BO}, "admins", "cla/unsigned"),
    ({"head_sha": "b"}, "admins", "cla/unsigned"), ({"by": ADA}, "admins", "cla/unsigned"), ({"kind": "dco"}, "admins", "cla/unsigned"), ({"account": 11}, "admins", "cla/overridden"),
])  # fmt: skip
def test_an_exemption_is_for_one_account_and_one_head_and_never_for_its_giver(results, verdict, changes, rule, code):
    exemption = {
        "kind": "cla",
        "account": ADA,
        "head_sha": "a" * 40,
        "by": {"id": 1, "login": "maint"},
        "reason": "…",
        **changes,
    }
    assert results(rulebook=people(override=rule), overrides=[exemption]) == [(code, "opener", 11)]
    notes = verdict(rulebook=people(override=rule), overrides=[exemption]).checks[0].notes
    assert [note.values for note in notes] == ([{"by": "maint"}] if code == "cla/overridden" else [])


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
        return verdict(*commits, pull_request=request, **{"signatures": [SIGNED], **changes}).checks[0]

    return judge


def codes(check):
    return [problem.code for problem in (*check.problems, *check.notes)]


@pytest.mark.parametrize(("senders", "passes"), [
    ([], False), ([AGENT], False), ([ADA], True), ([{**ADA, "may_write": True}], True), ([{"id": 12, "login": "bo", "may_write": True}], False),
    ([{"id": 99, "login": "other[bot]", "type": "Bot", "may_write": True}], False), ([None], False),
])  # fmt: skip
def test_only_a_covered_person_who_pushed_answers_for_an_agent_that_opened(check, senders, passes):
    found = check(rulebook=book(), senders=senders)
    assert found.conclusion.passes is passes
    assert ("cla/agent-alone" in codes(found)) is not passes


def test_a_name_in_a_commit_answers_for_no_agent(check, commit):
    """A covered author, committer or co-author is a claim that the agent may have written."""
    work = commit(coauthors=[{"name": "Ada", "email": "ada@huawei.com", "account": ADA}])
    assert codes(check(work, rulebook=book())) == ["cla/agent-alone", "cla/agent-ignored", "cla/individual"]


def test_an_uncovered_person_who_opened_or_pushed_is_the_only_problem(check):
    found = check(rulebook=book(), senders=[{"id": 12, "login": "bo"}])
    assert [problem.code for problem in found.problems] == ["cla/unsigned"]


@pytest.mark.parametrize(("policy", "opener", "senders", "asked"), [
    ("ignore", ADA, [], False), ("responsible", ADA, [], False), ("ignore", {"id": 50, "login": "machine"}, [], False),
    ("responsible", {"id": 50, "login": "machine"}, [], True), ("responsible", {"id": 50, "login": "machine"}, [ADA], False),
    ("ignore", {"id": 99, "login": "other[bot]", "type": "Bot"}, [], False), ("responsible", {"id": 99, "login": "other[bot]", "type": "Bot"}, [], True),
])  # fmt: skip
def test_only_responsible_asks_for_a_person_where_no_agent_acted(check, commit, policy, opener, senders, asked):
    work = commit(author={"name": "Helper", "email": "bot@agent.example"}, author_account=None)
    found = check(work, opener=opener, senders=senders, rulebook=book(policy, exempt=[{"id": 50}, {"id": 99}]))
    assert ("cla/agent-alone" in codes(found)) is asked
    assert found.conclusion.passes is not asked


@pytest.mark.parametrize(("role", "account"), [("opener", 5), ("author", None), ("committer", 5)])
def test_the_problem_names_the_agent_in_its_first_role_and_its_account_number(check, commit, role, account):
    git = {"name": "Helper", "email": "bot@agent.example"}
    work = (
        commit(**{role: git, f"{role}_account": None if role == "author" else AGENT}) if role != "opener" else commit()
    )
    opener = AGENT if role == "opener" else {"id": 50, "login": "machine"}
    (problem,) = check(work, opener=opener, rulebook=book("responsible", exempt=[{"id": 50}])).problems
    assert (problem.code, problem.role, problem.account and problem.account.id) == ("cla/agent-alone", role, account)
    assert problem.values.get("id") == account


@pytest.mark.parametrize(("by", "covered", "named"), [
    (ADA, True, []), ({"id": 12, "login": "bo"}, False, ["bo"]), ({**ADA, "type": "Bot"}, False, [None]), (AGENT, False, [None]),
])  # fmt: skip
def test_a_person_vouches_whom_something_covers_and_no_bot_does(check, by, covered, named):
    said = [{"kind": "vouch", "account": None, "head_sha": "a" * 40, "by": by, "reason": "I read it"}]
    found = check(rulebook=book(), overrides=said)
    assert found.conclusion.passes is covered
    assert [problem.values.get("voucher") for problem in found.problems] == named


@pytest.mark.parametrize(("override", "email", "by", "passes"), [
    ("maintainers", "gone@old.org", {"id": 1, "login": "max"}, True), ("maintainers", "GONE@old.org", {"id": 1}, True),
    ("nobody", "gone@old.org", {"id": 1}, False), ("maintainers", "other@old.org", {"id": 1}, False), ("maintainers", "", {"id": 1}, False),
])  # fmt: skip
def test_a_dead_address_is_exempted_for_one_head_if_the_rulebook_allows_it(check, commit, override, email, by, passes):
    gone = commit(author={"name": "Gone", "email": "gone@old.org"}, author_account=None)
    said = [{"kind": "cla", "account": None, "email": email or "x@y.org", "head_sha": "a" * 40, "by": by}]
    found = check(gone, opener=ADA, rulebook=book(override=override), overrides=said)
    assert found.conclusion.passes is passes
    stale = [{**said[0], "head_sha": "b" * 40}]
    assert not check(gone, opener=ADA, rulebook=book(override=override), overrides=stale).conclusion.passes


@pytest.mark.parametrize(("by", "passes"), [({"id": 1, "login": "max"}, True), ({"id": 99, "login": "gone"}, False)])
def test_an_address_of_a_deleted_account_is_never_exempted_by_the_account_of_its_number(check, commit, by, passes):
    """The number in a no-reply address is a claim that any author can write."""
    gone = commit(author={"name": "Gone", "email": "99+gone@users.noreply.github.com"}, author_account=None)
    said = [
        {"kind": "cla", "account": None, "email": "99+gone@users.noreply.github.com", "head_sha": "a" * 40, "by": by}
    ]
    assert not check(gone, opener=ADA, rulebook=book(override="admins")).conclusion.passes
    assert check(gone, opener=ADA, rulebook=book(override="admins"), overrides=said).conclusion.passes is passes


def test_an_exempted_address_changes_nothing_where_github_names_its_account(check, commit):
    work = commit(author={"name": "Bo", "email": "bo@x.org"}, author_account={"id": 12, "login": "bo"})
    said = [{"kind": "cla", "account": None, "email": "bo@x.org", "head_sha": "a" * 40, "by": {"id": 1}}]
    assert not check(work, opener=ADA, rulebook=book(override="admins"), overrides=said).conclusion.passes


@pytest.mark.parametrize(("account", "email", "why"), [
    ({"id": 13, "login": "acme", "type": "Organization"}, "team@acme.org", "organization-named"), ({"id": 13, "login": "m", "type": "Mannequin"}, "m@acme.org", "mannequin"),
    (None, "13+gone@users.noreply.github.com", "gone"),
])  # fmt: skip
def test_accounts_that_cannot_sign_are_not_asked_to_sign(check, commit, account, email, why):
    (problem,) = check(
        commit(author={"name": "X", "email": email}, author_account=account), opener=ADA, rulebook=book()
    ).problems
    assert (problem.code, problem.values["why"], problem.account.id) == ("cla/cannot-sign", why, 13)


WEB_FLOW = {"id": 19864447, "login": "web-flow"}
WEBSITE = {"name": "GitHub", "email": "noreply@github.com"}
OF_THE_WEBSITE = {"name": "X", "agreement": "ccla", "version": "2.0", "signed_at": "2026-01-01T00:00:00Z", "covers": [{"email": WEBSITE["email"]}, {"account": 19864447}]}  # fmt: skip


@pytest.mark.parametrize(("account", "code"), [(WEB_FLOW, "cla/cannot-sign"), (None, "cla/unlinked-email")])
@pytest.mark.parametrize("role", ["author", "coauthor"])
@pytest.mark.parametrize("more", [{}, {"companies": [OF_THE_WEBSITE]}, {"signatures": signed(11, 19864447)}])
def test_github_itself_is_not_asked_to_sign_and_no_record_covers_it(check, commit, account, code, role, more):
    named = {"author": WEBSITE, "author_account": account}
    if role == "coauthor":
        named = {"coauthors": [{**WEBSITE, "account": account}]}
    found = check(commit(**named), opener=ADA, rulebook=book(), **more).problems
    assert [(problem.code, problem.values["why"], problem.role) for problem in found] == [(code, "website", role)]


def test_github_itself_can_be_exempted_by_an_override(check, commit):
    work = commit(author=WEBSITE, author_account=WEB_FLOW)
    said = [{"kind": "cla", "account": WEB_FLOW["id"], "head_sha": "a" * 40, "by": {"id": 1, "login": "maint"}}]
    found = check(work, opener=ADA, rulebook=book(override="admins"), overrides=said)
    assert codes(found) == ["cla/individual", "cla/overridden"]


def test_a_committer_who_is_github_itself_needs_no_agreement(check, commit):
    edit = commit(committer=WEBSITE, committer_account=WEB_FLOW)
    assert check(edit, opener=ADA, rulebook=book()).conclusion.passes


@pytest.mark.parametrize("account", [
    {"id": 13, "login": "robo[bot]", "type": "Bot"}, {"id": 13, "login": "acme", "type": "Organization"},
])  # fmt: skip
@pytest.mark.parametrize("role", ["opener", "author", "coauthor"])
def test_an_entry_in_the_rulebook_is_advised_where_it_helps(check, commit, account, role):
    """An account that commits only name would not pass with an entry either."""
    who = {"author": {"name": "X", "email": "x@robo.example"}, "author_account": account} if role == "author" else {}
    also = [{"name": "X", "email": "x@robo.example", "account": account}] if role == "coauthor" else []
    work = commit(**{"author": {"name": "Ada", "email": "ada@x.org"}, "author_account": ADA, "coauthors": also, **who})
    opener = account if role == "opener" else ADA
    (problem,) = check(work, opener=opener, rulebook=book()).problems
    only_named = str(problem.values.get("why")).endswith("named")
    assert only_named is (role != "opener")
    assert check(work, opener=opener, rulebook=book(exempt=[{"id": 13}])).conclusion.passes is not only_named


def test_an_account_that_github_names_elsewhere_is_asked_to_sign(check, commit):
    work = commit(author={"name": "Bo", "email": "12+bo@users.noreply.github.com"}, author_account=None)
    found = check(work, opener=ADA, rulebook=book(check=["opener", "authors"]), senders=[{"id": 12, "login": "bo"}])
    assert [problem.code for problem in found.problems] == ["cla/unsigned"]


@pytest.mark.parametrize(("sender", "code"), [
    ({"may_write": True}, "cla/sender-writes"), ({"may_write": False}, "cla/bot-not-listed"),
])  # fmt: skip
def test_a_bot_that_may_write_and_only_merged_or_rebased_the_base_is_noted(check, sender, code):
    found = check(opener=ADA, rulebook=book(), senders=[{"id": 99, "login": "mergify[bot]", "type": "Bot", **sender}])
    assert code in codes(found)
    assert found.conclusion.passes is (code == "cla/sender-writes")


def test_a_bot_that_may_write_is_judged_as_the_author_of_its_own_work(check, commit):
    bot = {"id": 99, "login": "mergify[bot]", "type": "Bot"}
    work = commit(author={"name": "m", "email": "99+mergify[bot]@users.noreply.github.com"}, author_account=None)
    found = check(work, opener=ADA, rulebook=book(), senders=[{**bot, "may_write": True}])
    assert "cla/bot-not-listed" in codes(found)


@pytest.mark.parametrize(("role", "who", "able"), [
    ("author", ADA, ("ada",)), ("author", {"id": 12, "login": "bo"}, None), ("committer", ADA, None),
])  # fmt: skip
def test_the_problem_names_covered_people_whom_the_check_shows(check, commit, role, who, able):
    git, helper = {"name": "Ada", "email": "ada@huawei.com"}, {"name": "Helper", "email": "bot@agent.example"}
    # A committer is not checked, so that they are covered stays private.
    other = {} if role == "author" else {"author": helper, "author_account": AGENT}
    work = commit(**{role: git, f"{role}_account": who, **other})
    found = check(work, opener=AGENT, senders=[AGENT], rulebook=book("responsible"))
    (alone,) = [problem for problem in found.problems if problem.code == "cla/agent-alone"]
    assert alone.values.get("able") == able
