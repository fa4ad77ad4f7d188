# What the emulated boards share: at boot they run _boot.py and main.py, as real boards do.
# MIT license; Copyright (c) 2026 the tflm authors

QEMU_ROMFS ?= 0
FROZEN_MANIFEST ?= $(BOARD_DIR)/manifest.py
# MicroPython 1.26 links with the compiler, later ones with the linker itself.
WITH_LD := $(shell grep '(LD) $$(LDFLAGS)' Makefile)
LDFLAGS += $(if $(WITH_LD),,-Wl,)--wrap=mp_init
OBJ += $(BUILD)/boot.o

$(BUILD)/boot.o: $(QEMU_DIR)/boot.c
	$(ECHO) "CC $<"
	$(Q)mkdir -p $(BUILD)
	$(Q)$(CC) $(CFLAGS) -c -o $@ $<
