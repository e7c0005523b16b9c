"""The DCO: every commit has a sign-off that counts, or a recorded reason why it needs none."""

import pytest

from agreements.domains.masking import masked
from agreements.facts import Conclusion
from agreements.json.facts_reader import read
from agreements.judge import judge

BOT = {"id": 99, "login": "helper[bot]", "type": "Bot"}
EXACT = {"dco": {"matching": "exact"}}


def says(text):
    return f"Add\n\n{text}\n"


@pytest.mark.parametrize(("message", "code"), [
    (says("Signed-off-by: Ada <ada@huawei.com>"), "dco/signed"), (says("Signed-off-by: Eve <e@x.org>\nSigned-off-by: Ada <ada@huawei.com>"), "dco/signed"),
    ("Add", "dco/missing"), ("", "dco/missing"), (says("Signed-off-by:Ada <ada@huawei.com>"), "dco/malformed"),
    (says("Signed-off-by: Ada <ada@huawei.com> (Acme)"), "dco/malformed"), (says("Signed-off-by: Eve <ada@huawei.com>"), "dco/name-differs"),
    (says("Signed-off-by: Ada <ada@home.org>"), "dco/email-differs"), (says("Signed-off-by: Eve <eve@x.org>"), "dco/mismatch"),
    (says("Signed-off-by: A\u200bda <ada@huawei.com>"), "dco/invisible"), (says("Signed-off-by: Ada <ada\u200d@huawei.com>"), "dco/invisible"),
    (says("Signed-off-by: Ada\xa0 <ada@huawei.com>"), "dco/signed"), (says("Signed-off-by: \u0410da <ada@huawei.com>"), "dco/name-differs"),
])  # fmt: skip
def test_each_commit_has_one_code_for_its_fault_or_its_success(commit, verdict, message, code):
    check = verdict(commit(message=message)).checks[0]
    assert check.commits[0].codes[0] == code
    assert (check.conclusion == Conclusion.SUCCESS) is (code == "dco/signed")
    assert check.commits[0].status == ("pass" if code == "dco/signed" else "fail")


@pytest.mark.parametrize(("line", "code"), [
    ("Signed-off-by:  Ada <ada@huawei.com>", "dco/name-differs"), ("Signed-off-by: Ada  <ada@huawei.com>", "dco/name-differs"),
    ("Signed-off-by: \u200bAda <ada@huawei.com>", "dco/invisible"), ("Signed-off-by: Ada\xa0 <ada@huawei.com>", "dco/invisible"),
])  # fmt: skip
def test_under_exact_a_plain_space_too_many_is_not_called_invisible(commit, verdict, line, code):
    assert verdict(commit(message=says(line)), rulebook=EXACT).checks[0].commits[0].codes == (code,)


def test_a_mismatch_names_the_expected_and_found_sign_offs_masked(commit, verdict):
    found = verdict(commit(message=says("Signed-off-by: A\u200bda <ada@huawei.com>"))).checks[0].problems[0]
    assert found.values == {"expected": ("Ada <a…a@huawei.com>",), "found": ("A\\u200bda <a…a@huawei.com>",)}


def test_a_note_names_the_commit_its_author_s_account_and_the_signer_masked(commit, verdict):
    check = verdict(commit(message=says("Signed-off-by: Ada <ada@huawei.com>"))).checks[0]
    (note,) = check.notes
    assert (note.code, note.sha, note.account.id) == ("dco/signed", "a" * 40, 11)
    assert note.values == {"by": "Ada <a…a@huawei.com>"}
    assert [result.sha for result in check.commits] == ["a" * 40]


def test_exact_does_not_accept_the_author_s_noreply_address(commit, verdict):
    signed = commit(message=says("Signed-off-by: Ada <11+ada@users.noreply.github.com>"))
    assert not verdict(signed, rulebook=EXACT).conclusion.passes


FLOW = {"name": "GitHub", "email": "noreply@github.com"}
AGENT = {"name": "Agent", "email": "a@x.org"}


