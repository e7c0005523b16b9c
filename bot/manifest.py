"""The App's permission slip, app.yaml, with our address filled in, and the form that hands it to GitHub."""

import json
from html import escape
from string import Template
from typing import Any, Final

from ruamel.yaml import YAML

from bot import shipped_files

_FORM: Final = Template("""\
<!doctype html>
<meta charset="utf-8">
<title>Register Countersign at GitHub</title>
<h1>Register Countersign at GitHub</h1>
<p>GitHub shows what the App may do and asks for its name. Afterwards the address bar holds a code:
exchange it within an hour for the App's keys, as docs/operating.md says.</p>
<form action="$action" method="post">
<input type="hidden" name="manifest" value="$manifest">
<button>Register for $organization</button>
</form>
""")


def read(url: str, *, redirect_url: str = "") -> dict[str, Any]:
    """The manifest as plain data, every `{url}` replaced by the public address.

    `redirect_url` is where GitHub sends the browser back to with the code, when that is not the server itself.
    """
    plain: dict[str, Any] = _filled(
        YAML(typ="safe").load(shipped_files.path("app.yaml").read_text(encoding="utf-8")), url
    )
    return {**plain, "redirect_url": redirect_url} if redirect_url else plain


def form(url: str, organization: str, *, github_url: str) -> str:
    """A page with one button that posts the manifest to GitHub, for a browser in which an owner is signed in.

    GitHub takes a manifest only like this ("Registering a GitHub App from a manifest"); the page holds no secret.
    """
    return _FORM.substitute(
        action=escape(f"{github_url}/organizations/{organization}/settings/apps/new"),
        manifest=escape(json.dumps(read(url), ensure_ascii=False)),
        organization=escape(organization),
    )


def _filled(value: Any, url: str) -> Any:
    """The value with every `{url}` replaced, at any depth."""
    if isinstance(value, str):
        return value.replace("{url}", url)
    if isinstance(value, list):
        return [_filled(entry, url) for entry in value]
    if isinstance(value, dict):
        return {key: _filled(entry, url) for key, entry in value.items()}
    return value
