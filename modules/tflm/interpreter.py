# tflm: Interpreter: a model in an arena, invoked slice by slice
# MIT license; Copyright (c) 2026 the tflm authors

from .arena import Arena
from .errors import ArenaError, InputError
from .model import FlatModel, is_flat
from .op_resolver import OpResolver


def load(source):
    """Load a model from a path or from any buffer; .tflm and .tflite alike.

    A buffer is used in place and must not change. A file is read into RAM, unless it lies in
    a file system whose files can be read in place (ROMFS). Raises ModelError for what is no
    model, OSError for what cannot be read.
    """
    if isinstance(source, str):
        with open(source, "rb") as file:
            try:
                source = memoryview(file)  # ROMFS: no copy
            except TypeError:
                source = file.read()
    if is_flat(source):
        return FlatModel(source)
    from .errors import ModelError
    from .tflite import TfliteModel, is_tflite

    if is_tflite(source):
        return TfliteModel(source)
    raise ModelError(
        "this is neither a .tflm nor a .tflite (%d bytes, starting %s); check the file"
        % (len(source), bytes(source[:8]))
    )


class Interpreter:
    """Runs a model from `tflm.load`.

    arena: a writable buffer of yours, a size in bytes, an Arena that interpreters share, or
    None for exactly what the model needs. resolver: an OpResolver, None for the builtin ops.
    slice_units: at most so many units of an op between two checks for Ctrl-C; None lets the
    model say. keep_tensors (.tflite only): every tensor keeps its value until the next invoke.
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
    ):
        if isinstance(model, (str, bytes, bytearray, memoryview)):
            model = load(model)
        if slice_units is not None and slice_units < 1:
            raise InputError("slice_units is %s; it must be 1 or more" % slice_units)
        self.model = model
        self.profiler = profiler
        self._arena = arena
        self._resolver = resolver or OpResolver()
        self._slice_units = slice_units
        self._keep_tensors = keep_tensors
        self._external_context = external_context
        self._program = None

    # Make an Arena of what the user gave.
    def _make_arena(self, given):
        return given if isinstance(given, Arena) else Arena(given)

    def allocate_tensors(self):
        """Prepare the model and lay out its tensors; done by the first invoke() if not before.

        Raises ArenaError with the needed and available bytes when the arena is too small,
        UnsupportedError for what tflm does not have.
        """
        if self._program is not None:
            return
        flat = isinstance(self.model, FlatModel)
        given = self._arena
        if given is None:
            given = self._needed_bytes(flat)
        arena = self._make_arena(given)
        try:
            if flat:
                program = self.model.make_program(arena, self._resolver)
            else:
                from .tflite_program import make_program

                program = make_program(
                    self.model, arena, self._resolver, self._external_context, self._keep_tensors
                )
        except ArenaError as error:
            if isinstance(given, Arena):
                raise
            needed = self._needed_bytes(flat)
            if isinstance(given, int):
                available = given
            else:
                available = len(given) & (0 - 4)
            raise ArenaError(
                "the arena is too small: needed %d bytes, available %d, missing %d; pass arena=None "
                "for exactly what the model needs" % (needed, available, needed - available),
                needed,
                available,
            ) from error
        if self._slice_units:
            program.limit_slices(self._slice_units)
        program.reset_variables()
        self._arena = arena
        self._program = program

    def _needed_bytes(self, flat):
        if flat:
            return (self.model.arena_bytes + 15) & (0 - 16)
        from .tflite_program import measure

        return measure(self.model, Arena, self._resolver, self._keep_tensors)

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
        """Run the model once. Allocates nothing; Ctrl-C between slices leaves all usable."""
        if self._program is None:
            self.allocate_tensors()
        program = self._program
        if self.profiler is not None:
            return self.profiler.run(program)
        arena = program.arena
        rom = program.rom
        for function, record, units, slice_units in program.steps:
            start = 0
            while start < units:
                stop = start + slice_units
                if stop > units:
                    stop = units
                function(record, arena, rom, start, stop)
                start = stop

    def reset(self):
        """Give variable tensors the values they had before the first invoke."""
        self._ready().reset_variables()

    def arena_used_bytes(self):
        """Bytes of the arena in use: head (activations) and tail (records and state)."""
        return self._ready().used_bytes

    def tensors(self):
        """With keep_tensors: every tensor that is computed, as a dict of number to Tensor."""
        return self._ready().tensors

    def __repr__(self):
        from .op_names import name

        program = self._ready()
        lines = ["<Interpreter %d ops, arena %d bytes" % (len(program.steps), program.used_bytes)]
        for what, tensors in (("input", program.inputs), ("output", program.outputs)):
            for i in range(len(tensors)):
                lines.append("  %s %d: %r" % (what, i, tensors[i]))
        for op in program.ops:
            lines.append("  op %d: %s (%s)" % (op.node_index, name(op.builtin_code), op.kernel))
        return "\n".join([line[:79] for line in lines]) + ">"
