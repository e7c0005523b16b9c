"""A sign-off in the portal counts for exactly the commits that it names, when all of their authors gave a sign-off."""

from time import process_time

import pytest

from agreements.dco import portal_signoff
from agreements.facts import PortalSignoff
from agreements.github_server import GITHUB_COM
from agreements.identity.certifiers import agent_list
from agreements.json.facts_reader import FactsInvalid, read
from agreements.judge import judge
from agreements.rulebook.rules import Agents

A, B = "a" * 40, "b" * 40
ADA, BO = {"id": 11, "login": "ada", "type": "User"}, {"id": 12, "login": "bo", "type": "User"}
PORTAL = {"dco": {"portal": True}}
UNSIGNED = {"message": "Add"}
UNLINKED = {**UNSIGNED, "author_account": None}
BY_BO = {"name": "Bo", "email": "bo@x.org", "account": BO}
BY_UNLINKED = {"name": "Cy", "email": "cy@x.org", "account": None}
CLAUDE = {"name": "Claude", "email": "noreply@anthropic.com", "account": None}
HELPER = {
    "name": "helper[bot]", "email": "9+helper[bot]@users.noreply.github.com",
    "account": {"id": 9, "login": "helper[bot]", "type": "Bot"},
}  # fmt: skip
AGENT_RULES = {"dco": {"portal": True}, "people": {"agents": {"accounts": [{"id": 11}]}}}


def given(*accounts, shas=(A,)):
    """Sign-offs of these commits by these accounts."""
    return [{"account": account, "shas": list(shas)} for account in accounts]


@pytest.mark.parametrize(("changes", "facts", "passes"), [
    (UNSIGNED, {"signoffs": given(11)}, True),
    (UNSIGNED, {"signoffs": given({"id": 11, "login": "ada"})}, True),
    (UNSIGNED, {"signoffs": []}, False),
    (UNSIGNED, {"signoffs": given(12)}, False),  # another person's commit
    (UNSIGNED, {"signoffs": given(11, shas=[B])}, False),  # the SHA before a force push
    (UNSIGNED, {"signoffs": given(11, shas=[A[:39]])}, False),
    (UNSIGNED, {"signoffs": given(None, shas=[A])}, False),
    (UNSIGNED, {"signoffs": given(11), "rulebook": {}}, False),
    (UNSIGNED, {"signoffs": given(11), "rulebook": {"dco": {"portal": False}}}, False),
    (UNSIGNED, {"signoffs": given(11), "rulebook": {"dco": {"portal": True, "matching": "exact"}}}, False),
    (UNLINKED, {"signoffs": given(11)}, False),  # an address that no account has proven
    (UNLINKED, {"signoffs": given(11), "emails": {"11": ["ada@huawei.com"]}}, True),
    (UNLINKED, {"signoffs": given(11), "emails": {"12": ["ada@huawei.com"]}}, False),
    (UNLINKED, {"signoffs": given(11), "emails": {"11": ["ada@huawei.com"], "12": ["ada@huawei.com"]}}, False),
    (UNSIGNED, {"signoffs": given(12), "emails": {"12": ["ada@huawei.com"]}}, False),  # GitHub's word stands
    ({**UNLINKED, "author": {"name": "A", "email": "11+ada@users.noreply.github.com"}}, {"signoffs": given(11)}, True),
    ({**UNLINKED, "author": {"name": "A", "email": "ada@users.noreply.github.com"}}, {"signoffs": given(11)}, False),
    ({**UNSIGNED, "author": None}, {"signoffs": given(11)}, False),
    ({**UNSIGNED, "author": {"name": "A", "email": "ada"}}, {"signoffs": given(11)}, False),  # an invalid address stays one
    ({**UNSIGNED, "committer_account": BO}, {"signoffs": given(12)}, False),  # the committer is not the author
    ({**UNSIGNED, "coauthors": [BY_BO]}, {"signoffs": given(11)}, False),
    ({**UNSIGNED, "coauthors": [BY_BO]}, {"signoffs": given(12)}, False),
    ({**UNSIGNED, "coauthors": [BY_BO]}, {"signoffs": given(11, 12)}, True),
    ({**UNSIGNED, "coauthors": [BY_UNLINKED]}, {"signoffs": given(11, 12)}, False),
    ({**UNSIGNED, "coauthors": [BY_UNLINKED]}, {"signoffs": given(11, 12), "emails": {"12": ["cy@x.org"]}}, True),
    ({**UNSIGNED, "coauthors": [CLAUDE]}, {"signoffs": given(11)}, True),  # an agent certifies nothing, and is asked for nothing
    ({**UNSIGNED, "coauthors": [HELPER]}, {"signoffs": given(11)}, True),
    ({**UNSIGNED, "coauthors": [{**CLAUDE, "account": BO}]}, {"signoffs": given(11)}, False),  # that account is a person's
    ({**UNLINKED, "author": {"name": "Claude", "email": "noreply@anthropic.com"}}, {"signoffs": given(11), "emails": {"11": ["noreply@anthropic.com"]}}, False),
    ({**UNSIGNED, "author_account": HELPER["account"]}, {"signoffs": given(9)}, False),
    ({**UNSIGNED, "author_account": {"id": 81847, "login": "claude", "type": "User"}}, {"signoffs": given(81847)}, False),
    (UNSIGNED, {"signoffs": given(11), "rulebook": AGENT_RULES}, False),
    (UNLINKED, {"signoffs": given(11), "emails": {"11": ["ada@huawei.com"]}, "rulebook": AGENT_RULES}, False),
])  # fmt: skip
def test_a_commit_passes_only_when_all_of_its_authors_signed_it_off(commit, verdict, changes, facts, passes):
    check = verdict(commit(**changes), **{"rulebook": PORTAL, **facts}).checks[0]
    assert check.conclusion.passes is passes
    assert ("dco/signed-here" in check.commits[0].codes) is passes


