"""Whether GitHub accepts the client id and secret with which people sign in: it is asked for a token for no code."""

from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Any, Final

import requests
from urllib3.exceptions import HTTPError

from bot.doctor.doctor_report import TRY_AGAIN, DoctorCheck, DoctorResult
from bot.doctor.probe import json_object
from bot.github.hub import Hub
from bot.github.ports import HubError
from bot.settings import Settings

CHECK: Final = DoctorCheck("github.client-secret", "critical")
_CODE: Final = "countersign-doctor"  # No code that GitHub made: its own are 20 hexadecimal digits.
_TIMEOUT_SECONDS: Final = 3.0  # All questions together have nine.
_REPLACE: Final = (
    "Generate a client secret on the App's settings page at GitHub (General, Client secrets), set COUNTERSIGN_CLIENT_SECRET to it, "
    "and restart the server. Until then nobody can sign in, so nobody can sign."
)
_RIGHT_ID: Final = (
    "Set COUNTERSIGN_CLIENT_ID to the client id on the App's settings page at GitHub (General), and COUNTERSIGN_CLIENT_SECRET to a "
    "secret of the same App. Then restart the server."
)
_REACHABLE: Final = "Check COUNTERSIGN_GITHUB_URL, HTTPS_PROXY and the firewall, and whether GitHub has an outage."


def judge(settings: Settings, hub: Hub | None) -> Iterator[DoctorResult]:
    """`hub` is None where GitHub cannot be asked as the App: then it is not known whose client id it is."""
    if not settings.client_id or not settings.client_secret:
        yield CHECK.failed("COUNTERSIGN_CLIENT_ID or COUNTERSIGN_CLIENT_SECRET is not set.", _RIGHT_ID)
        return
    try:
        of_app = hub.registration().client_id if hub is not None else ""
    except HubError:
        of_app = ""
    # The id of another App, with that App's secret, would be accepted as well.
    if of_app and of_app != settings.client_id:
        said = f"COUNTERSIGN_CLIENT_ID is {settings.client_id}, but the App of COUNTERSIGN_APP_ID has the client id {of_app}."
        yield CHECK.failed(said, _RIGHT_ID)
        return
    yield _tried(settings, is_known=bool(of_app))


def _tried(settings: Settings, *, is_known: bool) -> DoctorResult:
    """`is_known`: the client id is known to be the App's."""
    try:
        status, answer = _asked(settings)
    except (requests.RequestException, HTTPError, OSError, ValueError) as error:
        return CHECK.unknown(
            f"GitHub did not say whether it accepts the client secret: {type(error).__name__}.", _REACHABLE
        )
    # GitHub looks at the client before it looks at the code, and names what is wrong: its documentation,
    # "Troubleshooting OAuth app access token request errors". A client id that no App has is answered 404.
    said = answer.get("error")
    if status == HTTPStatus.NOT_FOUND:
        return CHECK.failed("GitHub knows no App with the client id of COUNTERSIGN_CLIENT_ID.", _RIGHT_ID)
    if said == "incorrect_client_credentials":
        also = "" if is_known else ", or the client id"
        return CHECK.failed(f"GitHub refuses the client secret of COUNTERSIGN_CLIENT_SECRET{also}.", _REPLACE)
    if said == "application_suspended":
        return CHECK.failed("GitHub has suspended the App: nobody can sign in.", "Ask GitHub's support about the App.")
    if status == HTTPStatus.OK and said == "bad_verification_code":  # The code alone was wrong.
        return CHECK.passed("GitHub accepts the client id and the client secret.")
    return CHECK.unknown(f"GitHub did not say whether it accepts the client secret: it answered {status}.", TRY_AGAIN)


def _asked(settings: Settings) -> tuple[int, Mapping[str, Any]]:
    """The status, and the JSON object (empty for anything else). Raises requests' and urllib3's errors, OSError, ValueError."""
    fields = {
        "client_id": settings.client_id,
        "client_secret": settings.client_secret.reveal(),
        "code": _CODE,
    }
    url = f"{settings.github_url}/login/oauth/access_token"
    # No redirect is followed: the secret must not go elsewhere.
    with requests.post(
        url, data=fields, headers={"Accept": "application/json"}, timeout=_TIMEOUT_SECONDS, allow_redirects=False, stream=True
    ) as answer:  # fmt: skip
        return answer.status_code, json_object(answer)
