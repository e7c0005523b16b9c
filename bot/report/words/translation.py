"""Lines that are stored or printed in English, in Chinese: a line is known again by the English template that made it."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from bot.report.words import value_spacing

_BLANK: Final = re.compile(r"\{(?P<name>\w+)\}")
_BLANKS: Final = value_spacing.blanks(_BLANK.pattern)
_NUMBERS: Final = frozenset({"count", "minutes", "months", "more", "seconds", "status"})
"""Blanks that hold a number, so that a template with little else fits nothing else."""
_VALUE: Final = r"(?:(?![.?] [A-Z]).)+?"
"""Any other value: never more than a sentence, or the first template would take the next ones for its value."""
_SENTENCE_END: Final = re.compile(r"(?<=[.?]) (?=[A-Z])")


class Translation:
    """Chinese templates by their English ones; both have the same blanks, such as `{name}`."""

    def __init__(self, templates: Mapping[str, str]) -> None:
        self._fixed = {english: chinese for english, chinese in templates.items() if not _BLANK.search(english)}
        blank = [(english, chinese) for english, chinese in templates.items() if english not in self._fixed]
        # The most exact template counts: the one with the most letters of its own.
        blank.sort(key=lambda pair: -len(_BLANK.sub("", pair[0])))
        self._most = max((len(_SENTENCE_END.split(english)) for english in templates), default=1)
        self._patterns = [(re.compile(_pattern(english), re.DOTALL), chinese) for english, chinese in blank]

    def of(self, line: str) -> str | None:
        """The line in Chinese; None where nothing of it is known. A value stays as it is unless it is such a line itself."""
        whole = self._one(line)
        if whole is not None:
            return whole
        parts = [*self._sentences(line)] if _SENTENCE_END.search(line) else [*self._clauses(line)]
        return (
            "".join(chinese or english for english, chinese in parts) if any(chinese for _, chinese in parts) else None
        )

    def _one(self, line: str) -> str | None:
        if line in self._fixed:
            return self._fixed[line]
        for pattern, chinese in self._patterns:
            if found := pattern.fullmatch(line):
                values = {name: self.of(value) or value for name, value in found.groupdict().items()}
                return value_spacing.fit(chinese, _BLANKS, values).format_map(values)
        return None

    def _sentences(self, line: str) -> Iterator[tuple[str, str | None]]:
        """Each sentence, or as many in a row as one template has, and its Chinese."""
        rest = _SENTENCE_END.split(line)
        while rest:
            runs = ((" ".join(rest[:count]), count) for count in range(min(len(rest), self._most), 0, -1))
            known = ((run, count, self._one(run)) for run, count in runs)
            run, count, chinese = next(
                (candidate for candidate in known if candidate[2] is not None), (rest[0], 1, None)
            )
            yield run, chinese
            rest = rest[count:]

    def _clauses(self, line: str) -> Iterator[tuple[str, str | None]]:
        """Each clause of `one; another.`, and its Chinese with the mark that follows it."""
        clauses = line.removesuffix(".").split("; ")
        for number, clause in enumerate(clauses, 1):
            chinese = self._one(clause)
            mark = "；" if number < len(clauses) else "。" if line.endswith(".") else ""
            yield clause + mark, None if chinese is None else chinese + mark


def _pattern(english: str) -> str:
    """The regular expression of what a template may have made."""
    parts = _BLANK.split(english)  # In turn: text, the name of a blank, text, …
    shapes = {part: r"[\d,.]+" if part in _NUMBERS else _VALUE for part in parts[1::2]}
    return "".join(
        f"(?P<{part}>{shapes[part]})" if number % 2 else re.escape(part) for number, part in enumerate(parts)
    )
