"""Keeps a form that was sent after the session had ended, encrypted, until the person has signed in again.

The next person who signs in in that browser may be another one. So a form is only for the account for which its page was
made; the session that ended is gone, but the form's own proof names it.
"""

import secrets
from dataclasses import dataclass

from flask import current_app, redirect, render_template, request, session
from flask.typing import ResponseReturnValue
from itsdangerous import BadData, URLSafeTimedSerializer

from bot.portal.portal_services import portal_services

PATH = "/resume"
"""The page that sends it once more."""

_NAME = "kept-form"
_PROOF = "csrf_token"
_PROOF_SALT = "wtf-csrf-token"  # Flask-WTF's own.
_INDEX_KIND = "kept-form"
NEVER_KEPT = frozenset({_PROOF, "seen", "agree", "sure", "right", "works", "confirmed"})
"""Fields that are not kept, since they belong to the session that ended: its proof, the text that it showed, and what the
person confirmed there.
"""


@dataclass(frozen=True, slots=True)
class KeptForm:
    """A form that is kept: the `path` that it goes to, and the `fields` as typed; a field may have several values.

    `account`: a keyed hash of the account for which its page was made; "" where that was made for a stranger.
    """

    path: str
    fields: tuple[tuple[str, str], ...]
    account: str = ""

    def is_of(self, account_id: int) -> bool:
        """Whether the form's page was made for that account."""
        hashes = portal_services().vault.blind_indexes(_INDEX_KIND, str(account_id))
        return self.account in {index.hex() for index in hashes}


def begin(account_id: int) -> None:
    """Let the proof of each form of the new session name the account, by a keyed hash."""
    index = portal_services().vault.blind_index(_INDEX_KIND, str(account_id))
    session[_PROOF] = f"{secrets.token_hex(20)}.{index.hex()}"  # Flask-WTF signs it, and makes one only where none is.


def keep(*, of_stranger: bool = False) -> bool:
    """Keep the present request's form if it came from a page of ours; whether it is kept. It ends with the session.

    `of_stranger`: also from a page that was made for no account, so that no sign-in leads back to it.
    """
    # Another site's form must neither be kept, nor end the session of the person who is sent here with it.
    if request.headers.get("Origin") != portal_services().url or request.mimetype == "multipart/form-data":
        return False
    account = _of_whom(request.form.get(_PROOF, ""))
    if not (account or of_stranger):
        return False
    fields = [(name, value) for name, value in request.form.items(multi=True) if name not in NEVER_KEPT]
    put(KeptForm(request.full_path.removesuffix("?"), tuple(fields), account))
    return True


def _of_whom(proof: str) -> str:
    """The hash that `begin` put into the form's proof; "" where there is none, or the proof is not ours."""
    serializer = URLSafeTimedSerializer(current_app.secret_key or "", salt=_PROOF_SALT)
    try:
        return str(serializer.loads(proof)).partition(".")[2]
    except BadData:
        return ""


def put(form: KeptForm) -> None:
    """Keep it in the present session."""
    session[_NAME] = {"path": form.path, "fields": form.fields, "account": form.account}


def find() -> KeptForm | None:
    """The form that the present session keeps, if there is one."""
    kept = session.get(_NAME)
    if not kept:
        return None
    fields = tuple((name, value) for name, value in kept["fields"])
    return KeptForm(kept["path"], fields, kept.get("account", ""))


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
