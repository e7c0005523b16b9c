"""Around names in Chinese characters stand no spaces, and after one that ends with a full stop no second one."""

import pytest

from bot.report.words import value_spacing

BLANKS = value_spacing.blanks(r"\{(?P<name>\w+)\}")


@pytest.mark.parametrize(
    ("template", "name", "whole"),
    [
        ("代表 {name} 签署", "Huawei", "代表 Huawei 签署"),
        ("代表 {name} 签署", "示例科技", "代表示例科技签署"),
        ("代表 {name} 签署", "示例Tech", "代表示例Tech 签署"),
        ("代表 {name} 签署", "示例（北京）", "代表示例（北京）签署"),
        ("代表 {name} 签署", "㐀𠮷", "代表㐀𠮷签署"),
        ("{name} 的协议", "示例 科技", "示例 科技的协议"),
        ("您已关联 {name}。", "示例", "您已关联示例。"),
        ("协议 {name} {other}", "示例", "协议示例 {other}"),
        ("with {name}. Then", "Example Co., Ltd.", "with Example Co., Ltd. Then"),
        ("with {name} and {name}", "示例", "with 示例 and 示例"),
        ("{name}", "{name}", "{name}"),
        ("为 {name} 工作", "", "为  工作"),
    ],
)
def test_a_sentence_fits_around_its_value(template, name, whole):
    fitted = value_spacing.fit(template, BLANKS, {"name": name})

    assert fitted.replace("{name}", name) == whole
