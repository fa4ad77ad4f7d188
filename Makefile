# tflm: everything a developer does. `make run` and `make test` need nothing but git, make and
# python3 with venv; each sets up what it needs in .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

help:  ## this list
	@sed -n 's/^\([a-z0-9-]*\):.*## /\1\t/p' Makefile | expand -t 16

run: $(VENV)/run.stamp  ## classify handwritten digits in MicroPython
	@$(BIN)/python -m tflm_tools.demo

test: $(VENV)/test.stamp  ## lint and all tests, against TFLM's own wheel
	$(MAKE) --no-print-directory lint
	$(BIN)/python -m pytest -n 2

lint: $(VENV)/test.stamp  ## style, import rules
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

test-32bit: $(VENV)/test.stamp  ## kernels and runtime on a 32-bit MicroPython (needs root for apt-get)
	tests/tools/micropython32.sh build/micropython32
	TFLM_MICROPYTHON=$(CURDIR)/build/micropython32/micropython \
		$(BIN)/python -m pytest -n 2 tests/kernels tests/unit

bench: $(VENV)/test.stamp  ## time and memory beside TFLM's wheel (MODELS=...)
	$(BIN)/tflm bench $(MODELS) --csv build/bench.csv

MODELS ?= $(wildcard models/*/*.tflite ../shared/models/*int8.tflite)

cycles: $(VENV)/cycles.stamp  ## cycles of whole invokes on emulated cores (MODEL=...)
	$(BIN)/python tests/perf/cycles.py $(if $(MODEL),--model $(MODEL))

docs: $(VENV)/test.stamp  ## write docs/ops.md again
	$(BIN)/python tests/tools/ops_table.py

models: $(VENV)/train.stamp  ## make the project's own models again (installs TensorFlow)
	$(BIN)/python models/hello_world/make.py
	$(BIN)/python models/digits/make.py

clean:  ## remove what was built and set up
	rm -rf build $(VENV)

$(VENV)/pip.stamp:
	$(PYTHON) -m venv $(VENV) || { echo "python3-venv is missing; on Debian: apt-get install python3-venv"; exit 1; }
	@touch $@

$(VENV)/run.stamp: $(VENV)/pip.stamp pyproject.toml
	$(BIN)/pip install -q --disable-pip-version-check -e .
	@touch $@

$(VENV)/test.stamp: $(VENV)/pip.stamp pyproject.toml
	$(BIN)/pip install -q --disable-pip-version-check -e '.[test]'
	@touch $@ $(VENV)/run.stamp

$(VENV)/cycles.stamp: $(VENV)/test.stamp
	$(BIN)/pip install -q --disable-pip-version-check -e '.[cycles]'
	@touch $@

$(VENV)/train.stamp: $(VENV)/test.stamp
	$(BIN)/pip install -q --disable-pip-version-check -e '.[train]'
	@touch $@

.PHONY: help run test lint test-32bit bench cycles docs models clean
