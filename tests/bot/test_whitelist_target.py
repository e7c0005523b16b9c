"""The operator's word for where the public list is committed."""

import pytest

from bot.whitelist_target import WhitelistTarget


@pytest.mark.parametrize(
    ("text", "whitelist_target", "path"),
    [
        ("cann/community", WhitelistTarget("cann", "community"), "whitelist.json"),
        ("cann/.github:docs/public/", WhitelistTarget("cann", ".github", "docs/public"), "docs/public/whitelist.json"),
    ],
)
def test_a_repository_with_or_without_a_folder_is_understood(text, whitelist_target, path):
    assert WhitelistTarget.parse(text) == whitelist_target
    assert whitelist_target.path("whitelist.json") == path


@pytest.mark.parametrize(
    "text", ["cann", "/x", "cann/", "a/b/c", "cann/x:../up", "cann/x:a//b", "cann/x:a/./b", "cann/x\n"]
)
def test_another_form_is_refused_in_one_clause(text):
    with pytest.raises(ValueError, match="must be"):
        WhitelistTarget.parse(f"{text}y" if text.endswith("\n") else text)
