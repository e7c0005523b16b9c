"""Each sentence of the promise about the DCO, held from both sides."""

import pytest

from bot.report.words import CommandContext, text
from tests.promises.pull import EVE, commit, facts, passes, sign_off, verdict

ADA_SIGNED = "Signed-off-by: Ada <ada@home.org>"
EVE_SIGNED = "Signed-off-by: Eve <eve@x.org>"
GIT_EVE = {"name": "Eve", "email": "eve@x.org"}


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
    assert passes(commit(message=message), require="dco", rulebook={"dco": {"matching": matching}}) is good


@pytest.mark.parametrize(("name", "email", "good"), [
    ("Ada", "ada@home.org", True), ("Eve", "eve@x.org", True), ("Ada", "eve@x.org", False), ("Eve", "ada@home.org", False), ("Bo", "bo@home.org", False),
])  # fmt: skip
@pytest.mark.parametrize("matching", ["evidence", "exact"])
def test_name_and_address_must_both_be_those_of_one_person(name, email, good, matching):
    work = commit(message=f"Add\n\nSigned-off-by: {name} <{email}>", committer=GIT_EVE, committer_account=EVE)
    assert passes(work, require="dco", rulebook={"dco": {"matching": matching}}) is good


@pytest.mark.parametrize(("message", "code"), [
    ("Add", "dco/missing"), ("Add\n\nSigned-off-by:Ada <ada@home.org>", "dco/malformed"), (f"Add\n\n{ADA_SIGNED}.", "dco/malformed"),
    ("Add\n\nSigned-off-by: Eve <ada@home.org>", "dco/name-differs"), ("Add\n\nSigned-off-by: Ada <eve@x.org>", "dco/email-differs"), (f"Add\n\n{EVE_SIGNED}", "dco/mismatch"),
    ("Add\n\nSigned-off-by: A\u200bda <ada@home.org>", "dco/invisible"),
])  # fmt: skip
def test_each_problem_of_a_sign_off_is_named_with_its_command(message, code):
    check = verdict(facts(commit(message=message), require="dco")).checks[0]
    assert [problem.code for problem in check.problems] == [code]
    for amend, command in ((True, "git commit --amend --signoff"), (False, "git rebase --signoff main")):
        fix = text(check.problems[0], "en", situation=CommandContext("main", amend=amend, others=True)).fix
        assert any(line.startswith(command) for line in fix.splitlines())
        assert "HEAD~" not in fix
        assert "ada@home.org" not in fix


@pytest.mark.parametrize("matching", ["evidence", "exact"])
@pytest.mark.parametrize(("email", "good"), [
    ("ada@home.org", True), ("a@b", True), ("x[bot]@users.noreply.github.com", True), ('"a b"@home.org', True), ("ada@[127.0.0.1]", True), ("用户@home.org", True),
    ("", False), ("ada", False), ("@home.org", False), ("ada@", False), ("ada@home.org.", False), ("a..b@home.org", False), ("ada@home..org", False), ("a" * 65 + "@home.org", False),
])  # fmt: skip
def test_an_empty_address_is_invalid_and_one_label_is_enough(email, good, matching):
    work = commit(email=email, message=f"Add\n\nSigned-off-by: Ada <{email}>")
    (codes,) = sign_off(work, rulebook={"dco": {"matching": matching}})
    assert ("dco/invalid-email" in codes) is not good
    if "[bot]" not in email:
        assert passes(work, require="dco", rulebook={"dco": {"matching": matching}}) is good
