"""GitHub's own identities on each server; those of another server do not count."""

import pytest

from agreements.github_server import GITHUB_COM, github_server, is_login

ELSEWHERE = ["ghe.corp.example", "acme.ghe.com"]
CLAUDE, COPILOT, MORE, WEB_FLOW = 81847, 198982749, 62310815, 19864447
"""Numbers of accounts on github.com; on another server they are colleagues."""


@pytest.mark.parametrize(("host", "found"), [
    ("github.com", "github.com"), ("GitHub.COM", "github.com"), ("www.github.com", "github.com"), ("github.com.", "github.com"), ("github.com:443", "github.com"),
    ("GHE.Corp.Example:8443", "ghe.corp.example"), ("ghe.corp.example.", "ghe.corp.example"), ("www.corp.example", "www.corp.example"),
    ("acme.ghe.com", "acme.ghe.com"), ("www.ghe.com", "www.ghe.com"), ("github.com.evil.example", "github.com.evil.example"), ("xgithub.com", "xgithub.com"),
    ("api.github.com", "api.github.com"), ("127.0.0.1:3000", "127.0.0.1"), ("localhost", "localhost"), ("[::1]:3000", "[::1]"), ("[::1]", "[::1]"), ("::1", "[::1]"),
    ("2001:db8::1", "[2001:db8::1]"), ("git_hub", "git_hub"), ("", ""),
])  # fmt: skip
def test_the_host_name_alone_decides_the_server(host, found):
    server = github_server(host)
    assert (server.host, server.noreply_domain, server.web_flow_email) == (
        found,
        f"users.noreply.{found}",
        f"noreply@{found}",
    )
    assert server.is_github_com is (found == "github.com")
    assert (server.web_flow_id is None) is (found != "github.com")
    assert (server == GITHUB_COM) is (found == "github.com")
    assert github_server(server.host) == server


def test_only_github_com_and_ghe_com_hosts_are_no_enterprise_server():
    hosts = ["github.com", "www.github.com", "acme.ghe.com", "ghe.com", "xghe.com", "ghe.corp.example", "127.0.0.1", ""]
    assert [host for host in hosts if not github_server(host).is_enterprise_server] == hosts[:3]


@pytest.mark.parametrize(("host", "domain", "is_one"), [
    ("github.com", "users.noreply.github.com", True), ("github.com", "noreply.github.com", True), ("github.com", "x.users.noreply.github.com", True),
    ("github.com", "github.com", False), ("github.com", "xnoreply.github.com", False), ("github.com", "users.noreply.ghe.corp.example", False),
    ("ghe.corp.example", "users.noreply.ghe.corp.example", True), ("ghe.corp.example", "a.users.noreply.ghe.corp.example", True),
    ("ghe.corp.example", "users.noreply.github.com", True), ("ghe.corp.example", "ghe.corp.example", False), ("ghe.corp.example", "xusers.noreply.ghe.corp.example", False),
    ("acme.ghe.com", "users.noreply.acme.ghe.com", True), ("acme.ghe.com", "users.noreply.other.ghe.com", False),
])  # fmt: skip
def test_noreply_domains_are_the_server_s_and_github_com_s_with_all_below_them(host, domain, is_one):
    assert github_server(host).is_noreply(domain) is is_one


def test_bot_addresses_are_the_server_s_and_github_com_s():
    """Commits of github.com are imported everywhere."""
    assert GITHUB_COM.bot_suffixes == ("[bot]@users.noreply.github.com",)
    there = github_server("ghe.corp.example").bot_suffixes
    assert there == ("[bot]@users.noreply.ghe.corp.example", "[bot]@users.noreply.github.com")


def cla(*signed):
    """Where a CLA is asked for, and these accounts have signed it."""
    signatures = [
        {"agreement": "icla", "version": "2.0", "account": {"id": account_id}, "signed_at": "2026-01-01T00:00:00Z"}
        for account_id in signed
    ]
    return {"rulebook": {"repositories": [{"match": ["*"], "require": "cla"}]}, "signatures": signatures}


