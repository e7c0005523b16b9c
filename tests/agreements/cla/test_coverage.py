"""Coverage of an account at a moment: own signature, company, periods, versions, and the nearest miss."""

import time
from datetime import UTC, datetime

import pytest

from agreements.cla.coverage import AgreementIndex, CoverageResult, validity
from agreements.facts import Company, Entry, Signature
from agreements.github_server import GITHUB_COM
from agreements.json.facts_reader import read
from agreements.judge import judge
from agreements.rulebook.rules import AcceptedVersions, AgreementRef, Rules

OWN = {
    "agreement": "icla",
    "version": "2.0",
    "account": {"id": 11, "login": "ada"},
    "signed_at": "2026-01-01T00:00:00Z",
    "withdrawn_at": None,
}
FIRM = {"name": "Huawei", "agreement": "ccla", "version": "2.0", "signed_at": "2026-01-01T00:00:00Z", "ended_at": None,
        "covers": [{"domain": "huawei.com"}]}  # fmt: skip
CLA = [{"match": ["*"], "require": "cla"}]
NOW = "2026-11-21T00:00:00Z"


@pytest.fixture(name="code")
def _code(verdict):
    """The one code that Ada gets under these facts."""

    def judge(*commits, signatures=(), companies=(), rulebook=None, **changes):
        check = verdict(
            *commits,
            signatures=list(signatures),
            companies=list(companies),
            rulebook={"repositories": CLA, **(rulebook or {})},
            **changes,
        ).checks[0]
        assert check.conclusion.passes is (not check.problems)
        (finding,) = (*check.problems, *check.notes)
        return finding.code

    return judge


@pytest.mark.parametrize(("changes", "expected"), [
    ({}, "cla/individual"), ({"version": "1.9"}, "cla/outdated"), ({"version": "2.1"}, "cla/outdated"), ({"version": "two"}, "cla/outdated"),
    ({"agreement": "ccla"}, "cla/unsigned"), ({"account": {"id": 12, "login": "ada"}}, "cla/unsigned"), ({"account": None}, "cla/unsigned"),
    ({"account": {}}, "cla/unsigned"), ({"signed_at": NOW}, "cla/individual"), ({"signed_at": "2026-11-21T00:00:01Z"}, "cla/unsigned"),
    ({"withdrawn_at": NOW}, "cla/withdrawn"), ({"withdrawn_at": "2026-11-21T00:00:01Z"}, "cla/individual"), ({"signed_at": "2026-11-21T08:00:01+08:00"}, "cla/unsigned"),
])  # fmt: skip
def test_a_signature_covers_its_account_agreement_and_version_until_it_is_withdrawn(code, changes, expected):
    assert code(signatures=[{**OWN, **changes}]) == expected


@pytest.mark.parametrize(("accept", "version", "expected"), [
    ([{"versions": ">=2.0"}], "2.10", "cla/individual"), ([{"versions": "1.x", "until": "2027-01-31"}, {"versions": ">=2.0"}], "1.5", "cla/grace"),
    ([{"versions": "1.x", "until": "2026-11-21"}], "1.5", "cla/outdated"), ([{"versions": "1.x", "until": "2026-11-22"}], "1.5", "cla/grace"),
    ([{"versions": "1.x", "until": "2027-01-31"}, {"versions": "1.5"}], "1.5", "cla/individual"), ([], "2.0", "cla/outdated"),
    ([{"versions": ">=1.10"}], "1.9", "cla/outdated"),
])  # fmt: skip
def test_accept_decides_which_versions_still_count_and_for_how_long(code, accept, version, expected):
    assert (
        code(signatures=[{**OWN, "version": version}], rulebook={"agreements": {"accept": {"icla": accept}}})
        == expected
    )