@pytest.mark.parametrize(("changes", "rulebook", "code"), [
    ({"committer": FLOW, "message": says("Signed-off-by: GitHub <noreply@github.com>")}, {}, "dco/mismatch"),
    ({"committer": FLOW, "message": says("Signed-off-by: GitHub <noreply@github.com>")}, EXACT, "dco/signed"),
    ({"author": {"name": "Agent", "email": "bot@agent.example"}, "author_account": None,
      "message": says("Signed-off-by: Agent <bot@agent.example>")}, {"people": {"agents": {"emails": ["bot@agent.example"]}}}, "dco/agent-signoff"),
    ({"author": {"name": "Agent", "email": "a@x.org"}, "author_account": {"id": 5, "login": "agent"},
      "message": says("Signed-off-by: Agent <a@x.org>")}, {"people": {"agents": {"accounts": [{"id": 5}]}}}, "dco/agent-signoff"),
    ({"message": says("Signed-off-by: Agent <bot@agent.example>\nSigned-off-by: Ada <ada@huawei.com>")},
     {"people": {"agents": {"emails": ["bot@agent.example"]}}}, "dco/signed"),
    ({"author": {"name": "helper[bot]", "email": "99+helper[bot]@users.noreply.github.com"}, "author_account": BOT,
      "message": says("Signed-off-by: helper[bot] <99+helper[bot]@users.noreply.github.com>")}, {}, "dco/bot-unproven"),
    ({"author": {"name": "helper[bot]", "email": "99+helper[bot]@users.noreply.github.com"}, "author_account": None,
      "message": says("Signed-off-by: helper[bot] <99+helper[bot]@users.noreply.github.com>")}, {}, "dco/bot-unproven"),
    ({"author_account": BOT, "message": "Add"}, EXACT, "dco/bot"),
    ({"author": AGENT, "author_account": {"id": 5, "login": "agent"}, "committer": AGENT, "committer_account": None,
      "message": says("Signed-off-by: Agent <a@x.org>")}, {"people": {"agents": {"accounts": [{"id": 5}]}}}, "dco/agent-signoff"),
    ({"committer": FLOW, "message": says("Signed-off-by: Agent <bot@agent.example>")}, {"people": {"agents": {"emails": ["bot@agent.example"]}}}, "dco/agent-signoff"),
    ({"message": says("Signed-off-by: Agent <bot@agent.example>\nSigned-off-by: Eve <eve@x.org>")}, {"people": {"agents": {"emails": ["bot@agent.example"]}}}, "dco/mismatch"),
])  # fmt: skip
def test_only_people_certify_under_evidence(commit, verdict, changes, rulebook, code):
    check = verdict(commit(**changes), rulebook=rulebook).checks[0]
    assert check.commits[0].codes == (code,)
    for problem in check.problems:
        assert problem.code != "dco/agent-signoff" or problem.values["found"][0].startswith("Agent <")


CLAUDE = {"name": "Claude", "email": "noreply@anthropic.com"}
BY_CLAUDE = says("Signed-off-by: Claude <noreply@anthropic.com>")


@pytest.mark.parametrize("agents", [{}, {"known": True}, {"known": False}, {"policy": "responsible"}])
@pytest.mark.parametrize(("changes", "code", "agent"), [
    ({"message": BY_CLAUDE}, "dco/agent-signoff", "Claude"), ({"author": CLAUDE, "author_account": None, "message": BY_CLAUDE}, "dco/agent-signoff", "Claude"),
    ({"author": CLAUDE, "author_account": None, "committer": FLOW, "message": BY_CLAUDE}, "dco/agent-signoff", "Claude"),
    ({"author": CLAUDE, "author_account": None, "committer": FLOW, "message": "Add"}, "dco/missing", "Claude"),
    ({"author": {"name": "Cursor", "email": "x@y.org"}, "author_account": {"id": 199161495, "login": "cursoragent"}, "committer": FLOW,
      "message": says("Signed-off-by: Cursor <x@y.org>")}, "dco/agent-signoff", "Cursor"),
    ({"message": BY_CLAUDE + "\nSigned-off-by: Ada <ada@huawei.com>"}, "dco/signed", None), ({"message": "Add"}, "dco/missing", None),
])  # fmt: skip
def test_a_known_agent_certifies_nothing_and_the_problem_names_it(commit, verdict, agents, changes, code, agent):
    check = verdict(commit(**changes), rulebook={"people": {"agents": agents}}).checks[0]
    assert check.commits[0].codes == (code,)
    for problem in check.problems:
        assert problem.values.get("agent") == (agent and (agent,))


