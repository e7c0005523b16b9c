"""Keeps personal data unreadable at rest: a key ring, one data key per subject, ciphertext bound to its place, blind indexes."""

import base64
import binascii
import hashlib
import hmac
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol, Self

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

_KEY_BYTES = 32
_NONCE_BYTES = 12  # NIST SP 800-38D: 96 random bits, safe for 2**32 messages a key
_FORMAT_VERSION = 1  # first byte of everything sealed or indexed; part of the associated data too
_KEY_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,31}")
WRAPPED_BYTES = 1 + _NONCE_BYTES + _KEY_BYTES + 16
"""The length of a stored data key that the ring alone wraps; with an erasure key it is longer."""
_RECEIPT_LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # Crockford: 32, and none looks like a digit
_RECEIPT_GROUPS, _RECEIPT_GROUP = 5, 4  # 20 letters of 5 bits: 100 bits cannot be guessed


class KeysInvalid(Exception):
    """The key ring's text is wrong; the message names the line and the mistake, never the key."""


class DecryptionFailed(Exception):
    """Sealed bytes were changed, moved to another place, or sealed with a key that the ring no longer has."""


class KeyDestroyed(DecryptionFailed):
    """The erasure key that a data key needs is missing: it was destroyed, or its file is not the one of this database."""


ERASABLE_PURPOSE = "person"
"""The purpose of data keys that an erasure key wraps, too, where there are any."""


class ErasureKeys(Protocol):
    """One key a person, kept outside the database: once it is destroyed, no copy of the database opens theirs."""

    def find(self, subject_id: str) -> bytes | None:
        """The 32 bytes of that person's key; None without one."""

    def give(self, subject_ids: Sequence[str], *, anew: bool) -> Mapping[str, bytes]:
        """Give these people keys, made where there are none; `anew` destroys the old. They are stored on return."""


@dataclass(frozen=True, slots=True)
class KeyRing:
    """Named 32-byte `keys`, the current one first; only the current one seals, all of them open."""

    keys: tuple[tuple[str, bytes], ...] = field(repr=False)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `id:base64` a line; blank lines and `#` comments are skipped. Raises KeysInvalid with one line."""
        keys: dict[str, bytes] = {}
        for number, line in enumerate(text.splitlines(), start=1):
            if not line.strip() or line.lstrip().startswith("#"):
                continue
            key_id, key = _ring_line(line.strip(), number)
            if key_id in keys:
                raise KeysInvalid(f"key ring line {number}: the id {key_id!r} is used twice")
            # One key under two ids would make a rotation from one to the other do nothing.
            if key in keys.values():
                raise KeysInvalid(f"key ring line {number}: the same key as an earlier line under another id")
            keys[key_id] = key
        if not keys:
            raise KeysInvalid("the key ring is empty: make a key with `countersign keys generate`")
        return cls(tuple(keys.items()))

    @staticmethod
    def new_id(day: str) -> str:
        """A name for a key made that day, such as `2026-11-28-1f3a5c`."""
        return f"{day}-{os.urandom(3).hex()}"  # Keys of one day have different names, so that rings are told apart.

    @staticmethod
    def generate(key_id: str) -> str:
        """A new random key as one line of a ring, without a line end. Raises KeysInvalid for an unusable id."""
        if not _KEY_ID.fullmatch(key_id):
            raise KeysInvalid("a key id is 1 to 32 letters, digits, dots, dashes or underscores")
        return f"{key_id}:{base64.b64encode(os.urandom(_KEY_BYTES)).decode()}"

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of all keys, the current one first."""
        return tuple(key_id for key_id, _ in self.keys)


def _ring_line(line: str, number: int) -> tuple[str, bytes]:
    where = f"key ring line {number}"  # Messages never repeat the line: a mistyped one may well be a key.
    key_id, colon, encoded = line.partition(":")
    if not colon:
        raise KeysInvalid(f"{where}: must have the form id:base64")
    if not _KEY_ID.fullmatch(key_id.strip()):
        raise KeysInvalid(f"{where}: the id must be 1 to 32 letters, digits, dots, dashes or underscores")
    try:
        key = base64.b64decode(encoded.strip(), validate=True)
    except (binascii.Error, ValueError):
        raise KeysInvalid(f"{where}: what follows the colon is not base64") from None
    if len(key) != _KEY_BYTES:
        raise KeysInvalid(f"{where}: the key has {len(key)} bytes, it must have {_KEY_BYTES}")
    return key_id.strip(), key


