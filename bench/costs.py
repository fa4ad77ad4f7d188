# bench: fits the costs of kernels to counted cycles (`make -C bench costs`)
# MIT license; Copyright (c) 2026 the tflm authors

import argparse
import csv
import io
import itertools
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from pathlib import Path
from types import SimpleNamespace

import cost_models
import cycles
import numpy as np
from tflm.errors import TflmError
from tflm_tools import files
from tflm_tools.flat.flatten import optimized_model, prepare
from tflm_tools.model.schema import op_name
from tflm_tools.optimize.invoke_time import nodes_of
from tflm_tools.optimize.kernel_costs import (
    ANY,
    FIELDS,
    INVOKE,
    KEYS,
    OVERLAP,
    TABLE,
    Work,
    dtype_name,
    form_of,
    work_of,
)
from tflm_tools.optimize.node_facts import rectified_nodes
from tflm_tools.optimize.passes import OPTIONS, passes_without

_WITH_FPU = "armv7em", "mac16"  # targets whose kernels are slower if an output overlaps an input

# The core of bench/cycles.py that counts for a target.
CORES = {"armv6m": "m0plus", "armv7em": "pico2", "rv32imc": "rv32", "mac16": "xtensa-mac16"}
_MIN_GAIN = 0.0004  # of the mean squared error, that a further field of a cost must bring
_DIGITS = 4
_MAC, _RECTIFIED = FIELDS.index("mac"), FIELDS.index("rectified")


# Each operator runs by itself, as the model has it, except that a loop of a GRU is one operator.
_WITHOUT = tuple(name for name in OPTIONS if name != "gru")


# Options of bench/cycles.py for a model. In a sheet whose name has the word "shared" outputs may
# overlap inputs; in others they do not.
def _options(build, target, name=""):
    return SimpleNamespace(
        build=build, portable=False, check_alignment=False, target=target, without=_WITHOUT,
        optimize="speed" if "shared" in name else "off", arena_budget=None,
        compress_weights=False, input_by_rows=False, seed=0, miss=0, cores=1, kept=0, values=(),
    )  # fmt: skip


# Columns of a stored count. node: number of the operator; empty for the invoke without its
# operators. kernels: the names of its records, and OVERLAP if its output overlaps an input.
_COUNTED = ("node", "kernels", "cycles")


# Count the operators of a model on a core: yield rows of _COUNTED.
def _count(path, core, target, runner, options):
    result = cycles.measure_model(path, core, runner, options)
    passes = passes_without(_WITHOUT)
    _, storage = prepare(
        path.read_bytes(), target=target, passes=passes, miss=0, optimize=options.optimize
    )
    kernels = {}
    for record in storage.records:
        names = kernels.setdefault(record.node.index, [])
        names.append(record.kernel)
        if record.ordered and OVERLAP not in names:
            names.append(OVERLAP)
    yield "", "", result.total - sum(result.cycles)
    for layer, count in zip(result.layers, result.cycles, strict=True):
        yield layer.node, "+".join(kernels[layer.node]), count


# Yield (target, op, dtype, kernels, values of Work, cycles) of the rows of _COUNTED of a model.
def _works(path, target, rows):
    model, _ = optimized_model(path.read_bytes(), passes=passes_without(_WITHOUT))
    nodes = {node.index: node for node in nodes_of(model)}
    rectified = rectified_nodes(nodes.values())
    for row in rows:
        count = float(row["cycles"])
        if not row["node"]:
            dtype = dtype_name(next(iter(nodes.values())))
            if not dtype:  # a model with variables
                continue
            yield target, INVOKE, dtype, ANY, Work(whole=1).values(), count
            continue
        node, names = nodes[int(row["node"])], row["kernels"].split("+")
        work = work_of(node, names, node.index in rectified)
        if not form_of(node, names).startswith(op_name(node)):
            continue  # its kernels are fitted to the operator that they are made for
        kernels = "+".join(sorted(set(names)))
        yield target, form_of(node, names), dtype_name(node), kernels, work.values(), count


# Fields that no kernel of an operator depends on.
def _unused(op, dtype, kernels):
    if op.startswith(("CONV_2D", "DEPTHWISE", "FULLY")) and dtype in ("float32", "int16"):
        return {"source"}
    is_packed = op == "CONV_2D" and dtype == "int8" and kernels[:5] == "conv_"
    return {"cell"} if is_packed else set()


# Return (costs, largest error) of rows of work and their cycles: the sparse combination of fields,
# none negative, with the least squares of relative errors.
def fit(work, counted, unused=()):
    """Return (cost of each field, largest relative error) that fit counted cycles best."""
    scaled = np.array(work, float) / np.array(counted, float)[:, None]
    used = [i for i, name in enumerate(FIELDS) if scaled[:, i].any() and name not in unused]
    best = None
    for count in range(1, min(len(used), len(counted)) + 1):
        for chosen in itertools.combinations(used, count):
            columns = scaled[:, chosen]
            costs = np.linalg.lstsq(columns, np.ones(len(counted)), rcond=None)[0]
            if (costs < 0).any():
                continue
            errors = columns @ costs - 1
            score = (errors**2).mean() + _MIN_GAIN * count
            if best is None or score < best[0]:
                best = score, chosen, costs, abs(errors).max()
    _, chosen, costs, error = best
    fitted = dict(zip(chosen, costs, strict=True))
    return [fitted.get(i, 0) for i in range(len(FIELDS))], error


