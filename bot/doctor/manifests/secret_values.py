"""Tells which values of manifests are secrets: by the name that they have, or since they give themselves away."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

# A name whose last word is one of these has a secret as its value: COUNTERSIGN_KEYS, AWS_CREDENTIALS.
_LAST: Final = frozenset({
    "pass", "pwd", "secret", "secrets", "credential", "credentials", "keys", "authorization", "pat",
})  # fmt: skip
# The last word of a name may also end with one of these: PGPASSWORD, authToken.
_ENDINGS: Final = ("password", "passwd", "passphrase", "secret", "token", "apikey")
# With `key` after it such a word names a secret: COUNTERSIGN_PRIVATE_KEY.
_KEYS: Final = frozenset({
    "private", "api", "access", "secret", "encryption", "signing", "auth", "master", "account", "shared", "root",
})  # fmt: skip
_WORDS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")  # camelCase, snake_case and CAPITALS.
_PLAIN: Final = frozenset({"", "true", "false", "yes", "no", "on", "off", "none", "null", "disabled", "enabled"})
# A value that begins so says where the secret is.
_PLACES: Final = ("/run/", "/var/", "/etc/", "/vault/", "/secrets/", "/mnt/", "file:")
# A value that begins so is filled in only when it is used: `$NAME`, `$(cat file)`, `${NAME:?}`, `{{ name }}`.
_REFERENCE: Final = re.compile(r"\$[({]|\$\w|<?\{\{|%\(|ENC\[")
_GIVEAWAYS: Final = (
    ("a private key", re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY|AGE-SECRET-KEY-1")),
    ("a token", re.compile(r"\b(?:gh[pousr]_\w{20}|github_pat_\w{20}|glpat-[\w-]{16}|xox[abprs]-[\w-]{10}|AKIA[0-9A-Z]{16}\b)")),
    ("a token", re.compile(r"\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.")),  # A JWT.
    ("an address with a password", re.compile(r"\b[a-z][a-z0-9+.-]*://[^\s/:@'\"]*:(?!\$|\{\{|%)[^\s/@'\"]+@")),
    ("an Authorization header", re.compile(r"(?i)\bauthorization['\"]?\s*:\s*['\"]?(?:basic|bearer|token)\s+(?![$<{])\S")),
    ("a user with a password", re.compile(r"(?:^|\s)(?:-u|--user)[ =](?!\$)[^\s:$]+:(?!\$)[^\s$]")),
)  # fmt: skip
_ASSIGNED: Final = re.compile(r"(?<![\w$])([A-Za-z_][\w.-]*)=(\"[^\"]*\"|'[^']*'|[^\s;&|)]+)")
_LINE: Final = re.compile(
    r"^\s*(?:export\s+)?['\"]?([A-Za-z_][\w.-]*)['\"]?[^\S\n]*[:=][^\S\n]*(\"[^\"]*\"|'[^']*'|[^\s#,]+)", re.MULTILINE
)


def is_secret(name: str, value: str) -> bool:
    """Whether a literal value is a secret: by the name, or since it is a key, a token or an address with a password."""
    return is_named_secret(name, value) or any(True for _ in _giveaways(value))


def is_named_secret(name: str, value: str) -> bool:
    """Whether that name's literal value is a secret; none is what is a reference, a place, or a mere yes or no."""
    text = value.strip().strip("\"'")
    if text.lower() in _PLAIN or _REFERENCE.match(text) or text.startswith(_PLACES):
        return False
    words = [word.lower() for word in _WORDS.findall(name)]
    while words and words[-1].isdigit():  # Such as PASSWORD_2.
        words.pop()
    if not words:
        return False
    is_key = words[-1] == "key" and len(words) > 1 and words[-2] in _KEYS
    return is_key or words[-1] in _LAST or words[-1].endswith(_ENDINGS)


def in_command(words: Sequence[str]) -> list[str]:
    """The options and variables of a command that have a secret as their value; never the secret itself."""
    text = " ".join(words)
    parts = text.split()
    found = [
        word for word, value in pairwise(parts)
        if word.startswith("-") and "=" not in word and not value.startswith("-") and is_named_secret(word, value)
    ]  # fmt: skip
    found += [
        option for option, is_given, value in (part.partition("=") for part in parts)
        if is_given and option.startswith("-") and is_named_secret(option, value)
    ]  # fmt: skip
    found += [
        name for name, value in _ASSIGNED.findall(text) if f"--{name}" not in found and is_named_secret(name, value)
    ]
    return list(dict.fromkeys([*found, *_giveaways(text)]))


def in_text(name: str, text: str) -> list[str]:
    """The names of the secrets in a value: its own, or those of its lines when it is a whole file."""
    if is_named_secret(name, text):
        return [name]
    lines = [found for found, value in _LINE.findall(text) if is_named_secret(found, value)] if "\n" in text else []
    return list(dict.fromkeys([f"{name} ({found})" for found in (*lines, *_giveaways(text))]))


def _giveaways(text: str) -> Iterator[str]:
    for what, pattern in _GIVEAWAYS:
        if pattern.search(text):
            yield what
