"""Fills the address and the sums of a release into the workflows to copy: `pin_workflows.py OWNER/REPOSITORY FOLDER [TREE…]`.

FOLDER holds the wheel and run.lock; the workflows are written beside them. A place that is not there ends it with exit code 1.
In the files of each TREE the repository takes the place of OWNER/countersign, which the sources say since they are nobody's release.
"""

import hashlib
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def filled(text: str, repository: str, wheel: Path, lock: Path) -> str:
    """A workflow with the four values of its `env`. Raises ValueError where one is not there exactly once."""
    version = wheel.name.split("-")[1]
    values = {
        "RELEASE": f"https://github.com/{repository}/releases/download/v{version}",
        "WHEEL": wheel.name,
        "WHEEL_SHA256": hashlib.sha256(wheel.read_bytes()).hexdigest(),
        "LOCK_SHA256": hashlib.sha256(lock.read_bytes()).hexdigest(),
    }
    for name, value in values.items():
        text, times = re.subn(rf"^  {name}: .*$", f"  {name}: {value}", text, flags=re.MULTILINE)
        if times != 1:
            raise ValueError(f"{name} stands there {times} times, not once")
    return text.replace(
        "  # A release fills these in: take this file from a release of Countersign, not from its sources.\n", ""
    )


def name_repository(tree: Path, repository: str) -> None:
    """Write it into every file that asks for it; in the name of an image as registries want it, in lower case."""
    for file in sorted(tree.rglob("*")):
        before = file.read_bytes() if file.is_file() else b""
        after = before.replace(b"ghcr.io/OWNER/countersign", f"ghcr.io/{repository.lower()}".encode())
        after = after.replace(b"OWNER/countersign", repository.encode())
        if after != before:
            file.write_bytes(after)


def main(repository: str, folder: Path, *trees: Path) -> int:
    """Write each workflow, and the repository into each tree."""
    [wheel] = folder.glob("*.whl")
    for source in sorted((ROOT / "workflows").glob("*.yml")):
        try:
            text = filled(source.read_text(encoding="utf-8"), repository, wheel, folder / "run.lock")
        except ValueError as error:
            print(f"{source.name}: {error}", file=sys.stderr)
            return 1
        (folder / source.name).write_text(text, encoding="utf-8")
    for tree in trees:
        name_repository(tree, repository)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], *map(Path, sys.argv[2:])))
