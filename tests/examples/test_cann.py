"""The first community's rulebook says what its design says."""

from datetime import UTC, datetime

import pytest

from agreements.github_server import GITHUB_COM
from agreements.rulebook.rules import for_repository
from bot import shipped_files
from bot.rulebook import effective, lint

# CLA_REPOS of the community's design, typed by hand.
CORE = [
    "ops-math", "ops-nn", "ops-transformer", "ops-cv", "ops-blas", "ops-fft", "ops-rand", "ops-tensor", "opbase",
    "catlass", "ascend-transformer-boost", "asnumpy", "graph-autofusion",
    "hccl", "hcomm", "hixl", "ascend-boost-comm", "shmem",
    "ge", "metadef", "runtime", "driver",
    "asc-devkit", "asc-tools", "pyasc", "pypto", "pto-isa", "atvc", "atvoss", "oam-tools", "sip",
    "torchtitan-npu", "tensorflow", "triton-inference-server-ge-backend",
]  # fmt: skip
OTHERS = ["cmake", "community", "cann-learning-hub", "cann-competitions", "ops-math-docs", "get", "a-new-one"]


@pytest.fixture(name="rules", scope="module")
def _rules():
    """The shipped rulebook, without mistakes."""
    return effective.parse_rulebook((shipped_files.path("cann") / "countersign.yml").read_text(encoding="utf-8")).rules


def test_core_repositories_need_a_cla(rules):
    assert len(set(CORE)) == 34
    assert {for_repository(rules, f"cann/{name}").require for name in CORE} == {"cla"}
    assert for_repository(rules, "Ascend/GE").require == "cla"
    assert sorted(rules.repositories[0].match) == sorted(CORE)


@pytest.mark.parametrize("name", OTHERS)
def test_all_other_repositories_need_a_sign_off(rules, name):
    assert for_repository(rules, f"cann/{name}").require == "dco"


def test_the_rulebook_names_the_community_and_is_not_doubtful(rules):
    assert rules.organization == "The CANN Authors"
    assert lint.doubts(rules, datetime(2026, 11, 21, tzinfo=UTC), GITHUB_COM) == ()
