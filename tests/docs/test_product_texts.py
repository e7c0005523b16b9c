"""Texts of the product name pages by their headings: an installed product has no docs folder beside it."""

import ast
import re
import tomllib
from pathlib import Path

import pytest

from docs import site_links

ROOT = Path(__file__).parents[2]
PATH = re.compile(r"docs/(?:decisions|explanation|how-to|reference|tutorial)/[\w-]+\.(?:csv|md)")
FILES = sorted(
    path
    for folder in ("agreements", "audit", "bot", "migrations")
    for ending in ("py", "toml", "html", "po")
    for path in (ROOT / folder).rglob(f"*.{ending}")
    if PATH.search(text := path.read_text(encoding="utf-8")) or site_links.NAMED.search(text)
)


def texts(path):
    """All that the file makes a reader see: no comments and no docstrings."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".toml":
        return str(tomllib.loads(text))
    if path.suffix != ".py":
        return text
    tree = ast.parse(text)
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    strings = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str))
    return "\n".join(node.value for node in strings if id(node) not in docstrings)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_text_names_a_heading_that_exists_and_no_file(path):
    shown = texts(path)

    assert PATH.findall(shown) == []
    assert set(site_links.NAMED.findall(shown)) <= site_links.headings().keys()


def test_the_texts_are_found():
    assert len([path for path in FILES if site_links.NAMED.search(texts(path))]) > 15


def test_a_heading_leads_to_its_page():
    found = site_links.headings()

    assert found["Send mail"] == "how-to/mail.md"
    assert found["Rehearse it"] == "how-to/set-up.md#rehearse-it"
    assert found["Erasure keys"] == "explanation/privacy.md#erasure-keys", "the highest of two"
