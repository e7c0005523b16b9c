"""Container files: stages, arguments, and installed packages."""

import pytest

from audit import ecosystems
from audit.ecosystems.containers import container_files
from tests.audit.ecosystems.brief import dependency_lines

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


def test_the_last_stage_is_delivered_and_stages_it_copies_from_build():
    assert dependency_lines("Dockerfile", CONTENT) == [
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
        ("FROM $X", ["! file/unsupported :1"]),
        ("FROM ${R}/a:1 AS b\nFROM b", ["! file/unsupported :1"]),
        ("FROM a:$X", ["pkg:docker/library/a aggregate direct :1"]),
        ("ARG R\nARG T=1\nARG I=${R:-o}/n:$T\nFROM $I", ["pkg:docker/o/n@1 aggregate direct :4"]),
        ("ARG P=\nFROM ${P}a", ["pkg:docker/library/a aggregate direct :2"]),
        ("FROM $X AS b\nFROM scratch\nCOPY --from=b /a /a", []),
        (
            "from ubuntu\nrun apt install a",
            ["pkg:docker/library/ubuntu aggregate direct :1", "pkg:deb/ubuntu/a aggregate direct :2"],
        ),
        ("nonsense", ["! file/broken :1"]),
        ("", []),
        ("RUN \\\n\\", []),
    ],
)
def test_an_image_has_its_name_registry_digest_and_variables(content, expected):
    assert dependency_lines("Containerfile", content) == expected


FFMPEG = "pkg:docker/mwader/static-ffmpeg@6.0"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("FROM scratch\nCOPY --from=mwader/static-ffmpeg:6.0 /ffmpeg /", [f"{FFMPEG} aggregate direct :2"]),
        ("FROM scratch AS a\nCOPY --chown=0 --from=mwader/static-ffmpeg:6.0 /f /\nFROM scratch\nCOPY --from=A /f /\nCOPY --from=0 /g /", [f"{FFMPEG} build-tool direct :2"]),
        ("FROM scratch\nRUN --mount=type=bind,from=mwader/static-ffmpeg:6.0,target=/x cp /x/f /", [f"{FFMPEG} aggregate direct :2"]),
        ("FROM scratch\nCOPY --from=$X a /\nCOPY from /to", ["! file/unsupported :2"]),
        ("FROM scratch\nARG V=6.0\nCOPY --from=mwader/static-ffmpeg:$V /ffmpeg /", [f"{FFMPEG} aggregate direct :3"]),
    ],
)  # fmt: skip
def test_an_image_that_files_are_copied_from_is_delivered(content, expected):
    assert dependency_lines("Dockerfile", content) == expected


BASE = "FROM scratch AS base\n"


@pytest.mark.parametrize(
    ("content", "usages"),
    [
        ("FROM base AS production\nRUN apk add a\nFROM base AS development\nRUN apk add b", ["aggregate", "aggregate"]),
        ("FROM base AS web\nRUN apk add a\nFROM base AS unit-tests\nRUN apk add b\nFROM base\nRUN apk add c", ["aggregate", "test-only", "aggregate"]),
        ("FROM base AS builder\nRUN apk add a\nFROM base\nRUN apk add b", ["build-tool", "aggregate"]),
        ("FROM base AS go-1\nRUN apk add a\nFROM base\nCOPY --from=go-${X} /a /\nRUN apk add b", ["build-tool", "aggregate"]),
        ("FROM base AS go-1\nRUN apk add a\nFROM go-${X}\nRUN apk add b", ["aggregate", "aggregate"]),
        ("FROM base AS x\nRUN apk add a\nFROM ${BASE:-base}\nRUN apk add b", ["build-tool", "aggregate"]),
        ("FROM base AS dev\nRUN apk add a\nFROM dev\nRUN apk add b", ["aggregate", "aggregate"]),
        ("FROM base AS dev\nRUN apk add a\nFROM dev AS final\nCOPY . /src", ["dev-tool"]),
        ('FROM base AS dev\nRUN apk add a\nFROM dev AS final\nCOPY . /src\nCMD ["serve"]', ["aggregate"]),
    ],
)  # fmt: skip
def test_an_unused_stage_is_an_image_of_its_own_unless_named_for_development(content, usages):
    assert [line.split()[1] for line in dependency_lines("Dockerfile", BASE + content)] == usages


