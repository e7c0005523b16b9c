"""Examples in pages work as they are copied: rulebooks, files of webhooks, and the commands that write settings."""

import re
import shlex
import subprocess
import textwrap

import pytest
import yaml
from click.testing import CliRunner

from bot.cli import root
from bot.notifications import endpoints
from bot.setup import settings_file
from tests.docs.test_command_lines import fenced
from tests.test_docs import PAGES, ROOT

GUIDES = ROOT / "docs/how-to"
RULEBOOK_KEYS = {"version", "organization", "since", "agreements", "repositories", "people", "dco", "licenses"}


def yaml_blocks(page):
    """Each block of YAML in a page, without its indentation."""
    blocks = re.findall(r"^( *)```yaml\n(.*?)^ *```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return [textwrap.dedent(block) for _, block in blocks]


BLOCKS = [(page, block) for page in PAGES for block in yaml_blocks(page)]
RULEBOOKS = [(page, block) for page, block in BLOCKS if yaml.safe_load(block).keys() & RULEBOOK_KEYS]
WEBHOOKS = [(page, block) for page, block in BLOCKS if "webhooks" in yaml.safe_load(block)]


def test_the_examples_are_found():
    assert len(RULEBOOKS) > 10
    assert len(WEBHOOKS) > 1


@pytest.mark.parametrize(("page", "block"), RULEBOOKS, ids=lambda value: getattr(value, "name", None))
def test_an_example_of_a_rulebook_has_no_mistake_and_no_warning(page, block, tmp_path):
    file = tmp_path / "countersign.yml"
    file.write_text(block if "version" in yaml.safe_load(block) else f"version: 1\n{block}", encoding="utf-8")

    ran = CliRunner().invoke(root, ["rulebook", "check", str(file), "--format", "text"])

    assert ran.exit_code == 0, f"{page}: {ran.output}"


@pytest.mark.parametrize(("page", "block"), WEBHOOKS, ids=lambda value: getattr(value, "name", None))
def test_an_example_of_webhooks_is_taken(page, block, tmp_path):
    for name in re.findall(r"_file: (\S+)", block):
        (tmp_path / name).write_text("https://hooks.example.org/send" if name.endswith(".url") else "0" * 32)
    file = tmp_path / "webhooks.yml"
    file.write_text(block, encoding="utf-8")

    assert [endpoint.name for endpoint in endpoints.load(file)] == list(yaml.safe_load(block)["webhooks"])


@pytest.mark.parametrize("database_url", ["", "postgresql://countersign@host/countersign"])
def test_the_settings_for_kubernetes_name_the_mounted_database(tmp_path, database_url):
    """In the cluster is a database that `setup` on another machine often cannot reach, and so is not told."""
    folder = tmp_path / "my settings"
    folder.mkdir()
    values = {
        "COUNTERSIGN_URL": "https://cla.example.org",
        "COUNTERSIGN_MAIL_FROM": "Countersign <cla@example.org>",
        "COUNTERSIGN_KEYS": "1:key",
    } | ({"COUNTERSIGN_DATABASE_URL": database_url} if database_url else {})
    settings_file.write(folder / "countersign.env", values)
    written = tmp_path / "deploy/kubernetes/base/settings.env"
    written.parent.mkdir(parents=True)
    lines = [line for line in fenced(GUIDES / "install-kubernetes.md") if line.endswith("base/settings.env")]

    script = "\n".join(lines).replace("PATH/TO", shlex.quote(str(tmp_path)))
    subprocess.run(["sh", "-ec", script], cwd=folder, check=True)

    pairs = [line.split("=", 1) for line in written.read_text().splitlines()]
    mounted = "/run/secrets/countersign"
    assert sorted(pairs) == [
        ["COUNTERSIGN_DATABASE_URL_FILE", f"{mounted}/database-url"],
        ["COUNTERSIGN_KEYS_FILE", f"{mounted}/keys"],
        ["COUNTERSIGN_MAIL_FROM", "Countersign <cla@example.org>"],
        ["COUNTERSIGN_PROXIES", "1"],
        ["COUNTERSIGN_URL", "https://cla.example.org"],
    ]


@pytest.mark.parametrize("page", ["install-pipx.md", "install-container.md"])
def test_no_documented_pattern_of_files_is_in_a_closed_folder(page):
    """The shell of an administrator who is not root does not see the files there, and passes the pattern as it is."""
    lines = fenced(GUIDES / page)
    made = [re.search(r"sudo install -d .*?-m 07[05]0 (.*)", line) for line in lines]
    closed = {folder for found in made if found for folder in found[1].split()}
    of_root = [line for line in lines if line.startswith("sudo ") and " -c " not in line]

    assert closed
    assert [
        word for line in of_root for word in line.split() if "*" in word and word.rpartition("/")[0] in closed
    ] == []
