"""mix.exs and mix.lock: Elixir terms are read without evaluation; environments spread along the graph."""

import pytest

from audit import ecosystems
from tests.audit.ecosystems.brief import dependency_lines, merged, origins

LOCK = """%{
  "bandit": {:hex, :bandit, "1.5.7", "AAAA", [:mix], [{:plug, "~> 1.14", [hex: :plug, repo: "hexpm", optional: false]}, {:telemetry, "~> 1.0", [hex: :telemetry, repo: "hexpm", optional: false]}], "hexpm", "BBBB"},
  "bunt": {:hex, :bunt, "1.0.0", "aa", [:mix], [], "hexpm", "bb"},
  "corp_auth": {:hex, :corp_auth, "2.0.0", "aa", [:mix], [], "hexpm:corp", "bb"},
  "credo": {:hex, :credo, "1.7.7", "aa", [:mix], [{:bunt, "~> 1.0", [hex: :bunt, repo: "hexpm", optional: false]}], "hexpm", "bb"},
  "heroicons": {:git, "https://github.com/tailwindlabs/heroicons.git", "88ab3a0d790e6a47404cba02800a6b25d2afae50", [tag: "v2.1.1", sparse: "optimized"]},
  "old": {:hex, :old, "0.1.0"},
  "plug": {:hex, :plug, "1.16.1", "aa", [:mix], [{:telemetry, "~> 0.4.3 or ~> 1.0", [hex: :telemetry, repo: "hexpm", optional: false]}, {:credo, "~> 1.0", [hex: :credo, repo: "hexpm", optional: true]}], "hexpm", "bb"},
  "telemetry": {:hex, :telemetry, "1.3.0", "aa", [:rebar3], [], "hexpm", "bb"},
}
""".replace("AAAA", "a" * 64).replace("BBBB", "b" * 64)
MANIFEST = '''defmodule Shop.MixProject do
  use Mix.Project

  @doc """
  {:not_me, "~> 1.0"}
  """
  def project do
    [app: :shop, version: "0.1.0", deps: deps(), package: [licenses: ["Apache-2.0"]]]
  end

  def application, do: [mod: {Shop, []}, extra_applications: [:logger]]

  defp deps do
    [
      {:bandit, "~> 1.5"}, # {:nor_me, "1.0.0"}
      {:credo, "~> 1.7", only: [:dev, :test], runtime: false},
      {:ex_machina, "== 2.8.0", only: :test},
      {:esbuild, "~> 0.8", runtime: false},
      {:heroicons, github: "tailwindlabs/heroicons", tag: "v2.1.1", app: false},
      {:corp_auth, "2.0.0", organization: "corp"},
      {:core, in_umbrella: true},
      {:own, path: "apps/own"},
      {:both, "1.0.0", only: [:prod, :test], optional: true},
      {name, "1.0.0"}
    ]
  end

  defp aliases, do: [setup: ["deps.get"], x: {:nobody, "1"}]
end
'''


def test_the_list_of_deps_gives_packages_with_environments():
    assert dependency_lines("mix.exs", MANIFEST) == [
        "pkg:hex/bandit runtime-import direct :15",
        "pkg:hex/credo test-only direct :16",
        "pkg:hex/ex_machina@2.8.0 test-only direct :17",
        "pkg:hex/esbuild build-tool direct :18",
        "pkg:github/tailwindlabs/heroicons@v2.1.1 runtime-import direct :19",
        "pkg:hex/corp/corp_auth@2.0.0?repository_url=repo.hex.pm runtime-import direct :20",
        "pkg:hex/both@1.0.0 runtime-import direct optional :23",
        "! file/unsupported :24",
    ]
    found = ecosystems.read("mix.exs", MANIFEST)
    assert (found.own, found.license.expression, found.dependencies[1].why) == (
        frozenset({"shop"}),
        "Apache-2.0",
        "mix.exs: only dev, test",
    )


@pytest.mark.parametrize("content", [
    'def project, do: [deps: [{:a, "1.0.0"}]]', 'defp deps(), do: [{:a, "1.0.0"}]', 'defp deps, do: [{:a, "1.0.0"}]', 'def deps() do\n[{:a, "1.0.0"}]\nend',
])  # fmt: skip
def test_every_form_of_the_list_is_read(content):
    assert [line.partition(" ")[0] for line in dependency_lines("mix.exs", content)] == ["pkg:hex/a@1.0.0"]


