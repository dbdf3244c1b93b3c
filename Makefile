# Every target sets up what it needs; a fresh machine has Python 3.11 or newer, and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
READY_ALL := $(VENV)/.ready-all
LOCK := requirements/ci.txt
PIP := $(BIN)/pip install --quiet --disable-pip-version-check
# The one that Python brings along may be years old, and takes twice as long for all the rest. What
# is imported is compiled then, which is a small part of what is installed.
NEW_PIP := pip==26.3
# For what is installed, and for what the package is built with.
export PIP_CONSTRAINT := $(abspath $(LOCK))
export PIP_BUILD_CONSTRAINT := $(abspath $(LOCK))
# Compiling everything again in each of hundreds of processes takes longer than all the tests.
unexport PYTHONDONTWRITEBYTECODE

# What a change to the core breaks, it breaks here: no process is started, nothing waits.
UNIT := tests/protocol tests/conversation/deciding tests/conversation/journal tests/conversation/turn \
	tests/test_benchmarks.py tests/test_layers.py tests/test_map.py tests/test_public_names.py \
	tests/test_which_tests.py

.PHONY: help demo check test lint bench mcp web scale soak agents libraries frameworks docs wheel release-check lock clean

help:  ## What there is to make
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/'

demo: $(READY)  ## A real model in this process calls a tool and uses what it gave
	$(BIN)/python examples/demo.py

# Style and types beside the tests: without a cache, mypy takes half a minute of one core.
check: $(READY_ALL)  ## Style, types and unit tests: a minute on two cores
	$(MAKE) --no-print-directory lint & lint=$$!; \
	TOOLPROTO_MERGED=1 HYPOTHESIS_PROFILE=check $(BIN)/python -m pytest -n 2 --dist worksteal -q $(UNIT); tests=$$?; \
	wait $$lint || { echo 'make lint fails: see above'; exit 1; }; exit $$tests

# Style and types before them: tests/typing uses what mypy has kept. In a fresh clone the other core
# compiles the tests meanwhile, which each of three processes would do.
# What tests need from elsewhere is fetched on that core, too, from when there is a Python to do it.
test: $(READY)  ## Every check: eight minutes on two cores, and one to set up
	$(BIN)/python -m tests.fetching >/dev/null 2>&1 & \
	$(MAKE) --no-print-directory $(READY_ALL) || exit 1; \
	{ ls tests/__pycache__/conftest*pytest* || $(BIN)/python -m pytest --collect-only -q; } >/dev/null 2>&1 & found=$$!; \
	$(MAKE) --no-print-directory lint; lint=$$?; wait $$found; exit $$lint
	TOOLPROTO_MERGED=1 $(BIN)/python -m pytest -n 3 --dist worksteal

lint: $(READY_ALL)  ## Style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(READY_ALL)  ## What we measure, beside what others do; fails if a figure got worse
	$(BIN)/python benchmarks/compare.py

mcp: $(READY_ALL)  ## The reference servers of MCP over both transports: as they are, killed, slowed, lying
	TOOLPROTO_REFERENCES=1 $(BIN)/python -m pytest tests/conversation/mcp/references -n 2

scale: $(READY_ALL)  ## Ray, and the recipes for Polars, DuckDB, Spark and Daft, in an environment of their own: ten minutes, two gigabytes
	TOOLPROTO_ENGINES=1 $(BIN)/python -m pytest tests/bulk/engines

soak: $(READY_ALL)  ## Long runs: splits, hostile texts, growth, fuzzing, cut streams, jumbled sessions, crashes, races
	$(PIP) -e '.[soak]'
	$(BIN)/python -m soak.laws
	$(BIN)/python -m soak.places
	TOOLPROTO_WHOLE=1 HYPOTHESIS_PROFILE=soak $(BIN)/python -m pytest tests/laws -n 2
	TOOLPROTO_WHOLE=1 $(BIN)/python -m pytest -n 2 --dist worksteal tests
	$(BIN)/python -m soak.growth
	$(BIN)/python -m soak.grammars
	$(BIN)/python -m soak.grammars --renderings json_schema
	$(BIN)/python -m soak.fuzz --runs 300000
	$(BIN)/python -m soak.cut_streams
	$(BIN)/python -m soak.sessions
	$(BIN)/python -m soak.proxy
	$(BIN)/python -m soak.proxy_memory
	$(BIN)/python -m soak.crashes --store sqlite
	$(BIN)/python -m soak.crashes --store postgresql
	$(BIN)/python -m soak.workers
	$(BIN)/python -m soak.round_trips --calls 1000
	$(BIN)/python -m soak.races --store sqlite
	$(BIN)/python -m soak.races --store postgresql

web: $(READY_ALL)  ## The page under load: viewers, turns, long sessions, long arguments, every state for axe
	TOOLPROTO_WEB=1 $(BIN)/python -m pytest tests/web -n 2
	$(BIN)/python -m soak.web

agents: $(READY_ALL)  ## Claude Code, codex and twenty others before a model that errs: an hour, and four gigabytes
	TOOLPROTO_AGENTS=1 $(BIN)/python -m pytest -n 2 --dist worksteal tests/gateway/proxy/agents

frameworks: $(READY_ALL)  ## SDKs and frameworks with a transport in them, and llm: ten minutes, and two gigabytes
	TOOLPROTO_FRAMEWORKS=1 $(BIN)/python -m pytest -n 2 --dist worksteal tests/gateway/proxy/clients tests/gateway/frameworks

docs: $(READY)  ## The documentation as a site, with search: build/site/index.html
	$(PIP) -e '.[docs]'
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet
	@echo "build/site/index.html; to search it: python3 -m http.server -d build/site, and open http://localhost:8000"

wheel: $(READY)  ## A wheel in dist/, to be installed anywhere
	$(BIN)/pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist .
	@ls dist/*.whl

libraries: $(READY_ALL)  ## The servers of transformers, mlx-lm and vLLM with tiny models, and clients: ten minutes, and four gigabytes
	TOOLPROTO_LIBRARIES=1 $(BIN)/python -m pytest tests/endpoints/libraries

release-check: $(READY_ALL)  ## The wheel with the lowest and the newest versions, each extra alone, on every Python here
	$(BIN)/python requirements/release_check.py

lock: $(READY_ALL)  ## Write down the versions that are installed here, for everybody
	$(BIN)/python requirements/lock.py

$(READY): pyproject.toml $(LOCK)
	$(PYTHON) -m venv $(VENV)
	$(PIP) '$(NEW_PIP)'
	$(PIP) --no-compile -e '.[cli,local,web]'
	touch $@

$(READY_ALL): $(READY)
	$(PIP) --no-compile -e '.[test,bench]'
	touch $@

clean:  ## Forget everything that was set up
	rm -rf $(VENV) .scale .clients .mypy_cache .ruff_cache .pytest_cache .hypothesis
