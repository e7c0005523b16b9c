"""What speaks against an address that a company lists by itself: it is outside the company's domains, or imitates one of them."""

from collections.abc import Sequence
from typing import Literal

from flask_babel import lazy_gettext

from agreements.domains.confusables import inspect_domain, skeleton
from agreements.domains.domains import domains_over
from agreements.github_server import GitHubServer

LOOK_ALIKE = lazy_gettext("The domain looks like one of yours but is different.")

AddressDoubt = Literal["look-alike", "foreign"]


def doubt(address: str, domains: Sequence[str], server: GitHubServer) -> AddressDoubt | None:
    """The doubt about a canonical address, by the domains that the company holds."""
    over = domains_over(address, server)
    if set(domains).intersection(over):
        return None
    looks = {skeleton(inspect_domain(one).letters) for one in domains}
    return "look-alike" if any(skeleton(inspect_domain(one).letters) in looks for one in over) else "foreign"
