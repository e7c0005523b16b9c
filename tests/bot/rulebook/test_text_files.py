"""The texts that are files: shipped ones, and those beside the rulebook."""

from hashlib import sha256

import pytest

from agreements.catalog import CatalogBroken
from bot.rulebook import text_files
from bot.rulebook.text_files import beside, shipped

SOURCE = "# Ours\n\nNew words for {organization}.\n"


def test_texts_beside_the_rulebook_need_their_sha256sums(tmp_path):
    file = tmp_path / "rules.yml"
    place = tmp_path / "texts" / "icla" / "3.0" / "en.md"
    place.parent.mkdir(parents=True)
    place.write_text(SOURCE, encoding="utf-8")
    assert beside(file) is shipped
    assert beside(None) is shipped

    sums = tmp_path / "texts" / "SHA256SUMS"
    sums.write_text(f"{sha256(SOURCE.encode()).hexdigest()}  icla/3.0/en.md\n", encoding="utf-8")
    assert beside(file)().versions("icla") == ("2.0", "3.0")

    place.write_text(SOURCE + "more", encoding="utf-8")
    with pytest.raises(CatalogBroken, match=r"icla/3\.0/en\.md: a released text changed"):
        text_files.beside(file)()
