"""Renders kustomizations and Helm charts by their own tools, in a process that may take a minute."""

import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from bot.settings import for_child

_TIMEOUT_SECONDS: Final = 60
_MAX_OUTPUT_BYTES: Final = 20_000_000
_MAX_SHOWN: Final = 300
"""Characters of a tool's own words that are shown."""
_LOGGED: Final = re.compile(r"err=[\"<]\s*(.*?)\s*[\">]\Z")
"""How some releases of kubectl write an error, in their own log's form."""
NAMESPACE: Final = "countersign"
"""The namespace that a chart is rendered for, as docs/how-to/install-kubernetes.md installs it."""


class Unrendered(Exception):
    """A tool could not render; the message is its reason in one line."""


class ToolMissing(Unrendered):
    """No tool for it is on this machine; the message says which to install."""


def kustomized(folder: Path) -> tuple[str, str]:
    """What `kubectl kustomize` makes of the folder, and the command's name. Raises Unrendered."""
    for name, words in (("kubectl", ("kustomize",)), ("kustomize", ("build",))):
        if tool := shutil.which(name):
            return _run([tool, *words, str(folder.resolve())]), f"{name} {words[0]}"
    raise ToolMissing("kubectl is not on this machine: install kubectl (or kustomize)")


def templated(chart: Path) -> tuple[str, str]:
    """What `helm template` makes of the chart with its own values, and the command's name. Raises Unrendered."""
    tool = shutil.which("helm")
    if tool is None:
        raise ToolMissing(
            "helm is not on this machine: install helm, or render the chart with `helm template` into a folder"
        )
    return _run([tool, "template", NAMESPACE, str(chart.resolve()), "--namespace", NAMESPACE]), "helm template"


def _run(command: Sequence[str]) -> str:
    name = f"{Path(command[0]).name} {command[1]}"
    with tempfile.TemporaryFile() as output:
        try:
            done = subprocess.run(  # noqa: S603 - a program from PATH that the operator installed, and a folder
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.PIPE, env=for_child({"GIT_TERMINAL_PROMPT": "0"}),
                timeout=_TIMEOUT_SECONDS, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise Unrendered(f"{name} took more than {_TIMEOUT_SECONDS} seconds") from None
        except OSError as error:
            raise Unrendered(f"{name} could not be run: {error.strerror}") from None
        if done.returncode != 0:
            raise Unrendered(f"{name}: {_line(done.stderr)}")
        if output.tell() > _MAX_OUTPUT_BYTES:
            raise Unrendered(f"{name} wrote more than {_MAX_OUTPUT_BYTES} bytes")
        output.seek(0)
        return output.read().decode("utf-8", errors="replace")


def _line(stderr: bytes) -> str:
    """What the tool says, in one line: from its error on, without warnings before it."""
    lines = [line.strip() for line in stderr.decode("utf-8", errors="replace").splitlines() if line.strip()]
    first = next((place for place, line in enumerate(lines) if line.lower().startswith("error")), 0)
    text = " ".join(lines[first:]) or "it failed and said nothing"
    if logged := _LOGGED.search(text):
        text = f"error: {logged[1]}".replace('\\"', '"')
    return text if len(text) <= _MAX_SHOWN else f"{text[: _MAX_SHOWN - 1]}…"
