"""The code is laid out as described: twins, sizes, first sentences, and a manifest that is true."""

import ast
import io
import re
import subprocess
import tokenize
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
import yaml

from bot.github import permissions
from bot.webhook import event_parser

ROOT = Path(__file__).parent.parent
PRODUCT = ("agreements", "audit", "bot", "migrations")
WITHOUT_TWIN = {
    "agreements/facts.py": "nouns only; every test of the core uses them",
    "agreements/store/tables/company_records.py": "tables only; tests/migrations compares them with the migrated schema",
    "agreements/store/tables/ledger_records.py": "tables only; tests/migrations compares them with the migrated schema",
    "audit/facts.py": "nouns only; every test of the audit uses them",
    "audit/store/records.py": "tables only; tests/migrations compares them with the migrated schema",
    "bot/job_queue.py": "a protocol; tests/bot/jobs runs both of its engines",
    "bot/flows/flow_services.py": "a bundle of what flows are given",
    "bot/github/hub.py": "a class of all its parts; the tests of each part go through it",
    "bot/github/ports.py": "values only; tests/bot/github makes and reads them",
    "bot/store/records.py": "tables only; tests/migrations compares them with the migrated schema",
    "migrations/env.py": "run by every migration test",
}
RIDDLES = re.compile(r"\b(nobody|somebody|anybody|everybody|whoever|whatever|whence)\b", re.IGNORECASE)
"""Words that stand where the noun belongs: the person, the caller, the worker, the row."""
PRONOUNS = re.compile(r"(What|Who|Whose|Which|Where|How|Why|That|Of)\b")
"""Words with which no docstring begins: the noun comes first. A module's may say "Why"."""
MIN_COMMENTS = 4
"""In 100 lines of a package: each says why, where a reader would ask."""
WIRING = {"clock", "engine", "hub", "new_id", "records", "server", "sessions", "settings", "texts", "vault"}
"""Fields that are handed to many classes and are the same in all: their types say enough."""
BANNED_WORDS = {"utils", "util", "helpers", "helper", "manager", "service", "services", "base", "models", "config"}


@cache
def _known() -> tuple[Path, ...]:
    """Every Python file that git knows or would know."""
    names = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.py"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    return tuple(sorted({Path(name) for name in names if (ROOT / name).exists()}))


def modules(*folders: str) -> list[Path]:
    """Those of them in these folders."""
    return [path for path in _known() if path.parts[0] in folders]


@cache
def text_of(path: Path) -> str:
    """What is in that file."""
    return (ROOT / path).read_text(encoding="utf-8")


@dataclass(frozen=True)
class Shape:
    """What is asked of a module here: all that stays of its syntax tree."""

    docstring: str
    top: tuple[str, ...]
    """Names of its functions and classes."""
    classes: tuple[str, ...]
    limits: tuple[str, ...]
    """Names of its constants that are numbers or spans of time."""
    silent: tuple[str, ...]
    """Those of them that are public and have no docstring."""
    functions: tuple[tuple[str, int], ...]
    """All its functions and how many lines they have."""


@cache
def shape(path: Path) -> Shape:
    """The shape of that module."""
    tree = ast.parse(text_of(path))
    top = [node for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)]
    return Shape(
        docstring=ast.get_docstring(tree) or "",
        top=tuple(node.name for node in top),
        classes=tuple(node.name for node in top if isinstance(node, ast.ClassDef)),
        limits=tuple(name for node in tree.body for name in _limits(node)),
        silent=tuple(node.name for node in top if not node.name.startswith("_") and not ast.get_docstring(node)),
        functions=tuple(
            (node.name, node.end_lineno - node.lineno + 1)
            for node in ast.walk(tree)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        ),
    )


def _limits(node: ast.stmt) -> list[str]:
    if not isinstance(node, ast.Assign | ast.AnnAssign) or not _is_number(node.value):
        return []
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    names = [name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)]
    return [name for name in names if name.isupper()]


def _is_number(value: ast.expr | None) -> bool:
    match value:
        case ast.Constant(value=int() | float()):
            return not isinstance(value.value, bool)
        case ast.BinOp():
            return _is_number(value.left) and _is_number(value.right)
        case ast.Tuple():
            return all(map(_is_number, value.elts))
        case ast.Call(func=ast.Name(id="timedelta")):
            return True
    return False


