"""What a sign-off is worth: each sentence of the promise about the DCO, held from both sides."""

import pytest

from bot.report.words import CommandContext, text
from tests.promises.pull import ADA, BO, BOT, EVE, HEAD, account, commit, facts, passes, sign_off, verdict

ADA_SIGNED = "Signed-off-by: Ada <ada@home.org>"
EVE_SIGNED = "Signed-off-by: Eve <eve@x.org>"
GIT_EVE = {"name": "Eve", "email": "eve@x.org"}
FIX = "f" * 40


def exact(**more):
    """A rulebook that matches as the other DCO bots do."""
    return {"dco": {"matching": "exact", **more}}


@pytest.mark.parametrize(("message", "good"), [
    (f"Add\n\n{ADA_SIGNED}", True), (ADA_SIGNED, True), (f"{ADA_SIGNED}\n\nmore text\n", True), (f"a\n{ADA_SIGNED}\nb", True), (f"Add\n\n{ADA_SIGNED.upper()}", True),
    (f"Add\n\n{EVE_SIGNED}\n{ADA_SIGNED}\n{EVE_SIGNED}", True), (f"Add\r\n\r\n{ADA_SIGNED}\r\n", True), (f"Add\n\n {ADA_SIGNED}", False), (f"Add\n\n> {ADA_SIGNED}", False),
    ("Add", False), ("", False), ("Add\n\nSigned-off-by: Ada", False), ("Add\n\nSigned-off-by: <ada@home.org>", False), ("Add\n\nSigned-off-by:Ada <ada@home.org>", False),
    (f"Add\n\n{EVE_SIGNED}", False), ("Add\n\nSigned-off-by: Ada <eve@x.org>", False), ("Add\n\nSigned-off-by: Eve <ada@home.org>", False),
    (f"Add\n\n{ADA_SIGNED} (Firm)", False), (f"Add {ADA_SIGNED}", False), ("Add\n\nCo-authored-by: Ada <ada@home.org>", False), (f"Add\n\nNot-{ADA_SIGNED}", False),
])  # fmt: skip
@pytest.mark.parametrize("matching", ["evidence", "exact"])
def test_a_sign_off_is_a_line(message, good, matching):
    """`Signed-off-by: NAME <EMAIL>`, any case, anywhere in the message; one match is enough."""
    assert passes(commit(message=message), require="dco", rulebook={"dco": {"matching": matching}}) is good


@pytest.mark.parametrize(("name", "email", "good"), [
    ("Ada", "ada@home.org", True), ("Eve", "eve@x.org", True), ("Ada", "eve@x.org", False), ("Eve", "ada@home.org", False), ("Bo", "bo@home.org", False),
])  # fmt: skip
@pytest.mark.parametrize("matching", ["evidence", "exact"])
def test_both_must_be_those_of_one_person(name, email, good, matching):
    """Name and e-mail must both be those of one person, author or committer."""
    one = commit(message=f"Add\n\nSigned-off-by: {name} <{email}>", committer=GIT_EVE, committer_account=EVE)
    assert passes(one, require="dco", rulebook={"dco": {"matching": matching}}) is good


