"""The spellings that are one person: each equivalence has a name, so that the verdict can say which it relied on."""

import unicodedata
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import lru_cache

from agreements.domains.canonical_form import canonical_address
from agreements.facts import Account, Identity
from agreements.github_server import GitHubServer

_MAX_NAME_CHARACTERS = 1000  # Longer ones are compared as they stand.
Kinds = frozenset[str]
_SAME: Kinds = frozenset()
REPLACEMENT = "\ufffd"
"""The character that GitHub's interfaces give for any byte that is not UTF-8."""


def has_unreadable(text: str) -> bool:
    """Whether bytes of the text are no UTF-8: GitHub replaces these, and git's are surrogates (PEP 383)."""
    return any(char == REPLACEMENT or "\udc80" <= char <= "\udcff" for char in text)


@dataclass(frozen=True, slots=True)
class CommitPerson:
    """A person in a commit, as author or committer (`role`): the `identity` that git wrote, and the `account` that GitHub links to it."""

    identity: Identity
    account: Account | None
    role: str


@dataclass(frozen=True, slots=True)
class ExactMatching:
    """Names and addresses are the same when they are equal in lower case, nothing more (cncf/dco2)."""

    def same(self, signed: Identity, person: CommitPerson) -> Kinds | None:
        """The equivalences used, an empty set; None for different people."""
        both = self.name(signed, person) is not None and self.email(signed, person) is not None
        return _SAME if both else None

    def name(self, signed: Identity, person: CommitPerson) -> Kinds | None:
        """The same for the name alone."""
        return _SAME if signed.name.lower() == person.identity.name.lower() else None

    def email(self, signed: Identity, person: CommitPerson) -> Kinds | None:
        """The same for the address alone."""
        return _SAME if signed.email.lower() == person.identity.email.lower() else None


_Key = tuple[str | None, str]


@dataclass(frozen=True, slots=True)
class Mailmap:
    """The `replacements` by name and address, or by address alone; keys are folded like git's."""

    replacements: Mapping[_Key, tuple[str | None, str | None]]

    def resolve(self, who: Identity) -> Identity:
        """The identity that the project gives this one; unchanged when the file does not name it."""
        email = who.email.casefold()
        # By gitmailmap(5), name and address together come first.
        found = self.replacements.get((who.name.casefold(), email)) or self.replacements.get((None, email))
        if found is None:
            return who
        name, address = found
        return Identity(who.name if name is None else name, who.email if address is None else address)


@lru_cache(maxsize=64)  # All commits of a review ask the same file.
def read_mailmap(text: str) -> Mailmap:
    """The replacements of a `.mailmap`; lines that are not of its four forms change nothing (gitmailmap(5))."""
    replacements: dict[_Key, tuple[str | None, str | None]] = {}
    for line in text.split("\n"):
        first, rest = _piece(line.partition("#")[0])
        if first is None:
            continue
        second, _ = _piece(rest)
        old, address = (None, first[1]) if second is None else second, None if second is None else first[1]
        key = (old[0].casefold() if old[0] else None, old[1].casefold())
        before = replacements.get(key, (None, None))
        replacements[key] = (first[0] or before[0], address or before[1])  # A later line replaces only what it names.
    return Mailmap(replacements)


def _piece(text: str) -> tuple[tuple[str, str] | None, str]:
    name, bracket, rest = text.partition("<")
    email, end, rest = rest.partition(">")
    if not bracket or not end or not email.strip():
        return None, ""
    return (name.strip(), email.strip()), rest