@pytest.mark.parametrize(("changes", "expected"), [
    ({}, "cla/company-domain"), ({"covers": [{"account": 11}]}, "cla/company-account"), ({"covers": [{"account": {"id": 11, "login": "x"}}]}, "cla/company-account"),
    ({"covers": [{"email": "ADA@huawei.com"}]}, "cla/company-email"), ({"covers": [{"email": "ada@huawei.com"}, {"account": 11}]}, "cla/company-account"),
    ({"covers": []}, "cla/unsigned"), ({"covers": [{}]}, "cla/unsigned"), ({"covers": [{"domain": None, "email": None, "account": None}]}, "cla/unsigned"),
    ({"covers": [{"account": {}}]}, "cla/unsigned"), ({"covers": [{"domain": ""}, {"email": ""}]}, "cla/unsigned"), ({"covers": [{"domain": "com"}]}, "cla/unsigned"),
    ({"covers": [{"domain": "evilhuawei.com"}, {"domain": "huawei.com.cn"}, {"domain": "*.huawei.com"}]}, "cla/unsigned"),
    ({"agreement": "icla"}, "cla/unsigned"), ({"agreement": ""}, "cla/unsigned"), ({"signed_at": NOW}, "cla/company-domain"), ({"version": "1.0"}, "cla/outdated"), ({"signed_at": "2026-12-01T00:00:00Z"}, "cla/unsigned"),
    ({"ended_at": NOW}, "cla/company-ended"), ({"ended_at": "2026-11-21T00:00:01Z"}, "cla/company-domain"),
    ({"covers": [{"domain": "huawei.com", "until": NOW}]}, "cla/company-ended"), ({"covers": [{"domain": "huawei.com", "from": NOW}]}, "cla/company-domain"),
    ({"covers": [{"domain": "huawei.com", "from": "2026-11-22T00:00:00Z"}]}, "cla/unsigned"),
    ({"covers": [{"domain": "huawei.com", "until": NOW}, {"account": 11}]}, "cla/company-account"),
    ({"excludes": [{"account": 11}]}, "cla/excluded"), ({"excludes": [{"email": "Ada@huawei.com"}]}, "cla/excluded"),
    ({"excludes": [{"account": 11, "from": "2026-11-22T00:00:00Z"}]}, "cla/company-domain"), ({"excludes": [{"account": 11, "until": NOW}]}, "cla/company-domain"),
    ({"excludes": [{"account": 11}], "covers": [{"account": 11}]}, "cla/excluded"), ({"excludes": [{}]}, "cla/company-domain"), ({"excludes": [{"account": 11, "until": "2026-11-22T00:00:00Z"}]}, "cla/excluded"),
    ({"domains": "enrolled"}, "cla/unsigned"), ({"domains": None}, "cla/company-domain"),
])  # fmt: skip
def test_a_company_covers_by_account_address_or_domain_less_its_exclusions(code, changes, expected):
    assert code(companies=[{**FIRM, **changes}]) == expected


@pytest.mark.parametrize(
    "domain",
    ["gmail.com", "github.io", "com.cn", "mailinator.com", "github.com", "gitee.com", "users.noreply.github.com"],
)
def test_a_public_suffix_mail_provider_or_code_host_covers_no_person(code, commit, domain):
    who = {"name": "Ada", "email": f"ada@{domain}" if domain not in ("github.io", "com.cn") else f"ada@x.{domain}"}
    assert code(commit(author=who), companies=[{**FIRM, "covers": [{"domain": domain}]}]) == "cla/unsigned"


@pytest.mark.parametrize(("mode", "rulebook", "emails", "covered"), [
    ("linked", "linked", {}, True), ("enrolled", "linked", {}, False), ("linked", "enrolled", {}, False),
    ("enrolled", "enrolled", {"11": ["ada@huawei.com"]}, True), ("enrolled", "linked", {"12": ["ada@huawei.com"]}, False),
    ("linked", "linked", {"11": ["x@huawei.com"]}, True), ("enrolled", "linked", {"11": ["ada@huawei.com.evil.org"]}, False),
])  # fmt: skip
def test_the_stricter_mode_decides_whether_a_linked_address_is_enough(code, mode, rulebook, emails, covered):
    found = code(companies=[{**FIRM, "domains": mode}], rulebook={"people": {"domains": rulebook}}, emails=emails)
    assert found == ("cla/company-domain" if covered else "cla/unsigned")


