"""Package.swift and Package.resolved: repositories at their commits, targets of tests, local packages."""

import json

import pytest

from tests.audit.ecosystems.brief import dependency_lines, merged, origins

COMMIT = "ecaf84d6a3ea5ff4a2d2e2b0a2a4f3a2c4a5b6c7"
ONE = {"object": {"pins": [
    {"package": "Alamofire", "repositoryURL": "https://github.com/Alamofire/Alamofire.git", "state": {"branch": None, "revision": COMMIT, "version": "5.4.3"}},
    {"package": "Local", "repositoryURL": "../Local", "state": {"revision": COMMIT}},
]}, "version": 1}  # fmt: skip
TWO = {"pins": [
    {"identity": "swift-nio", "kind": "remoteSourceControl", "location": "https://github.com/apple/swift-nio", "state": {"revision": COMMIT, "version": "2.65.0"}},
    {"identity": "quick", "kind": "remoteSourceControl", "location": "git@github.com:Quick/Quick.git", "state": {"branch": "main", "revision": COMMIT}},
    {"identity": "mine", "kind": "localSourceControl", "location": "/tmp/mine", "state": {"revision": COMMIT}},
    {"identity": "mona.linked-list", "kind": "registry", "location": "", "state": {"version": "1.0.0"}},
], "version": 2}  # fmt: skip
MANIFEST = """// swift-tools-version:5.7
import PackageDescription
let package = Package(
    name: "Shop",
    dependencies: [
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.0.0"),
        .package(url: "https://github.com/Quick/Quick", branch: "main"), // for tests
        .package(path: "../Local"),
    ],
    targets: [
        .target(name: "Shop", dependencies: [.product(name: "NIO", package: "swift-nio"), .target(name: "Core")]),
        .testTarget(name: "ShopTests", dependencies: ["Shop", .product(name: "NIO", package: "swift-nio"), "Quick"]),
    ]
)
"""


def test_version_1_gives_names_tags_and_commits():
    assert dependency_lines("Package.resolved", json.dumps(ONE, indent=1)) == [
        "pkg:swift/github.com/Alamofire/Alamofire@5.4.3 static-link :4"
    ]


@pytest.mark.parametrize("version", [2, 3])
def test_versions_2_and_3_give_commits_and_no_local_packages(version):
    path = "App.xcodeproj/project.xcworkspace/xcshareddata/swiftpm/Package.resolved"
    assert [
        line.partition(" :")[0] for line in dependency_lines(path, json.dumps(TWO | {"version": version}, indent=1))
    ] == [
        "pkg:swift/github.com/apple/swift-nio@2.65.0 static-link",
        f"pkg:swift/github.com/Quick/Quick@{COMMIT} static-link",
        "pkg:generic/mona/linked-list@1.0.0 static-link",
    ]


def test_packages_that_only_test_targets_name_are_test_only():
    files = {"Package.swift": MANIFEST, "Package.resolved": json.dumps(TWO)}
    assert merged(files) == [
        "pkg:generic/mona/linked-list@1.0.0 static-link indirect :1",
        f"pkg:swift/github.com/Quick/Quick@{COMMIT} test-only direct :7",
        "pkg:swift/github.com/apple/swift-nio@2.65.0 static-link direct :6",
    ]
    assert origins(files)[2].endswith(f"from git+https://github.com/apple/swift-nio@{COMMIT}")


@pytest.mark.parametrize(
    ("change", "usage"),
    [
        (("", ""), "test-only"),
        (("5.7", "5.1"), "static-link"),
        (("// swift-tools-version:5.7", ""), "static-link"),
        (('.target(name: "Core")', '"Quick"'), "static-link"),
        ((', "Quick"', ""), "static-link"),
    ],
)
def test_a_package_is_test_only_where_that_is_sure(change, usage):
    assert f"pkg:swift/github.com/Quick/Quick {usage} direct :7" in dependency_lines(
        "Package.swift", MANIFEST.replace(*change)
    )


@pytest.mark.parametrize(("content", "expected"), [
    ('{"pins": [], "version": 2}', []), ('{"object": {"pins": []}, "version": 1}', []),
    ("{}", ["! file/broken :1"]), ('{"pins": {}}', ["! file/broken :1"]), ("", ["! file/broken :1"]),
])  # fmt: skip
def test_an_empty_lock_is_no_finding_and_another_shape_is_one(content, expected):
    assert dependency_lines("Package.resolved", content) == expected


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ('.package(id: "mona.LinkedList", from: "1.0.0")', ["pkg:generic/mona/LinkedList static-link direct :2"]),
        ('.Package(url: "https://github.com/a/b.git", majorVersion: 1)', ["pkg:swift/github.com/a/b static-link direct :2"]),
        ('.binaryTarget(name: "Bin", url: "https://example.com/Bin.zip", checksum: "abc")', ["pkg:generic/bin unknown direct :2"]),
        ('.binaryTarget(name: "Bin", path: "Bin.xcframework")', []),
        (".package(path: folder)", []),
        ('.package(name: "a", path: "../Local")', ["! file/outside :2"]),
        ('.package(url: base + "/foo.git", from: "1.0.0")', ["! file/unsupported :2"]),
        ('.package(url: "https://github.com/a/" + name, from: "1.0.0")', ["! file/unsupported :2"]),
        ('.package(url: "https://github.com/a/\\(name)", from: "1.0.0")', ["! file/unsupported :2"]),
        ("urls.map { .package(url: $0, from: one) }", ["! file/unsupported :2"]),
        ('.package(url: address, from: "1")]\nlet address = "https://github.com/a/b"\nlet y = [', ["pkg:swift/github.com/a/b static-link direct :2"]),
        ('.package(url: address, from: "1")]\nlet address = "a"\nlet address = "b"\nlet y = [', ["! file/unsupported :2"]),
        (".package(id: identity, from: one)", ["! file/unsupported :2"]),
        (".binaryTarget(name: name, url: address, checksum: sum)", ["! file/unsupported :2"]),
        ('.binaryTarget(name: name, url: "https://example.com/a.zip")', ["! file/unsupported :2"]),
    ],
)  # fmt: skip
def test_every_form_of_a_package_is_read_or_told(call, expected):
    lines = dependency_lines("Package.swift", f"// swift-tools-version:5.9\nlet x = [{call}, {call}]\n")
    assert [line for line in dict.fromkeys(lines) if line] == expected


def test_a_package_of_a_registry_is_the_one_in_the_lock_file():
    manifest = '// swift-tools-version:5.9\nlet x = [.package(id: "mona.linked-list", from: "1.0.0")]\n'
    assert "pkg:generic/mona/linked-list@1.0.0 static-link direct :2" in merged(
        {"Package.swift": manifest, "Package.resolved": json.dumps(TWO)}
    )