@pytest.mark.parametrize(("changes", "given", "codes"), [
    ({"parents": ["1", "2"]}, {}, ("dco/merge",)), ({"parents": ["1", "2", "3"]}, {}, ("dco/merge",)), ({"parents": ["1"]}, {}, ("dco/missing",)), ({"parents": []}, {}, ("dco/missing",)),
    ({"author_account": BOT}, {"senders": [BOT]}, ("dco/bot",)), ({"author_account": BOT}, {"opener": BOT}, ("dco/bot",)), ({"author_account": BOT}, {}, ("dco/missing",)),
    ({"author_account": BOT, "committer_account": BOT}, {}, ("dco/missing",)), ({"author_account": BOT}, {"rulebook": exact()}, ("dco/bot",)),
    ({"committer_account": BOT}, {"senders": [BOT]}, ("dco/missing",)), ({"verified": True}, {"members": [11]}, ("dco/missing",)),
    ({"verified": True}, {"members": [11], "rulebook": {"dco": {"members": "exempt"}}}, ("dco/member",)),
    ({"verified": None}, {"members": [11], "rulebook": {"dco": {"members": "exempt"}}}, ("dco/member-unverified",)),
    ({"verified": False}, {"members": [11], "rulebook": exact(members="exempt")}, ("dco/member-unverified",)),
    ({"verified": True}, {"members": [12], "rulebook": exact(members="exempt")}, ("dco/missing",)),
    ({"verified": True, "author_account": BO}, {"members": [11], "rulebook": exact(members="exempt")}, ("dco/missing",)),
])  # fmt: skip
def test_skipped_with_a_recorded_reason(changes, given, codes):
    """Merges, proven bots, members with a verified commit when members are exempt; the exempt member is the author's account."""
    (found,) = sign_off(commit(**changes), **given)
    if changes.get("author_account") == BOT and codes == ("dco/missing",):
        codes = ("dco/bot-unproven",)
    assert found == codes


@pytest.mark.parametrize(("one", "given", "kinds"), [
    (commit(name="José", message="Signed-off-by: Jose\u0301 <ada@home.org>"), {}, ("unicode",)), (commit(message="Signed-off-by: ADA <ADA@HOME.ORG>"), {}, ("case",)),
    (commit(message="Signed-off-by: Ada <11+ada@users.noreply.github.com>"), {}, ("noreply",)), (commit(message="Signed-off-by: Ada <12+ada@users.noreply.github.com>"), {}, None),
    (commit(message="Signed-off-by: A. L. <old@x.org>"), {"mailmap": "Ada <ada@home.org> A. L. <old@x.org>\n"}, ("mailmap",)),
    (commit(message="Signed-off-by: A. L. <old@x.org>"), {"mailmap": "Ada <ada@home.org> Other <old@x.org>\n"}, None),
    (commit(message="Signed-off-by: Ada <new@x.org>"), {"emails": {"11": ["new@x.org"]}}, ("proven",)), (commit(message="Signed-off-by: Ada <new@x.org>"), {"emails": {"12": ["new@x.org"]}}, None),
    (commit(message="Signed-off-by: Ada <new@x.org>"), {}, None), (commit(None, message="Signed-off-by: Ada <new@x.org>"), {"emails": {"11": ["new@x.org"]}}, None),
    (commit(message="Signed-off-by: Аda <ada@home.org>"), {}, None), (commit(message="Signed-off-by: Ada <ada@home.org.evil.org>"), {}, None),
])  # fmt: skip
def test_evidence_adds_and_names_what_it_adds(one, given, kinds):
    """NFC and case folding, the account's own noreply forms, `.mailmap`, a proven address; each one is in the note."""
    check = verdict(facts(one, require="dco", **given)).checks[0]
    assert check.conclusion.passes is (kinds is not None)
    assert [note.values["kinds"] for note in check.notes if note.code == "dco/equivalent"] == ([kinds] if kinds else [])
    if kinds != ("case",):
        assert not passes(one, require="dco", rulebook=exact(), **given)


@pytest.mark.parametrize(("message", "code"), [
    ("Add", "dco/missing"), ("Add\n\nSigned-off-by:Ada <ada@home.org>", "dco/malformed"), (f"Add\n\n{ADA_SIGNED}.", "dco/malformed"),
    ("Add\n\nSigned-off-by: Eve <ada@home.org>", "dco/name-differs"), ("Add\n\nSigned-off-by: Ada <eve@x.org>", "dco/email-differs"), (f"Add\n\n{EVE_SIGNED}", "dco/mismatch"),
    ("Add\n\nSigned-off-by: A\u200bda <ada@home.org>", "dco/invisible"),
])  # fmt: skip
def test_a_problem_says_which_and_how_to_mend_it(message, code):
    """Missing, malformed, name or e-mail differs, invisible characters; with the exact command, each on a line of its own."""
    check = verdict(facts(commit(message=message), require="dco")).checks[0]
    assert [one.code for one in check.problems] == [code]
    for amend, command in ((True, "git commit --amend --signoff"), (False, "git rebase --signoff main")):
        fix = text(check.problems[0], "en", situation=CommandContext("main", amend=amend, others=True)).fix
        assert any(line.startswith(command) for line in fix.splitlines())
        assert "HEAD~" not in fix
        assert "ada@home.org" not in fix


