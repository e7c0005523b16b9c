"""EasyCLA's CSV of individuals and of companies."""

from datetime import UTC, datetime

import pytest

from agreements.imports.easycla_csv import read
from agreements.imports.entries import Domain, UnreadableImport

INDIVIDUAL = b"""Name,GitHub Username,GitLab Username,LF_ID,Email,Signed Date,Approved,Signed
"Ada L","ada","","adal","ada@x.org","Jul 4,2023",true,true
"Bob","bob","","","","Jul 4,2023",false,true
"Cyd","","cyd","","","Jul 4,2023",true,true
"Dan","dan","","","","",true,false
"""
COMPANY = b"""Company Name,Signed,Approved,DomainApprovalList,EmailApprovalList,GitHubOrgApprovalList,GitHubUsernameApprovalList,Date Signed,Approved,Signed
"Big Corp",true,true,"big.com,*.big.org,.big.net","ann@big.com","bigcorp","ann","Aug 1,2022",true,true
"Gone",true,false,"gone.com","","","","Aug 1,2022",false,false
"""


def test_approved_and_signed_individuals_are_read_by_username_and_utc_day(defaults):
    found = read(INDIVIDUAL, defaults(version="1.0"))

    (ada,) = found.entries
    assert (ada.login, ada.name, ada.email, ada.notes) == ("ada", "Ada L", "ada@x.org", ("lf_id: adal",))
    assert ada.signed_at == datetime(2023, 7, 4, tzinfo=UTC)
    assert [(rejected_entry.where, rejected_entry.reason[:24]) for rejected_entry in found.refused] == [
        ("line 3", "it was withdrawn or neve"), ("line 4", "the GitHub username is m"), ("line 5", "it was never signed"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ('R "Bob" S', "there is a quotation mark inside"), ('5" disk', "there is a quotation mark inside"),
        ('"Bob', "there is a quotation mark inside"), ('Bob"', "there is a quotation mark inside"), ('"', "there is a quotation mark inside"),
        ('a",b', "there is a quotation mark inside"), ('a,"b', "there is a quotation mark inside"),
        ('R ""Bob"" S', "there is a quotation mark inside"), ('x","torvalds', "9 cells where the head has 8"),
        ('x","torvalds","","","","Jul 4,2023","true","true', "15 cells where the head has 8"),
    ],
)  # fmt: skip
def test_a_row_with_a_quotation_mark_in_a_name_is_refused_and_the_others_are_read(defaults, name, reason):
    """EasyCLA escapes nothing inside a cell."""
    head, ada, *_ = INDIVIDUAL.decode().splitlines()
    odd = f'"{name}","quux2","","","q@x.org","Jul 4,2023",true,true'
    found = read("\n".join([head, ada, odd, ada.replace("ada", "eve")]).encode(), defaults(version="1.0"))

    assert [entry.login for entry in found.entries] == ["ada", "eve"]
    assert [
        (rejected_entry.where, rejected_entry.who, rejected_entry.reason[: len(reason)])
        for rejected_entry in found.refused
    ] == [("line 3", "", reason)]


def test_a_company_row_with_a_quotation_mark_is_refused_and_the_others_are_read(defaults):
    text = COMPANY.replace(b"Big Corp", b'Big "Corp"').replace(b'Gone",true,false', b'Gone",true,true')
    found = read(text.replace(b"false,false", b"true,true"), defaults())
    assert ([domain.name for domain in found.domains], [rejected_entry.where for rejected_entry in found.refused]) == (
        ["gone.com"],
        ["line 2"],
    )


def test_the_github_id_of_an_older_individual_list_is_a_username(defaults):
    text = b'GitHub ID,LF_ID,Name,Email,Date Signed,Approved,Signed\nada,,Ada,ada@x.org,"Jul 4,2023",true,true\n'
    assert [entry.login for entry in read(text, defaults(version="1.0")).entries] == ["ada"]


def test_a_list_of_employees_is_refused(defaults):
    """It looks like the oldest individual list, but employees signed nothing."""
    with pytest.raises(UnreadableImport, match="employees"):
        read(b'GitHub ID,LF_ID,Name,Email,Date Signed\nada,,Ada,a@x.org,"Jul 4,2023"\n', defaults(version="1.0"))


def test_plain_domains_are_taken_and_wildcards_addresses_and_logins_are_refused(defaults):
    found = read(COMPANY, defaults())

    assert found.domains == (Domain("line 2", "big.com"),)
    assert [(rejected_entry.who, rejected_entry.reason.partition(":")[0]) for rejected_entry in found.refused] == [
        ("*.big.org", "patterns are not allowed"),
        (".big.net", "patterns are not allowed"),
        ("(an address)", "e-mail of Big Corp"),
        ("bigcorp", "organisation of Big Corp"),
        ("ann", "login of Big Corp"),
        ("Gone", "its agreement is not in force there"),
    ]


def test_a_file_of_neither_kind_is_refused(defaults):
    with pytest.raises(UnreadableImport, match="DomainApprovalList"):
        read(b"a,b\n1,2\n", defaults())


@pytest.mark.parametrize("more", ["", ",Approved", ",Signed"])
def test_a_list_of_companies_that_does_not_say_what_is_in_force_is_refused(defaults, more):
    cells = ",true" if more else ""
    with pytest.raises(UnreadableImport, match="which agreements are in force"):
        read(f"Company Name,DomainApprovalList{more}\nAcme,acme.com{cells}\n".encode(), defaults(version="1.0"))


def test_rows_with_an_end_are_refused(defaults):
    company = b"Company Name,DomainApprovalList,Approved,Signed,Expires\nAcme,acme.com,true,true,2030-01-01\n"
    person = b'GitHub ID,Name,Date Signed,Approved,Signed,Revoked\nada,Ada,"Jul 4,2023",true,true,yes\n'
    for content, who in ((company, "Acme"), (person, "ada")):
        found = read(content, defaults(version="1.0"))
        assert (found.entries, found.domains, [refused.who for refused in found.refused]) == ((), (), [who])
