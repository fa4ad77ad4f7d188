# Products of the rows of a matrix and a vector, float32, for an FPU, in the kernel language
# MIT license; Copyright (c) 2026 the tflm authors

from ..language.kernel import Kernel
from ..language.macros import operand
from .products_float import compute_pixel, sums_of

_ABOUT = """
Store at `result` the products of rows of a matrix and a vector. `size` holds the length of a row
<< {bits} | the number of rows.
"""


# On Xtensa the operands are words of a record, otherwise addresses.
def rows_kernel(machine):
    if machine.max_arguments > 4:
        bits, names = 14, ("arena", "rom", "result", "vector", "rows", "size")
    else:
        bits, names = 15, ("result", "rows", "vector", "size")
    k = Kernel("rows", _ABOUT.format(bits=bits), names, machine)
    values = dict(zip(names, k.arguments, strict=True))
    to, row, x = (k.var(name, values[name]) for name in ("result", "rows", "vector"))
    if machine.max_arguments > 4:
        for address in (to, row, x):
            address.set(operand(k, address, values["arena"], values["rom"]))
    left = k.var("rows_left", values["size"].field(0, bits))
    depth = k.var("depth", values["size"].lsr(bits))
    step, at_once = k.var("row_bytes", depth << 2), sums_of(machine).single[0]
    with k.While(lambda: left != 0, "rows", times=4):
        compute_pixel(
            k, x, (row, step), left, lambda sums: sums.add(depth),
            lambda sums: sums.store_sums(to, left),
        )  # fmt: skip
        done = k.var("done", left.min(at_once))
        row += step * at_once
        to += done << 2
        left -= done
    return k.finish()
