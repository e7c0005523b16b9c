"""An agreement counts only for the party with which it was made, and for the earlier names that the rulebook lists."""

import unicodedata
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from agreements.cla.coverage import AgreementIndex
from agreements.cla.party import Parties, account_of, canonical_party, party_of
from agreements.facts import Company, Entry, Signature
from agreements.github_server import GITHUB_COM
from agreements.rulebook.rules import Rules

AT = datetime(2026, 1, 1, tzinfo=UTC)
CANN = "The CANN Authors"
NFD = unicodedata.normalize("NFD", "Änderungs e.V.")


@pytest.mark.parametrize(
    ("organization", "parties", "owner", "signed", "counts"),
    [
        ("The CANN Authors", (), 7, "The CANN Authors", True),
        ("The CANN Authors", (), 7, "Other Foundation", False),
        ("The  CANN\tAuthors\n", (), 7, "The CANN Authors", True),
        ("Änderungs e.V.", (), 7, NFD, True),
        (NFD, (), None, "Änderungs e.V.", True),
        ("The CANN Authors", (), 7, "the cann authors", False),
        ("The CANN Authors", (), 7, "The CANN Authors.", False),
        ("The CANN Authors", (), 7, "The CANN Author", False),
        ("ＣＡＮＮ", (), 7, "CANN", False),  # NFKC would fold them
        ("CANN\u200b", (), 7, "CANN", False),
        ("New", ("Old", "Older"), 7, "Older", True),
        ("New", ("Old  name",), 7, "Old name", True),
        ("New", ("Old",), 7, "Other", False),
        ("New", ("",), 7, "", False),
        ("", (), 7, "github:7", True),
        ("", (), 7, "github:70", False),
        ("", (), 7, "GitHub:7", False),
        ("", (), None, "github:7", False),
        ("", ("github:7",), None, "github:7", True),
        ("New", ("github:7",), 8, "github:7", True),
        ("New", (), 7, "github:7", False),
        (" \t", (), 7, "github:7", True),
        ("New", (), 7, "", False),
        ("", (), 7, "New", False),
        ("", (), None, "", False),
        ("", ("Old",), None, "Old", True),
    ],
)
def test_an_agreement_counts_for_its_party_and_listed_earlier_names(organization, parties, owner, signed, counts):
    rules = Rules(organization=organization, parties=parties)
    signature = Signature(agreement="icla", version="2.0", account_id=1, party=signed, signed_at=AT)
    index = AgreementIndex(rules, AT, [signature], [], owner_id=owner, server=GITHUB_COM)
    found = index.coverage_of(1, linked=frozenset(), proven=frozenset())

    assert Parties(rules, owner).admit(signed) is counts
    assert found.code == ("cla/individual" if counts else "cla/other-party")


def test_a_record_without_a_party_belongs_to_the_rulebook_s_party():
    """Facts may leave the party out; the database never has such a record count."""
    signature = Signature(agreement="icla", version="2.0", account_id=1, signed_at=AT)
    for rules, owner in ((Rules(organization="X"), 7), (Rules(), None)):
        index = AgreementIndex(rules, AT, [signature], [], owner_id=owner, server=GITHUB_COM)
        assert index.coverage_of(1, linked=frozenset(), proven=frozenset()).covered


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({}, "cla/other-party"),
        ({"version": "1.0"}, "cla/other-party"),
        ({"withdrawn_at": AT}, "cla/unsigned"),
        ({"party": "Here", "withdrawn_at": AT}, "cla/withdrawn"),
        ({"party": "Here", "version": "1.0"}, "cla/outdated"),
    ],
)
def test_a_signature_withdrawn_from_another_party_is_not_the_nearest_miss(change, code):
    signature = Signature(agreement="icla", version="2.0", account_id=1, party="There", signed_at=AT)
    index = AgreementIndex(
        Rules(organization="Here"), AT, [replace(signature, **change)], [], owner_id=7, server=GITHUB_COM
    )

    assert index.coverage_of(1, linked=frozenset(), proven=frozenset()).code == code


