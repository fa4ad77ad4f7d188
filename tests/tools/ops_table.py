# Writes docs/ops.md from what the tests prove: `python tests/tools/ops_table.py`
# MIT license; Copyright (c) 2026 the tflm authors

import contextlib
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(REPOSITORY / "tests")]

from rules.sources import KERNELS, TESTS, files, sound_cases, tree  # noqa: E402
from support import litert  # noqa: E402
from tflm import dtypes  # noqa: E402
from tflm.errors import TflmError  # noqa: E402
from tflm.introspection import op_names  # noqa: E402
from tflm_tools.flat.flatten import prepare  # noqa: E402

PAGE = REPOSITORY / "docs" / "ops.md"
_HEAD = (
    "# Operators\n\n"
    "Made from the tests by `make docs`: for each operator its types (of the first output, with "
    "those of the input where it converts), the kernels that run it, instruction sets with a twin "
    "of their own, and how many test cases compare it with TFLM on both paths. What TFLM does not "
    "have is compared with LiteRT instead, and so counted; see [beyond-tflm.md](beyond-tflm.md)."
    "\n\n"
    "Integers equal those of the `tflite-micro` wheel bit for bit. float32 is bit-exact too, but "
    "for functions that no two C libraries agree on: {ulps}. A model that needs anything else is "
    "refused with the operator's name and the reason; `tflm inspect MODEL` lists all that is "
    "missing before a board is involved.\n\n"
    "| operator | types | kernels | twins | cases |\n|---|---|---|---|---:|\n"
)
# What the authors of the kernels measured against the wheel, in units of the last place.
_ULPS = (
    "LOGISTIC and TANH are within 2 units of the last place of the wheel, EXP, LOG, SIN, COS and "
    "ELU within 2, SOFTMAX and LOG_SOFTMAX within 3, SVDF with TANH within 2e-7, "
    "UNIDIRECTIONAL_SEQUENCE_LSTM within 1e-5 over several steps, TFLite_Detection_PostProcess "
    "within 1e-6"
)


# {operator: (types, kernels, [number of cases for TFLM, for LiteRT])}
def _collect():
    found = {}
    for case in (case for path in files(TESTS, "test_*.py") for case in sound_cases(path)):
        with contextlib.suppress(TflmError):  # some cases expect one only at run time
            model, storage = prepare(case.build())
            emitted = {}
            for record in storage.records:
                emitted.setdefault(record.node.index, set()).add(record.kernel)
            for subgraph in model.subgraphs:
                for i in range(subgraph.nodes_length()):
                    node = subgraph.node(i)
                    _note(found, node, emitted.get(node.index, ()), case)
    return found


# True when no input has the type of the output.
def _converts(inputs, outputs):
    return bool(inputs) and bool(outputs) and outputs[0] not in inputs


def _note(found, node, kernels, case):
    name = node.custom_name or op_names.name(node.builtin_code)
    row = found.setdefault(name, [set(), set(), [0, 0]])
    inputs = [dtypes.name(t.dtype) for t in node.inputs if t]
    outputs = [dtypes.name(t.dtype) for t in node.outputs if t]
    row[0].add(" → ".join(inputs[:1] + outputs[:1] if _converts(inputs, outputs) else outputs[:1]))
    row[1].update(kernels)
    row[2][1 if case.expected is litert.outputs else 0] += 1


# Folders of kernels/ with a twin of one of these kernels.
def _twins(kernels):
    found = set()
    for kernel in kernels:
        file, function = kernel.split(".")
        names = {function, "bind" + function.removeprefix("eval")}
        for path in KERNELS.glob(f"*/{file}.py"):
            if any(getattr(node, "name", "") in names for node in tree(path).body):
                found.add(path.parent.name)
    return found


def page():
    """The text of docs/ops.md."""
    lines = [_HEAD.format(ulps=_ULPS)]
    for name, (types, kernels, count) in sorted(_collect().items()):
        kernel_text = ", ".join(f"`{kernel}`" for kernel in sorted(kernels))
        row = (
            name,
            ", ".join(sorted(filter(None, types))),
            kernel_text,
            ", ".join(sorted(_twins(kernels))),
        )
        words = [str(count[0])] if count[0] else []
        words += [f"LiteRT: {count[1]}"] if count[1] else []
        lines.append("| " + " | ".join(row) + f" | {', '.join(words)} |\n")
    return "".join(lines)


if __name__ == "__main__":
    temporary = PAGE.with_suffix(".tmp")
    temporary.write_text(page())
    temporary.replace(PAGE)