def test_a_commit_with_two_or_more_parents_needs_no_sign_off(commit, verdict):
    merge = commit(message="Merge", parents=["1", "2"], sha="b" * 40)
    assert verdict(merge, commit()).checks[0].commits[0].codes == ("dco/merge",)
    assert not verdict(commit(message="Merge branch main", parents=["1"])).conclusion.passes


@pytest.mark.parametrize("parents", [["1", "1"], ["1", "1", "1"]])
def test_a_parent_that_is_named_twice_makes_no_merge_but_to_the_dco_app(commit, verdict, parents):
    twice = commit(message="Merge", parents=parents, sha="b" * 40)
    assert verdict(twice, commit()).checks[0].commits[0].codes == ("dco/missing",)
    assert verdict(twice, commit(), rulebook=EXACT).checks[0].commits[0].codes == ("dco/merge",)


MERGE = {"parents": ["1", "2"]}
UNSIGNED, SIGNED, OTHERS = "Merge", says("Signed-off-by: Ada <ada@huawei.com>"), says("Signed-off-by: Eve <eve@x.org>")


@pytest.mark.parametrize(("message", "changes", "known", "code"), [
    (UNSIGNED, {}, {}, "dco/only-merges"), (UNSIGNED, {}, {"files": ["a"]}, "dco/only-merges"), (UNSIGNED, {}, {"files": []}, "dco/merge"),
    (UNSIGNED, {}, {"changed_files": 0}, "dco/merge"), (UNSIGNED, {}, {"changed_files": 3}, "dco/only-merges"), (UNSIGNED, {}, {"changed_files": 0, "files": ["a"]}, "dco/only-merges"),
    (UNSIGNED, {"merge_changes": False}, {"files": ["a"]}, "dco/merge"), (UNSIGNED, {"merge_changes": True}, {"files": []}, "dco/merge-changes"),
    (UNSIGNED, {"parents": ["1", "2", "3"]}, {}, "dco/only-merges"), (UNSIGNED, {"author_account": None}, {}, "dco/only-merges"),
    (SIGNED, {}, {}, "dco/signed"), (SIGNED, {"merge_changes": True}, {}, "dco/signed"), (OTHERS, {}, {}, "dco/mismatch"), (OTHERS, {}, {"files": []}, "dco/merge"),
])  # fmt: skip
def test_merges_alone_need_a_sign_off_unless_they_change_nothing(commit, case, message, changes, known, code):
    merge = commit(message=message, **MERGE | changes)
    facts = case(merge)
    facts["pull_request"] |= known
    check = judge(read(facts)).checks[0]
    assert check.commits[0].codes == (code,)
    assert check.conclusion.passes is (code in ("dco/merge", "dco/signed"))
    exact = judge(read({**facts, "rulebook": {"dco": {"matching": "exact"}}})).checks[0]
    assert exact.commits[0].codes == ("dco/merge",)


@pytest.mark.parametrize(("message", "code"), [(UNSIGNED, "dco/merge-changes"), (SIGNED, "dco/signed")])
def test_a_merge_that_brings_more_than_its_parents_needs_a_sign_off(commit, verdict, message, code):
    merge = commit(message=message, sha="b" * 40, merge_changes=True, **MERGE)
    assert verdict(merge, commit()).checks[0].commits[0].codes == (code,)


def test_a_merge_may_be_remedied_by_a_later_commit(commit, verdict):
    merge = commit(message=UNSIGNED, sha="b" * 40, merge_changes=True, **MERGE)
    word = f"I, Ada <ada@huawei.com>, hereby add my Signed-off-by to this commit: {'b' * 40}"
    later = commit(message=f"Remedy\n\n{word}\n\nSigned-off-by: Ada <ada@huawei.com>")
    assert verdict(merge, later, rulebook={"dco": {"remediation": {"individual": True}}}).conclusion.passes


MEMBERS = {"dco": {"members": "exempt"}}
EVE = {"id": 66, "login": "eve", "type": "User"}


