"""What a company's agreement covers: accounts, addresses, domains, each for its time, less those it excludes."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from agreements.domains import approvable, canonical_address, canonical_domain, covers, domain_of, masked
from agreements.equivalence import address_key
from agreements.facts import Company, Entry


@dataclass(frozen=True, slots=True)
class Candidate:
    """The account being judged, with the addresses that GitHub links to it here and those it has proven."""

    account_id: int
    linked: frozenset[str]
    proven: frozenset[str]

    def addresses(self, mode: str) -> tuple[str, ...]:
        """The addresses that count under `linked` or `enrolled`, in a fixed order."""
        return tuple(sorted(self.proven if mode == "enrolled" else self.proven | self.linked))


@dataclass(frozen=True, slots=True)
class Match:
    """How a company names the candidate: the note's code, what to show, and whether that entry's time has passed."""

    code: str
    shown: str
    ended: bool


_USELESS = ("public-suffix", "free-mail", "disposable", "code-host")


def match(company: Company, candidate: Candidate, mode: str, now: datetime) -> Match | None:
    """The company's best entry for the candidate; None when none was ever in force. `mode` is the rulebook's least."""
    stricter = "enrolled" if "enrolled" in (mode, company.domains or mode) else "linked"
    addresses = candidate.addresses(stricter)
    found = [
        Match(*named, ended=entry.until is not None and entry.until <= now)
        for entry in company.covers
        if (entry.since is None or entry.since <= now) and (named := _named(entry, candidate.account_id, addresses))
    ]
    return min(found, key=lambda one: (one.ended, _ORDER.index(one.code)), default=None)


_ORDER = ("cla/company-account", "cla/company-email", "cla/company-domain")


def _named(entry: Entry, account_id: int, addresses: Iterable[str]) -> tuple[str, str] | None:
    """An entry without its key names nobody."""
    if entry.account_id is not None:
        return ("cla/company-account", "") if entry.account_id == account_id else None
    if entry.email is not None:
        whole = canonical_address(entry.email)
        return next(
            (("cla/company-email", masked(one)) for one in addresses if whole and canonical_address(one) == whole), None
        )
    if entry.domain is None or approvable(entry.domain) in _USELESS:
        return None
    domain, below = entry.domain, entry.subdomains
    return next(
        (("cla/company-domain", canonical_domain(domain) or "") for one in addresses if covers(domain, below, one)),
        None,
    )


def excludes(company: Company, candidate: Candidate, now: datetime) -> bool:
    """Whether the company takes the candidate out, by account or by any address of theirs; beats its own entries."""
    known = {address_key(one) for one in candidate.linked | candidate.proven}
    return any(_active(entry, now) and _excluded(entry, candidate.account_id, known) for entry in company.excludes)


def _excluded(entry: Entry, account_id: int, known: set[str]) -> bool:
    if entry.account_id is not None and entry.account_id == account_id:
        return True
    if entry.email is not None and address_key(entry.email) in known:
        return True
    return entry.domain is not None and any(
        domain_of(one) and covers(entry.domain, entry.subdomains, one) for one in known
    )


def _active(entry: Entry, now: datetime) -> bool:
    return (entry.since is None or entry.since <= now) and (entry.until is None or now < entry.until)
