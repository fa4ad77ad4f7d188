# tflm: How a Program runs beyond its plain loop: bands, control flow, delegates, asyncio, cores.
# MIT license; Copyright (c) 2026 the tflm authors

from ..format import BANDS_KERNEL, ROWS_KERNEL


# Add a step of bands, rows or control flow to list `number` of a Program. No kernel file has such
# a kernel: its function is made for the Program.
def add_control_step(program, number, kernel, record, units, slice_units):
    if kernel == BANDS_KERNEL:
        from .bands import bind, run_banded

        program.add(number, run_banded, bind(program, number, record), units, 1)
        return
    if kernel == ROWS_KERNEL:
        from .rows import bind

        function = bind(program, number, record)
    else:
        from .control_flow import bind, check_loops

        # A banded chain refers to a later list, which refers to no other: it makes no cycles.
        program.check_loops = check_loops
        function = bind(program, number, kernel, record)
    program.add(number, function, record, units, slice_units)
