"""The setup pages, one for each step, for the person with the address that the command printed; and the webhooks that come meanwhile."""

import hmac
import secrets
import threading
from collections.abc import Callable
from importlib.resources import files
from typing import Final

from flask import Flask, Request, Response, make_response, redirect, render_template, request, session
from flask.typing import ResponseReturnValue
from flask_babel import Babel
from flask_babel import gettext as _
from werkzeug.exceptions import HTTPException

from bot.doctor.doctor_report import Report
from bot.portal import security_headers
from bot.portal.text import languages, message_formatting
from bot.report.words import doctor_lines
from bot.settings import SettingsInvalid
from bot.setup import setup_answers
from bot.setup.registrar import Registrar, StepFailed
from bot.setup.setup_answers import SECRET, Mistakes
from bot.webhook.endpoint import GUID, MAX_PAYLOAD_BYTES
from bot.webhook.signature import BadSignature, WebhookSignature

Answer = tuple[dict[str, str], int]


class WebhookReceiver:
    """Answers a ping, and leaves all else for the server. Many threads may use one. `secret` gives the App's webhook secret, "" before there is an App."""

    def __init__(self, secret: Callable[[], str]) -> None:
        self._secret = secret
        self._arrived = threading.Event()

    @property
    def has_arrived(self) -> bool:
        """Whether a webhook came that was signed with our secret."""
        return self._arrived.is_set()

    def wait(self, seconds: float) -> bool:
        """Wait for one; False when none came."""
        return self._arrived.wait(seconds)

    def receive(self, request: Request) -> Answer:
        """200 for a ping; 503 for what the server is to be sent again once it runs, which is nothing lost."""
        secret = self._secret()
        if not secret:
            return {"message": "the App is being registered, please deliver again"}, 503
        try:
            signature = WebhookSignature([secret.encode()], request.headers.get("X-Hub-Signature-256"))
            signature.update(request.get_data(cache=False))
            signature.verify()
        except BadSignature as error:
            return {"message": str(error)}, 401
        if not GUID.fullmatch(request.headers.get("X-GitHub-Delivery", "")):
            return {"message": "X-GitHub-Delivery is missing or misshapen"}, 400
        self._arrived.set()
        if request.headers.get("X-GitHub-Event") == "ping":
            return {"message": "pong"}, 200
        return {"message": "Countersign is being set up, please deliver again"}, 503


Verify = Callable[[], Report]
_MAX_FORM_BYTES: Final = 64 * 1024  # The forms here have short answers.


