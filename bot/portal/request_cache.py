"""Asks the database once a request for what several parts of a page need."""

from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

_Arguments = ParamSpec("_Arguments")
_Answer = TypeVar("_Answer")


def once(ask: Callable[_Arguments, _Answer]) -> Callable[_Arguments, _Answer]:
    """The same function; within a request its answer for the same arguments is remembered, so all of a page goes by one.

    What it raises is not remembered. The arguments are hashable and none is named.
    """

    def remembering(*args: _Arguments.args, **kwargs: _Arguments.kwargs) -> _Answer:
        from flask import g, has_request_context  # noqa: PLC0415 - a page is asked for by then

        if kwargs or not has_request_context():
            return ask(*args, **kwargs)
        answers: dict[object, object] = g.setdefault("answers", {})
        key = (ask, args)
        if key not in answers:
            answers[key] = ask(*args, **kwargs)
        return cast("_Answer", answers[key])

    return remembering
