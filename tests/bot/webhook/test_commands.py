"""What the first line of a comment asks: commands are whole words at its beginning, everything else is talk."""

import pytest

from bot.webhook import commands
from bot.webhook.commands import OverrideCommand


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("/cla-check", "check"),
        ("  /CLA-check \r\nthanks", "check"),
        ("/check-cla", "check"),
        ("/dco-check\nand more", "check"),
        ("/recheck", "check"),
        ("/cla-check me", "me"),
        ("/CLA-Check  Me\nplease", "me"),
        ("/recheck me", None),
        ("/dco-check me", "unknown"),
        ("/cla-check why", "why"),
        ("/recheck WHY\r\n", "why"),
        ("/cla exempt @ada moved to the new team", "exempt"),
        ("/CLA Exempt @ada x", "exempt"),
        ("/dco override the commits are a bot's", "override"),
        ("/cla exempt", "exempt"),
        ("/dco override", "override"),
        ("/cla-check please", "unknown"),
        ("/cla-override @ada left", "unknown"),
        ("/DCO-override x", "unknown"),
        ("/check-cla now", "unknown"),
        ("/recheck now", None),
        ("/claude fix this", None),
        ("/dcoverride", None),
        ("/check-dco", None),
        ("please /cla-check", None),
        ("hello\n/cla-check", None),
        ("hello\n/dco override x", None),
        ("/cla-checked", "unknown"),
        ("/cla", "unknown"),
        ("/cla override x", "unknown"),
        ("/dco exempt @ada x", "unknown"),
        ("> /dco override x", None),
        ("", None),
        (None, None),
        (7, None),
    ],
)
def test_the_command_of_a_first_line(body, expected):
    """Any case, any spaces; a misshapen override is still one, so that it is answered, as is what begins as ours do."""
    assert commands.command(body) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (commands.EXEMPT, OverrideCommand("login", "reason")),
        (commands.SET_ASIDE, OverrideCommand(None, "reason")),
        ("/cla exempt @ada left her old employer", OverrideCommand("ada", "left her old employer")),
        ("/cla exempt @Ada-B x", OverrideCommand("Ada-B", "x")),
        ("/cla  EXEMPT\t@octo_acme  one   two\r\nnot this", OverrideCommand("octo_acme", "one two")),
        ("/cla exempt @dependabot[bot] known", OverrideCommand("dependabot[bot]", "known")),
        ("/dco override signed on paper", OverrideCommand(None, "signed on paper")),
        ("/dco override @ada signed on paper", OverrideCommand(None, "@ada signed on paper")),
    ],
)
def test_a_whole_wish(body, expected):
    """Whom, and why on the same line."""
    assert commands.override_command(body) == expected


@pytest.mark.parametrize(
    "body",
    [
        "/cla exempt",
        "/cla exempt @ada",
        "/cla exempt @ada   \nthe reason stands below",
        "/cla exempt ada because",
        "/cla exempt @ because",
        "/cla exempt @ada/../bo because",
        "/cla exempt @ada, because",
        "/cla exempt @-ada because",
        "/cla exempt @аda because",
        "/cla exempt @ada[bot]x because",
        "/cla exempt because @ada",
        "/dco override",
        "/dco override \r\n",
        "/recheck",
        "thanks",
        None,
    ],
)
def test_no_wish(body):
    """Without a login or without a reason there is nothing to record."""
    assert commands.override_command(body) is None


def test_a_reason_has_an_end():
    """It is kept for people to read, not to store books."""
    found = commands.override_command("/dco override " + "x" * 5_000)
    assert len(found.reason) == commands.MAX_REASON_CHARACTERS