def test_a_commit_added_after_signing_needs_its_own_sign_off(commit, verdict):
    commits = (commit(**UNSIGNED), commit(**UNSIGNED, sha=B))
    check = verdict(*commits, rulebook=PORTAL, signoffs=given(11)).checks[0]
    assert [result.codes for result in check.commits] == [("dco/signed-here",), ("dco/missing",)]
    assert verdict(*commits, rulebook=PORTAL, signoffs=given(11, shas=[A, B])).conclusion.passes
    assert verdict(*commits, rulebook=PORTAL, signoffs=[*given(11), *given(11, shas=[B])]).conclusion.passes


def test_a_line_in_the_commit_counts_first_and_a_wrong_one_is_mended(commit, verdict):
    wrong = commit(message="Add\n\nSigned-off-by: Eve <e@x.org>\n")
    for work, code in ((commit(), "dco/signed"), (wrong, "dco/signed-here")):
        assert verdict(work, rulebook=PORTAL, signoffs=given(11)).checks[0].commits[0].codes == (code,)


def test_the_note_names_the_account_that_github_links_and_no_other(commit, verdict):
    for changes, account in ((UNSIGNED, 11), (UNLINKED, None)):
        facts = {"signoffs": given(11), "emails": {"11": ["ada@huawei.com"]}}
        (note,) = verdict(commit(**changes), rulebook=PORTAL, **facts).checks[0].notes
        assert (note.account and note.account.id, note.values) == (account, {})


def test_a_blocked_agent_or_one_that_acts_alone_is_refused_all_the_same(commit, case):
    facts = case(commit(**UNSIGNED, coauthors=[CLAUDE]), rulebook={**PORTAL, "people": {"agents": {"policy": "block"}}})
    assert not judge(read({**facts, "signoffs": given(11)})).conclusion.passes
    alone = case(commit(**UNSIGNED), rulebook={**PORTAL, "people": {"agents": {"accounts": [{"id": 5}]}}})
    alone["pull_request"]["opener"] = {"id": 5, "login": "helper[bot]", "type": "Bot"}
    check = judge(read({**alone, "signoffs": given(11)})).checks[0]
    assert [problem.code for problem in check.problems] == ["dco/agent-alone"]


