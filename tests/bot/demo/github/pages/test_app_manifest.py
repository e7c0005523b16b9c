"""The small GitHub takes our manifest, and refuses what GitHub refuses, in its words."""

import json

import pytest

from bot import app_yaml
from bot.demo.github.pages import app_manifest
from bot.demo.github.pages.app_manifest import ManifestRefused
from bot.github import permissions

OURS = app_yaml.read("https://cla.example.org", account="cann", redirect_url="http://127.0.0.1:8080/registered")
HOOK = "Hook url is not supported because it isn't reachable over the public Internet"
RESOURCE = "Default permission records resource is not included in the list"


def reasons(*, reaches_private=False, without=(), **changes):
    """Why our manifest with these changes is refused; [] when it is taken."""
    slip = {name: value for name, value in {**OURS, **changes}.items() if name not in without}
    try:
        app_manifest.read(json.dumps(slip), reaches_private=reaches_private)
    except ManifestRefused as error:
        return error.reasons
    return []


def test_our_manifest_is_taken_with_and_without_its_name():
    assert reasons() == []
    assert reasons(without=["name", "hook_attributes", "redirect_url"]) == []
    assert set(OURS["default_permissions"]) <= app_manifest.PERMISSIONS
    assert app_manifest.name_mistake(OURS["name"], is_taken=False) == ""


@pytest.mark.parametrize(
    ("host", "is_taken"),
    [
        ("cla.example.org", True), ("8.8.8.8", True), ("localhost", False), ("127.0.0.1", False), ("127.1", False),
        ("10.1.2.3", False), ("192.168.0.7", False), ("[::1]", False), ("[fd00::1]", False), ("cla", False),
        ("cla.local", False), ("cla.corp.internal", False), ("github.localhost", False),
    ],
)  # fmt: skip
def test_a_webhook_address_that_github_cannot_reach_is_refused(host, is_taken):
    hook = {"url": f"https://{host}/webhook"}
    assert reasons(hook_attributes=hook) == ([] if is_taken else [f"{HOOK} ({host.strip('[]')})"])
    assert reasons(hook_attributes=hook, reaches_private=True) == []


def test_addresses_for_browsers_may_be_on_this_machine():
    """GitHub sends browsers there, and reaches none of those addresses itself."""
    assert (
        reasons(url="http://localhost:8080", redirect_url="http://127.0.0.1:1/x", callback_urls=["http://localhost/"])
        == []
    )


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"default_permissions": {**OURS["default_permissions"], "email_addresses": "read"}}, f"{RESOURCE} (email_addresses)"),
        ({"default_permissions": {**OURS["default_permissions"], "git_ssh_keys": "read"}}, f"{RESOURCE} (git_ssh_keys)"),
        ({"default_permissions": {**OURS["default_permissions"], "checking": "read"}}, f"{RESOURCE} (checking)"),
        ({"default_permissions": {**OURS["default_permissions"], "checks": "admin"}}, "(checks: admin)"),
        ({"default_events": ["installation"]}, "Default events unsupported: installation"),
        ({"default_events": ["installation"]}, "Default events are not supported by permissions: installation"),
        ({"default_events": ["push", "pushed", "pulled", "x"]}, "Default events unsupported: pushed, pulled and x"),
        ({"url": "cla.example.org"}, "Url must be a valid URL"),
        ({"redirect_url": ""}, "Redirect url must be a valid URL"),
        ({"callback_urls": ["https://x.example", "ftp://x"]}, "Callback urls must be a valid URL"),
        ({"callback_urls": ["https://x.example"] * 11}, "Callback urls are limited to 10"),
        ({"hook_attributes": {"url": "nowhere"}}, "Hook url must be a valid URL"),
        ({"hook_attributes": {"active": True}}, '"url" wasn\'t supplied.'),
        ({"hook_attributes": {"url": "https://x.example", "secret": "s"}}, '"secret" is not a permitted key.'),
        ({"without": ["url"]}, '"url" wasn\'t supplied.'),
        ({"surprise": 1}, '"surprise" is not a permitted key.'),
        ({"default_events": "push"}, '"default_events" has the wrong type.'),
        ({"url": 5}, '"url" has the wrong type.'),
        ({"public": "no"}, '"public" has the wrong type.'),
    ],
)  # fmt: skip
def test_a_refusal_names_its_key(changes, said):
    assert [reason for reason in reasons(**changes) if said in reason]


@pytest.mark.parametrize("event", sorted(OURS["default_events"]))
def test_each_event_needs_exactly_the_permission_of_our_table(event):
    [needed] = permissions.in_manifest({permissions.EVENTS[event]: "read"})
    others = {name: level for name, level in OURS["default_permissions"].items() if name != needed}
    found = reasons(default_events=[event], default_permissions=others)
    if needed == "metadata":  # GitHub adds it to every App that asks for anything
        assert found == []
        assert reasons(default_events=[event], default_permissions={})
    else:
        assert found == [f"Default events are not supported by permissions: {event}"]
    assert reasons(default_events=[event], default_permissions={needed: "read"}) == []


@pytest.mark.parametrize("text", ["", "{", "[]", '"x"'])
def test_a_text_that_is_no_manifest_is_refused(text):
    with pytest.raises(ManifestRefused, match="The manifest is not"):
        app_manifest.read(text, reaches_private=False)
