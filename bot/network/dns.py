"""Whether a domain's DNS shows the token that its company was given: several servers must agree. And where its mail goes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import dns.exception
import dns.flags
import dns.name
import dns.rdatatype
import dns.resolver
from dns.rdata import Rdata

from bot.network.resolvers import Server
from bot.network.txt_record import record

SERVER_TIMEOUT_SECONDS = 4.0
"""How long one server may take, in seconds."""
_PAGE_TIMEOUT_SECONDS = SERVER_TIMEOUT_SECONDS / 2
"""The same where a page waits for it."""

Answer = Literal["shown", "absent", "differs", "unknown"]
"""`shown` and `absent` are certain; `differs`: the servers disagree; `unknown`: one of them could not say."""

_MAX_UDP_OCTETS = 1232  # By UDP, DNS Flag Day 2020: what is larger comes by TCP instead of in fragments


def shows(domain: str, token: str, servers: Sequence[Server]) -> Answer:
    """Whether all of the servers see the record; `domain` is canonical. Each has SERVER_TIMEOUT_SECONDS.

    Raises ValueError for fewer than two servers, an empty token, or a domain that is too long to have such a record.
    """
    if len(set(servers)) < 2 or not token:  # One server alone could be deceived.
        raise ValueError("two servers and a token are needed")
    name, text = record(domain, token)
    try:
        asked = dns.name.from_text(name + ".")
    except dns.exception.DNSException as error:
        raise ValueError("no name for the DNS") from error
    found = [_records(server, asked, dns.rdatatype.TXT, SERVER_TIMEOUT_SECONDS) for server in servers]
    if None in found:
        return "unknown"
    # A record in several pieces is one text (RFC 7208, section 3.3).
    texts = [{b"".join(getattr(each, "strings", ())) for each in records or ()} for records in found]
    answers = {text.encode() in each for each in texts}
    return "differs" if len(answers) > 1 else "shown" if answers == {True} else "absent"


@dataclass(frozen=True, slots=True)
class Hosts:
    """The hosts of a domain: `mail` takes its e-mail (MX, the preferred first), `names` answer for it (NS, sorted)."""

    mail: tuple[str, ...]
    names: tuple[str, ...]


def mail_hosts(domain: str, registered: str, servers: Sequence[Server]) -> Hosts | None:
    """The answer of the first server that gives one: the domain's mail hosts, and the name servers of `registered`.

    None when none of them answers. For people to look at: no decision rests on it.
    """
    mail = _first(domain, dns.rdatatype.MX, servers)
    names = _first(registered, dns.rdatatype.NS, servers)
    if mail is None or names is None:
        return None
    preferred = sorted((int(order), host) for order, _, host in (mx.partition(" ") for mx in mail))
    # RFC 7505: `0 .` says that it takes no mail.
    return Hosts(tuple(host for _, host in preferred if host), tuple(sorted(names)))


def _first(domain: str, kind: dns.rdatatype.RdataType, servers: Sequence[Server]) -> tuple[str, ...] | None:
    answers = (_records(server, f"{domain}.", kind, _PAGE_TIMEOUT_SECONDS) for server in servers)
    found = next((answer for answer in answers if answer is not None), None)
    return None if found is None else tuple(each.to_text().removesuffix(".") for each in found)


def _records(
    server: Server, name: dns.name.Name | str, kind: dns.rdatatype.RdataType, patience: float
) -> tuple[Rdata, ...] | None:
    """The records of that kind which this server has; None when it did not say."""
    resolver = dns.resolver.Resolver(configure=False)
    resolver.nameservers = [server.address]  # Not the machine's own servers.
    resolver.port = server.port
    resolver.lifetime = patience
    resolver.timeout = patience / 2  # Asked twice: one lost packet is no answer
    resolver.use_edns(0, 0, _MAX_UDP_OCTETS)
    try:
        return tuple(resolver.resolve(name, kind, search=False))
    except (dns.resolver.NXDOMAIN, dns.resolver.NoAnswer):
        return ()
    except (dns.exception.DNSException, OSError):
        return None