@dataclass(frozen=True, slots=True)
class DataKey:
    """The opened key of one person or company (`secret`, 32 bytes); it lives in memory only."""

    secret: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class WrappedKey:
    """A data key as it is stored: `sealed` by the ring key `ring_key_id`."""

    ring_key_id: str
    sealed: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class _DerivedKeys:
    """The keys derived from one ring key (HKDF-SHA-256), one for each use: `wrap`, `server`, `index` and `mac`."""

    wrap: AESGCM = field(repr=False)
    server: AESGCM = field(repr=False)
    index: bytes = field(repr=False)
    mac: bytes = field(repr=False)


def place(table: str, column: str, row_id: str) -> str:
    """The place of a sealed value, for `about`; bytes moved to another table, column or row do not open there."""
    about = f"{table}|{column}|{row_id}"
    if not (table and column and row_id) or about.count("|") != 2:  # A bar in an id would give two places one name.
        raise ValueError("a place needs a table, a column and a row id, none with a bar")
    return about


def receipt_number() -> str:
    """A number for a receipt that can't be guessed: 100 random bits, `K7QM-2D9X-…`."""
    # 256 is a multiple of 32: no letter is likelier.
    letters = "".join(_RECEIPT_LETTERS[byte % 32] for byte in os.urandom(_RECEIPT_GROUPS * _RECEIPT_GROUP))
    return "-".join(letters[start : start + _RECEIPT_GROUP] for start in range(0, len(letters), _RECEIPT_GROUP))


def link_token() -> str:
    """A word for a link, 256 random bits; only a hash of it is kept."""
    return os.urandom(_KEY_BYTES).hex()


def random_number() -> int:
    """A whole number of 62 random bits."""
    return int.from_bytes(os.urandom(8)) >> 2  # 62 bits: `WITHOUT_ACCOUNT` and it fit into 63.


def one_time_code() -> str:
    """Eight random decimal digits: a hundred accounts that use up all their tries hit one in ten thousand days."""
    return f"{int.from_bytes(os.urandom(16)) % 100_000_000:08d}"  # 2**128 is so many that no digit is likelier


def new_salt() -> bytes:
    """32 random bytes that keep a hash from being guessed."""
    return os.urandom(_KEY_BYTES)