# Set the costs of `rectified` of rows that were not counted with zeros: the kernel saves the share
# of `mac` that it saves in a row that was, or nothing.
def _add_rectified(costs, counted_with_zeros):
    shares = {}
    for key in counted_with_zeros:
        if costs[key][_MAC]:
            shares[key[0], key[3]] = costs[key][_RECTIFIED] / costs[key][_MAC]
    for key, fields in costs.items():
        if key not in counted_with_zeros:
            kernel = key[3].split("+")[0]
            fields[_RECTIFIED] = fields[_MAC] * shares.get((key[0], kernel), 1)


def fitted_rows(counts):
    """Return the rows of the table: of each key, and of all operators without multiplication."""
    groups = {}
    for target, op, dtype, kernels, work, count in counts:
        if count <= 0:
            continue
        groups.setdefault((target, op, dtype, kernels), []).append((work, count))
        if not work[0] and not work[1] and op != INVOKE:
            groups.setdefault((target, ANY, dtype, ANY), []).append((work, count))
    costs, errors = {}, {}
    for key, entries in groups.items():
        costs[key], errors[key] = fit(*zip(*entries, strict=True), _unused(*key[1:]))
    with_zeros = {key for key in groups if any(work[_RECTIFIED] for work, _ in groups[key])}
    _add_rectified(costs, with_zeros)
    rows = []
    for key in sorted(groups):
        numbers = [f"{cost:.{_DIGITS}g}" for cost in costs[key]]
        rows.append((*key, *numbers, f"{errors[key]:.2f}"))
    return rows


def _csv(path, head, rows):
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    files.write(path, text.getvalue().encode())


# Count a model unless its counts are stored in the folder; return a list of _works().
def _counted(path, target, runner, options):
    stored = path.with_name(f"{path.stem}-{target}.csv")
    if not stored.exists() or options.again:
        try:
            found = list(
                _count(
                    path, CORES[target], target, runner, _options(options.build, target, path.stem)
                )
            )
        except TflmError as error:
            print(f"{target} {path.stem}: {error}", file=sys.stderr)
            return []
        print(f"{target} {path.stem}", flush=True)
        _csv(stored, _COUNTED, found)
    with stored.open(newline="") as file:
        return list(_works(path, target, csv.DictReader(file)))


def main():
    parser = argparse.ArgumentParser(
        prog="costs", description="Fit the costs of kernels to cycles that emulated cores count."
    )
    parser.add_argument("--target", action="append", choices=tuple(CORES), help="[default: all]")
    parser.add_argument("--build", type=Path, default=cycles.ROOT / "build" / "cycles")
    parser.add_argument(
        "--only",
        default="",
        help="count models whose names contain one of these, and fit only their kernels",
    )
    parser.add_argument("--jobs", type=int, default=2, help="models at a time")
    parser.add_argument("--again", action="store_true", help="count models again")
    options = parser.parse_args()
    folder = options.build.parent / "costs"
    files.make_folder(folder)
    paths = []
    for name, data in cost_models.sheets():
        path = folder / f"{name}.tflite"
        if not any(word in name for word in options.only.split(",")):
            continue
        if not path.exists() or path.read_bytes() != data:
            files.write(path, data)
            for target in CORES:
                path.with_name(f"{path.stem}-{target}.csv").unlink(missing_ok=True)
        paths.append(path)
    counts = []
    for target in options.target or CORES:
        runner = cycles.runner_of(CORES[target], _options(options.build, target))
        chosen = [p for p in paths if target in _WITH_FPU or "shared" not in p.stem]
        with ThreadPoolExecutor(options.jobs) as pool:
            for found in pool.map(
                _counted, chosen, repeat(target), repeat(runner), repeat(options)
            ):
                counts += found
    rows = fitted_rows(counts)
    if options.only:  # a row of all operators needs all counts
        rows = [row for row in rows if row[1] != ANY]
    size = len(KEYS) if options.only else 1
    counted = {row[:size] for row in rows}
    columns = (*KEYS, *FIELDS, "error")
    before = list(csv.DictReader(TABLE.open(newline=""))) if TABLE.exists() else []
    kept = [tuple(row.get(name, "0") for name in columns) for row in before]
    rows += [row for row in kept if row[:size] not in counted]
    _csv(TABLE, columns, sorted(rows))


if __name__ == "__main__":
    try:
        main()
    except TflmError as error:
        sys.exit(f"costs: {error}")
