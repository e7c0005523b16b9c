"""The TXT record by which a domain's DNS shows the token that its company was given."""

LABEL, KEY = "_cla-challenge", "cla-verify"


def record(domain: str, token: str) -> tuple[str, str]:
    """The name and the text of the TXT record that shows the token."""
    return f"{LABEL}.{domain}", f"{KEY}={token}"
