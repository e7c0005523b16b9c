"""The cover of a company's agreement: accounts, addresses, domains, each for its time, less those it excludes."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from agreements.domains.canonical_form import approvable, canonical_address, canonical_domain, domains_over
from agreements.domains.masking import masked
from agreements.facts import Company, Entry
from agreements.github_server import GitHubServer
from agreements.identity.matching import address_key


@dataclass(frozen=True, slots=True)
class Addresses:
    """Some addresses of one account, ready to be looked up.

    `spelled` holds the valid ones by canonical form, `keys` all as `address_key` writes them, `own` the domains of the
    valid ones and `over` those together with all above them that may take them in. `server` is the GitHub they come from.
    """

    spelled: Mapping[str, str]
    keys: frozenset[str]
    own: frozenset[str]
    over: frozenset[str]
    server: GitHubServer


def addresses(found: Iterable[str], server: GitHubServer) -> Addresses:
    """The addresses, ready to be looked up."""
    spelled: dict[str, str] = {}
    ordered = sorted(found)  # Of two spellings of one address always the same one is shown.
    for address in ordered:
        valid = canonical_address(address)
        if valid is not None:
            spelled.setdefault(valid, address)
    takers = [over for valid in spelled if (over := domains_over(valid, server))]
    return Addresses(
        spelled=spelled,
        keys=frozenset(address_key(address) for address in ordered),
        own=frozenset(over[0] for over in takers),
        over=frozenset(domain for over in takers for domain in over),
        server=server,
    )


@dataclass(frozen=True, slots=True)
class Candidate:
    """The account `account_id` that is judged: its `proven` addresses, and `every` one, with those that GitHub links to it here."""

    account_id: int
    proven: Addresses
    every: Addresses


def candidate(account_id: int, *, linked: frozenset[str], proven: frozenset[str], server: GitHubServer) -> Candidate:
    """The candidate with the addresses that GitHub links to the account and those it has proven."""
    certain = addresses(proven, server)
    return Candidate(account_id, certain, addresses(proven | linked, server) if linked - proven else certain)


class CompanyIndex:
    """The index of the companies by the people they name."""

    def __init__(self, companies: Sequence[Company]) -> None:
        self.companies = companies
        self._covers = _index([company.covers for company in companies])
        self._excludes = _index([company.excludes for company in companies])

    def about(self, who: Candidate) -> Iterable[Company]:
        """Each company that may name the candidate, cut down to the entries that may, in order."""
        # Judging one person reads only the entries about that person: a company may name thousands.
        keys: set[_Key] = {who.account_id, *who.every.keys, *who.every.over}
        excluded = _found(self._excludes, keys)
        for number, entries in sorted(_found(self._covers, keys).items()):
            taken = excluded.get(number, [])
            yield replace(self.companies[number], covers=_in_order(entries), excludes=_in_order(taken))


_Key = int | str
_Place = tuple[int, int, Entry]


def _index(lists: Iterable[Sequence[Entry]]) -> Mapping[_Key, list[_Place]]:
    found: dict[_Key, list[_Place]] = {}
    for number, entries in enumerate(lists):
        for place, entry in enumerate(entries):
            key = _key(entry)
            if key is not None:
                found.setdefault(key, []).append((number, place, entry))
    return found


def _key(entry: Entry) -> _Key | None:
    if entry.account_id is not None:
        return entry.account_id
    if entry.email is not None:
        return address_key(entry.email)
    # An invalid domain is no key: it names no one.
    return None if entry.domain is None else canonical_domain(entry.domain)


def _found(index: Mapping[_Key, list[_Place]], keys: set[_Key]) -> dict[int, list[_Place]]:
    found: dict[int, list[_Place]] = {}
    for key in index.keys() & keys:  # Python walks the smaller of the two.
        for place in index[key]:
            found.setdefault(place[0], []).append(place)
    return found


def _in_order(places: list[_Place]) -> tuple[Entry, ...]:
    return tuple(entry for _, _, entry in sorted(places))


@dataclass(frozen=True, slots=True)
class CompanyMatch:
    """An entry that names the candidate: the note's `code`, the text `shown` with it, and whether the entry has `ended`.

    `address` is the one that matched, "" for an account; `record` the entry's id here.
    """

    code: str
    shown: str
    ended: bool
    address: str = field(default="", repr=False, compare=False)
    record: str = field(default="", compare=False)


_USELESS = ("public-suffix", "free-mail", "disposable", "code-host")


def match(company: Company, who: Candidate, mode: str, now: datetime) -> CompanyMatch | None:
    """The company's best entry for the candidate; None when none ever was in force. `mode` is the rules' minimum."""
    # The stricter of the two: a company may not ask for less.
    counting = who.proven if "enrolled" in (mode, company.domains or mode) else who.every
    found = ((_match(entry, who.account_id, counting, now), entry) for entry in company.covers)
    matches = [replace(hit, record=entry.record) for hit, entry in found if hit is not None]
    # An entry in force before one that ended; then the surest key.
    return min(matches, key=lambda hit: (hit.ended, _ORDER.index(hit.code)), default=None)


_ORDER = ("cla/company-account", "cla/company-email", "cla/company-domain")


def _match(entry: Entry, account_id: int, counting: Addresses, now: datetime) -> CompanyMatch | None:
    if entry.since is not None and entry.since > now:  # An entry for a later day gives no hint either.
        return None
    ended = entry.until is not None and entry.until <= now
    if entry.account_id is not None:
        return CompanyMatch("cla/company-account", "", ended) if entry.account_id == account_id else None
    if entry.email is not None:
        address = counting.spelled.get(canonical_address(entry.email) or "")
        return None if address is None else CompanyMatch("cla/company-email", masked(address), ended, address)
    domain = None if entry.domain is None else canonical_domain(entry.domain)
    if domain is None or domain not in (counting.over if entry.subdomains else counting.own):
        return None
    # A domain that anyone can have an address at covers no one, even if it was approved once.
    if approvable(domain) in _USELESS or all(_rented(canonical, domain) for canonical in counting.spelled):
        return None
    return CompanyMatch("cla/company-domain", domain, ended, _at(domain, counting, subdomains=entry.subdomains))


def _at(domain: str, counting: Addresses, *, subdomains: bool) -> str:
    for canonical, spelled in sorted(counting.spelled.items()):
        over = domains_over(canonical, counting.server)
        if domain in (over if subdomains else over[:1]) and not _rented(canonical, domain):
            return spelled
    return ""


def _rented(address: str, domain: str) -> bool:
    """Whether a public suffix stands between the two."""
    from agreements.domains.providers import suffix  # noqa: PLC0415 - long lists, read only when a company names a domain

    place = address.rpartition("@")[2]
    # A customer with a name below `amazonaws.com` is not Amazon.
    return place != domain and (not place.endswith(f".{domain}") or f".{suffix(place)}".endswith(f".{domain}"))


def excludes(company: Company, who: Candidate, now: datetime) -> bool:
    """Whether the company takes the candidate out, by account or by any address of theirs."""
    # An exclusion beats the company's own entries.
    return any(entry.runs(now) and _excluded(entry, who) for entry in company.excludes)


def _excluded(entry: Entry, who: Candidate) -> bool:
    if entry.account_id is not None and entry.account_id == who.account_id:
        return True
    # As `address_key`: an exclusion of an invalid address counts, too.
    if entry.email is not None and address_key(entry.email) in who.every.keys:
        return True
    if entry.domain is None:
        return False
    return canonical_domain(entry.domain) in (who.every.over if entry.subdomains else who.every.own)
