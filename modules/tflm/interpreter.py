# tflm: Interpreter: a model in an arena, invoked slice by slice
# MIT license; Copyright (c) 2026 the tflm authors

from .arena import Arena, align_up, overlap
from .errors import ArenaError, InputError, StateError, check, check_count
from .loading import load
from .micropython_port import more_heap
from .op_resolver import OpResolver


class Interpreter:
    """Runs a model from `tflm.load`.

    arena: a writable buffer of yours, a size in bytes, an Arena that interpreters share, or
    None for exactly what the model needs. resolver: an OpResolver, None for the builtin ops.
    slice_units: at most so many units of an op between two checks for Ctrl-C; None lets the
    model say. keep_tensors (.tflite only): every tensor keeps its value until the next invoke.
    guards (.tflite only): that, and an op that writes beside its tensors raises StateError.
    max_while_steps: when the WHILEs of an invoke take more steps together, they raise
    InputError; with None Ctrl-C can stop them.
    delegates: objects that may run parts of the model (docs/how-to/delegates.md). cores: 2
    shares the units of large ops with a second core, where there is one. What fails is left
    out, with a printed line, and is `delegate_error` then.
    """

    def __init__(
        self,
        model,
        arena=None,
        *,
        resolver=None,
        slice_units=None,
        keep_tensors=False,
        profiler=None,
        external_context=None,
        max_while_steps=100_000,
        delegates=(),
        cores=1,
        guards=False,
    ):
        if not hasattr(model, "metadata"):
            model = load(model)
        if resolver is None:
            resolver = OpResolver()
        if slice_units is not None:
            check_count("slice_units", slice_units)
        if max_while_steps is not None:
            check_count("max_while_steps", max_while_steps, 0)
        check("cores", cores, cores in (1, 2), "1 or 2")
        check("resolver", resolver, hasattr(resolver, "kernel"), "an OpResolver")
        is_profiler = profiler is None or hasattr(profiler, "begin")
        check("profiler", profiler, is_profiler, "a Profiler")
        check("delegates", delegates, isinstance(delegates, (tuple, list)), "a list of them")
        self.model = model
        self.profiler = profiler
        self.max_while_steps = max_while_steps
        self._given = arena
        self._resolver = resolver
        self._slice_units = slice_units
        self._keep_tensors = keep_tensors or guards
        self._guards = guards
        self._external_context = external_context
        self._program = None
        self._delegates = tuple(delegates)
        if cores == 2:
            from .run.cores import Cores

            self._delegates += (Cores(),)
        self.delegate_error = None
        self._is_running = False

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
                "on the host: a .tflm needs next to nothing%s" % more_heap()
            )
        if self._slice_units:
            program.limit_slices(self._slice_units)
        program.reset_variables()
        self._program = program

    # Make the program; what it took of the arena is given back when that fails.
    def _allocate(self):
        arena = self._given
        if not isinstance(arena, Arena):
            is_planned = self.model.is_planned
            needed = None
            extra = 0
            if is_planned or arena is None:
                ops = [] if self._delegates else None
                needed = align_up(sum(self._measure(ops)))
                if self._delegates:
                    from .run.delegate import arena_bytes

                    extra = arena_bytes(self._delegates, ops)
            # With exactly these bytes a flat model's state lies where its records say.
            most = needed if is_planned or extra else None
            arena = Arena(needed + extra if arena is None else arena, most, extra)
        if overlap(arena.buffer, self.model.buffer):
            raise InputError("the arena lies over the model; give it memory of its own")
        positions = arena.sections.positions()
        try:
            program = self.model.make_program(
                arena,
                self._resolver,
                self._external_context,
                arena is self._given,
                bool(self._delegates),
                self._keep_tensors,
                self._guards,
            )
            if self._delegates:
                from .run.delegate import apply_delegates

                shared = arena is self._given
                self.delegate_error = apply_delegates(program, self._delegates, arena, shared)
            else:
                self._resolver.bind(program)
            self._resolver.forget()
            return program
        except ArenaError:
            arena.sections.restore(positions)
        except BaseException:
            arena.sections.restore(positions)
            raise
        self._refuse(arena.sections)

    # Bytes of (head, tail) that the model needs. `ops` gets what delegates are shown of it.
    def _measure(self, ops=None):
        return self.model.measure(
            self._resolver,
            self._external_context,
            isinstance(self._given, Arena),
            self._keep_tensors,
            self._guards,
            ops,
        )

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

    def resize_input(self, i, shape):
        """Give input `i` another shape; those of all other tensors follow from it.

        Before tensors are allocated, that is before allocate_tensors(), invoke() and input(); or
        after free(). Only for a .tflite: a .tflm has its shapes from `tflm flatten --input-shape`.
        Raises InputError for a shape that the input cannot have; what cannot follow is refused
        with UnsupportedError by allocate_tensors().
        """
        from .tflite.shapes import resized

        self.model = resized(self.model, self._program, i, shape)

    def _pick(self, tensors, i, what):
        if isinstance(i, int) and 0 <= i < len(tensors):
            return tensors[i]
        how = "" if isinstance(i, int) else ", each with a number"
        raise InputError("there is no %s %r; the model has %d%s" % (what, i, len(tensors), how))

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

    def invoke(self, source=None):
        """Run the model once. Allocates nothing; Ctrl-C between slices leaves all usable.

        source gives the input, as it is needed after `tflm flatten --input-by-rows`, else at
        once: all its bytes in a buffer, an open file, a function that fills the data of a row, or
        an iterable of rows as bytes or real numbers. Raises InputError when it ends early.

        Returns None, or 15 when an operator ended the run early: CIRCULAR_BUFFER does while it
        is filling up. The outputs are not valid then; go on with the next input.
        """
        program = self._program
        is_plain = source is None and program is not None and not self._is_running
        if not is_plain or program.calls or program.profiler is not None:
            program = self._start(source)
        if self.profiler is not None:
            program.profiler = self.profiler
            return self.profiler.invoke(program)
        return program.run_steps(program.graphs[0])

    async def invoke_async(self, pause_ms=5, source=None):
        """invoke() for asyncio: `await interp.invoke_async()`, and other tasks go on meanwhile.

        They get their turn between slices, `pause_ms` or the rest of a slice after their last
        one. Returns what invoke() does. Cancelling the task ends the run, and the next one begins
        anew; while it lasts, any other call that runs, resets or frees raises StateError.
        """
        from .run.asynchronous import run

        program = self._start(source)
        self._is_running = True
        try:
            return await run(program, pause_ms)
        finally:
            self._is_running = False

    # The prepared model, with the options of this invoke. Without control flow and a profiler it
    # has no need of them, and invoke() leaves the call out: it takes longer than a small layer.
    def _start(self, source):
        if self._program is None:
            self.allocate_tensors()
        if self._is_running:
            self._refuse_now()
        program = self._program
        program.max_while_steps = program.while_steps_left = self.max_while_steps
        program.profiler = self.profiler
        begin = program.by_rows
        if begin is None and source is not None:
            from .run.rows import begin
        if begin is not None:
            begin(program, source)
        return program

    def _refuse_now(self):
        raise StateError("the model runs in invoke_async(); await that first, or cancel it")

    def signatures(self):
        """Names of the model's signatures, sorted."""
        from .introspection.signature import table_of

        return sorted(table_of(self.model))

    def signature(self, key=None):
        """A Signature, to be called with inputs by name; None stands for the only one there is.

        `interp.signature("serving_default")(x=[0.5, 1])` is a dict of outputs by name.
        Raises InputError when there is none of that name.
        """
        from .introspection.signature import find

        return find(self, key)

    def reset(self):
        """Give variable tensors the values they had before the first invoke."""
        if self._is_running:
            self._refuse_now()
        self._ready().reset()

    def free(self):
        """Call `free` of custom operators and let tensors and arena go.

        Tensors that were handed out are dead then; the next call prepares the model anew. What
        it had in the tail of a shared Arena stays taken.
        """
        if self._is_running:
            self._refuse_now()
        if self._program is not None:
            program, self._program = self._program, None
            for node in program.custom:
                node.free()

    def arena_used_bytes(self):
        """Bytes of the arena in use: head (activations) and tail (records and state)."""
        return self._ready().used_bytes

    def allocations(self):
        """What takes the arena: a list of (section, what, how many or None, bytes).

        The bytes add up to arena_used_bytes().
        """
        from .introspection.allocations import parts_of

        shared = isinstance(self._given, Arena)
        program = self._ready()
        tail = self._measure()[1] if shared and program.uses is None else None
        return parts_of(program, self.model, shared, tail, self._delegates)

    def print_allocations(self):
        """Print allocations() in the sections of TFLM's RecordingMicroAllocator."""
        from .introspection.allocations import lines_of

        print("\n".join(lines_of(self.allocations())))

    def summary(self):
        """Print tensors, operators and what takes the arena, in 80 columns."""
        from .introspection.summary import lines_of

        print("\n".join(lines_of(self._ready(), self.allocations())))

    def profile(self, invokes=1):
        """Invoke and print microseconds of each operator, in 80 columns.

        A profiler of your own keeps its ticks. With `invokes` the mean of so many, where inputs
        are what the arena has left of them.
        """
        from .introspection.profiler import Profiler

        check_count("invokes", invokes)
        kept, self.profiler = self.profiler, Profiler()
        try:
            for _ in range(invokes):
                self.invoke()
            print(self.profiler)
        finally:
            self.profiler = kept

    def tensors(self):
        """With keep_tensors: every tensor that is computed, as a dict of number to Tensor."""
        program = self._ready()
        if not program.tensors:
            raise StateError(
                "no tensors are kept; use a .tflite with keep_tensors=True, or "
                "tflm flatten --keep-tensors"
            )
        return program.tensors

    def __repr__(self):
        if self._program is None:
            return "<Interpreter, tensors not allocated yet>"
        from .introspection.summary import described

        return described(self._program)