def test_a_company_of_another_party_covers_no_person():
    there = Company(
        name="One", agreement="ccla", version="2.0", party="There", signed_at=AT, covers=(Entry(account_id=1),)
    )
    here = replace(there, name="Two", party="Here")

    def found(*companies):
        index = AgreementIndex(Rules(organization="Here"), AT, [], companies, owner_id=7, server=GITHUB_COM)
        return index.coverage_of(1, linked=frozenset(), proven=frozenset())

    assert (found(there).code, found(there).values["by"]) == ("cla/other-party", "company")
    assert (found(there, here).code, found(there, here).values["company"]) == ("cla/company-account", "Two")


def test_accounts_and_names_are_told_apart_by_their_form_alone():
    assert party_of(Rules(), 7) == "github:7"
    assert account_of("github:7") == 7
    assert [account_of(party) for party in ("github:", "github:x", "github:٧", "7", "The github:7")] == [None] * 5
    assert canonical_party(" a \u00a0 b ") == "a b"


@pytest.mark.parametrize(("name", "other", "same"), [
    (CANN, "The  CANN\tAuthors", True), (CANN, " The CANN Authors\n", True), (CANN, "The\u00a0CANN Authors", True), ("Zo\u00eb", "Zoe\u0308", True),
    ("华为 社区", "华为\u3000社区", True), (CANN, "the cann authors", False), (CANN, "The CANN Author", False), (CANN, "TheCANN Authors", False),
    (CANN, "The CANN Authоrs", False), (CANN, "The CANN Authors\u200b", False), ("ﬁrm", "firm", False), ("Ａ", "A", False), ("", CANN, False),
])  # fmt: skip
def test_a_canonical_party_folds_only_nfc_and_white_space(name, other, same):
    assert (canonical_party(name) == canonical_party(other)) is same


@pytest.mark.parametrize(("organization", "owner", "party"), [
    (CANN, 7, CANN), (CANN, None, CANN), (" The  CANN Authors ", 7, CANN), ("", 7, "github:7"), ("", None, None),
])  # fmt: skip
def test_the_party_of_a_rulebook_is_its_organisation_or_else_the_owner_s_id(organization, owner, party):
    assert party_of(Rules(organization=organization), owner) == party


SIGNED = {"agreement": "icla", "version": "2.0", "account": {"id": 11}, "signed_at": "2026-01-01T00:00:00Z"}
FIRM = {
    "name": "Huawei",
    "agreement": "ccla",
    "version": "2.0",
    "signed_at": "2026-01-01T00:00:00Z",
    "covers": [{"account": 11}],
}
CLA = {"repositories": [{"match": ["*"], "require": "cla"}], "organization": CANN}


@pytest.mark.parametrize(("party", "agreements", "code"), [
    (None, {}, None), (CANN, {}, None), ("Other Foundation", {}, "cla/other-party"), ("Other Foundation", {"parties": ["Other Foundation"]}, None),
    ("github:7", {}, "cla/other-party"), ("github:7", {"parties": ["github:7"]}, None),
])  # fmt: skip
@pytest.mark.parametrize("record", ["signatures", "companies"])
def test_a_record_of_another_party_does_not_count_and_is_the_nearest_miss(verdict, record, party, agreements, code):
    entry = {**(SIGNED if record == "signatures" else FIRM), "party": party}
    check = verdict(rulebook={**CLA, "agreements": agreements}, **{record: [entry]}).checks[0]
    assert [problem.code for problem in check.problems] == ([code] if code else [])


@pytest.mark.parametrize("employees", ["covered", "sign-too"])
def test_sign_too_needs_both_records_to_be_of_this_party(verdict, employees):
    rulebook = {**CLA, "agreements": {"corporate": {"employees": employees}}}
    other = {**SIGNED, "party": "Other Foundation"}
    check = verdict(rulebook=rulebook, signatures=[other], companies=[FIRM]).checks[0]
    assert check.conclusion.passes is (employees == "covered")


def test_a_withdrawn_signature_of_this_party_outranks_a_record_of_another_party(verdict):
    ended = {**SIGNED, "withdrawn_at": "2026-02-01T00:00:00Z"}
    other = {**SIGNED, "party": "Other Foundation"}
    for signatures, code in (([other, ended], "cla/withdrawn"), ([other], "cla/other-party"), ([], "cla/unsigned")):
        assert verdict(rulebook=CLA, signatures=signatures).checks[0].problems[0].code == code
    elsewhere = {**other, "withdrawn_at": "2026-02-01T00:00:00Z"}
    assert verdict(rulebook=CLA, signatures=[elsewhere]).checks[0].problems[0].code == "cla/unsigned"