def test_an_address_linked_to_another_account_or_to_none_covers_no_person(verdict, commit):
    other = commit(author_account={"id": 12, "login": "bo"})
    check = verdict(other, rulebook={"repositories": CLA}, companies=[FIRM]).checks[0]
    assert [(problem.code, problem.account.id) for problem in check.problems] == [("cla/unsigned", 11)]
    alone = verdict(
        commit(author_account=None), rulebook={"repositories": CLA}, companies=[FIRM], signatures=[OWN]
    ).checks[0]
    assert [problem.code for problem in alone.problems] == ["cla/unlinked-email"]


@pytest.mark.parametrize(("signatures", "companies", "expected"), [
    ([OWN], [FIRM], "cla/company-domain"), ([OWN], [], "cla/unsigned"), ([], [FIRM], "cla/unsigned"), ([], [], "cla/unsigned"),
    ([{**OWN, "withdrawn_at": NOW}], [FIRM], "cla/withdrawn"), ([OWN], [{**FIRM, "ended_at": NOW}], "cla/company-ended"),
])  # fmt: skip
def test_sign_too_needs_both_the_company_s_cover_and_the_person_s_own_signature(code, signatures, companies, expected):
    rulebook = {"agreements": {"corporate": {"employees": "sign-too"}}}
    assert code(signatures=signatures, companies=companies, rulebook=rulebook) == expected


@pytest.mark.parametrize(("signatures", "companies", "expected"), [
    ([{**OWN, "withdrawn_at": NOW}], [{**FIRM, "ended_at": NOW}], "cla/withdrawn"),
    ([{**OWN, "version": "1.0"}], [{**FIRM, "ended_at": NOW}], "cla/outdated"),
    ([{**OWN, "withdrawn_at": NOW}, {**OWN, "version": "1.0"}, OWN], [], "cla/individual"), ([{**OWN, "withdrawn_at": NOW}], [FIRM], "cla/company-domain"),
    ([], [{**FIRM, "excludes": [{"account": 11}]}, {**FIRM, "name": "Other", "covers": [{"account": 11}]}], "cla/company-account"),
    ([{**OWN, "version": "1.0"}, OWN], [{**FIRM, "ended_at": NOW}], "cla/individual"),
    ([], [{**FIRM, "ended_at": NOW}, {**FIRM, "version": "1.0"}], "cla/outdated"), ([{**OWN, "withdrawn_at": NOW}, {**OWN, "version": "1.0"}], [{**FIRM, "ended_at": NOW}], "cla/withdrawn"),
])  # fmt: skip
def test_one_covering_rule_is_enough_and_else_the_nearest_miss_is_told(code, signatures, companies, expected):
    assert code(signatures=signatures, companies=companies) == expected
    assert code(signatures=signatures[::-1], companies=companies[::-1]) == expected


def test_an_old_corporate_agreement_covers_while_its_grace_runs(code):
    accept = {"agreements": {"accept": {"ccla": [{"versions": "1.x", "until": "2027-01-31"}]}}}
    assert code(companies=[{**FIRM, "version": "1.0"}], rulebook=accept) == "cla/grace"


UNTIL = datetime(2027, 1, 31, tzinfo=UTC)
GRACE = {
    "accept": {
        "icla": [{"versions": "1.x", "until": "2027-01-31"}],
        "ccla": [{"versions": "1.x", "until": "2027-01-31"}, {"versions": "2.0"}],
    }
}
BOTH = {"corporate": {"employees": "sign-too"}}
OLD, OLD_FIRM = {**OWN, "version": "1.0"}, {**FIRM, "version": "1.0"}