class Vault:
    """Seals and opens with the keys of one ring, which may be exchanged while others use it."""

    def __init__(
        self,
        ring: KeyRing,
        renewed: Callable[[], KeyRing | None] = lambda: None,
        *,
        erasure_keys: ErasureKeys | None = None,
        on_failure: Callable[[], object] = lambda: None,
    ) -> None:
        """`renewed` gives the ring anew when it has changed since it was last asked, else None.

        With `erasure_keys` a person's data key is first wrapped by theirs, then by the ring. `on_failure` is called for
        each value that can't be decrypted, which shows a lost key or a changed row.
        """
        self._on_failure = on_failure
        self._renewed = renewed
        self._erasure_keys = erasure_keys
        self._keys = _derived(ring)

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of all keys, the current one first."""
        return tuple(self._keys)

    def refresh(self) -> bool:
        """Take the ring anew if it has changed; whether it had. Raises what reading it raises."""
        ring = self._renewed()
        if ring is not None:
            # One assignment: a thread that encrypts meanwhile has the old keys or the new ones.
            self._keys = _derived(ring)
        return ring is not None

    def new_data_key(self, purpose: str, subject_id: str) -> tuple[DataKey, WrappedKey]:
        """A random key for one subject (`person`, its id), and the form of it that may be stored."""
        ((key, wrapped),) = self.new_data_keys(purpose, [subject_id])
        return key, wrapped

    def new_data_keys(self, purpose: str, subject_ids: Sequence[str]) -> list[tuple[DataKey, WrappedKey]]:
        """The same for many, in their order. Raises OSError when erasure keys cannot be kept."""
        erasable = self._erasable_keys(purpose, subject_ids, anew=True)
        keys = [(subject_id, DataKey(os.urandom(_KEY_BYTES))) for subject_id in subject_ids]
        return [(key, self._wrap(_locked(erasable, key, subject_id), purpose, subject_id)) for subject_id, key in keys]

    @staticmethod
    def new_secret() -> DataKey:
        """A random key that is kept by `encrypt_for_server`, for what is no person's but is never sealed anew."""
        return DataKey(os.urandom(_KEY_BYTES))

    def unwrap(self, wrapped: WrappedKey, purpose: str, subject_id: str) -> DataKey:
        """The stored key, opened. Raises DecryptionFailed for another subject's or a lost ring key, KeyDestroyed."""
        with self._failures_noticed():
            held = self._held(wrapped, purpose, subject_id)
            # Only a key that an erasure key wraps is longer: GCM adds a nonce and a tag.
            if len(held) == _KEY_BYTES:
                return DataKey(held)
            key = self._erasure_keys.find(subject_id) if self._erasure_keys else None
            if key is None:
                raise KeyDestroyed("the erasure key of a person is missing")
            return DataKey(_decrypt(AESGCM(key), held, _erasure_place(subject_id)))

    def rewrap(self, wrapped: Mapping[str, WrappedKey], purpose: str) -> dict[str, WrappedKey]:
        """The same keys by their subjects, sealed by the ring's current one. Raises DecryptionFailed."""
        held = {subject_id: self._held(key, purpose, subject_id) for subject_id, key in wrapped.items()}
        bare = [subject_id for subject_id, key in held.items() if len(key) == _KEY_BYTES]
        # Keys of before there were erasure keys get one now; one in use is never exchanged.
        erasable = self._erasable_keys(purpose, bare, anew=False)
        held |= {subject_id: _locked(erasable, DataKey(held[subject_id]), subject_id) for subject_id in bare}
        return {subject_id: self._wrap(key, purpose, subject_id) for subject_id, key in held.items()}

    def encrypt(self, data_key: DataKey, plaintext: bytes, about: str) -> bytes:
        """AES-256-GCM under the subject's key, bound to `about` (see `place`) and to the format's version."""
        return _encrypt(AESGCM(data_key.secret), plaintext, about)

    def decrypt(self, data_key: DataKey, sealed: bytes, about: str) -> bytes:
        """The sealed content. Raises DecryptionFailed when it was changed or belongs elsewhere."""
        with self._failures_noticed():
            return _decrypt(AESGCM(data_key.secret), sealed, about)

    def encrypt_for_server(self, plaintext: bytes, about: str) -> bytes:
        """Seal data that belong to no person (a web session)."""
        key_id, keys = next(iter(self._keys.items()))
        name = key_id.encode()
        # The key's id in front: rows have no column for it.
        return bytes([len(name)]) + name + _encrypt(keys.server, plaintext, about)

    def decrypt_for_server(self, sealed: bytes, about: str) -> bytes:
        """The content that `encrypt_for_server` sealed, under any key of the ring. Raises DecryptionFailed."""
        with self._failures_noticed():
            name = server_key_id(sealed)
            return _decrypt(self._known(name).server, sealed[1 + len(name) :], about)

    def blind_index(self, kind: str, value: str) -> bytes:
        """A keyed fingerprint of a canonical value, for equal look-ups only; 33 bytes, the first is the format."""
        return self.blind_indexes(kind, value)[0]

    def blind_indexes(self, kind: str, value: str) -> tuple[bytes, ...]:
        """The fingerprints under every key of the ring, the current one first: search for any of them."""
        if not kind or not value:
            raise ValueError("a blind index needs a kind and a value")
        message = f"{kind}\0{value}".encode()
        # Under every key of the ring, as rows of before a rotation have the index of an older one.
        return tuple(
            bytes([_FORMAT_VERSION]) + hmac.new(keys.index, message, hashlib.sha256).digest()
            for keys in self._keys.values()
        )

    def authenticate(self, message: bytes) -> tuple[str, str]:
        """The current key's id, and the HMAC-SHA-256 of the message under it, in hexadecimal."""
        key_id, keys = next(iter(self._keys.items()))
        return key_id, hmac.new(keys.mac, message, hashlib.sha256).hexdigest()

    def is_authentic(self, key_id: str, code: str, message: bytes) -> bool:
        """Whether that key of the ring made that code for the message; False for a key that the ring does not have."""
        try:
            made = hmac.new(self._known(key_id).mac, message, hashlib.sha256).hexdigest()
        except DecryptionFailed:
            return False
        # In constant time: the time of an early end would tell how much of a forged code is right.
        return hmac.compare_digest(made.encode(), code.encode())

    @contextmanager
    def _failures_noticed(self) -> Iterator[None]:
        try:
            yield
        except KeyDestroyed:  # wanted by an erasure: no alarm
            raise
        except DecryptionFailed:
            self._on_failure()
            raise

    def _erasable_keys(self, purpose: str, subject_ids: Sequence[str], *, anew: bool) -> Mapping[str, bytes]:
        if self._erasure_keys is None or purpose != ERASABLE_PURPOSE or not subject_ids:
            return {}
        return self._erasure_keys.give(subject_ids, anew=anew)

    def _wrap(self, held: bytes, purpose: str, subject_id: str) -> WrappedKey:
        key_id, keys = next(iter(self._keys.items()))
        return WrappedKey(key_id, _encrypt(keys.wrap, held, place("data-key", purpose, subject_id)))

    def _held(self, wrapped: WrappedKey, purpose: str, subject_id: str) -> bytes:
        """The key inside the ring's wrapping: a data key, or one that an erasure key wraps, which is longer."""
        key = self._known(wrapped.ring_key_id).wrap
        return _decrypt(key, wrapped.sealed, place("data-key", purpose, subject_id))

    def _known(self, key_id: str) -> _DerivedKeys:
        keys = self._keys.get(key_id)
        # Another process may have sealed with a key that was added since the ring was read.
        if keys is None and self.refresh():
            keys = self._keys.get(key_id)
        if keys is None:
            raise DecryptionFailed("the key that encrypted this is not in the key ring")
        return keys


