"""The verdict as plain data."""

import json
from dataclasses import dataclass

import pytest

from agreements.json.facts_reader import read
from agreements.json.verdict_writer import plain
from agreements.judge import judge


@dataclass
class Said:
    message: str
    fix: str


def test_the_verdict_has_its_documented_shape(commit, verdict):
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


SECRET = "secret.person@huawei.com"


@pytest.mark.parametrize(("place", "value"), [
    ("pull_request.opener.login", SECRET), ("pull_request.head_sha", SECRET), ("signatures.0.version", SECRET), ("companies.0.name", f"R {SECRET}"),
    ("companies.0.version", SECRET), ("rulebook.agreements.individual.text", SECRET), ("rulebook.changelog.path", f"docs/{SECRET}"), ("commits.0.sha", SECRET),
    ("commits.0.message", f"x\n\nsigned-off-by:{SECRET}"), ("overrides.0.by.login", SECRET), ("overrides.1.by.login", SECRET), ("commits.0.coauthors.0.account.login", SECRET),
    ("commits.0.coauthors.0.name", SECRET), ("commits.0.author.name", f"A＠x {SECRET.replace('@', '＠')}"), ("commits.0.author.email", SECRET), ("commits.0.author_account.login", SECRET),
])  # fmt: skip
@pytest.mark.parametrize("covered", [True, False])
def test_no_address_of_the_facts_is_in_the_verdict_unmasked(case, commit, place, value, covered):
    work = commit(
        message="Add", author_account={"id": 12, "login": "bo"}, coauthors=[{"name": "C", "email": "c@agent.example", "account": {"id": 99, "login": "c"}}]
    )  # fmt: skip
    firm = {
        "name": "H",
        "agreement": "ccla",
        "version": "2.0",
        "signed_at": "2026-01-01T00:00:00Z",
        "covers": [{"account": 12}],
    }
    signed = {"agreement": "icla", "version": "1.0", "account": {"id": 11}, "signed_at": "2026-01-01T00:00:00Z"}
    facts = case(
        work,
        rulebook={"repositories": [{"match": ["*"], "require": "both"}], "agreements": {"individual": {"text": "icla"}}, "changelog": {"require": True},
                  "people": {"override": "admins", "agents": {"policy": "block", "accounts": [{"id": 99}]}}},
        signatures=[signed], companies=[firm] if covered else [{**firm, "ended_at": "2026-02-01T00:00:00Z"}],
        overrides=[{"kind": kind, "account": 11 if kind == "cla" else None, "head_sha": work["sha"] if covered else "b", "by": {"id": 1, "login": "m"}} for kind in ("cla", "dco")],
    )  # fmt: skip
    target, *keys = facts, *place.split(".")
    for key in keys[:-1]:
        target = target[int(key)] if isinstance(target, list) else target[key]
    target[keys[-1]] = value
    facts["commit_count"], facts["pull_request"]["head_sha"] = 1, facts["commits"][0]["sha"]
    found = json.dumps(plain(judge(read(facts)), lambda item: Said("", "")), ensure_ascii=False)
    assert "secret.person" not in found


def test_require_none_gives_no_check(verdict):
    found = plain(verdict(rulebook={"repositories": [{"match": ["*"], "require": "none"}]}), lambda _: Said("", ""))
    assert found == {"conclusion": "neutral", "checks": []}
