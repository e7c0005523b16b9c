"""Weights, data and the files that state their licence are told by name."""

import pytest

from audit.ecosystems.model_cards.card_statement import NOTHING
from audit.scan.gathering import is_read
from audit.scan.model_files import ModelFiles, is_statement, tells
from audit.scan.walk import walk
from audit.scan.walk_limits import Limits
from tests.audit.scan.test_walk import Memory


def entered(*folders):
    """The files of a walk that came by these folders with their names."""
    files = ModelFiles()
    for folder, names in folders:
        files.enter(folder, names)
    return files


@pytest.mark.parametrize("name", [
    "a.safetensors", "a.Q4_K_M.gguf", "a.ckpt", "a.pt", "a.pth", "a.onnx", "a.tflite", "a.mindir", "a.om", "A.ONNX", "pytorch_model.bin", "model.bin",
    "pytorch_model-00001-of-00003.bin", "adapter_model.bin", "tf_model.h5", "flax_model.msgpack", "saved_model.pb", "frozen_inference_graph.pb", "weights.npz",
])  # fmt: skip
def test_weights_are_told_by_ending_or_name(name):
    assert entered(("m", [name])).weights == {"m": [name]}


@pytest.mark.parametrize("name", [
    "boot.bin", "data.pb", "a.h5", "a.npz", "a.pkl", "a.py", "distutils-precedence.pth", "x-nspkg.pth", "modeling.py", "a.safetensors.index.json", "remodel.txt",
])  # fmt: skip
def test_files_of_general_formats_are_no_weights_without_a_configuration(name):
    assert entered(("m", [name])).weights == {}


@pytest.mark.parametrize(("folder", "names"), [
    ("tutor", ["tutor.pt", "tutor.es"]), ("app/templates", ["page.pt"]), ("plone/browser", ["view.pt"]), ("x", ["view.pt", "configure.zcml"]),
])  # fmt: skip
def test_page_templates_and_portuguese_texts_are_no_weights(folder, names):
    """Both have files that end in `.pt`, as PyTorch's weights do."""
    assert entered((folder, names)).weights == {}


def test_any_binary_beside_a_model_configuration_is_weights():
    assert entered(("m", ["config.json", "part1.bin", "x.h5", "a.txt"])).weights == {"m": ["part1.bin", "x.h5"]}


@pytest.mark.parametrize("name", ["a.csv", "a.parquet", "a.jsonl", "a.csv.gz", "a.tfrecord", "a.arrow", "a.geojson"])
def test_data_files_are_told_by_ending(name):
    assert entered(("d", [name])).data == {"d": [name]}


def test_cards_beside_models_and_root_citations_are_read():
    files = entered(
        ("", ["README.md", "CITATION.cff"]), ("docs", ["README.md"]), ("a", ["README.md", "config.json"]), ("a/unet", ["config.json", "x.safetensors"]),
        ("b", ["CITATION.cff"]), ("b/c", ["model.onnx"]),
    )  # fmt: skip
    assert files.named_files() == ["README.md", "CITATION.cff", "a/README.md", "a/config.json", "a/unet/config.json"]
    assert entered(("", ["README.md", "CITATION.cff"])).named_files() == ["CITATION.cff"]
    assert entered(("", ["README.md"]), ("lora", ["adapter_config.json"])).named_files() == [
        "README.md",
        "lora/adapter_config.json",
    ]


def test_files_that_state_nothing_are_not_kept():
    files = ModelFiles()
    for path, content in (
        ("a/config.json", "{"),
        ("a/config.json", "[" * 100_000),
        ("a/config.json", "{}"),
        ("a/README.md", "# x"),
    ):
        files.take(path, path, content)
    files.header("a.gguf", "a.gguf", b"")
    assert files.statements == {}
    files.take("a/README.md", "a/README.md", "---\nlicense: mit\n---\n")
    assert files.statements["a/README.md"] != NOTHING


@pytest.mark.parametrize(("path", "tell"), [
    ("models/x/README.md", True), ("data/README.md", True), ("README.md", False), ("docs/README.md", False), ("src/config.json", False),
    ("weights/config.json", True), ("x/adapter_config.json", True), ("x/a.safetensors", True), ("x/model.bin", True), ("x/a.bin", False),
    ("x/croissant.json", True), ("CITATION.cff", True), ("x/a.csv", False),
])  # fmt: skip
def test_a_pull_request_that_touches_a_model_s_statement_is_audited(path, tell):
    assert tells(path) is tell
    assert is_read(path) is (path not in {"x/a.bin", "docs/README.md"}), "other text may say something of its licence"


def test_only_cards_are_named_in_any_case():
    assert is_statement("Model_Card.md")
    assert is_statement("DATASET_CARD.md")
    assert not is_statement("Config.json")


def test_all_folders_above_weights_or_data_are_known_to_hold_some():
    files = entered(("a/b", ["x.onnx"]), ("a/c/d", ["x.csv"]))
    assert (files.with_weights, files.with_data) == ({"", "a", "a/b"}, {"", "a", "a/c", "a/c/d"})


def test_only_the_beginning_of_a_large_file_is_read_as_its_header():
    ground = Memory({"m/a.gguf": b"GGUF" + bytes(200_000), "m/b.gguf": PermissionError(13, "Permission denied")})
    walked = walk(ground, Limits())
    assert ("m/a.gguf", True) in ground.read_so_far
    assert list(walked.models.statements) == ["m/a.gguf"]
    assert walked.findings == []
