"""Translated sentences with their values, which fit around a name in Chinese characters."""

from collections.abc import Mapping
from typing import Any, Final

import flask_babel
from jinja2 import pass_eval_context
from jinja2.environment import Environment
from jinja2.nodes import EvalContext
from markupsafe import Markup

from bot.report.words import value_spacing

_BLANK: Final = value_spacing.blanks(r"%\((?P<name>\w+)\)[sd]")


def fill(template: str, **values: Any) -> str:
    """The translated template with these values."""
    return _filled(template, values)


def told(translated: str | None, english: str) -> str:
    """The translated line; without a translation the English one, marked as such."""
    return Markup('<span lang="en">{}</span>').format(english) if translated is None else translated


def install(environment: Environment) -> None:
    """Give templates `_` and `ngettext`, whose sentences fit around their values."""
    environment.globals.update(gettext=_gettext, ngettext=_ngettext)


@pass_eval_context
def _gettext(context: EvalContext, message: str, /, **values: Any) -> str:
    return _shown(context, flask_babel.gettext(message), values)


@pass_eval_context
def _ngettext(context: EvalContext, one: str, more: str, num: int, /, **values: Any) -> str:
    # `flask_babel.ngettext` would fill in the number, before the sentence can be fitted around it.
    translated = flask_babel.get_translations().ungettext(one, more, num)
    return _shown(context, translated, {"num": num, **values})


def _shown(context: EvalContext, translated: str, values: Mapping[str, Any]) -> str:
    return _filled(Markup(translated) if context.autoescape else translated, values)  # noqa: S704 - ours, from the catalog


def _filled(template: str, values: Mapping[str, Any]) -> str:
    if not values:
        return template % values  # A doubled percent sign is one.
    seen = {name: value.striptags() if isinstance(value, Markup) else str(value) for name, value in values.items()}
    return type(template)(value_spacing.fit(template, _BLANK, seen)) % values
