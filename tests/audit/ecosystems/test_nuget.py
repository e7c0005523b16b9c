"""NuGet: project files and central versions, packages.config, packages.lock.json, tool manifests."""

import json

import pytest

from audit import ecosystems
from tests.audit.ecosystems.brief import dependency_lines, merged, origins


def project(*items, head=""):
    """A project file with these items, from line 3 on."""
    return f'<Project Sdk="Microsoft.NET.Sdk">{head}\n<ItemGroup>\n' + "\n".join(items) + "\n</ItemGroup>\n</Project>"


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ('<PackageReference Include="A" Version="1.2.3" />', "pkg:nuget/A@1.2.3 dynamic-link direct :3"),
        ('<PackageReference Include="A"><Version>1.2.3-rc.1</Version></PackageReference>', "pkg:nuget/A@1.2.3-rc.1 dynamic-link direct :3"),
        ('<PackageReference Include="A" Version="[1.2.3]" />', "pkg:nuget/A@1.2.3 dynamic-link direct :3"),
        ('<PackageReference Include="A" Version="[1.2,2.0)" />', "pkg:nuget/A dynamic-link direct :3"),
        ('<PackageReference Include="A" Version="1.*" />', "pkg:nuget/A dynamic-link direct :3"),
        ('<PackageReference Include="A" Version="$(AVersion)" />', "pkg:nuget/A@4.5.6 dynamic-link direct :3"),
        ('<PackageReference Include="A" Version="1.0" PrivateAssets="All" />', "pkg:nuget/A@1.0 dev-tool direct :3"),
        ('<PackageReference Include="A"><PrivateAssets>all</PrivateAssets></PackageReference>', "pkg:nuget/A dev-tool direct :3"),
        ('<PackageReference Include="A" PrivateAssets="compile" />', "pkg:nuget/A dynamic-link direct :3"),
        ('<PackageReference Include="A" PrivateAssets="all" GeneratePathProperty="true" />', "pkg:nuget/A dynamic-link direct :3"),
        ('<DotNetCliToolReference Include="A" Version="1.0" />', "pkg:nuget/A@1.0 dev-tool direct :3"),
        ('<PackageDownload Include="A" Version="[1.0]" />', "pkg:nuget/A@1.0 build-tool direct :3"),
    ],
)  # fmt: skip
def test_each_form_of_an_item_gives_version_and_usage(item, expected):
    head = "<PropertyGroup><AVersion>4.5.6</AVersion><Circle>$(Circle)</Circle></PropertyGroup>"
    assert dependency_lines("App.csproj", project(item, head=head)) == [expected]


@pytest.mark.parametrize("name", ["Elsewhere", "Circle", "Conditional", "Twice"])
def test_a_version_from_another_file_or_condition_is_a_finding(name):
    head = """<PropertyGroup Condition="'$(A)' == ''"><Conditional>1.0.0</Conditional></PropertyGroup>
<PropertyGroup><Circle>$(Circle)</Circle><Twice>1.0.0</Twice><Twice>2.0.0</Twice></PropertyGroup>"""
    found = dependency_lines("App.csproj", project(f'<PackageReference Include="A" Version="$({name})" />', head=head))
    assert found == ["pkg:nuget/A dynamic-link direct :4", "! dependency/undetermined :4"]


def test_update_of_all_items_changes_them_and_include_of_others_is_a_finding():
    assert (
        dependency_lines("A.csproj", project('<PackageReference Update="@(PackageReference)" PrivateAssets="All" />'))
        == []
    )
    read = ecosystems.read("A.csproj", project('<PackageReference Include="@(Ours)" />'))
    assert (read.dependencies, [finding.code for finding in read.findings]) == ((), ["dependency/unreadable"])


def test_a_computed_package_name_is_a_finding():
    assert dependency_lines("App.csproj", project('<PackageReference Include="$(Name)" Version="1.0" />')) == [
        "! dependency/unreadable :3"
    ]


@pytest.mark.parametrize("item", [
    '<ProjectReference Include="..\\Core\\Core.csproj" />', '<Reference Include="System.Xml" />', '<PackageReference Remove="A" />',
    '<FrameworkReference Include="Microsoft.AspNetCore.App" />',
])  # fmt: skip
def test_project_and_framework_references_are_no_packages(item):
    assert dependency_lines("src/App.fsproj", project(item)) == []


@pytest.mark.parametrize("content", [
    project('<PackageReference Include="xunit" Version="2.9.0" />', '<PackageReference Include="Microsoft.NET.Test.Sdk" Version="17.0.0" />'),
    project('<PackageReference Include="xunit" Version="2.9.0" />', head="<PropertyGroup><IsTestProject>true</IsTestProject></PropertyGroup>"),
])  # fmt: skip
def test_packages_of_a_test_project_are_test_only(content):
    assert dependency_lines("Shop.Spec.csproj", content)[0] == "pkg:nuget/xunit@2.9.0 test-only direct :3"


CENTRAL = """<Project>
  <PropertyGroup><JsonVersion>13.0.3</JsonVersion></PropertyGroup>
  <ItemGroup>
    <PackageVersion Include="Newtonsoft.Json" Version="$(JsonVersion)" />
    <PackageVersion Include="xunit" Version="2.9.0" />
    <PackageVersion Include="Unused" Version="1.0.0" />
    <GlobalPackageReference Include="Nerdbank.GitVersioning" Version="3.6.0" />
  </ItemGroup>
</Project>
"""


