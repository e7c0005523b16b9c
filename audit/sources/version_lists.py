"""The versions of a package that a registry lists, for a range of which the newest that fits is to be found.

What was withdrawn (yanked, deprecated) is left out, unless everything was.
"""

from collections.abc import Iterable
from typing import Any, Final

from packaging.utils import InvalidSdistFilename, InvalidWheelFilename, parse_sdist_filename, parse_wheel_filename
from packaging.version import InvalidVersion, Version

from audit.ecosystems.parsed_file import rows, table
from audit.version_range import pep440

# PEP 691; PyPI's project JSON calls its own list of releases deprecated.
PYPI_ACCEPT: Final = "application/vnd.pypi.simple.v1+json"
NPM_ACCEPT: Final = "application/vnd.npm.install-v1+json"  # npm's short form, a tenth as long as the whole.


def pypi(answer: dict[str, Any]) -> list[str]:
    """`versions` (PEP 700), or those of the files; but for those of which every file was yanked."""
    files = [table(each) for each in rows(answer.get("files"))]
    kept = {version_of(each.get("filename")) for each in files if not each.get("yanked")}
    yanked = {version_of(each.get("filename")) for each in files if each.get("yanked")} - kept - {None}
    listed = _texts(rows(answer.get("versions"))) or [str(version) for version in sorted(filter(None, kept | yanked))]
    # If all were yanked, they count.
    return [version for version in listed if pep440(version) not in yanked] or listed if yanked else listed


def version_of(filename: object) -> Version | None:
    """The version in the name of a wheel or of a source archive; None for other names."""
    if not isinstance(filename, str):
        return None
    try:
        if filename.endswith(".whl"):
            return parse_wheel_filename(filename)[1]
        return parse_sdist_filename(filename)[1]
    except (InvalidWheelFilename, InvalidSdistFilename, InvalidVersion):
        return None


def wheel(answer: dict[str, Any], version: str) -> str | None:
    """The address of the metadata beside a wheel of that version (PEP 658); "": no wheel, None: no file at all."""
    wanted = pep440(version)
    files = [table(each) for each in rows(answer.get("files"))]
    its = [each for each in files if wanted is not None and version_of(each.get("filename")) == wanted]
    wheels = [each for each in its if str(each.get("filename")).endswith(".whl") and _texts([each.get("url") or None])]
    if not wheels:
        return "" if its else None
    # A mirror may hand it out without saying so: any wheel will do then.
    file = next((each for each in wheels if each.get("core-metadata") or each.get("dist-info-metadata")), wheels[0])
    return f"{file['url'].partition('#')[0]}.metadata"  # Beside the wheel.


def nuget(answer: dict[str, Any]) -> list[str]:
    """`versions`; withdrawn ones are among them."""
    return _texts(rows(answer.get("versions")))


def npm_latest(answer: dict[str, Any]) -> list[str]:
    """The version that npm installs wherever it fits, unless it was deprecated."""
    return _texts([None if answer.get("deprecated") else answer.get("version")])


def npm(answer: dict[str, Any]) -> list[str]:
    """The keys of `versions`."""
    versions = table(answer.get("versions"))
    return _texts(key for key, each in versions.items() if not table(each).get("deprecated")) or _texts(versions)


def latest(answer: dict[str, Any]) -> list[str]:
    """RubyGems: `version`, the newest release of a gem."""
    return _texts([answer.get("version")])


def packagist(answer: dict[str, Any]) -> list[str]:
    """`version` of each of a package's releases."""
    releases = (each for listed in table(answer.get("packages")).values() for each in rows(listed))
    return _texts(table(each).get("version") for each in releases)


def crates(answer: dict[str, Any]) -> list[str]:
    """`num` of each of its `versions`."""
    listed = [table(each) for each in rows(answer.get("versions"))]
    kept = [each for each in listed if not each.get("yanked")]
    return _texts(each.get("num") for each in kept) or _texts(each.get("num") for each in listed)


def deps_dev(answer: dict[str, Any]) -> list[str]:
    """The versions that deps.dev knows; withdrawn ones are among them."""
    keys = (table(table(each).get("versionKey")) for each in rows(answer.get("versions")))
    return _texts(key.get("version") for key in keys)


def _texts(values: Iterable[object]) -> list[str]:
    return [value for value in values if isinstance(value, str)]
