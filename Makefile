# tflm: everything a developer does. `make run` and `make test` need nothing but git, make and
# python3 with venv; each sets up what it needs in .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

help:  ## this list
	@sed -n 's/^\([a-z0-9-]*\):.*## /\1\t/p' Makefile | expand -t 16

run: $(VENV)/run.stamp  ## classify handwritten digits in MicroPython
	@$(BIN)/python -m tflm_tools.apps.demo

run-keywords: $(VENV)/run.stamp  ## hear yes, no and stop in a recording (WAV=...)
	@$(BIN)/python -m tflm_tools.apps.run keywords $(or $(WAV),models/keywords/words.wav)

test: $(VENV)/firmware.stamp  ## lint and all tests, against TFLM's own wheel
	$(MAKE) --no-print-directory lint
	$(BIN)/python -m pytest -n 2

lint: $(VENV)/test.stamp  ## style, import rules, tables
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/python tools/kernel_tables.py --check

test-32bit: $(VENV)/test.stamp  ## kernels and runtime on a 32-bit MicroPython (needs root for apt-get)
	tests/tools/micropython32.sh build/micropython32
	TFLM_MICROPYTHON=$(CURDIR)/build/micropython32/micropython \
		$(BIN)/python -m pytest -n 2 tests/kernels tests/unit tests/optimize/test_by_rows.py

test-boards: $(VENV)/firmware.stamp  ## all tests on emulated boards: qemu and a Pico (packages: Debian's)
	TFLM_BOARDS_REQUIRED=1 $(BIN)/python -m pytest -n 2 --boards tests/boards

test-cores: $(VENV)/test.stamp  ## kernels with the units of each op shared by two threads
	TFLM_TEST_CORES=1 $(BIN)/python -m pytest -n 2 tests/kernels

fuzz: $(VENV)/test.stamp  ## damaged models to every way in (SECONDS=600)
	PYTHONPATH=tests $(BIN)/python -m fuzz --seconds $(or $(SECONDS),600)

endurance: $(VENV)/test.stamp  ## a million invokes, loading in a loop, too little memory at every point
	TFLM_ENDURANCE=50 $(BIN)/python -m pytest -v -s --durations=0 tests/memory/test_endurance.py

bench: $(VENV)/test.stamp  ## time and memory beside TFLM's wheel (MODELS=...)
	$(BIN)/tflm bench $(MODELS) --invokes 60 --csv build/bench.csv

