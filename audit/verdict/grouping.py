"""Uses that came out alike for one reason, told together: what is the same of fifty dependencies is said once."""

from collections.abc import Iterable, Sequence

from audit import display_text
from audit.facts import Cell
from audit.verdict.unknown_license import is_not_looked_up


def by_reason(cells: Iterable[Cell]) -> list[list[Cell]]:
    """The uses of one verdict, rule and reason together: worst first, what was not looked up last, else as they come."""
    groups: dict[tuple[str, str, str], list[Cell]] = {}
    for cell in cells:
        judged = cell.judgement
        groups.setdefault((judged.verdict, judged.rule, judged.reason), []).append(cell)
    # Uses that were not looked up come last: nothing wrong was found with them.
    return sorted(groups.values(), key=lambda some: (is_not_looked_up(some[0]), -some[0].judgement.verdict.rank))


def names(cells: Sequence[Cell], most: int = 5) -> list[str]:
    """The dependencies, each once and with its version; beyond `most`, the last says how many more there are."""
    found = list(dict.fromkeys(called(cell) for cell in cells))  # One dependency may be used in several ways.
    more = len(found) - most
    return [*found[:most], f"{more:,} more"] if more > 0 else found


def listed(cells: Sequence[Cell], most: int = 5) -> str:
    """The dependencies in words: "a 1.0, b 2.0 and 3 more"."""
    found = names(cells, most)
    return found[0] if len(found) == 1 else f"{', '.join(found[:-1])} and {found[-1]}"


def called(cell: Cell) -> str:
    """A dependency as people are told of it: its name, and its version or range."""
    return display_text.line(f"{cell.dependency.name} {cell.dependency.version_or_range}".rstrip(), 120)
