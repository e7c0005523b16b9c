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
    """The last one is delivered; those before it build."""
    assert told("Dockerfile", CONTENT) == [
        "pkg:docker/library/golang@1.22 build-tool direct :3",
        "pkg:deb/debian/gcc@12 build-tool direct :4",
        "pkg:deb/debian/make build-tool direct :4",
        "pkg:docker/library/debian@12 separate-process direct :8",
        "pkg:deb/debian/ca-certificates separate-process direct :10",
        "pkg:pypi/flask@3.0 separate-process direct :10",
    ]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("FROM scratch", []),
        ("FROM a AS b\nFROM b", ["pkg:docker/library/a build-tool direct :1"]),
        ("FROM ghcr.io/o/n:1", ["pkg:docker/o/n@1?repository_url=ghcr.io separate-process direct :1"]),
        ("FROM o/n@sha256:00", ["pkg:docker/o/n@sha256:00 separate-process direct :1"]),
        ("FROM $X", []),
        (
            "from ubuntu\nrun apt install a",
            ["pkg:docker/library/ubuntu separate-process direct :1", "pkg:deb/ubuntu/a separate-process direct :2"],
        ),
        ("nonsense", ["! file/broken :1"]),
        ("", []),
        ("RUN \\\n\\", []),
    ],
)
def test_images(content, expected):
    """Names, registries, digests, variables, bad input."""
    assert told("Containerfile", content) == expected
