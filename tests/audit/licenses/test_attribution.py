"""The sources of licence data are named as their licences ask."""

from audit.licenses.attribution import data


def test_each_source_of_data_is_named_once_with_its_licence():
    found = data()

    assert len({dataset.content for dataset in found}) == len(found)
    assert ("compatibility matrix", "CC-BY-4.0") in {(dataset.content, dataset.license) for dataset in found}
    assert {"OSADL", "SPDX", "nexB"} <= {
        word for dataset in found for word in dataset.attribution.replace("(", " ").replace(")", " ").split()
    }


def test_the_matrix_that_judged_is_named_with_its_own_date():
    [matrix] = [dataset for dataset in data(("2027-01-01",)) if dataset.content == "compatibility matrix"]
    assert matrix.version == "2027-01-01"
