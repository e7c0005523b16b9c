# Every target sets up what it needs; a fresh machine needs Python 3.11 to 3.13, git and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PORT ?= 8080
FOLDER ?= .demo
CASES ?= 100000
TAMPERINGS ?= 1000
# Of each module so many changes, drawn by a seed; 0: all.
MUTANTS ?= 40
KILLS ?= 200
DATABASE ?= both
# Two more than processors: tests of whole processes wait a good part of their time.
WORKERS ?= $(shell $(PYTHON) -c 'import os; print((os.cpu_count() or 1) + 2)')
WORDS := bot/portal/translations

# What Python compiled is kept for the many processes that tests start, whatever the machine says otherwise.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help demo test slow hostile chaos nightly chart deployment lint matrix hooks changelog mutants bench data docs reference messages pictures serve clean lock

help: ## This list
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 10

$(VENV)/ready: requirements/dev.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' || \
	  { echo "Countersign needs Python 3.11 to 3.13; $(PYTHON) is $$($(PYTHON) -V 2>&1). Try: make PYTHON=python3.12"; exit 2; }
	@$(PYTHON) -m venv $(VENV) || { echo "Python's venv is missing; on Debian: apt-get install python3-venv"; exit 2; }
	@$(BIN)/python requirements/install.py requirements/dev.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@$(BIN)/python -m compileall -q agreements audit bot migrations  # as pip does with what it copies: the first start is as quick as the next
	@touch $@

demo: $(VENV)/ready ## The portal and the bot on this machine, with a simulated GitHub (PORT=, FOLDER=)
	$(BIN)/countersign demo --port "$(PORT)" --folder "$(FOLDER)"

# Databases of tests need no disk: a memory that has room for them spares a quarter of the time.
ROOMY = $(shell [ "$$(df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 { print ($$4 > 6000000) }')" = 1 ] && echo /dev/shm)
test slow hostile chaos nightly mutants: export TMPDIR := $(or $(TMPDIR),$(ROOMY),/tmp)

PYTEST := $(BIN)/pytest --numprocesses "$(WORKERS)" --dist loadfile --no-loadscope-reorder

test: $(VENV)/ready ## The tests, but for those marked slow
	$(PYTEST)

slow: $(VENV)/ready ## The tests marked slow: whole processes, journeys in the browser, chaos, tampering
	SLOW=1 $(PYTEST) -m slow

hostile: $(VENV)/ready ## Hostile pull requests and ways to tamper with the records, many of them (CASES=, TAMPERINGS=)
	$(BIN)/python tests/hostile/run.py $(CASES)
	$(BIN)/python tests/tampering/run.py $(TAMPERINGS)

chaos: $(VENV)/ready ## Kills, outages, limits, wrong clocks, on real processes (KILLS=, SEED=, DATABASE=sqlite|postgres, PHASES=)
	$(BIN)/python tests/chaos/run.py $(PHASES) --kills $(KILLS) --database $(DATABASE) $(if $(SEED),--seed $(SEED))

nightly: slow hostile ## All of `slow` and `hostile`, tests marked nightly, the audited projects fetched again, every page in every way
	$(BIN)/python tests/audit/real.py
	SLOW=nightly $(PYTEST) -m nightly
	SLOW=nightly LOOK=all $(PYTEST) tests/bot/portal/test_look.py

TOOLS := .deployment
$(TOOLS)/ready: requirements/deployment-checks.lock requirements/node/package-lock.json
	@$(PYTHON) -m venv $(TOOLS)
	$(TOOLS)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements/deployment-checks.lock
	cp requirements/node/package.json requirements/node/package-lock.json $(TOOLS)/
	if command -v npm >/dev/null; then npm ci --prefix $(TOOLS) --ignore-scripts --no-audit --no-fund --loglevel=error; fi
	@touch $@

# The source distribution of the PyGithub that dev.lock pins: in it is traffic of the real GitHub, which tests/contract replays.
RECORDED := .recorded
$(RECORDED)/ready: requirements/dev.lock $(VENV)/ready
	@mkdir -p $(RECORDED)
	sed -n '/^pygithub==/,/[^\\]$$/p' requirements/dev.lock > $(RECORDED)/pygithub.lock
	$(BIN)/python -m pip download --quiet --disable-pip-version-check --no-deps --no-binary pygithub --require-hashes \
	  --requirement $(RECORDED)/pygithub.lock --dest $(RECORDED)
	@touch $@

chart: $(VENV)/ready ## Make the Helm chart and the PrometheusRule again from deploy/kubernetes and deploy/monitoring
	$(BIN)/python deploy/release/chart.py

