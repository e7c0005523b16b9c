"""Dependencies in one line each, so that a table of expectations can be read."""

from audit import ecosystems
from audit.ecosystems.dependency_merge import DependencyFile, merge
from audit.facts import Dependency


def brief(dependency: Dependency) -> str:
    """`pkg:npm/a@1 runtime-import direct optional :3 MIT`, what does not hold left out."""
    direct = {True: "direct", False: "indirect", None: ""}[dependency.direct]
    place = f":{dependency.places[0].line}" if dependency.places and dependency.places[0].line else ""
    parts = [
        dependency.purl or dependency.name,
        dependency.usage.value,
        direct,
        "optional" if dependency.optional else "",
        place,
    ]
    return " ".join(part for part in [*parts, dependency.license.expression or ""] if part)


def dependency_lines(path: str, content: str) -> list[str]:
    """What a file's reader finds, in its order; findings as `! code :line`."""
    read = ecosystems.read(path, content)
    findings = [
        f"! {finding.code}" + (f" :{finding.place.line}" if finding.place.line else "") for finding in read.findings
    ]
    return [*map(brief, read.dependencies), *findings]


def origin(dependency: Dependency) -> str:
    """`pkg:npm/a@1 from https://… SHA1:0a1b2c3d brings pkg:npm/b@1`: what a lock file says of its archive and its needs."""
    sums = [f"{each.algorithm}:{each.value[:8]}" for each in dependency.checksums]
    brings = ["brings", *dependency.needs] if dependency.needs else []
    return " ".join(
        [
            dependency.purl or dependency.name,
            *(["from", dependency.download] if dependency.download else []),
            *sums,
            *brings,
        ]
    )


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