class SetupPages:
    """The pages as a WSGI application. `verify` checks the result; `finish` is called with the operator's last page."""

    def __init__(
        self, registrar: Registrar, receiver: WebhookReceiver, verify: Verify, finish: Callable[[], None]
    ) -> None:
        self._registrar = registrar
        self._is_secure = registrar.page_url.startswith("https:")
        self._receiver = receiver
        self._verify = verify
        self._finish = finish
        self.report: Report | None = None
        # It lets one browser in, once: it can be seen on the command line of the browser that is started with it.
        self.login_key = secrets.token_urlsafe(24)
        self._login = threading.Lock()

    def app(self) -> Flask:
        """The WSGI application."""
        app = Flask(__name__, static_folder=str(files("bot.portal") / "static"))
        secure = self._is_secure
        app.config.update(
            SECRET_KEY=secrets.token_bytes(32),  # A session ends with this process.
            SESSION_COOKIE_NAME="countersign_setup",  # Cookies know no ports: the portal's has another name.
            SESSION_COOKIE_HTTPONLY=True,
            # GitHub sends the browser back from another site, with a GET; a form from there brings no session.
            SESSION_COOKIE_SAMESITE="Lax",
            SESSION_COOKIE_SECURE=secure,
        )
        Babel(
            app,
            default_translation_directories=str(files("bot.portal") / "translations"),
            locale_selector=lambda: languages.locale(secure=secure),
        )
        app.context_processor(lambda: _language(secure=secure))
        app.before_request(self._admit)
        app.after_request(self._headers)
        app.register_error_handler(StepFailed, self._not_done)
        app.register_error_handler(SettingsInvalid, self._not_read)
        app.register_error_handler(HTTPException, self._refused)
        app.add_url_rule("/", "step", lambda: self._page({}, {}))
        app.add_url_rule("/begin", "begin", lambda: self._taken(self._registrar.begin), methods=["POST"])
        app.add_url_rule("/registered", "registered", self._registered)
        app.add_url_rule("/installed", "installed", self._installed, methods=["POST"])
        app.add_url_rule("/details", "details", lambda: self._taken(self._registrar.complete), methods=["POST"])
        app.add_url_rule("/verify", "verify", self._check_again, methods=["POST"])
        app.add_url_rule("/finish", "finish", self._end, methods=["POST"])
        app.add_url_rule("/webhook", "webhook", lambda: self._receiver.receive(request), methods=["POST"])
        return app

    def _admit(self) -> ResponseReturnValue | None:
        if request.endpoint in ("webhook", "static"):  # These have a check of their own, or nothing to hide.
            request.max_content_length = MAX_PAYLOAD_BYTES
            return None
        request.max_content_length = _MAX_FORM_BYTES
        key = request.args.get("key", "")
        if key and self._is_login(key):
            session["operator"] = True
            return redirect("/")  # It takes the key out of the address.
        if not session.get("operator"):
            message = _(
                "Open the address that the command printed. It works once: run the command again for a new one."
            )
            return render_template("setup_error.html", message=message, is_out=True), 403
        return redirect("/") if key else None

    def _is_login(self, key: str) -> bool:
        with self._login:  # Of two browsers with the key at once, one gets in
            found = bool(self.login_key) and hmac.compare_digest(key.encode(), self.login_key.encode())
            if found:
                self.login_key = ""
            return found

    def _headers(self, response: Response) -> Response:
        github = self._registrar.progress.github_url
        # The browser has to be allowed to post the registration form to GitHub.
        policy = security_headers.POLICY.replace("form-action 'self'", f"form-action 'self' {github}")
        response.headers.update({**security_headers.HEADERS, "Content-Security-Policy": policy})
        # The last page comes when the server is about to end, and its style sheet is not asked for again.
        response.headers["Cache-Control"] = "max-age=3600" if request.endpoint == "static" else "no-store"
        languages.remember(response, secure=self._is_secure)
        return response

    @staticmethod
    def _not_done(error: StepFailed) -> ResponseReturnValue:
        return render_template("setup_error.html", message=str(error)), 409

    def _not_read(self, error: SettingsInvalid) -> ResponseReturnValue:
        said = _(
            "%(file)s was changed and is no longer valid: %(why)s.",
            file=self._registrar.progress.file,
            why="; ".join(error.problems),
        )
        return render_template("setup_error.html", message=said), 409

    @staticmethod
    def _refused(error: HTTPException) -> ResponseReturnValue:
        return render_template("setup_error.html", message=error.description or error.name), error.code or 500

    def _page(self, mistakes: dict[str, str], given: dict[str, str]) -> ResponseReturnValue:
        progress = self._registrar.progress
        if progress.step == "done" and self.report is None:
            self.report = self._verify()
        page = render_template(
            "setup.html",
            step=progress.step,
            answers={**progress.answers, **given},
            kept=[name for name in SECRET if progress.answers.get(name)],
            mistakes=mistakes,
            app=progress.app,
            file=progress.file,
            github_url=progress.github_url,
            caution=setup_answers.caution(progress.answers.get("url", ""), self._registrar.server),
            form=self._registrar.form() if progress.step == "register" else None,
            report=self.report,
            told=self._told,
        )
        return page, 422 if mistakes else 200

    def _told(self, english: str) -> str:
        chosen = languages.language(secure=self._is_secure)
        return message_formatting.told(doctor_lines.line(chosen, english), english)

    def _registered(self) -> ResponseReturnValue:
        self._registrar.registered(request.args.get("code", ""), request.args.get("state", ""))
        return redirect("/")  # It takes the code out of the address.

    def _installed(self) -> ResponseReturnValue:
        self._registrar.installed()
        return redirect("/", 303)  # A reload must not post again.

    def _taken(self, take: Callable[[dict[str, str]], Mistakes]) -> ResponseReturnValue:
        """The answers of a form: the next step, or the same page with what is wrong."""
        given = request.form.to_dict()
        mistakes = take(given)
        return self._page(mistakes, given) if mistakes else redirect("/", 303)

    def _check_again(self) -> ResponseReturnValue:
        self.report = None
        return redirect("/", 303)

    def _end(self) -> ResponseReturnValue:
        if self._registrar.progress.step != "done":
            raise StepFailed(_("Setup is not finished yet."))
        message = _("Setup is finished. You can close this page. The terminal says how to start the server.")
        page = make_response(render_template("setup_error.html", message=message, is_out=True))
        page.call_on_close(self._finish)  # The process ends then: before, the browser might not get this page
        return page


def _language(*, secure: bool) -> dict[str, object]:
    chosen = languages.language(secure=secure)
    return {
        "language_tag": languages.TAGS[chosen],
        "language_links": [(languages.NAMES[to], languages.TAGS[to], to, to == chosen) for to in languages.LOCALES],
    }
