"""Reads command lines and shell scripts: whether one keeps a backup and where, loses logs, or proves an answer."""

import re
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

_SHELLS: Final = frozenset({"sh", "bash", "ash", "dash"})
# Standard error is taken away by a file, or by a pipe or file that standard output goes to as well.
_LOST: Final = re.compile(r"2>{1,2}(?!\s*&1)|&>{1,2}|\|&|2>&1\s*\|(?!\|)|(?<![&\d])>{1,2}[^|;&]*2>&1")
_SEPARATORS: Final = re.compile(r"&&|\|\||;;?|\||\n|&(?!>)|\b(?:do|then|else)\b")
# Words before a command that do not change what it is.
_WRAPPERS: Final = frozenset(
    {"exec", "time", "nice", "ionice", "env", "if", "while", "until", "!", "timeout", "su-exec", "gosu"}
)
# Commands that write a backup where they are told.
_DUMPERS: Final = frozenset({"pg_dump", "pg_dumpall", "pg_basebackup", "sqlite3"})
# Commands that know themselves where they keep a backup.
_KEEPERS: Final = frozenset({"pgbackrest", "wal-g", "wal-e", "barman", "restic", "borg", "kopia", "velero"})
# Commands that take a backup to another machine.
_SENDERS: Final = frozenset(
    {"aws", "gsutil", "gcloud", "az", "azcopy", "rclone", "rsync", "scp", "s3cmd", "mc", "curl", "ssh", *_KEEPERS}
)
_NO_WORK: Final = frozenset({"--help", "-h", "--version", "-V", "version", "help", "info", "check", "list"})
# Commands that succeed however the server is.
_IDLE: Final = frozenset(
    {
        "true",
        ":",
        "echo",
        "printf",
        "sleep",
        "exit",
        "date",
        "pwd",
        "hostname",
        "whoami",
        "id",
        "uname",
        "env",
        "test",
        "[",
    }
    | {"return", "ls", "cat", "set"}
)
# Commands at the end of a pipe that succeed with any input.
_PASSING: Final = frozenset({*_IDLE, "tee", "head", "tail", "wc", "tr", "sort"})
# A last command that always succeeds hides that the one before it failed.
_SWALLOWED: Final = re.compile(
    r"\|\|\s*(?:true|:|exit\s+0|echo\b.*|printf\b.*)\s*\Z|[;\n]\s*(?:true|:|exit\s+0|echo\b.*)\s*\Z"
)
_REDIRECTED: Final = re.compile(r"(?<![0-9&>])>{1,2}\s*[\"']?(/[^\s\"';|&]+)")
_QUESTION: Final = re.compile(r"(?:(https?)://)?(\[[0-9a-fA-F:]+\]|[\w.$(){}-]+)(?::(\d+))?(/livez|/readyz)\b")
_LOOPBACK: Final = re.compile(r"127\.\d+\.\d+\.\d+\Z|localhost\Z|\[::1?\]\Z|0\.0\.0\.0\Z|\$")


@dataclass(frozen=True, slots=True)
class Listener:
    """The `host` and `port` where a container of Countersign listens; None: not known, or a worker listens nowhere."""

    host: str
    port: int | None


def is_shell(words: Sequence[str]) -> bool:
    """Whether a shell runs it."""
    return bool(words) and words[0].rpartition("/")[2] in _SHELLS


def script(words: Sequence[str]) -> str:
    """The text that runs: a shell's script, or the words themselves."""
    if not is_shell(words):
        return shlex.join(words)
    rest = list(words[1:])
    while rest and rest[0].startswith("-"):  # The shell's own options, such as -ec.
        rest.pop(0)
    return " ".join(rest)


def simple(words: Sequence[str]) -> list[list[str]]:
    """The simple commands of it, each as words, without comments."""
    if not is_shell(words):
        return [list(words)] if words else []
    text = re.sub(r"(?m)(^|\s)#.*$", r"\1", script(words).replace("\\\n", " "))
    return [found for part in _SEPARATORS.split(text) if (found := _split(part))]


def _split(part: str) -> list[str]:
    try:
        found = shlex.split(part)
    except ValueError:  # A quote that closes behind a separator
        found = part.split()
    while found and (found[0] in _WRAPPERS or re.match(r"[A-Za-z_]\w*=", found[0])):
        found.pop(0)
    return found


def loses_logs(words: Sequence[str]) -> bool:
    """Whether a shell redirects standard error, so that logs are not collected."""
    return is_shell(words) and _LOST.search(script(words)) is not None


def says_backup(words: Sequence[str]) -> bool:
    """Whether it speaks of backups, so that it is meant to make some."""
    return re.search(r"backup|dump|barman|wal-g|restic|borg", " ".join(words), re.IGNORECASE) is not None


def no_backup(words: Sequence[str], *, is_kept: Callable[[str], bool], has_volume: bool) -> str:
    """The reason that no backup is kept; "" where one is. `is_kept` says whether what is written to that path stays."""
    made = [command for command in simple(words) if _is_backup(command)]
    if not made:
        return "its command makes no backup"
    text, is_script = script(words), is_shell(words)
    if is_script and _SWALLOWED.search(text.strip()):
        return "its command succeeds even when no backup is made"
    if is_script and "pipefail" not in " ".join(words) and any(_is_piped(command[0], text) for command in made):
        return f"a pipe hides when {made[0][0]} fails: it needs `set -o pipefail`"
    return "" if sends(words) else _unkept(words, made, is_kept, has_volume=has_volume)