def covered(code, ends=None, **values):
    return CoverageResult(covered=True, code=code, values=values, until=ends)


def missed(code, **values):
    return CoverageResult(covered=False, code=code, values=values)


STANDINGS = {
    "signed": ([OWN], [], {}, covered("cla/individual", agreement="icla", version="2.0")),
    "nothing at all": ([], [], {}, missed("cla/unsigned", agreement="icla", also=("company",))),
    "withdrawn": ([{**OWN, "withdrawn_at": NOW}], [], {}, missed("cla/withdrawn", agreement="icla")),
    "outdated": ([OLD], [], {}, missed("cla/outdated", agreement="icla", version="1.0", current="2.0")),
    "in grace": ([OLD], [], GRACE, covered("cla/grace", agreement="icla", version="1.0", until="2027-01-31T00:00:00Z", ends=UNTIL)),
    "by domain": ([], [FIRM], {}, covered("cla/company-domain", agreement="ccla", version="2.0", company="Huawei", domain="huawei.com")),
    "by address": ([], [{**FIRM, "covers": [{"email": "ada@huawei.com"}]}], {}, covered("cla/company-email", agreement="ccla", version="2.0", company="Huawei", email="a…a@huawei.com")),
    "by account": ([], [{**FIRM, "covers": [{"account": 11}]}], {}, covered("cla/company-account", agreement="ccla", version="2.0", company="Huawei")),
    "company in grace": ([], [OLD_FIRM], GRACE, covered("cla/grace", agreement="ccla", version="1.0", by="company", until="2027-01-31T00:00:00Z", ends=UNTIL)),
    "company outdated": ([], [OLD_FIRM], {}, missed("cla/outdated", agreement="ccla", version="1.0", current="2.0", by="company")),
    "excluded": ([], [{**FIRM, "excludes": [{"account": 11}]}], {}, missed("cla/excluded", agreement="ccla")),
    "company ended": ([], [{**FIRM, "ended_at": NOW}], {}, missed("cla/company-ended", agreement="ccla")),
    "for good before grace": ([OLD], [FIRM], GRACE, covered("cla/company-domain", agreement="ccla", version="2.0", company="Huawei", domain="huawei.com")),
    "grace before a miss": ([OLD, {**OWN, "withdrawn_at": NOW}], [], GRACE, covered("cla/grace", agreement="icla", version="1.0", until="2027-01-31T00:00:00Z", ends=UNTIL)),
    "excluded before ended": ([], [{**FIRM, "ended_at": NOW}, {**FIRM, "excludes": [{"account": 11}]}], {}, missed("cla/excluded", agreement="ccla")),
    "own missing": ([], [FIRM], BOTH, missed("cla/unsigned", agreement="icla", also=(), needs=("signature",))),
    "company missing": ([OWN], [], BOTH, missed("cla/unsigned", agreement="ccla", also=(), needs=("company",))),
    "both missing": ([], [], BOTH, missed("cla/unsigned", agreement="icla", also=(), needs=("signature", "company"))),
    "withdrawn beside a company": ([{**OWN, "withdrawn_at": NOW}], [FIRM], BOTH, missed("cla/withdrawn", agreement="icla", needs=("signature",))),
    "excluded beside a signature": ([OWN], [{**FIRM, "excludes": [{"account": 11}]}], BOTH, missed("cla/excluded", agreement="ccla", needs=("company",))),
    "company outdated beside a signature": ([OWN], [OLD_FIRM], BOTH, missed("cla/outdated", agreement="ccla", version="1.0", current="2.0", by="company", needs=("company",))),
    "both in grace": ([OLD], [OLD_FIRM], {**GRACE, **BOTH}, covered("cla/grace", agreement="ccla", version="1.0", by="company", until="2027-01-31T00:00:00Z", ends=UNTIL)),
    "own in grace": ([OLD], [FIRM], {**GRACE, **BOTH}, covered("cla/grace", agreement="icla", version="1.0", until="2027-01-31T00:00:00Z", ends=UNTIL)),
}  # fmt: skip


