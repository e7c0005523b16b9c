"""All of GitHub that Countersign uses, as one protocol."""

from typing import Protocol

from bot.github.app_registration import Registration
from bot.github.audit_ports import Proposals, Trees
from bot.github.availability import Availability
from bot.github.deliveries import Deliveries
from bot.github.merge_queue import MergeQueues
from bot.github.open_pulls import OpenPulls
from bot.github.ports import App, Checks, Comments, Content, Pulls, Pushes, Repositories
from bot.github.required_checks import RequiredChecks


class Hub(
    Pulls,
    Pushes,
    OpenPulls,
    MergeQueues,
    Deliveries,
    Checks,
    Comments,
    Repositories,
    Content,
    App,
    Registration,
    RequiredChecks,
    Trees,
    Proposals,
    Availability,
    Protocol,
):
    """What flows, pages and commands are given."""