def is_package_front(path: Path) -> bool:
    """True for an `__init__.py` that holds a docstring and imports only."""
    return path.name == "__init__.py" and not shape(path).top


def twin(path: Path) -> Path:
    """Where the tests of a module live."""
    if path.name == "__init__.py":
        return Path("tests") / path.parent.parent / f"test_{path.parent.name}.py"
    return Path("tests") / path.parent / f"test_{path.name}"


def test_every_module_has_its_twin():
    alone = [
        f"{path} has no {twin(path)}"
        for path in modules(*PRODUCT)
        if not (is_package_front(path) or "versions" in path.parts or str(path) in WITHOUT_TWIN)
        and not (ROOT / twin(path)).exists()
    ]

    assert [] == alone


def test_every_exception_from_having_a_twin_is_needed():
    stale = [name for name in WITHOUT_TWIN if not (ROOT / name).exists() or (ROOT / twin(Path(name))).exists()]

    assert [] == stale


def test_no_module_or_function_is_too_long():
    lengths = {path: text_of(path).count("\n") for path in modules(*PRODUCT, "tests", "benchmarks")}
    long = [f"{path}: {lines}" for path, lines in lengths.items() if lines > (400 if path.parts[0] in PRODUCT else 500)]
    long += [
        f"{path}: {name} {lines}" for path in modules(*PRODUCT) for name, lines in shape(path).functions if lines > 40
    ]

    assert [] == long


def test_every_module_opens_with_a_sentence():
    everything = modules(*PRODUCT, "tests", "benchmarks")

    assert [] == [str(path) for path in everything if not re.match(r".+[.:!?](\n|$)", shape(path).docstring)]


