# bench: runs single functions of machine code on an emulated core (unicorn)
# MIT license; Copyright (c) 2026 the tflm authors

# A separate program because unicorn is GPL. `python function_core.py CORE` (m0plus, m33, rv32)
# reads JSON lines {"code": hex, "arguments": [...], "memory": hex} from stdin, runs each function
# with `memory` at MEMORY, and writes JSON lines {"result": r0 or a0, "memory": hex,
# "instructions": number, "kept": whether registers that a function must keep have their values}.

import json
import sys

import unicorn
from unicorn import arm_const as arm
from unicorn import riscv_const as riscv

MEMORY, CODE, STACK = 0x20000000, 0x10000, 0x30000000
_BYTES = 1 << 20
_MAX_INSTRUCTIONS = 20_000_000
_ARM = (unicorn.UC_ARCH_ARM, unicorn.UC_MODE_THUMB | unicorn.UC_MODE_MCLASS)


class _Core:
    """A processor core. kind: of _KINDS. kept: names of registers that functions keep."""

    def __init__(self, kind, kept, link, thumb):
        arch, mode, model, prefix, constants = kind
        self._emulator = emulator = unicorn.Uc(arch, mode)
        emulator.ctl_set_cpu_model(model)
        for base in (MEMORY, CODE, STACK):
            emulator.mem_map(base, _BYTES)
        self._register = lambda name: getattr(constants, f"{prefix}_{name.upper()}")
        self._kept, self._link, self._thumb = kept, link, thumb
        self._first = "r" if thumb else "a"
        self._instructions = 0
        emulator.hook_add(unicorn.UC_HOOK_CODE, self._count)

    def _count(self, *_):
        self._instructions += 1

    def run(self, code, arguments, memory):
        emulator, end = self._emulator, CODE + len(code) + 4
        emulator.mem_write(CODE, code + bytes(64))
        emulator.ctl_remove_cache(CODE, CODE + _BYTES)
        emulator.mem_write(MEMORY, memory)
        for i, name in enumerate(self._kept):
            emulator.reg_write(self._register(name), 0x1234567 * (i + 1))
        for i, value in enumerate(arguments):
            emulator.reg_write(self._register(f"{self._first}{i}"), value & 0xFFFFFFFF)
        emulator.reg_write(self._register("sp"), STACK + _BYTES - 64)
        emulator.reg_write(self._register(self._link), end | self._thumb)
        self._instructions = 0
        emulator.emu_start(CODE | self._thumb, end, count=_MAX_INSTRUCTIONS)
        kept = all(
            emulator.reg_read(self._register(name)) == 0x1234567 * (i + 1)
            for i, name in enumerate(self._kept)
        )
        return {
            "result": emulator.reg_read(self._register(f"{self._first}0")),
            "memory": bytes(emulator.mem_read(MEMORY, len(memory))).hex(),
            "instructions": self._instructions,
            "kept": kept and emulator.reg_read(self._register("sp")) == STACK + _BYTES - 64,
        }


_RISCV = (unicorn.UC_ARCH_RISCV, unicorn.UC_MODE_RISCV32, riscv.UC_CPU_RISCV32_SIFIVE_U34)
_KINDS = {
    "m0plus": (*_ARM, arm.UC_CPU_ARM_CORTEX_M0, "UC_ARM_REG", arm),
    "m33": (*_ARM, arm.UC_CPU_ARM_CORTEX_M33, "UC_ARM_REG", arm),
    "rv32": (*_RISCV, "UC_RISCV_REG", riscv),
}


def main():
    kind = sys.argv[1]
    if kind == "rv32":
        core = _Core(_KINDS[kind], [f"s{i}" for i in range(12)], "ra", 0)
    else:
        core = _Core(_KINDS[kind], [f"r{i}" for i in range(4, 12)], "lr", 1)
    for line in sys.stdin:
        job = json.loads(line)
        code, memory = bytes.fromhex(job["code"]), bytes.fromhex(job["memory"])
        print(json.dumps(core.run(code, job["arguments"], memory)), flush=True)


if __name__ == "__main__":
    main()
