"""Licences stated in metadata of data sets and in citations."""

import json

import pytest

from audit.ecosystems.model_cards import dataset_metadata as metadata
from audit.ecosystems.model_cards.card_statement import NOTHING


@pytest.mark.parametrize(("value", "expression"), [
    ("https://creativecommons.org/licenses/by/4.0/", "CC-BY-4.0"), ("cc-by-sa-4.0", "CC-BY-SA-4.0"), (["mit", "odbl"], "MIT AND ODbL-1.0"),
    ({"@type": "CreativeWork", "name": "CC0-1.0"}, "CC0-1.0"), ("our terms", None), (None, None),
])  # fmt: skip
def test_a_croissant_licence_is_an_address_an_id_a_list_or_an_object(value, expression):
    found = metadata.read_croissant("croissant.json", json.dumps({"@type": "sc:Dataset", "license": value}))
    assert (found.license.expression, found.is_data) == (expression, True)


def test_all_licences_of_a_data_package_count_by_name_or_address():
    def read(**data):
        """The licence of a package with these keys."""
        content = json.dumps({"resources": [], **data})
        return metadata.read_data_package("datapackage.json", content).license.expression

    assert read(licenses=[{"name": "ODbL-1.0"}, {"name": "CC-BY-4.0"}]) == "ODbL-1.0 AND CC-BY-4.0"
    assert read(license="PDDL-1.0") == "PDDL-1.0"
    assert read(licenses=[{"path": "https://creativecommons.org/licenses/by-nc/4.0/"}]) == "CC-BY-NC-4.0"
    assert not metadata.read_data_package("datapackage.json", '{"name": "x"}').is_data


def test_the_licence_of_a_datasets_info_file_is_read_with_its_line():
    found = metadata.read_dataset_infos(
        "dataset_infos.json", '{"default": {"license": "cc-by-4.0"}, "b": {"license": ""}}'
    )
    assert found.license.expression == "CC-BY-4.0"
    assert metadata.read_dataset_info("dataset_info.yaml", "a: 1\nlicense: odc-by\n").license.place.line == 2


def test_several_licences_of_a_citation_are_a_choice():
    read = lambda text: metadata.read_citation("CITATION.cff", text)  # noqa: E731 - short
    assert read("cff-version: 1.2.0\nlicense: MIT\n").license.expression == "MIT"
    assert read("cff-version: 1.2.0\nlicense: [MIT, GPL-3.0-only]\n").license.expression == "MIT OR GPL-3.0-only"
    assert read("cff-version: 1.2.0\nlicense: [MIT, ours]\n").license.expression is None
    assert read("license: MIT\n") == NOTHING


@pytest.mark.parametrize("value", ["mit", {"id": "MIT"}])
def test_a_zenodo_licence_is_an_id_or_an_object_with_one(value):
    found = metadata.read_zenodo(".zenodo.json", json.dumps({"license": value}))
    assert (found.license.expression, found.is_own) == ("MIT", True)
