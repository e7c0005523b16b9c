"""`python -m bot` is the command `countersign`: the same words, the same exit codes."""

import subprocess
import sys
from pathlib import Path

import pytest

from bot.settings import for_child

ROOT = Path(__file__).parents[2]
INSTALLED = Path(sys.executable).parent / "countersign"


def ended(*command):
    """Exit code, output and error of a process that ends by itself."""
    ran = subprocess.run(command, cwd=ROOT, env=for_child({}), capture_output=True, text=True, check=False, timeout=60)
    return ran.returncode, ran.stdout, ran.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [(["--version"], 0, "countersign, version "), (["--help"], 0, "Usage: countersign "), (["nothing"], 2, "nothing")],
    ids=["version", "help", "mistake"],
)
def test_python_m_bot_answers_as_the_installed_command(arguments, code, words):
    by_module = ended(sys.executable, "-m", "bot", *arguments)

    assert by_module == ended(str(INSTALLED), *arguments)
    assert by_module[0] == code
    assert words in by_module[1] + by_module[2]


def test_no_module_of_ours_imports_main():
    """The module has no guard, so an import would run the command."""
    imports = ("import bot.__main__", "from bot.__main__", "from bot import __main__")
    texts = {path: path.read_text(encoding="utf-8") for path in (ROOT / "bot").rglob("*.py")}

    assert [str(path) for path, text in texts.items() if any(statement in text for statement in imports)] == []
