# tflm: the commands of a developer. `make run` and `make test` need only git, make and python3 with
# venv; each target installs what it needs in .venv. Further targets: make -C bench help, make -C
# tests help, make -C page help, make -C release help.

.DEFAULT_GOAL := help
include tools/environments.mk

help:  ## list the targets
	@sed -n 's/^\([a-z0-9-]*\):.*## /\1\t/p' Makefile | expand -t 16

run: $(VENV)/run.stamp  ## classify handwritten digits in MicroPython (30 s)
	@$(BIN)/python -m tflm_tools.apps.demo

run-keywords: $(VENV)/run.stamp  ## detect "yes", "no" and "stop" in a recording (WAV=...)
	@$(BIN)/python -m tflm_tools.apps.run keywords $(or $(WAV),models/keywords/words.wav)

run-story: $(VENV)/run.stamp  ## write a story with a small language model (SEED=, PROMPT=)
	@$(BIN)/tflm run models/story/story_int8.tflite --temperature 0.5 \
		--seed $(or $(SEED),1) --prompt "$(or $(PROMPT),Once upon a time)"

test: $(VENV)/firmware.stamp lint  ## lint, then all tests against the official TFLM build (20 min)
	$(BIN)/python -m pytest -n 3

QUICK := tests/rules/test_names.py tests/rules/test_kernels.py tests/support \
	tests/host/cli/test_command.py tests/host/execution/test_run.py tests/host/test_python.py \
	tests/unit/test_interpreter.py tests/kernels/test_add.py tests/kernels/test_conv.py \
	tests/kernels/test_fully_connected.py

test-quick: $(VENV)/test.stamp  ## the most important tests (less than a minute)
	$(BIN)/python -m pytest -n 2 $(QUICK)

lint: $(VENV)/test.stamp  ## check style, words, names, import layers and generated tables
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/codespell
	$(BIN)/python tools/style/check.py
	$(BIN)/lint-imports
	$(BIN)/python tools/kernel_tables.py --check

test-boards: $(VENV)/firmware.stamp  ## all tests on emulated boards: qemu and a Pico (Debian packages)
	TFLM_BOARDS_REQUIRED=1 $(BIN)/python -m pytest -n 2 --boards tests/boards

test-32bit: $(VENV)/test.stamp  ## kernels and runtime on a 32-bit MicroPython (root, for apt-get)
	tests/tools/micropython32.sh build/micropython32
	TFLM_MICROPYTHON=$(ROOT)/build/micropython32/micropython \
		$(BIN)/python -m pytest -n 2 tests/kernels tests/unit tests/optimize/test_stream_input.py

firmware: $(VENV)/firmware.stamp  ## build firmware with tflm (BOARD=RPI_PICO APP= MODEL= KERNELS= FLASH_MB= STOCK= MICROPYTHON_DIR=)
	@PYTHONPATH=firmware $(BIN)/python firmware/make_firmware.py $(or $(BOARD),RPI_PICO) \
		$(if $(APP),--app $(APP)) $(if $(MODEL),--model "$(MODEL)") $(if $(KERNELS),--kernels "$(KERNELS)") \
		$(if $(FLASH_MB),--flash-mb $(FLASH_MB)) $(if $(STOCK),--stock) $(if $(MICROPYTHON_DIR),--micropython "$(MICROPYTHON_DIR)")

emulate: $(VENV)/firmware.stamp  ## run that firmware in an emulator (also PTY=1 UART=1 XIP=48 CLOCK=1.6 WAV= MOTION= CAMERA= FLASH=)
	@PYTHONPATH=firmware $(BIN)/python firmware/emulate.py $(or $(BOARD),RPI_PICO) \
		$(if $(APP),--app $(APP)) $(if $(MODEL),--model "$(MODEL)") $(if $(KERNELS),--kernels "$(KERNELS)") \
		$(if $(FLASH_MB),--flash-mb $(FLASH_MB)) $(if $(STOCK),--stock) $(if $(MICROPYTHON_DIR),--micropython "$(MICROPYTHON_DIR)") \
		$(if $(PTY),--pty) $(if $(UART),--uart) $(if $(FLASH),--flash $(FLASH)) \
		$(if $(XIP),--xip $(XIP)) $(if $(CLOCK),--clock $(CLOCK)) $(if $(WAV),--wav "$(WAV)") \
		$(if $(MOTION),--motion "$(MOTION)") $(if $(CAMERA),--camera "$(CAMERA)")

dist: $(VENV)/test.stamp  ## make the packages for mip: dist/<arch>_6.3/ and package.json
	$(BIN)/python -m tflm_tools.packages.dist

tables: $(VENV)/test.stamp  ## generate the kernel tables and the assembler kernels
	$(BIN)/python tools/kernel_tables.py
	$(BIN)/python tools/asm/make.py

docs: $(VENV)/test.stamp  ## regenerate docs/generated and the pictures of docs/images
	$(BIN)/python tools/docs/operators_page.py
	$(BIN)/python tools/docs/errors_page.py
	$(BIN)/python tools/docs/api_page.py
	$(BIN)/python tools/docs/licences_page.py
	$(BIN)/python tools/docs/benchmarks_page.py
	$(BIN)/python -m tflm_tools.apps.demo docs/images/digits.svg
	$(BIN)/tflm plan models/digits/digits_int8.tflite -o docs/images/arena.svg
	$(BIN)/tflm plan models/digits/digits_int8.tflite --optimize balanced -o docs/images/arena_flat.svg

models: $(VENV)/train.stamp  ## make the project's own models (installs TensorFlow)
	$(BIN)/python models/hello_world/make.py
	$(BIN)/python models/digits/make.py
	$(BIN)/python models/audio_frontend/make.py
	$(BIN)/python models/keywords/recordings.py
	$(BIN)/python models/keywords/make.py
	$(BIN)/python models/gestures/make.py
	$(BIN)/python models/speech/make.py
	$(BIN)/python models/speech/make_decoder.py
	$(BIN)/python models/speech/make_denoiser.py
	$(BIN)/python models/anomaly/make.py
	$(BIN)/python models/shapes/make.py
	rm -rf build/hey_pico
	$(BIN)/tflm wake train "hey pico" -o build/hey_pico
	cp build/hey_pico/* models/hey_pico/

clean:  ## remove build/ and .venv/
	rm -rf build $(VENV)

.PHONY: help run run-keywords test test-quick lint test-boards test-32bit firmware emulate dist tables docs models clean
