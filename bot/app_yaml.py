"""The App manifest, app.yaml, with our address filled in, and what GitHub takes in it."""

from typing import Any, Final

from ruamel.yaml import YAML

from bot import shipped_files

MAX_NAME_CHARACTERS: Final = 34  # Of an App's name. Source: GitHub's page "Registering a GitHub App".


def read(url: str, *, account: str = "", redirect_url: str = "") -> dict[str, Any]:
    """The manifest as plain data, every `{url}` replaced by the public address.

    `account` is the login of the App's owner, for its name. `redirect_url` is where GitHub sends the browser back to
    with the code, when that is not the server itself.
    """
    plain: dict[str, Any] = _filled(
        YAML(typ="safe").load(shipped_files.path("app.yaml").read_text(encoding="utf-8")), url
    )
    plain["name"] = app_name(plain["name"], account)
    return {**plain, "redirect_url": redirect_url} if redirect_url else plain


def app_name(product: str, account: str) -> str:
    """A name for the App of that account, short enough for GitHub."""
    room = MAX_NAME_CHARACTERS - len(product) - 1  # GitHub lets no two Apps have one name, so the account is in it.
    if len(account) > room:
        words = account[: room + 1].rpartition("-")[0]  # Ends after a word, unless half of the room would stay empty.
        account = words if len(words) > room // 2 else account[:room]
    return f"{product} {account.strip('-')}".strip()


def _filled(value: Any, url: str) -> Any:
    if isinstance(value, str):
        return value.replace("{url}", url)
    if isinstance(value, list):
        return [_filled(entry, url) for entry in value]
    if isinstance(value, dict):
        return {key: _filled(entry, url) for key, entry in value.items()}
    return value
