"""The organisation's own name, logo, colour, contact and legal links on every page; a colour is made easy to read."""

import re
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path

from bot.settings import Settings

MAX_LOGO_BYTES = 256 * 1024  # It comes with the first page that a person sees.

_MIN_CONTRAST = 4.5  # The least contrast of text, as WCAG 2.2 criterion 1.4.3 has it.

# As in `static/style.css`, behind links: --sheet, --ground and --note of each scheme.
_LIGHT, _DARK = ("ffffff", "f6f5f1", "eef1ee"), ("131816", "1b2220", "202926")

_BLACK_RGB, _WHITE_RGB = (0, 0, 0), (255, 255, 255)
_PNG = b"\x89PNG\r\n\x1a\n"
_SVG = re.compile(
    rb"\A(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]{0,200}\?>\s*)?(?:<!--[^>]{0,2000}-->\s*)*<svg[\s>]", re.IGNORECASE
)


class LogoInvalid(Exception):
    """The file is no logo that pages can show; the message says why, in one clause."""


@dataclass(frozen=True)
class Logo:
    """An image as a browser gets it: its `content` and `media_type`."""

    content: bytes
    media_type: str

    @cached_property
    def version(self) -> str:
        """The end of the image's address: another image has another address."""
        return sha256(self.content).hexdigest()[:16]


def read_logo(file: Path) -> Logo:
    """The image in that file. Raises LogoInvalid: unreadable, too large, neither SVG nor PNG."""
    try:
        with file.open("rb") as opened:
            content = opened.read(MAX_LOGO_BYTES + 1)  # Bounded: a device or a pipe may have no end.
    except OSError as error:
        raise LogoInvalid(f"cannot read {file}: {error.strerror}") from None
    if len(content) > MAX_LOGO_BYTES:
        raise LogoInvalid(f"{file} has more than {MAX_LOGO_BYTES // 1024} KB")
    if content.startswith(_PNG):
        return Logo(content, "image/png")
    if _SVG.match(content):
        return Logo(content, "image/svg+xml")
    raise LogoInvalid(f"{file} is neither SVG nor PNG")


@dataclass(frozen=True, slots=True, kw_only=True)
class Branding:
    """The organisation as pages show it; what was not set is empty, and ours is shown.

    `name`, `logo`, `contact`, `imprint_url` and `privacy_url` are as in the settings; `style` is CSS from their colour.
    """

    name: str = ""
    logo: Logo | None = None
    style: str = ""
    contact: str = ""
    imprint_url: str = ""
    privacy_url: str = ""

    @property
    def contact_link(self) -> str:
        """The target of a click on the contact."""
        return f"mailto:{self.contact}" if self.contact and "://" not in self.contact else self.contact


def of(settings: Settings) -> Branding:
    """The branding that the settings choose. Raises LogoInvalid."""
    return Branding(
        name=settings.name,
        logo=read_logo(settings.logo) if settings.logo else None,
        style=_style_sheet(settings.color) if settings.color else "",
        contact=settings.contact,
        imprint_url=settings.imprint_url,
        privacy_url=settings.privacy_url,
    )


def _style_sheet(color: str) -> str:
    light, dark = _tokens(color, _LIGHT, _BLACK_RGB), _tokens(color, _DARK, _WHITE_RGB)
    # Print is on white paper, also where the screen is dark.
    return f":root {{ {light} }}\n@media screen and (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n"


def _tokens(color: str, behind: tuple[str, ...], target: tuple[int, ...]) -> str:
    brand = _rgb(color)
    # The text on buttons: one of the two has a contrast of 4.5 at least.
    ink = max((_BLACK_RGB, _WHITE_RGB), key=lambda rgb: _contrast(rgb, brand))
    away = _BLACK_RGB if ink == _WHITE_RGB else _WHITE_RGB
    steps = (_mixed(brand, target, step / 20) for step in range(21))  # Ever nearer to the target, which comes last.
    link = next(step for step in steps if all(_contrast(step, _rgb(back)) >= _MIN_CONTRAST for back in behind))
    values = {"brand": brand, "brand-deep": _mixed(brand, away, 0.2), "on-brand": ink, "link": link}
    return " ".join(f"--{name}: #{bytes(value).hex()};" for name, value in values.items())


def _mixed(color: tuple[int, ...], other: tuple[int, ...], share: float) -> tuple[int, ...]:
    return tuple(round(start + (end - start) * share) for start, end in zip(color, other, strict=True))


def _rgb(color: str) -> tuple[int, ...]:
    return tuple(bytes.fromhex(color.removeprefix("#")))


def _contrast(color: tuple[int, ...], other: tuple[int, ...]) -> float:
    darker, lighter = sorted((_luminance(color), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)  # From 1 to 21, by WCAG 2.2.


def _luminance(color: tuple[int, ...]) -> float:
    # Relative luminance of an sRGB colour, by WCAG 2.2.
    red, green, blue = (
        part / 255 / 12.92 if part / 255 <= 0.04045 else ((part / 255 + 0.055) / 1.055) ** 2.4 for part in color
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
