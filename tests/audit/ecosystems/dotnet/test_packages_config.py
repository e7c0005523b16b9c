"""packages.config: exact versions, and what develops."""

from tests.audit.ecosystems.brief import dependency_lines


def test_packages():
    """Nobody says which ones are direct; one without a name is none."""
    content = """<?xml version="1.0" encoding="utf-8"?>
<packages>
  <package id="NUnit" version="3.13.3" targetFramework="net48" />
  <package id="StyleCop" version="6.2.0" developmentDependency="true" />
  <package version="1" />
</packages>"""
    assert dependency_lines("packages.config", content) == [
        "pkg:nuget/NUnit@3.13.3 dynamic-link :3",
        "pkg:nuget/StyleCop@6.2.0 dev-tool :4",
    ]


def test_no_document_type():
    """A document type is refused."""
    assert dependency_lines("packages.config", '<!DOCTYPE a [<!ENTITY b "c">]><packages/>') == ["! file/refused"]
