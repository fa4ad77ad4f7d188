# Test support: runs jobs of a batch under MicroPython; started by runner.py with the plan's path
# MIT license; Copyright (c) 2026 the tflm authors

import binascii
import gc
import io
import json
import os
import sys

import micropython

_GUARD = 64  # bytes before and after an arena
_GUARD_BYTE = b"\xc5"
_CORES_ARENA = 1 << 16  # more arena, for the second core
_ARENA_STEP = 16  # arena_used_bytes() is a multiple of it
_MARK = "\x1etflm "  # starts the lines for the host
# Fills of the arena, a different byte for each run: outputs must not depend on them.
_FILLS = (0x00, 0xA5, 0x5A, 0xFF)


# On a board, each job starts with a collected heap. In the unix port, collections took a third of
# a batch's time, and MicroPython also collects when its heap is full.
_IS_SMALL = gc.mem_free() < 1 << 20


# A check of this script failed: the device package has a defect.
class CheckFailed(Exception):
    pass


# Send one object to the host.
def send(message):
    sys.stdout.write(_MARK + json.dumps(message) + "\n")


# An arena between guard zones.
class GuardedArena:
    def __init__(self, size, fill):
        self._block = bytearray(size + 2 * _GUARD)
        self._end = _GUARD + size
        view = memoryview(self._block)
        self._guard = _GUARD_BYTE * _GUARD
        view[:_GUARD] = self._guard
        view[self._end :] = self._guard
        self.arena = view[_GUARD : self._end]
        self.arena[:] = bytes([fill]) * size

    # Raise when something wrote outside the arena.
    def verify(self, when):
        for start in (0, self._end):
            if self._block[start : start + _GUARD] == self._guard:
                continue
            for i in range(start, start + _GUARD):
                if self._block[i] != _GUARD_BYTE[0]:
                    raise CheckFailed(
                        f"{when} wrote outside the arena of {self._end - _GUARD} bytes, "
                        f"at byte {i - _GUARD}"
                    )


# All of a file, in a buffer that starts on a block of the heap.
def read(path):
    buffer = bytearray(os.stat(path)[6])
    with open(path, "rb") as file:
        file.readinto(buffer)
    return buffer