def _sentences(path: Path) -> Iterator[tuple[int, str]]:
    """Each line of a docstring or comment with its number; but the docstring of a command is a text that people see."""
    for node in ast.walk(ast.parse(text_of(path))):
        decorators = " ".join(map(ast.unparse, getattr(node, "decorator_list", ())))
        if re.search(r"\.(command|group)\(", decorators):
            continue
        for inside in getattr(node, "body", ()) if isinstance(getattr(node, "body", ()), list) else ():
            match inside:
                case ast.Expr(value=ast.Constant(value=str(text))):
                    yield from enumerate(text.splitlines(), inside.lineno)
    for token in tokenize.generate_tokens(io.StringIO(text_of(path)).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


def test_no_docstring_or_comment_has_a_riddle_word():
    found = [
        f"{path}:{number}"
        for path in modules(*PRODUCT, "benchmarks")
        if "versions" not in path.parts and RIDDLES.search(text_of(path))
        for number, line in _sentences(path)
        if RIDDLES.search(re.sub(r"`[^`]*`", "", line))
    ]

    assert [] == found


def test_docstrings_begin_with_their_noun():
    found = [
        f"{path}:{node.lineno}"
        for path in modules(*PRODUCT)
        if "versions" not in path.parts
        for node in ast.walk(ast.parse(text_of(path)))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        if PRONOUNS.match(ast.get_docstring(node) or "")
    ]

    assert [] == found


@pytest.mark.parametrize("package", ["agreements", "audit", "bot"])
def test_four_lines_in_a_hundred_have_a_comment(package):
    texts = [text_of(path) for path in modules(package)]
    tokens = (token for text in texts for token in tokenize.generate_tokens(io.StringIO(text).readline))
    comments = sum(
        token.type == tokenize.COMMENT and not re.match(r"#\s*(noqa|type:|fmt:|pragma)", token.string)
        for token in tokens
    )

    assert 100 * comments / sum(text.count("\n") for text in texts) >= MIN_COMMENTS


def _undescribed(path: Path) -> Iterator[str]:
    """The fields of data classes that neither the class's docstring, nor their own below, nor a declared text describes."""
    for node in ast.walk(ast.parse(text_of(path))):
        if isinstance(node, ast.ClassDef) and "dataclass" in " ".join(map(ast.unparse, node.decorator_list)):
            said = ast.get_docstring(node) or ""
            for field, below in zip(node.body, [*node.body[1:], None], strict=True):
                match field, below:
                    case ast.AnnAssign(), ast.Expr(value=ast.Constant(value=str())):
                        pass
                    case ast.AnnAssign(value=ast.Call(func=ast.Call(), args=[ast.Constant(value=str(text))])), _ if (
                        text
                    ):
                        pass  # A setting says its text where it is declared.
                    case ast.AnnAssign(target=ast.Name(id=name)), _ if name not in WIRING and f"`{name}`" not in said:
                        yield f"{path}: {node.name}.{name}"


def test_every_field_of_a_data_class_is_described():
    assert [] == [name for path in modules(*PRODUCT) for name in _undescribed(path)]


def _pronoun_names(path: Path) -> Iterator[str]:
    """The variables, parameters, functions and classes that are called `one`, `nobody` and the like."""
    for node in ast.walk(ast.parse(text_of(path))):
        names = []
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names = [node.id]
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names = [node.name]
        if isinstance(node, (ast.FunctionDef, ast.Lambda)):
            arguments = [argument.arg for argument in ast.walk(node.args) if isinstance(argument, ast.arg)]
            # A text in singular and plural says `one` and `many`.
            names += [] if {"many", "more"} & set(arguments) else arguments
        yield from (f"{path}: {name}" for name in names if name == "one" or RIDDLES.search(name.replace("_", " ")))


def test_a_name_is_a_noun_and_no_pronoun():
    assert [] == [name for path in modules(*PRODUCT, "benchmarks") for name in _pronoun_names(path)]


def test_public_functions_and_classes_have_a_docstring():
    assert [] == [f"{path}: {name}" for path in modules(*PRODUCT) for name in shape(path).silent]


def test_no_two_classes_share_a_name():
    names = [name for path in modules(*PRODUCT) for name in shape(path).classes]

    assert [] == sorted(name for name, count in Counter(names).items() if count > 1)


def test_a_limits_name_has_more_than_one_word():
    found = [f"{path}: {name}" for path in modules(*PRODUCT) for name in shape(path).limits if name != "LEASE"]

    assert [] == [limit for limit in found if "_" not in limit.rpartition(" ")[2].strip("_")]


FOLDERS = sorted({path.parent for path in modules(*PRODUCT)} - {Path("migrations"), Path("migrations/versions")})


@pytest.mark.parametrize("folder", FOLDERS, ids=str)
def test_a_folder_has_3_to_25_modules_and_a_described_purpose(folder):
    inside = [path for path in (ROOT / folder).glob("*.py") if path.name != "__init__.py"]
    sentences = re.findall(
        r"[.:;](?=\s|$)", ast.get_docstring(ast.parse((ROOT / folder / "__init__.py").read_text())) or ""
    )

    assert 3 <= len(inside) <= 25
    assert len(sentences) >= 2


def test_no_module_is_named_after_a_drawer():
    assert [] == [
        str(path) for path in modules(*PRODUCT) if BANNED_WORDS & {part.removesuffix(".py") for part in path.parts}
    ]


def test_every_exception_from_the_linter_has_a_reason():
    bare = [
        f"{path}:{number}"
        for path in modules(*PRODUCT)
        for number, line in enumerate(text_of(path).splitlines(), 1)
        if re.search(r"#\s*(noqa|type: ignore)", line)
        and not re.search(r"#\s*(noqa: [A-Z0-9, ]+|type: ignore\[[a-z-]+(, ?[a-z-]+)*\])\s+(- |# )\S", line)
    ]

    assert [] == bare


def manifest() -> dict:
    """app.yaml as data."""
    return yaml.safe_load((ROOT / "app.yaml").read_text(encoding="utf-8"))


def test_the_manifest_asks_for_just_the_events_that_are_routed():
    assert sorted(set(event_parser.ROUTED) - event_parser.ALWAYS_SENT) == sorted(manifest()["default_events"])


def test_the_manifest_asks_for_just_the_permissions_that_the_hub_needs():
    assert permissions.in_manifest(permissions.required()) == manifest()["default_permissions"]
    assert sorted(permissions.EVENTS) == sorted(manifest()["default_events"])
