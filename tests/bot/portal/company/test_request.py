"""What is shown of a request is what is signed, word for word."""

from dataclasses import replace

from agreements.form_fields import Field
from bot.portal.company import request
from bot.records import agreement_view


def test_one_word_for_all_that_was_shown(portal):
    """Another text, language or statement is another word."""
    english, chinese = (
        agreement_view.show(portal.services.catalog, portal.rules, "ccla", tongue) for tongue in ("en", "zh")
    )
    assert len({request.seen(english), request.seen(chinese), english.seen, chinese.seen}) == 4
    assert "Corporate Contributor License Agreement, version 2.0" in request.statement(english)
    assert "企业贡献者许可协议" in request.statement(chinese)


def test_a_company_has_a_name(portal):
    """Asked for first, also by an agreement that declares no fields or others."""
    paper = agreement_view.show(portal.services.catalog, portal.rules, "ccla", "en")
    assert [one.name for one in request.asked(paper)] == ["legal-name", "registration", "address", "title"]
    other = replace(paper, text=replace(paper.text, fields=(Field("fax", {"en": "Fax"}),)))
    assert [one.name for one in request.asked(other)] == ["legal-name", "fax"]
