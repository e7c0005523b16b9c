"""The verdict as plain data."""

import json
from dataclasses import dataclass

from agreements.writer import plain


@dataclass
class Said:
    message: str
    fix: str


def test_the_schema(commit, verdict):
    """Problems carry code, person, role, values and words; notes have no fix; commits stand in the DCO check only."""
    book = {"repositories": [{"match": ["*"], "require": "both"}]}
    found = plain(verdict(commit(), rulebook=book), lambda item: Said(f"says {item.code}", "do it"))
    cla, dco = found["checks"]
    assert found["conclusion"] == "failure"
    assert cla == {"name": "CLA", "conclusion": "failure", "notes": [], "problems": [
        {"code": "cla/unsigned", "sha": None, "account": {"id": 11, "login": "ada"}, "role": "opener",
         "values": {"agreement": "icla", "also": ["company"]}, "message": "says cla/unsigned", "fix": "do it"}]}  # fmt: skip
    assert dco["commits"] == [{"sha": "a" * 40, "status": "pass", "codes": ["dco/signed"]}]
    assert dco["notes"] == [{"code": "dco/signed", "sha": "a" * 40, "account": {"id": 11, "login": "ada"},
                             "values": {"by": "Ada <a…a@huawei.com>"}, "message": "says dco/signed"}]  # fmt: skip
    json.dumps(found)


def test_nothing_required(verdict):
    """`require: none` gives no check."""
    found = plain(verdict(rulebook={"repositories": [{"match": ["*"], "require": "none"}]}), lambda _: Said("", ""))
    assert found == {"conclusion": "neutral", "checks": []}
