"""The agreement texts: complete in both languages, and refused as soon as a released byte changes."""

import re
import shutil
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from time import process_time

import pytest

from agreements import catalog
from agreements.catalog import AgreementText, Catalog, CatalogBroken
from agreements.rulebook.rules import AgreementRef, RepositoryRule, Rules

FOLDER = Path(catalog.__file__).parent / "texts"


@pytest.fixture
def folder(tmp_path):
    """A copy of the released texts that a test may break."""
    return Path(shutil.copytree(FOLDER, tmp_path / "texts"))


def broken(folder: Path) -> tuple[str, ...]:
    """The problems that loading this folder names."""
    with pytest.raises(CatalogBroken) as raised:
        Catalog.load(folder)
    return raised.value.problems


@pytest.mark.parametrize("name", ["icla", "ccla"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_each_released_agreement_is_there_in_both_languages_with_its_file_s_hash(name, language):
    text = Catalog.load().get(name, "2.0", language)

    assert text is not None
    assert text.sha256 == sha256((FOLDER / name / "2.0" / f"{language}.md").read_bytes()).hexdigest()
    assert catalog.PLACEHOLDER in text.source
    assert text.source.splitlines()[0].startswith(
        {"en": "> **Template for counsel to review.**", "zh": "> **供法律顾问审阅的模板。**"}[language]
    )


@pytest.mark.parametrize("name", ["icla", "ccla"])
def test_both_languages_have_the_same_sections_paragraphs_and_list_items(name):
    def shape(language):
        text = Catalog.load().get(name, "2.0", language)
        return [re.match(r"## \d+\.|# |> |- |\*\*|", line)[0] for line in text.source.splitlines()]

    assert [part for part in shape("en") if part] == [part for part in shape("zh") if part]
    assert "electronic" in Catalog.load().get(name, "2.0", "en").source
    assert "电子签名" in Catalog.load().get(name, "2.0", "zh").source


def test_the_dco_is_verbatim():
    """The DCO's licence allows verbatim copies only; these are the bytes at developercertificate.org."""
    text = Catalog.load().get("dco", "1.1", "en")

    assert text.source.startswith(
        "Developer Certificate of Origin\nVersion 1.1\n\nCopyright (C) 2004, 2006 The Linux Foundation"
    )
    assert text.sha256 == "f7ac75b443f4ca16b503241344b41aeff9503b0c30bedc2b119551d83cb0fa90"
    assert not text.signable


def test_only_the_four_agreement_texts_can_be_signed():
    accepted = Catalog.load().accepted()

    assert {entry[:3] for entry in accepted} == {(n, "2.0", la) for n in ("icla", "ccla") for la in ("en", "zh")}
    assert all(Catalog.load().get(*entry[:3]).sha256 == entry[3] for entry in accepted)


def test_an_unreleased_text_is_none_and_never_a_near_match():
    loaded = Catalog.load()

    assert loaded.languages("icla", "2.0") == ("en", "zh")
    assert loaded.languages("icla", "2") == ()
    assert loaded.get("icla", "2.0", "fr") is None
    assert loaded.get("ICLA", "2.0", "en") is None


def test_a_changed_text_breaks_the_catalog_and_is_named(folder):
    path = folder / "icla/2.0/zh.md"
    path.write_bytes(path.read_bytes() + b"\n")

    assert [problem.partition(":")[0] for problem in broken(folder)] == ["icla/2.0/zh.md"]
    assert "a released text changed" in broken(folder)[0]


def test_all_problems_of_the_catalog_are_named_at_once(folder):
    (folder / "ccla/2.0/en.md").unlink()
    (folder / "icla/3.0").mkdir()
    (folder / "icla/3.0/en.md").write_text("new")
    (folder / "stray.md").write_text("stray")
    (folder / "icla/1.0").mkdir()
    (folder / "icla/1.0/en.md").write_bytes(b"\xff")
    with (folder / "SHA256SUMS").open("a") as sums:
        sums.write(f"{sha256(bytes([255])).hexdigest()}  icla/1.0/en.md\nnonsense\n")

    assert broken(folder) == (
        "SHA256SUMS: line 8 is not `sha256  path`",
        "ccla/2.0/en.md: released, but cannot be read",
        "icla/1.0/en.md: not UTF-8",
        "icla/3.0/en.md: not listed in SHA256SUMS",
        "stray.md: not of the form name/version/language.md or name/version/fields.toml",
    )


def test_no_text_is_released_without_the_list_of_hashes(folder):
    (folder / "SHA256SUMS").unlink()

    assert broken(folder)[0] == "SHA256SUMS: cannot be read"


def test_a_new_version_is_a_new_file_and_its_line_in_the_list(folder):
    (folder / "icla/3.0").mkdir()
    (folder / "icla/3.0/en.md").write_text("Mine")
    with (folder / "SHA256SUMS").open("a") as sums:
        sums.write(f"{sha256(b'Mine').hexdigest()}  icla/3.0/en.md\n")

    assert Catalog.load(folder).get("icla", "3.0", "en").source == "Mine"


def test_an_agreement_asks_for_the_same_fields_in_every_language(folder):
    loaded = Catalog.load()

    assert loaded.get("icla", "2.0", "en").fields == ()
    assert [field.name for field in loaded.get("ccla", "2.0", "zh").fields] == [
        "legal-name", "registration", "address", "title",
    ]  # fmt: skip
    assert all({"en", "zh"} == set(field.label) for field in loaded.get("ccla", "2.0", "en").fields)
    assert loaded.get("ccla", "2.0", "en").fields == loaded.get("ccla", "2.0", "zh").fields


def test_changed_or_unreadable_fields_break_the_catalog_and_are_named(folder):
    path = folder / "ccla/2.0/fields.toml"
    path.write_text('[[field]]\nname = "x"\n')
    changed = broken(folder)
    sums = folder / "SHA256SUMS"
    old = next(line for line in sums.read_text().splitlines() if line.endswith("fields.toml"))
    sums.write_text(sums.read_text().replace(old[:64], sha256(path.read_bytes()).hexdigest()))

    assert "ccla/2.0/fields.toml: a released text changed" in changed[0]
    assert broken(folder) == (
        "ccla/2.0/fields.toml: field 1: needs name and label, and may have required, longest and kind",
    )


def test_markdown_in_an_organisation_s_name_is_escaped():
    text = catalog.AgreementText("x", "1", "en", "Hello {organization}!", "")

    assert text.for_organization("A *bold* <b>") == r"Hello A \*bold\* \<b\>!"


def released(version: str, source: str = "# Ours\n", language: str = "en", name: str = "icla") -> catalog.AgreementText:
    """A text as it was released elsewhere."""
    return catalog.AgreementText(name, version, language, source, sha256(source.encode()).hexdigest())


def test_texts_from_elsewhere_join_a_copy_of_the_catalog():
    files = Catalog.load()
    joined = files.with_texts([released("10.0"), released("3.0", language="zh")])

    assert joined.versions("icla") == ("2.0", "3.0", "10.0")
    assert files.versions("icla") == ("2.0",)
    assert joined.languages("icla", "3.0") == ("zh",)
    assert ("icla", "10.0", "en", sha256(b"# Ours\n").hexdigest()) in joined.accepted()


def test_a_later_text_without_fields_has_those_of_the_version_before():
    joined = Catalog.load().with_texts([released("3.0", name="ccla"), released("1.0", name="ccla")])

    assert joined.get("ccla", "3.0", "en").fields == joined.get("ccla", "2.0", "en").fields != ()
    assert joined.get("ccla", "1.0", "en").fields == ()


def test_texts_from_elsewhere_that_changed_are_refused_and_all_named():
    files = Catalog.load()
    there = files.get("icla", "2.0", "en")
    assert files.with_texts([there]).get("icla", "2.0", "en") == there

    with pytest.raises(CatalogBroken) as raised:
        files.with_texts([replace(released("3.0"), source="# Other\n"), released("2.0")])
    assert [problem.partition(" (")[0] for problem in raised.value.problems] == [
        "icla/2.0/en: released twice, with different words",
        "icla/3.0/en: a released text changed",
    ]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("> **Template for counsel to review.** This text is a starting point.", True),
        ("Template for counsel, not to be signed yet", True),
        ("> **供法律顾问审阅的模板。** 本文本仅为起草的起点。", True),
        ("# Individual Contributor License Agreement", False),
        ("You sign no template for counsel.", False),
    ],
)
def test_a_text_with_the_banner_is_a_template(line, expected):
    source = f"# Ours\n\n{line}\n\nWords.\n"

    assert replace(Catalog.load().get("icla", "2.0", "en"), source=source).is_template is expected
    assert {text.name for text in Catalog.load().texts() if text.is_template} == {"icla", "ccla"}
    assert not any(text.is_template for text in Catalog.load().texts() if text.name == "dco")


@pytest.mark.parametrize(
    ("source", "terms"),
    [
        ("> **Template for counsel to review.** A start.\n> Ask a lawyer.\n\n# Ours\n\nWords.\n", "# Ours\n\nWords.\n"),
        ("> **供法律顾问审阅的模板。** 起点。\n\n# Ours\n", "# Ours\n"),
        ("> **Template for counsel.**\nYou pay us.\n", "You pay us.\n"),
        ("# Ours\n\n> Template for counsel: you pay us.\n", "# Ours\n\n> Template for counsel: you pay us.\n"),
        ("Template for counsel: you pay us.\n", "Template for counsel: you pay us.\n"),
        ("> You pay us.\n\n# Ours\n", "> You pay us.\n\n# Ours\n"),
    ],
)
def test_only_the_banner_is_taken_out_of_a_signed_text(source, terms):
    assert replace(Catalog.load().get("icla", "2.0", "en"), source=source).terms == terms


@pytest.mark.parametrize(("require", "expected"), [("cla", 4), ("both", 4), ("either", 4), ("dco", 0), ("none", 0)])
def test_templates_are_needed_only_for_a_required_cla_in_its_version_in_force(require, expected):
    rules = Rules(repositories=(RepositoryRule(("*",), require),))
    later = replace(rules, individual=AgreementRef("icla", "3.0"), corporate=AgreementRef("icla", "3.0"))

    assert len(Catalog.load().templates(rules)) == expected
    assert Catalog.load().templates(later) == ()


def test_a_text_of_many_blank_lines_is_read_in_linear_time():
    """Any text may be pasted."""
    began = process_time()
    empty = AgreementText("x", "1.0", "en", "# A\n" + "\n" * 20_000 + "b", "")

    assert not empty.is_template
    assert process_time() - began < 0.2
