"""The architecture's laws hold, and each is really watched: a planted breach of every one is caught."""

import ast
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
BIN = Path(sys.executable).parent

BREACHES = [
    # (file to add, its text, words that the checker must answer with)
    ("agreements/planted.py", "import bot.db\n", "1 the shell asks the cores"),
    ("agreements/planted.py", "import audit\n", "1 the shell asks the cores"),
    ("audit/planted.py", "import agreements\n", "1 the shell asks the cores"),
    ("agreements/planted.py", "import subprocess\n", "2 a core module is pure"),
    ("agreements/planted.py", "import requests\n", "2 a core module is pure"),
    ("agreements/planted.py", "import time\n", "2 a core module is pure"),
    ("audit/planted.py", "import os\n", "2 a core module is pure"),
    ("audit/planted.py", "import requests\n", "2 a core module is pure"),
    ("audit/sources/planted.py", "import requests\n", "2 a core module is pure"),
    ("audit/planted.py", "import sqlmodel\n", "2 a core module is pure"),
    ("agreements/planted.py", "import agreements.store.people.person_rows\n", "2b a pure core module"),
    ("agreements/planted.py", "import agreements.clone.history\n", "2b a pure core module"),
    ("audit/planted.py", "import audit.store.report_pages\n", "2b a pure core module"),
    ("bot/planted.py", "import agreements.store.tables.records\n", "3a only stores know their tables"),
    ("bot/planted.py", "import bot.store.records\n", "3a only stores know their tables"),
    ("bot/planted.py", "import audit.store.records\n", "3a only stores know their tables"),
    ("bot/planted.py", "import github\n", "3b only the client of GitHub imports PyGithub"),
    ("bot/planted.py", "import dbos\n", "3c only the durable engine imports DBOS"),
    ("bot/planted.py", "import weasyprint\n", "3d only the process that makes PDFs"),
    ("bot/planted.py", "import pypdf\n", "3f only the folder of PDFs"),
    ("bot/planted.py", "import prometheus_client\n", "3e only telemetry and monitoring"),
    ("bot/planted.py", "import opentelemetry.trace\n", "3e only telemetry and monitoring"),
    ("bot/flows/planted.py", "import bot.github.client.transport\n", "4 a flow speaks to GitHub through the hub"),
    ("bot/flows/planted.py", "import agreements.store.public_records\n", "4c nothing is decided"),
    ("bot/github/client/planted.py", "import bot.github.contents.blobs\n", "5e the client of GitHub"),
    ("bot/report/words/planted.py", "import requests\n", "4b words and reports are pure"),
    ("bot/portal/admin/planted.py", "import bot.portal.company.roster\n", "5g audiences of the portal are peers"),
]

BANNED = [
    ("bot/planted.py", "import os\n\nhome = os.environ\n"),
    ("bot/planted.py", "import os\n\nhome = os.getenv('HOME')\n"),
    ("agreements/planted.py", "from datetime import UTC, datetime\n\nnow = datetime.now(UTC)\n"),
    ("agreements/planted.py", "from datetime import date\n\ntoday = date.today()\n"),
    ("audit/planted.py", "import time\n\nnow = time.time()\n"),
    ("bot/planted.py", "import uuid\n\nname = uuid.uuid4()\n"),
]


@pytest.fixture(scope="module", name="copy")
def _copy(tmp_path_factory):
    """A copy of the product to plant breaches in."""
    folder = tmp_path_factory.mktemp("laws")
    for name in ("agreements", "audit", "bot", "migrations"):
        shutil.copytree(
            ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "static", "translations")
        )
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


@pytest.fixture(scope="module", name="report")
def _report(copy):
    """What import-linter says of a copy with every breach in it, each in a module of its own; by the heading of its law."""
    for number, (name, text, _) in enumerate(BREACHES):
        (copy / planted(name, number)).write_text(f'"""Planted."""\n\n{text}')
    try:
        result = lint_imports(copy)
    finally:
        for number, (name, *_) in enumerate(BREACHES):
            (copy / planted(name, number)).unlink()
    assert 1 == result.returncode
    _, _, broken = result.stdout.partition("Broken contracts")
    parts = re.split(r"^(\S.*)\n-+$", broken, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True)), result.stdout


