"""For the site: links from a page to files outside docs/ lead to the repository. mkdocs calls this for each page."""

import posixpath
import re
from typing import Any

_LINK = re.compile(r"\]\(((?:\.\./)+[^)\s#]+)((?:#[^)\s]*)?)\)")


def on_page_markdown(markdown: str, page: Any, config: Any, **_: Any) -> str:
    """The page's Markdown, its links out of docs/ made whole."""

    def whole(found: re.Match[str]) -> str:
        path = posixpath.normpath(f"docs/{posixpath.dirname(page.file.src_uri)}/{found[1]}")
        return found[0] if path.startswith("docs/") else f"]({config['repo_url']}/blob/main/{path}{found[2]})"

    return _LINK.sub(whole, markdown)