@pytest.mark.parametrize(
    "command",
    [
        '["apt-get", "install", "-y", "x"]',
        '["sh", "-c", "apt-get install x"]',
        '--network=none ["apt", "install", "x"]',
    ],
)
def test_commands_as_lists_of_words_are_read_like_shell_commands(command):
    assert dependency_lines("Dockerfile", f"FROM scratch\nRUN {command}") == ["pkg:deb/debian/x aggregate direct :2"]


HERE = {
    "RUN <<EOF\napk add a\n# apk add b\napk add \\\n  c\nEOF\nRUN apk add d": ["a :2", "c :2", "d :8"],
    "RUN <<-EOT bash -e\n\tapk add a\n\tEOT\nRUN apk add d": ["a :2", "d :5"],
    "RUN --mount=type=cache,target=/x bash -ex <<'E1' && apk add z\napk add a\nE1\nRUN apk add d": [
        "z :2",
        "a :2",
        "d :5",
    ],
    "RUN <<EOF\napk add --virtual .b gcc\napk del .b\nEOF": ["gcc :2 tool"],
    "RUN cat > /x.sh <<EOF\napk add a\nEOF\nRUN apk add d": ["d :5"],
    'COPY <<A <<"B" /x/\nRUN apk add a\nA\nFROM b\nB\nRUN apk add d': ["d :7"],
    "RUN echo $((1<<SHIFT)) <<<WORD <<EOF\nEOF\nRUN apk add d": ["d :4"],
    "RUN <<EOF\n# a comment \\\napk add a": ["a :2"],
}


@pytest.mark.parametrize(("content", "expected"), HERE.items())
def test_shell_commands_in_here_documents_are_read_and_written_files_are_not(content, expected):
    found = dependency_lines("Dockerfile", f"FROM alpine\n{content}\n")[1:]
    assert [
        f"{line.split('/')[-1].split()[0]} {line.split()[-1]}{' tool' * ('build-tool' in line)}" for line in found
    ] == expected


@pytest.mark.parametrize(
    ("path", "usage"),
    [
        ("Dockerfile", "aggregate"), ("docker/Dockerfile.alpine", "aggregate"), ("build/package/Dockerfile", "aggregate"),
        ("Dockerfile.ci", "dev-tool"), ("Dockerfile.test", "test-only"), ("dev.Dockerfile", "dev-tool"), ("Dockerfile.build", "build-tool"),
        ("tools/grpc_clang_tidy/Dockerfile", "build-tool"), ("Dockerfile.shellcheck", "build-tool"), ("Dockerfile.cross", "build-tool"),
        ("crossroads/Dockerfile", "aggregate"), ("rakefile/Dockerfile", "aggregate"),
        (".devcontainer/Dockerfile", "dev-tool"), ("ci/linux/Dockerfile", "dev-tool"), (".github/Dockerfile", "dev-tool"),
    ],
)  # fmt: skip
def test_a_file_name_or_folder_may_say_that_an_image_is_no_product(path, usage):
    assert dependency_lines(path, "FROM debian:12") == [f"pkg:docker/library/debian@12 {usage} direct :1"]


