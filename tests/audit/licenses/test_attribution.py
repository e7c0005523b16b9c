"""Whose data judges is said as their licences ask."""

from audit.licenses.attribution import data


def test_each_source_once_with_its_licence():
    """OSADL's under CC-BY-4.0, SPDX's, AboutCode's; each says what it is."""
    found = data()

    assert len({one.content for one in found}) == len(found)
    assert ("compatibility matrix", "CC-BY-4.0") in {(one.content, one.license) for one in found}
    assert {"OSADL", "SPDX", "nexB"} <= {
        word for one in found for word in one.attribution.replace("(", " ").replace(")", " ").split()
    }


def test_the_matrix_that_judged():
    """Its own date stands there, not that of the one that is shipped."""
    [matrix] = [one for one in data(("2027-01-01",)) if one.content == "compatibility matrix"]
    assert matrix.version == "2027-01-01"
