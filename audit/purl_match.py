"""Which dependencies a package URL of the rulebook means: that package, of any version unless it names one."""

import re
from typing import Final

from packageurl import PackageURL

_PYPI: Final = "pkg:pypi/"
_RUN: Final = re.compile(r"[-_.]+")


def pattern(purl: str) -> tuple[str, str]:
    """The package that somebody wrote and the version ("": any), in canonical form.

    What is no package URL after all is taken as it is written: it then means nothing but itself.
    """
    try:
        return parts(PackageURL.from_string(purl).to_string())
    except ValueError:
        return purl, ""


def parts(purl: str) -> tuple[str, str]:
    """The package and the version ("": none) of a canonical package URL, qualifiers and subpath left out.

    The Python index takes `a.b` and `a-b` for one name, which package URLs do not say.
    """
    plain = purl.partition("#")[0].partition("?")[0]
    head, slash, last = plain.rpartition("/")
    name, _, version = last.partition("@")
    if plain.startswith(_PYPI):
        name = _RUN.sub("-", name)
    return f"{head}{slash}{name}", version