def codes(found):
    """What is wrong."""
    return [problem.code for check in found.checks for problem in check.problems]


def notes(found):
    """What is to be known."""
    return [note.code for check in found.checks for note in check.notes]


@pytest.mark.parametrize("server", ELSEWHERE)
@pytest.mark.parametrize("role", ["author", "coauthor"])
@pytest.mark.parametrize("address", [
    "12+bo@users.noreply.github.com", "12+BO@USERS.noreply.github.com", "12+bo_corp@users.noreply.github.com", "bo@users.noreply.github.com",
    "12+bo@users.noreply.other.example", "12+bo@noreply.github.com",
])  # fmt: skip
def test_a_number_in_another_server_s_noreply_address_is_no_account_here(commit, verdict, server, role, address):
    who = {"name": "Stranger", "email": address}

    def judged(who):
        work = (
            commit(author=who, author_account=None)
            if role == "author"
            else commit(coauthors=[{**who, "account": None}])
        )
        return codes(verdict(work, server=server, **cla(11, 12)))

    assert judged(who) == ["cla/unlinked-email"]
    assert judged({**who, "email": f"12+bo@users.noreply.{server}"}) == []


@pytest.mark.parametrize("server", [*ELSEWHERE, "github.com"])
@pytest.mark.parametrize("address", ["noreply@{}", "NoReply@{}", "noreply@github.com"])
def test_the_website_of_any_github_host_certifies_nothing(commit, verdict, server, address):
    github = {"name": "GitHub", "email": address.format(server)}
    message = f"Add\n\nSigned-off-by: GitHub <{github['email']}>\n"
    work = commit(message=message, committer=github, committer_account=None)
    assert verdict(work, server=server).conclusion.value == "failure"


@pytest.mark.parametrize("server", ELSEWHERE)
@pytest.mark.parametrize("number", [CLAUDE, COPILOT, MORE, WEB_FLOW])
def test_a_person_whose_number_is_on_github_com_s_lists_is_judged_as_a_person(commit, verdict, server, number):
    dan = {"id": number, "login": "dan", "type": "User"}
    who = {"name": "Dan", "email": "dan@home.org"}
    theirs = commit(
        author=who,
        committer=who,
        author_account=dan,
        committer_account=dan,
        message="Add\n\nSigned-off-by: Dan <dan@home.org>\n",
    )
    request = {"number": 7, "opener": dan, "head_sha": theirs["sha"]}
    assert codes(verdict(theirs, server=server, pull_request=request)) == []
    assert codes(verdict(theirs, server=server, pull_request=request, **cla(11))) == ["cla/unsigned"]
    assert codes(verdict(theirs, server=server, pull_request=request, **cla(number))) == []
    together = commit(coauthors=[{**who, "account": dan}])
    assert codes(verdict(together, server=server, **cla(11))) == ["cla/unsigned"]
    written = commit(coauthors=[{"name": "Dan", "email": f"{number}+dan@users.noreply.{server}", "account": None}])
    assert codes(verdict(written, server=server, **cla(11))) == ["cla/unsigned"]


@pytest.mark.parametrize("server", [*ELSEWHERE, "github.com"])
@pytest.mark.parametrize(
    "address",
    ["198982749+Copilot@users.noreply.github.com", "81847+claude@users.noreply.github.com", "noreply@anthropic.com"],
)
def test_an_agent_s_address_at_github_com_certifies_nothing_on_any_server(commit, verdict, server, address):
    who = {"name": "Agent", "email": address}
    together = verdict(commit(coauthors=[{**who, "account": None}]), server=server, **cla(11))
    assert (codes(together), "cla/agent-ignored" in notes(together)) == ([], True)
    alone = commit(
        author=who,
        committer=who,
        author_account=None,
        committer_account=None,
        message=f"Add\n\nSigned-off-by: Agent <{address}>\n",
    )
    assert verdict(alone, server=server).conclusion.value == "failure"


