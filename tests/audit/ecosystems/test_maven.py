"""pom.xml: properties, managed versions, scopes, profiles, plug-ins, and hostile content."""

import pytest

from audit import ecosystems
from audit.ecosystems.dependency_merge import DependencyFile, settle
from tests.audit.ecosystems.brief import dependency_lines, merged

POM = """<?xml version="1.0" encoding="UTF-8"?>
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <parent><groupId>org.x</groupId><artifactId>parent</artifactId><version>7</version></parent>
  <artifactId>shop</artifactId>
  <licenses><license><name>Apache-2.0</name></license></licenses>
  <properties><a.version>${b.version}</a.version><b.version>1.0</b.version></properties>
  <dependencyManagement><dependencies>
    <dependency><groupId>g</groupId><artifactId>managed</artifactId><version>3.0</version><scope>test</scope></dependency>
  </dependencies></dependencyManagement>
  <dependencies>
    <dependency><groupId>g</groupId><artifactId>a</artifactId><version>${a.version}</version></dependency>
    <dependency>
      <groupId>g</groupId><artifactId>managed</artifactId>
    </dependency>
    <dependency><groupId>${project.groupId}</groupId><artifactId>sister</artifactId><version>${project.version}</version></dependency>
    <dependency><groupId>g</groupId><artifactId>p</artifactId><version>[1,2)</version><scope>provided</scope><optional>true</optional></dependency>
    <dependency><groupId>g</groupId><artifactId>u</artifactId><version>${unknown}</version></dependency>
  </dependencies>
  <profiles><profile><dependencies>
    <dependency><groupId>g</groupId><artifactId>q</artifactId><version>1</version></dependency>
  </dependencies></profile></profiles>
  <build><extensions><extension><groupId>g</groupId><artifactId>wagon</artifactId><version>2</version></extension></extensions>
  <plugins><plugin><artifactId>maven-jar-plugin</artifactId><version>3</version></plugin></plugins></build>
</project>
"""


def test_a_lone_pom_gives_its_dependencies_with_properties_and_managed_versions():
    assert dependency_lines("pom.xml", POM) == [
        "pkg:maven/g/a@1.0 dynamic-link direct :11",
        "pkg:maven/g/managed@3.0 test-only direct :12",
        "pkg:maven/org.x/sister@7 dynamic-link direct :15",
        "pkg:maven/g/p dynamic-link direct optional :16",
        "pkg:maven/g/u dynamic-link direct :17",
        "pkg:maven/g/q@1 dynamic-link direct :20",
        "pkg:maven/org.apache.maven.plugins/maven-jar-plugin@3 build-tool direct :23",
        "pkg:maven/g/wagon@2 build-tool direct :22",
        "! dependency/undetermined :17",
    ]
    read = ecosystems.read("pom.xml", POM)
    assert (read.license.expression, read.own) == ("Apache-2.0", {"org.x:shop"})


def test_the_shade_plug_in_bundles_runtime_packages():
    read = ecosystems.read("pom.xml", POM.replace("maven-jar-plugin", "maven-shade-plugin"))

    assert read.bundler == "maven-shade-plugin"


def one(version, properties=""):
    """A project with one dependency."""
    return (
        f"<project><properties>{properties}</properties><dependencies><dependency><groupId>g</groupId>"
        f"<artifactId>a</artifactId><version>{version}</version></dependency></dependencies></project>"
    )


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (one("${a}", "<a>${b}</a><b>${a}</b>"), ["pkg:maven/g/a dynamic-link direct :1", "! file/cycle :1"]),
        (one("${a}", "<a>${a}${a}</a>"), ["pkg:maven/g/a dynamic-link direct :1", "! file/refused :1"]),
        ("<project><dependencies><dependency/></dependencies></project>", ["! dependency/unreadable :1"]),
        ("<project>", ["! file/broken :1"]),
        ("<settings/>", ["! file/broken :1"]),
        ("", ["! file/broken :1"]),
        ('<!DOCTYPE p [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><project>&b;</project>', ["! file/refused"]),
        ("<a>" * 100_000, ["! file/refused :1"]),
    ],
    ids=lambda value: str(value)[:30],
)
def test_circles_bombs_and_depth_are_findings(content, expected):
    assert dependency_lines("pom.xml", content) == expected


def test_two_licences_of_a_project_are_not_taken_for_one():
    pom = "<project><licenses><license><name>MIT</name></license><license><name>GPL-3.0-only</name></license></licenses></project>"
    assert ecosystems.read("pom.xml", pom).license.expression is None


PARENT = """<project><groupId>org.tea</groupId><artifactId>tea-parent</artifactId><version>2</version>
<modules><module>pot</module><module>example</module></modules>
<properties><water.artifactId>water</water.artifactId><leaf.version>1.5</leaf.version></properties>
<dependencyManagement><dependencies>
<dependency><groupId>org.leaf</groupId><artifactId>leaf</artifactId><version>${leaf.version}</version></dependency>
<dependency><groupId>org.leaf</groupId><artifactId>check</artifactId><version>3</version><scope>test</scope></dependency>
</dependencies></dependencyManagement></project>"""
CHILD = """<project><parent><groupId>org.tea</groupId><artifactId>tea-parent</artifactId><version>2</version></parent>
<artifactId>NAME</artifactId><dependencies>DEPENDENCIES</dependencies></project>"""


