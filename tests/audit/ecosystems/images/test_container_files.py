"""Container files: stages, arguments, what each installs."""

import pytest

from tests.audit.ecosystems.brief import told

CONTENT = """# syntax=docker/dockerfile:1
ARG VERSION=12
FROM golang:1.22 AS build
RUN apt-get update && apt-get install -y \\
    # a comment
    gcc=12 \\
    make
FROM --platform=linux/amd64 debian:${VERSION}
COPY --from=build /app /app
RUN apt-get install -y ca-certificates && pip install flask==3.0
"""


def test_stages():
    """The last one is delivered; those of which it copies build."""
    assert told("Dockerfile", CONTENT) == [
        "pkg:docker/library/golang@1.22 build-tool direct :3",
        "pkg:deb/debian/gcc@12 build-tool direct :4",
        "pkg:deb/debian/make build-tool direct :4",
        "pkg:docker/library/debian@12 aggregate direct :8",
        "pkg:deb/debian/ca-certificates aggregate direct :10",
        "pkg:pypi/flask@3.0 aggregate direct :10",
    ]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("FROM scratch", []),
        ("FROM a AS b\nFROM b", ["pkg:docker/library/a aggregate direct :1"]),
        (
            "FROM a AS b\nRUN apk add x\nFROM b AS c\nRUN apk add y\nFROM B\nCOPY --from=c /o /o",
            [
                "pkg:docker/library/a aggregate direct :1",
                "pkg:apk/alpine/x aggregate direct :2",
                "pkg:apk/alpine/y build-tool direct :4",
            ],
        ),
        ("FROM b AS b\nFROM b", ["pkg:docker/library/b aggregate direct :1"]),
        ("FROM ghcr.io/o/n:1", ["pkg:docker/o/n@1?repository_url=ghcr.io aggregate direct :1"]),
        ("FROM o/n@sha256:00", ["pkg:docker/o/n@sha256:00 aggregate direct :1"]),
        ("FROM $X", []),
        (
            "from ubuntu\nrun apt install a",
            ["pkg:docker/library/ubuntu aggregate direct :1", "pkg:deb/ubuntu/a aggregate direct :2"],
        ),
        ("nonsense", ["! file/broken :1"]),
        ("", []),
        ("RUN \\\n\\", []),
    ],
)
def test_images(content, expected):
    """Names, registries, digests, variables, bad input."""
    assert told("Containerfile", content) == expected


@pytest.mark.parametrize(
    ("path", "usage"),
    [
        ("Dockerfile", "aggregate"), ("docker/Dockerfile.alpine", "aggregate"), ("build/package/Dockerfile", "aggregate"),
        ("Dockerfile.ci", "dev-tool"), ("Dockerfile.test", "test-only"), ("dev.Dockerfile", "dev-tool"), ("Dockerfile.build", "build-tool"),
        (".devcontainer/Dockerfile", "dev-tool"), ("ci/linux/Dockerfile", "dev-tool"), (".github/Dockerfile", "dev-tool"),
    ],
)  # fmt: skip
def test_images_that_are_no_products(path, usage):
    """By the file's name, or a folder; in doubt it is delivered."""
    assert told(path, "FROM debian:12") == [f"pkg:docker/library/debian@12 {usage} direct :1"]
