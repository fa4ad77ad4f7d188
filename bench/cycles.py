# bench: measures cycles of whole invokes on emulated cores, by layer (`make -C bench cycles`)
# MIT license; Copyright (c) 2026 the tflm authors

import argparse
import csv
import io
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import docs_data
import emulated
import listing
import mac16
import pico
import qemu_xtensa
import report
from layers import Layer, layers_of
from tflm.errors import TflmError, UnsupportedError
from tflm_tools import files
from tflm_tools.bands.band_op import KERNEL as BANDS
from tflm_tools.check import oracle
from tflm_tools.check.cases import make_cases
from tflm_tools.check.comparison import first_difference
from tflm_tools.errors import ToolError
from tflm_tools.flat.flatten import prepare
from tflm_tools.image.flat_image import image_of
from tflm_tools.model.arrays import from_bytes, to_bytes
from tflm_tools.model.model_file import open_model, open_tflite
from tflm_tools.optimize.memory.levels import BALANCED, LEVELS
from tflm_tools.optimize.passes import OPTIONS, passes_without
from tflm_tools.render.common import console
from tflm_tools.targets import target_of

ROOT = Path(__file__).resolve().parents[1]
# The target that each core's models are flattened for. A Pico runs linked firmware.
_TARGETS = {core: target_of(archs[0]) for core, archs in emulated.ARCHS.items()}
# A Pico with the model where tflm.load() places it; in flash; copied to RAM; in flash with weights
# streamed, --kept of them in RAM. The value: argument `copy` of tflm.load().
_PICOS = {"pico": None, "pico-flash": False, "pico-ram": True, "pico-stream": False}
_TARGETS = {**dict.fromkeys(_PICOS, _TARGETS["m0plus"]), **_TARGETS, "xtensa-mac16": "mac16"}
COLUMNS = ("core", "model", "layer", "op", "macs", "cycles", "scratch", "flash",
           "no_wait_cycles", "weight_misses", "code_misses", "rest_misses")  # fmt: skip


@dataclass
class Result:
    """A measured model: cycles[i] belong to layers[i]; sizes in bytes.

    Cycles are instructions if the core is m33 or rv32. waits[i]: what layers[i] waits for flash,
    on a pico; waited: what the whole invoke waits. lines: cache lines that an RP2350 fetches for
    the model, on m33 and pico2.
    """

    core: str
    model: str
    layers: list[Layer]
    cycles: list[int]
    total: int
    dispatch: int
    flash: int
    arena: int
    hot: list[tuple[int, bytes, int, int]]
    waits: list[emulated.Waits]
    waited: emulated.Waits | None
    lines: int | None


# Return the paths of the project's models, of `make -C bench models`, and in ../shared.
def _all_models():
    found = sorted(ROOT.glob("models/*/*.tflite"))
    known = {path.name for path in found}
    for folder in (ROOT / "build" / "mlperf", ROOT.parent / "shared" / "models"):
        beside = [path for path in sorted(folder.glob("*.tflite")) if path.name not in known]
        known |= {path.name for path in beside}
        found += beside
    return found


# Raise ToolError unless the outputs are TFLM's of a second invoke, which sees the variables of the
# first invoke. TFLM refuses hybrid models, whose outputs are not compared here.
def _compare(model, ends, arrays, outputs):
    try:
        wanted = oracle.run(model.data, [arrays, arrays]).outputs[1]
    except oracle.RefusedModelError:
        return
    for i, (info, data) in enumerate(zip(ends.outputs, outputs, strict=True)):
        got = from_bytes(data, info)
        difference = first_difference(got, wanted[i].reshape(info.shape))
        if difference is not None:
            raise ToolError(
                f"output {i} is not TFLM's: element {list(difference.index)} is {difference.got}, "
                f"TFLM has {difference.wanted} ({difference.count} of {difference.total} differ)"
            )


# Return a function that runs a flat model with its inputs on a core and returns an
# emulated.Measurement. `rows`: bytes of a row of the input that comes by rows, 0 without.
def runner_of(core, options):
    if core in _PICOS:
        image = pico.firmware()
        driver = emulated.driver(options.build, _TARGETS[core])
        kept = options.kept if core == "pico-stream" else None
        loading = pico.Loading(options.cores, _PICOS[core], kept)
        return lambda *job, rows: pico.measure(image, driver, *job, options.miss, rows, loading)
    if core.startswith("xtensa"):
        is_esp32 = core == "xtensa-mac16"
        elf = qemu_xtensa.firmware_with_fpu(options.build) if is_esp32 else qemu_xtensa.firmware()
        modules = qemu_xtensa.modules(options.build, options.portable, is_esp32)
        return lambda *job, rows: qemu_xtensa.measure(elf, modules, *job)
    elf = emulated.firmware(options.build, core)
    image = emulated.file_system(options.build, core, options.portable)
    return lambda *job, rows: emulated.measure(
        core, elf, image, *job, options.check_alignment, rows
    )