@pytest.mark.parametrize(("changes", "code"), [
    ({"verified": True}, "dco/member"), ({"verified": False}, "dco/member-unverified"), ({"verified": None}, "dco/member-unverified"),
    ({"verified": True, "committer_account": None}, "dco/member"),
    ({"verified": True, "committer": {"name": "Eve", "email": "eve@x.org"}, "committer_account": EVE}, "dco/member-unverified"),
    ({"verified": True, "committer": {"name": "Eve", "email": "eve@x.org"}, "committer_account": None}, "dco/member-unverified"),
    ({"verified": True, "author_account": EVE}, "dco/missing"), ({"verified": True, "author_account": None}, "dco/missing"),
    ({"verified": True, "committer": {"name": "GitHub", "email": "noreply@github.com"}, "committer_account": {"id": 19864447, "login": "web-flow", "type": "User"}}, "dco/member-unverified"),
    ({"verified": True, "committer": {"name": "GitHub", "email": "noreply@github.com"}, "committer_account": None}, "dco/member-unverified"),
])  # fmt: skip
def test_a_verified_commit_exempts_a_member_who_is_both_author_and_committer(commit, verdict, changes, code):
    found = verdict(commit(message="Add", **changes), rulebook=MEMBERS, members=[11])
    assert found.checks[0].commits[0].codes == (code,)


@pytest.mark.parametrize("matching", ["evidence", "exact"])
@pytest.mark.parametrize(("owner", "verified", "code"), [
    ({"owner_type": "User", "owner_id": 11}, True, "dco/member"), ({"owner_type": "User", "owner_id": 11}, False, "dco/member-unverified"),
    ({"owner_type": "User", "owner_id": 66}, True, "dco/missing"), ({"owner_type": "User"}, True, "dco/missing"),
    ({"owner_type": "Organization", "owner_id": 11}, True, "dco/missing"),
])  # fmt: skip
def test_the_owner_of_a_user_s_repository_is_its_only_member(commit, verdict, matching, owner, verified, code):
    """The DCO apps do the same: the owner alone, and only for a verified commit."""
    rules = {"dco": {"members": "exempt", "matching": matching}}
    repository = {"full_name": "ada/tool", **owner}
    found = verdict(commit(message="Add", verified=verified), rulebook=rules, repository=repository)
    assert found.checks[0].commits[0].codes == (code,)


@pytest.mark.parametrize("email", ["", "ada", "ada@", "a b@x.org", "ada@x..org"])
def test_a_malformed_author_address_fails_even_if_the_sign_off_repeats_it(commit, verdict, email):
    found = verdict(
        commit(author={"name": "Ada", "email": email}, message=says(f"Signed-off-by: Ada <{email}>"))
    ).checks[0]
    assert found.commits[0].codes == ("dco/invalid-email",)
    assert found.problems[0].values["whose"] == "author"
    assert found.problems[0].values["email"] == masked(email)


def test_a_commit_without_author_and_committer_expects_no_person_and_says_so(commit, verdict):
    for changes, code in (({}, "dco/mismatch"), ({"message": "Add"}, "dco/missing")):
        check = verdict(commit(author=None, committer={}, author_account={}, **changes)).checks[0]
        assert [(problem.code, problem.values) for problem in check.problems] == [(code, {"whose": "author"})]


GITHUB = {"name": "GitHub", "email": "noreply@github.com"}
LINKED_BOT = {"id": 7, "login": "b[bot]", "type": "Bot"}


@pytest.mark.parametrize("author", [GITHUB, None])
@pytest.mark.parametrize(("line", "code", "found"), [
    ("Signed-off-by: GitHub <noreply@github.com>", "dco/mismatch", ("GitHub <n…y@github.com>",)), ("", "dco/missing", None),
    ("Signed-off-by: Ada <ada@huawei.com>", "dco/mismatch", ("Ada <a…a@huawei.com>",)), ("Signed-off-by:Ada <ada@huawei.com>", "dco/missing", None),
])  # fmt: skip
def test_a_commit_made_only_by_software_expects_no_sign_off(commit, verdict, author, line, code, found):
    work = commit(author=author, author_account=None, committer=GITHUB, message=says(line))
    (problem,) = verdict(work).checks[0].problems
    assert (problem.code, problem.values) == (code, {"why": "machine"} | ({"found": found} if found else {}))


def test_a_person_s_sign_off_on_a_commit_of_a_linked_bot_account_fails_as_a_machine_s(commit, verdict):
    work = commit(committer={"name": "Ada", "email": "ada@huawei.com"}, committer_account=LINKED_BOT)
    (problem,) = verdict(work).checks[0].problems
    assert (problem.code, problem.values["why"]) == ("dco/mismatch", "machine")


FIX = "b" * 40


