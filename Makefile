# `make demo` and `make test` do all their own set-up: a virtual environment in .venv with pinned packages.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
TARGETS := .venv-integration
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: demo test lint long bench fuzz integration kernel constraints clean

$(VENV)/.installed: pyproject.toml constraints.txt pins.py
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python pins.py install --editable --group dev
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
	$(BIN)/python -m pytest -m "(processes or slow) and not long" -n auto --dist worksteal
	$(BIN)/python -m pytest -m integration --ignore tests/integration/targets
	$(TARGETS)/bin/python -m pytest -m integration -n 2 tests/integration/targets

# Audits of many thousand runs: for a change of how evidence is made, and before a release.
long: $(VENV)/.installed
	$(BIN)/python -m pytest -m long -n auto --dist worksteal

# The theorems, compiled by Coq and read again by its checker; their false variants, which it must reject.
kernel: $(VENV)/.installed
	sh tests/integration/setup-coq.sh
	$(BIN)/python -m pytest -q tests/integration/test_kernel.py -m integration

# The audited packages have a virtual environment of their own: anjana and pycanon pin numpy below what we need and each
# other's versions, diffprivlib needs an older scikit-learn. Every package is pinned, so nothing is left to resolve.
$(TARGETS)/.installed: pyproject.toml constraints-integration.txt pins.py
	test -x $(TARGETS)/bin/python || $(PYTHON) -m venv $(TARGETS)
	$(TARGETS)/bin/python pins.py install --editable --all constraints-integration.txt
	touch $@

bench: $(VENV)/.installed
	$(BIN)/python -m benchmarks

# A hundred thousand inputs for each parser, and ten thousand witness files through all reports.
fuzz: $(VENV)/.installed
	PYTHONPATH=tests $(BIN)/python -m fuzzing

# The hashes of all pins anew, after a version was changed: make constraints INDEX=the package index, as pip takes it.
constraints:
	$(PYTHON) pins.py hash --index "$(INDEX)" constraints.txt constraints-integration.txt

clean:
	rm -rf $(VENV) $(TARGETS) .mypy_cache .ruff_cache .pytest_cache .hypothesis dist
