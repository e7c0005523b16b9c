"""docs/explanation/dco.md and docs/reference/sign-offs.md are right: lines count when copied, tables name what the decision names."""

import re
from pathlib import Path

import pytest

from tests.promises.pull import BO, commit, facts, verdict

TEXT = (Path(__file__).parents[2] / "docs" / "explanation" / "dco.md").read_text(encoding="utf-8")
MATCHING = (Path(__file__).parents[2] / "docs" / "reference" / "sign-offs.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```\n(.*?)\n```$", TEXT, re.MULTILINE | re.DOTALL)
ADA_GIT = {"name": "Ada Lovelace", "email": "ada@example.org"}
BO_GIT = {"name": "Bo Li", "email": "bo@example.org"}
SHA = "0123456789abcdef0123456789abcdef01234567"


def codes(*commits, **dco):
    """The codes of each commit."""
    found = verdict(facts(*commits, require="dco", rulebook={"dco": dco})).checks[0]
    return [result.codes for result in found.commits]


@pytest.mark.parametrize("matching", ["evidence", "exact"])
def test_the_lines_of_the_page_count_when_copied(matching):
    signed, own, behalf = BLOCKS
    ada = commit(sha=SHA, author=ADA_GIT, committer=ADA_GIT)
    assert codes({**ada, "message": f"Add\n\n{signed}"}, matching=matching) == [("dco/signed",)]
    for line, rule, by, account in (
        (own, "individual", ADA_GIT, ada["author_account"]),
        (behalf, "third_party", BO_GIT, BO),
    ):
        later = commit(
            account,
            author=by,
            committer=by,
            message=f"Sign off\n\n{line}\n\nSigned-off-by: {by['name']} <{by['email']}>",
        )
        on = {"matching": matching, "remediation": {"individual": True, rule: True}}
        assert codes(ada, later, **on) == [("dco/remediated",), ("dco/signed",)]
        assert codes(ada, later, matching=matching) == [("dco/missing",), ("dco/signed",)]


def test_the_command_to_copy_writes_the_same_line():
    words = ", hereby add my Signed-off-by to this commit: "
    assert f'"I, $(git config user.name) <$(git config user.email)>{words}SHA"' in TEXT
    assert all(f">{words}{SHA}" in block for block in BLOCKS[1:])


def test_the_table_has_exactly_the_named_equivalences():
    table = MATCHING.partition("| name | the same are |")[2].partition("\n\n")[0]
    named = re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)
    assert named == ["spaces", "unicode", "case", "noreply", "mailmap", "proven", "linked", "name"]


@pytest.mark.parametrize(
    "rule",
    [
        "dco.matching",
        "dco.names",
        "dco.merged",
        "dco.portal",
        "dco.reverts",
        "dco.members",
        "dco.remediation.individual",
        "dco.remediation.third_party",
    ],
)
def test_the_keys_of_the_page_are_those_of_the_rulebook(rule):
    assert f"`{rule}" in TEXT
    keys = (Path(__file__).parents[2] / "docs" / "reference" / "rulebook-keys.csv").read_text(encoding="utf-8")
    assert f"\n`{rule}`," in keys
