"""Whose data judges is said as their licences ask."""

from audit.attribution import attributions


def test_each_source_once_with_its_licence():
    """OSADL's under CC-BY-4.0, SPDX's, AboutCode's."""
    found = "\n".join(attributions())

    assert len(set(attributions())) == len(attributions())
    assert "OSADL" in found
    assert "CC-BY-4.0" in found
    assert "nexB" in found
