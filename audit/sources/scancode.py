"""Asks ScanCode, installed in an environment of its own, about texts that we don't know: a proposal, never an answer.

Its libraries don't fit beside ours and need a gigabyte, so it is a command that the caller names, and is never imported. It is
given copies of the texts under names of ours in a folder of ours, so that no path of a stranger reaches its command line.
"""

import json
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

TIMEOUT_SECONDS = 600.0  # For all texts together.
_MAX_ANSWER_BYTES = 64_000_000


class ScanCodeFailed(Exception):
    """It could not be asked, or gave no answer: one line."""


def ask(command: Path, texts: Sequence[str], seconds: float = TIMEOUT_SECONDS) -> tuple[str | None, ...]:
    """The expression that ScanCode finds in each text, in order; None where it finds none. Raises ScanCodeFailed."""
    if not texts:
        return ()
    with tempfile.TemporaryDirectory(prefix="countersign-scancode-") as folder:
        copies, answer = Path(folder, "texts"), Path(folder, "answer.json")
        copies.mkdir()
        for number, text in enumerate(texts):
            # Half of a surrogate pair has no bytes.
            (copies / f"{number}.txt").write_text(text, encoding="utf-8", errors="replace")
        _run([str(command), "--license", "--quiet", "--json", str(answer), str(copies)], seconds)
        return _read(answer, len(texts))


def _run(words: list[str], seconds: float) -> None:
    """An exit code of its own is no matter: it has one for every file that it stumbles over, and answers all the same."""
    try:
        subprocess.run(words, capture_output=True, timeout=seconds, check=False, stdin=subprocess.DEVNULL)  # noqa: S603 - a command that the caller names
    except subprocess.TimeoutExpired:
        raise ScanCodeFailed(f"{words[0]} took more than {seconds:.0f} seconds") from None
    except OSError as error:
        raise ScanCodeFailed(f"cannot run {words[0]}: {error.strerror}") from None


def _read(answer: Path, count: int) -> tuple[str | None, ...]:
    try:
        # The answer is a file of another program: it is measured before it is read.
        if answer.stat().st_size > _MAX_ANSWER_BYTES:
            raise ScanCodeFailed("ScanCode's answer is too large")
        files = json.loads(answer.read_bytes())["files"]
        found = {str(file["path"]).rpartition("/")[2]: file.get("detected_license_expression_spdx") for file in files}
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise ScanCodeFailed("ScanCode gave no answer that can be read") from None
    said = (found.get(f"{number}.txt") for number in range(count))
    return tuple(expression if isinstance(expression, str) else None for expression in said)
