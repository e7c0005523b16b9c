"""Every sentence of `doctor` on the last page of setup is known in Chinese: the code itself says which there are."""

import ast
import itertools
import re
from pathlib import Path

import pytest

from bot import doctor
from bot.report.words.doctor_lines import chinese, line

FOLDER = Path(doctor.__file__).parent
MODULES = [FOLDER / f"{name}.py" for name in ("account_checks", "doctor_report", "github", "webhook", "webhook_secret")]
MODULES += [FOLDER.parent / "setup" / "page_server.py"]
LATER = (
    "redeliver",
    "failed webhooks",
    "webhook of the",
    "webhooks of the",
    "the database first",
    "chmod",
    "this machine",
)
"""Words of sentences that are not shown there, since setup asks no database and no running server."""
RESULTS = ("passed", "failed", "unknown", "not_applicable", "NoServer", "_Trouble")
"""What is called with a message and a remedy."""
VALUE = "9"
"""Stands for every value: a number, a name, an address."""
CODE = re.compile(r"`[^`]*`|[\w./-]*(?:COUNTERSIGN_|docs/|/)[\w./-]*|\([A-Z][^)]*\)")
"""What stays as it is in Chinese: commands, names of settings and files, values, GitHub's menus."""


def written(node, known):
    """Every text that an expression may give, by the texts that each variable may hold; nothing for what is no text of ours."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value]
    if isinstance(node, ast.JoinedStr):
        texts = ["".join(parts) for parts in itertools.product(*(part(value, known) for value in node.values))]
        return [
            re.sub(rf"^{VALUE}(?= [A-Z][a-z])", f"{VALUE}.", text) for text in texts
        ]  # A sentence that another one follows.
    if isinstance(node, ast.IfExp):
        return [*written(node.body, known), *written(node.orelse, known)]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return [start + more for start in written(node.left, known) for more in written(node.right, known)]
    return known.get(node.id, []) if isinstance(node, ast.Name) else []


def part(node, known):
    """The texts that may stand at that place of an f-string."""
    return written(node.value, known) or [VALUE] if isinstance(node, ast.FormattedValue) else written(node, known)


def assigned(scope):
    """The texts that each variable of a function or module may hold."""
    known = {}
    for node in ast.walk(scope):
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                if isinstance(target, ast.Name) and (texts := written(node.value, known)) != [""]:
                    known.setdefault(target.id, []).extend(texts)
    return known


def sentences():
    """(module, text) of all messages and remedies that the checks give, and of all constants that are sentences."""
    for path in MODULES:
        module = ast.parse(path.read_text(encoding="utf-8"))
        for scope in [node for node in ast.walk(module) if isinstance(node, ast.FunctionDef)]:
            known = assigned(scope)
            for node in [call for call in ast.walk(scope) if isinstance(call, ast.Call)]:
                name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                for text in itertools.chain.from_iterable(written(arg, known) for arg in node.args if name in RESULTS):
                    yield path.stem, text
        for node in module.body:
            for text in written(getattr(node, "value", None), {}) if isinstance(node, ast.AnnAssign) else ():
                yield path.stem, text


SENTENCES = sorted(
    {
        sentence
        for sentence in sentences()
        if re.search(r"[a-z] [a-z].*\.$", sentence[1]) and not any(map(sentence[1].__contains__, LATER))
    }
)


def test_the_sentences_are_found():
    assert len(SENTENCES) > 60


@pytest.mark.parametrize(("module", "english"), SENTENCES)
def test_each_sentence_of_doctor_has_its_chinese(module, english):
    text = chinese().of(re.sub(r"\{\w+\}", VALUE, english))

    assert text is not None, module
    assert not re.search(r"[a-z]{2,} [a-z]{2,} [a-z]{2,}", CODE.sub("", text)), text


def test_english_stays_and_what_is_not_known_is_left_to_the_caller():
    assert line("en", "GitHub is reachable.") == "GitHub is reachable."
    assert line("zh", "GitHub is reachable.") == "可以访问 GitHub。"
    assert line("zh", "the App is not installed on cann; octo has suspended the App.") == (
        "App 尚未安装到 cann；octo 已暂停该 App。"
    )
    assert line("zh", "Words of a plug-in.") is None
