# `make demo` and `make test` do all their own set-up: a virtual environment in .venv with pinned packages.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
TARGETS := .venv-integration
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: demo test lint bench integration constraints clean

$(VENV)/.installed: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --group dev --editable .
	touch $@

demo: $(VENV)/.installed
	$(BIN)/crowdproof demo

lint: $(VENV)/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

test: lint
	$(BIN)/python -m pytest -n auto --dist worksteal

# What needs more than Python: third-party anonymizers, a browser, a cluster. Each setup script installs what it needs.
integration: $(VENV)/.installed $(TARGETS)/.installed
	for setup in tests/integration/setup-*.sh; do sh $$setup $(BIN)/python || exit 1; done
	$(BIN)/python -m pytest -m processes -n auto --dist worksteal
	$(BIN)/python -m pytest -m integration --ignore tests/integration/targets
	$(TARGETS)/bin/python -m pytest -m integration -n 2 tests/integration/targets

# The audited packages have a virtual environment of their own: anjana and pycanon pin numpy below what we need and each
# other's versions, diffprivlib needs an older scikit-learn. Every package is pinned, so nothing is left to resolve.
$(TARGETS)/.installed: pyproject.toml constraints-integration.txt
	test -x $(TARGETS)/bin/python || $(PYTHON) -m venv $(TARGETS)
	$(TARGETS)/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	$(TARGETS)/bin/python -m pip install --quiet --no-deps --requirement constraints-integration.txt
	$(TARGETS)/bin/python -m pip install --quiet --no-deps --editable .
	touch $@

bench: $(VENV)/.installed
	$(BIN)/python -m benchmarks

clean:
	rm -rf $(VENV) $(TARGETS) .mypy_cache .ruff_cache .pytest_cache .hypothesis dist
