# The two commands of the README, and the developers' few others.
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
# One lock for every platform and every Python that Roost supports.
COMPILE := $(VENV)-lock/bin/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
	--no-header --no-annotate
# On all cores; each has a run of neighbours, so that what a module builds is built once, and helps out at the end.
PYTEST := $(BIN)/pytest -n auto --dist worksteal
# Tests start Python hundreds of times; without compiled code in the folder each start would compile Roost again.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: help run test test-long test-repeatedly lint types unit format golden proto commands reference confusables picture verify-many coverage sure \
	levels chaos soak rehearsal bench lock newest clean

help:  ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):[^#]*## /\1\t/' | expand -t 18

run: $(READY)  ## an arena, its page and the sample bots on this machine
	@$(BIN)/roost showcase

test: lint  ## lint, types, layers and tests, a few minutes
	@$(MAKE) --no-print-directory --jobs=2 types unit

test-long: $(READY)  ## the tests that take long: competitions under chaos, pages followed from top to bottom, kills
	$(PYTEST) -m long

test-repeatedly:  ## the tests of `make test` ten times in a fresh clone, beside a busy loop (ROUNDS, BUSY, LONG, ARGS)
	tests/repeatedly.sh

lint: $(READY)  ## ruff, rules and format; the layers of pyproject.toml
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-logo

types: $(READY)  ## mypy --strict
	$(BIN)/mypy

unit: $(READY)  ## the tests but the long ones, on all cores
	$(PYTEST) -m "not long"

format: $(READY)  ## let ruff rewrite what it can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

golden: $(READY)  ## regenerate the golden playthroughs; read the diff before you commit it
	$(BIN)/python -m tests.golden.regenerate

proto: $(READY)  ## generate the code for the wire contract
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python proto/generate.py

commands: $(READY)  ## regenerate docs/commands.md from the command
	$(BIN)/python -m tests.cli.commands_page

reference: $(READY)  ## regenerate docs/bots/reference.md from the docstrings
	$(BIN)/python -m tests.client_sdk.reference_page

confusables: $(READY)  ## regenerate the table of characters that look alike from ICU
	$(BIN)/python -m tests.server.confusables_table

picture: $(READY)  ## take the picture of the page that the README shows: docs/page.png
	$(BIN)/python -m tests.web.picture

verify-many: $(READY)  ## 10,000 random matches of each game, each record verified
	$(BIN)/python -m benchmarks.soak.verify_many

coverage: $(READY)  ## how often 95 % intervals are right, over 1,000 simulated ladders
	$(BIN)/python -m benchmarks.simulations.ladders 1000 intervals

sure: $(READY)  ## how often equal bots are called different: by `sure`, by `compare`, by the suspicion report
	$(BIN)/python -m benchmarks.simulations.sure
	$(BIN)/python -m benchmarks.simulations.compare
	$(BIN)/python -m benchmarks.simulations.collusion
	$(BIN)/python -m benchmarks.simulations.suspicions

CARDS := timid,greedy,careful,strong
DICE := timid,greedy,careful,exact,strong
LEVELS := bratwurmeck:2:40:$(DICE) bratwurmeck:3:20:$(DICE) bratwurmeck:4:40:$(DICE) \
	karteneck:2:40:$(CARDS) karteneck:3:30:$(CARDS) karteneck:4:80:$(CARDS) \
	haecmaec:2:40:$(CARDS) haecmaec:3:40:$(CARDS) haecmaec:4:120:$(CARDS)
levels: $(READY)  ## the ladders over the sample bots that docs/why/measurements.md shows, half an hour
	@for each in $(LEVELS); do \
		set -- $$(echo $$each | tr : ' '); \
		$(BIN)/roost ladder $$(echo $$4 | tr , ' ') --games $$1 --players $$2 \
			--schedule round-robin --times $$3 --seed levels || exit 1; \
	done
	@for game in bratwurmeck karteneck haecmaec; do \
		$(BIN)/roost ladder random minimal timid greedy careful --games $$game --players 2,3,4 \
			--schedule round-robin --times 40 --anchor careful --seed levels || exit 1; \
	done

chaos: $(READY)  ## an arena and bots that are killed, stopped, flooded and cut off, and what is left of the competition
	$(BIN)/python -m tests.chaos --minutes 10

soak: $(READY)  ## an hour of an arena under load, and whether its memory stays flat
	$(BIN)/python -m benchmarks.soak.arena --minutes 60

rehearsal: $(READY)  ## competitions of 60 and 500 bots from their file to a verified export, beside their forecast
	$(BIN)/python -m benchmarks.rehearsal

bench: $(READY)  ## every measurement that the docs quote
	$(BIN)/python -m pip install --quiet --disable-pip-version-check open_spiel cvxpy ecos cvxopt rlcard choix scipy openskill
	$(BIN)/python -m pip install --quiet --disable-pip-version-check torch sb3-contrib
	$(BIN)/python -m benchmarks.playouts
	$(BIN)/python -m benchmarks.instructions
	$(BIN)/python -m benchmarks.local
	$(BIN)/python -m benchmarks.cluster
	$(BIN)/python -m benchmarks.arena
	$(BIN)/python -m benchmarks.showcase
	$(BIN)/python -m benchmarks.hosting
	$(BIN)/python -m benchmarks.standings
	$(BIN)/python -m benchmarks.page
	$(BIN)/python -m benchmarks.fit
	$(BIN)/python -m benchmarks.shared_luck
	$(BIN)/python -m benchmarks.ladder
	$(BIN)/python -m benchmarks.fields
	$(BIN)/python -m benchmarks.search
	$(BIN)/python -m benchmarks.tutorial
	$(BIN)/python -m benchmarks.maskable_ppo --steps 400000

clean:  ## remove what make has made
	rm -rf $(VENV) $(VENV)-lock $(VENV)-newest .import_linter_cache .mypy_cache .ruff_cache .pytest_cache

lock:  ## choose versions of everything that is installed, and write them with their hashes to requirements/
	python3 -m venv --clear $(VENV)-lock
	$(VENV)-lock/bin/python -m pip install --quiet --disable-pip-version-check uv
	$(COMPILE) --extra dev pyproject.toml requirements/build.in --output-file requirements/development.txt
	$(COMPILE) --constraint requirements/development.txt requirements/build.in --output-file requirements/build.txt
	$(COMPILE) --constraint requirements/development.txt --extra server --extra postgresql pyproject.toml \
		--output-file requirements/arena.txt

newest:  ## lint, types and tests with the newest versions instead of the locked ones; once a week
	python3 -m venv --clear $(VENV)-newest
	$(VENV)-newest/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $(VENV)-newest/.ready
	$(MAKE) test VENV=$(VENV)-newest

$(READY): pyproject.toml requirements/development.txt
	python3 -m venv $(VENV)
	$(PIP) --require-hashes --requirement requirements/development.txt
	$(PIP) --no-deps --no-build-isolation --editable .
	touch $@
