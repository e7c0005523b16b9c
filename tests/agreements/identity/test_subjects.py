"""The people who are judged, and the addresses that they use."""

import pytest

from agreements.facts import Account
from agreements.github_server import GITHUB_COM
from agreements.identity.subjects import linked_addresses, participant_ids, proven_owners, subjects, written_addresses
from agreements.json.facts_reader import read


def found(facts):
    return [
        (subject.role, subject.account.id if subject.account else None, subject.email)
        for subject in subjects(read(facts))
    ]


def test_subjects_are_opener_senders_authors_and_coauthors_in_this_order(commit, case):
    work = commit(author_account={"id": 13}, coauthors=[{"name": "D", "email": "d@x.org", "account": None}])
    assert found(case(work, senders=[{"id": 12}])) == [
        ("opener", 11, ""), ("sender", 12, ""), ("author", 13, "ada@huawei.com"), ("coauthor", None, "d@x.org"),
    ]  # fmt: skip


def test_a_coauthor_has_name_address_and_commit_as_written(commit, case):
    work = commit(coauthors=[{"name": "D", "email": "d@x.org", "account": None}])
    last = subjects(read(case(work)))[-1]
    assert (last.role, last.name, last.email, last.sha) == ("coauthor", "D", "d@x.org", work["sha"])


def test_people_without_accounts_are_told_apart_by_address(commit, case):
    commits = [
        commit(sha=sha, author={"name": sha, "email": email}, author_account=None)
        for sha, email in [("a", "e@x.org"), ("b", "E@X.org"), ("c", "f@x.org")]
    ]
    assert [role for role, _, _ in found(case(*commits))] == ["opener", "author", "author"]


AGENT = "bot@agent.example"
BO = {"id": 12, "login": "bo"}


@pytest.mark.parametrize(("author", "coauthors", "expected"), [
    (({}, None), [({}, None)], [("author", None, True)]),
    (({}, BO), [({}, BO)], [("author", 12, False), ("coauthor", 12, True)]),
    (({"email": "ada@huawei.com"}, {"id": 11}), [({}, {"id": 11})], [("coauthor", 11, True)]),
    (({"email": "ada@huawei.com"}, {"id": 11}), [({}, BO), ({"email": "bo@x.org"}, BO)], [("coauthor", 12, True), ("coauthor", 12, False)]),
    (({"email": "ada@huawei.com"}, {"id": 11}), [({"email": "bo@x.org"}, BO), ({}, BO)], [("coauthor", 12, False), ("coauthor", 12, True)]),
    (({"email": "ada@huawei.com"}, {"id": 11}), [({}, None), ({"email": AGENT.upper()}, None)], [("coauthor", None, True)]),
])  # fmt: skip
def test_a_person_and_an_agent_that_share_an_address_are_both_judged(commit, case, author, coauthors, expected):
    book = {"people": {"agents": {"emails": [AGENT]}}}
    who, account = author
    others = [{"name": "B", "email": AGENT, **who, "account": account} for who, account in coauthors]
    work = commit(author={"name": "B", "email": AGENT, **who}, author_account=account, coauthors=others)
    found = [
        (subject.role, subject.account and subject.account.id, subject.agent)
        for subject in subjects(read(case(work, rulebook=book)))
    ]
    assert found == [("opener", 11, False), *expected]


@pytest.mark.parametrize(("account", "known", "expected"), [
    (None, True, [(None, "Claude")]), (BO, True, [(12, "")]), (None, False, [(None, "")]), ({"id": 81847, "login": "claude"}, False, [(81847, "")]),
])  # fmt: skip
def test_known_agents_count_unless_the_rulebook_or_another_account_says_no(commit, case, account, known, expected):
    work = commit(coauthors=[{"name": "C", "email": "noreply@anthropic.com", "account": account}])
    facts = read(case(work, rulebook={"people": {"agents": {"known": known}}}))
    assert [
        (who.account and who.account.id, who.agent_name) for who in subjects(facts) if who.role == "coauthor"
    ] == expected


