"""The form that signs takes names in any script and only the offered addresses."""

import pytest

from agreements.form_fields import normalized
from bot.portal.forms.sign_form import SignForm, sign_form
from bot.records.agreement_view import show

OFFERED = ["ada@example.com", "old@example.org"]


@pytest.mark.parametrize(
    ("typed", "kept"),
    [("  Ada   Lovelace ", "Ada Lovelace"), ("李\u3000四", "李 四"), ("Jose\u0301", "José"), ("", ""), (None, "")],
)
def test_names_are_trimmed_and_composed_and_nothing_else_is_changed(typed, kept):
    assert normalized(typed) == kept


def errors(portal, **data: str) -> set[str]:
    """The fields at fault when this is sent."""
    with portal.app.test_request_context("/sign/icla", method="POST", data=data):
        form = sign_form(
            show(portal.services.catalog, portal.rules, portal.services.owner(None), "icla", "en"), OFFERED
        )
        assert isinstance(form, SignForm)
        form.validate()
        return set(form.errors) - {"csrf_token"}


@pytest.mark.parametrize(
    "name",
    [
        "李四䶮",
        "𠮷野",
        "Ångström",
        "محمد",
        "می\u200cخواهم",
        "O'Neil-Smith Jr.",
        "🄰 da",
        "\U00031350",
        "葛\U000e0100城",
        "ශ්\u200dරී",
    ],
)
def test_names_in_rare_and_right_to_left_scripts_are_accepted(unchanged_portal, name):
    assert errors(unchanged_portal, name=name, email=OFFERED[0], agree="y") == set()


@pytest.mark.parametrize(
    "name",
    [
        *(
            "\u3164 \u115f",
            "\uffa0",
            "\u1160",
            "\u2800",
            "\u034f",
            "\u180b",
            "\ufe0f",
            "\U000e0100",
            "\u3164 12",
            "\uffff",
        ),
        *("", "12", "...", "a\u200bb", "a\x00b", "a\u202eb", "\ue000a", "a\ufffd", "x" * 201),
    ],
)
def test_names_without_visible_letters_and_names_too_long_are_refused(unchanged_portal, name):
    assert errors(unchanged_portal, name=name, email=OFFERED[0], agree="y") == {"name"}


@pytest.mark.parametrize("email", ["", "x@example.com", "ada@example.com ", "ADA@EXAMPLE.COM"])
def test_an_address_is_accepted_only_exactly_as_offered(unchanged_portal, email):
    assert errors(unchanged_portal, name="Ada", email=email, agree="y") == {"email"}


def test_the_form_needs_the_tick(unchanged_portal):
    assert errors(unchanged_portal, name="Ada", email=OFFERED[0]) == {"agree"}


@pytest.mark.parametrize(("offered", "chosen"), [(OFFERED, None), (OFFERED[:1], OFFERED[0]), ([], None)])
def test_an_only_address_is_preselected_and_the_tick_never(unchanged_portal, offered, chosen):
    with unchanged_portal.app.test_request_context("/sign/icla"):
        form = sign_form(
            show(
                unchanged_portal.services.catalog,
                unchanged_portal.rules,
                unchanged_portal.services.owner(None),
                "icla",
                "en",
            ),
            offered,
        )

        assert form.email.data == chosen
        assert form.agree.data is False