MODELS ?= $(wildcard models/*/*.tflite ../shared/models/*int8.tflite ../shared/models/*8bit.tflite)

cycles: $(VENV)/cycles.stamp  ## cycles of whole invokes on emulated cores (MODEL= CORE=pico MISS=48)
	$(BIN)/python bench/cycles.py $(if $(MODEL),--model $(MODEL)) $(if $(CORE),--core $(CORE)) \
		$(if $(MISS),--miss $(MISS))

firmware: $(VENV)/firmware.stamp  ## firmware with tflm (BOARD=RPI_PICO APP= MODEL= KERNELS= MICROPYTHON_DIR=)
	@PYTHONPATH=firmware $(BIN)/python firmware/make_firmware.py $(or $(BOARD),RPI_PICO) \
		$(if $(APP),--app $(APP)) $(if $(MODEL),--model "$(MODEL)") $(if $(KERNELS),--kernels "$(KERNELS)") \
		$(if $(STOCK),--stock) $(if $(MICROPYTHON_DIR),--micropython "$(MICROPYTHON_DIR)")

emulate: $(VENV)/firmware.stamp  ## that firmware in an emulator here (the same, PTY=1 UART=1 XIP=48 WAV= MOTION= CAMERA=)
	@PYTHONPATH=firmware $(BIN)/python firmware/emulate.py $(or $(BOARD),RPI_PICO) \
		$(if $(APP),--app $(APP)) $(if $(MODEL),--model "$(MODEL)") $(if $(KERNELS),--kernels "$(KERNELS)") \
		$(if $(STOCK),--stock) $(if $(MICROPYTHON_DIR),--micropython "$(MICROPYTHON_DIR)") \
		$(if $(PTY),--pty) $(if $(UART),--uart) $(if $(FLASH),--flash $(FLASH)) \
		$(if $(XIP),--xip $(XIP)) $(if $(WAV),--wav "$(WAV)") \
		$(if $(MOTION),--motion "$(MOTION)") $(if $(CAMERA),--camera "$(CAMERA)")

page: $(VENV)/firmware.stamp  ## a Pico in a web page: dist/page, static files (docs/page.md)
	@PYTHONPATH=firmware:page:page/python $(BIN)/python page/make_page.py

page-serve: page  ## that page at a local address (PORT=8000)
	@$(BIN)/python -m http.server --bind 127.0.0.1 --directory dist/page $(or $(PORT),8000)

test-page: page $(VENV)/page.stamp  ## that page in headless Chromium (Debian's, installed if need be)
	@command -v chromium >/dev/null || apt-get install -y --no-install-recommends chromium fonts-dejavu-core
	$(BIN)/python -m pytest --page tests/page

page-picture: page $(VENV)/page.stamp  ## its first screen, as docs/page.png
	$(BIN)/python tests/page/picture.py docs/page.png

release: $(VENV)/release.stamp  ## dist/release: wheel, firmware, packages for mip, the page, checksums
	@PYTHONPATH=firmware:page:page/python $(BIN)/python release/make_release.py

release-check: $(VENV)/release.stamp  ## make that again from nothing: is it the same, byte for byte?
	@PYTHONPATH=firmware:page:page/python $(BIN)/python release/make_release.py --check

test-wheel: $(VENV)/firmware.stamp  ## the wheel of make release in a fresh environment: every command
	PYTHONPATH=firmware $(BIN)/python tests/tools/wheel.py dist/release/*.whl dist/release/firmware/RPI_PICO.uf2

test-install: $(VENV)/pip.stamp  ## pip install . in a fresh environment, and the command there
	PYTHON=$(CURDIR)/$(BIN)/python tests/tools/install.sh

dist: $(VENV)/test.stamp  ## packages for mip: dist/<arch>_6.3/ and package.json
	$(BIN)/python -m tflm_tools.packages.dist

test-asm: $(VENV)/cycles.stamp  ## the assembler kernels on emulated cores that count (M0+, M33, RV32)
	$(BIN)/python bench/cycles.py --model hello_world
	$(MAKE) --no-print-directory firmware BOARD=QEMU_RV32 STOCK=1
	$(BIN)/python -m pytest -n 2 tests/bench

tables: $(VENV)/test.stamp  ## write what is made of the heads of kernel files, and the assembler kernels
	$(BIN)/python tools/kernel_tables.py
	$(BIN)/python tools/asm/make.py

docs: $(VENV)/test.stamp  ## regenerate docs/generated and the pictures of docs/images
	$(BIN)/python tools/docs/operators_page.py
	$(BIN)/python tools/docs/errors_page.py
	$(BIN)/python tools/docs/licences_page.py
	$(BIN)/python -m tflm_tools.apps.demo docs/images/digits.svg
	$(BIN)/tflm plan models/digits/digits_int8.tflite -o docs/images/arena.svg
	$(BIN)/tflm plan models/digits/digits_int8.tflite --optimize balanced -o docs/images/arena_flat.svg

test-convert: $(VENV)/convert.stamp  ## tflm convert and the Keras page with TensorFlow (installs it, 1.6 GB)
	TFLM_TENSORFLOW=$(CURDIR)/$(BIN)/python $(BIN)/python -m pytest tests/host/test_tool_convert.py \
		tests/host/test_docs.py -k "convert or own-model"

test-hour: $(VENV)/test.stamp  ## an hour of sound to the front end and wake words (SECONDS=3600; VAD=vad.json; espeak-ng by apt-get)
	@command -v espeak-ng >/dev/null || apt-get install -y --no-install-recommends espeak-ng
	TFLM_WAKE_SECONDS=$(or $(SECONDS),3600) TFLM_WAKE_VAD=$(VAD) $(BIN)/python -m pytest -n 0 tests/wake/hour.py

test-wake-train: $(VENV)/wake-train.stamp  ## tflm wake train with TensorFlow (installs it, 1.6 GB; espeak-ng by apt-get)
	@command -v espeak-ng >/dev/null || apt-get install -y --no-install-recommends espeak-ng
	TFLM_TENSORFLOW=$(CURDIR)/$(BIN)/python $(BIN)/python -m pytest tests/host/test_tool_wake_train.py

models: $(VENV)/train.stamp  ## make the project's own models again (installs TensorFlow)
	$(BIN)/python models/hello_world/make.py
	$(BIN)/python models/digits/make.py
	$(BIN)/python models/audio_frontend/make.py
	$(BIN)/python models/keywords/recordings.py
	$(BIN)/python models/keywords/make.py
	$(BIN)/python models/gestures/make.py
	$(BIN)/python models/anomaly/make.py
	rm -rf build/hey_pico
	$(BIN)/tflm wake train "hey pico" -o build/hey_pico
	cp build/hey_pico/* models/hey_pico/

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

$(VENV)/firmware.stamp: $(VENV)/test.stamp
	$(BIN)/pip install -q --disable-pip-version-check -e '.[firmware]'
	@touch $@

$(VENV)/release.stamp: $(VENV)/firmware.stamp
	$(BIN)/pip install -q --disable-pip-version-check -e '.[release]'
	@touch $@

$(VENV)/cycles.stamp: $(VENV)/test.stamp
	$(BIN)/pip install -q --disable-pip-version-check -e '.[cycles]'
	@touch $@

$(VENV)/page.stamp: $(VENV)/firmware.stamp
	$(BIN)/pip install -q --disable-pip-version-check -e '.[page]'
	@touch $@

$(VENV)/convert.stamp: $(VENV)/test.stamp
	$(BIN)/pip install -q --disable-pip-version-check -e '.[convert]'
	@touch $@

$(VENV)/wake-train.stamp: $(VENV)/test.stamp
	$(BIN)/pip install -q --disable-pip-version-check -e '.[wake-train]'
	@touch $@

$(VENV)/train.stamp: $(VENV)/test.stamp
	$(BIN)/pip install -q --disable-pip-version-check -e '.[train]'
	@touch $@

.PHONY: help run run-keywords test lint firmware emulate page page-serve page-picture test-page release release-check test-wheel test-boards dist test-install test-32bit test-convert test-wake-train test-hour test-cores fuzz endurance bench cycles test-asm tables docs models clean
