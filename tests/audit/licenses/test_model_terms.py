"""The table of licences of models and data: complete, with sources."""

import pytest

from audit.licenses import aliases, model_terms, strength
from audit.licenses.expression import Atom, read
from audit.licenses.model_terms import TermsKind
from audit.licenses.spdx import data_file

TABLE = data_file("model-licenses.json")
# docs/hub/repositories-licenses.md of github.com/huggingface/hub-docs at 242f4a1eeb867daf4ac3f44026a5df4a68908a3d
HUGGING_FACE = ["apache-2.0", "mit", "openrail", "bigscience-openrail-m", "creativeml-openrail-m", "bigscience-bloom-rail-1.0", "bigcode-openrail-m", "afl-3.0", "artistic-2.0", "bsl-1.0", "bsd", "bsd-2-clause", "bsd-3-clause", "bsd-3-clause-clear", "c-uda", "cc", "cc0-1.0", "cc-by-2.0", "cc-by-2.5", "cc-by-3.0", "cc-by-4.0", "cc-by-sa-3.0", "cc-by-sa-4.0", "cc-by-nc-2.0", "cc-by-nc-3.0", "cc-by-nc-4.0", "cc-by-nd-4.0", "cc-by-nc-nd-3.0", "cc-by-nc-nd-4.0", "cc-by-nc-sa-2.0", "cc-by-nc-sa-3.0", "cc-by-nc-sa-4.0", "cdla-sharing-1.0", "cdla-permissive-1.0", "cdla-permissive-2.0", "wtfpl", "ecl-2.0", "epl-1.0", "epl-2.0", "etalab-2.0", "eupl-1.1", "eupl-1.2", "agpl-3.0", "gfdl", "gpl", "gpl-2.0", "gpl-3.0", "lgpl", "lgpl-2.1", "lgpl-3.0", "isc", "h-research", "intel-research", "lppl-1.3c", "ms-pl", "apple-ascl", "mpl-2.0", "odc-by", "odbl", "openmdw-1.0", "openmdw-1.1", "openrail++", "osl-3.0", "postgresql", "ofl-1.1", "ncsa", "unlicense", "zlib", "pddl", "lgpl-lr", "deepfloyd-if-license", "llama2", "llama3", "llama3.1", "llama3.2", "llama3.3", "llama4", "grok2-community", "gemma", "fair-noncommercial-research-license", "apple-amlr", "unknown", "other"]  # fmt: skip


def test_a_licence_has_a_notice_line_exactly_if_its_duties_ask_for_one():
    for row in TABLE["licenses"]:
        asked = any(
            word in row.get("duties", "")
            for word in ("Notice file", "attribution notice", "trademark notice", "its notice")
        )
        assert asked >= bool(row.get("notice")), row["id"]


@pytest.mark.parametrize("row", TABLE["licenses"], ids=lambda row: row["id"])
def test_each_row_has_a_source_and_terms_and_is_found_by_its_id_and_names(row):
    assert row["source"].startswith("https://")
    assert row.get("duties") or row.get("limits")
    assert bool(row.get("limits")) is (row["kind"] in ("restricted", "noncommercial"))
    assert model_terms.terms(row["id"]).kind == row["kind"]
    assert read(row["id"].lower()) == Atom(row["id"])
    assert strength.is_known(row["id"])
    for name in row.get("names", ()):
        assert model_terms.of_name(name) == row["id"]
        assert read(name) == Atom(row["id"])
    if row["id"].startswith("LicenseRef-"):
        assert strength.restricts_use(row["id"])


def test_each_name_belongs_to_one_licence():
    names = [name for row in TABLE["licenses"] for name in row.get("names", ())]
    assert len(names) == len(set(names))
    assert not set(names) & set(TABLE["unclear"])


@pytest.mark.parametrize("name", HUGGING_FACE)
def test_each_hugging_face_id_is_a_licence_a_family_or_known_to_name_none(name):
    found = read(name)
    is_licence = isinstance(found, Atom) and (found.license in aliases.known() or found.license in aliases.FAMILIES)
    assert is_licence is (model_terms.unclear(name) is None)


def test_a_well_known_model_is_found_by_its_longest_beginning():
    assert model_terms.of_model("meta-llama/Llama-3.2-1B-Instruct").license == "llama3.2"
    assert model_terms.of_model("META-LLAMA/Meta-Llama-3.1-8B").license == "llama3.1"
    assert model_terms.of_model("someone/Llama-3.2-1B") is None
    assert model_terms.of_data_set("tatsu-lab/alpaca").license == "cc-by-nc-4.0"
    assert model_terms.of_data_set("x/alpaca") is None
    for row in [*TABLE["models"], *TABLE["datasets"]]:
        assert model_terms.of_name(row["license"]) or read(row["license"]).license in aliases.known(), row


@pytest.mark.parametrize(("license_id", "kind"), [
    ("CC-BY-4.0", TermsKind.ATTRIBUTION), ("CC-BY-SA-3.0-DE", TermsKind.SHARE_ALIKE), ("CC-BY-NC-4.0", TermsKind.NON_COMMERCIAL),
    ("CC-BY-NC-SA-2.0-FR", TermsKind.NON_COMMERCIAL), ("CC-BY-ND-4.0", TermsKind.NO_DERIVATIVES), ("CC-BY-NC-3.0-IGO", TermsKind.NON_COMMERCIAL),
])  # fmt: skip
def test_creative_commons_licences_are_told_by_their_parts(license_id, kind):
    assert model_terms.terms(license_id).kind is kind


def test_software_licences_and_cc0_have_no_terms_for_models():
    assert [model_terms.terms(license_id) for license_id in ("MIT", "CC0-1.0", "GPL-3.0-only", "CC-BY")] == [None] * 4


def test_the_longest_heading_in_the_first_lines_counts():
    assert (
        model_terms.by_heading("# LLAMA 3.2 COMMUNITY LICENSE AGREEMENT\n").license
        == "LicenseRef-scancode-llama-3.2-license-2024"
    )
    assert (
        model_terms.by_heading("Tongyi Qianwen RESEARCH LICENSE AGREEMENT").license
        == "LicenseRef-tongyi-qianwen-research"
    )
    assert model_terms.by_heading("x" * 1_000 + " gemma terms of use") is None


def test_each_digest_of_a_licence_text_leads_to_a_row():
    digests = data_file("model-forms.json")
    assert set(digests.values()) <= model_terms.ids()
    assert all(model_terms.of_digest(digest) == license_id for digest, license_id in digests.items())