def test_central_versions_count_only_for_packages_that_a_project_asks_for():
    files = {
        "Directory.Packages.props": CENTRAL,
        "src/App.csproj": project('<PackageReference Include="Newtonsoft.Json" />'),
        "spec/Spec.csproj": project('<PackageReference Include="xunit" />', '<PackageReference Include="Microsoft.NET.Test.Sdk" Version="17.0.0" />'),
    }  # fmt: skip
    assert merged(files) == [
        "pkg:nuget/Microsoft.NET.Test.Sdk@17.0.0 test-only direct :4",
        "pkg:nuget/Nerdbank.GitVersioning@3.6.0 dev-tool direct :7",
        "pkg:nuget/Newtonsoft.Json@13.0.3 dynamic-link direct :3",
        "pkg:nuget/xunit@2.9.0 test-only direct :3",
    ]


def test_the_own_licence_of_a_project_is_read():
    head = "<PropertyGroup>\n<PackageLicenseExpression>MIT</PackageLicenseExpression></PropertyGroup>"
    stated = ecosystems.read("App.csproj", project(head=head)).license
    assert (stated.expression, stated.place.line) == ("MIT", 2)


def test_a_reference_with_a_file_is_a_library():
    content = r"""<Project><ItemGroup>
<Reference Include="System.Xml" />
<Reference Include="C, Version=1.2.0.0, Culture=neutral"><HintPath>..\lib\C.dll</HintPath></Reference>
<Reference Include="N"><HintPath>..\packages\N.1.0.0\lib\net45\N.dll</HintPath></Reference>
</ItemGroup></Project>"""
    assert dependency_lines("x.csproj", content) == ["pkg:generic/C dynamic-link direct :3"]
    tests = content.replace("<Project>", "<Project><PropertyGroup><IsTestProject>true</IsTestProject></PropertyGroup>")
    assert dependency_lines("x.csproj", tests) == ["pkg:generic/C test-only direct :3"]


def test_several_packages_in_one_item_are_all_read():
    content = '<Project><ItemGroup><PackageReference Include="A; B;" Version="1.0.0"/></ItemGroup></Project>'
    assert dependency_lines("x.csproj", content) == [
        "pkg:nuget/A@1.0.0 dynamic-link direct :1",
        "pkg:nuget/B@1.0.0 dynamic-link direct :1",
    ]


def test_a_project_reference_outside_is_a_finding():
    item = '<ProjectReference Include="..\\..\\a\\a.csproj" />'
    assert dependency_lines("b/B.csproj", project(item)) == ["! file/outside :3"]
    assert dependency_lines("Directory.Build.props", project(item)) == []


def test_packages_config_gives_versions_without_direct_ones():
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


def test_a_document_type_in_packages_config_is_refused():
    assert dependency_lines("packages.config", '<!DOCTYPE a [<!ENTITY b "c">]><packages/>') == ["! file/refused"]


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


def test_packages_of_a_lone_lock_are_linked():
    assert merged({"packages.lock.json": LOCK}) == [
        "pkg:nuget/Newtonsoft.Json@13.0.3 dynamic-link direct :31",
        "pkg:nuget/runtime.native@4.3.0 dynamic-link indirect :42",
        "pkg:nuget/Serilog@2.10.0 dynamic-link indirect :20",
        "pkg:nuget/Serilog.Sinks.File@5.0.0 dynamic-link direct :5",
        "pkg:nuget/StyleCop.Analyzers@1.1.118 dynamic-link direct :14",
    ]


def test_the_project_file_says_how_locked_packages_are_used():
    found = merged({"App.csproj": PROJECT, "packages.lock.json": LOCK})
    assert [line.partition(" :")[0] for line in found] == [
        "pkg:nuget/Newtonsoft.Json@13.0.3 dynamic-link direct",
        "pkg:nuget/runtime.native@4.3.0 dynamic-link indirect",
        "pkg:nuget/Serilog@2.10.0 dynamic-link indirect",
        "pkg:nuget/Serilog.Sinks.File@5.0.0 dynamic-link direct",
        "pkg:nuget/StyleCop.Analyzers@1.1.118 dev-tool direct",
    ]


def test_the_hash_of_unsigned_contents_is_no_checksum_of_the_archive():
    found = origins({"packages.lock.json": LOCK})
    assert "pkg:nuget/Serilog.Sinks.File@5.0.0 brings pkg:nuget/Serilog@2.10.0" in found
    assert "pkg:nuget/StyleCop.Analyzers@1.1.118" in found


@pytest.mark.parametrize(("content", "expected"), [
    ('{"version": 1, "dependencies": {"net8.0": {}}}', []),
    ('{"version": 1}', ["! file/broken :1"]),
    ("{}", ["! file/broken :1"]),
    ('{"dependencies": {"net8.0": [1]}}', ["! file/broken :1"]),
])  # fmt: skip
def test_an_empty_lock_is_no_finding_and_another_shape_is_one(content, expected):
    assert dependency_lines("packages.lock.json", content) == expected


def test_tools_of_a_manifest_are_development_tools():
    content = '{"version": 1, "tools": {\n"dotnet-ef": {"version": "8.0.1", "commands": ["dotnet-ef"]}}}'
    assert dependency_lines(".config/dotnet-tools.json", content) == ["pkg:nuget/dotnet-ef@8.0.1 dev-tool direct :2"]