@pytest.mark.parametrize(("signatures", "companies", "agreements", "standing"), STANDINGS.values(), ids=STANDINGS)
def test_the_standing_tells_agreement_version_company_match_and_end(case, signatures, companies, agreements, standing):
    rulebook = {"repositories": CLA, "agreements": agreements}
    facts = read(case(signatures=signatures, companies=companies, rulebook=rulebook))
    agreed = AgreementIndex(facts.rules, facts.now, facts.signatures, facts.companies, owner_id=None, server=GITHUB_COM)
    assert agreed.coverage_of(11, linked=frozenset({"ada@huawei.com"}), proven=frozenset()) == standing


MANY = 4000


@pytest.mark.slow
@pytest.mark.parametrize(
    "shape", ["signatures", "proven", "accounts", "emails", "domains", "companies", "excluded", "exempted"]
)
def test_coverage_of_thousands_of_people_is_looked_up_and_not_searched(case, commit, shape):
    """People times records would take minutes."""
    numbers, me = range(1000, 1000 + MANY), {"id": 11, "login": "ada"}
    head = f"{numbers[-1]:040x}"
    commits = [
        commit(sha=f"{number:040x}", author={"name": "U", "email": f"u@x{number}.org"}, author_account={"id": number, "login": f"u{number}"})
        for number in numbers
    ]  # fmt: skip
    changes = {"signatures": [{**OWN, "account": me}], "companies": []}
    if shape in ("signatures", "proven"):
        changes["signatures"] += [{**OWN, "account": {"id": number}} for number in numbers]
    if shape == "proven":
        changes["emails"] = {str(number): [f"u@x{number}.org"] for number in numbers}
        commits = [{**work, "author_account": None} for work in commits]
    named = {
        "accounts": [{"account": number} for number in numbers], "emails": [{"email": f"u@x{number}.org"} for number in numbers],
        "domains": [{"domain": f"x{number}.org"} for number in numbers], "excluded": [{"account": number} for number in numbers],
    }  # fmt: skip
    if shape in named:
        excludes = [{"email": f"v@x{number}.org"} for number in numbers] if shape == "excluded" else []
        changes["companies"] = [{**FIRM, "covers": named[shape], "excludes": excludes}]
    if shape == "companies":
        changes["companies"] = [
            {**FIRM, "name": f"F{number}", "covers": [{"domain": f"x{number}.org"}]} for number in numbers
        ]
    if shape == "exempted":
        changes["overrides"] = [
            {"kind": "cla", "account": number, "head_sha": head, "by": {"id": 1}} for number in numbers
        ]
    facts = read(case(*commits, rulebook={"repositories": CLA, "people": {"override": "admins"}}, **changes))
    began = time.process_time()
    check = judge(facts).checks[0]
    assert (check.problems, len(check.notes)) == ((), MANY + 1)
    assert time.process_time() - began < 5


def test_the_covering_address_is_the_one_at_the_company_s_domain_or_the_one_it_names():
    works = {"ada@other.example", "ada@rd.huawei.com"}

    def address(entry, **rules):
        facts = [Company(name="H", agreement="ccla", version="2.0", signed_at=UNTIL, covers=(entry,))]
        signed = [Signature(agreement="icla", version="2.0", account_id=11, signed_at=UNTIL)] if rules else []
        agreed = AgreementIndex(Rules(**rules), UNTIL, signed, facts, owner_id=None, server=GITHUB_COM)
        return agreed.coverage_of(11, linked=frozenset(), proven=frozenset(works)).address

    assert address(Entry(domain="huawei.com")) == "ada@rd.huawei.com"
    assert address(Entry(domain="huawei.com", subdomains=False)) is None
    assert address(Entry(email="ada@other.example")) == "ada@other.example"
    assert address(Entry(account_id=11)) == ""
    assert address(Entry(domain="huawei.com"), employees="covered") is None
    assert address(Entry(domain="huawei.com"), employees="sign-too") == "ada@rd.huawei.com"