def sends(words: Sequence[str]) -> bool:
    """Whether it takes something to another machine."""
    return any(command[0].rpartition("/")[2] in _SENDERS for command in simple(words))


def _unkept(
    words: Sequence[str], made: Sequence[Sequence[str]], is_kept: Callable[[str], bool], *, has_volume: bool
) -> str:
    targets = [path for command in made for path in _targets(command)]
    if "/dev/null" in targets:
        return "its command writes the backup to /dev/null"
    if is_shell(words):
        targets += [path for path in _REDIRECTED.findall(script(words)) if not path.startswith("/dev/")]
    if lost := [path for path in targets if not is_kept(path)]:
        return f"the backup is written to {lost[0]}, which is on no volume that stays"
    return "" if targets or has_volume else "it has no volume that the backup could stay on"


def _is_piped(name: str, text: str) -> bool:
    """Whether the output of that command goes into another, whose end alone a shell looks at."""
    return re.search(rf"{re.escape(name)}\b[^|;&\n]*\|(?!\|)", text) is not None


def _is_backup(command: Sequence[str]) -> bool:
    name, rest = command[0].rpartition("/")[2], list(command[1:])
    if _NO_WORK & set(rest):
        return False
    if name == "countersign":
        return rest[:1] == ["backup"] and len(rest) > 1
    if name == "backup":  # The image's own command is `countersign`
        return bool(rest)
    if name == "sqlite3":
        return any(".backup" in word or "VACUUM INTO" in word.upper() for word in rest)
    return name in _DUMPERS or (name in _KEEPERS and bool(rest))


def _targets(command: Sequence[str]) -> list[str]:
    """The absolute paths that it may write to; of a script also what is behind `>`."""
    found = []
    for word in command[1:]:
        path = re.sub(r"\A(?:-\w|--[\w-]+=|>{1,2})?", "", word)
        # Secrets and programs are read there.
        if path.startswith("/") and not path.startswith(("/run/", "/etc/", "/usr/", "/bin/")):
            found.append(path)
    return found


def listener(words: Sequence[str]) -> Listener:
    """The place where `countersign serve` listens with these words; without any, the image's own command decides."""
    found = " ".join(words).replace("=", " ").replace('"', " ").replace("'", " ").split()
    if "serve" not in found:
        return Listener("0.0.0.0", 8080)  # noqa: S104 - what deploy/Containerfile says
    port = _option(found, "--port")
    if port is None:
        return Listener(_option(found, "--host") or "127.0.0.1", None if _option(found, "--role") == "worker" else 8080)
    return Listener(_option(found, "--host") or "127.0.0.1", int(port) if port.isdecimal() else None)


def _option(words: Sequence[str], name: str) -> str | None:
    place = words.index(name) + 1 if name in words else len(words)
    return words[place] if place < len(words) else None


def is_loopback(host: str) -> bool:
    """Whether only the same machine or pod reaches that address."""
    return _LOOPBACK.match(host) is not None and host not in ("0.0.0.0", "[::]")  # noqa: S104 - compared


def proves_nothing(words: Sequence[str]) -> str:
    """The reason that a command to check a server succeeds even if the server fails; "" where it may fail."""
    commands = simple(words)
    names = [command[0].rpartition("/")[2] for command in commands]
    if not names or all(name in _IDLE for name in names):
        return f"`{_short(script(words))}` succeeds whatever the server does"
    is_hidden = names[-1] in _PASSING and _is_piped(names[0], script(words))
    if is_shell(words) and (is_hidden or _SWALLOWED.search(script(words).strip())):
        return f"`{_short(script(words))}` succeeds whatever the server does"
    return ""


def does_not_ask(words: Sequence[str], paths: Sequence[str], at: Listener) -> str:
    """The reason that the command does not prove that Countersign answers on one of these paths; "" where it does."""
    if why := proves_nothing(words):
        return why
    text = script(words)
    asked = _QUESTION.search(text)
    if not asked or asked[4] not in paths:
        return f"`{_short(text)}` does not request {' or '.join(paths)}"
    if not _LOOPBACK.match(asked[2]):
        return f"it asks {asked[2]}, not its own container"
    port = int(asked[3]) if asked[3] else 80
    if at.port is not None and port != at.port:
        return f"it asks port {port}, where nothing listens: Countersign's is {at.port}"
    if re.search(r"\bcurl\b", text) and not re.search(r"\s(?:--fail(?:-with-body)?|-[a-zA-Z]*f[a-zA-Z]*)\b", text):
        return "curl without --fail succeeds whatever the answer is"
    is_asking = re.search(r"\b(?:curl|wget|urlopen|requests\.|http\.client|httpx)", text)
    return "" if is_asking else f"`{_short(text)}` requests nothing"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 60 else f"{line[:57]}…"