def server_key_id(sealed: bytes) -> str:
    """The ring key that `encrypt_for_server` used; for other bytes a name that no key has."""
    size = sealed[0] if sealed else 0
    return sealed[1 : 1 + size].decode("ascii", errors="replace")


def _locked(erasable: Mapping[str, bytes], key: DataKey, subject_id: str) -> bytes:
    """The data key as the ring wraps it: by itself, or wrapped by the subject's erasure key."""
    held = erasable.get(subject_id)
    return _encrypt(AESGCM(held), key.secret, _erasure_place(subject_id)) if held else key.secret


def _erasure_place(subject_id: str) -> str:
    return place("erasure-key", ERASABLE_PURPOSE, subject_id)


def _derived(ring: KeyRing) -> dict[str, _DerivedKeys]:
    # A key for each use: a fingerprint or a code that leaks says nothing about encryption.
    return {
        key_id: _DerivedKeys(
            wrap=AESGCM(_derive(key, "wrap")),
            server=AESGCM(_derive(key, "server")),
            index=_derive(key, "blind-index"),
            mac=_derive(key, "mac"),
        )
        for key_id, key in ring.keys
    }


def _derive(key: bytes, use: str) -> bytes:
    info = f"countersign/{use}/v{_FORMAT_VERSION}".encode()
    return HKDF(algorithm=SHA256(), length=_KEY_BYTES, salt=None, info=info).derive(key)


def _encrypt(key: AESGCM, plaintext: bytes, about: str) -> bytes:
    nonce = os.urandom(_NONCE_BYTES)
    return bytes([_FORMAT_VERSION]) + nonce + key.encrypt(nonce, plaintext, _bound(about))


def _decrypt(key: AESGCM, sealed: bytes, about: str) -> bytes:
    if len(sealed) <= _NONCE_BYTES or sealed[0] != _FORMAT_VERSION:
        raise DecryptionFailed("not encrypted in a format that this version knows")
    try:
        return key.decrypt(sealed[1 : 1 + _NONCE_BYTES], sealed[1 + _NONCE_BYTES :], _bound(about))
    except InvalidTag:
        raise DecryptionFailed("encrypted data was changed or does not belong here") from None


def _bound(about: str) -> bytes:
    if not about:
        raise ValueError("sealed data must say what they are about")
    return f"{about}|{_FORMAT_VERSION}".encode()