@dataclass(frozen=True, slots=True)
class EquivalenceEvidence:
    """Equal in Unicode NFC, any case and spaces around a name, or the same by own addresses or the project's `mailmap`.

    `proven` holds, in canonical form, the addresses that each account id has proven, `linked` those that `server` links
    to it in this pull request. `free_names`: such an address tells the person, under any name.
    """

    mailmap: Mailmap
    proven: Mapping[int, AbstractSet[str]]
    server: GitHubServer
    linked: Mapping[int, AbstractSet[str]] = field(default_factory=dict)
    free_names: bool = False

    def same(self, signed: Identity, person: CommitPerson) -> Kinds | None:
        """The equivalences (spaces, unicode, case, noreply, mailmap, proven, linked, name); None for two people."""
        direct = self._both(signed, person)
        if direct is not None or not self.mailmap.replacements:
            return direct
        theirs = CommitPerson(self.mailmap.resolve(person.identity), person.account, person.role)
        # Both sides: the file may map either spelling to the other.
        mapped = self._both(self.mailmap.resolve(signed), theirs)
        return None if mapped is None else mapped | {"mailmap"}

    def name(self, signed: Identity, person: CommitPerson) -> Kinds | None:
        """The equivalences between the names."""
        name, other = signed.name, person.identity.name
        direct = _text(name, other)
        # Git itself writes no name with spaces around it.
        if direct is not None or (name.strip() == name and other.strip() == other):
            return direct
        trimmed = _text(name.strip(), other.strip())
        return None if trimmed is None else trimmed | {"spaces"}

    def email(self, signed: Identity, person: CommitPerson) -> Kinds | None:
        """The equivalences between the addresses, the account's own ones included."""
        direct = _text(signed.email, person.identity.email)
        if direct is not None or person.account is None:  # Without an account no other address is known to be theirs.
            return direct
        if is_own_noreply(signed.email, person.account, self.server):
            return frozenset({"noreply"})
        valid = canonical_address(signed.email)
        if valid is None:
            return None
        if valid in self.proven.get(person.account.id, ()):
            return frozenset({"proven"})
        return frozenset({"linked"}) if valid in self.linked.get(person.account.id, ()) else None

    def _both(self, signed: Identity, person: CommitPerson) -> Kinds | None:
        name = self.name(signed, person)
        if name is None and self.free_names and self._is_own(signed, person.account):
            name = frozenset({"name"})
        email = None if name is None else self.email(signed, person)
        return None if name is None or email is None else name | email

    def _is_own(self, signed: Identity, account: Account | None) -> bool:
        """Whether the address is the account's, by its id: linked, proven, or GitHub's own; never without a name."""
        if account is None or not any(char.isalnum() for char in signed.name):
            return False
        owner, valid = noreply_owner(signed.email, self.server), canonical_address(signed.email)
        if owner is not None:
            return owner.id == account.id
        return valid in self.proven.get(account.id, ()) or valid in self.linked.get(account.id, ())


Matcher = ExactMatching | EquivalenceEvidence


def _text(left: str, right: str) -> Kinds | None:
    if REPLACEMENT in left or REPLACEMENT in right:  # Replaced bytes may have been different ones.
        return None
    if left == right:
        return _SAME
    if not (left.isascii() and right.isascii()):
        text, other = _composed(left), _composed(right)
        if text == other:
            return frozenset({"unicode"})
        if folded(text) == folded(other):
            return frozenset({"case"}) if (text, other) == (left, right) else frozenset({"case", "unicode"})
        return None
    return frozenset({"case"}) if left.lower() == right.lower() else None


def folded(text: str) -> str:
    """NFC and case-folded, stable under both."""
    return _composed(_composed(text).casefold())  # Folding may undo NFC.


def _composed(text: str) -> str:
    # Too long for a name: sorting its marks takes time by the square of their number.
    return text if text.isascii() or len(text) > _MAX_NAME_CHARACTERS else unicodedata.normalize("NFC", text)


@lru_cache(maxsize=65536)
def address_key(address: str) -> str:
    """The key that two spellings of one address share; an invalid one is compared as it stands."""
    return canonical_address(address) or folded(address)


def canonical_addresses(emails: Mapping[int, Iterable[str]]) -> Mapping[int, frozenset[str]]:
    """Per account id its addresses in canonical form; invalid ones count for nothing."""
    return {
        account: frozenset(valid for email in found if (valid := canonical_address(email)))
        for account, found in emails.items()
    }


def is_own_noreply(address: str, account: Account, server: GitHubServer) -> bool:
    """Whether this is one of the account's noreply forms: with its id, or its login alone as before 2017-07-18."""
    key = address_key(address)
    owner = noreply_owner(key, server)
    if owner is not None:
        return owner.id == account.id  # The login is a label: GitHub links by the id, also after a rename.
    return bool(account.login) and key == f"{account.login.casefold()}@{server.noreply_domain}"


def noreply_owner(address: str, server: GitHubServer) -> Account | None:
    """The account that an `ID+LOGIN@` of the server's no-reply domain names, by its id; without its login."""
    local, _, domain = address.casefold().partition("@")
    number, plus, login = local.partition("+")
    # Only an address that GitHub could have written: an id without leading zeros, a login of ASCII letters and digits.
    if domain != server.noreply_domain or not plus or not (number.isascii() and number.isdigit() and len(number) < 19):
        return None
    label = login.removesuffix("[bot]").replace("-", "").replace("_", "")
    if number[0] == "0" or not label.isascii() or not label.isalnum():
        return None
    # Any login may stand behind the id: GitHub links by the id.
    return Account(int(number), "", "Bot" if login.endswith("[bot]") else "User")
