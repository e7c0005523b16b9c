"""Tables in Markdown."""

from collections.abc import Iterator


def table(head: str, rows: Iterator[tuple[str, ...]]) -> str:
    lines = [f"| {head} |", "|" + "---|" * (head.count("|") + 1)]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])
