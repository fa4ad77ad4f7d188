# Virtual environments for the Makefiles: each stamp installs one set of extras of pyproject.toml.
# Recipes depend on $(VENV)/NAME.stamp and run programs of $(BIN). ROOT is the repository.

PYTHON ?= python3
ROOT := $(patsubst %/,%,$(dir $(patsubst %/,%,$(dir $(abspath $(lastword $(MAKEFILE_LIST)))))))
VENV := $(ROOT)/.venv
BIN := $(VENV)/bin
INSTALL = cd $(ROOT) && $(BIN)/pip install -q --disable-pip-version-check -e

$(VENV)/pip.stamp:
	$(PYTHON) -m venv $(VENV) || { echo "python3-venv is missing; on Debian: apt-get install python3-venv"; exit 1; }
	@touch $@

$(VENV)/run.stamp: $(VENV)/pip.stamp $(ROOT)/pyproject.toml
	$(INSTALL) .
	@touch $@

$(VENV)/test.stamp: $(VENV)/pip.stamp $(ROOT)/pyproject.toml
	$(INSTALL) '.[test]'
	@touch $@ $(VENV)/run.stamp

$(VENV)/firmware.stamp: $(VENV)/test.stamp
	$(INSTALL) '.[firmware]'
	@touch $@

$(VENV)/release.stamp: $(VENV)/firmware.stamp
	$(INSTALL) '.[release]'
	@touch $@

$(VENV)/cycles.stamp: $(VENV)/test.stamp
	$(INSTALL) '.[cycles]'
	@touch $@

$(VENV)/page.stamp: $(VENV)/firmware.stamp
	$(INSTALL) '.[page]'
	@touch $@

$(VENV)/convert.stamp: $(VENV)/test.stamp
	$(INSTALL) '.[convert]'
	@touch $@

$(VENV)/wake-train.stamp: $(VENV)/test.stamp
	$(INSTALL) '.[wake-train]'
	@touch $@

$(VENV)/train.stamp: $(VENV)/test.stamp
	$(INSTALL) '.[train]'
	@touch $@
