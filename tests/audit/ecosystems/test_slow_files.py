"""Files made to be slow: every reader takes steps in proportion, and too deep nesting is refused."""

import gc
import sys

import pytest

from audit.ecosystems import FILE_READERS, read, row, work

PIECES = (
    "(", "[", "{", '"', "'", '"""', "\\\n", "${", "/*", "<<A\n", "do\n", "a: [", "a => [", ":a => {", "a = {", "- ", "a: ", '{"a":', "<a>", "#{",
    ".package(", '.target(name: "a", ', "gem 'a', ", "pod 'a'\n", "{:a, ", "deps: [", ".name = [", "find_package(", "if(A)\n",
    "FROM a AS b\n", "RUN pip install a && ", "a==1\n", "a; ", "[[package]]\n", "import (\n", 'a@^1:\n  version "1"\n',
)  # fmt: skip
"""Each is repeated: what is not closed, what nests, what asks for something again and again."""
PIECES_OF = {
    "requirements.txt": ["a==1.0\n", "a==1 \\\n", "# x\n", "-r a\n", "((((", "a[", "\\\n"],
    "pyproject.toml": ["a=1\n", "[[a]]\n", "'", '"a", ', "[a.b]\n"],
    "package-lock.json": ['{"a":', "[", '"', "{}", "\\"],
    "yarn.lock": ["a@1:\n  version 1\n", 'a, "', "    a b\n"],
    "bun.lock": ['{"packages": {', '"a": ["a@1.0.0", "", {}],', ", ", "/* ", "// \n", '"'],
    "deno.lock": ['{"remote": {"https://', "a/", "@", '": 1, ', '{"npm": '],
    "Podfile.lock": ["PODS:\n", "  - A (1):\n", "    - B\n", "(", "- "],
    "pnpm-lock.yaml": ["- ", "a: b\n", "{", "? ", "'", "&a "],
    "go.mod": ["require a v1\n", "require (\n", "replace a => b\n"],
    "pom.xml": ["<a>", "<a/>", "${", "&", "<!--"],
    "build.gradle": [
        "implementation ",
        "implementation 'a:b:c'\n",
        "a" * 50,
        "( ",
        "dependencies {\n",
        "if (a) ",
        "a = 'b:c:1'\n",
        "add('a', ",
        "a.",
        "[a, ",
        "'a:b:1'\n",
        "def a = [\n",
        "api a\n",
        "(a)",
        "libs.a ",
        "{ a -> ",
        "else ",
    ],
    "conanfile.py": ["a = [", "self.requires(", "'", '"""', "requires="],
    "conanfile.txt": ["a/1\n", "a:shared=", "a" * 50],
    "CMakeLists.txt": ["(", "find_package(", '"', "[[", "#[[", "target_link_libraries(a lib", "set(a b)\n"],
    "meson.build": ["dependency(", "dependency('a')\n", "'"],
    "MODULE.bazel": ['bazel_dep(name="a"\n', "http_archive(\n"],
    "Dockerfile": [
        "FROM a AS b\n",
        "RUN \\\n",
        "RUN apt-get install a && \n",
        "$",
        "FROM a$b AS c\n",
        "COPY --from=a$b x y\n",
        "ENV a=$a$a\n",
        "ARG a b=c\n",
        "RUN curl https://a | sh; \n",
        "RUN a=b; apt-get install $a\n",
        "pip install -r a\n",
    ],
    ".gitlab-ci.yml": ["apt-get install a;", "install \\\n", "pip install a\n"],
    "x.c": ["#include <linux/a.h>\n", "#", "# \t", "MODULE_LICENSE "],
    "x.spdx": ["PackageName: a\n", "Relationship: a b c\n"],
    "setup.cfg": ["[a]\n", " a\n", "a=b\n"],
    "setup.py": [
        "a.append(b)\n",
        "a = b = c\n",
        "setup(install_requires=a)\n",
        "a[b] = c\n",
        "def a(): return a\n",
        "a += [b, *a]\n",
        "setup(**a)\n",
        '"a" + ',
        "x = {**x}\n",
    ],
    "subprojects/x.wrap": ["a=b\n"],
    "Gemfile": [
        'gem "a"\n',
        '"',
        "'",
        '\\"',
        "%q<",
        '"""',
        "=begin\n",
        "group :a do\n",
        "gem 'a', ",
        "(",
        "%i[",
        "eval_gemfile ",
        "a = 'b'\n",
        "gem a\n",
        "end ",
    ],
    "Podfile": ["pod a\n", "a = b!\n", "def a\n", "a b\n", "post_install do\n", "end "],
    "x.gemspec": ["s.add_dependency 'a'\n", "s.add_dependency ", "s.license = [", "add_dependency(\n"],
    "Package.swift": [
        ".target(",
        ".package(url: ",
        ".package(id: 'a')",
        ".binaryTarget(name: ",
        'Package(name: "a", ',
        "[",
        '"a", ',
    ],
    "environment.yml": ["- a\n", "dependencies: [", "- pip: ["],
    "explicit.txt": ["@EXPLICIT\n", "@EXPLICIT\nhttps://a/b/a-1-0.conda\n", "-"],
    "mix.exs": [
        "def deps do [",
        "deps: ",
        "{:a, ",
        "deps: [",
        "defp deps(",
        "[a: ",
        "defp deps do deps()\n",
        "def a, do: a\n",
        "deps: a\n",
        "deps ++ ",
    ],
    "mix.lock": ["%{", '"a": {:hex, :a, "1", ', "{:a, ["],
    "App.csproj": ["<ItemGroup>", "<PackageReference Include='a'/>", "<Choose>"],
    "pubspec.lock": ["- ", "a: b\n", "{"],
    "Gemfile.lock": ["GEM\n  specs:\n    a (1)\n      b\n", "    a (", "DEPENDENCIES\n  a!\n"],
}
"""More of them, of the notation of each file."""
SMALL, FACTOR = 1_000, 4
MOST_GROWTH = 1.2
"""Times the growth of the file, for what does not grow with it."""
MOST_STEPS_PER_WORK = 9
"""Lines of Python for each unit of the work that a file is charged."""
BEGINNING = 200
"""Lines of Python that a reader may run in addition, for a file of any content."""
READERS = {id(reader): pattern.replace("*", "a") for pattern, _, reader in reversed(FILE_READERS)}
READERS |= {id(FILE_READERS[row(path)][2]): path for path in PIECES_OF}


