"""Remediation: a later commit signs off an earlier one."""

import pytest

from agreements.dco.remediation import Remedy, remedies
from agreements.facts import Account, Commit, Identity
from agreements.github_server import GITHUB_COM
from agreements.identity.certifiers import agent_list
from agreements.identity.matching import EquivalenceEvidence, ExactMatching, read_mailmap
from agreements.rulebook.rules import Agents, DcoRules, ExemptAccount

ADA, BO, EVE = Identity("Ada", "ada@x.org"), Identity("Bo", "bo@x.org"), Identity("Eve", "eve@x.org")
AGENTS = agent_list(Agents(), GITHUB_COM, known=True)
BOTH = DcoRules(individual_remediation=True, third_party_remediation=True)


def word(by, sha, behalf=None):
    start = f"On behalf of {behalf.name} <{behalf.email}>, " if behalf else ""
    return f"{start}I, {by.name} <{by.email}>, hereby add my Signed-off-by to this commit: {sha}"


def test_a_remediation_may_stand_before_its_target_and_the_first_one_counts():
    target = Commit(sha="t", author=ADA)
    first, second = (Commit(sha=sha, author=ADA, message=word(ADA, "t")) for sha in "12")
    assert remedies([first, target, second], BOTH, ExactMatching(), AGENTS) == {target: Remedy("1", "individual")}


@pytest.mark.parametrize("matcher", [ExactMatching(), EquivalenceEvidence(read_mailmap(""), {}, GITHUB_COM)])
def test_a_remediation_must_be_in_a_commit_of_the_person_who_declares_it(matcher):
    target = Commit(sha="t", author=ADA)
    assert remedies([target, Commit(sha="1", author=BO, message=word(ADA, "t"))], BOTH, matcher, AGENTS) == {}
    assert (
        remedies([target, Commit(sha="1", author=BO, committer=ADA, message=word(ADA, "t"))], BOTH, matcher, AGENTS)
        != {}
    )
    third = Commit(sha="1", author=BO, message=word(BO, "t", ADA))
    assert remedies([target, third], BOTH, matcher, AGENTS) == {target: Remedy("1", "third-party")}


@pytest.mark.parametrize(
    ("end", "exact", "evidence"), [("", True, True), ("\r", False, True), (" ", False, True), (".", False, False)]
)
def test_exact_takes_all_to_the_line_s_end_for_the_sha_and_evidence_strips_white_space(end, exact, evidence):
    commits = [Commit(sha="t", author=ADA), Commit(sha="1", author=ADA, message=word(ADA, "t") + end)]
    assert bool(remedies(commits, BOTH, ExactMatching(), AGENTS)) is exact
    assert bool(remedies(commits, BOTH, EquivalenceEvidence(read_mailmap(""), {}, GITHUB_COM), AGENTS)) is evidence


@pytest.mark.parametrize("matcher", [ExactMatching(), EquivalenceEvidence(read_mailmap(""), {}, GITHUB_COM)])
def test_a_remediation_counts_only_for_the_declarer_s_own_commits(matcher):
    target = Commit(sha="t", author=ADA, committer=ADA)
    for line in (word(BO, "t"), word(BO, "t", BO), word(BO, "t", EVE)):
        assert remedies([target, Commit(sha="1", author=BO, committer=BO, message=line)], BOTH, matcher, AGENTS) == {}
    both = Commit(sha="1", author=BO, committer=ADA, message=word(BO, "t"))
    assert remedies([target, both], BOTH, matcher, AGENTS) == {}


def test_a_sha_that_is_listed_twice_is_remedied_only_by_its_own_people():
    own, other = Commit(sha="t", author=ADA), Commit(sha="t", author=BO)
    later = Commit(sha="1", author=ADA, message=word(ADA, "t"))
    for matcher in (ExactMatching(), EquivalenceEvidence(read_mailmap(""), {}, GITHUB_COM)):
        assert list(remedies([own, other, own, later], BOTH, matcher, AGENTS)) == [own]


def test_third_party_remediation_counts_only_together_with_individual_remediation():
    commits = [Commit(sha="t", author=ADA), Commit(sha="1", author=BO, message=word(BO, "t", ADA))]
    assert remedies(commits, DcoRules(third_party_remediation=True), ExactMatching(), AGENTS) == {}
    assert remedies(commits, DcoRules(individual_remediation=True), ExactMatching(), AGENTS) == {}


def test_a_remediation_by_an_agent_certifies_nothing_under_evidence():
    listed = agent_list(Agents(emails=("ada@x.org",)), GITHUB_COM, known=True)
    commits = [Commit(sha="t", author=ADA), Commit(sha="1", author=ADA, message=word(ADA, "t"))]
    assert remedies(commits, BOTH, EquivalenceEvidence(read_mailmap(""), {}, GITHUB_COM), listed) == {}
    assert remedies(commits, BOTH, ExactMatching(), listed) != {}


def test_a_remediation_names_the_equivalences_that_it_needed():
    matcher = EquivalenceEvidence(read_mailmap("<ada@x.org> <old@x.org>"), {}, GITHUB_COM)
    target = Commit(sha="t", author=Identity("Ada", "ada@x.org"))
    later = Commit(sha="1", author=Identity("ADA", "old@x.org"), message=word(Identity("ADA", "old@x.org"), "t"))
    assert remedies([target, later], BOTH, matcher, AGENTS)[target].equivalences == {"case", "mailmap"}
    plain = Commit(sha="1", author=ADA, message=word(ADA, "t"))
    assert remedies([target, plain], BOTH, matcher, AGENTS)[target].equivalences == frozenset()


@pytest.mark.parametrize("at", ["carrier", "target"])
def test_an_agent_s_address_without_an_account_is_that_agent_in_a_remediation(at):
    listed = agent_list(Agents(accounts=(ExemptAccount(id=5),)), GITHUB_COM, known=True)
    agent = {"author": ADA, "author_account": Account(5), "committer": ADA}
    target = Commit(sha="t", **(agent if at == "target" else {"author": ADA}))
    later = Commit(sha="1", message=word(ADA, "t"), **(agent if at == "carrier" else {"author": ADA}))
    assert remedies([target, later], BOTH, EquivalenceEvidence(read_mailmap(""), {}, GITHUB_COM), listed) == {}
    assert remedies([target, later], BOTH, EquivalenceEvidence(read_mailmap(""), {}, GITHUB_COM), AGENTS) != {}
