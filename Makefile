# The two commands of the README, and the developers' few others.
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: help run test lint types unit format golden proto verify-many bench clean

help:  ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):[^#]*## /\1\t/' | expand -t 14

run: $(READY)  ## an arena and the sample bots on this machine, for a minute
	@$(BIN)/roost showcase

test: lint types unit  ## everything that CI checks

lint: $(READY)  ## ruff, rules and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)  ## mypy --strict
	$(BIN)/mypy

unit: $(READY)  ## the tests, on all cores
	$(BIN)/pytest -n auto

format: $(READY)  ## let ruff rewrite what it can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

golden: $(READY)  ## write the golden playthroughs anew; read the diff before you commit it
	$(BIN)/python -m tests.golden.regenerate

proto: $(READY)  ## generate the code for the wire contract
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python proto/generate.py

verify-many: $(READY)  ## 10,000 random matches of each game, each record verified
	$(BIN)/python -m tests.soak.verify_many

bench: $(READY)  ## every measurement that the docs quote
	$(BIN)/python -m pip install --quiet --disable-pip-version-check open_spiel rlcard
	$(BIN)/python benchmarks/playouts.py
	$(BIN)/python benchmarks/arena.py

clean:  ## remove what make has made
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache

$(READY): pyproject.toml
	python3 -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@