# Flatten, run, compare, and give each layer the cycles of its records.
def measure_model(path, core, runner, options):
    model = open_tflite(path, "cycles")
    prepared, storage = prepare(
        model.data,
        target=options.target or _TARGETS[core],
        passes=passes_without(options.without),
        optimize=BALANCED if options.arena_budget else options.optimize,
        arena_budget=options.arena_budget,
        compress_weights=options.compress_weights,
        miss=None if core in _PICOS else 0,  # other cores have no wait states
        by_rows=options.input_by_rows,
    )
    counted = {record.node.index for record in _noted(storage.records)}
    layers = [layer for layer in layers_of(prepared, storage) if layer.node in counted]
    flat = image_of(model.data, prepared, storage)
    arrays = make_cases(model.inputs, 1, options.seed)[0].inputs
    if options.values:
        if len(options.values) != len(arrays):
            raise ToolError(f"{path} has {len(arrays)} inputs; give --values as many")
        for array, value in zip(arrays, options.values, strict=True):
            array[...] = value
    ends = open_model(path, flat)
    kept = [replace(info, by_rows=False) for info in ends.inputs]  # rows of integers, too
    sent = [to_bytes(array, info) for array, info in zip(arrays, kept, strict=True)]
    rows = len(sent[0]) // ends.inputs[0].shape[1] if options.input_by_rows else 0
    measured = runner(flat, sent, rows=rows)
    _compare(model, ends, arrays, measured.outputs)
    cycles = dict.fromkeys((layer.node for layer in layers), 0)
    waits = dict.fromkeys(cycles, emulated.Waits())
    surplus = {}
    if core == "xtensa-mac16":  # banded steps: as in most of their bands
        for record in storage.records:
            found = mac16.surplus_of(record.kernel, record.words, storage.constants)
            surplus[id(record)] = found
    noted = list(_noted(storage.records, measured.ran))
    for record, step in zip(noted, measured.steps, strict=True):
        cycles[record.node.index] += step - surplus.get(id(record), 0)
    for record, wait in zip(noted, measured.waits, strict=False):
        waits[record.node.index] += wait
    last = measured.waits[-1] if measured.waits else None
    return Result(
        core,
        Path(path).stem,
        layers,
        list(cycles.values()),
        measured.total - sum(surplus.get(id(record), 0) for record in noted),
        measured.dispatch * measured.calls,
        len(flat),
        measured.arena,
        measured.hot,
        list(waits.values()) if core in _PICOS else [],
        last if core in _PICOS else None,
        last.model if last and core not in _PICOS else None,
    )


# Yield the record of each counted step: the banded steps of a region (as `ran` of a Measurement
# lists them, or each once), then the step that runs them. Steps that IF and WHILE run count for
# these operators; CALL_ONCE has run before.
def _noted(records, ran=()):
    numbers = iter(ran)
    for record in records:
        if record.step_list:
            continue
        banded = [r for r in records if record.kernel == BANDS and r.step_list == record.words[2]]
        steps = iter(numbers.__next__, 0) if ran else range(1, 1 + len(banded))
        yield from (banded[step - 1] for step in steps)
        yield record


# Yield the CSV rows of one model; TOTAL is the whole invoke with dispatch.
def _rows(result):
    waits = result.waits or [None] * len(result.layers)
    for layer, cycles, wait in zip(result.layers, result.cycles, waits, strict=True):
        yield (result.core, result.model, layer.node, layer.op, layer.macs, cycles, layer.scratch,
               layer.flash, *_wait_columns(cycles, wait))  # fmt: skip
    macs = sum(layer.macs for layer in result.layers)
    scratch = max((layer.scratch for layer in result.layers), default=0)
    yield (result.core, result.model, "TOTAL", "", macs, result.total, scratch, result.flash,
           *_wait_columns(result.total, result.waited))  # fmt: skip


# Return the last columns, empty for a core without wait states.
def _wait_columns(cycles, wait):
    if wait is None:
        return ("",) * 4
    return cycles - wait.cycles, wait.model, wait.code, wait.rest


def _write_csv(path, results):
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for result in results:
        writer.writerows(_rows(result))
    files.make_folder(path.parent)
    files.write(path, text.getvalue().encode())


# Measure models on a core and print them as they come; returns ([Result], [(path, error)]).
def _run(core, paths, options, target):
    runner = runner_of(core, options)

    def attempt(path):
        try:
            return measure_model(path, core, runner, options)
        except TflmError as error:
            return error

    results, refused = [], []
    with ThreadPoolExecutor(options.jobs) as pool:
        for path, answer in zip(paths, pool.map(attempt, paths), strict=True):
            if isinstance(answer, TflmError):
                refused.append((path, answer))
                continue
            results.append(answer)
            report.print_model(answer, target)
            for block in answer.hot[: options.hot]:
                report.print_block(answer, block, listing.disassemble(core, block), target)
    report.print_summary(core, results, refused, target)
    return results, refused