@pytest.mark.parametrize(("line", "rules", "passes"), [
    (f"I, Ada <ada@huawei.com>, hereby add my Signed-off-by to this commit: {'a' * 40}", {"individual": True}, True),
    (f"I, Ada <ada@huawei.com>, hereby add my Signed-off-by to this commit: {'a' * 40}", {}, False),
    (f"I, Eve <eve@x.org>, hereby add my Signed-off-by to this commit: {'a' * 40}", {"individual": True}, False),
    (f"I, Ada <ada@huawei.com>, hereby add my Signed-off-by to this commit: {'a' * 39}", {"individual": True}, False),
    (f"On behalf of Ada <ada@huawei.com>, I, Bo <bo@x.org>, hereby add my Signed-off-by to this commit: {'a' * 40}",
     {"individual": True, "third_party": True}, True),
    (f"On behalf of Ada <ada@huawei.com>, I, Bo <bo@x.org>, hereby add my Signed-off-by to this commit: {'a' * 40}", {"third_party": True}, False),
    (f"On behalf of Eve <eve@x.org>, I, Bo <bo@x.org>, hereby add my Signed-off-by to this commit: {'a' * 40}",
     {"individual": True, "third_party": True}, False),
])  # fmt: skip
def test_a_later_commit_of_the_right_person_may_remedy_an_earlier_one(commit, verdict, line, rules, passes):
    who = {"name": "Bo", "email": "bo@x.org"} if "Bo" in line else {"name": "Ada", "email": "ada@huawei.com"}
    later = commit(
        sha=FIX, author=who, committer=who, message=f"Fix\n\n{line}\nSigned-off-by: {who['name']} <{who['email']}>\n"
    )
    found = verdict(commit(message="Add"), later, rulebook={"dco": {"remediation": rules}}).checks[0]
    assert found.conclusion.passes is passes
    assert (found.commits[0].codes == ("dco/remediated",)) is passes
    kind = "third-party" if "behalf" in line else "individual"
    assert not passes or found.notes[0].values == {"by_sha": FIX, "kind": kind}


def test_a_remediation_names_the_difference_in_case_that_it_accepted(commit, verdict):
    line = f"I, ADA <ada@huawei.com>, hereby add my Signed-off-by to this commit: {'a' * 40}"
    later = commit(sha=FIX, message=f"Fix\n\n{line}\nSigned-off-by: Ada <ada@huawei.com>\n")
    found = verdict(commit(message="Add"), later, rulebook={"dco": {"remediation": {"individual": True}}}).checks[0]
    assert [(note.code, note.sha) for note in found.notes[:2]] == [
        ("dco/remediated", "a" * 40),
        ("dco/equivalent", "a" * 40),
    ]
    assert found.notes[1].values == {"kinds": ("case",)}


def test_a_remediation_for_a_signed_commit_changes_nothing(commit, verdict):
    line = f"I, Ada <ada@huawei.com>, hereby add my Signed-off-by to this commit: {'a' * 40}"
    later = commit(sha=FIX, message=f"Fix\n\n{line}\nSigned-off-by: Ada <ada@huawei.com>\n")
    found = verdict(commit(), later, rulebook={"dco": {"remediation": {"individual": True}}}).checks[0]
    assert [result.codes for result in found.commits] == [("dco/signed",), ("dco/signed",)]


def test_a_spoofed_bot_cannot_remediate_under_evidence(commit, verdict):
    who = {"name": "helper[bot]", "email": "99+helper[bot]@users.noreply.github.com"}
    line = f"I, {who['name']} <{who['email']}>, hereby add my Signed-off-by to this commit: {'a' * 40}"
    bot = {"author": who, "committer": who, "author_account": BOT, "committer_account": BOT}
    later = commit(sha=FIX, **bot, parents=["1", "2"], message=f"Fix\n\n{line}")
    assert not verdict(
        commit(message="Add", **bot), later, rulebook={"dco": {"remediation": {"individual": True}}}
    ).conclusion.passes


