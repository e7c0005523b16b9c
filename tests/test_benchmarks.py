"""`make bench` finds every benchmark, and says of a missed target that it is missed."""

import importlib
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


@pytest.fixture(name="figures")
def _figures(monkeypatch):
    """The module of figures, which lies beside the benchmarks."""
    monkeypatch.syspath_prepend(BENCHMARKS)
    return importlib.import_module("figures")


@pytest.fixture(name="run")
def _run(figures):
    """The program itself."""
    return importlib.import_module("run")


@pytest.mark.parametrize(
    ("value", "target", "met"),
    [
        (300.0, "≤ 300 ms", "yes"), (301.0, "≤ 300 ms", "nearly"), (360.0, "≤ 300 ms", "no"),
        (40.0, "≥ 40/s", "yes"), (32.1, "≥ 40/s", "nearly"), (32.0, "≥ 40/s", "no"),
        (1200.0, "≥ 1,000 files/s", "yes"), (0.0, "0", "yes"), (1.0, "0", "no"),
        (5.0, "≤ before", "yes"), (7.0, "≤ before", "no"), (7.0, "", ""),
    ],
)  # fmt: skip
def test_a_miss_of_less_than_a_fifth_is_a_miss(figures, value, target, met):
    assert figures.Figure(what="x", value=value, unit="", target=target, baseline=5.0, beside="before").met == met


def test_every_benchmark_is_found_under_its_name(run):
    measuring = {
        f"{path.parent.name}.{path.stem}"
        for path in BENCHMARKS.glob("*/*.py")
        if "\ndef measure(" in path.read_text(encoding="utf-8")
    }
    assert set(run.NAMES.values()) == measuring


def test_every_module_that_is_changed_bit_by_bit_has_its_tests(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    mutants, root = importlib.import_module("mutants"), BENCHMARKS.parent
    for name in mutants.MODULES:
        module = Path(*name.split("."))
        assert (root / f"{module}.py").exists(), name
        assert (root / "tests" / module.parent / f"test_{module.name}.py").exists(), name


def test_the_table_has_a_row_for_each_figure_and_names_misses(figures, run):
    slow = figures.Figure(what="a page", value=1234.0, unit="ms", target="≤ 150 ms", baseline=3.21, beside="/livez")
    fast = figures.Figure(what="a verdict", value=17.26, unit="ms", target="≤ 20 ms")
    part = {"at": "2026-11-25", "on": "2 cores", "figures": [slow.plain(), fast.plain()]}

    text = run._document({"pages": part})

    assert "| pages | a page | ≤ 150 ms | 1,234 ms | /livez: 3.21 | 384 × | no |" in text
    assert "| pages | a verdict | ≤ 20 ms | 17.3 ms |  |  | yes |" in text
    assert "Missed by a fifth or more, of 2 targets: a page (1,234 ms, target ≤ 150 ms)." in text
    assert "| pages | 2026-11-25 | 2 cores |" in text


@pytest.fixture(name="capacity")
def _capacity(monkeypatch):
    """The queue model."""
    monkeypatch.syspath_prepend(BENCHMARKS)
    return importlib.import_module("capacity")


def test_the_queue_model_agrees_with_theory(capacity):
    costs = capacity.Costs(acknowledge=0.0, judge=1.0, commits=0, calls=0)
    load = capacity.Load(1, events_per_repository=1800)
    topology = capacity.Topology("one", 1, 1)
    found = capacity.simulate(load, topology, costs, seed=1, seconds=200_000)

    assert found.busy["worker"] == 0.5
    assert found.mean == pytest.approx(1.5, rel=0.03)  # M/D/1: service + busy × service / 2 (1 − busy)


@pytest.mark.slow
def test_in_the_queue_model_more_workers_take_more(capacity):
    small, large = capacity.SMALL, capacity.LARGE
    load = capacity.Load(250_000)
    full, enough = (capacity.simulate(load, it, capacity.Costs(), seed=1) for it in (small, large))

    assert capacity.simulate(load, large, capacity.Costs(), seed=1) == enough
    assert full.busy["jobs"] > 1 > enough.busy["jobs"]
    assert full.p99 > 600
    assert enough.p99 < 5
    assert capacity.capacity(load, large, capacity.Costs()) == 4 * capacity.capacity(load, small, capacity.Costs())


@pytest.fixture(name="projects")
def _projects(figures):
    """The module of foreign projects."""
    return importlib.import_module("licenses.projects")


def test_half_of_the_benchmarks_projects_are_in_c_or_cpp(projects):
    listed = list(projects.projects())

    assert len(listed) >= 60
    assert sum(project.is_native for project in listed) >= len(listed) / 2
    assert len({project.name for project in listed}) == len(listed)
    for project in listed:
        assert all(projects.read(said) for said in (*project.licenses, *project.parts)), project.name
        assert project.also.isdisjoint(frozenset().union(*project.linked, *project.declared)), project.name


@pytest.mark.parametrize(
    ("said", "own"),
    [
        ("MIT OR Apache-2.0", "right"), ("Apache-2.0 OR MIT", "right"), ("(Apache-2.0 OR MIT) AND ISC", "right"),
        ("MIT AND Apache-2.0", "wrong"), ("MIT", "wrong"), ("(MIT OR Apache-2.0) AND Zlib", "wrong"), (None, "unknown"),
    ],
)  # fmt: skip
def test_the_own_licence_is_right_in_any_order_and_with_the_same_branches(projects, said, own):
    work = projects.Project("x", "1", "Rust", ("MIT OR Apache-2.0",), frozenset({"ISC"}), (), (), frozenset(), ())

    assert projects._own(said, work) == own
