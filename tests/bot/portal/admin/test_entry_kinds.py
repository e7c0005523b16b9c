"""Every kind of entry has its words."""

import ast
import re
from pathlib import Path

from flask_babel import force_locale

from bot.portal.admin.entry_kinds import KINDS

ROOT = Path(__file__).parents[4]
CODE = re.compile(r"[a-z]+\.[a-z]+")


def documented():
    """The kinds that the page about the log lists."""
    page = (ROOT / "docs" / "ledger.md").read_text(encoding="utf-8")
    return set(re.findall(r"^\| `([a-z]+\.[a-z]+)` \|", page, re.MULTILINE))


def choices(value):
    """The words that an argument may be."""
    parts = (value.body, value.orelse) if isinstance(value, ast.IfExp) else (value,)
    return {one.value for one in parts if isinstance(one, ast.Constant) and isinstance(one.value, str)}


def written():
    """The kinds in the code: what changes are made of, and what is handed to the functions that make them."""
    found = set()
    for folder in ("agreements/store", "bot"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call):
                    name = getattr(node.func, "id", getattr(node.func, "attr", ""))
                    given = [*node.args, *(one.value for one in node.keywords)]
                    found |= {
                        word
                        for value in given
                        for word in choices(value)
                        if CODE.fullmatch(word)
                        and name in ("Change", "log", "log_entry", "_log", "_change", "_count", "_counted")
                    }
                if isinstance(node, ast.Assign) and any(
                    isinstance(one, ast.Name) and one.id == "kind" for one in node.targets
                ):
                    found |= {word for word in choices(node.value) if CODE.fullmatch(word)}
    return found


def test_each_kind_that_is_written_has_words():
    """And each is documented; nothing else has words."""
    assert set(KINDS) == documented() == written()
    assert list(KINDS) == sorted(KINDS)


def test_the_words_are_there_in_both_languages(portal):
    """And each kind has its own."""
    for language in ("en", "zh_Hans_CN"):
        with portal.app.test_request_context(), force_locale(language):
            said = [str(words) for words in KINDS.values()]
        assert len(set(said)) == len(said)
        assert all(re.search("[\u4e00-\u9fff]", one) for one in said) == (language != "en")