@pytest.mark.parametrize(("override", "rulebook", "passes"), [
    ({}, {}, True), ({"head_sha": FIX}, {}, False), ({"kind": "cla"}, {}, False), ({"account": {"id": 11}}, {}, False),
    ({"by": {"id": 11, "login": "ada"}}, {}, False), ({"by": {"id": 12, "login": "bo"}}, {}, False), ({"by": None}, {}, False),
    ({}, {"dco": {"override": "nobody"}}, False),
])  # fmt: skip
def test_an_override_passes_one_head_and_is_never_by_its_opener_or_author(commit, verdict, override, rulebook, passes):
    exemption = {
        "kind": "dco",
        "account": None,
        "head_sha": "a" * 40,
        "by": {"id": 1, "login": "maint"},
        "reason": "…",
        **override,
    }
    mine = commit(message="Add", author_account={"id": 12, "login": "bo"})
    check = verdict(mine, overrides=[exemption], rulebook=rulebook).checks[0]
    assert check.conclusion.passes is passes
    if passes:
        assert check.commits[0].codes == ("dco/missing", "dco/overridden")
        assert check.commits[0].status == "pass"
        assert [(note.code, note.values) for note in check.notes] == [("dco/overridden", {"by": "maint"})]


MAINT = {"kind": "dco", "account": None, "head_sha": "a" * 40, "by": {"id": 1, "login": "maint"}, "reason": "…"}


def test_an_override_marks_only_the_failing_commits_and_names_its_giver(commit, verdict):
    check = verdict(commit(sha=FIX), commit(message="Add"), overrides=[MAINT]).checks[0]
    assert (check.name, check.conclusion) == ("DCO", Conclusion.SUCCESS)
    assert [result.codes for result in check.commits] == [("dco/signed",), ("dco/missing", "dco/overridden")]
    assert [(note.code, note.account.id) for note in check.notes] == [("dco/signed", 11), ("dco/overridden", 1)]


def test_a_commit_without_author_and_account_can_be_overridden(commit, verdict):
    assert verdict(commit(message="Add", author=None, author_account=None), overrides=[MAINT]).conclusion.passes


def test_an_override_is_not_mentioned_where_every_commit_passes(commit, verdict):
    assert [note.code for note in verdict(commit(), overrides=[MAINT]).checks[0].notes] == ["dco/signed"]


@pytest.mark.parametrize(("by", "passes"), [(11, False), (13, False), (12, False), (1, True)])
def test_no_person_overrides_a_pull_request_that_they_opened_pushed_or_authored(commit, verdict, by, passes):
    bo = {"author_account": {"id": 12, "login": "bo"}, "committer_account": {"id": 12, "login": "bo"}}
    senders = [{"id": 13, "login": "cy", "type": "User", "may_write": True}]
    word = {**MAINT, "by": {"id": by, "login": "x"}}
    assert verdict(commit(message="Add", **bo), senders=senders, overrides=[word]).checks[0].conclusion.passes is passes


@pytest.mark.parametrize(
    ("email", "emails"), [("1+maint@users.noreply.github.com", {}), ("m@home.org", {"1": ["M@home.org"]})]
)
@pytest.mark.parametrize("role", ["author", "committer", "coauthor"])
def test_no_person_overrides_work_that_is_theirs_by_a_noreply_or_proven_address(commit, verdict, email, emails, role):
    who = {"name": "M", "email": email}
    changes = {"coauthors": [who]} if role == "coauthor" else {role: who, f"{role}_account": None}
    mine = commit(message="Add", **changes)
    assert not verdict(mine, overrides=[MAINT], emails=emails).conclusion.passes
    assert verdict(mine, overrides=[{**MAINT, "by": {"id": 2, "login": "other"}}], emails=emails).conclusion.passes


@pytest.mark.parametrize(("matching", "code"), [("evidence", "dco/invisible"), ("exact", "dco/signed")])
def test_names_with_replaced_bytes_match_only_under_exact(commit, verdict, matching, code):
    who = {"name": "Ren\ufffd", "email": "ada@huawei.com"}
    work = commit(message=says("Signed-off-by: Ren\ufffd <ada@huawei.com>"), author=who, committer=who)
    check = verdict(work, rulebook={"dco": {"matching": matching}}).checks[0]
    assert check.commits[0].codes == (code,)


ADA_ACCOUNT, EVE_ACCOUNT = {"id": 11, "login": "ada", "type": "User"}, {"id": 66, "login": "eve", "type": "User"}
PRIVATE = {"name": "Ada", "email": "11+ada@users.noreply.github.com"}
WEB = {"committer": FLOW, "committer_account": None}


