"""The shipped list holds exact ids and addresses with their sources, and lets no person pass for an agent."""

import re
from datetime import date
from urllib.parse import urlsplit

import pytest

from agreements.domains.domains import approvable, canonical_address
from agreements.facts import Account
from agreements.github_server import GITHUB_COM, github_server
from agreements.identity.equivalence import address_key, noreply_owner
from agreements.identity.known_agents import coauthor_name, name_of, shipped

ENTRIES = shipped()
BO = Account(12, "bo")
CLAUDE, ACTION = "noreply@anthropic.com", "41898282+claude[bot]@users.noreply.github.com"


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda one: one.email or one.login)
def test_every_entry_is_exact_and_has_a_source(entry):
    """A number or an address, never both and never a pattern; where it can be read and when that was done."""
    assert entry.name
    assert (entry.id is None) != (entry.email == "")
    assert entry.id is None or (entry.id > 0 and entry.login)
    assert not re.search(r"[*?\s]", entry.email)
    source = urlsplit(entry.source)
    assert (source.scheme, source.netloc, source.query, source.fragment) == ("https", "github.com", "", "")
    assert re.fullmatch(
        r"/[\w.-]+/[\w.-]+(/(blob|commit|issues|pull)/[\w./-]+)?", source.path
    )  # of a public repository
    assert entry.read_on > date(2026, 1, 1)


@pytest.mark.parametrize("email", [entry.email for entry in ENTRIES if entry.email])
def test_no_address_that_anybody_can_have(email):
    """Neither at a provider of free or disposable mail nor made of a login alone; written as addresses are compared."""
    _, _, domain = email.partition("@")
    if domain == "users.noreply.github.com":
        assert noreply_owner(email, GITHUB_COM) is not None
    else:
        assert canonical_address(email) == email
        assert approvable(domain) is None or domain == "github.com"  # GitHub's own; its users have another


def test_nothing_twice():
    """An id or an address is one agent's."""
    ids = [entry.id for entry in ENTRIES if entry.id is not None]
    addresses = [address_key(entry.email) for entry in ENTRIES if entry.email]
    assert len(set(ids)) == len(ids)
    assert len(set(addresses)) == len(addresses)


@pytest.mark.parametrize(("email", "account", "name", "coauthor"), [
    (CLAUDE, None, "Claude", "Claude"), (CLAUDE.upper(), None, "Claude", "Claude"), (CLAUDE, Account(81847, "renamed"), "Claude", "Claude"),
    ("x@y.org", Account(81847, "claude"), "Claude", "Claude"), ("81847+anything@users.noreply.github.com", None, "Claude", "Claude"),
    (CLAUDE, BO, "Claude", None), (ACTION, None, "Claude", "Claude"), (ACTION, Account(41898282, "github-actions[bot]", "Bot"), "Claude", "Claude"), (ACTION, BO, "Claude", None),
    ("41898282+github-actions[bot]@users.noreply.github.com", None, None, None), ("198982749+Copilot@users.noreply.github.com", None, "GitHub Copilot", "GitHub Copilot"),
    ("198982749+Copilot@users.noreply.github.com", BO, None, None), (CLAUDE, Account(198982749, "Copilot"), "GitHub Copilot", "GitHub Copilot"),
    ("x@y.org", Account(6, "claude"), None, None), ("claude@users.noreply.github.com", None, None, None), ("me+noreply@anthropic.com", None, None, None), ("", None, None, None), ("", BO, None, None),
])  # fmt: skip
def test_who_is_an_agent(email, account, name, coauthor):
    """The id decides: as a co-author an address counts only where no other account stands beside it."""
    assert (name_of(email, account, GITHUB_COM), coauthor_name(email, account, GITHUB_COM)) == (name, coauthor)


@pytest.mark.parametrize(("email", "name"), [
    ("gemini@google.com", "Gemini CLI"), ("218195315+gemini-cli@users.noreply.github.com", "Gemini CLI"), ("244629292+kiro-agent@users.noreply.github.com", "Kiro"),
    ("noreply@codeium.com", "Windsurf"), ("codex@openai.com", "OpenAI Codex"), ("158243242+devin-ai-integration[bot]@users.noreply.github.com", "Devin"),
    ("161369871+google-labs-jules[bot]@users.noreply.github.com", "Jules"), ("clio-agent@sisyphuslabs.ai", "Sisyphus"), ("no-reply@ona.com", "Ona"), ("noreply@cline.bot", "Cline"),
    ("159125892+gpt-engineer-app[bot]@users.noreply.github.com", "Lovable"), ("159125892+lovable-dev[bot]@users.noreply.github.com", "Lovable"), ("NoReply@Continue.dev", "Continue"),
    ("gemini@gmail.com", None), ("gemini-cli@users.noreply.github.com", None), ("218195316+gemini-cli@users.noreply.github.com", None), ("kiro@amazon.com", None), ("noreply@google.com", None),
    ("windsurf@codeium.com", None), ("noreply@codeium.com.example.org", None), ("cline-agent@users.noreply.github.com", None), ("12+kiro-agent[bot]@users.noreply.github.com", None),
])  # fmt: skip
def test_what_agents_write_into_commits(email, name):
    """What widely used agents name themselves by is known; what only looks alike is not."""
    assert coauthor_name(email, None, GITHUB_COM) == name


def test_the_ids_are_those_of_github_com():
    """On another server the same number is somebody else's account, in an address as well."""
    elsewhere = github_server("github.example.com")
    assert name_of("x@y.org", Account(218195315, "bo"), elsewhere) is None
    assert coauthor_name("218195315+bo@users.noreply.github.example.com", None, elsewhere) is None