@pytest.mark.parametrize(
    ("command", "shipped", "tools"),
    [
        ("apk add --no-cache --virtual .build gcc make && make && apk del .build && apk add curl", ["curl"], ["gcc", "make"]),
        ("apk add -t .b gcc && apk add curl; apk del .b", ["curl"], ["gcc"]),
        ("apk add --virtual=.b gcc && apk del --no-network .b", [], ["gcc"]),
        ("apt-get install -y gcc curl && make && apt-get purge -y --auto-remove gcc", ["curl"], ["gcc"]),
        ("apt-get remove gcc && apt-get install gcc", ["gcc"], []),
        ("apt-get install gcc && apt-get autoremove", ["gcc"], []),
        ("apk add --virtual .build gcc\nRUN apk del .build", ["gcc"], []),
    ],
)  # fmt: skip
def test_packages_removed_by_the_same_instruction_are_not_delivered(command, shipped, tools):
    """Packages that a later instruction removes stay in their own layer."""
    found = [line.split() for line in dependency_lines("Dockerfile", f"FROM alpine\nRUN {command}\n")[1:]]
    names = {
        usage: [url.rpartition("/")[2] for url, how, *_ in found if how == usage]
        for usage in ("aggregate", "build-tool")
    }
    assert names == {"aggregate": shipped, "build-tool": tools}


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("COPY --chown=a --from=b/c:1 x y", ["pkg:docker/b/c@1 aggregate"]),
        ("RUN --mount=type=bind,from=b/c:1,target=/x x", ["pkg:docker/b/c@1 aggregate"]),
        ("RUN pandoc --from=markdown x", []),
        ("RUN uvx --from=ruff==0.1 ruff", []),
        ("RUN apk add foo && test x[0]", ["pkg:apk/alpine/foo aggregate"]),
        ('RUN --network=none ["apk", "add", "foo"]', ["pkg:apk/alpine/foo aggregate"]),
    ],
)
def test_images_are_named_by_a_flag_of_the_instruction_alone(line, found):
    lines = dependency_lines("Dockerfile", f"FROM alpine\n{line}\n")[1:]
    assert [" ".join(line.split()[:2]) for line in lines] == found


INSTALLS = "FROM centos:7\nRUN yum install -y autoconf gcc make openssl-devel\n"


@pytest.mark.parametrize(
    ("path", "content", "how"),
    [
        ("docker/Dockerfile.centos", INSTALLS, "build-tool"),
        ("docker/Dockerfile", INSTALLS + 'CMD ["/bin/bash"]\n', "build-tool"),
        ("docker/Dockerfile", INSTALLS + "COPY . /app\n", "aggregate"),
        (
            "docker/Dockerfile",
            INSTALLS + "RUN git clone https://example.org/app && cd app && make install\n",
            "aggregate",
        ),
        ("docker/Dockerfile", INSTALLS + 'CMD ["serve"]\n', "aggregate"),
        ("docker/Dockerfile", INSTALLS + "EXPOSE 80\n", "aggregate"),
        ("docker/Dockerfile", "FROM centos:7\nRUN yum install -y gcc openssl-devel\n", "aggregate"),
        ("docker/Dockerfile", INSTALLS + "RUN yum erase gcc\n", "aggregate"),
        ("kokoro/linux/Dockerfile", INSTALLS + "COPY . /app\n", "dev-tool"),
        ("protoc-artifacts/Dockerfile", INSTALLS + "COPY . /app\n", "build-tool"),
        ("tools/distribtest/python/Dockerfile", INSTALLS + "COPY . /app\n", "test-only"),
        ("manylinux/Dockerfile", INSTALLS + "COPY . /app\n", "dev-tool"),
    ],
)
def test_an_image_of_compilers_without_the_work_is_a_build_tool(path, content, how):
    found = container_files.read(path, content).dependencies
    assert {dependency.usage.value for dependency in found if dependency.name == "openssl-devel"} == {how}


@pytest.mark.parametrize(
    ("path", "is_told"),
    [
        ("Dockerfile", True),
        ("a/x.dockerfile", True),
        ("Containerfile", True),
        ("Dockerfile.template", False),
        ("Dockerfile.5.md", False),
        ("syntax/Dockerfile.nanorc", False),
    ],
)
def test_documents_and_editor_rules_are_no_container_files(path, is_told):
    found = ecosystems.read(path, "some words\n")
    assert [finding.code for finding in found.findings] == (["file/broken"] if is_told else [])
    assert ecosystems.row("Dockerfile.md") is None
    assert ecosystems.row("Dockerfile.prod") is not None


