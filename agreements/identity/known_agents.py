"""The coding agents that we know by exact account id or exact address: the shipped list, each entry with its source.

Anybody can add an address to an account that is not theirs, and noreply@anthropic.com once was a stranger's at GitHub. So
the id decides: an account that is not the agent's is whoever has it, whatever address stands beside it.
"""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path

from agreements.facts import Account
from agreements.github_server import GITHUB_COM, GitHubServer
from agreements.identity.equivalence import address_key, noreply_owner

_FILE = Path(__file__).with_name("known_agents.toml")


@dataclass(frozen=True, slots=True)
class KnownAgent:
    """One account (`id`, the login is a label) or one address of an agent; `source` says so and was read on `read_on`."""

    name: str
    source: str
    read_on: date
    id: int | None = None
    login: str = ""
    email: str = ""


@cache
def shipped() -> tuple[KnownAgent, ...]:
    """Every entry of the list, in its order."""
    return tuple(_entries(_FILE.read_text(encoding="utf-8")))


def name_of(email: str, account: Account | None, server: GitHubServer) -> str | None:
    """The agent that has this account or this address, also where they are two different ones."""
    return _by_id(account or noreply_owner(email, server), server) or _by_address(email, server)


def coauthor_name(email: str, account: Account | None, server: GitHubServer) -> str | None:
    """The agent that a co-author is. An address counts where GitHub names no account for it, or the one it holds itself."""
    holder = noreply_owner(email, server)
    owner = account or holder
    if owner is None:
        return _by_address(email, server)
    same = holder is not None and holder.id == owner.id
    return _by_id(owner, server) or (_by_address(email, server) if same else None)


def _by_id(owner: Account | None, server: GitHubServer) -> str | None:
    """The ids of the list are github.com's: on another server the same number is somebody else's."""
    return _ids().get(owner.id) if owner is not None and server.is_github_com else None


def _by_address(email: str, server: GitHubServer) -> str | None:
    """By the whole address; github.com's no-reply addresses of these accounts are addresses on every other server."""
    if not email:
        return None
    holder = None if server.is_github_com else noreply_owner(email, GITHUB_COM)
    return _addresses().get(address_key(email)) or (_ids().get(holder.id) if holder is not None else None)


@cache
def _ids() -> Mapping[int, str]:
    return {one.id: one.name for one in shipped() if one.id is not None}


@cache
def _addresses() -> Mapping[str, str]:
    return {address_key(one.email): one.name for one in shipped() if one.email}


def _entries(text: str) -> Iterator[KnownAgent]:
    for agent in tomllib.loads(text)["agent"]:
        for one in agent.get("accounts", ()):
            yield KnownAgent(agent["name"], one["source"], one["date"], id=one["id"], login=one["login"])
        for one in agent.get("emails", ()):
            yield KnownAgent(agent["name"], one["source"], one["date"], email=one["address"])