def test_coauthors_who_are_not_all_known_are_a_doubt_only_where_a_sign_off_is_given_and_counts(commit, verdict):
    doubt, exact = "not all co-authors were read", {"dco": {"portal": True, "matching": "exact"}}
    for rulebook, signoffs, doubted in (
        (PORTAL, [], False), (PORTAL, given(11), True), ({}, given(11), False), (exact, given(11), False),
    ):  # fmt: skip
        check = verdict(commit(**UNSIGNED), rulebook=rulebook, commits_doubt=doubt, signoffs=signoffs).checks[0]
        assert (check.problems[0].code == "facts/incomplete") is doubted


def test_only_commits_that_a_sign_off_would_mend_are_offered(commit, case):
    commits = [
        commit(**UNSIGNED), commit(sha=B), commit(**UNSIGNED, sha="c" * 40, author={"name": "A", "email": "ada"}),
        commit(**UNLINKED, sha="d" * 40), commit(**UNSIGNED, sha="e" * 40, coauthors=[BY_BO]),
    ]  # fmt: skip
    for rulebook, expected in ((PORTAL, {A: {11}, "e" * 40: {11, 12}}), ({}, {})):
        facts = read(case(*commits, rulebook=rulebook))
        assert portal_signoff.signable(facts, judge(facts).checks[0]) == expected


def test_nothing_is_offered_where_an_agreement_is_enough(commit, case):
    either = {**PORTAL, "repositories": [{"match": ["*"], "require": "either"}]}
    signed = {"agreement": "icla", "version": "2.0", "account": ADA, "signed_at": "2026-01-01T00:00:00Z"}
    for signatures, expected in (([], {A: {11}}), ([signed], {})):
        facts = read(case(commit(**UNSIGNED), rulebook=either, signatures=signatures))
        assert portal_signoff.signable(facts, judge(facts).checks[1]) == expected


def test_the_signers_of_a_commit_are_each_named_once(commit, case):
    facts = read(case(commit(**UNSIGNED, coauthors=[{**BY_BO, "account": ADA}, BY_BO])))
    agents = agent_list(Agents(), GITHUB_COM, known=True)
    assert portal_signoff.signers(facts.commits[0], {}, agents) == {11, 12}


@pytest.mark.slow
def test_ten_thousand_commits_and_sign_offs_take_no_longer_than_their_number(commit, case):
    many = [commit(**UNSIGNED, sha=f"{number:040x}") for number in range(10_000)]
    emails = {str(number): [f"a{number}@x.org"] for number in range(100, 400)}
    facts = read(case(*many, rulebook=PORTAL, emails=emails, signoffs=given(11, shas=[work["sha"] for work in many])))
    began = process_time()
    assert judge(facts).conclusion.passes
    assert process_time() - began < 10


@pytest.mark.parametrize(("signoffs", "said"), [
    ("x", "signoffs: must be a list"), ([{"account": 11, "shas": "x"}], "signoffs.0.shas: must be a list"),
    ([{"account": "ada"}], "signoffs.0.account: must be a whole number"), ([{"account": 0}], "signoffs.0.account: must be from 1"),
    ([{"account": 11, "shas": [5]}], "signoffs.0.shas.0: must be"),
])  # fmt: skip
def test_a_wrong_sign_off_in_the_facts_is_named_by_its_place(case, signoffs, said):
    with pytest.raises(FactsInvalid, match=f"^{said}"):
        read(case(signoffs=signoffs))


def test_missing_parts_of_a_sign_off_sign_nothing(case):
    facts = read(case(signoffs=[{}, {"account": None, "shas": [A]}, {"account": 11}]))
    assert facts.signoffs == (PortalSignoff(11, ()),)
