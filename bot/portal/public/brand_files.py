"""The organisation's colour as a style sheet, and its logo: what `bot.branding` made of the settings, as files."""

from flask import Response, abort, request
from flask.typing import ResponseReturnValue

from bot.portal.portal_services import portal_services


def style_sheet() -> ResponseReturnValue:
    """The tokens that differ from the portal's own style sheet; 404 while no colour is set."""
    style = portal_services().brand.style.encode()
    return _file(style, "text/css", "max-age=300") if style else abort(404)


def logo(version: str) -> ResponseReturnValue:
    """The logo at the address of its content, which a browser may keep for good."""
    image = portal_services().brand.logo
    if image is None or image.version != version:
        abort(404)
    return _file(image.content, image.media_type, "max-age=31536000, immutable")


def _file(content: bytes, media_type: str, keep: str) -> ResponseReturnValue:
    response = Response(content, mimetype=media_type)
    response.add_etag()
    response.headers["Cache-Control"] = f"public, {keep}"
    return response.make_conditional(request)
