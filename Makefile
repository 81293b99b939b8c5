# What people type. Each target sets up what it needs; nothing is written outside this folder.
PYTHON ?= python3.11
BIN := .venv/bin
STAMP := .venv/.ready
LOCKED := --generate-hashes --no-emit-index-url --no-annotate --no-header --python-version 3.11

.PHONY: demo test e2e lab check format lint docs bench dist lock clean

$(STAMP): requirements/dev.lock pyproject.toml
	@command -v $(PYTHON) >/dev/null || { echo "podwire needs $(PYTHON) (Debian, Ubuntu: apt-get install python3.11-venv)" >&2; exit 1; }
	@echo "Setting up .venv (once, about a minute)" >&2
	@$(PYTHON) -m venv .venv
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.lock
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

demo: $(STAMP)  ## check a broken cluster, then the same cluster mended
	@echo '$$ podwire check examples/broken'
	@$(BIN)/podwire check examples/broken || test $$? -eq 1
	@echo; echo '$$ podwire trace deployment/evaluator -n train examples/broken'
	@$(BIN)/podwire trace deployment/evaluator -n train examples/broken || test $$? -eq 1
	@echo; echo '$$ podwire check examples/mended'
	@$(BIN)/podwire check examples/mended
	@echo; echo 'What was changed: diff -r examples/broken examples/mended'

test: $(STAMP)  ## unit, contract and case tests
	@$(BIN)/pytest -q -n auto

e2e: $(STAMP)  ## the same verdicts beside a real Kubernetes (root, Linux; builds it once, in 15 minutes)
	@tests/e2e/kube/build.sh >/dev/null
	@$(BIN)/pytest -q -rs -m e2e tests/e2e

lab: $(STAMP)  ## podwire on SR-IOV cards in a virtual machine (root, Linux; builds it once, in 3 minutes)
	@$(BIN)/python -m tests.lab
	@$(BIN)/pytest -q -rs -m lab -n 2 --durations=10 tests/lab

check: $(STAMP) lint  ## everything that has to pass before a commit
	@$(BIN)/python -m tests.docs --check
	@$(BIN)/coverage erase
	@$(BIN)/coverage run -m pytest -q -p no:cacheprovider
	@$(BIN)/coverage combine -q
	@$(BIN)/coverage report --skip-covered --skip-empty

lint: $(STAMP)  ## format, lint, types, layers
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

format: $(STAMP)  ## put the code into its form
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

docs: $(STAMP)  ## write generated pages, schemas and examples again
	@$(BIN)/python -m tests.docs

bench: $(STAMP)  ## figures as JSON lines, beside the peer's
	@$(BIN)/python -m bench

dist: $(STAMP)  ## the wheel and the Debian package, into dist/
	@$(BIN)/python -m deploy.debian.build dist

lock:  ## resolve the dependencies again (needs uv)
	uv pip compile pyproject.toml --extra dev $(LOCKED) -o requirements/dev.lock
	uv pip compile pyproject.toml $(LOCKED) -o requirements/run.lock

clean:
	rm -rf .venv .coverage* .import_linter_cache .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist
