"""The texts that are files: shipped ones, and those beside the rulebook."""

from hashlib import sha256

import pytest

from agreements.catalog import CatalogBroken
from bot.rulebook import text_files
from bot.rulebook.text_files import beside, shipped

SOURCE = "# Ours\n\nNew words for {organization}.\n"


def test_texts_beside_the_rulebook_need_their_sha256sums(tmp_path):
    file = tmp_path / "rules.yml"
    assert beside(file) is shipped
    assert beside(None) is shipped

    place = tmp_path / "texts" / "icla" / "3.0" / "en.md"
    place.parent.mkdir(parents=True)
    place.write_text(SOURCE, encoding="utf-8")
    # Not the shipped ones alone: whom this text covers would be missing without a word.
    with pytest.raises(CatalogBroken, match=r"^texts/SHA256SUMS: cannot be read; texts/icla/3\.0/en\.md: not listed"):
        beside(file)()

    sums = tmp_path / "texts" / "SHA256SUMS"
    sums.write_text(f"{sha256(SOURCE.encode()).hexdigest()}  icla/3.0/en.md\n", encoding="utf-8")
    assert beside(file)().versions("icla") == ("2.0", "3.0")

    place.write_text(SOURCE + "more", encoding="utf-8")
    with pytest.raises(CatalogBroken, match=r"^texts/icla/3\.0/en\.md: a released text changed"):
        text_files.beside(file)()


@pytest.mark.parametrize("content", [(), ("README.md",), (".gitkeep", ".DS_Store")])
def test_a_folder_without_texts_needs_no_sums(tmp_path, content):
    (tmp_path / "texts").mkdir()
    for name in content:
        (tmp_path / "texts" / name).touch()
    assert beside(tmp_path / "rules.yml") is shipped


def test_a_file_called_texts_is_no_folder_of_texts(tmp_path):
    (tmp_path / "texts").touch()
    assert beside(tmp_path / "rules.yml") is shipped


@pytest.mark.parametrize("name", ["icla.md", "icla/en.md", "icla/3.0/en.txt", "icla/3.0/en.pdf"])
def test_a_text_in_another_place_needs_sums(tmp_path, name):
    place = tmp_path / "texts" / name
    place.parent.mkdir(parents=True)
    place.touch()
    with pytest.raises(CatalogBroken, match="texts/SHA256SUMS: cannot be read"):
        beside(tmp_path / "rules.yml")()
