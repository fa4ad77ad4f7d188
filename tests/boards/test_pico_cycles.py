# Tests of the emulated Pico's time: cycles of instructions, waits for flash, `tflm bench --all`
# MIT license; Copyright (c) 2026 the tflm authors

import json
import subprocess
import sys
from pathlib import Path

import pytest
from session import Session
from tflm_tools.measure import hardware, predicted

_BENCH = Path(__file__).resolve().parents[2] / "bench"
_HOT_CODE = _BENCH.parent / "boards" / "common" / "hot_code.cmake"
sys.path.insert(0, str(_BENCH))

from m0plus import instruction_cycles, is_wide_thumb  # noqa: E402

# Runs each instruction from RAM, with all registers pointing to data; prints its cycles.
_EVERY_INSTRUCTION = """
import { Core } from '%s';
const memory = new DataView(new ArrayBuffer(0x10000));
const at = (address) => (address & 0xfffe) >>> 0;
const silent = () => {};
const mcu = {
  logger: { debug: silent, info: silent, warn: silent, error: silent }, onBreak: silent,
  readUint32: (address) => memory.getUint32(at(address) & ~3, true),
  readUint16: (address) => memory.getUint16(at(address), true),
  readUint8: (address) => memory.getUint8(at(address)),
  writeUint32: silent, writeUint16: silent, writeUint8: silent,
};
const core = new Core(mcu);
const cycles = [];
for (let half = 0; half < 0x10000; half++) {
  core.registers.fill(0x10001000); // two of them make an address of RAM
  [core.N, core.Z, core.C, core.V] = [false, false, false, false];
  core.PC = 0x20001000;
  memory.setUint16(0x1000, half, true);
  const before = core.cycles;
  core.executeInstruction();
  cycles.push(core.cycles - before);
}
console.log(JSON.stringify(cycles));
"""


# Return whether the manual gives the instruction's cycles. It does not for SVC, UDF, BKPT, hints,
# CPS, invalid BX, and LDM without registers.
def _has_cycles(half):
    return not (
        is_wide_thumb(half)
        or half >> 8 in (0xDE, 0xDF, 0xBE, 0xBF, 0xB6)
        or half >> 8 == 0x47
        and half & 7
        or half >> 12 == 0b1100
        and not half & 0xFF
    )


# Return whether B<cond> is taken while no flag is set: NE, CC, PL, VC, LS, GE, GT.
def _is_taken(half):
    return half >> 12 == 0b1101 and half >> 8 & 15 in (1, 3, 5, 7, 9, 10, 12)


def test_cycles_of_each_instruction():
    import emulators
    import toolchain

    emulators.prepare_pico()
    core = (emulators.EMULATOR / "core.mjs").as_uri()
    said = subprocess.run(
        [toolchain.have("node"), "--input-type=module", "-"], input=_EVERY_INSTRUCTION % core,
        env=toolchain.environment(), capture_output=True, text=True,
    )  # fmt: skip
    assert said.returncode == 0, said.stderr
    wrong = {
        f"{half:04x}": (got, instruction_cycles(half) + _is_taken(half))
        for half, got in enumerate(json.loads(said.stdout))
        if _has_cycles(half) and got != instruction_cycles(half) + _is_taken(half)
    }
    assert not wrong


# Functions of tflm.detect and tflm.features are in RAM, and the float kernels that features run.
@pytest.mark.quick_boards
def test_features_are_in_ram(monkeypatch):
    import sources

    class Function:
        fun_data_attributes = '".text,"'

    def section(name, *files):
        monkeypatch.setattr(sys, "argv", ["mpy-tool.py", *files])
        function = Function()
        function.escaped_name = name
        _, after = sources._REPAIRS[-1]
        return eval(f"(0 {after}", {"self": function, "sys": sys, "any": any})[1]

    features = "build/tflm/features/block.mpy"
    assert section("tflm_detect_scan") == '".text.kernels,"'
    assert section("tflm_features_fft", features) == '".text.kernels,"'
    assert section("tflm_kernels_float32_log", features) == '".text.kernels,"'
    assert section("tflm_kernels_float32_log", "build/tflm/arena.mpy") == '".text,"'
    assert section("tflm_kernels_float32_pow", features) == '".text,"'
    assert section("tflm_kernels_armv6m_gen_conv_asm") == '".text.kernels,"'
    assert section("tflm_kernels_armv6m_gen_float32_asm") == '".text,"'


