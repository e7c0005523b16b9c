"""Which dependencies a package URL of the rulebook means: that package, of any version unless it names one."""

from packageurl import PackageURL


def pattern(purl: str) -> tuple[str, str]:
    """The package that somebody wrote and the version ("": any), in canonical form.

    What is no package URL after all is taken as it is written: it then means nothing but itself.
    """
    try:
        return parts(PackageURL.from_string(purl).to_string())
    except ValueError:
        return purl, ""


def parts(purl: str) -> tuple[str, str]:
    """The package and the version ("": none) of a canonical package URL, qualifiers and subpath left out."""
    plain = purl.partition("#")[0].partition("?")[0]
    head, slash, last = plain.rpartition("/")
    name, _, version = last.partition("@")
    return f"{head}{slash}{name}", version
