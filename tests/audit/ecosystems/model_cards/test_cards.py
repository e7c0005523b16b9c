"""Front matter of model cards and its statements."""

import pytest

from audit.ecosystems.model_cards.card_statement import NOTHING
from audit.ecosystems.model_cards.cards import read


def card(front, body=""):
    """A card with this front matter."""
    return f"---\n{front}\n---\n{body}"


@pytest.mark.parametrize(("front", "expression", "line"), [
    ("license: apache-2.0", "Apache-2.0", 2),
    ("language: en\nlicense: Llama3.1", "LicenseRef-scancode-llama-3.1-license-2024", 3),
    ("license: [mit, cc-by-nc-4.0]", "MIT AND CC-BY-NC-4.0", 2),
    ("license: bsl-1.0", "BSL-1.0", 2),
    ("license: other\nlicense_name: Qwen Research", "LicenseRef-qwen-research", 2),
    ("license: other\nlicense_link: https://creativecommons.org/licenses/by/4.0/", "CC-BY-4.0", 2),
    ("license_name: gemma", "LicenseRef-scancode-gemma-tou-2025-03-24", None),
    ("tags: [a, 'license:openrail++']", "LicenseRef-scancode-bigscience-open-rail-m2", 2),
    ("license: mit\ntags: ['license:gpl-3.0']", "MIT", 2),
])  # fmt: skip
def test_licences_are_read_by_hugging_face_id_spdx_id_name_link_or_tag(front, expression, line):
    found = read("README.md", card(front)).license
    assert (found.expression, found.place.line) == (expression, line)


@pytest.mark.parametrize(("front", "words"), [
    ("license: other", "README.md says other, which stands for a licence that is not on Hugging Face's list"),
    ("license: other\nlicense_name: ours", "README.md says other, which stands for a licence that is not on Hugging Face's list, and calls it ours"),
    ("license: openrail", "README.md says openrail, which stands for a family of licences with restrictions of use"),
    ("license: our-own-research", "README.md says our-own-research"),
    ("license: [mit, unknown]", "README.md says mit, unknown, which stands for a licence that its authors do not know"),
])  # fmt: skip
def test_one_open_licence_name_leaves_all_open_with_the_reason(front, words):
    found = read("README.md", card(front)).license
    assert (found.expression, found.unknown, found.place.said) == (None, "unreadable", words)


def test_base_models_and_data_sets_are_hugging_face_names_each_once():
    front = "base_model:\n- meta-llama/Llama-3.1-8B\n- https://huggingface.co/foo/bar/tree/main\n- ./local path\n- foo/bar\nbase_model_relation: merge\ndatasets:\n- squad\n- json"
    found = read("a/README.md", card(front))
    assert [(model.name, model.how, str(model.place)) for model in found.base_models] == [
        ("meta-llama/Llama-3.1-8B", "merge", "a/README.md:2 (meta-llama/Llama-3.1-8B)"), ("foo/bar", "merge", "a/README.md:2 (foo/bar)"),
    ]  # fmt: skip
    assert [source.name for source in found.data_sets] == ["squad"]
    assert (found.is_model, found.is_data) == (True, False)


@pytest.mark.parametrize(
    "content", ["", "# x\n", "---\nno end: x\n", "--- \n---\n", "---\n- a\n---\n", "text\n---\nlicense: mit\n---\n"]
)
def test_a_card_without_front_matter_states_nothing(content):
    assert read("README.md", content) == NOTHING


def test_broken_front_matter_is_a_finding_at_its_line():
    (found,) = read("m/README.md", card("license: mit\nx: [")).findings
    assert (found.code, found.place.line) == ("file/broken", 4)
    (found,) = read("m/README.md", card("a: &x 1\nb: *x")).findings
    assert (found.code, found.place.line) == ("file/refused", 3)


def test_a_byte_order_mark_before_the_front_matter_is_ignored():
    assert read("README.md", "\ufeff" + card("license: mit")).license.expression == "MIT"