# Code in loops is in RAM and does not wait for flash: the core's kernels, the code that shares
# them with core 1, the virtual machine, and the functions of MicroPython that a step calls. The
# garbage collector and rare kernels stay in flash. The firmware's sizes include this RAM.
def test_hot_code_is_in_ram(firmware):
    import sources
    import toolchain

    built = firmware("RPI_PICO")
    command = [toolchain.have("arm-none-eabi-nm"), "-n", built.elf]
    said = subprocess.run(command, env=toolchain.environment(), capture_output=True, text=True)
    addresses = {name: int(at, 16) for at, _, name in map(str.split, said.stdout.splitlines())}
    kernels = [name for name in addresses if name.startswith("fun_data_tflm_kernels_armv6m_")]
    kernels = [name for name in kernels if not name.endswith("_lt_module_gt_")]
    cold = {name for name in kernels if any(cold in name for cold in sources.COLD)}
    assert len(cold) >= 24
    kernels = [name for name in kernels if name not in cold]
    kernels += [
        name for name in addresses if name.startswith("fun_data_tflm_run_second_core_tflm_")
    ]
    assert len(kernels) >= 18
    named = _HOT_CODE.read_text().split("set(hot_code_functions")[1].split(")")[0]
    functions = [name for line in named.splitlines() if "#" not in line for name in line.split()]
    assert len(functions) >= 40
    hot = {*kernels, *functions, "mp_execute_bytecode"}
    assert {name for name in hot if addresses[name] < 0x20000000} == set()
    cold |= {"mp_parse", "gc_alloc"}
    assert {name for name in cold if addresses[name] >= 0x20000000} == set()
    assert built.sizes[-2].ram > 24 * 1024


# Each miss of the cache adds 48 cycles to the time of 1024 reads.
def test_time_of_cache_misses(emulated):
    code = """
import time
@micropython.viper
def read(at: int) -> int:
    words = ptr32(at)
    sum = 0
    for i in range(1024):
        sum += words[i]
    return sum
@micropython.viper
def missed() -> int:
    counters = ptr32(0x1400000C)
    return counters[1] - counters[0]
def spent():
    begin = time.ticks_us()
    before = missed()
    read(0x10080000)
    fetched = missed() - before
    return time.ticks_diff(time.ticks_us(), begin), fetched
spent()
read(0x10100000), read(0x10180000)
print([spent(), spent()])
"""
    session = Session(emulated("RPI_PICO", fast=True, xip=48))
    (cold, fetched), (warm, again) = eval(session.exec(code))
    assert fetched > 900 and again < 300
    assert (cold - warm) * 125 == pytest.approx((fetched - again) * 48, rel=0.06)


# Flash runs at half the core's clock at 200 MHz too, because our board's header permits it. The
# port's default divider is 4.
def test_flash_keeps_up_with_the_core(emulated):
    session = Session(emulated("RPI_PICO", fast=True))
    code = "import machine; machine.freq(%d); print(machine.freq(), machine.mem32[0x18000014])"
    for frequency in (125_000_000, 200_000_000):
        assert session.exec(code % frequency).split() == [str(frequency), "2"]


# A measurement on a board equals the prediction from the cycles tables.
def test_bench_all_agrees_with_the_prediction(emulated, repository, tmp_path):
    models = [repository / "models" / "digits", repository / "models" / "keywords"]
    board = emulated("RPI_PICO", flash=tmp_path / "flash.bin", fast=True, xip=48)
    found = hardware.record(models, board.port, invokes=2)
    assert [model.refused for model in found.models] == [""] * 2
    assert all(model.equal for model in found.models)
    assert (found.frequency, found.flash_divider) == (125_000_000, 2)
    command = [sys.executable, _BENCH / "cycles.py", "--core", "pico", "--model", "digits_int8"]
    command += ["--model", "keywords_int8", "--output", tmp_path / "cycles.csv"]
    said = subprocess.run([*command, "--jobs", "1"], capture_output=True, text=True)
    assert said.returncode == 0, said.stderr
    compared = predicted.compare(found, tmp_path / "cycles.csv").models
    for model in compared:
        assert not model.note
        assert model.total.ratio == pytest.approx(1, abs=0.05)
        # The profiler adds about 200 us to each operator.
        more = sum(layer.us - layer.predicted_us for layer in model.layers)
        assert -50 < more / len(model.layers) < 300
    # digits waits too little for flash to estimate the cycles of a miss.
    assert compared[0].total.miss is None and 40 < compared[1].total.miss < 80