deployment: $(VENV)/ready $(TOOLS)/ready ## Container, compose, Kubernetes, chart, alerts, dashboard, workflows, REUSE: looked at by their tools
	$(BIN)/pytest --numprocesses "$(WORKERS)" tests/deploy tests/workflows tests/audit/scan/reuse

lint: $(VENV)/ready ## Style, types, architecture
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

DEV_TOOLS := .dev-tools
$(DEV_TOOLS)/ready: requirements/dev-tools.lock
	@$(PYTHON) -m venv $(DEV_TOOLS)
	$(DEV_TOOLS)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements/dev-tools.lock
	@touch $@

matrix: $(DEV_TOOLS)/ready ## The tests on Python 3.11, 3.12 and 3.13, each that is there (TESTS= some of them)
	$(DEV_TOOLS)/bin/nox -- $(TESTS)

hooks: $(DEV_TOOLS)/ready $(VENV)/ready ## Have git check style, types and generated docs before each commit
	$(DEV_TOOLS)/bin/pre-commit install

changelog: $(DEV_TOOLS)/ready ## Put the fragments of docs/changes into CHANGELOG.md (VERSION=)
	$(DEV_TOOLS)/bin/towncrier build --version "$(VERSION)"

mutants: $(VENV)/ready ## Change modules bit by bit and show which changes no test notices (MODULES=, MUTANTS=, needs a package index)
	$(BIN)/python benchmarks/mutants.py $(MODULES) --sample "$(MUTANTS)"

bench: $(VENV)/ready ## Measured figures, each beside a baseline of the same run
	$(BIN)/python benchmarks/run.py

data: $(VENV)/ready ## Derive the vendored data again from its pinned packages (needs npm)
	$(BIN)/python tests/contract/derive.py
	$(BIN)/python tests/audit/derive.py

libraries: $(VENV)/ready ## Derive the table of C and C++ libraries again from Debian's pinned packages (needs apt; PACKAGES= a folder that keeps them)
	mkdir -p $(or $(PACKAGES),build/packages)
	$(BIN)/python -m tests.audit.derive_libraries $(or $(PACKAGES),build/packages)

reference: $(VENV)/ready ## Write the parts of docs/reference anew that come from code: settings, commands, rulebook, metrics, routes, events
	$(BIN)/python -m docs.generate
	$(BIN)/python -m tests.bot.github.withheld_table

pictures: $(VENV)/ready ## Take the pictures of docs/pictures anew, in the demo (needs Chromium)
	$(BIN)/python -m docs.pictures

SITE := .site-tools
$(SITE)/ready: requirements/docs.lock
	@$(PYTHON) -m venv $(SITE)
	$(SITE)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements/docs.lock
	@touch $@

docs: $(SITE)/ready ## The documentation as a site in .site, every link and anchor checked
	NO_MKDOCS_2_WARNING=1 $(SITE)/bin/mkdocs build --strict --quiet

messages: $(VENV)/ready ## Gather the texts of the portal and of setup, bring their translations up to date, compile them
	$(BIN)/pybabel -q extract --mapping-file $(WORDS)/babel.cfg --keywords lazy_gettext --no-location \
	  --output-file $(WORDS)/messages.pot bot/portal bot/setup
	$(BIN)/pybabel -q update --input-file $(WORDS)/messages.pot --output-dir $(WORDS) --no-fuzzy-matching --no-wrap \
	  --ignore-obsolete --ignore-pot-creation-date
	$(BIN)/pybabel -q compile --directory $(WORDS)
	@rm $(WORDS)/messages.pot

serve: $(VENV)/ready ## The real thing; settings come from the environment
	$(BIN)/countersign serve

lock: $(VENV)/ready ## Renew requirements/*.lock (needs uv)
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
	  --no-emit-index-url --no-emit-find-links pyproject.toml --extra tracing -o requirements/run.lock
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
	  --no-emit-index-url --no-emit-find-links pyproject.toml --group dev --extra pdf --extra pades --extra tracing -o requirements/dev.lock
	for group in build dev-tools deployment-checks docs; do uv pip compile --universal --python-version 3.11 --generate-hashes --no-header \
	  --no-annotate --no-emit-index-url --no-emit-find-links --group $$group -o requirements/$$group.lock; done

clean: ## Remove what the other targets made
	rm -rf $(VENV) $(DEV_TOOLS) $(TOOLS) $(RECORDED) $(SITE) .site .demo dist build .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