# A job: a .tflm or .tflite with all of its runs.
class Job:
    def __init__(self, plan):
        self.plan = plan
        self.buffer = read(plan["model"])
        self.crc = binascii.crc32(self.buffer)
        inputs = memoryview(read(plan["inputs"]))
        self.problems = []  # faults of a job that has outputs
        self.runs = []  # for each run a memoryview for each input
        position = 0
        for sizes in plan["runs"]:
            views = []
            for size in sizes:
                views.append(inputs[position : position + size])
                position += size
            self.runs.append(views)

    # Run the job; return the result for the host, without the outputs.
    def execute(self):
        import tflm

        model = tflm.load(self.buffer)
        size = self.minimum(tflm, model)
        outputs, statuses, result = self.sequence(tflm, model, size, None, _FILLS[0])
        for number, units in enumerate(self.plan["slices"]):
            fill = _FILLS[(number + 1) % len(_FILLS)]
            sliced, _, _ = self.sequence(tflm, model, size, units, fill)
            what = f"with slices of {units} units"
            self.compare(outputs, sliced, statuses, what)
        if self.plan["cores"]:
            fill = _FILLS[-1]
            shared, _, _ = self.sequence(tflm, model, size + _CORES_ARENA, None, fill, cores=2)
            self.compare(outputs, shared, statuses, "on two cores")
        if binascii.crc32(self.buffer) != self.crc:
            raise CheckFailed("the model was written to")
        result["problems"] = self.problems
        result["arena"] = size
        result["statuses"] = statuses
        result["sizes"] = [[len(output) for output in run] for run in outputs]
        self.save(outputs, result)
        return result

    # Write outputs to a separate file; tests/boards sends them with the result.
    def save(self, outputs, result):
        with open(self.plan["outputs"], "wb") as file:
            for run in outputs:
                for output in run:
                    file.write(output)

    # Return the arena size that the interpreter reports; a smaller arena must be refused.
    def minimum(self, tflm, model):
        interpreter = tflm.Interpreter(model)
        interpreter.allocate_tensors()
        size = interpreter.arena_used_bytes()
        interpreter = None
        if size:
            less = max(size - _ARENA_STEP, 0)
            small = GuardedArena(less, 0)
            try:
                tflm.Interpreter(model, arena=small.arena).allocate_tensors()
            except tflm.errors.ArenaError:
                pass
            else:
                raise CheckFailed(f"an arena of {less} bytes was not refused, {size} are used")
            small.verify("allocate_tensors() of an arena that is too small")
        return size

    # All runs on a new interpreter, each of them repeated; returns outputs, statuses, shapes.
    def sequence(self, tflm, model, size, units, fill, **options):
        if _IS_SMALL:
            gc.collect()
        guarded = GuardedArena(size, fill)
        if units is not None:
            options["slice_units"] = units
        interpreter = tflm.Interpreter(model, arena=guarded.arena, **options)
        interpreter.allocate_tensors()
        if options.get("cores") and interpreter.delegate_error:
            raise CheckFailed(f"no second core: {interpreter.delegate_error}")
        guarded.verify("allocate_tensors()")
        repeat = self.plan["repeat"]
        outputs, statuses, repeated = [], [], []
        for number, inputs in enumerate(self.runs):
            if number and self.plan["reset"]:
                interpreter.reset()
            run, status = self.invoke(interpreter, inputs, guarded)
            outputs.append(run)
            statuses.append(status)
            if repeat == "invoke":
                repeated.append(self.invoke(interpreter, inputs, guarded)[0])
        if repeat == "reset":
            for number, inputs in enumerate(self.runs):
                if not number or self.plan["reset"]:
                    interpreter.reset()
                repeated.append(self.invoke(interpreter, inputs, guarded)[0])
        if repeated:
            what = "when invoked again" if repeat == "invoke" else "after reset()"
            self.compare(outputs, repeated, statuses, what)
        tensors = [interpreter.output(i) for i in range(interpreter.outputs_size())]
        if options.get("cores"):
            interpreter.free()
        result = {
            "shapes": [list(t.shape) for t in tensors],
            "dtypes": [str(t.dtype) for t in tensors],
        }
        return outputs, statuses, result

    # One invoke without heap.
    def invoke(self, interpreter, inputs, guarded):
        count = interpreter.inputs_size()
        if count != len(inputs):
            raise CheckFailed(f"the model has {count} inputs, the test gives {len(inputs)}")
        for i in range(count):
            raw = interpreter.input(i).raw
            if len(raw) != len(inputs[i]):
                raise CheckFailed(
                    f"input {i} has {len(raw)} bytes, the test gives {len(inputs[i])}"
                )
            raw[:] = inputs[i]
        locked = self.plan["heap_lock"]
        if locked:
            micropython.heap_lock()
        try:
            status = interpreter.invoke()
        finally:
            if locked:
                micropython.heap_unlock()
        guarded.verify("invoke()")
        outputs = [bytes(interpreter.output(i).raw) for i in range(interpreter.outputs_size())]
        return outputs, int(status or 0)

    # Two lists of runs must have the same bytes; aborted runs have none. A difference is only
    # noted here: the host reports a difference from the oracle instead, if there is one.
    def compare(self, wanted, got, statuses, what):
        for run in range(len(wanted)):
            if statuses[run]:
                continue
            for i, output in enumerate(wanted[run]):
                if got[run][i] != output:
                    at = 0
                    while got[run][i][at] == output[at]:
                        at += 1
                    self.problems.append(
                        f"{what} run {run} differs in byte {at} of output {i}: "
                        f"{got[run][i][at]} instead of {output[at]}"
                    )
                    return


# Return the description of an exception for the host.
def describe(error):
    try:
        from tflm.errors import TflmError
    except ImportError:
        TflmError = CheckFailed
    text = io.StringIO()
    sys.print_exception(error, text)
    return {
        "error": type(error).__name__,
        "text": str(error),
        "is_tflm": isinstance(error, TflmError),
        "traceback": text.getvalue(),
    }


# Run all jobs of a plan; lines before and after each show the host which job crashed.
def main(path, kind=Job):
    with open(path) as file:
        plan = json.load(file)
    for job in plan:
        send({"begin": job["number"]})
        try:
            result = kind(job).execute()
        except Exception as error:
            result = describe(error)
        result["end"] = job["number"]
        if _IS_SMALL:
            gc.collect()
        send(result)


if __name__ == "__main__":
    main(sys.argv[1])
