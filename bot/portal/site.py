"""Puts the portal into a Flask app: sessions, languages, headers, limits, pages; the only place that knows all of it."""

from collections.abc import Iterator, Mapping
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit

from flask import Blueprint, Flask, Request, Response, abort, g, request
from flask.typing import ResponseReturnValue
from flask_babel import Babel
from flask_limiter import Limiter
from flask_limiter.util import get_remote_address
from flask_wtf.csrf import CSRFProtect  # type: ignore[import-untyped]  # it ships no types
from itsdangerous import Signer
from werkzeug.middleware.proxy_fix import ProxyFix
from werkzeug.sansio.utils import host_is_trusted

from agreements.store.people import person_rows
from bot.pdf import typesetter
from bot.portal import organizations, portal_services
from bot.portal.admin import routes as admin
from bot.portal.admin.papers import MAX_PAPER_FORM_BYTES
from bot.portal.admin.texts import MAX_TEXT_FORM_BYTES
from bot.portal.api.routes import make_api
from bot.portal.company import routes as company
from bot.portal.company.people_bulk import MAX_LIST_BYTES
from bot.portal.compression import Compression
from bot.portal.contributor import routes as contributor
from bot.portal.error_pages import add_error_pages
from bot.portal.portal_services import PortalServices
from bot.portal.public import routes as public
from bot.portal.public.receipt_check import MAX_RECEIPT_FORM_BYTES
from bot.portal.security_headers import add_headers
from bot.portal.session import kept_form
from bot.portal.session.login import make_login
from bot.portal.session.page_access import admit, is_administrator, login_here, open_routes
from bot.portal.session.session_store import ServerSessionInterface
from bot.portal.session.visitor import visitor
from bot.portal.text import languages, message_formatting, times

MAX_FORM_BYTES = 64 * 1024
LARGE_TEXT_FORMS: Mapping[str, int] = {
    "admin_texts.preview": MAX_TEXT_FORM_BYTES,
    "admin_texts.release": MAX_TEXT_FORM_BYTES,
    "desk.check_list": MAX_LIST_BYTES,
    "desk.add_list": MAX_LIST_BYTES,
    "desk.download_refused": MAX_LIST_BYTES,
    "staff.check_invitations": MAX_LIST_BYTES,
    "staff.send_invitations": MAX_LIST_BYTES,
}
LARGE_FILE_FORMS: Mapping[str, int] = {
    "admin.record_paper": MAX_PAPER_FORM_BYTES,
    "admin.attach_file": MAX_PAPER_FORM_BYTES,
    "public.check_receipt": MAX_RECEIPT_FORM_BYTES,
}
"""Forms that may be larger, by what is typed or by their file, by endpoint, for a person who was let through."""
_FOLDER = Path(__file__).parent


class InMemoryRequest(Request):
    """A request whose files stay in memory: what a person uploads is never written down unencrypted."""

    def _get_file_stream(self, *_size_and_name: object, **_more: object) -> IO[bytes]:
        return BytesIO()  # Werkzeug's own writes a file of over 500 kB into a temporary folder.


def prepare(app: Flask, services: PortalServices) -> None:
    """Make that app answer the portal's pages, and programs that ask its API."""
    secure = services.url.startswith("https:")
    _stand_behind(app, services.settings.proxies)
    portal_services.attach(app.extensions, services)
    app.session_interface = ServerSessionInterface(services, secure=secure)
    app.wsgi_app = Compression(app.wsgi_app, app.session_interface.cookie)  # type: ignore[assignment]  # as below
    app.request_class = InMemoryRequest
    csrf = _protect(app, services)
    # In memory: each process counts by itself.
    limiter = Limiter(
        get_remote_address,
        storage_uri="memory://",
        headers_enabled=False,
        fail_on_first_breach=False,  # Of two limits that are exceeded, the page names the one that lasts.
    )
    limiter.init_app(app)
    Babel(app, default_translation_directories=str(_FOLDER / "translations"), locale_selector=languages.locale)
    add_headers(app, secure=secure)
    add_error_pages(app)
    _speak(app, services, secure=secure)
    # Templates and the style sheet travel with a blueprint: the app itself needs no folder.
    app.register_blueprint(Blueprint("pages", __name__, template_folder="templates", static_folder="static"))
    for blueprint in (make_login(app, services.settings, limiter), *_page_blueprints(limiter)):
        _guard(blueprint, csrf, services)
        app.register_blueprint(blueprint)
    # Programs bring a token and no cookie: nothing of a session applies to them.
    app.register_blueprint(make_api(limiter, services))


