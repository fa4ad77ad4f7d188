# tflm: Make the Program of a flat model in an arena.
# MIT license; Copyright (c) 2026 the tflm authors

from . import dtypes
from . import format as layout
from .arena import fill
from .errors import ModelError, damaged
from .format import CONTROL_KERNEL, CUSTOM_KERNEL
from .micropython_port import collect, struct
from .program import Program
from .tensor import Tensor

_OPS_BETWEEN_COLLECTIONS = 32


# Return True if a record names persistent bytes.
def _is_stateful(record, operands):
    for word in struct.unpack_from("<%dI" % operands, record, 4):
        if word & 3 == layout.IN_TAIL:
            return True
    return False


# Return the bytes of (head, tail) that a model needs in an arena that it shares with others.
def measure(model):
    tail = model.arena_bytes - model.head_bytes
    for i in range(model._section(layout.OPS)[1] if tail else 0):
        _, _, _, record, operands, _ = model.op(i)
        if _is_stateful(record, operands):
            tail += (len(record) + 3) & (0 - 4)
    return model.head_bytes, tail


# Check once that the records keep kernels inside their memory.
def _check_records(model, resolver):
    if model.is_checked:
        return
    try:
        from .access_checks import check_and_unload
    except ImportError:
        check_and_unload = None
    if check_and_unload is None:
        raise ModelError(
            "this firmware cannot check a .tflm; tflm deploy it to ROMFS, or tflm.load(path, "
            "trusted=True) if you made it"
        )
    check_and_unload(model, resolver)
    model.is_checked = True


# Return the Program of a model in an arena; raises ArenaError if the arena is too small.
#
# The file counts persistent bytes from the end of its head. They are in the tail, whose place
# differs if Interpreters share the arena: then the records with persistent operands are copied to
# the tail and adjusted.
def make_program(model, arena, options):
    _check_records(model, options.resolver)
    head = arena.reserve_head(model.head_bytes)
    persistent = model.arena_bytes - model.head_bytes
    shift = 0
    if persistent:
        at = arena.sections.allocate_persistent_buffer(persistent)
        fill(arena.buffer, at, persistent)
        shift = at - head - model.head_bytes
    program = Program(arena.buffer, model.buffer, model.subgraphs_length())
    try:
        _add_steps(program, model, arena, options, shift)
        *_, inputs, outputs = model.subgraph()
        for i in range(model.tensors_length()):
            _add_tensor(program, model, i, inputs, outputs, shift)
    except BaseException:
        program.free()
        raise
    program.flat = model
    program.used_bytes = arena.used_bytes()
    return program


# Add the steps of all lists. `shift`: bytes to add to persistent operands if the arena is shared.
def _add_steps(program, model, arena, options, shift):
    kernels = model.kernels()
    custom = None
    for number in range(model.subgraphs_length()):
        first, ops, _, _, _ = model.subgraph(number)
        for i in range(first, first + ops):
            # Steps stay, and should not be placed between garbage. A few do not matter.
            if ops > _OPS_BETWEEN_COLLECTIONS and i % _OPS_BETWEEN_COLLECTIONS == 0:
                collect()
            kernel, _, node, record, operands, slice_units = model.op(i, kernels)
            own = record
            if options.is_shared and _is_stateful(record, operands):
                own = _shifted_record(arena, record, operands, shift)
            units = struct.unpack_from("<I", own)[0]
            if kernel.startswith(CONTROL_KERNEL):
                from .run import add_control_step

                add_control_step(program, number, kernel, own, units, slice_units)
                continue
            if kernel.startswith(CUSTOM_KERNEL):
                if custom is None:
                    from .tflite.flat_custom import FlatCustom

                    custom = FlatCustom(model, arena, options)
                    program.custom = custom.nodes
                function = custom.add(kernel, node, record, operands, own)
            else:
                function = options.resolver.kernel(kernel)
            program.add(number, function, own, units, slice_units)
    if custom is not None:
        custom.finish()
    if program.check_loops:
        program.check_loops(program.calls, program.bands)


# Return a copy of a record in the tail, with `shift` bytes added to its persistent operands.
def _shifted_record(arena, record, operands, shift):
    at = arena.sections.allocate_persistent_buffer(len(record), 4)
    copy = arena.buffer[at : at + len(record)]
    copy[:] = record
    for i in range(4, 4 + 4 * operands, 4):
        word = struct.unpack_from("<I", record, i)[0]
        if word & 3 == layout.IN_TAIL:
            struct.pack_into("<I", copy, i, word + (shift << 2))
    return copy


# Add tensor `i` of the file. The order is: inputs, outputs, then variables and kept tensors.
def _add_tensor(program, model, i, inputs, outputs, shift):
    word, size, name, dtype, shape, flags, zero_point, scale_bits = model.tensor(i)
    offset = word >> 2
    if word & 3 == layout.IN_TAIL:
        offset += shift
    raw = (program.rom if word & 1 else program.arena)[offset : offset + size]
    if not i and (not size and 0 not in shape) != bool(program.begin_source):
        raise damaged("its input rows are wrong")
    if flags & layout.TENSOR_VARIABLE:
        program.variables.append((raw, zero_point & 0xFF if dtype == dtypes.INT8 else 0))
        return
    kind = Tensor
    if flags & layout.TENSOR_FLOAT and i < inputs + outputs:
        if dtype not in (dtypes.INT8, dtypes.INT16) or not scale_bits:
            raise damaged("tensor %d has no floats" % i)
        from .float_tensor import FloatTensor as kind
    if not i and program.begin_source:
        from .run.rows import RowInput

        program.inputs.append(RowInput(kind, name, dtype, shape, scale_bits, zero_point))
        return
    tensor = kind(name, dtype, shape, scale_bits, zero_point, raw)
    if i < inputs:
        program.inputs.append(tensor)
    elif i < inputs + outputs:
        program.outputs.append(tensor)
    else:
        program.tensors[flags >> 1] = tensor