@pytest.mark.parametrize(
    "content",
    [
        'def project, do: [deps: deps(Mix.env())]\ndefp deps(:prod), do: [{:a, "1.0.0"}]\n@doc "x"\ndefp deps(_), do: [{:b, "1.0.0"}]',
        'def project, do: [deps: all() ++ [{:a, "1.0.0"}]]\ndefp all do\n  [{:b, "1.0.0"}]\nend\n@version "1"',
        'defp deps do\n  [a_dep(), b_dep(:x)]\nend\ndefp a_dep, do: {:a, "1.0.0"}\ndefp b_dep(_) do\n  {:b, "1.0.0"}\nend',
        'defp deps do\n  base() ++ [{:a, "1.0.0"}]\nend\ndefp base, do: [{:b, "1.0.0"}]\nend',
        'def project, do: [deps: locked(base(:x) ++ deps())]\ndefp base(x) when x in [:a], do: [{:a, "1.0.0"}]\ndefp deps, do: [b: "1.0.0"]\ndefp locked(x), do: []',
    ],
)  # fmt: skip
def test_functions_that_give_parts_of_the_list_are_read(content):
    assert {line.partition(" ")[0] for line in dependency_lines("mix.exs", content)} == {
        "pkg:hex/a@1.0.0",
        "pkg:hex/b@1.0.0",
    }


@pytest.mark.parametrize(
    "body",
    [
        "[dep(:a)]", '[{name, "1"}]', 'Enum.map(names(), &{&1, "1"})', "@deps", "Shop.Deps.all()", 'Code.eval_file("deps.exs")',
        'if x, do: [{:a, "1"}], else: []', "other()",
    ],
)  # fmt: skip
def test_packages_that_are_computed_are_told(body):
    for content in (f"def project, do: [app: :x, deps: {body}, x: y]", f"defp deps do\n{body}\nend"):
        assert [line for line in dependency_lines("mix.exs", content) if "!" in line] == [
            "! file/unsupported :" + ("2" if "\n" in content else "1")
        ]


def test_a_function_that_computes_a_package_is_told():
    content = 'defp deps, do: [named(:a)]\ndefp named(name), do: {name, "1.0.0"}\n'
    assert dependency_lines("mix.exs", content) == ["! file/unsupported :2"]


def test_each_kind_of_lock_entry_gives_its_package():
    assert dependency_lines("mix.lock", LOCK) == [
        "pkg:hex/bandit@1.5.7 runtime-import :2",
        "pkg:hex/bunt@1.0.0 runtime-import :3",
        "pkg:hex/corp/corp_auth@2.0.0?repository_url=repo.hex.pm runtime-import :4",
        "pkg:hex/credo@1.7.7 runtime-import :5",
        "pkg:github/tailwindlabs/heroicons@88ab3a0d790e6a47404cba02800a6b25d2afae50 runtime-import :6",
        "pkg:hex/old@0.1.0 runtime-import :7",
        "pkg:hex/plug@1.16.1 runtime-import :8",
        "pkg:hex/telemetry@1.3.0 runtime-import :9",
    ]


def test_environments_spread_along_the_graph():
    found = [line.partition(" :")[0] for line in merged({"mix.exs": MANIFEST, "mix.lock": LOCK})]
    assert "pkg:hex/bunt@1.0.0 test-only indirect" in found
    assert "pkg:hex/credo@1.7.7 test-only direct" in found
    assert "pkg:hex/telemetry@1.3.0 runtime-import indirect" in found


def test_archives_have_the_outer_checksum_and_their_needs():
    found = origins({"mix.lock": LOCK})
    assert "pkg:hex/bandit@1.5.7 SHA256:bbbbbbbb brings pkg:hex/plug@1.16.1 pkg:hex/telemetry@1.3.0" in found
    assert any("from git+https://github.com/tailwindlabs/heroicons.git@88ab3a0" in line for line in found)


@pytest.mark.parametrize(("content", "expected"), [
    ("%{\n}\n", []), ("", ["! file/broken :1"]), ("[]", ["! file/broken :1"]), ('%{"a": {:hex, :a, "1.0.0"', ["! file/broken :1"]),
    ("<<<<<<< HEAD\n", ["! file/broken :1"]), ('%{"a": {:path, "x"}, "b": 7}', ["! file/broken :1"]),
])  # fmt: skip
def test_an_empty_lock_is_no_finding_and_another_shape_is_one(content, expected):
    assert dependency_lines("mix.lock", content) == expected