OTHER = {**FIRM, "name": "Other", "record": "c2", "covers": [{"account": 11}]}
ENDED, EXCLUDED = {"ended_at": NOW}, {"excludes": [{"account": 11}]}


def chosen(company=None, account=11):
    """The choice of an account."""
    return {"account": account, "company": company}


@pytest.mark.parametrize(("choice", "signatures", "companies", "expected"), [
    (chosen(), [OWN], [FIRM], "cla/individual"), (chosen("Huawei"), [OWN], [FIRM], "cla/company-domain"),
    (chosen("c2"), [OWN], [FIRM, OTHER], "cla/company-account"), (chosen("Huawei"), [OWN], [FIRM, OTHER], "cla/company-domain"),
    (chosen(), [], [FIRM, OTHER], "cla/chosen-uncovered"), (chosen("c2"), [OWN], [FIRM], "cla/chosen-uncovered"),
    (chosen("Other"), [OWN], [FIRM, OTHER], "cla/chosen-uncovered"), (chosen("huawei"), [OWN], [FIRM], "cla/chosen-uncovered"),
    (chosen("Huawei"), [OWN], [], "cla/chosen-uncovered"), (chosen("Huawei"), [OWN], [{**FIRM, **ENDED}, OTHER], "cla/chosen-uncovered"),
    (chosen("Huawei"), [OWN], [{**FIRM, **EXCLUDED}, OTHER], "cla/chosen-uncovered"), (chosen(), [{**OWN, "withdrawn_at": NOW}], [FIRM], "cla/chosen-uncovered"),
    (chosen("c2", 12), [OWN], [FIRM], "cla/individual"), ({"account": None, "company": "c2"}, [OWN], [FIRM], "cla/individual"),
    (chosen(), [{**OWN, "logged": False}], [FIRM], "cla/chosen-uncovered"),
])  # fmt: skip
def test_only_the_cover_that_the_person_chose_is_looked_at(code, choice, signatures, companies, expected):
    assert code(signatures=signatures, companies=companies, choices=[choice]) == expected


@pytest.mark.parametrize(("choice", "signatures", "companies", "expected"), [
    (chosen("c2"), [OWN], [OTHER], "cla/company-account"), (chosen("c2"), [], [OTHER], "cla/unsigned"), (chosen("c2"), [OWN], [FIRM], "cla/chosen-uncovered"),
    (chosen(), [OWN], [FIRM], "cla/company-domain"), (chosen(), [OWN], [], "cla/unsigned"), (chosen(), [], [FIRM], "cla/unsigned"),
])  # fmt: skip
def test_a_choice_waives_neither_the_company_nor_the_signature_where_both_are_needed(
    code, choice, signatures, companies, expected
):
    both = {"agreements": {"corporate": {"text": "ccla", "version": "2.0", "employees": "sign-too"}}}
    assert code(signatures=signatures, companies=companies, choices=[choice], rulebook=both) == expected


def test_an_older_version_is_valid_until_the_day_in_the_rulebook():
    until, current = datetime(2027, 3, 1, tzinfo=UTC), AgreementRef("icla", "3.0")
    rules = Rules(accept={"icla": (AcceptedVersions(">=3.0"), AcceptedVersions("<3.0", until))})
    before = datetime(2027, 2, 28, tzinfo=UTC)
    assert validity("2.0", current, rules, before) == (True, until)
    assert validity("2.0", current, rules, until) == (False, None)
    assert validity("3.1", current, rules, until) == (True, None)
    assert validity("2.0", current, Rules(), before) == (False, None)
