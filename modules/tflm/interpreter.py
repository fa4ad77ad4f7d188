# tflm: The Interpreter: runs a model in an arena.
# MIT license; Copyright (c) 2026 the tflm authors

from .arena import KEEP_ALL, KEEP_INPUTS, Arena, align_up, overlap
from .errors import ArenaError, InputError, StateError, check, check_count
from .loading import load
from .micropython_port import more_heap
from .op_resolver import OpResolver
from .program import PrepareOptions


# Raise the error that replaces a MemoryError.
def _raise_no_heap():
    raise ArenaError(
        "not enough memory to prepare the model; free some, or flatten a .tflite%s" % more_heap()
    )


class Interpreter:
    """Run a model: `Interpreter(model)`, set inputs, invoke(), read outputs.

    model: a model of `tflm.load`, a path, or a buffer.
    arena: memory for tensors: a writable buffer, a size in bytes, or an Arena that several
        Interpreters share. By default the arena is exactly as large as the model needs.
    resolver: an OpResolver with custom operators; by default only builtin ones.
    slice_units: the most units of an operator that run between two checks for Ctrl-C; by default
        the model says.
    keep_tensors: every tensor keeps its value until the next invoke, see tensors(). For a .tflm
        use `tflm flatten --keep-tensors`.
    keep_inputs: inputs keep their values after an invoke, which needs their bytes in the arena.
        By default an invoke may overwrite them. For a .tflm use `tflm flatten --keep-inputs`.
    profiler: a Profiler that measures each operator.
    external_context: any object; custom operators get it as context.external_context.
    max_while_steps: the most iterations of all WHILE operators in one invoke; more raise
        InputError. With None a loop may run forever; Ctrl-C ends it.
    delegates: a list of delegates, which may run parts of the model (docs/how-to/delegates.md).
    cores: 2 shares large operators with a second core.
    guards: as keep_tensors, and invoke() raises StateError for an operator that writes beside its
        tensors. Unless keep_inputs is set, it also raises StateError for an input of at least 4
        bytes that was not set after the last invoke. Only for a .tflite.

    A delegate or second core that fails is not used: a line is printed, and `delegate_error` is
    the exception. Raises InputError for invalid arguments.
    """

    def __init__(
        self,
        model,
        arena=None,
        *,
        resolver=None,
        slice_units=None,
        keep_tensors=False,
        keep_inputs=False,
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
        self._arena = arena
        self._slice_units = slice_units
        self._options = PrepareOptions(
            resolver,
            external_context,
            (KEEP_ALL if keep_tensors or guards else 0) | (KEEP_INPUTS if keep_inputs else 0),
            guards,
            isinstance(arena, Arena),
            bool(delegates) or cores == 2,
        )
        self._program = None
        self._ready = None  # Program.ready, if invoke() may use it without _start()
        self._delegates = tuple(delegates)
        self._cores = cores
        self.delegate_error = None

    def allocate_tensors(self):
        """Prepare the model and place its tensors; the first invoke() calls this if needed.

        Raises ArenaError if the arena is too small (`needed` and `available` are in bytes), and
        UnsupportedError for an operator, type or parameter that tflm does not have. After an
        error a shared arena is as before.
        """
        if self._program is not None:
            return
        try:
            program = self._allocate()
        except MemoryError:
            program = None
        if program is None:
            _raise_no_heap()
        self._program = program
        if not program.needs_start():
            self._ready = program.ready

    # Return the Program in its arena. After an error the arena is as before.
    def _allocate(self):
        if self._cores == 2:
            from .run.cores import Cores

            self._delegates += (Cores(),)
            self._cores = 1
        arena = self._arena
        if not isinstance(arena, Arena):
            is_planned = self.model.is_planned
            needed = None
            extra = 0
            if is_planned or arena is None:
                ops = [] if self._delegates else None
                needed = align_up(sum(self.model.measure(self._options, ops)))
                if self._delegates:
                    from .run.delegate import arena_bytes

                    extra = arena_bytes(self._delegates, ops)
                    del ops  # many objects, which the heap may need
            # A flat model's records are right only if the arena has exactly these bytes.
            most = needed if is_planned or extra else None
            arena = Arena(needed + extra if arena is None else arena, most, extra)
        if overlap(arena.buffer, self.model.buffer):
            raise InputError("the arena overlaps the model; use other memory")
        positions = arena.sections.positions()
        program = None
        try:
            program = self.model.make_program(arena, self._options)
            if self._delegates:
                from .run.delegate import apply_delegates

                shared = self._options.is_shared
                self.delegate_error = apply_delegates(program, self._delegates, arena, shared)
            else:
                self._options.resolver.bind(program)
            if self._slice_units:
                program.limit_slices(self._slice_units)
            from .short_steps import bind

            bind(program, {} if self._delegates else self._options.resolver.machine_code())
            self._options.resolver.clear_cache()
            program.reset_variables()
            return program
        except BaseException as error:
            arena.sections.restore(positions)
            if program is not None:
                program.free()
            if not isinstance(error, ArenaError):
                raise
        self._raise_too_small(arena.sections)

    # Raise ArenaError with the bytes that are enough for this model and the others in the arena.
    def _raise_too_small(self, sections):
        head, tail = self.model.measure(self._options)
        needed = align_up(max(head, sections.head_used_bytes()))
        needed += align_up(tail + sections.tail_used_bytes())
        available = sections.buffer_tail - sections.buffer_head
        raise ArenaError(
            "the arena is too small: needed %d bytes, available %d, missing %d; leave arena= out "
            "to get enough" % (needed, available, needed - available),
            needed,
            available,
        )

    # Return the Program; prepare it if needed.
    def _prepared(self):
        if self._program is None:
            self.allocate_tensors()
        return self._program

    def resize_input(self, i, shape):
        """Set the shape of input `i`; the shapes of all other tensors follow from it.

        i: number of the input. shape: a sequence of positive ints. Call this before
        allocate_tensors(), invoke() and input(), or after free(). Only for a .tflite: the shapes
        of a .tflm come from `tflm flatten --input-shape`. Raises InputError for a shape that the
        input cannot have, and ArenaError if there is not enough heap; the shapes are then as
        before. allocate_tensors() raises UnsupportedError if an operator cannot take the new
        shapes.
        """
        model = None
        try:
            from .tflite.shapes import resized

            model = resized(self.model, self._program, i, shape)
        except MemoryError:
            pass
        if model is None:
            _raise_no_heap()
        self.model = model

    # Return tensor `i` of the inputs or outputs; `what` names them in the error.
    def _tensor(self, tensors, i, what):
        if isinstance(i, int) and 0 <= i < len(tensors):
            return tensors[i]
        raise InputError("there is no %s %r; give a number below %d" % (what, i, len(tensors)))

    def input(self, i):
        """Return input `i` as a Tensor; set it before each invoke, which may overwrite it."""
        return self._tensor(self._prepared().inputs, i, "input")

    def output(self, i):
        """Return output `i` as a Tensor; it is valid until the next invoke."""
        return self._tensor(self._prepared().outputs, i, "output")

    def inputs_size(self):
        """Return the number of inputs."""
        return len(self._prepared().inputs)

    def outputs_size(self):
        """Return the number of outputs."""
        return len(self._prepared().outputs)

    def invoke(self, source=None):
        """Run the model once. Allocates no heap; Ctrl-C works between slices.

        source: where the input comes from, instead of input(0): a buffer with all bytes, an open
        file, a function that fills the data of one row, or an iterable of rows (bytes or real
        numbers). Models of `tflm flatten --input-by-rows` require it and read row by row; other
        models read all rows first. Raises InputError if the source ends too early.

        Returns None, or 15 if an operator ended the run early, as CIRCULAR_BUFFER does until it
        is full. The outputs are then invalid; continue with the next input. Raises StateError if
        the model already runs in another task, thread or callback of a timer.
        """
        ready = self._ready
        profiler = self.profiler
        if ready is None or source is not None or profiler is not None:
            ready = self._start(source).ready
        program, graphs, memory, run_short = ready
        is_running = program.is_running
        # MicroPython runs callbacks and switches threads only at jumps of the bytecode, and there
        # is none from here to the assignment. KeyboardInterrupt can end a `finally` (the unix port
        # raises it anywhere); then the outer one does the same.
        try:
            try:
                program.is_running = True
                if is_running:
                    self._idle()
                if profiler is not None:
                    return profiler.invoke(program)
                steps = graphs[0]
                left = run_short(steps, 0, memory)
                if left:
                    return program.run_rest(steps, left)
            finally:
                if not is_running:
                    program.is_running = False
        finally:
            if not is_running:
                program.is_running = False

    async def invoke_async(self, pause_ms=5, source=None):
        """Run the model once while other tasks of asyncio run: `await interp.invoke_async()`.

        Other tasks run between slices when `pause_ms` milliseconds have passed since they last
        did. source, and what is returned: see invoke(). Cancelling the task or free() ends the
        run; the next run starts at the first operator. During the run every other call that runs
        or resets the model raises StateError. After Ctrl-C in another task, call free().
        """
        from .run.asynchronous import run

        return await run(self._start(source), pause_ms)

    # Return the Program with the options of this invoke. invoke() skips this call for models
    # without control flow and profiler: the call takes longer than a small layer.
    def _start(self, source):
        program = self._idle()
        program.max_while_steps = program.while_steps_left = self.max_while_steps
        program.profiler = self.profiler
        begin = program.begin_source
        if begin is None and source is not None:
            from .run.rows import begin
        if begin is not None:
            begin(program, source)
        return program

    # Return the Program; raise StateError if it runs.
    def _idle(self):
        program = self._prepared()
        if program.is_running:
            raise StateError("the model runs in another task, thread or timer; wait or free() it")
        return program

    def signatures(self):
        """Return the names of the model's signatures, sorted."""
        from .introspection.signature import table_of

        return sorted(table_of(self.model))

    def signature(self, key=None):
        """Return the Signature `key`, a function of inputs by name; None: the only one.

        `interp.signature("serving_default")(x=[0.5, 1])` returns a dict of outputs by name.
        Raises InputError if the model has no signature of that name.
        """
        from .introspection.signature import find

        return find(self, key)

    def reset(self):
        """Set variable tensors to the values that they had before the first invoke."""
        self._idle().reset()

    def free(self):
        """Call `free` of custom operators and release the tensors and the arena.

        Tensors of this Interpreter are invalid afterwards. The next call prepares the model
        again. Bytes in the tail of a shared Arena remain in use. A run of invoke_async() raises
        StateError when its task continues.
        """
        program, self._program = self._program, None
        self._ready = None
        if program is not None:
            program.free()

    def arena_used_bytes(self):
        """Return the bytes of the arena in use: head (activations) and tail (records, state)."""
        return self._prepared().used_bytes

    def allocations(self):
        """Return what uses the arena: a list of (section, what, count or None, bytes).

        The bytes add up to arena_used_bytes().
        """
        from .introspection.allocations import allocations_of

        shared = self._options.is_shared
        program = self._prepared()
        tail = None
        if shared and program.allocation_counts is None:
            tail = self.model.measure(self._options)[1]
        return allocations_of(program, self.model, shared, tail, self._delegates)

    def print_allocations(self):
        """Print allocations() in the sections of TFLM's RecordingMicroAllocator."""
        from .introspection.allocations import lines_of

        print("\n".join(lines_of(self.allocations())))

    def summary(self):
        """Print tensors, operators and the use of the arena, in 80 columns."""
        from .introspection.summary import lines_of

        print("\n".join(lines_of(self._prepared(), self.allocations())))

    def profile(self, invokes=1):
        """Invoke and print the microseconds of each operator, in 80 columns.

        invokes: the number of runs, whose mean is printed. Each run has the same inputs, of which
        a copy needs heap if there are several runs. The Interpreter's own profiler is not changed.
        """
        from .introspection.profiler import profile

        check_count("invokes", invokes)
        kept = self.profiler
        try:
            profile(self, invokes, self._prepared().inputs if invokes > 1 else ())
        finally:
            self.profiler = kept

    def tensors(self):
        """Return {number: Tensor} of all computed tensors; requires keep_tensors.

        Raises StateError if no tensors are kept.
        """
        program = self._prepared()
        if not program.tensors:
            raise StateError(
                "no tensors are kept; use keep_tensors=True (.tflite), or tflm flatten "
                "--keep-tensors"
            )
        return program.tensors

    def __repr__(self):
        if self._program is None:
            return "<Interpreter, tensors not allocated>"
        from .introspection.summary import described

        return described(self._program)