def part(name, *dependencies):
    """A pom of a part, of `group:name[:version[:scope]]`."""
    entries = []
    for dependency in dependencies:
        group, artifact, version, scope = (*dependency.split(":"), "", "")[:4]
        entries.append(
            f"<dependency><groupId>{group}</groupId><artifactId>{artifact}</artifactId><version>{version}</version><scope>{scope}</scope></dependency>"
        )
    return CHILD.replace("NAME", name).replace("DEPENDENCIES", "\n".join(entries))


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("org.leaf:leaf", ["pkg:maven/org.leaf/leaf@1.5 dynamic-link"]),
        ("org.leaf:leaf:9", ["pkg:maven/org.leaf/leaf@9 dynamic-link"]),
        ("org.leaf:leaf:${leaf.version}", ["pkg:maven/org.leaf/leaf@1.5 dynamic-link"]),
        ("org.leaf:check", ["pkg:maven/org.leaf/check@3 test-only"]),
        ("org.leaf:check::compile", ["pkg:maven/org.leaf/check@3 dynamic-link"]),
        ("org.leaf:${water.artifactId}:1", ["pkg:maven/org.leaf/water@1 dynamic-link"]),
        ("${project.groupId}:tea-pot:${project.version}", []),
        ("${project.parent.groupId}:tea-pot", []),
        ("org.tea:tea-example:2", []),
        ("org.tea:tea-parent:2", []),
        ("org.tea:tea-build:26", ["pkg:maven/org.tea/tea-build@26 dynamic-link"]),
        ("org.leaf:${nobody.knows}:1", []),
        ("${nobody.knows}:x:1", []),
    ],
)
def test_a_parent_s_properties_versions_and_scopes_count(asked, expected):
    files = {
        "pom.xml": PARENT,
        "pot/pom.xml": part("tea-pot"),
        "example/pom.xml": part("tea-example"),
        "cup/pom.xml": part("tea-cup", asked),
    }
    assert [" ".join(line.split()[:2]) for line in merged(files)] == expected


def test_a_name_with_an_unknown_property_is_a_finding_and_a_version_is_not():
    files = {
        "pom.xml": PARENT,
        "cup/pom.xml": part("tea-cup", "org.leaf:${nobody.knows}:1", "org.leaf:leaf:${leaf.version}"),
    }
    sources = [DependencyFile(path, "maven", ecosystems.read(path, content)) for path, content in files.items()]
    said = [finding for source in settle(sources) for finding in source.read.findings]
    assert [(finding.code, "${nobody.knows}" in finding.message) for finding in said] == [
        ("dependency/undetermined", True)
    ]


def test_the_pom_nearest_to_the_root_is_the_parent():
    files = {
        "a/b/pom.xml": PARENT.replace("<leaf.version>", "<leaf.version>0.").replace("3.0", "0.1"),
        "pom.xml": PARENT,
        "cup/pom.xml": part("tea-cup", "org.leaf:leaf:${leaf.version}"),
    }
    alone = [line.split()[0] for line in merged({path: files[path] for path in ("pom.xml", "cup/pom.xml")})]
    assert [line.split()[0] for line in merged(files) if line.split()[0] in alone] == alone


def test_parents_in_a_circle_end():
    circle = CHILD.replace("NAME", "tea-parent").replace(
        "DEPENDENCIES", "<dependency><groupId>${a}</groupId><artifactId>b</artifactId></dependency>"
    )
    assert merged({"pom.xml": circle}) == []


ARCHIVE = "<groupId>g</groupId><artifactId>a</artifactId><version>1</version>"


@pytest.mark.parametrize(
    ("inside", "expected"),
    [
        (f"<dependencies><dependency>{ARCHIVE}</dependency></dependencies>", "pkg:maven/g/a@1 build-tool direct :1"),
        (f"<configuration><annotationProcessorPaths><path>{ARCHIVE}</path></annotationProcessorPaths></configuration>", "pkg:maven/g/a@1 build-tool direct :1"),
        (f"<executions><execution><configuration><artifactItems><artifactItem>{ARCHIVE}</artifactItem></artifactItems></configuration></execution></executions>",
         "pkg:maven/g/a@1 unknown direct :1"),
        (f"<configuration><overlays><overlay>{ARCHIVE}</overlay></overlays></configuration>", "pkg:maven/g/a@1 unknown direct :1"),
        ("<configuration><protocArtifact>g:a:1:exe:${os}</protocArtifact></configuration>", "pkg:maven/g/a@1 unknown direct :1"),
        ("<configuration><path><groupId>h</groupId><artifactId>managed</artifactId></path></configuration>", "pkg:maven/h/managed@2 build-tool direct :1"),
        (f"<configuration><excludes><exclude>{ARCHIVE}</exclude></excludes></configuration>", None),
        ("<configuration><includes><include>g:a:1</include></includes></configuration>", None),
        ("<configuration><argument>g:a</argument><format>HH:mm:ss</format><address>jdbc:h2:mem</address></configuration>", None),
    ],
)  # fmt: skip
def test_archives_that_plug_ins_use_are_read(inside, expected):
    plugin = f"<plugin><artifactId>x</artifactId>{inside}</plugin>"
    managed = "<dependencyManagement><dependencies><dependency><groupId>h</groupId><artifactId>managed</artifactId><version>2</version></dependency></dependencies></dependencyManagement>"
    for head in ("<build><plugins>", "<build><pluginManagement><plugins>"):
        tail = (
            head.replace("<pluginManagement><plugins>", "</plugins></pluginManagement>")
            .replace("<plugins>", "</plugins>")
            .replace("<build>", "")
            + "</build>"
        )
        lines = dependency_lines("pom.xml", f"<project>{managed}{head}{plugin}{tail}</project>")
        assert [line for line in lines if "/x " not in line] == ([expected] if expected else [])
        assert ("pkg:maven/org.apache.maven.plugins/x build-tool direct :1" in lines) == ("Management" not in head)
