"""Trees with models: repositories, pipelines, adapters, quantised files, data sets."""

import struct

import pytest

from audit.facts import UNLEARNED
from audit.licenses.spdx import texts
from audit.scan.assembly import assemble
from audit.scan.model_works import found as models_of
from audit.scan.model_works import own_license
from audit.scan.walk import walk
from audit.scan.walk_limits import Limits
from audit.texts.identification import detect as detected
from tests.audit.scan.test_walk import Memory, unnamed

APACHE, MIT, NC = texts()["Apache-2.0"], texts()["MIT"], texts()["CC-BY-NC-4.0"]
LLAMA = "LicenseRef-scancode-llama-3.1-license-2024"
RAIL = "LicenseRef-scancode-stable-diffusion-2022-08-22"
POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n"


def card(front, body="# A card\n"):
    """A card with this front matter."""
    return f"---\n{front}\n---\n{body}"


def gguf(**general):
    """The header of a GGUF file of version 3 with these keys and no weights."""
    text = lambda value: struct.pack("<Q", len(value)) + value.encode()  # noqa: E731 - short
    keys = b"".join(
        text(f"general.{key}".replace("__", ".")) + struct.pack("<I", 8) + text(value) for key, value in general.items()
    )
    return b"GGUF" + struct.pack("<IQQ", 3, 0, len(general)) + keys


def scanned(files):
    """The tree as a Repository."""
    ground = Memory({path: said if isinstance(said, bytes) else said.encode() for path, said in files.items()})
    return assemble(walk(ground, Limits()), "o/r", lambda text, _path: detected(text).spdx)


def found(files, own=APACHE):
    """Dependencies as `name usage licence`, and findings as `code place:line`."""
    work = scanned({"LICENSE": own, **files} if own else files)
    uses = [f"{each.name} {each.usage} {each.license.expression}" for each in work.dependencies]
    return uses, [f"{each.code} {each.place}" for each in work.findings if each.code != "scope/no-source"]


