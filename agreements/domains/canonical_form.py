"""The canonical form of domains and addresses: two are the same exactly if these strings are equal."""

import ipaddress
import unicodedata
from functools import lru_cache

from agreements.domains.invisible import shows_nothing
from agreements.github_server import GitHubServer

_LDH = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")
_ATOM = frozenset("abcdefghijklmnopqrstuvwxyz0123456789!#$%&'*+/=?^_`{|}~-.")
_MAX_ADDRESS_OCTETS = 254  # RFC 5321, 4.5.3.1.3, without the angle brackets.
_MAX_LOCAL_OCTETS = 64  # RFC 5321, 4.5.3.1.1.
_MAX_DOMAIN_OCTETS = 253  # RFC 1035, 2.3.4, in text form.


@lru_cache(maxsize=65536)
def canonical_domain(text: str) -> str | None:
    """The lower-case A-label form (NFC, UTS 46 strict, RFC 5891), or None for no domain of two or more labels.

    One final dot is taken off first. Addresses (1.2.3.4), white space and invisible characters make it None.

    >>> canonical_domain("Bücher.Example.")
    'xn--bcher-kva.example'
    >>> canonical_domain("1.2.3.4") is None
    True
    """
    text = text.removesuffix(".")
    if len(text) > _MAX_DOMAIN_OCTETS:
        return None
    plain = text.lower() if text.isascii() else _folded(text)
    if plain is None:
        return None
    labels = plain.split(".")
    if len(labels) < 2 or len(plain) > _MAX_DOMAIN_OCTETS or labels[-1].isdigit():
        return None
    if not all(_is_label(label) for label in labels):
        return None
    return plain


def _folded(text: str) -> str | None:
    """The A-label form of a name with other letters; it must survive the way there and back."""
    import idna  # noqa: PLC0415 - its tables are big and most names are ASCII

    if any(shows_nothing(char) for char in text):
        return None
    try:
        plain = idna.encode(unicodedata.normalize("NFC", text), uts46=True, std3_rules=True).decode()
    except (UnicodeError, ValueError, IndexError):
        return None
    return plain.lower()


def _is_label(label: str) -> bool:
    """Letters, digits and inner hyphens; hyphens in third and fourth place only in a valid A-label (UTS 46, strict)."""
    if not 0 < len(label) <= 63 or label[0] == "-" or label[-1] == "-" or not _LDH.issuperset(label):
        return False
    if label[2:4] != "--":
        return True
    import idna  # noqa: PLC0415 - its tables are big and few labels need them

    try:
        return bool(label.startswith("xn--") and idna.alabel(idna.ulabel(label)).decode() == label)
    except (UnicodeError, ValueError, IndexError):
        return False


@lru_cache(maxsize=65536)
def canonical_address(text: str) -> str | None:
    """The whole address with both parts in canonical form, or None when it is not a valid one and counts for nothing.

    Quoted local parts, two `@`, control characters and empty labels are not valid here.

    >>> canonical_address("Ada@Example.ORG")
    'ada@example.org'
    >>> canonical_address("ada@localhost") is None
    True
    """
    text = text.removesuffix(".")
    # The parser is slow to load, and most addresses are ASCII.
    if not text.isascii():
        return _parsed(text)
    local, _, name = text.lower().partition("@")
    domain = canonical_domain(name)
    if domain is None or not local or len(local) > _MAX_LOCAL_OCTETS or len(local) + len(domain) >= _MAX_ADDRESS_OCTETS:
        return None
    if not _ATOM.issuperset(local) or local[0] == "." or local[-1] == "." or ".." in local or name.endswith("."):
        return None
    return f"{local}@{domain}"


def _parsed(text: str) -> str | None:
    """An address with letters outside ASCII, by email-validator."""
    from email_validator import EmailNotValidError, validate_email  # noqa: PLC0415 - rare, and slow to load

    if len(text) > _MAX_ADDRESS_OCTETS or any(shows_nothing(char) for char in text):
        return None
    try:
        parsed = validate_email(text, check_deliverability=False, globally_deliverable=False)
    except (EmailNotValidError, ValueError):
        return None
    domain = canonical_domain(parsed.ascii_domain)
    local = unicodedata.normalize("NFC", parsed.local_part.lower())
    if domain is None or len(local.encode()) > _MAX_LOCAL_OCTETS:
        return None
    return f"{local}@{domain}"


def domain_of(address: str) -> str | None:
    """The canonical domain of an address, or None when the address is not a valid one."""
    canonical = canonical_address(address)
    return None if canonical is None else canonical.rpartition("@")[2]


def with_parents(domain: str) -> list[str]:
    """The domain and those above it, down to two labels.

    >>> with_parents("mail.rnd.example.org")
    ['mail.rnd.example.org', 'rnd.example.org', 'example.org']
    """
    labels = domain.split(".")
    return [".".join(labels[start:]) for start in range(len(labels) - 1)]


@lru_cache(maxsize=65536)
def domains_over(address: str, server: GitHubServer) -> tuple[str, ...]:
    """The domains whose entry may take in the address: its own, those above it at label boundaries, never `www.`."""
    canonical = canonical_address(address)
    domain = None if canonical is None else canonical.rpartition("@")[2]
    # Every account has a no-reply address, employees of every company too, and web-flow is no employee: also where
    # the server stands below a company's domain.
    if domain is None or server.is_noreply(domain) or canonical == server.web_flow_email:
        return ()
    labels = domain.split(".")
    found = [domain]
    for start in range(1, len(labels) - 1):
        if labels[start - 1] == "www":
            break
        found.append(".".join(labels[start:]))
    return tuple(name for name in found if not _is_www(name))


def _is_www(domain: str) -> bool:
    return domain.startswith("www.") and domain.count(".") > 1


@lru_cache(maxsize=65536)
def approvable(domain: str) -> str | None:
    """The reason why no company may hold this domain, or None when one may.

    One of `invalid`, `ip-address`, `single-label`, `www`, `unknown-suffix`, `public-suffix`, `free-mail`, `disposable`,
    `code-host`. Sources: the public suffix list with its private part, two lists of mail providers and two own ones.
    """
    plain = domain.removesuffix(".")
    if _is_ip(plain.strip("[]")):
        return "ip-address"
    name = canonical_domain(domain)
    if name is None:
        return "single-label" if canonical_domain(f"{plain}.com") and "." not in plain else "invalid"
    if _is_www(name):
        return "www"
    from agreements.domains.providers import listed  # noqa: PLC0415 - long lists, read only when a company names a domain

    return listed(name)


def _is_ip(text: str) -> bool:
    try:
        ipaddress.ip_address(text.removeprefix("IPv6:"))
    except ValueError:
        return False
    return True
