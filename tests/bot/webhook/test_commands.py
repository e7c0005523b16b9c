"""Commands are whole words at the beginning of a comment's first line; everything else is talk."""

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
        ("/check-dco", "check"),
        ("/Check-DCO why", "why"),
        ("/check-dco now", "unknown"),
        ("/easycla", "check"),
        ("/EasyCLA\r\n", "check"),
        ("/easycla why", "why"),
        ("/easycla please", None),
        ("recheck", "check"),
        (" Recheck \r\n", "check"),
        ("recheck\nplease", None),
        ("recheck please", None),
        ("please recheck", None),
        ("`/cla-check`", "check"),
        ("`/cla-check` why", "why"),
        ("`/cla-check why`", "why"),
        ("`/cla exempt @ada she left`", "exempt"),
        ("`/cla-chek`", "unknown"),
        ("`recheck`", None),
        ("```\n/cla-check\n```", None),
        ("```/cla-check```", None),
        ("``", None),
        ("> /cla-check\n\nIt does not answer.", None),
        (">/check-cla", None),
        ("> `/cla-check`\r\n/cla-check", None),
        ("> /recheck", None),
        (">> /cla-chek", None),
        ("> cla check", None),
        ("/cla vouch I read every line", "vouch"),
        ("/CLA Vouch", "vouch"),
        ("/cla vouch", "vouch"),
        ("/dco vouch x", "unknown"),
        ("/cla exempt gone@old.org left the company", "exempt"),
        ("@dcoapp recheck", "unknown"),
        ("@DCOapp[bot] recheck", "unknown"),
        ("@cla-bot check", "unknown"),
        ("@CLAassistant check", "unknown"),
        ("@googlebot I signed it!", "unknown"),
        ("@dcoapp can you tell me why this is red? I did sign it", None),
        ("@ada recheck", None),
        ("I have read the CLA Document and I hereby sign the CLA", "unknown"),
        ("I have read the CLA document and I hereby sign the CLA.", "unknown"),
        ("I have read the CLA Document and I hereby sign the CLA, but why?", None),
        ("\u3000/cla-check", "check"),
        ("／cla-check", "unknown"),
        ("\ufeff/cla-check", "unknown"),
        ("/cla–check", "unknown"),
        ("/cla_check", "unknown"),
        ("/check cla", "unknown"),
        ("cla-check", "unknown"),
        ("cla check please", None),
        ("the CLA check", None),
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
def test_a_command_is_read_from_the_first_line_in_any_case(body, expected):
    assert commands.command(body) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("/cla exempt @login reason", OverrideCommand("exempt", "reason", login="login")),
        ("/dco override reason", OverrideCommand("override", "reason")),
        ("/cla exempt @ada left her old employer", OverrideCommand("exempt", "left her old employer", login="ada")),
        ("/cla exempt @Ada-B x", OverrideCommand("exempt", "x", login="Ada-B")),
        ("/cla  EXEMPT\t@octo_acme  one   two\r\nnot this", OverrideCommand("exempt", "one two", login="octo_acme")),
        ("/cla exempt @dependabot[bot] known", OverrideCommand("exempt", "known", login="dependabot[bot]")),
        ("/cla exempt gone@old.org left in 2019", OverrideCommand("exempt", "left in 2019", email="gone@old.org")),
        ("/cla exempt <Gone@Old.org> x", OverrideCommand("exempt", "x", email="gone@old.org")),
        ("`/cla exempt gone@old.org x`", OverrideCommand("exempt", "x", email="gone@old.org")),
        ("/cla vouch I read every line", OverrideCommand("vouch", "I read every line")),
        ("/cla vouch @ada x", OverrideCommand("vouch", "@ada x")),
        ("/dco override signed on paper", OverrideCommand("override", "signed on paper")),
        ("/dco override @ada signed on paper", OverrideCommand("override", "@ada signed on paper")),
    ],
)
def test_an_override_names_a_login_and_a_reason_on_one_line(body, expected):
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
        "/cla exempt gone@old.org",
        "/cla exempt gone@ because",
        "/cla exempt gone@old because",
        "/cla exempt a@b@c.org because",
        "/cla vouch",
        "/cla vouch  \r\nbecause I read it",
        "/dco override",
        "/dco override \r\n",
        "/recheck",
        "thanks",
        None,
    ],
)
def test_an_override_without_login_or_reason_is_incomplete(body):
    assert commands.override_command(body) is None


def test_a_reason_is_cut_at_its_limit():
    found = commands.override_command("/dco override " + "x" * 5_000)
    assert len(found.reason) == commands.MAX_REASON_CHARACTERS
