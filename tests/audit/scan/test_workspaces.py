"""The folders that a repository lists as its own parts."""

import pytest

from audit.scan.workspaces import is_member, members


@pytest.mark.parametrize(
    ("path", "content", "expected"),
    [
        ("package.json", '{"workspaces": ["packages/*", "./site", "!packages/x"]}', {"packages/*", "site"}),
        ("web/package.json", '{"workspaces": {"packages": ["ui"]}}', {"web/ui"}),
        ("lerna.json", '{"packages": ["libs/*"]}', {"libs/*"}),
        ("pnpm-workspace.yaml", "packages:\n  - 'apps/**'\n", {"apps/**"}),
        ("Cargo.toml", '[workspace]\nmembers = ["crates/a", "../out", "."]\n', {"crates/a"}),
        ("pom.xml", "<project><modules><module>core</module></modules></project>", {"core"}),
        ("go.work", "go 1.21\nuse ./a // own\nuse (\n\t./b\n)\n", {"a", "b"}),
        ("pyproject.toml", '[tool.uv.workspace]\nmembers = ["libs/*"]\n', {"libs/*"}),
        ("settings.gradle", "include ':a:b'", {"a/b", "subprojects/a/b"}),
        (
            "settings.gradle.kts",
            'include("hotTea")',
            {"hotTea", "hot-tea", "subprojects/hotTea", "subprojects/hot-tea"},
        ),
        ("package.json", '{"workspaces": ', set()),
        ("package.json", '{"workspaces": 5}', set()),
        ("pom.xml", "<modules", set()),
        ("other.json", '{"workspaces": ["a"]}', set()),
    ],
)
def test_members_are_listed_below_the_folder_of_their_file(path, content, expected):
    assert members(path, content) == expected


@pytest.mark.parametrize(
    ("folder", "expected"),
    [("packages/a", True), ("packages/a/src", True), ("packages", False), ("apps/x/y", True), ("other/a", False), ("site", True)],
)  # fmt: skip
def test_a_folder_inside_a_member_is_one(folder, expected):
    assert is_member(folder, {"packages/*", "apps/**", "site"}) is expected
