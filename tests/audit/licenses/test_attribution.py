"""The sources of licence data are named as their licences ask."""

from audit.licenses.attribution import data


def test_each_source_of_data_is_named_once_with_its_licence():
    found = data()

    assert len({one.content for one in found}) == len(found)
    assert ("compatibility matrix", "CC-BY-4.0") in {(one.content, one.license) for one in found}
    assert {"OSADL", "SPDX", "nexB"} <= {
        word for one in found for word in one.attribution.replace("(", " ").replace(")", " ").split()
    }


def test_the_matrix_that_judged_is_named_with_its_own_date():
    [matrix] = [one for one in data(("2027-01-01",)) if one.content == "compatibility matrix"]
    assert matrix.version == "2027-01-01"
