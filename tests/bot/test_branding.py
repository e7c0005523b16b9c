"""Branding: any colour becomes legible in both schemes, and a logo is an image of bearable size."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot import branding
from bot.branding import Branding, LogoInvalid, read_logo
from bot.settings import Settings

PNG = b"\x89PNG\r\n\x1a\n" + b"\x00" * 20
SVG = b'<?xml version="1.0"?>\n<!-- ours -->\n<svg xmlns="http://www.w3.org/2000/svg"/>'
STYLE = Path(branding.__file__).parent / "portal" / "static" / "style.css"


def contrast(first: str, second: str) -> float:
    """By WCAG 2.2, written down once more."""

    def luminance(color: str) -> float:
        parts = [int(color.lstrip("#")[at : at + 2], 16) / 255 for at in (0, 2, 4)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return sum(share * part for share, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    high, low = sorted((luminance(first), luminance(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def schemes(style: str) -> list[dict[str, str]]:
    """The tokens of each `:root`, light first."""
    return [
        dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", block))
        for block in re.findall(r":root \{(.*?)\}", style, re.DOTALL)
    ]


@given(st.integers(0, 0xFFFFFF))
def test_every_colour_is_made_legible_in_both_schemes(number):
    light, dark = schemes(branding.of(Settings(color=f"#{number:06x}")).style)
    own_light, own_dark = schemes(STYLE.read_text("utf-8"))[:2]

    for ours, own in ((light, own_light), (dark, own_dark)):
        assert f"#{number:06x}" == ours["brand"]
        assert contrast(ours["on-brand"], ours["brand"]) >= 4.5
        assert contrast(ours["on-brand"], ours["brand-deep"]) >= 4.5
        for ground in ("sheet", "ground", "note"):
            assert contrast(ours["link"], own[ground]) >= 4.5, ground


def test_a_legible_colour_stays_as_it_is():
    light, dark = schemes(branding.of(Settings(color="#17614f")).style)

    assert ("#17614f", "#ffffff") == (light["link"], light["on-brand"])
    assert dark["link"] != "#17614f"


def test_without_branding_there_is_no_style_logo_or_link():
    assert Branding() == branding.of(Settings())


@pytest.mark.parametrize(
    ("content", "media_type"), [(PNG, "image/png"), (SVG, "image/svg+xml"), (b"<svg>", "image/svg+xml")]
)
def test_a_logos_type_and_address_follow_from_its_content(tmp_path, content, media_type):
    file = tmp_path / "logo"
    file.write_bytes(content)
    logo = read_logo(file)

    assert (content, media_type) == (logo.content, logo.media_type)
    file.write_bytes(content + b"\n")
    assert logo.version != read_logo(file).version


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (None, "cannot read {file}: No such file or directory"),
        (PNG + b"\x00" * branding.MAX_LOGO_BYTES, "{file} has more than 256 KB"),
        (b"<html><svg></svg></html>", "{file} is neither SVG nor PNG"),
        (b"GIF89a", "{file} is neither SVG nor PNG"),
        (b"", "{file} is neither SVG nor PNG"),
    ],
)
def test_a_file_that_is_no_logo_is_refused_with_a_reason(tmp_path, content, why):
    file = tmp_path / "logo"
    if content is not None:
        file.write_bytes(content)

    with pytest.raises(LogoInvalid) as caught:
        read_logo(file)

    assert why.format(file=file) == str(caught.value)


@pytest.mark.parametrize(
    ("contact", "link"),
    [("", ""), ("cla@example.org", "mailto:cla@example.org"), ("https://example.org/help", "https://example.org/help")],
)
def test_the_contact_opens_a_mail_or_a_page(contact, link):
    assert link == Branding(contact=contact).contact_link
