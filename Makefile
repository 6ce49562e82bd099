# Two commands: `make demo` and `make test`. Both set everything up in .venv first.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
# Every process of the tests would compile them anew where this is set.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo test test-rest test-elsewhere test-wheels test-oracles lint clean

demo: .venv/core
	$(BIN)/caveat demo --out demo

# Many of the tests wait, for kills, servers and browsers: one more at a time than cores.
# Of tests with very many cases (every command with every odd file) some cases run here ...
test: .venv/dev
	$(BIN)/python -m pytest -q -n 3 -m "not slow and not network" --cases drawn

# ... and all the others here, with what takes long alone. CI runs both.
test-rest: .venv/dev
	$(BIN)/python -m pytest -q -n 3 -m "not slow and not network" --cases rest

# As other machines would run them: older kernels, one and two threads, much load.
test-elsewhere: .venv/dev
	$(BIN)/python tests/elsewhere.py $(if $(REDUCED),--reduced)

# The wheel without the source tree: the bare package, every extra, every Python here.
test-wheels: .venv/dev
	$(BIN)/python tests/wheels.py $(if $(CORE),--core)

# With other people's packages, which the models are held against or call: in a folder of
# their own, so that nothing here comes to need them. All cases, the slow ones included.
ORACLES := rtdl_revisiting_models rtdl_num_embeddings tabm pytorch-tabnet pytorch-frame entmax
test-oracles: .venv-oracles/ready
	.venv-oracles/bin/python -m pytest -q -n 2 -m "not network" \
		tests/models/networks/test_oracles.py tests/models/test_foundation.py \
		tests/models/test_realmlp.py tests/models/test_models.py tests/models/test_saved.py

lint: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/codespell src papers docs examples benchmarks README.md CONTRIBUTING.md CHANGELOG.md

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "caveat needs Python 3.11 or newer; set PYTHON=python3.12, say"; exit 1; }
	$(PYTHON) -m venv .venv
	$(PIP) install --upgrade pip

.venv/core: .venv/bin/python pyproject.toml constraints.txt
	$(PIP) install --constraint constraints.txt --editable .
	@touch $@

.venv/dev: .venv/bin/python pyproject.toml constraints.txt
	$(PIP) install --constraint constraints.txt --editable '.[all,dev]'
	@touch $@ .venv/core

.venv-oracles/ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv-oracles
	.venv-oracles/bin/python -m pip --disable-pip-version-check --quiet install \
		--constraint constraints.txt --editable '.[all,dev,foundation,realmlp]' $(ORACLES)
	@touch $@

clean:
	rm -rf .venv .venv-oracles demo build dist .pytest_cache .mypy_cache .ruff_cache