@pytest.mark.parametrize(("elsewhere", "passes"), [
    ({"author": {"name": "A", "email": "ada@x.org"}, "author_account": ADA_ACCOUNT}, True),  # GitHub links it to the same account
    ({"author": {"name": "A", "email": "ADA@X.org"}, "author_account": ADA_ACCOUNT}, True),
    ({"coauthors": [{"name": "A", "email": "ada@x.org", "account": ADA_ACCOUNT}]}, True),
    ({"author": {"name": "A", "email": "ada@x.org"}, "author_account": EVE_ACCOUNT}, False),  # to another
    ({"author": {"name": "A", "email": "ada@x.org"}, "author_account": None}, False),  # to none
    ({"author": {"name": "A", "email": "ada@y.org"}, "author_account": ADA_ACCOUNT}, False),  # another address
    ({"author": {"name": "A", "email": "ada@x.org"}, "author_account": ADA_ACCOUNT,
      "coauthors": [{"name": "E", "email": "ada@x.org", "account": EVE_ACCOUNT}]}, False),  # to two
])  # fmt: skip
def test_a_linked_address_of_the_author_counts_under_evidence_and_not_under_exact(commit, verdict, elsewhere, passes):
    other = commit(sha="b" * 40, **elsewhere)
    work = commit(author=PRIVATE, author_account=ADA_ACCOUNT, message=says("Signed-off-by: Ada <ada@x.org>"), **WEB)
    for rulebook, expected in (({}, passes), (EXACT, False)):
        check = verdict(other, work, rulebook=rulebook).checks[0]
        assert (check.commits[1].status == "pass") is expected
        assert any(note.values.get("kinds") == ("linked",) for note in check.notes) is expected


FREE = {"dco": {"names": "free"}}
HOME = {"name": "Ada", "email": "ada@home.org"}


@pytest.mark.parametrize(("line", "changes", "passes"), [
    ("A. Lovelace <ada@home.org>", {}, True),  # GitHub links the commit's own address to the account
    ("爱达 <ADA@home.org>", {}, True),
    ("A. Lovelace <11+was-ada@users.noreply.github.com>", {}, True),  # by the id, under any login
    ("A. Lovelace <ada@proven.org>", {}, True),
    ("A. Lovelace <ada@users.noreply.github.com>", {}, False),  # without the id a login may have changed hands
    ("A. Lovelace <66+eve@users.noreply.github.com>", {}, False),
    ("A. Lovelace <eve@x.org>", {}, False),  # proven by another account
    ("A. Lovelace <ada@elsewhere.org>", {}, False),
    ("A. Lovelace <ada@home.org>", {"author_account": None}, False),  # an address of no account
    ("A. Lovelace <ada@home.org>", {"coauthors": [{"name": "E", "email": "ada@home.org", "account": EVE_ACCOUNT}]}, False),
    (". <ada@home.org>", {}, False),  # no name at all
    ("Ada <ada@home.org>", {}, True),
])  # fmt: skip
def test_any_name_counts_under_free_names_before_an_address_of_the_account(commit, verdict, line, changes, passes):
    work = commit(
        **{"author": HOME, "author_account": ADA_ACCOUNT, "message": says(f"Signed-off-by: {line}"), **WEB, **changes}
    )
    emails = {"11": ["ada@proven.org"], "66": ["eve@x.org"]}
    check = verdict(work, rulebook=FREE, emails=emails).checks[0]
    assert (check.commits[0].status == "pass") is passes
    is_free = passes and line != "Ada <ada@home.org>"
    assert any("name" in note.values.get("kinds", ()) for note in check.notes) is is_free
    for rulebook in ({}, {"dco": {"names": "free", "matching": "exact"}}):
        assert verdict(work, rulebook=rulebook, emails=emails).conclusion.passes is (line == "Ada <ada@home.org>")


def test_free_names_let_an_author_sign_off_later_under_another_name(commit, verdict):
    first = commit(sha="b" * 40, author=HOME, author_account=ADA_ACCOUNT, message="Add", **WEB)
    line = f"I, A. L. <ada@home.org>, hereby add my Signed-off-by to this commit: {'b' * 40}"
    later = commit(
        author=HOME, author_account=ADA_ACCOUNT, message=says(f"{line}\n\nSigned-off-by: A. L. <ada@home.org>"), **WEB
    )
    allowed = {"dco": {"names": "free", "remediation": {"individual": True}}}
    assert verdict(first, later, rulebook=allowed).conclusion.passes
    assert not verdict(first, later, rulebook={"dco": {"remediation": {"individual": True}}}).conclusion.passes


