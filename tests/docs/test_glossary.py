"""Chinese texts keep to the glossary, to full-width marks and to one way of spacing; those of agreements are a lawyer's."""

import re
import tomllib
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

from bot import portal
from bot.report import words

ROOT = Path(__file__).parents[2]
HAN = r"[\u4e00-\u9fff]"
OTHER_WORDS = re.compile(
    "涵盖|电子邮件|帐号|账户|登陆|登录名|雇主|提交信息|合并请求|会签|许可人|你|关于|对于|(?<!正在)进行(?!中)"
)
"""Words for which the glossary has another one, `你` for `您`, and what only a translation says."""

FAULTS = {
    "a half-width mark": rf"{HAN}[,;:?!]|[,;:?!]{HAN}|{HAN}\.(?!\w)|{HAN}\(|\({HAN}|{HAN}\)",
    "a space beside a full-width mark": r"[，。；：？！、（）“”《》] (?!\|)| [，。；：？！、）]",
    "no space beside Latin letters or numbers": rf"{HAN}[A-Za-z0-9`]|[A-Za-z0-9`]{HAN}",
    "a space between two Chinese characters": rf"{HAN} +{HAN}",
}


def tables(name, value):
    """(name, text) of all that a table of words holds in Chinese."""
    if isinstance(value, dict):
        for key, part in {"zh": value["zh"]}.items() if "zh" in value else value.items():
            yield from tables(f"{name} {key}", part)
    elif isinstance(value, str) and re.search(HAN, value):
        yield name, value


def texts():
    """(where it stands, text) of all Chinese that people read."""
    with (Path(portal.__file__).parent / "translations/zh_Hans_CN/LC_MESSAGES/messages.po").open("rb") as file:
        for entry in read_po(file, locale="zh_Hans_CN"):
            if entry.id:
                yield str(entry.id), entry.string if isinstance(entry.string, str) else entry.string[0]
    for path in (*Path(words.__file__).parent.glob("*zh.toml"), ROOT / "bot/verdict_codes.toml"):
        yield from tables(path.name, tomllib.loads(path.read_text(encoding="utf-8")))
    for path in (*(ROOT / "bot/mail/templates/zh").iterdir(), *(ROOT / "docs/how-to").glob("*-zh.md")):
        yield path.name, path.read_text(encoding="utf-8")


def found(pattern):
    """(where, what) of each fault. A command, which may name its values in Chinese, counts as one Latin word."""
    for where, text in texts():
        plain = re.sub(r"%\(\w+\)s", "{}", re.sub(r"```.*?```|`[^`\n]*`", "`x`", text, flags=re.DOTALL))
        yield from (
            (where, plain[max(0, match.start() - 8) : match.end() + 8]) for match in re.finditer(pattern, plain)
        )


def test_chinese_texts_use_the_words_of_the_glossary():
    assert list(found(OTHER_WORDS)) == []


@pytest.mark.parametrize("fault", FAULTS)
def test_no_chinese_text_has(fault):
    assert list(found(FAULTS[fault])) == []
