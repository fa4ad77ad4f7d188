# tflm: Make the Program of a .tflite in an arena, on the board.
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from ..arena import KEEP_ALL, KEEP_INPUTS, Arena, SingleArenaBufferAllocator
from ..format import CUSTOM_KERNEL
from ..introspection.op import Op
from ..program import Program
from ..tensor import Tensor
from .allocator import MicroAllocator
from .context import MicroContext
from .prepare_model import prepare_model


# An arena without memory and limit, to measure.
class Measure(Arena):
    def __init__(self):
        self.buffer = None
        self.sections = SingleArenaBufferAllocator()


# Return the bytes of (head, tail) that a model needs: prepare it without writing. `ops`: a list
# that gets the Ops, as delegates see them. `allocations`: a list that gets the allocations.
def measure(
    model,
    resolver,
    external_context=None,
    keep=0,
    guards=False,
    ops=None,
    allocations=None,
):
    arena = Measure()
    allocator, _, custom = _prepare(model, arena, resolver, external_context, keep, guards)
    for node in custom.values():
        node.free()
    if ops is not None:
        ops.extend(describe_ops(allocator))
    if allocations is not None:
        from ..introspection.allocations import allocations_of_counts

        allocations.extend(allocations_of_counts(allocator.counts))
    return arena.sections.head_used_bytes(), arena.sections.tail_used_bytes()


# Init, prepare and plan; return (MicroAllocator, MicroContext, {node number: CustomNode}).
def _prepare(model, arena, resolver, external_context, keep, guards):
    allocator = MicroAllocator(arena, resolver)
    allocator.start_model_allocation(model)
    context = MicroContext(allocator, external_context)
    custom = prepare_model(model, context, resolver, keep, guards)
    return allocator, context, custom


# Yield the Ops of all lists, as delegates see them.
def describe_ops(allocator):
    for record in _by_list(allocator):
        op = Op(record.node_index, record.builtin_code, record.kernel)
        yield op.describe(record.operands, record.size, allocator.own_scratch(record))


# Yield the records list by list, in each list in the order of emit().
def _by_list(allocator):
    lists = [[] for _ in range(allocator.step_lists)]
    for record in allocator.records:
        lists[record.step_list].append(record)
    for records in lists:
        yield from records


# Return the Program of a model in an arena; raises ArenaError if the arena is too small.
# `describe`: the Ops of the Program describe scratch buffers.
def make_program(
    model,
    arena,
    resolver,
    external_context=None,
    keep=0,
    guards=False,
    describe=False,
):
    allocator, context, custom = _prepare(model, arena, resolver, external_context, keep, guards)
    program = Program(arena.buffer, model.buffer, allocator.step_lists)
    program.custom = [custom[index] for index in sorted(custom)]
    try:
        _fill(program, model, arena, resolver, allocator, context, custom)
        if describe:
            program.ops = list(describe_ops(allocator))
        if keep & KEEP_ALL:
            view = _view(arena, allocator)
            for index in allocator.tensors:
                program.tensors[index] = view(model.tensor(index))
        if guards:
            from .guards import guard, mark_inputs

            if not describe:  # without delegates: replaced steps get guards, too
                resolver.bind(program)
                resolver.clear_cache()
            guard(program, allocator.placed_buffers(), arena.sections.buffer_head)
            if not keep & KEEP_INPUTS:
                mark_inputs(program)
    except BaseException:
        program.free()
        raise
    return program


# Return the function that makes the tflm.Tensor of a graph tensor.
def _view(arena, allocator):
    # Return the tflm.Tensor of a graph tensor.
    def view(tensor):
        size = tensor.nbytes()
        if tensor.is_constant():
            raw = tensor.data
        elif size == 0:
            raw = arena.buffer[:0]
        else:
            at = allocator.tensor_offset(tensor.index)
            raw = arena.buffer[at : at + size]
        return Tensor(
            tensor.name,
            tensor.dtype,
            tensor.shape,
            tensor.scale_bits(),
            tensor.zero_point(),
            raw,
        )

    return view


# Fill a Program with steps, inputs, outputs and variables.
def _fill(program, model, arena, resolver, allocator, context, custom):
    view = _view(arena, allocator)
    context.bind_scratch_buffers()
    program.ops = []
    for record in _by_list(allocator):
        op = Op(record.node_index, record.builtin_code, record.kernel)
        words = arena.buffer[record.position :]
        function = record.function
        if record.kernel.startswith(CUSTOM_KERNEL):
            function = custom[record.node_index].bind(view)
        program.ops.append(op)
        program.add(record.step_list, op.kernel, words, record.slice_units, resolver, function)
    subgraph = model.subgraphs[0]
    program.inputs = [view(subgraph.tensor(i)) for i in subgraph.inputs]
    program.outputs = [view(subgraph.tensor(i)) for i in subgraph.outputs]
    for index in sorted(allocator.variables):
        tensor = model.tensor(index)
        value = tensor.zero_point() & 0xFF if tensor.dtype == dtypes.INT8 else 0
        program.variables.append((view(tensor).raw, value))
    for at, size, value in allocator.states:
        program.variables.append((arena.buffer[at : at + size], value))
    program.used_bytes = arena.used_bytes()
    program.allocation_counts = allocator.counts