@pytest.mark.parametrize("server", [*ELSEWHERE, "github.com"])
@pytest.mark.parametrize(
    "form", ["11+ada@users.noreply.{}", "11+former@users.noreply.{}", "ada@users.noreply.{}", "ADA@Users.Noreply.{}"]
)
def test_only_the_own_server_s_noreply_forms_belong_to_an_account(commit, verdict, server, form):
    def judged(host):
        work = commit(message=f"Add\n\nSigned-off-by: Ada <{form.format(host)}>\n")
        return codes(verdict(work, server=server))

    assert judged(server) == []
    assert judged("github.com" if server != "github.com" else "ghe.corp.example") == ["dco/email-differs"]


@pytest.mark.parametrize(("server", "domain"), [
    ("ghe.corp.example", "corp.example"), ("ghe.corp.example", "ghe.corp.example"), ("ghe.corp.example", "users.noreply.ghe.corp.example"),
    ("ghe.corp.example", "noreply.ghe.corp.example"), ("acme.ghe.com", "acme.ghe.com"), ("acme.ghe.com", "ghe.com"), ("acme.ghe.com", "users.noreply.acme.ghe.com"),
    ("github.com", "github.com"), ("github.com", "users.noreply.github.com"),
])  # fmt: skip
@pytest.mark.parametrize("proven", [False, True])
def test_a_company_covers_no_person_by_an_address_below_the_server_s_host(commit, verdict, server, domain, proven):
    """Every account has one, the guest's as well as the employee's."""
    address = f"11+ada@users.noreply.{server}"
    who = {"name": "Ada", "email": address}
    work = commit(author=who, committer=who)
    company = {
        "name": "Corp",
        "agreement": "ccla",
        "version": "2.0",
        "signed_at": "2026-01-01T00:00:00Z",
        "covers": [{"domain": domain}],
    }
    emails = {"11": [address]} if proven else {}
    assert codes(verdict(work, server=server, companies=[company], emails=emails, **cla())) == ["cla/unsigned"]


@pytest.mark.parametrize("server", [*ELSEWHERE, "github.com"])
@pytest.mark.parametrize("host", ["{}", "github.com"])
def test_an_app_s_own_commit_needs_no_sign_off_if_that_bot_pushed_it(commit, verdict, server, host):
    robot = {"id": 99, "login": "helper[bot]", "type": "Bot"}
    who = {"name": "helper[bot]", "email": f"99+helper[bot]@users.noreply.{host.format(server)}"}
    work = commit(author=who, committer=who, author_account=robot, committer_account=None, message="Add")
    request = {"number": 7, "opener": robot, "head_sha": work["sha"]}
    assert codes(verdict(work, server=server, pull_request=request)) == []
    assert "dco/invalid-email" not in codes(verdict(work, server=server))
    unlinked = commit(author=who, committer=who, author_account=None, committer_account=None, message="Add")
    here = host == "{}" or server == "github.com"
    assert codes(verdict(unlinked, server=server, pull_request=request)) == ([] if here else ["dco/bot-unproven"])


@pytest.mark.parametrize(
    "login",
    ["a", "Ada-Lovelace", "007", "ada-", "ada--b", "ada_acme", "ada_acme_admin", "a" * 39, "dependabot[bot]", "a" * 34 + "[bot]"],
)  # fmt: skip
def test_people_managed_users_organizations_and_bots_have_logins(login):
    assert is_login(login)


@pytest.mark.parametrize(
    "text",
    ["", "-ada", "_acme", "@ada", "ada b", "ada\n", "ada.b", "ada/b", "ada@x.org", "аda", "ada٣", "a" * 40, "[bot]", "ada[bot]x", "ada[BOT][bot]"],
)  # fmt: skip
def test_other_words_are_no_logins(text):
    assert not is_login(text)
