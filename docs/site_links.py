"""For the site: links from a page to files outside docs/ lead to the repository, and CSV files are shown as tables.

mkdocs calls `on_page_markdown` for each page.
"""

import csv
import posixpath
import re
from pathlib import Path
from typing import Any

_LINK = re.compile(r"\]\(((?:\.\./)+[^)\s#]+)((?:#[^)\s]*)?)\)")
_TABLE = re.compile(r"(?m)^(?:<a [^>]*></a>)*\[([\w-]+\.csv)\]\(\1\).*$")
"""A line that begins with the link to a CSV file beside the page."""
_PAGE = re.compile(r"See docs/([\w/-]+\.md(?:#[\w-]+)?)")
_MAX_ROWS = 200  # A longer table stays a file: nobody reads it on a page.


def on_page_markdown(markdown: str, page: Any, config: Any, **_: Any) -> str:
    """The page's Markdown, its links out of docs/ made whole, with the tables beside it."""
    folder = posixpath.dirname(page.file.src_uri)

    def whole(found: re.Match[str]) -> str:
        path = posixpath.normpath(f"docs/{folder}/{found[1]}")
        return found[0] if path.startswith("docs/") else f"]({config['repo_url']}/blob/main/{path}{found[2]})"

    def with_table(found: re.Match[str]) -> str:
        with (Path(__file__).parent / folder / found[1]).open(encoding="utf-8", newline="") as lines:
            head, *rows = csv.reader(lines)
        table = _PAGE.sub(lambda page: f"[More]({posixpath.relpath(page[1], folder)})", _table(head, rows))
        return f"{found[0]}\n\n{table}" if len(rows) <= _MAX_ROWS else found[0]

    return _TABLE.sub(with_table, _LINK.sub(whole, markdown))


def _table(head: list[str], rows: list[list[str]]) -> str:
    return "\n".join(f"| {' | '.join(map(_cell, row))} |" for row in (head, ["---"] * len(head), *rows)) + "\n"


def _cell(text: str) -> str:
    # A cell without code is plain text, in which Markdown would find patterns of files and addresses.
    plain = text if "`" in text or text == "---" else re.sub(r"([\\*_\[\]])", r"\\\1", text).replace("<", "&lt;")
    return plain.replace("|", r"\|")
