"""For the site: links from a page to files outside docs/ lead to the repository, and CSV files are shown as tables.

mkdocs calls `on_page_markdown` for each page.
"""

import csv
import posixpath
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

_LINK = re.compile(r"\]\(((?:\.\./)+[^)\s#]+)((?:#[^)\s]*)?)\)")
_TABLE = re.compile(r"(?m)^(?:<a [^>]*></a>)*\[([\w-]+\.csv)\]\(\1\).*$")
"""A line that begins with the link to a CSV file beside the page."""
NAMED = re.compile(r"'([^']+)' in the documentation")
"""A heading of these pages, as texts of the product name it: an installed product has no pages to link to."""
_DOCS = Path(__file__).parent
_MAX_ROWS = 200  # A longer table stays a file: nobody reads it on a page.


def on_page_markdown(markdown: str, page: Any, config: Any, **_: Any) -> str:
    """The page's Markdown, its links out of docs/ made whole, with the tables beside it."""
    folder = posixpath.dirname(page.file.src_uri)

    def whole(found: re.Match[str]) -> str:
        path = posixpath.normpath(f"docs/{folder}/{found[1]}")
        return found[0] if path.startswith("docs/") else f"]({config['repo_url']}/blob/main/{path}{found[2]})"

    def with_table(found: re.Match[str]) -> str:
        with (_DOCS / folder / found[1]).open(encoding="utf-8", newline="") as lines:
            head, *rows = csv.reader(lines)
        table = NAMED.sub(
            lambda name: f"[{name[1]}]({posixpath.relpath(headings()[name[1]], folder)})", _table(head, rows)
        )
        return f"{found[0]}\n\n{table}" if len(rows) <= _MAX_ROWS else found[0]

    return _TABLE.sub(with_table, _LINK.sub(whole, markdown))


@cache
def headings() -> dict[str, str]:
    """Each heading's page, with the anchor unless it is the title; of several with the same words the highest."""
    found = (one for page in sorted(_DOCS.rglob("*.md")) for one in _headings(page))
    return {name: address for _, name, address in sorted(found, reverse=True)}


def _headings(page: Path) -> Iterator[tuple[int, str, str]]:
    path, text = page.relative_to(_DOCS).as_posix(), page.read_text(encoding="utf-8")
    for marks, name in re.findall(r"(?m)^(#+) (.+)$", re.sub(r"(?ms)^ *```.*?^ *```", "", text)):
        anchor = re.sub(r"[^\w -]", "", name.lower()).replace(" ", "-")
        yield len(marks), name, path if marks == "#" else f"{path}#{anchor}"


def _table(head: list[str], rows: list[list[str]]) -> str:
    return "\n".join(f"| {' | '.join(map(_cell, row))} |" for row in (head, ["---"] * len(head), *rows)) + "\n"


def _cell(text: str) -> str:
    # A cell without code is plain text, in which Markdown would find patterns of files and addresses.
    plain = text if "`" in text or text == "---" else re.sub(r"([\\*_\[\]])", r"\\\1", text).replace("<", "&lt;")
    return plain.replace("|", r"\|")
