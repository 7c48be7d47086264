# The two commands of the README, and the developers' few others.
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: run test lint types unit format golden verify-many bench clean

run: $(READY)  ## what Roost does, shown in the terminal
	@$(BIN)/roost demo

test: lint types unit  ## everything CI checks

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)
	$(BIN)/mypy

unit: $(READY)
	$(BIN)/pytest -n auto

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

golden: $(READY)  ## write the golden playthroughs anew; read the diff before committing it
	$(BIN)/python -m tests.golden.regenerate

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache

$(READY): pyproject.toml
	python3 -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@
