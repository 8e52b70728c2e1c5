# Everything starts here. Each target sets up what it needs, in .venv and build, and does nothing twice.
PYTHON ?= python3
RUN := .venv/bin/python
CODE := src tests benchmarks tools
# What compiled code does: the checked build runs these.
COMPILED := tests/test_arrays.py tests/event tests/index tests/language tests/predicate tests/store
SLOWEST := --durations=10
export PYTHON

.NOTPARALLEL:
.PHONY: help demo test tests deep build static lint format types stubs unit pipeline checked bench spark pictures plots clean setup core

help: ## say what can be made
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: spark ## match a million readable visits against readable rules, on local Spark
	@$(RUN) -m hedgerow.spark.demo

test: ## build, lint, check types, run every test, and again with all run-time checks on
	@tools/stage "make test" $(MAKE) --no-print-directory build static tests checked

static: lint types stubs ## what needs no test to run: lint, types, stubs

tests: setup ## unit and pipeline at the same time: Spark waits for itself more than it works
	@tools/beside unit pipeline

deep: setup ## every test but those of the pipeline, with random examples for hours
	@tools/java
	@HYPOTHESIS_PROFILE=deep tools/stage "pytest, deep" $(RUN) -m pytest -q -n 2 $(or $(ARGS),--ignore=tests/spark)

build: ## make .venv, install for development, compile what changed
	@tools/stage build tools/setup dev

lint: setup ## ruff: rules and layout
	@tools/stage "ruff check" $(RUN) -m ruff check .
	@tools/stage "ruff format" $(RUN) -m ruff format --check .

format: setup ## let ruff lay out the code
	@$(RUN) -m ruff check --fix-only .
	@$(RUN) -m ruff format .

types: setup ## mypy, strict
	@tools/stage mypy $(RUN) -m mypy $(wildcard $(CODE))

stubs: setup ## compare the stubs of compiled modules with the modules
	@tools/stage stubtest tools/stubtest

unit: setup ## every test but those of the pipeline
	@tools/stage pytest $(RUN) -m pytest -q -n 2 $(SLOWEST) $(or $(ARGS),--ignore=tests/spark)

pipeline: setup ## every test of the pipeline on Spark, in one session
	@tools/java
	@tools/stage "pytest, Spark" $(RUN) -m pytest -q $(SLOWEST) $(or $(ARGS),tests/spark)

checked: setup ## the tests of what is compiled, on a build with all run-time checks on
	@tools/stage "checked build" tools/checked
	@HEDGEROW_CHECKED=1 PYTHONPATH=build/checked \
		tools/stage "pytest, checked" $(RUN) -m pytest -q -n 2 $(SLOWEST) $(or $(ARGS),$(COMPILED))

bench: setup ## every benchmark, one after the other
	@tools/java
	@tools/setup bench
	@for file in $(wildcard benchmarks/[a-z]*.py); do \
		tools/stage "$$file" $(RUN) -m benchmarks.$$(basename $$file .py) || exit 1; done

spark: core ## what Spark needs: Java and the extra
	@tools/java
	@tools/setup spark

pictures: setup ## draw the pictures of the documents that are not current; needs dot of Graphviz
	@command -v dot >/dev/null || tools/apt "drawing needs dot of Graphviz" graphviz
	@$(RUN) -m tools.pictures

plots: setup ## draw what benchmarks.engines --save docs/measured wrote, where it is not drawn yet
	@tools/setup plots
	@$(RUN) -m tools.plots

clean: ## remove what was built, but not .venv
	@rm -rf build dist src/*.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
	@find src tests benchmarks tools \( -name '*.so' -o -name _built.py \) -delete
	@find src tests benchmarks tools -name __pycache__ -type d -prune -exec rm -rf {} +

setup:
	@tools/setup dev

core:
	@tools/setup