@pytest.mark.parametrize(
    ("image", "found"),
    [
        ("ruby:<%= version %>", ["pkg:docker/library/ruby aggregate direct :1"]),
        ("{{ base }}", ["! file/unsupported :1"]),
        ("@BASE@", ["! file/unsupported :1"]),
        ("debian:@TAG@", ["pkg:docker/library/debian aggregate direct :1"]),
        ("debian:$TAG", ["pkg:docker/library/debian aggregate direct :1"]),
    ],
)
def test_a_template_names_an_image_where_only_the_version_is_open(image, found):
    git = "pkg:deb/debian/git aggregate direct :2"
    lines = dependency_lines("Dockerfile.tt", f"FROM {image}\nRUN apt-get install -y git\n")
    assert lines == sorted([*found, git], key=lambda line: (line.startswith("!"), line[-1]))


VARIABLES = {
    "ARG P=curl\nRUN apk add $P": "curl",
    "ENV A=1 P='curl git'\nRUN apk add $P": "curl git",
    "ENV P curl git\nRUN apk add ${P} jq": "curl git jq",
    "ENV V=1\nENV P=curl=$V\nRUN apk add $P": "curl@1",
    "ARG V\nRUN apk add curl=$V": "curl",
    'RUN P="curl git" && apk add $P': "curl git",
    "ENV V=1\nRUN P='curl'; Q=\" $P=${V}\"; apk add $Q jq": "curl@1 jq",
    "ARG P=\nRUN apk add $P jq": "jq",
    "ARG FLAGS\nRUN apk add $FLAGS ${APK_OPTS} jq": "jq",
    "ARG TARGET\nRUN apk add $TARGET": "!",
    "ARG P\nRUN apk add ${P:-jq}": "jq",
    "ARG P\nRUN apk add $P jq": "jq !",
    "RUN apk add $(cat packages) jq": "jq !",
    "RUN P=a; P=$(cat x); apk add $P": "!",
    "RUN for P in a b; do apk add $P; done": "!",
    "RUN cat packages | xargs apk add": "!",
    "ENV A=$A$A$A\nRUN apk add $A": "!",
    "RUN apk add ./x.apk https://x.example/y.apk": "!",
    "RUN npm install -g o/r && npm install ./x @o/r a@npm:@o/b": "r b !",
}


@pytest.mark.parametrize(("content", "expected"), VARIABLES.items())
def test_variables_of_packages_have_their_literal_values_and_others_are_said(content, expected):
    read = container_files.read("Dockerfile", f"FROM scratch\n{content}\n")
    found = [
        f"{named.name.rpartition('/')[2]}{'@' if named.version else ''}{named.version or ''}"
        for named in read.dependencies
    ]
    assert " ".join([*found, *("!" for _ in read.findings)]) == expected


def test_a_stage_has_the_variables_of_the_stage_on_which_it_stands_and_no_others():
    content = "ARG G=g\nFROM scratch AS a\nENV P=p\nFROM a\nARG G\nRUN apk add $P $G\nFROM scratch\nRUN apk add $P $G\n"
    read = container_files.read("Dockerfile", content)
    assert [(named.name, named.places[0].line) for named in read.dependencies] == [("p", 6), ("g", 6)]
    assert [finding.place.line for finding in read.findings] == [8]


UNREAD = {
    "ADD https://x.example/a.tgz /": "adds a file from an address",
    "ADD --chown=1 $APP_URL /": "adds a file from an address",
    "ADD git@github.com:o/r.git#v1 /r": "adds a file from an address",
    "ADD rootfs.tar.xz /": "unpacks an archive",
    'ADD ["a.tgz", "/"]': "unpacks an archive",
    "RUN git clone https://x.example/a && make -C a install": "downloads files by git",
    "RUN curl -L https://x.example/a | tar xz": "downloads files by curl",
    "RUN curl -sSf https://x.example/a | sh": "runs a script",
    "RUN cargo install a": "installs packages by cargo",
}


