# An Xtensa core with register windows, as in an ESP32, in qemu: DE212 on a KC705 board without MMU.
# MIT license; Copyright (c) 2026 the tflm authors

# firmware/xtensa.py makes the compiler, and sets XTENSA_CONFIG and XTENSA_LIBGCC.
QEMU_ARCH = xtensa
QEMU_MACHINE = kc705-nommu
QEMU_ARGS += -cpu de212 -m 16M
CROSS_COMPILE ?= xtensa-lx106-elf-
QEMU_DIR := $(abspath $(BOARD_DIR)/../common)
XTENSA_DIR := $(abspath $(BOARD_DIR))
include $(QEMU_DIR)/qemu.mk

MICROPY_HEAP_SIZE ?= 1048576
# MicroPython 1.29 asks for it; ports/qemu has one for the other instruction sets.
MICROPY_STACK_SIZE ?= 10240
MPY_CROSS_FLAGS += -march=xtensawin
CFLAGS += -mabi=windowed -mtext-section-literals -mno-serialize-volatile
CFLAGS += -I$(XTENSA_DIR) -I$(XTENSA_CONFIG)
CFLAGS += -DMICROPY_HW_MCU_NAME='"Xtensa-DE212"'
# Registers in other windows are found by setjmp, which spills them.
CFLAGS += -DMICROPY_EMIT_XTENSAWIN=1 -DMICROPY_NLR_SETJMP=1 -DMICROPY_GCREGS_SETJMP=1
AFLAGS += --text-section-literals
LDFLAGS += -nostdlib $(if $(WITH_LD),--no-relax,-mabi=windowed -Wl,--no-relax)
LDSCRIPT = $(XTENSA_DIR)/memory.ld
SRC_BOARD_O = shared/runtime/gchelper_generic.o

# libgcc: its files hold a routine each, chosen by -DL<name>.
LIBGCC := _umulsidi3 _muldi3 _mulsi3 _udivsi3 _divsi3 _umodsi3 _modsi3 _ashldi3 _ashrdi3 _lshrdi3 \
	_clzsi2 _ctzsi2 _ffssi2 \
	_negsf2 _addsubsf3 _mulsf3 _divsf3 _cmpsf2 _fixsfsi _fixsfdi _fixunssfsi _fixunssfdi \
	_floatsisf _floatunsisf _floatdisf _floatundisf \
	_negdf2 _addsubdf3 _muldf3 _divdf3 _cmpdf2 _fixdfsi _fixdfdi _fixunsdfsi _fixunsdfdi \
	_floatsidf _floatunsidf _floatdidf _floatundidf _truncdfsf2 _extendsfdf2
START := vectors start setjmp
OBJ += $(BUILD)/xtensa/support.o $(START:%=$(BUILD)/xtensa/%.o) $(LIBGCC:%=$(BUILD)/xtensa/%.o)
ASSEMBLE = $(Q)$(CROSS_COMPILE)gcc -mabi=windowed -mtext-section-literals \
	-I$(XTENSA_CONFIG) -I$(XTENSA_LIBGCC) -c -o $@

$(OBJ): | $(BUILD)/xtensa
$(BUILD)/xtensa:
	$(Q)mkdir -p $@
$(BUILD)/xtensa/support.o: $(XTENSA_DIR)/support.c
	$(Q)$(CC) $(CFLAGS) -ffreestanding -fno-builtin -c -o $@ $<
$(START:%=$(BUILD)/xtensa/%.o): $(BUILD)/xtensa/%.o: $(XTENSA_DIR)/%.S
	$(ASSEMBLE) $<
$(LIBGCC:%=$(BUILD)/xtensa/%.o): $(XTENSA_LIBGCC)/lib1funcs.S
	$(ASSEMBLE) -DL$(basename $(notdir $@)) $<