def test_an_account_found_by_address_has_the_login_of_the_pull_request_or_none(commit, case):
    work = commit(author={"name": "Bo", "email": "b@home.org"}, author_account=None)
    facts = read(case(work, senders=[{**BO, "login": "bo"}], emails={"12": ["b@home.org"], "13": ["c@home.org"]}))
    assert proven_owners(facts) == {"b@home.org": Account(12), "c@home.org": Account(13)}
    assert [who.account for who in subjects(facts)][-1] == Account(12, "bo")


LINUS = "torvalds"


@pytest.mark.parametrize("role", ["author", "coauthor"])
@pytest.mark.parametrize(
    ("extra", "login"),
    [
        ({}, ""),
        ({"senders": [{**BO, "login": "bo"}]}, "bo"),
        ({"pull_request": {"number": 7, "head_sha": "a", "opener": {"id": 12, "login": "bo"}}}, "bo"),
        ({"commenters": [{"id": 12, "login": "bo"}]}, "bo"),
    ],
)
def test_a_login_that_only_an_address_holds_is_not_taken(commit, case, role, extra, login):
    """The author of a commit chooses the login in the address; only the number says whose it is."""
    who = {"name": "L", "email": f"12+{LINUS}@users.noreply.github.com"}
    work = commit(author=who, author_account=None) if role == "author" else commit(coauthors=[{**who, "account": None}])
    facts = read(case(work, **extra))
    assert {who.account.login for who in subjects(facts) if who.account and who.account.id == 12} == {login}
    assert LINUS not in str([who.account for who in subjects(facts)])


@pytest.mark.parametrize(
    ("email", "emails"), [("12+bo@users.noreply.github.com", {}), ("bo@home.org", {"12": ["bo@home.org"]})]
)
@pytest.mark.parametrize("role", ["author", "coauthor"])
def test_a_pusher_s_own_work_is_found_by_a_noreply_or_a_proven_address(commit, case, email, emails, role):
    who = {"name": "Bo", "email": email}
    work = commit(author=who, author_account=None) if role == "author" else commit(coauthors=[{**who, "account": None}])
    facts = case(work, senders=[{**BO, "may_write": True}], emails=emails)
    assert [part for part, account, _ in found(facts) if account == 12] == [role]


def test_an_agent_s_work_is_not_the_own_work_of_a_pusher_linked_to_its_address(commit, case):
    work = commit(coauthors=[{"name": "B", "email": AGENT, "account": BO}])
    book = {"people": {"agents": {"emails": [AGENT]}}}
    facts = case(work, rulebook=book, senders=[{**BO, "may_write": True}])
    assert ("sender", 12, "") in found(facts)


def test_a_sender_recorded_once_without_the_right_to_write_is_not_trusted(commit, case):
    senders = [{"id": 12, "may_write": True}, {"id": 12, "may_write": False}]
    assert [subject.may_write for subject in subjects(read(case(senders=senders))) if subject.role == "sender"] == [
        False
    ]


def test_linked_addresses_are_those_of_authors_and_coauthors_and_not_the_committer_s(commit, case):
    work = commit(
        committer={"name": "A", "email": "c@x.org"},
        coauthors=[{"name": "D", "email": "d@x.org", "account": {"id": 13}}, {"name": "E", "email": "e@x.org"}],
    )
    assert linked_addresses(read(case(work)).commits) == {11: {"ada@huawei.com"}, 13: {"d@x.org"}}


def test_participants_are_found_in_every_role_by_account_or_by_the_id_in_an_address(commit, case):
    work = commit(
        committer={"name": "A", "email": "16+gone@users.noreply.github.com"},
        committer_account={"id": 14},
        coauthors=[{"name": "D", "email": "d@x.org", "account": {"id": 13}}, {"name": "E", "email": "e@x.org"}],
    )
    facts = read(case(work, senders=[{"id": 12}]))
    written = {"ada@huawei.com", "16+gone@users.noreply.github.com", "d@x.org", "e@x.org"}
    assert set(written_addresses(facts.commits)) == written
    assert participant_ids(facts.pull_request.opener, facts.senders, facts.commits, facts.server) == {
        11,
        12,
        13,
        14,
        16,
    }
    assert participant_ids(None, (), (), GITHUB_COM) == frozenset()