def steps(path, content):
    """How many lines of Python reading it runs: the same on every machine."""
    count = 0

    def traced(_frame, event, _argument):
        nonlocal count
        count += event == "line"
        return traced

    before = sys.gettrace()
    gc.disable()  # The ends of what earlier tests left behind would be counted.
    sys.settrace(traced)
    try:
        read(path, content)
    finally:
        sys.settrace(before)
        gc.enable()
    return count


@pytest.mark.parametrize("path", sorted(READERS.values()))
def test_steps_of_every_reader_grow_linearly_with_the_file(path):
    for piece in (*PIECES, *PIECES_OF.get(path, ())):
        little, much = (piece * (size // len(piece)) for size in (SMALL, SMALL * FACTOR))
        few, many = steps(path, little), steps(path, much)
        assert many < few * FACTOR * MOST_GROWTH + BEGINNING, (piece, few, many)
        assert many < MOST_STEPS_PER_WORK * work(much, row(path)) + BEGINNING, (piece, many, work(much, row(path)))


def test_options_within_options_are_read_in_linear_steps():
    for path, head in (("Gemfile", 'gem "a", '), ("Podfile", 'pod "a", '), ("mix.exs", "deps: [{:a, ")):
        little, much = (head + "".join(f"a{at}: [" for at in range(count)) for count in (500, 2_000))
        assert steps(path, much) < steps(path, little) * FACTOR * MOST_GROWTH


@pytest.mark.parametrize(
    ("path", "opens", "closes"),
    [
        ("package-lock.json", '{"version":"1","dependencies":{"a":', "}}"),
        ("bom.json", '{"type":"library","name":"a","components":[', "]}"),
    ],
)
def test_too_deep_nesting_is_a_finding(path, opens, closes):
    for depth in (300, 900, 5_000):
        content = opens * depth + ("{}" if path.startswith("package") else "") + closes * depth
        assert {finding.code for finding in read(path, content).findings} <= {"file/refused", "file/broken"}
