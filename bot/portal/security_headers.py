"""The headers by which answers tell the browser what to refuse, and whether they may be kept; one static policy, no inline code."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flask import Flask, Response

# Most browsers hold `form-action` against redirects after a form, too: no form may lead to another site.
POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self' data:; font-src 'self'; form-action 'self'; "
    "frame-ancestors 'none'; base-uri 'none'; script-src 'self'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)

HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",  # Addresses here name receipts and people.
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}

_TWO_YEARS = "max-age=63072000; includeSubDomains"


def always(*, secure: bool) -> dict[str, str]:
    """The headers of every answer of this server, by each of its applications."""
    # RFC 6797, section 8.1: browsers ignore this one over http.
    return {**HEADERS, "Strict-Transport-Security": _TWO_YEARS} if secure else HEADERS


def add_headers(app: "Flask", *, secure: bool) -> None:
    """Add them to all answers of the app; pages are never stored, files and public data set their own Cache-Control."""
    from flask import request  # noqa: PLC0415 - what is not of a page needs no Flask

    @app.after_request
    def _add(response: "Response") -> "Response":
        for name, value in always(secure=secure).items():
            response.headers.setdefault(name, value)
        if request.endpoint != "pages.static" and "Cache-Control" not in response.headers:
            response.headers["Cache-Control"] = "no-store"
            response.vary.update(("Cookie", "Accept-Language"))
        return response
