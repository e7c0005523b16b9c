"""Downloads from the other hosts to which GitHub redirects: without credentials, and with a limit of size."""

from urllib.parse import urlsplit

import requests

from bot.github.ports import Refused, Unreachable

_READ_BYTES = 65_536  # The size is checked after each piece, so that no more than the limit and one piece are held.


def fetched(url: str, most: int, *, timeout: float, plain: bool = False) -> bytes:
    """The bytes, `most` at most, at an address that GitHub made for a short while; with `plain`, also without TLS.

    `Refused` for an address of another kind or for more bytes, `Unreachable` for all that another address may mend.
    """
    if urlsplit(url).scheme not in ({"https", "http"} if plain else {"https"}):
        raise Refused("GitHub's download address does not use HTTPS")
    # The host alone is named: the rest of the address is as good as a credential.
    named = f"GitHub's download address at {urlsplit(url).hostname}"
    try:
        # A redirect is not followed: its target would not have been checked for HTTPS.
        with requests.get(
            url, stream=True, timeout=timeout, allow_redirects=False, auth=_without_credentials
        ) as answer:
            if answer.status_code != 200:
                raise Unreachable(f"{named} answered {answer.status_code}")
            data = bytearray()
            for piece in answer.iter_content(_READ_BYTES):
                data += piece
                if len(data) > most:
                    raise Refused(f"the file that GitHub offers is larger than {most:,} bytes")
            return bytes(data)
    except (requests.RequestException, OSError) as error:
        cause = type(error).__name__
    # Raised outside of the `except`: the library's text quotes the whole address.
    raise Unreachable(f"{named} could not be read: {cause}")


def _without_credentials(request: requests.PreparedRequest) -> requests.PreparedRequest:
    # With `auth` given, requests does not take credentials for that host out of a netrc file.
    request.headers.pop("Authorization", None)
    return request
