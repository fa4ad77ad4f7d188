# tflm: Interpreter: a model in an arena, invoked slice by slice
# MIT license; Copyright (c) 2026 the tflm authors

from .arena import Arena, align_up
from .errors import ArenaError, InputError, ModelError
from .model import FlatModel, is_flat
from .op_resolver import OpResolver


def load(source):
    """Load a model from a path or from any buffer of bytes; .tflm and .tflite alike.

    A buffer is used in place and must not change. A file is read into RAM, unless it lies in
    a file system whose files can be read in place (ROMFS). Raises ModelError for what is no
    model, InputError for what is no buffer, OSError for what cannot be read.
    """
    if isinstance(source, str):
        source = _read(source)
    try:
        source = memoryview(source)
        if len(bytes(source[:1])) > 1:
            raise TypeError
    except TypeError:
        source = None
    if source is None:
        raise InputError("a model is a path or a buffer of bytes; pass one of them")
    if is_flat(source):
        return FlatModel(source)
    from .tflite import TfliteModel, is_tflite

    if is_tflite(source):
        return TfliteModel(source)
    raise ModelError(
        "this is neither a .tflm nor a .tflite (%d bytes, starting %s); check the file"
        % (len(source), bytes(source[:8]))
    )


# The bytes of a file: in place where its file system can do that, else a copy in RAM.
def _read(path):
    with open(path, "rb") as file:
        try:
            return memoryview(file)  # ROMFS
        except TypeError:
            pass
        file.read(1)  # a folder can be opened, but not read
        size = file.seek(0, 2)
        file.seek(0)
        try:
            data = bytearray(size)  # in one piece: read() would grow its buffer
        except MemoryError:
            data = None
        if data is None:
            raise ModelError(
                "the heap has no room for the %d bytes of %s; flatten the model, free memory, "
                "or put it where it can be read in place (ROMFS, frozen)" % (size, path)
            )
        return memoryview(data)[: file.readinto(data)]


