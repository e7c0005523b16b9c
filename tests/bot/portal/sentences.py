"""Reads pages as their readers see them: whole sentences, also where one of them holds a moment."""

import re

_TIME = re.compile(r"</?time[^>]*>")


def without_times(page: str) -> str:
    """The page without the marks around its moments."""
    return _TIME.sub("", page).replace("&nbsp;UTC", " UTC")
