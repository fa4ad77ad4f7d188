# bench: runs a script on an emulated core (unicorn) and counts cycles and instructions
# MIT license; Copyright (c) 2026 the tflm authors

# This is a separate program because unicorn is GPL. `python core.py JOB` reads a JSON file
#
#   {"core": one of _KINDS, "firmware": ELF, "memory": [[address, file, writable], ...],
#    "script": MicroPython source, "alignment": check every access (slow),
#    "watched": [first address, end address] of flash whose cache lines are counted, or null,
#    "result": file to write}
#
# boots the firmware, sends the script to the raw REPL, and writes
#
#   {"text": output of the script, "error": its traceback,
#    "marks": [[value, cycles, instructions], ...]; if watched, 0 and fetched lines follow,
#    "peeks": [hex of the requested memory, ...],
#    "hot": [[address, hex of its code, runs, cycles of each], ...] of the slowest basic blocks}
#
# The script talks to the emulator by writing words at DEVICE (see device/cycles_device.py).
# Between COUNT 1 and COUNT 0 each basic block calls back; outside, code runs at full speed.

import json
import struct
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import unicorn
from elf import segments
from instructions import is_wide_riscv, is_wide_thumb, riscv_block, thumb_block
from lines import Lines
from m0plus import block_cost
from unicorn import arm_const as arm
from unicorn import riscv_const as riscv

FLASH, FLASH_BYTES = 0x00000000, 1 << 20  # boards/*.ld have the same
RAM, RAM_BYTES = 0x20000000, 4 << 20
UART = 0x40002000  # of an nRF51, as ports/qemu drives it
RECEIVED, RECEIVE, TRANSMIT = 0x108, 0x518, 0x51C
DEVICE = 0x30000000
COUNT, MARK, PEEK_ADDRESS, PEEK = 0, 4, 8, 12
BREAKPOINT, DEBUGGER_EXIT = b"\xab\xbe", 0x18  # semihosting
PAGE = 0x1000
CONTROL, ID_ISAR3, WITH_DSP = 0xE000E000, 0xD6C, 0x01111131  # of a Cortex-M33
FPU_ON = 1 << 30  # in the register FPEXC: unicorn has it even for Cortex-M

RAW_REPL, EXECUTE = b"\x01", b"\x04"
READY = b"raw REPL; CTRL-B to exit\r\n>"


# Return the cost of a block on a Cortex-M33. Only m33.py needs a disassembler.
def m33_block(address, code):
    from m33 import block_cost

    return block_cost(address, bytes(code))


class CoreError(Exception):
    """The firmware did something that the emulated machine does not support."""


@dataclass
class _Kind:
    """A core: unicorn's names for it, and the functions that cost its instructions."""

    arch: int
    mode: int
    model: int
    pc: int
    thumb: int  # lowest bit of an address of code
    is_wide: Callable
    block_cost: Callable


_ARM = (unicorn.UC_ARCH_ARM, unicorn.UC_MODE_THUMB | unicorn.UC_MODE_MCLASS)
_THUMB = (arm.UC_ARM_REG_PC, 1, is_wide_thumb)
_RISCV = (unicorn.UC_ARCH_RISCV, unicorn.UC_MODE_RISCV32, riscv.UC_CPU_RISCV32_SIFIVE_U34)
_KINDS = {
    "m0plus": _Kind(*_ARM, arm.UC_CPU_ARM_CORTEX_M0, *_THUMB, block_cost),
    "m33": _Kind(*_ARM, arm.UC_CPU_ARM_CORTEX_M33, *_THUMB, thumb_block),
    "pico2": _Kind(*_ARM, arm.UC_CPU_ARM_CORTEX_M33, *_THUMB, m33_block),
    "rv32": _Kind(*_RISCV, riscv.UC_RISCV_REG_PC, 0, is_wide_riscv, riscv_block),
    "rv32-stock": _Kind(*_RISCV, riscv.UC_RISCV_REG_PC, 0, is_wide_riscv, riscv_block),
}


