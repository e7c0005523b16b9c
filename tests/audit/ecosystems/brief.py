"""Dependencies in one line each, so that a table of expectations can be read."""

from audit import ecosystems
from audit.ecosystems.dependency_merge import DependencyFile, merge
from audit.facts import Dependency


def brief(one: Dependency) -> str:
    """`pkg:npm/a@1 runtime-import direct optional :3 MIT`, what does not hold left out."""
    direct = {True: "direct", False: "indirect", None: ""}[one.direct]
    place = f":{one.places[0].line}" if one.places and one.places[0].line else ""
    parts = [one.purl or one.name, one.usage.value, direct, "optional" if one.optional else "", place]
    return " ".join(part for part in [*parts, one.license.expression or ""] if part)


def dependency_lines(path: str, content: str) -> list[str]:
    """What a file's reader finds, in its order; findings as `! code :line`."""
    read = ecosystems.read(path, content)
    findings = [f"! {one.code}" + (f" :{one.place.line}" if one.place.line else "") for one in read.findings]
    return [*map(brief, read.dependencies), *findings]


def origin(one: Dependency) -> str:
    """`pkg:npm/a@1 from https://… SHA1:0a1b2c3d brings pkg:npm/b@1`: what a lock file says of its archive and its needs."""
    sums = [f"{each.algorithm}:{each.value[:8]}" for each in one.checksums]
    brings = ["brings", *one.needs] if one.needs else []
    return " ".join([one.purl or one.name, *(["from", one.download] if one.download else []), *sums, *brings])


def origins(files: dict[str, str]) -> list[str]:
    """That of all that several files name together."""
    return list(map(origin, together(files)))


def together(files: dict[str, str]) -> tuple[Dependency, ...]:
    """The dependencies that several files name."""
    sources = [
        DependencyFile(path, ecosystems.family(path), ecosystems.read(path, content)) for path, content in files.items()
    ]
    return merge(sources)[0]


def merged(files: dict[str, str]) -> list[str]:
    """What several files say together."""
    return list(map(brief, together(files)))