def test_remediation_when_switched_on():
    """Individual and third-party, as in dco2: by the person, in a commit of theirs, and only when the rulebook lets it."""
    mine = f"I, Ada <ada@home.org>, hereby add my Signed-off-by to this commit: {HEAD}"
    other = f"On behalf of Ada <ada@home.org>, I, Bo <bo@home.org>, hereby add my Signed-off-by to this commit: {HEAD}"
    bo = {"name": "Bo", "email": "bo@home.org"}
    own = commit(sha=FIX, message=f"Fix\n\n{mine}\n{ADA_SIGNED}")
    third = commit(BO, sha=FIX, message=f"Fix\n\n{other}\nSigned-off-by: Bo <bo@home.org>", author=bo, committer=bo)
    borrowed = commit(BO, sha=FIX, message=f"Fix\n\n{mine}\nSigned-off-by: Bo <bo@home.org>", author=bo, committer=bo)
    for later, rule, good in ((own, "individual", True), (third, "third_party", True), (borrowed, "individual", False)):
        on = {"dco": {"remediation": {"individual": True, rule: True}}}
        assert passes(commit(), later, require="dco", rulebook=on) is good
        assert not passes(commit(), later, require="dco")


@pytest.mark.parametrize("matching", ["evidence", "exact"])
@pytest.mark.parametrize(("email", "good"), [
    ("ada@home.org", True), ("a@b", True), ("x[bot]@users.noreply.github.com", True), ('"a b"@home.org', True), ("ada@[127.0.0.1]", True), ("用户@home.org", True),
    ("", False), ("ada", False), ("@home.org", False), ("ada@", False), ("ada@home.org.", False), ("a..b@home.org", False), ("ada@home..org", False), ("a" * 65 + "@home.org", False),
])  # fmt: skip
def test_a_valid_address(email, good, matching):
    """An empty address is invalid, also with a sign-off that repeats it; one label is enough."""
    one = commit(email=email, message=f"Add\n\nSigned-off-by: Ada <{email}>")
    (codes,) = sign_off(one, rulebook={"dco": {"matching": matching}})
    assert ("dco/invalid-email" in codes) is not good
    if "[bot]" not in email:
        assert passes(one, require="dco", rulebook={"dco": {"matching": matching}}) is good


@pytest.mark.parametrize(("who", "line"), [
    (account(5, "agent"), "Signed-off-by: Ada <ada@home.org>"), (ADA, "Signed-off-by: Agent <noreply@agent.example>"), (ADA, "Signed-off-by: GitHub <noreply@github.com>"),
])  # fmt: skip
def test_no_agent_and_no_web_flow_certifies(who, line):
    """In `evidence`, the sign-off of an AI agent or of web-flow never certifies anything, whoever the committer is."""
    book = {"people": {"agents": {"accounts": [{"id": 5}], "emails": ["noreply@agent.example"]}}}
    name, email = line.removeprefix("Signed-off-by: ").rstrip(">").split(" <")
    one = commit(who, email, name=name, message=f"Add\n\n{line}")
    assert not passes(one, require="dco", rulebook=book)
    assert passes(
        {**one, "message": f"{one['message']}\n{EVE_SIGNED}", "committer": GIT_EVE, "committer_account": EVE},
        require="dco",
        rulebook=book,
    )