class Core:
    """The machine: a core with flash, RAM, optional read-only memory, UART and DEVICE."""

    def __init__(self, core, firmware, check_alignment=False, watched=None):
        self.check_alignment = check_alignment
        self.watched = watched
        self.lines = Lines()
        self.kind = _KINDS[core]
        self.uc = unicorn.Uc(self.kind.arch, self.kind.mode)
        self.uc.ctl_set_cpu_model(self.kind.model)
        self.uc.mem_map(FLASH, FLASH_BYTES, unicorn.UC_PROT_READ | unicorn.UC_PROT_EXEC)
        self.uc.mem_map(RAM, RAM_BYTES)
        if core in ("m33", "pico2"):
            self.uc.mem_map(CONTROL, PAGE, unicorn.UC_PROT_READ)
            self.uc.mem_write(CONTROL + ID_ISAR3, struct.pack("<I", WITH_DSP))
            self.uc.reg_write(arm.UC_ARM_REG_FPEXC, FPU_ON)
        self.uc.hook_add(unicorn.UC_HOOK_INTR, self._on_exception)
        self.uc.mmio_map(UART, PAGE, self._uart_read, None, self._uart_write, None)
        self.uc.mmio_map(DEVICE, PAGE, self._device_read, None, self._device_write, None)
        for address, data in segments(Path(firmware).read_bytes()):
            self.uc.mem_write(address, data)
        self.to_send = bytearray()
        self.received = bytearray()
        self.marks, self.peeks = [], []
        self.cycles = self.instructions = 0
        self._blocks = {}
        # The fall-through address of the last block's conditional branch, and the extra cycles
        # of the branch when it is taken.
        self._follows, self._taken = None, 0
        self._hooks = []
        self._switch = None
        self._idle = False
        self._fault = None

    # Map the bytes of a file at `address`.
    def add_memory(self, address, data, writable=False):
        access = unicorn.UC_PROT_READ | (unicorn.UC_PROT_WRITE if writable else 0)
        self.uc.mem_map(address, -(-len(data) // PAGE) * PAGE, access)
        self.uc.mem_write(address, data)

    # Step over the BKPT with which the firmware looks for a debugger. Other exceptions are faults.
    def _on_exception(self, uc, number, _):
        pc = uc.reg_read(self.kind.pc)
        if (
            self.kind.thumb
            and uc.mem_read(pc, 2) == BREAKPOINT
            and uc.reg_read(arm.UC_ARM_REG_R0) != DEBUGGER_EXIT
        ):
            uc.reg_write(arm.UC_ARM_REG_PC, pc + 2 | 1)
        else:
            self._fault = f"exception {number}"
            uc.emu_stop()

    def _uart_read(self, uc, offset, size, _):
        if offset == RECEIVED:
            self._idle = not self.to_send
            if self._idle:
                uc.emu_stop()
            return int(not self._idle)
        return self.to_send.pop(0) if offset == RECEIVE else 0

    def _uart_write(self, uc, offset, size, value, _):
        if offset == TRANSMIT:
            self.received.append(value & 0xFF)

    def _device_read(self, uc, offset, size, _):
        return self.cycles & 0x3FFFFFFF

    def _device_write(self, uc, offset, size, value, _):
        if offset == COUNT:
            self._switch = bool(value)
            uc.emu_stop()
        elif offset == MARK:
            lines = () if self.watched is None else (0, self.lines.fetched)
            self.marks.append((value, self.cycles, self.instructions, *lines))
        elif offset == PEEK_ADDRESS:
            self._peek = value
        elif offset == PEEK:
            self.peeks.append(uc.mem_read(self._peek, value).hex())

    # Called before each basic block runs.
    def _on_block(self, uc, address, size, _):
        block = self._blocks.get((address, size))
        if block is None:
            cost = self.kind.block_cost(address, uc.mem_read(address, size))
            block = self._blocks[address, size] = [*cost, 0]
        if self._follows is not None and self._follows != address:
            self.cycles += self._taken
        self._follows, self._taken = block[2], block[3]
        self.cycles += block[0]
        self.instructions += block[1]
        block[4] += 1

    # Return the most expensive basic blocks; branches count as not taken.
    def hot(self, count=12):
        found = [(key, block[4], block[0]) for key, block in self._blocks.items()]
        found.sort(key=lambda entry: -entry[1] * entry[2])
        return [
            (address, self.uc.mem_read(address, size).hex(), runs, cycles)
            for (address, size), runs, cycles in found[:count]
        ]

    # Called for each load and store if `alignment` is set: a Cortex-M0+ has no unaligned access.
    def _on_access(self, uc, access, address, size, value, _):
        if address & (size - 1):
            self._fault = f"the unaligned address 0x{address:08x}"
            uc.emu_stop()

    # Called for each load from the watched flash.
    def _on_watched(self, uc, access, address, size, value, _):
        self.lines.read(address, size)

    # Begin or end counting. Translated code is dropped, because it contains the hook calls.
    def _count(self, on):
        for hook in self._hooks:
            self.uc.hook_del(hook)
        self._hooks = []
        if on:
            self._blocks.clear()  # code in RAM may have changed
            self._follows = None
            self._hooks.append(self.uc.hook_add(unicorn.UC_HOOK_BLOCK, self._on_block))
            if self.check_alignment:
                accesses = unicorn.UC_HOOK_MEM_READ | unicorn.UC_HOOK_MEM_WRITE
                self._hooks.append(self.uc.hook_add(accesses, self._on_access))
            if self.watched:
                begin, end = self.watched
                hook = self.uc.hook_add(
                    unicorn.UC_HOOK_MEM_READ, self._on_watched, begin=begin, end=end - 1
                )
                self._hooks.append(hook)
        self.uc.ctl_flush_tb()

    # Run until the firmware waits for input and none is left.
    def run(self):
        pc = self.uc.reg_read(self.kind.pc)
        while True:
            try:
                self.uc.emu_start(pc | self.kind.thumb, 0xFFFFFFFE)
            except unicorn.UcError as error:
                pc = self.uc.reg_read(self.kind.pc)
                raise CoreError(f"the firmware crashed at 0x{pc:08x}: {error}") from None
            pc = self.uc.reg_read(self.kind.pc)
            if self._fault is not None:
                raise CoreError(f"the firmware stopped at 0x{pc:08x} for {self._fault}")
            if self._switch is not None:
                self._count(self._switch)
                self._switch = None
                # unicorn stops before the store to DEVICE, so step over it.
                half = struct.unpack("<H", self.uc.mem_read(pc, 2))[0]
                pc += 4 if self.kind.is_wide(half) else 2
            elif self._idle:
                return
            else:
                raise CoreError(f"the firmware stopped at 0x{pc:08x}")

    # Start as after a reset and run until the raw REPL is ready.
    def boot(self):
        if self.kind.thumb:
            stack, entry = struct.unpack("<II", self.uc.mem_read(FLASH, 8))
            self.uc.reg_write(arm.UC_ARM_REG_SP, stack)
        else:
            entry = FLASH
        self.uc.reg_write(self.kind.pc, entry & ~1)
        self.to_send += RAW_REPL
        self.run()
        if not self.received.endswith(READY):
            raise CoreError(f"the firmware did not boot; it said {bytes(self.received)!r}")

    # Run a script; return (its output, its traceback).
    def execute(self, script):
        self.received.clear()
        self.to_send += script.encode() + EXECUTE
        self.run()
        answer = bytes(self.received)
        outputs = answer[2:].split(EXECUTE)
        if answer[:2] != b"OK" or len(outputs) != 3:
            raise CoreError(f"the firmware did not run the script; it said {answer[-200:]!r}")
        return [out.decode(errors="replace").replace("\r\n", "\n") for out in outputs[:2]]


def main():
    job = json.loads(Path(sys.argv[1]).read_text())
    core = Core(job["core"], job["firmware"], job["alignment"], job["watched"])
    for address, file, *writable in job["memory"]:
        core.add_memory(address, Path(file).read_bytes(), *writable)
    core.boot()
    text, error = core.execute(job["script"])
    result = {
        "text": text,
        "error": error,
        "marks": core.marks,
        "peeks": core.peeks,
        "hot": core.hot(),
    }
    Path(job["result"]).write_text(json.dumps(result))


if __name__ == "__main__":
    try:
        main()
    except (CoreError, ValueError) as error:
        raise SystemExit(f"cycles: {error}") from None
