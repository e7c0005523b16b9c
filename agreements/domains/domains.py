"""The canonical form of domains and addresses: two are the same exactly if these strings are equal."""

import ipaddress
import re
import unicodedata
from functools import lru_cache

from agreements.domains.invisible import INVISIBLE_CHARACTERS
from agreements.github_server import GitHubServer

_LDH = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")
_ATOM = frozenset("abcdefghijklmnopqrstuvwxyz0123456789!#$%&'*+/=?^_`{|}~-.")
_MAX_ADDRESS_OCTETS = 254  # RFC 5321, 4.5.3.1.3, without the angle brackets.
_MAX_LOCAL_OCTETS = 64  # RFC 5321, 4.5.3.1.1.
_MAX_SHOWN_CHARACTERS = 253  # Of a domain, valid or not.
_MAX_TEXT_CHARACTERS = 1000  # Of a name, a path, a line.
_MAX_DOMAIN_OCTETS = 253  # RFC 1035, 2.3.4, in text form.
_BETWEEN = frozenset("<>()[]{},;:\"'`|")  # Characters around addresses in free text.
_IN_DOMAIN = "abcdefghijklmnopqrstuvwxyz0123456789-."
_SHOWN_CHARACTER = r"(?:[^\\\s]|\\[nrt]|\\x[0-9a-f]{2}|\\u[0-9a-f]{4}|\\U[0-9a-f]{8})"
_MASKED = re.compile(f"{_SHOWN_CHARACTER}…{_SHOWN_CHARACTER}?")
"""A local part as `masked` writes it: what is masked twice must not lose the escape of its last character."""
_HIDDEN = ("C", "Z")  # Unicode categories that show nothing: control, format, private, separators


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

    if any(_shows_nothing(char) for char in text):
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

    if len(text) > _MAX_ADDRESS_OCTETS or any(_shows_nothing(char) for char in text):
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
    return tuple(one for one in found if not _is_www(one))


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


def masked(address: str) -> str:
    """The address as it may be shown in public: `a…e@huawei.com`, `a…@huawei.com` for one or two characters.

    Anything comes in, also what is no address at all; what shows nothing is written as an escape.

    >>> masked("ada.lovelace@example.org"), masked("al@example.org")
    ('a…e@example.org', 'a…@example.org')
    """
    local, at, domain = _plain_at(address).rpartition("@")
    if not at:
        local, domain = domain, ""
    if _MASKED.fullmatch(local):
        return f"{local}{at}{_cut(visible(domain[: _MAX_SHOWN_CHARACTERS + 1]))}"
    first, last = visible(local[:1]), visible(local[-1:]) if len(local) > 2 else ""
    return f"{first}…{last}{at}{_cut(visible(domain[: _MAX_SHOWN_CHARACTERS + 1]))}" if address else ""


def _cut(text: str) -> str:
    return text if len(text) <= _MAX_SHOWN_CHARACTERS else f"{text[:_MAX_SHOWN_CHARACTERS]}…"


@lru_cache(maxsize=4096)
def masked_text(text: str) -> str:
    """Free text with every address in it masked, and everything invisible in it escaped; cut when it is very long."""
    text = _plain_at(text)
    if len(text) > _MAX_TEXT_CHARACTERS:  # Whole words only: half an address would be its local part.
        return masked_text(f"{text[: _MAX_TEXT_CHARACTERS - 2].rpartition(' ')[0]} …")
    if "@" not in text:
        return visible(text)
    pieces: list[str] = []
    start = 0
    for place, char in enumerate(text + " "):
        if char in _BETWEEN or char.isspace():
            run = text[start:place]
            pieces += [masked(run) if "@" in run else visible(run), visible(char)]
            start = place + 1
    return "".join(pieces[:-1])


def names_mailbox(text: str) -> bool:
    """Whether text that no mask may change, such as a branch in a command, holds what looks like an address."""
    places = [part[: len(part) - len(part.lstrip(_IN_DOMAIN))] for part in _plain_at(text).lower().split("@")[1:]]
    # `release@2.0` does not: no domain of two labels follows.
    return any(canonical_domain(place.strip(".-")) is not None for place in places)


def _plain_at(text: str) -> str:
    """The wide and the small commercial at read as the plain one."""
    return text if text.isascii() else text.replace("\uff20", "@").replace("\ufe6b", "@")


def visible(text: str) -> str:
    """Text in which every invisible character is written as an escape (U+200B); the plain space stays a space."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(char.encode("unicode_escape").decode() if _shows_nothing(char) else char for char in text)


def _shows_nothing(char: str) -> bool:
    """Control, format and separator characters, and the letters and marks that render as nothing."""
    return unicodedata.category(char)[0] in _HIDDEN or char in INVISIBLE_CHARACTERS