INPUTS = {
    "a fine-tuned model in a folder, with its base in the card and in its configuration": (
        {
            "models/llama/README.md": card("license: llama3.1\nbase_model: meta-llama/Llama-3.1-8B"),
            "models/llama/model.safetensors": "x",
            "models/llama/config.json": '{"_name_or_path": "meta-llama/Llama-3.1-8B"}',
        },
        [f"llama model-weights {LLAMA}", f"meta-llama/Llama-3.1-8B model-weights {LLAMA}"],
        ["license/use-restricted models/llama/README.md:2"],
    ),
    "a copy without a card: its configuration names a well-known model": (
        {"weights/config.json": '{"architectures": ["X"],\n "_name_or_path": "meta-llama/Llama-2-7b-hf"}', "weights/pytorch_model-00001-of-00002.bin": "x"},
        ["meta-llama/Llama-2-7b-hf model-weights LicenseRef-scancode-llama-2-license-2023"],
        ["license/use-restricted weights/config.json:2"],
    ),
    "a diffusers pipeline with a folder per part, its card at the top": (
        {
            "sd/README.md": card("license: creativeml-openrail-m\ntags:\n- stable-diffusion"),
            "sd/model_index.json": '{"_class_name": "StableDiffusionPipeline", "_diffusers_version": "0.6.0"}',
            "sd/unet/config.json": '{"_class_name": "UNet2DConditionModel"}',
            "sd/unet/diffusion_pytorch_model.bin": POINTER,
            "sd/vae/config.json": '{"_class_name": "AutoencoderKL"}',
            "sd/vae/diffusion_pytorch_model.safetensors": POINTER,
        },
        [f"sd model-weights {RAIL}"],
        ["license/use-restricted sd/README.md:2"],
    ),
    "an adapter without a card: its configuration names the base": (
        {"lora/adapter_config.json": '{"peft_type": "LORA",\n"base_model_name_or_path": "google/gemma-2-9b-it"}', "lora/adapter_model.safetensors": "x"},
        ["google/gemma-2-9b-it model-weights LicenseRef-scancode-gemma-tou-2025-03-24"],
        ["license/use-restricted lora/adapter_config.json:2"],
    ),
    "quantised files of a permissive model": (
        {"gguf/README.md": card("license: apache-2.0\nbase_model: mistralai/Mistral-7B-v0.1\nbase_model_relation: quantized"), "gguf/m.Q4_K_M.gguf": b"GGUF"},
        ["gguf model-weights Apache-2.0", "mistralai/Mistral-7B-v0.1 model-weights Apache-2.0"],
        [],
    ),
    "a GGUF file alone: its header has the licence": (
        {"assets/m.gguf": gguf(architecture="llama", license="llama3.1", base_model__0__repo_url="https://huggingface.co/meta-llama/Llama-3.1-8B")},
        [f"assets model-weights {LLAMA}", f"meta-llama/Llama-3.1-8B model-weights {LLAMA}"],
        ["license/use-restricted assets/m.gguf"],
    ),
    "a licence that is on no list, by its name": (
        {"qwen/README.md": card("license: other\nlicense_name: tongyi-qianwen\nlicense_link: LICENSE"), "qwen/model.safetensors": "x"},
        ["qwen model-weights LicenseRef-scancode-tongyi-qianwen-2023"],
        ["license/use-restricted qwen/README.md:2"],
    ),
    "an unknown licence": (
        {"m/README.md": card("license: other\nlicense_name: our-terms\npipeline_tag: text-generation"), "m/model.onnx": "x"},
        ["m model-weights None"],
        [],
    ),
    "terms in prose beside weights, and a policy of use": (
        {"weights/LICENSE": "A responsible AI licence\n\nUse is restricted.\n", "weights/USE_POLICY.md": "No harm.\n", "weights/sd.ckpt": "x"},
        ["weights model-weights None"],
        [],
    ),
    "two licences in a card: both count": (
        {"m/README.md": card("license:\n- mit\n- cc-by-sa-4.0\nlibrary_name: x"), "m/a.pt": "x"},
        ["m model-weights MIT AND CC-BY-SA-4.0"],
        [],
    ),
    "an older card: the licence is a tag": (
        {"m/README.md": card("tags:\n- license:openrail++\n- text-to-image\nlibrary_name: diffusers"), "m/a.safetensors": "x"},
        ["m model-weights LicenseRef-scancode-bigscience-open-rail-m2"],
        ["license/use-restricted m/README.md:2"],
    ),
    "a data set with a card": (
        {"data/corpus/README.md": card("license: odbl\ntask_categories:\n- text-classification"), "data/corpus/train.parquet": "x"},
        ["corpus training-data ODbL-1.0"],
        [],
    ),
    "a data set with a licence text of its own": (
        {"data/LICENSE": NC, "data/train.csv": "a,b\n1,2\n"},
        ["data training-data CC-BY-NC-4.0"],
        ["license/use-restricted data/LICENSE"],
    ),
    "a data package of Frictionless Data": (
        {"pkg/datapackage.json": '{"name": "x",\n "licenses": [{"name": "ODC-PDDL-1.0"}, {"name": "CC-BY-4.0"}], "resources": []}', "pkg/a.csv": "1"},
        ["pkg training-data PDDL-1.0 AND CC-BY-4.0"],
        [],
    ),
    "Croissant metadata": (
        {"c/croissant.json": '{"@type": "sc:Dataset", "license": "https://creativecommons.org/licenses/by-sa/4.0/"}', "c/a.csv": "1"},
        ["c training-data CC-BY-SA-4.0"],
        [],
    ),
    "what a model was trained on": (
        {"m/README.md": card("license: mit\ndatasets:\n- tatsu-lab/alpaca\n- someone/their-set\n- generator"), "m/a.safetensors": "x"},
        ["m model-weights MIT", "tatsu-lab/alpaca training-data CC-BY-NC-4.0", "someone/their-set training-data None"],
        ["license/use-restricted m/README.md:3"],
    ),
    "what Hugging Face's programs fetched into the tree": (
        {f"hub/models--CompVis--stable-diffusion-v1-4/snapshots/{'a' * 40}/README.md": card("license: creativeml-openrail-m"),
         f"hub/models--CompVis--stable-diffusion-v1-4/snapshots/{'a' * 40}/model_index.json": '{"_class_name": "X"}'},
        [f"CompVis/stable-diffusion-v1-4 model-weights {RAIL}"],
        [f"license/use-restricted hub/models--CompVis--stable-diffusion-v1-4/snapshots/{'a' * 40}/README.md:2"],
    ),
    "a text at the root that is of the weights by its name": (
        {"LICENSE-MODEL": "DEEPSEEK LICENSE AGREEMENT\n\nVersion 1.0\n", "weights/model.safetensors": "x"},
        ["weights of the repository model-weights None"],
        [],
    ),
    "the same of data and of weights, whose licence is known": (
        {"DATA_LICENSE": NC, "WEIGHT_DIFF_LICENSE": NC, "data.jsonl": "{}", "w/yolo.weights": "x"},
        ["data of the repository training-data CC-BY-NC-4.0", "weights of the repository model-weights CC-BY-NC-4.0"],
        ["license/use-restricted DATA_LICENSE"],
    ),
    "the same without weights": ({"MODEL_LICENSE": "The Foo License\n"}, [], ["license/remark MODEL_LICENSE"]),
    "a vendored model of another, in a folder for works by others": (
        {"third_party/whisper/LICENSE": MIT, "third_party/whisper/small.pt": "x"},
        ["whisper model-weights MIT"],
        [],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", INPUTS)
def test_each_tree_gives_its_uses_licences_and_findings(name):
    files, uses, told = INPUTS[name]
    assert found(files) == (uses, told)


NO_MODELS = {
    "a page of a site": {"docs/index.md": card("title: x\nlayout: page"), "docs/README.md": card("title: x\nlicense: mit")},
    "a profile": {"README.md": card("title: me\nlicense: gpl-3.0"), "src/a.py": "1"},
    "a package": {"config.json": '{"port": 1}', "README.md": "# x\n", "firmware/boot.bin": "x"},
    "a page of a site beside weights": {"README.md": card("layout: home\nlicense: gpl-3.0"), "tests/a.onnx": "x"},
    "a checkout of pages with tables": {"_data/a.csv": "1", "_posts/README.md": card("layout: post")},
    "a link of setuptools": {"lib/x/distutils-precedence.pth": "import os"},
}  # fmt: skip


@pytest.mark.parametrize("name", NO_MODELS)
def test_front_matter_or_files_of_such_names_alone_are_no_model(name):
    assert found(NO_MODELS[name]) == ([], [])


MODEL = {"model.safetensors": POINTER, "config.json": '{"architectures": ["X"]}'}
OWN = {
    "a card alone": ({"README.md": card("license: llama3.1"), **MODEL}, None, LLAMA),
    "a card and the same text": ({"README.md": card("license: apache-2.0"), **MODEL}, APACHE, "Apache-2.0"),
    "a licence without an id, and its text in a file": ({"README.md": card("license: other\nlicense_name: x"), **MODEL}, MIT, "MIT"),
    "the name of a licence without an id": ({"README.md": card("license: other\nlicense_name: exaone"), **MODEL}, "my terms\n", "LicenseRef-scancode-exaone-ai-model-1.1-nc"),
    "unknown terms": ({"README.md": card("license: other"), **MODEL}, "my terms\n", None),
    "a data set": ({"README.md": card("license: cc-by-4.0\ntask_categories: [x]"), "data/train.parquet": "x"}, None, "CC-BY-4.0"),
    "a pipeline": ({"README.md": card("license: openrail++"), "model_index.json": '{"_class_name": "X"}', "unet/model.fp16.safetensors": "x"}, None,
                   "LicenseRef-scancode-bigscience-open-rail-m2"),
    "a citation": ({"CITATION.cff": "cff-version: 1.2.0\nlicense: MIT\n"}, None, "MIT"),
    "a citation beside a text": ({"CITATION.cff": "cff-version: 1.2.0\nlicense: MIT\n"}, APACHE, "Apache-2.0"),
    "a manifest counts first": ({"README.md": card("license: llama3.1"), **MODEL, "package.json": '{"license": "MIT"}'}, None, "MIT"),
    "front matter without a model": ({"README.md": card("license: mit\ntitle: x")}, None, None),
}  # fmt: skip


@pytest.mark.parametrize("name", OWN)
def test_a_repository_that_is_a_model_has_the_licence_of_its_card(name):
    files, text, expression = OWN[name]
    assert scanned({**files, **({"LICENSE": text} if text else {})}).license.expression == expression


def test_root_weights_under_other_terms_than_the_code_are_a_dependency():
    files = {"README.md": card("license: llama3.1\nbase_model: meta-llama/Llama-3.1-8B"), **MODEL}
    base = f"meta-llama/Llama-3.1-8B model-weights {LLAMA}"
    told = ["license/use-restricted README.md:2"]
    assert found(files) == ([f"weights of the repository model-weights {LLAMA}", base], told)
    assert found(files, own=None) == ([base], told)


def test_the_reason_says_why_terms_are_unknown():
    def why(files):
        (model,) = scanned({"LICENSE": APACHE, **files}).dependencies
        return f"{model.license.unknown} {model.license.place.said}"

    assert why(INPUTS["an unknown licence"][0]).startswith(
        "unreadable m/README.md says other, which stands for a licence that"
    )
    assert (
        why(INPUTS["terms in prose beside weights, and a policy of use"][0])
        == "unreadable the text of weights/LICENSE was not recognised"
    )
    called = why(
        {"w/LICENSE": "LLAMA 3.1 COMMUNITY LICENSE AGREEMENT\n\nAll of it, but one word is another.\n", "w/a.gguf": "x"}
    )
    assert called.endswith(
        "was not recognised; it calls itself Llama 3.1 Community License, but the rest was not compared"
    )
    assert why({"m/README.md": card("base_model: some/one"), "m/a.pt": "x"}).startswith(
        "no-registry nothing that is read in the repository states its licence"
    )


def test_a_licence_text_of_models_is_known_only_word_for_word():
    text = texts()["CDLA-Sharing-1.0"]

    def named(content):
        ground = Memory({"w/LICENSE": content.encode(), "w/model.bin": b"x"})
        (dependency,) = assemble(walk(ground, Limits()), "o/r", unnamed).dependencies
        return f"{dependency.usage} {dependency.license.expression}"

    assert named("\n".join(text.split(" "))) == "model-weights CDLA-Sharing-1.0"
    assert named(text.replace(" not ", " ", 1)) == "model-weights None"


def test_weights_in_tests_and_examples_are_test_only_with_their_bases():
    files = {
        "tests/fixtures/m/README.md": card("license: gemma\nbase_model: some/one"),
        "tests/fixtures/m/a.safetensors": "x",
    }
    assert found(files) == (["m test-only LicenseRef-scancode-gemma-tou-2025-03-24", "some/one test-only None"], [])


def test_unreadable_front_matter_is_a_finding():
    assert found({"m/README.md": card("license: [mit"), "m/a.pt": "x"}) == (
        [], ["file/broken m/README.md:3", "license/weights-unstated m/a.pt"],
    )  # fmt: skip


def test_a_vendored_package_with_code_and_weights_stays_a_package():
    files = {"third_party/x/LICENSE": MIT, "third_party/x/a.py": "1", "third_party/x/w/a.pt": "x"}
    assert found(files) == (["x vendored MIT"], [])
    files["third_party/x/w/README.md"] = card("license: cc-by-nc-4.0\nlibrary_name: x")
    assert found(files) == (
        ["x vendored MIT", "w model-weights CC-BY-NC-4.0"],
        ["license/use-restricted third_party/x/w/README.md:2"],
    )


def test_models_have_hugging_face_urls_with_the_cached_commit():
    commit = "a" * 40
    files = {
        f"hub/models--a--b/snapshots/{commit}/README.md": card("license: mit\ndatasets: [c/d]"),
        f"hub/models--a--b/snapshots/{commit}/model.safetensors": "x",
        "m/README.md": card("license: mit\nbase_model: e/F"), "m/a.pt": "x",
    }  # fmt: skip
    urls = {dependency.purl for dependency in scanned({"LICENSE": APACHE, **files}).dependencies}
    assert urls == {f"pkg:huggingface/a/b@{commit}", "pkg:generic/c/d", "pkg:generic/m", "pkg:huggingface/e/F"}


def test_a_tree_without_models_changes_nothing():
    gathered = walk(Memory({"a.py": b"1"}), Limits())
    own = own_license(UNLEARNED, gathered, lambda _text, _path: None)
    assert own == UNLEARNED
    assert models_of([], gathered, own, lambda _text, _path: None).dependencies == ()


def test_weights_without_any_statement_are_one_finding():
    files = {"w/a.safetensors": "x", "w/b.onnx": "x", "tests/c.pt": "x"}
    (finding,) = (each for each in scanned({"LICENSE": APACHE, **files}).findings if each.code != "scope/no-source")
    assert (finding.code, finding.place.path, finding.message.partition(",")[0]) == (
        "license/weights-unstated",
        "w/a.safetensors",
        "2 files of weights",
    )
    assert found({**files, "README.md": card("license: apache-2.0\nlibrary_name: x")}) == ([], [])
    assert found({"third_party/x/LICENSE": MIT, "third_party/x/w/a.pt": "x", "third_party/x/a.py": "1"})[1] == []


def test_a_path_on_a_disk_is_no_base_model():
    files = {
        "m/config.json": '{"model_type": "bert", "_name_or_path": "output/checkpoint-500"}',
        "m/model.safetensors": "x",
    }
    assert found(files) == ([], ["license/weights-unstated m/model.safetensors"])


def test_a_licence_beside_one_file_counts_for_that_file():
    files = {
        "w/a.safetensors": "x",
        "w/a.safetensors.license": "SPDX-License-Identifier: CC-BY-NC-4.0\n",
        "w/b.pt": "x",
        "w/b.pt.license": "SPDX-License-Identifier: Apache-2.0\n",
    }
    assert found(files) == (
        ["w/a.safetensors model-weights CC-BY-NC-4.0"],
        ["license/use-restricted w/a.safetensors.license:1"],
    )


REUSE = (
    'version = 1\n[[annotations]]\npath = ["w/*.safetensors", "w/*.pt", "w/*.csv"]\nSPDX-License-Identifier = "%s"\n'
)


def test_a_reuse_annotation_makes_weights_and_data_uses_of_their_own():
    weights = {"REUSE.toml": REUSE % "CC-BY-NC-4.0", "w/a.safetensors": "x", "w/b.pt": "x"}
    restricted = ["license/use-restricted REUSE.toml:4"]
    expected = ["w model-weights CC-BY-NC-4.0"], restricted
    assert found(weights) == expected
    assert found({**weights, "w/README.md": card("license: cc-by-nc-4.0")}) == expected
    assert found({"REUSE.toml": REUSE % "CC-BY-NC-4.0", "w/a.csv": "x"})[0] == ["w/a.csv training-data CC-BY-NC-4.0"]
    assert found({**weights, "REUSE.toml": REUSE % "Apache-2.0"}) == ([], [])


def test_a_licence_beside_vendored_weights_counts():
    said = "SPDX-License-Identifier: CC-BY-NC-4.0\n"
    for folder, usage in (("vendor/m", "model-weights"), ("tests/m", "test-only")):
        files = {f"{folder}/a.onnx": "x", f"{folder}/a.onnx.license": said}
        assert f"{folder}/a.onnx {usage} CC-BY-NC-4.0" in found(files)[0]


def test_statements_that_differ_all_count():
    files = {"m/README.md": card("license: apache-2.0"), "m/a.gguf": gguf(license="llama3.1")}
    assert found(files)[0] == [f"m model-weights Apache-2.0 AND {LLAMA}"]
    assert found({**files, "m/README.md": card("license: other")})[0] == ["m model-weights None"]


def test_folders_of_the_same_name_are_two_dependencies_if_their_licences_differ():
    same = {
        "a/m/README.md": card("license: mit"),
        "a/m/x.pt": "x",
        "b/m/README.md": card("license: mit"),
        "b/m/x.pt": "x",
    }
    (model,) = scanned({"LICENSE": APACHE, **same}).dependencies
    assert [place.path for place in model.places] == ["a/m", "b/m"]
    assert found({**same, "b/m/README.md": card("license: gemma")})[0] == [
        "m model-weights MIT", "m model-weights LicenseRef-scancode-gemma-tou-2025-03-24",
    ]  # fmt: skip


def test_a_card_speaks_for_weights_in_folders_below():
    files = {"m/README.md": card("license: llama3.1"), "m/hf/part/model.safetensors": "x"}
    assert found(files)[0] == [f"m model-weights {LLAMA}"]


def test_a_notice_line_names_its_licence_and_a_use_policy_restricts():
    line = "Llama 3.1 is licensed under the Llama 3.1 Community License,\nCopyright © Meta Platforms, Inc. All Rights Reserved.\n"
    assert found({"w/Notice": line, "w/model.safetensors": "x"}) == (
        [f"w model-weights {LLAMA}"],
        ["license/use-restricted w/Notice"],
    )
    (model,) = scanned({"LICENSE": APACHE, "w/USE_POLICY.md": "# Use\n", "w/model.safetensors": "x"}).dependencies
    assert (model.license.expression, model.license.place.said) == (
        None,
        "w/USE_POLICY.md restricts how the weights may be used, and names no licence",
    )
    both = {"w/USE_POLICY.md": "# Use\n", "w/Notice": line, "w/model.safetensors": "x"}
    assert found(both)[0] == [f"w model-weights {LLAMA}"]
    assert found({"w/NOTICE": "Somebody made it.\n", "w/model.safetensors": "x"})[0] == []
    assert found({"NOTICE": line, "w/model.safetensors": "x"})[0] == []