class Interpreter:
    """Runs a model from `tflm.load`.

    arena: a writable buffer of yours, a size in bytes, an Arena that interpreters share, or
    None for exactly what the model needs. resolver: an OpResolver, None for the builtin ops.
    slice_units: at most so many units of an op between two checks for Ctrl-C; None lets the
    model say. keep_tensors (.tflite only): every tensor keeps its value until the next invoke.
    max_while_steps: a WHILE of more steps raises InputError; with None Ctrl-C can stop it.
    """

    def __init__(
        self,
        model,
        arena=None,
        resolver=None,
        slice_units=None,
        keep_tensors=False,
        profiler=None,
        external_context=None,
        max_while_steps=None,
    ):
        if not hasattr(model, "buffer"):
            model = load(model)
        if slice_units is not None and slice_units < 1:
            raise InputError("slice_units is %s; it must be 1 or more" % slice_units)
        self.model = model
        self.profiler = profiler
        self.max_while_steps = max_while_steps
        self._given = arena
        self._resolver = resolver or OpResolver()
        self._slice_units = slice_units
        self._keep_tensors = keep_tensors
        self._external_context = external_context
        self._program = None

    def allocate_tensors(self):
        """Prepare the model and lay out its tensors; done by the first invoke() if not before.

        Raises ArenaError with the needed and available bytes when the arena is too small,
        UnsupportedError for what tflm does not have. An arena that is shared is then as before.
        """
        if self._program is not None:
            return
        try:
            program = self._allocate()
        except MemoryError:
            program = None
        if program is None:
            raise ArenaError(
                "the heap has no room to prepare the model; free memory, or flatten the model "
                "on the host: a .tflm needs next to nothing"
            )
        if self._slice_units:
            program.limit_slices(self._slice_units)
        program.reset_variables()
        self._program = program

    # Make the program; what it took of the arena is given back when that fails.
    def _allocate(self):
        arena = self._given
        if not isinstance(arena, Arena):
            flat = isinstance(self.model, FlatModel)
            # With exactly these bytes a flat model's state lies where its records say.
            needed = align_up(sum(self._measure())) if flat or arena is None else None
            arena = Arena(needed if arena is None else arena, needed if flat else None)
        positions = arena.sections.positions()
        try:
            return self._make_program(arena)
        except ArenaError:
            arena.sections.restore(positions)
        except BaseException:
            arena.sections.restore(positions)
            raise
        self._refuse(arena.sections)

    def _make_program(self, arena):
        if isinstance(self.model, FlatModel):
            from .flat_program import make_program

            shared = arena is self._given
            return make_program(self.model, arena, self._resolver, shared, self._external_context)
        from .tflite_program import make_program

        return make_program(
            self.model, arena, self._resolver, self._external_context, self._keep_tensors
        )

    # Bytes of (head, tail) that the model needs.
    def _measure(self):
        if isinstance(self.model, FlatModel):
            if not isinstance(self._given, Arena):
                return self.model.head_bytes, self.model.arena_bytes - self.model.head_bytes
            from .flat_program import measure

            return measure(self.model)
        from .tflite_program import measure

        return measure(self.model, self._resolver, self._external_context, self._keep_tensors)

    # Say what would have been enough, together with what others have in the same arena.
    def _refuse(self, sections):
        head, tail = self._measure()
        needed = align_up(max(head, sections.head_used_bytes()))
        needed += align_up(tail + sections.tail_used_bytes())
        available = sections.buffer_tail - sections.buffer_head
        raise ArenaError(
            "the arena is too small: needed %d bytes, available %d, missing %d; pass arena=None "
            "for exactly what the model needs" % (needed, available, needed - available),
            needed,
            available,
        )

    # The prepared model.
    def _ready(self):
        if self._program is None:
            self.allocate_tensors()
        return self._program

    def _pick(self, tensors, i, what):
        if not 0 <= i < len(tensors):
            raise InputError("there is no %s %d; the model has %d" % (what, i, len(tensors)))
        return tensors[i]

    def input(self, i):
        """Input `i` as a Tensor; set it again before each invoke."""
        return self._pick(self._ready().inputs, i, "input")

    def output(self, i):
        """Output `i` as a Tensor; valid until the next invoke."""
        return self._pick(self._ready().outputs, i, "output")

    def inputs_size(self):
        """How many inputs the model has."""
        return len(self._ready().inputs)

    def outputs_size(self):
        """How many outputs the model has."""
        return len(self._ready().outputs)

    def invoke(self):
        """Run the model once. Allocates nothing; Ctrl-C between slices leaves all usable.

        Returns None, or 15 when an operator ended the run early: CIRCULAR_BUFFER does while it
        is filling up. The outputs are not valid then; go on with the next input.
        """
        if self._program is None:
            self.allocate_tensors()
        program = self._program
        program.max_while_steps = self.max_while_steps
        program.profiler = self.profiler
        if self.profiler is not None:
            return self.profiler.invoke(program)
        return program.run_steps(program.graphs[0])

    def signatures(self):
        """Names of the model's signatures, sorted."""
        from .signature import table_of

        return sorted(table_of(self.model))

    def signature(self, key=None):
        """A Signature, to be called with inputs by name; None stands for the only one there is.

        `interp.signature("serving_default")(x=[0.5, 1])` is a dict of outputs by name.
        Raises InputError when there is none of that name.
        """
        from .signature import find

        return find(self, key)

    def reset(self):
        """Give variable tensors the values they had before the first invoke."""
        self._ready().reset()

    def free(self):
        """Call `free` of custom operators and let tensors and arena go.

        Tensors that were handed out are dead then; the next call prepares the model anew. What
        it had in the tail of a shared Arena stays taken.
        """
        if self._program is not None:
            program, self._program = self._program, None
            for node in program.custom:
                node.free()

    def arena_used_bytes(self):
        """Bytes of the arena in use: head (activations) and tail (records and state)."""
        return self._ready().used_bytes

    def tensors(self):
        """With keep_tensors: every tensor that is computed, as a dict of number to Tensor."""
        return self._ready().tensors

    def __repr__(self):
        from .op_names import name

        program = self._program
        if program is None:
            return "<Interpreter, tensors not allocated yet>"
        lines = ["<Interpreter %d ops, arena %d bytes" % (len(program.ops), program.used_bytes)]
        for what, tensors in (("input", program.inputs), ("output", program.outputs)):
            for i in range(len(tensors)):
                lines.append("  %s %d: %r" % (what, i, tensors[i]))
        for op in program.ops:
            lines.append("  op %d: %s (%s)" % (op.node_index, name(op.builtin_code), op.kernel))
        return "\n".join([line[:79] for line in lines]) + ">"
