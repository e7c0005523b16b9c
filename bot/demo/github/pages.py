"""Plain pages for people: who is here, what the repositories hold, and how each pull request stands."""

from flask import Blueprint, render_template

routes = Blueprint("pages", __name__)


def sorry(status: int, message: str) -> str:
    """The page for what went wrong."""
    return render_template("sorry.html", status=status, message=message)
