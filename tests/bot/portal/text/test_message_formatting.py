"""Sentences on pages fit around a company's name in any script."""

import pytest

from tests.bot.portal.company import office


@pytest.mark.parametrize(
    ("name", "chinese"),
    [
        ("Huawei", "<strong>Huawei</strong> 已签署协议。"),
        ("示例科技", "<strong>示例科技</strong>已签署协议。"),
        ("示例 <b>", "<strong>示例 &lt;b&gt;</strong> 已签署协议。"),
    ],
)
def test_a_chinese_name_has_no_spaces_around_it_on_pages(portal, name, chinese):
    office.company(portal, name=name)
    office.works(portal, office.WORK)

    assert chinese in portal.signed_in().get("/enrol?lang=zh").text


def test_a_name_that_ends_with_a_full_stop_gets_no_second_one_on_pages(portal):
    office.company(portal, name="Example Co., Ltd.")
    portal.pull(7, of=(11,))
    browser = office.enrolled(portal)

    page = f"/me/enrolments/{office.held_in(portal)}/pull-request?pr=cann/ops-math/7&lang=en"
    assert "<h1>You are enrolled at Example Co., Ltd.</h1>" in browser.get(page).text


def test_the_title_of_a_refused_form_has_the_marks_of_its_language(portal):
    browser = portal.signed_in()
    form = {"csrf_token": portal.proof(browser), "address": "x"}

    assert "<title>Error: My addresses" in browser.post("/me/emails", data=form).text
    assert "<title>错误：我的邮箱地址" in browser.post("/me/emails?lang=zh", data=form).text
