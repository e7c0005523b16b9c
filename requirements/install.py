"""Install what a lock file pins into the environment of this Python, and show how far it is."""

import subprocess
import sys
import threading
from pathlib import Path


def main(lock: Path) -> int:
    """The exit code of pip, which says itself what went wrong."""
    many = sum("==" in line and not line.startswith((" ", "#")) for line in lock.read_text().splitlines())
    print(f"Installing up to {many} packages, pinned by {lock}. The first time takes about a minute.", flush=True)
    command = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--progress-bar", "off"]
    with subprocess.Popen(
        [*command, "--require-hashes", "--requirement", lock], stdout=subprocess.PIPE, text=True
    ) as pip:
        assert pip.stdout is not None
        found, placing, doing, ended = 0, False, "0 fetched", threading.Event()

        def tell() -> None:  # Elsewhere than on a terminal, such as in the log of a build.
            while not ended.wait(8):
                print(f"  {doing}", flush=True)

        if not sys.stdout.isatty():
            threading.Thread(target=tell, daemon=True).start()
        for line in pip.stdout:
            found += line.startswith(("Collecting ", "Requirement already satisfied"))
            placing = placing or line.startswith("Installing")
            doing = "putting them in place" if placing else f"{found} fetched"
            if sys.stdout.isatty() and line.startswith(("Collecting ", "Installing")):
                print(f"\r\033[K  {doing}", end="", flush=True)
        ended.set()
    print("\r\033[K" if sys.stdout.isatty() else "", end="Installed.\n" if pip.returncode == 0 else "\n", flush=True)
    return pip.returncode


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
