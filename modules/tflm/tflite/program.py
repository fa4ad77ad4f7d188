# tflm: Make the Program of a .tflite in an arena, on the board.
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from ..arena import KEEP_ALL, KEEP_INPUTS, Arena, SingleArenaBufferAllocator, align_up
from ..format import CONTROL_KERNEL, CUSTOM_KERNEL
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


# A model after Init, Prepare and planning in an arena. `custom`: {node number: CustomNode}.
class Prepared:
    def __init__(self, model, arena, options):
        self.options = options
        self.allocator = MicroAllocator(arena, options.resolver)
        self.allocator.start_model_allocation(model)
        self.context = MicroContext(self.allocator, options.external_context)
        self.custom = prepare_model(
            model, self.context, options.resolver, options.keep, options.guards
        )

    # Move the model to an arena, if it was measured with these options and fits there exactly.
    # Return False if it has to be prepared again.
    def move_to(self, arena, options):
        allocator = self.allocator
        size = align_up(sum(sizes_of(allocator)))
        sections = arena.sections
        if (
            not allocator.is_movable
            or self.custom
            or self.options is not options
            or sections.used_bytes()
            or sections.buffer_tail != size
        ):
            return False
        allocator.move_to(arena)
        return True


# Return the bytes of (head, tail) that a prepared model uses.
def sizes_of(allocator):
    return allocator.sections.head_used_bytes(), allocator.sections.tail_used_bytes()


# Prepare a model without memory; return it Prepared. `ops`: a list that gets the Ops, as
# delegates see them. `allocations`: a list that gets the allocations.
def measured(model, options, ops=None, allocations=None):
    prepared = Prepared(model, Measure(), options)
    for node in prepared.custom.values():
        node.free()
    if ops is not None:
        ops.extend(describe_ops(prepared.allocator))
    if allocations is not None:
        from ..introspection.allocations import allocations_of_counts

        allocations.extend(allocations_of_counts(prepared.allocator.counts))
    return prepared


# Return the bytes of (head, tail) that a model needs; see measured().
def measure(*arguments, **options):
    return sizes_of(measured(*arguments, **options).allocator)


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
# `before`: of measured(), or None; it saves a second Prepare if the arena has the bytes that it
# needs.
def make_program(model, arena, options, before=None):
    if before is None or not before.move_to(arena, options):
        before = Prepared(model, arena, options)
    allocator, context, custom = before.allocator, before.context, before.custom
    program = Program(arena.buffer, model.buffer, allocator.step_lists)
    program.custom = [custom[index] for index in sorted(custom)]
    try:
        _fill(program, model, arena, options.resolver, allocator, context, custom)
        if options.has_delegates:  # their Ops describe scratch buffers
            program.ops = list(describe_ops(allocator))
        if options.keep & KEEP_ALL:
            view = _view(arena, allocator)
            for index in allocator.tensors:
                program.tensors[index] = view(model.tensor(index))
        if options.guards:
            from .guards import guard, mark_inputs

            if not options.has_delegates:  # replaced steps get guards, too
                options.resolver.bind(program)
                options.resolver.clear_cache()
            guard(program, allocator.placed_buffers(), arena.sections.buffer_head)
            if not options.keep & KEEP_INPUTS:
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
            tensor.common_scale_bits(),
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
        program.ops.append(op)
        kernel = record.kernel
        words = arena.buffer[record.position :]
        units = int.from_bytes(words[:4], "little")
        if kernel.startswith(CONTROL_KERNEL):
            from ..run import add_control_step

            add_control_step(program, record.step_list, kernel, words, units, record.slice_units)
            continue
        function = record.function or (
            custom[record.node_index].bind(view)
            if kernel.startswith(CUSTOM_KERNEL)
            else resolver.kernel(kernel)
        )
        program.add(record.step_list, function, words, units, record.slice_units)
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
