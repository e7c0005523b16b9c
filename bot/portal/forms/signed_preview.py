"""Signs the data of a preview for the next page: for one person and purpose, valid for half an hour.

The time is that of the clock that counts: the next page may be answered by another host, whose own clock is wrong.
"""

from typing import Any, Final

from flask import abort, current_app
from itsdangerous import BadSignature, TimestampSigner, URLSafeTimedSerializer

from bot.portal.portal_services import portal_services
from bot.portal.session.visitor import signed_in

_MAX_AGE_SECONDS: Final = 30 * 60


class _Signer(TimestampSigner):
    """The library's own would ask this machine for the time."""

    def get_timestamp(self) -> int:
        return int(portal_services().clock().timestamp())


def sign(purpose: str, company_id: str, content: object) -> str:
    """The content as a word for a hidden field; it can be read by whoever gets the page, but not changed."""
    return str(_serializer(purpose, company_id).dumps(content))


def read(purpose: str, company_id: str, word: str) -> Any:
    """What `sign` was given for this purpose, company and person; None when it was changed or is too old."""
    try:
        return _serializer(purpose, company_id).loads(word, max_age=_MAX_AGE_SECONDS)
    except BadSignature:
        return None


def _serializer(purpose: str, company_id: str) -> URLSafeTimedSerializer:
    salt = f"{purpose} {company_id} {signed_in().account.id}"
    return URLSafeTimedSerializer(current_app.secret_key or abort(500), salt=salt, signer=_Signer)