@pytest.mark.parametrize(("author", "line", "code", "why"), [
    (PRIVATE, "Ada <ada@x.org>", "dco/email-differs", "private"), (PRIVATE, "Ada Lovelace <ada@x.org>", "dco/mismatch", "private"),
    ({"name": "Ada", "email": "ada@users.noreply.github.com"}, "Ada <ada@x.org>", "dco/email-differs", "private"),
    ({"name": "Ada", "email": "ada@x.org"}, "Ada <old-ada@users.noreply.github.com>", "dco/email-differs", "private"),
    ({"name": "Ada", "email": "ada@x.org"}, "Eve <66+eve@users.noreply.github.com>", "dco/mismatch", None),
    ({"name": "Ada", "email": "ada@x.org"}, "Ada <ada@y.org>", "dco/email-differs", None), (PRIVATE, "Eve <66+eve@users.noreply.github.com>", "dco/mismatch", None),
])  # fmt: skip
def test_a_private_noreply_address_is_not_told_as_another_person_s(commit, verdict, author, line, code, why):
    work = commit(author=author, author_account=ADA_ACCOUNT, message=says(f"Signed-off-by: {line}"), **WEB)
    (problem,) = verdict(work).checks[0].problems
    assert (problem.code, problem.values.get("why")) == (code, why)


HELD = {"dco": {"merged": "exempt"}}
EXEMPT_AS_HELD = {"merged": "dco/merged", "reverts": "dco/revert"}


@pytest.mark.parametrize("fact", EXEMPT_AS_HELD)
@pytest.mark.parametrize(("known", "rule", "passes"), [
    (True, {"{}": "exempt"}, True), (False, {"{}": "exempt"}, False), (None, {"{}": "exempt"}, False), (True, {}, False),
    (True, {"{}": "required"}, False), (True, {"{}": "exempt", "matching": "exact"}, False),
])  # fmt: skip
def test_a_commit_that_is_known_to_be_merged_or_a_clean_revert_passes_only_where_the_rules_exempt_it(
    commit, verdict, fact, known, rule, passes
):
    rulebook = {"dco": {name.format(fact): value for name, value in rule.items()}}
    check = verdict(commit(message="Revert x\n\nMerged as #1", **{fact: known}), rulebook=rulebook).checks[0]
    assert check.conclusion.passes is passes
    assert check.commits[0].codes == ((EXEMPT_AS_HELD[fact],) if passes else ("dco/missing",))


@pytest.mark.parametrize(("changes", "codes"), [
    ({}, ("dco/only-merges",)), ({"merged": True}, ("dco/merge",)), ({"merged": False}, ("dco/only-merges",)),
    ({"merge_changes": False}, ("dco/merge",)), ({"message": UNSIGNED + says("Signed-off-by: Ada <ada@huawei.com>")}, ("dco/signed",)),
])  # fmt: skip
@pytest.mark.parametrize(("fact", "code"), EXEMPT_AS_HELD.items())
def test_a_merge_beside_exempt_commits_alone_is_judged_as_one_without_any(commit, verdict, changes, codes, fact, code):
    rulebook = {"dco": {"merged": "exempt", "reverts": "exempt"}}
    held = commit(message="Add", **{fact: True})
    merge = commit(**{"message": UNSIGNED, "sha": "b" * 40, **MERGE, **changes})
    check = verdict(held, merge, rulebook=rulebook).checks[0]
    assert [result.codes for result in check.commits] == [(code,), codes]
    own = commit(message=says("Signed-off-by: Ada <ada@huawei.com>"), sha="c" * 40)
    assert verdict(held, own, merge, rulebook=rulebook).conclusion.passes


def test_merged_agents_are_blocked_as_ever(commit, verdict):
    work = commit(message="Add\n\nCo-authored-by: Claude <noreply@anthropic.com>", merged=True)
    blocked = {**HELD, "people": {"agents": {"policy": "block"}}}
    assert verdict(work, rulebook=HELD).conclusion.passes
    assert [p.code for p in verdict(work, rulebook=blocked).checks[0].problems] == ["dco/agent-blocked"]
