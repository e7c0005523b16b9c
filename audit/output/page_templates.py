"""Templates of the audit's pages: each expression in one is a stranger's words, unless it is a number or was made safe."""

from collections.abc import Callable
from importlib import resources

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup


def environment(safe: Callable[[object], Markup]) -> Environment:
    """A page's environment, in which `safe` makes any words fit for the page; as the filter `upto` it is given their length."""
    found = Environment(
        autoescape=True,
        finalize=lambda value: value if isinstance(value, Markup | int | float) else safe(str(value)),
        undefined=StrictUndefined,  # A mistake in the template is an error, and no gap.
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    found.filters |= {"thousands": "{:,}".format, "upto": safe}
    return found


def shipped(name: str) -> str:
    """The text of a file of audit/data."""
    return (resources.files("audit") / "data" / name).read_text(encoding="utf-8")
