"""The form to sign: a name, one of the person's verified addresses, a tick that starts empty; for what was shown alone."""

import unicodedata
from collections.abc import Sequence

from flask_babel import lazy_gettext as _
from flask_wtf import FlaskForm  # type: ignore[import-untyped]  # it ships no types
from wtforms import BooleanField, Field, Form, HiddenField, RadioField, StringField  # type: ignore[import-untyped]  # it ships no types
from wtforms.validators import DataRequired, Length, ValidationError  # type: ignore[import-untyped]  # it ships no types

from agreements import form_fields
from agreements.form_fields import normalized, printable, visible_characters
from bot.portal.forms.agreement_fields import with_fields
from bot.portal.forms.form_action import FormRefused
from bot.records.agreement_view import AgreementView

MAX_NAME_CHARACTERS = 200

TEXT_CHANGED = _(
    "The text has changed since you opened this page, or you opened the page in another session. Read it again, then sign."
)


def _can_be_printed(_form: Form, field: Field) -> None:
    # Control, format, private and unreadable characters have no place in a name on a document.
    name = field.data or ""
    if not printable(name):
        raise ValidationError(
            _("Your name contains a character that cannot be displayed. Type it again instead of pasting it.")
        )
    # Numbers alone are no name.
    if all(unicodedata.category(char)[0] == "N" for char in visible_characters(name)):
        raise ValidationError(_("Enter your full name."))


class SignForm(FlaskForm):  # type: ignore[misc]  # Flask-WTF has no types
    """The form to sign, made anew for each visitor: the addresses to choose from are theirs."""

    name = StringField(
        filters=[normalized],
        validators=[
            DataRequired(_("Enter your full name.")),
            Length(max=MAX_NAME_CHARACTERS, message=_("Your name can have at most 200 characters.")),
            _can_be_printed,
        ],
    )
    email = RadioField(validators=[DataRequired(_("Choose one of your addresses."))], validate_choice=False)
    agree = BooleanField(validators=[DataRequired(_("Tick the box to agree."))])
    seen = HiddenField()

    def validate_email(self, field: Field) -> None:
        """Refuse an address that GitHub did not call verified: a browser may send any."""
        if field.data not in [value for value, _label in self.email.choices or ()]:
            raise ValidationError(_("Choose one of your addresses."))


def sign_form(
    paper: AgreementView,
    emails: Sequence[str],
    form_class: type[SignForm] = SignForm,
    asked: Sequence[form_fields.AgreementField] | None = None,
) -> SignForm:
    """The form for this paper, with what it asks for unless `asked` says otherwise."""
    form: SignForm = with_fields(form_class, paper.text.fields if asked is None else asked)()
    form.email.choices = [(address, address) for address in emails]
    # An only address is chosen already, the tick never is.
    if not form.is_submitted():
        form.email.data = emails[0] if len(emails) == 1 else None
        form.agree.data = False
    # What is offered now, not what was sent: a form shown again asks for what it shows.
    form.seen.process_data(form.seen.data if form.is_submitted() else paper.seen)
    return form


def check_signed(
    form: SignForm, shown: str, noted: str | None, order: Sequence[str], changed: str = TEXT_CHANGED
) -> None:
    """Raise FormRefused unless the form is complete and signs what was `shown` and the session `noted`; in `order`."""
    is_complete = form.validate_on_submit()
    # First, also for a form with mistakes: nothing of it may count for another text than the one that was shown.
    if not form.seen.data or form.seen.data != shown or noted != shown:
        form.agree.data = False  # It was set for the other text.
        raise FormRefused({"text": str(changed)}, 409, form=form)
    if not is_complete:
        raise FormRefused({name: str(form.errors[name][0]) for name in order if form.errors.get(name)}, form=form)
