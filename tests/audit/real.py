"""Audits source distributions of others as they were published, and compares with what was read and judged by hand.

`python tests/audit/real.py [--write]` fetches each archive by its registry's own client as that is set up here (pip, npm, apt-get with
sources switched on); what cannot be had is skipped, and says so. Archives are checked by their SHA-256 and unpacked; nothing of them is
run by the audit (pip asks a package's build backend for its metadata before it keeps the archive). docs/reference/audited.md tells what was found.
"""

import json
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter
from collections.abc import Iterator
from datetime import date
from hashlib import sha256
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2]))

from audit.licenses.osadl import shipped
from bot.licenses import checkouts

KNOWN = Path(__file__).parents[1] / "cases" / "licenses" / "real.json"
PATIENCE = 300
COMMANDS = {
    "pypi": [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:", "{name}=={version}"],
    "npm": ["npm", "pack", "--silent", "{name}@{version}"],
    "debian": ["apt-get", "--quiet=2", "--download-only", "source", "{name}={version}"],
}  # fmt: skip


def fetched(entry: dict, folder: Path) -> Path | str:
    """The archive, or why it is not to be had."""
    command = [part.format(**entry) for part in COMMANDS[entry["registry"]]]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=PATIENCE, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{type(error).__name__}: {command[0]}"
    archives = [
        path for path in folder.iterdir() if path.name.endswith((".tar.gz", ".tgz", ".orig.tar.xz", ".orig.tar.bz2"))
    ]
    if done.returncode or len(archives) != 1:
        return f"{Path(command[0]).name} does not have it here"
    return archives[0]


def unpacked(archive: Path, place: Path) -> Path:
    """The one folder in it, under the name that is wanted; links out of it are left out."""
    inside = place.parent / "unpacked"
    with tarfile.open(archive) as opened:
        for member in opened:
            try:
                opened.extract(member, inside, filter="data")
            except tarfile.FilterError:
                continue
    [root] = inside.iterdir()
    return root.rename(place)


def audited(root: Path) -> dict:
    """What is compared: the licence, how many uses and verdicts there are, and every finding."""
    [found] = checkouts.audit([root], checkouts.AuditOptions(None, shipped(), date(2026, 11, 22)))
    cells = found.audited.cells
    return {
        "license": found.audited.repository.license.expression,
        "uses": dict(sorted(Counter(cell.dependency.usage.value for cell in cells).items())),
        "verdicts": dict(sorted(Counter(cell.judgement.verdict.value for cell in cells).items())),
        "findings": sorted(f"{finding.code} {finding.place.path}" for finding in found.audited.findings),
    }


def looked_at(entry: dict) -> tuple[str, dict]:
    """A line on one archive, and its entry as it is now."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "archive").mkdir()
        archive = fetched(entry, folder / "archive")
        if isinstance(archive, str):
            return f"skipped: {archive}", entry
        digest = sha256(archive.read_bytes()).hexdigest()
        if entry.get("sha256", digest) != digest:
            return f"another archive: {digest}", entry
        now = entry | {"sha256": digest} | audited(unpacked(archive, folder / entry["name"].rpartition("/")[2]))
    differing = [key for key in now if now[key] != entry.get(key)]
    return "".join(f"{key} was {entry.get(key)}, is {now[key]}; " for key in differing) or "as it was read", now


def main(arguments: list[str]) -> int:
    """0 when everything that could be had is as it was read."""
    known = json.loads(KNOWN.read_text(encoding="utf-8"))
    results = [(entry, *looked_at(entry)) for entry in _results(known)]
    if "--write" in arguments:
        KNOWN.write_text(
            json.dumps([now for *_, now in results], indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
        )
    for entry, line, _ in results:
        print(f"{entry['registry']} {entry['name']} {entry['version']}: {line}", flush=True)
    return int(any(not line.startswith(("skipped", "as it")) for _, line, _ in results) and "--write" not in arguments)


def _results(known: list[dict]) -> Iterator[dict]:
    for entry in known:
        print(f"{entry['name']} …", file=sys.stderr, flush=True)
        yield entry


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
