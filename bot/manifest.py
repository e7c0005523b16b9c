"""The App manifest, app.yaml, with our address filled in."""

from typing import Any

from ruamel.yaml import YAML

from bot import shipped_files


def read(url: str, *, redirect_url: str = "") -> dict[str, Any]:
    """The manifest as plain data, every `{url}` replaced by the public address.

    `redirect_url` is where GitHub sends the browser back to with the code, when that is not the server itself.
    """
    plain: dict[str, Any] = _filled(
        YAML(typ="safe").load(shipped_files.path("app.yaml").read_text(encoding="utf-8")), url
    )
    return {**plain, "redirect_url": redirect_url} if redirect_url else plain


def _filled(value: Any, url: str) -> Any:
    """The value with every `{url}` replaced, at any depth."""
    if isinstance(value, str):
        return value.replace("{url}", url)
    if isinstance(value, list):
        return [_filled(entry, url) for entry in value]
    if isinstance(value, dict):
        return {key: _filled(entry, url) for key, entry in value.items()}
    return value