def parsed(arguments=None):
    """Return the options of the command line, or of a list of arguments."""
    parser = argparse.ArgumentParser(
        prog="cycles", description="Cycles of whole invokes on emulated cores, by layer."
    )
    parser.add_argument(
        "--model", action="append", help="a .tflite, or a substring of a model's name"
    )
    parser.add_argument(
        "--core",
        action="append",
        choices=tuple(_TARGETS),
        help="pico (pico-flash: models in flash, pico-ram: copied to RAM, pico-stream: weights "
        "streamed by DMA) and m0plus count cycles, pico2 estimates them, others count "
        "instructions [default: all]",
    )
    parser.add_argument(
        "--miss",
        type=int,
        default=48,
        help="cycles of a miss of the flash cache of the core pico: 40 to 56, or 0 [default: 48]",
    )
    parser.add_argument(
        "--cores", type=int, default=1, choices=(1, 2), help="cores of a pico that share the work"
    )
    parser.add_argument(
        "--kept", type=int, default=0, help="bytes of weights in RAM, for the core pico-stream"
    )
    parser.add_argument("--target", help="flatten for this target instead of the core's target")
    parser.add_argument(
        "--portable",
        action="store_true",
        help="leave out the overrides of kernels/<arch>: only viper kernels run",
    )
    parser.add_argument("--output", type=Path, default=ROOT / "build" / "cycles.csv")
    parser.add_argument(
        "--without",
        action="append",
        default=[],
        choices=("all", *OPTIONS),
        help="an optimization pass to leave out, see docs/explanation/optimization-passes.md",
    )
    parser.add_argument("--compress-weights", action="store_true", help="as for flatten")
    parser.add_argument("--input-by-rows", action="store_true", help="as for flatten")
    parser.add_argument("--arena-budget", type=int, help="as for flatten, in place of --optimize")
    parser.add_argument(
        "--optimize",
        default=BALANCED,
        choices=LEVELS,
        help="level of the memory plan, see docs/how-to/less-ram.md",
    )
    parser.add_argument(
        "--hot", type=int, default=0, help="list this number of the most expensive basic blocks"
    )
    parser.add_argument(
        "--docs",
        action="store_true",
        help="write docs/data, too; `make docs` then writes docs/generated/benchmarks.md",
    )
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "cycles")
    parser.add_argument("--seed", type=int, default=0, help="of the random inputs")
    parser.add_argument(
        "--values",
        type=int,
        nargs="+",
        default=[],
        help="a value for each input in place of random ones, as token and position",
    )
    parser.add_argument("--jobs", type=int, default=2, help="models at a time")
    parser.add_argument(
        "--check-alignment",
        action="store_true",
        help="stop at an unaligned load or store, as hardware does (slow)",
    )
    return parser.parse_args(arguments)


# Raise ToolError for options that do not fit the cores.
def _check(options):
    cores = options.core or list(_TARGETS)
    if options.portable and not set(cores).isdisjoint(_PICOS):
        raise ToolError(
            "the firmware of the core pico holds the kernels; leave --portable out, or name --core"
        )
    if options.input_by_rows and any(core.startswith("xtensa") for core in cores):
        raise ToolError("--input-by-rows does not work on Xtensa; name --core")
    if options.cores > 1 and not set(cores) <= set(_PICOS):
        raise ToolError("--cores 2 works only on a Pico; name --core pico")


def main():
    options = parsed()
    _check(options)
    paths = _chosen(options.model)
    target = console()
    results, refused = [], []
    for core in options.core or _TARGETS:
        measured, not_measured = _run(core, paths, options, target)
        results += measured
        refused += not_measured
    _write_csv(options.output, results)
    if options.docs:
        docs_data.update(ROOT / "docs" / "data", results)
    # A model that tflm does not support is printed, but is not a failure of the bench.
    wrong = [path.stem for path, error in refused if not isinstance(error, UnsupportedError)]
    if wrong:
        raise ToolError(f"these models failed, see above: {', '.join(wrong)}")


# Return the paths that --model names, or all models.
def _chosen(names):
    if not names:
        return _all_models()
    chosen = []
    for name in names:
        if Path(name).is_file():
            found = [Path(name)]
        else:
            found = [path for path in _all_models() if name in path.stem]
        if not found:
            raise ToolError(f"no model is named {name}; `make -C bench models` fetches "
                            "the models of our tables; or name a .tflite or a substring of: "
                            + ", ".join(path.stem for path in _all_models()))  # fmt: skip
        chosen += found
    return chosen


if __name__ == "__main__":
    try:
        main()
    except TflmError as error:
        sys.exit(f"cycles: {error}")
