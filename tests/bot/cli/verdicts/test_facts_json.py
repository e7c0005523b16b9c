"""Facts in JSON: one line for a mistake, and rulebooks that are remembered apart."""

import json

import pytest

from agreements.json.facts_reader import FactsInvalid
from bot.cli.verdicts.facts_json import verdict

SHA = "a" * 40
FACTS = {
    "rulebook": {"version": 1}, "repository": {"full_name": "cann/ops"}, "commit_count": 1, "now": "2026-11-21T00:00:00Z",
    "pull_request": {"number": 1, "opener": {"id": 11, "login": "ada", "type": "User"}, "base": "main", "head_sha": SHA},
    "commits": [{"sha": SHA, "message": "Add", "parents": ["0"], "author": {"name": "Ada", "email": "ada@huawei.com"}}],
}  # fmt: skip


def test_each_facts_are_judged_by_their_own_remembered_rulebook():
    books = [
        {"repositories": [{"match": ["*"], "require": "none" if number % 2 else "dco"}], "organization": f"o{number}"}
        for number in [*range(150), *range(10)]
    ]
    verdicts = [verdict(json.dumps({**FACTS, "rulebook": book}).encode())[1] for book in books]
    assert [outcome.conclusion.value for outcome in verdicts] == ["failure", "neutral"] * 80


@pytest.mark.parametrize(("data", "said"), [
    (b"", "not JSON: empty"), (b" \n", "not JSON: empty"), (b"{", "not JSON: Expecting property name enclosed in double quotes (line 1, column 2)"),
    (b"\xef\xbb\xbf{}", "not JSON: it begins with a byte order mark: save it without one"),
    (b'{"now": NaN}', "not JSON: NaN is not a number"), (b"1" * 5000, "not JSON: a number is too long"), (b"\xff", "not UTF-8 text (byte 0)"),
    (b"[" * 100_000, "the JSON is nested too deeply"), (b'{"now": 1, "now": 1}', "the key now appears twice"),
    (b'{"a@x.org": 1, "a@x.org": 1}', "the key a\u2026@x.org appears twice"),
    (json.dumps({**FACTS, "rulebook": {"version": 1, "licenses": {"delivery": "parcel"}}}).encode(),
     "rulebook.licenses.delivery: must be one of source, binary, hosted, internal"),
])  # fmt: skip
def test_wrong_facts_are_explained_in_one_line_without_an_address(data, said):
    with pytest.raises(FactsInvalid) as wrong:
        verdict(data)
    assert str(wrong.value) == said