@pytest.mark.parametrize(("line", "clause"), UNREAD.items())
def test_a_delivered_image_says_what_comes_into_it_unread(line, clause):
    for path, content, is_said in [
        ("Dockerfile", f"FROM scratch\n{line}\n{line}\n", True),
        ("Dockerfile", f"FROM scratch AS a\n{line}\nFROM a\nCOPY . /\n", True),
        ("Dockerfile", f"FROM scratch AS build\n{line}\nFROM scratch\nCOPY . /\n", False),
        ("ci/Dockerfile", f"FROM scratch\n{line}\n", False),
        ("examples/Dockerfile", f"FROM scratch\n{line}\n", False),
    ]:
        found = container_files.read(path, content).findings
        assert [(finding.code, finding.place.line) for finding in found] == [("file/unsupported", 2)] * is_said
        assert all(clause in finding.message for finding in found)


@pytest.mark.parametrize(("line", "clause"), UNREAD.items())
def test_a_stage_that_builds_says_what_it_may_hand_on(line, clause):
    content = f"FROM scratch AS build\n{line}\nFROM scratch\nCOPY --from=build /a /a\n"
    is_said = clause.startswith(("adds", "downloads"))
    assert bool(container_files.read("Dockerfile", content).findings) == is_said


ORDINARY = """FROM node:20 AS build
RUN corepack enable && npm ci && npm run build
FROM python:3.12-slim
RUN apt-get update && apt-get upgrade -y && apt-get install -y --no-install-recommends curl git wget && apt-get clean
RUN curl -fsSL https://x.example/linux/gpg | gpg --dearmor -o /etc/apt/keyrings/x.gpg
ADD https://x.example/key.asc /etc/x
ADD src target/${JAR_FILE} /app/
COPY requirements.txt /tmp/
RUN pip install -r /tmp/requirements.txt && pip install . && pip install dist/*.whl
RUN bundle install && composer install --no-dev && cargo install --path . && go install ./... && make install
RUN until curl -sf http://localhost:80/; do sleep 1; done
HEALTHCHECK CMD curl -f https://x.example/ || exit 1
ONBUILD RUN curl https://x.example | sh
"""


def test_an_ordinary_container_file_has_no_finding():
    read = container_files.read("Dockerfile", ORDINARY)
    assert (read.findings, read.includes) == ((), ())


LISTS = {
    "RUN pip install -r deps.txt": [("deps.txt", "docker/deps.txt")],
    "COPY app/deps.txt /tmp/\nRUN pip install --requirement=/tmp/deps.txt": [("app/deps.txt", "docker/app/deps.txt")],
    "COPY . /app\nRUN uv pip install -r /app/lists/deps.txt": [("lists/deps.txt", "docker/lists/deps.txt")],
    "RUN pip wheel -rdeps": [("deps", "docker/deps")],
    "RUN pip install -r ../deps.txt": [("deps.txt", "deps.txt")],
    "RUN pip install -r requirements-prod.txt -r requirements/a.in": [],
}


@pytest.mark.parametrize(("content", "expected"), LISTS.items())
def test_a_list_of_requirements_under_another_name_belongs_to_the_image(content, expected):
    read = container_files.read("docker/Dockerfile", f"FROM scratch\n{content}\n")
    assert [(include.path, include.or_at) for include in read.includes] == expected


def test_a_command_that_is_cut_off_is_a_finding():
    names = [f"package{number}" for number in range(3_000)]
    for count, is_said in ((1_000, False), (3_000, True)):
        read = ecosystems.read("Dockerfile", f"FROM debian\nRUN apt-get install -y {' '.join(names[:count])}\n")
        assert [(finding.code, finding.place.line) for finding in read.findings] == [("file/unsupported", 2)] * is_said
        assert is_said or {dependency.name for dependency in read.dependencies} >= {*names[:count]}
