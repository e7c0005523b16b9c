"""packages.lock.json: frameworks together, own projects, what the project file says along the graph; and tool manifests."""

import json

import pytest

from tests.audit.ecosystems.brief import dependency_lines, merged, origins

HASH = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=="
LOCK = json.dumps({
    "version": 1,
    "dependencies": {
        "net6.0": {
            "Serilog.Sinks.File": {"type": "Direct", "requested": "[5.0.0, )", "resolved": "5.0.0", "contentHash": HASH, "dependencies": {"Serilog": "2.10.0"}},
            "StyleCop.Analyzers": {"type": "Direct", "requested": "[1.1.118, )", "resolved": "1.1.118", "contentHash": "no base64"},
            "Serilog": {"type": "Transitive", "resolved": "2.10.0", "contentHash": "x"},
            "shop.core": {"type": "Project", "dependencies": {"Newtonsoft.Json": "[13.0.3, )"}},
            "Newtonsoft.Json": {"type": "CentralTransitive", "requested": "[13.0.3, )", "resolved": "13.0.3"},
        },
        "net6.0/win-x64": {"Serilog": {"type": "Transitive", "resolved": "2.10.0"}, "runtime.native": {"type": "Transitive", "resolved": "4.3.0"}},
    },
}, indent=1)  # fmt: skip
PROJECT = """<Project Sdk="Microsoft.NET.Sdk">
  <ItemGroup>
    <PackageReference Include="Serilog.Sinks.File" Version="5.0.0" />
    <PackageReference Include="StyleCop.Analyzers" Version="1.1.118" PrivateAssets="all" />
  </ItemGroup>
</Project>
"""


def test_lock_alone():
    """Each package once; nobody says how it is used, so it is linked."""
    assert merged({"packages.lock.json": LOCK}) == [
        "pkg:nuget/Newtonsoft.Json@13.0.3 dynamic-link direct :31",
        "pkg:nuget/runtime.native@4.3.0 dynamic-link indirect :42",
        "pkg:nuget/Serilog@2.10.0 dynamic-link indirect :20",
        "pkg:nuget/Serilog.Sinks.File@5.0.0 dynamic-link direct :5",
        "pkg:nuget/StyleCop.Analyzers@1.1.118 dynamic-link direct :14",
    ]


def test_the_project_file_says_how():
    """An analyzer stays one; what the repository's own project needs runs."""
    found = merged({"App.csproj": PROJECT, "packages.lock.json": LOCK})
    assert [one.partition(" :")[0] for one in found] == [
        "pkg:nuget/Newtonsoft.Json@13.0.3 dynamic-link direct",
        "pkg:nuget/runtime.native@4.3.0 dynamic-link indirect",
        "pkg:nuget/Serilog@2.10.0 dynamic-link indirect",
        "pkg:nuget/Serilog.Sinks.File@5.0.0 dynamic-link direct",
        "pkg:nuget/StyleCop.Analyzers@1.1.118 dev-tool direct",
    ]


def test_archives_and_needs():
    """The hash of an archive in SPDX's form, and what a package brings."""
    found = origins({"packages.lock.json": LOCK})
    assert "pkg:nuget/Serilog.Sinks.File@5.0.0 SHA512:00000000 brings pkg:nuget/Serilog@2.10.0" in found
    assert "pkg:nuget/StyleCop.Analyzers@1.1.118" in found


@pytest.mark.parametrize(("content", "expected"), [
    ('{"version": 1, "dependencies": {"net8.0": {}}}', []),
    ('{"version": 1}', ["! file/broken :1"]),
    ("{}", ["! file/broken :1"]),
    ('{"dependencies": {"net8.0": [1]}}', ["! file/broken :1"]),
])  # fmt: skip
def test_shapes(content, expected):
    """A lock file without packages is fine, another shape is a finding."""
    assert dependency_lines("packages.lock.json", content) == expected


def test_tools():
    """Programs of developers."""
    content = '{"version": 1, "tools": {\n"dotnet-ef": {"version": "8.0.1", "commands": ["dotnet-ef"]}}}'
    assert dependency_lines(".config/dotnet-tools.json", content) == ["pkg:nuget/dotnet-ef@8.0.1 dev-tool direct :2"]
