"""Keeps a form that was sent after the session had ended, encrypted, until the person has signed in again."""

from dataclasses import dataclass

from flask import redirect, render_template, request, session
from flask.typing import ResponseReturnValue

from bot.portal.portal_services import portal_services

PATH = "/resume"
"""The page that sends it once more."""

_NAME = "kept-form"
_NEVER_KEPT = frozenset({"csrf_token", "seen", "agree"})
"""Fields that are not kept, since they belong to the session that ended: its proof, the text that it showed, the consent to it."""


@dataclass(frozen=True, slots=True)
class KeptForm:
    """A form that is kept: the `path` that it goes to, and the `fields` as typed; a field may have several values."""

    path: str
    fields: tuple[tuple[str, str], ...]


def keep() -> bool:
    """Keep the present request's form if it came from a page of ours; whether it is kept. It ends with the session."""
    # Another site's form must neither be kept, nor end the session of the person who is sent here with it.
    if request.headers.get("Origin") != portal_services().url or request.mimetype == "multipart/form-data":
        return False
    fields = [(name, value) for name, value in request.form.items(multi=True) if name not in _NEVER_KEPT]
    put(KeptForm(request.full_path.removesuffix("?"), tuple(fields)))
    return True


def put(form: KeptForm) -> None:
    """Keep it in the present session."""
    session[_NAME] = {"path": form.path, "fields": form.fields}


def find() -> KeptForm | None:
    """The form that the present session keeps, if there is one."""
    kept = session.get(_NAME)
    return KeptForm(kept["path"], tuple((name, value) for name, value in kept["fields"])) if kept else None


def forget() -> None:
    """Delete the form that the present session keeps."""
    session.pop(_NAME, None)


def forget_after_form() -> None:
    """Forget what was kept, as a form was sent in this session, unless that is a step on the way back to it."""
    form = find()
    if form is not None and not request.path.startswith(f"{form.path}/"):
        forget()


def resume() -> ResponseReturnValue:
    """The page that sends the kept form once more, with this session's own proof."""
    form = find()
    return render_template("resume.html", form=form) if form else redirect("/me")