def planted(name: str, number: int) -> str:
    """The file of that breach."""
    return name.replace("planted", f"planted_{number}")


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    """Run import-linter on a folder, its own code first on the path."""
    return subprocess.run(
        [BIN / "lint-imports", "--no-logo", "--no-cache"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": str(folder), "PATH": "/usr/bin:/bin", "COLUMNS": "200"},
    )


def test_the_laws_hold():
    result = lint_imports(ROOT)

    assert 0 == result.returncode, result.stdout


@pytest.mark.parametrize(
    ("number", "name", "law"),
    [(number, name, law) for number, (name, _, law) in enumerate(BREACHES)],
    ids=[f"{b[0].split('/')[0]}-{b[1].split()[1]}" for b in BREACHES],
)
def test_a_planted_import_is_caught(report, number, name, law):
    laws, whole = report
    module = planted(name, number).removesuffix(".py").replace("/", ".")
    named = [
        heading for heading, said in laws.items() if re.search(rf"^\s*-?\s*{re.escape(module)} -> ", said, re.MULTILINE)
    ]
    assert any(law in heading for heading in named), (module, named, whole)


@pytest.mark.parametrize(
    ("name", "text"), BANNED, ids=[f"{b[0].split('/')[0]}-{b[1].split('=')[-1].strip()}" for b in BANNED]
)
def test_a_planted_call_is_caught(copy, name, text):
    planted = copy / name
    planted.write_text(f'"""Planted."""\n\n{text}')
    try:
        result = subprocess.run(
            [BIN / "ruff", "check", "--no-cache", "--select", "TID251", name],
            cwd=copy,
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        planted.unlink()

    assert 1 == result.returncode
    assert "TID251" in result.stdout


def test_only_the_named_places_escape_the_ban():
    excused = sorted(
        str(path.relative_to(ROOT))
        for folder in ("agreements", "audit", "bot", "migrations")
        for path in (ROOT / folder).rglob("*.py")
        if "noqa: TID251" in path.read_text()
    )

    assert ["agreements/clone/history.py", "bot/clock.py", "bot/settings.py"] == excused


SERVERS_OWN = re.compile(r"users\.?noreply|noreply@github|noreply\.github|19864447|web-flow")
"""What GitHub's own identities look like; on another server they look otherwise."""
EXCUSED = {
    "agreements/github_server.py": "the one place",
    "agreements/domains/providers.py": "its list has the domains that no company holds, whichever server we serve",
    "agreements/identity/known_agents.toml": "an agent's own address, read in its source",
    "agreements/identity/certifiers.py": "the name of a kind of signer",
    "bot/report/dco_situation.py": "asks for that kind",
    "bot/demo/github/simulated_state.py": "the simulated GitHub gives the login to an account of its own",
}


@cache
def literals(text: str, suffix: str) -> str:
    """What a module says in code, and all that a file of data says; escapes of regular expressions left out."""
    if suffix != ".py":
        return text
    tree = ast.parse(text)
    prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    values = [str(node.value) for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in prose]
    return "\n".join(values).replace("\\", "")


def holding(root: Path) -> dict[str, str]:
    """The files of the product that hold such a literal, with the first one."""
    files = (
        path
        for folder in ("agreements", "audit", "bot")
        for ending in ("py", "toml", "html", "txt", "yaml", "yml", "json", "js")
        for path in (root / folder).rglob(f"*.{ending}")
    )
    found = (
        (str(path.relative_to(root)), SERVERS_OWN.search(literals(path.read_text(encoding="utf-8"), path.suffix)))
        for path in files
    )
    return {name: match[0] for name, match in found if match}


def test_only_the_named_places_hold_addresses_or_accounts_of_github_com():
    assert holding(ROOT).keys() == EXCUSED.keys()


@pytest.mark.parametrize("text", [
    'DOMAIN = "users.noreply.github.com"\n', 'import re\n\nDOMAIN = re.compile(r"(.+)@users\\.noreply\\.github\\.com")\n', "WEB_FLOW = 19864447\n",
    'EMAIL = "noreply@github.com"\n', 'LOGIN = "web-flow"\n', 'def address(host):\n    return f"x@users.noreply.{host}"\n', 'END = ".noreply.github.com"\n',
])  # fmt: skip
def test_a_planted_literal_is_caught(copy, text):
    planted = copy / "bot" / "planted.py"
    planted.write_text(f'"""Planted."""\n\n{text}')
    try:
        found = holding(copy)
    finally:
        planted.unlink()

    assert found.keys() - EXCUSED.keys() == {"bot/planted.py"}
