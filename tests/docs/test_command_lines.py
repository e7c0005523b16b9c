"""Command lines in pages are such as the program takes: each is read by the very parser of the command."""

import re
import shlex
import tomllib

import click
import pytest

from bot.cli import COMMANDS, root
from tests.test_docs import PAGES, ROOT


def fenced(page):
    """The lines of a page's blocks of commands and of shell, continued lines as one."""
    text = "\n".join(
        re.findall(r"^ *```(?:console|sh|shell|bash)\n(.*?)^ *```", page.read_text(), re.MULTILINE | re.DOTALL)
    )
    return [line.strip() for line in text.replace("\\\n", " ").splitlines()]


def command_lines(page):
    """Every call of `countersign` in them, as words without the program: after sudo, variables, compose, kubectl."""
    found = []
    for line in fenced(page):
        before, called, rest = line.partition("countersign ")
        while called:
            word = rest.split(" ", 1)[0].removesuffix("'")
            # `countersign` is a user's, a container's, an image's and a namespace's name as well.
            if word in COMMANDS and not re.search(r"(?:--\S+|-[ogn]|=)\s*$", before):
                words = re.split(r"\s(?:#|\||>|;|&&)", rest)[0]
                # The end of what `sh -c '…'` is given.
                found.append(words.removesuffix("'") if words.count("'") % 2 else words)
            shorter, called, rest = rest.partition("countersign ")
            before += f"countersign {shorter}"
    return found


LINES = sorted({(str(page.relative_to(ROOT)), line) for page in PAGES for line in command_lines(page)})


def test_the_reader_finds_command_lines_in_pages():
    assert len(LINES) > 15
    assert {page for page, _ in LINES} >= {
        "docs/how-to/install-pipx.md",
        "docs/how-to/install-container.md",
        "docs/how-to/install-kubernetes.md",
    }


@pytest.mark.parametrize(("page", "line"), LINES, ids=lambda value: value[:60])
def test_a_documented_command_line_is_taken_by_the_parser(page, line):
    words = shlex.split(line.replace("[", "").replace("]", ""))
    command: click.Command = root
    context = click.Context(root, info_name="countersign")
    while isinstance(command, click.Group):
        name = words.pop(0)
        command = command.get_command(context, name)
        assert command is not None, f"{page}: {line}: no command {name}"
        context = click.Context(command, info_name=name, parent=context)
    try:
        command.make_parser(context).parse_args(words)
    except click.UsageError as error:
        pytest.fail(f"{page}: countersign {line}: {error.format_message()}")


def test_the_files_named_by_pages_on_installing_are_shipped():
    text = "".join(
        (ROOT / f"docs/how-to/install-{kind}.md").read_text() for kind in ("pipx", "container", "kubernetes")
    )
    named = set(re.findall(r"(?<![\w./])(?:/opt/)?(deploy/[\w./-]*[\w])", text))

    assert len(named) > 5
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_no_documented_command_changes_into_a_closed_folder():
    """An administrator who is not root cannot `cd` into a folder of the service's user."""
    lines = fenced(ROOT / "docs/how-to/install-pipx.md")
    closed = {part for line in lines if "-m 0700" in line for part in line.split("-m 0700", 1)[1].split()}
    entered = {line.split()[1] for line in lines if line.startswith("cd ")}
    assert closed >= {"/etc/countersign", "/var/lib/countersign"}
    assert not closed & entered


def test_an_image_with_pdfs_is_built_on_ours():
    page = (ROOT / "docs/how-to/operating.md").read_text(encoding="utf-8")
    dockerfile = re.search(r"```dockerfile\n(.*?)```", page, re.DOTALL)[1]
    ours = (ROOT / "deploy/Containerfile").read_text(encoding="utf-8")
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]

    assert re.search(r"--python (\S+) ", dockerfile)[1] in ours
    assert dockerfile.splitlines()[-1] == re.findall(r"^USER .*", ours, re.MULTILINE)[-1]
    assert {
        name for found in re.findall(r"(?:countersign-app|`)\[([\w,]+)\]", page) for name in found.split(",")
    } <= set(extras)