def _page_blueprints(limiter: Limiter) -> Iterator[Blueprint]:
    for audience in (public.BLUEPRINTS, contributor.BLUEPRINTS, company.BLUEPRINTS, admin.BLUEPRINTS):
        for name, routes in audience.items():
            blueprint = Blueprint(name, __name__)
            open_routes(blueprint, limiter, routes)
            yield blueprint


def _stand_behind(app: Flask, proxies: int) -> None:
    """Take the visitor's address and our host name from the headers that the outermost of our own proxies wrote."""
    if proxies:  # What stands before that hop may come from the client itself.
        # The scheme is not taken: it is COUNTERSIGN_URL's, everywhere.
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=proxies, x_proto=0, x_host=proxies)  # type: ignore[method-assign]  # as Flask's documentation does


def _protect(app: Flask, services: PortalServices) -> CSRFProtect:
    """Forms carry a word that is bound to the session, against forged requests. Its key comes from the key ring."""
    Signer.default_digest_method = staticmethod(sha256)  # What signs the word; the library's own choice is SHA-1.
    # The oldest key is the same in every process, and stays at a rotation, which makes no open form invalid.
    app.secret_key = services.vault.blind_indexes("portal", "forms")[-1]
    # The word ends with its session, by the clock that counts; a limit of its own would go by each host's.
    app.config.update(WTF_CSRF_CHECK_DEFAULT=False, WTF_CSRF_TIME_LIMIT=None)
    csrf = CSRFProtect()
    csrf.init_app(app)
    return csrf


def _guard(blueprint: Blueprint, csrf: CSRFProtect, services: PortalServices) -> None:
    """Before any page: our own host name, a form of bearable size, and a proof that the form is ours."""
    hosts = [urlsplit(services.url).hostname or "localhost"]

    @blueprint.before_request
    def _check() -> ResponseReturnValue | None:
        request.max_content_length = MAX_FORM_BYTES
        request.max_form_memory_size = MAX_FORM_BYTES
        # A forged Host could end up in links and redirects.
        if not host_is_trusted(request.host, hosts):
            abort(400)
        # Larger forms are for admitted people only.
        refused = admit()
        endpoint = request.endpoint or ""
        request.max_form_memory_size = LARGE_TEXT_FORMS.get(endpoint, MAX_FORM_BYTES)
        request.max_content_length = LARGE_FILE_FORMS.get(endpoint, request.max_form_memory_size)
        if refused is None and request.method == "POST":
            csrf.protect()
            kept_form.forget_after_form()
        return refused


def _speak(app: Flask, services: PortalServices, *, secure: bool) -> None:
    """Give every template its common values, and set the cookie that remembers the language."""

    @app.context_processor
    def _words() -> dict[str, object]:
        chosen, who = languages.language(), visitor()
        return {
            "language": chosen,
            "language_tag": languages.TAGS[chosen],
            "language_links": [
                (languages.NAMES[to], languages.TAGS[to], languages.switch_path(to), to == chosen)
                for to in languages.LOCALES
            ],
            "errors": g.get("errors", {}),  # Of the form that was refused, by field.
            "brand": services.brand,
            "visitor": who,
            "login_here": login_here,
            "may_administer": who is not None and services.roles.last_seen_reading(who.account.id),
            "organization_shown": organizations.shown,
            "organization_query": organizations.query,
            "here": organizations.remembered,
            "pdf_possible": typesetter.possible,
            "party_name": organizations.party_name,
            "is_administrator": is_administrator,
            "github_url": services.settings.github_url,
        }

    for kind in (times.moment, times.utc, times.day, times.first_day, times.last_day):
        app.template_filter(kind.__name__)(kind)
    app.jinja_env.add_extension(languages.SentenceGaps)
    message_formatting.install(app.jinja_env)
    app.template_global("sentence_gap")(languages.sentence_gap)
    app.template_test("without_account")(person_rows.is_without_account)

    @app.after_request
    def _remember(response: Response) -> Response:
        if response.mimetype == "text/html":  # Programs get no cookie, nor does another site that shows our badge.
            languages.remember(response, secure=secure)
        return response
