# tflm_tools: custom operators on the host: the user's file, and their records in a flat model
# MIT license; Copyright (c) 2026 the tflm authors

import struct
import sys
import traceback
import types
from contextlib import contextmanager
from pathlib import Path

from tflm import format as layout
from tflm.errors import TflmError, UnsupportedError
from tflm.op_resolver import OpResolver
from tflm.tflite.context import IN_TAIL, NO_OPERAND, MicroContext

from .. import files
from ..errors import ToolError
from ..model.schema import BuiltinOperator, compiled_operator_remedy
from . import dense_lut, resized_rows, rows
from .gathered_rows import CODES as GATHERED
from .padded_rows import CODES as PADS
from .parts import Parts

_WITH_CUSTOM = (  # the commands
    "inspect, flatten, run, verify, bench, plan, report, ops, eval, convert and deploy"
)
_WITH_PARTS = (
    *GATHERED, *PADS, BuiltinOperator.RESIZE_NEAREST_NEIGHBOR, resized_rows.CODE,
    BuiltinOperator.CONCATENATION,
)  # fmt: skip
_MOST = 65535  # what 16 bits count
_MOST_NAME = 255


@contextmanager
def telling(what):
    """What fails in a file of the user's is told in a sentence, with the line; our errors stay."""
    try:
        yield
    except TflmError:
        raise
    except (Exception, SystemExit) as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        where = f" in line {last.lineno}" if last.filename != __file__ else ""
        said = f": {error}" if str(error) else ""
        raise ToolError(
            f"{what} ended with {type(error).__name__}{said}{where}; mend it"
        ) from error


class _Told:
    """A registration whose init and prepare fail in a sentence."""

    def __init__(self, name, registration):
        self._name = name
        self._registration = registration

    def __getattr__(self, key):
        value = getattr(self._registration, key)
        if key not in ("init", "prepare"):
            return value

        def call(*arguments):
            with telling(f"custom op {self._name}: {key}()"):
                return value(*arguments)

        return call


class HostResolver(OpResolver):
    """An OpResolver whose errors say what to do on the command line."""

    def builtin(self, code):
        if code == rows.CODE:
            return rows
        whole = super().builtin(code)
        if code in dense_lut.CODES:
            whole = dense_lut.WithIndexed(whole)
        return Parts(whole) if code in _WITH_PARTS else whole

    def custom(self, name):
        if name in self._custom:
            return _Told(name, super().custom(name))
        known = (
            compiled_operator_remedy(name)
            or f"register it with --custom FILE, an option of {_WITH_CUSTOM}"
        )
        raise UnsupportedError(f"unresolved custom op: {name}; {known}")


class CheckingResolver:
    """Another resolver for Prepare of a whole model, with custom operators that do nothing."""

    def __init__(self, resolver):
        self.builtin = resolver.builtin
        self.shipped = resolver.shipped
        self._find = resolver.custom

    def custom(self, name):
        self._find(name)
        return object()


# What a kernel file needs of MicroPython to be imported here; nothing of it is called.
@contextmanager
def _micropython():
    stub = types.ModuleType("micropython")
    stub.const = stub.native = stub.viper = stub.bytecode = lambda value: value
    before = sys.modules.get("micropython")
    sys.modules["micropython"] = stub
    try:
        yield
    finally:
        del sys.modules["micropython"]
        if before is not None:
            sys.modules["micropython"] = before


# Import a user's file, whatever its folder; viper's pointer types are names in it.
def _load(path):
    path = Path(path)
    source = files.read(path)
    module = types.ModuleType(f"tflm_custom_{path.stem}")
    module.__file__ = str(path)
    for name in ("ptr", "ptr8", "ptr16", "ptr32"):
        setattr(module, name, int)
    folder = str(path.resolve().parent)
    sys.path.append(folder)
    try:
        # From its text, not through the import system's cache: the file may change any moment.
        code = compile(source, str(path), "exec")
        with _micropython():
            exec(code, vars(module))
    except (Exception, SystemExit) as error:
        raise ToolError(
            f"{path} cannot be imported by this Python ({type(error).__name__}: {error}); "
            "import what only boards have inside the functions that use it"
        ) from error
    finally:
        sys.path.remove(folder)
    if not callable(getattr(module, "register", None)):
        raise ToolError(f"{path} has no function register(resolver); add one")
    return module


def load_resolver(paths):
    """A resolver with what the files at `paths` register: each has a `register(resolver)`."""
    resolver = HostResolver()
    for path in paths:
        module = _load(path)
        with telling(f"{path}: register(resolver)"):
            module.register(resolver)
    return resolver


class RecordingContext(MicroContext):
    """A MicroContext that notes which buffers each node asks for, in order."""

    def __init__(self, *arguments, **keywords):
        super().__init__(*arguments, **keywords)
        self.requests = {}  # node number: operands

    def store(self, stored, packing=None):
        """Take {node number: (how its weights are stored, bytes of lanes at a time or None)}.

        packing: {node number: how its weights are stored}, which goes before.
        """
        self.packing = {number: way for number, (way, _) in stored.items()}
        self.packing.update(packing or {})
        self.lane_bytes = {number: size for number, (_, size) in stored.items() if size}

    def request_scratch_buffer(self, size):
        return self._note(super().request_scratch_buffer(size))

    def allocate_persistent_buffer(self, size):
        return self._note(super().allocate_persistent_buffer(size))

    def _note(self, operand):
        self.requests.setdefault(self.node.index, []).append(operand)
        return operand

    def tensor_word(self, tensor):
        """The operand word of a tensor, or of None."""
        return self._word(tensor)


# The bits of every scale, and as many zero points as there are.
def _quantization(tensor):
    count = tensor.scales_length()
    return (
        [tensor.scale_bits(i) for i in range(count)],
        [tensor.zero_point(i) for i in range(count)],
    )


# A CUSTOM_TENSOR with what follows it.
def _describe(tensor):
    if tensor is None:
        return struct.pack(layout.CUSTOM_TENSOR, 0, 0, 0, 0, 0, 0, 0)
    flags = layout.CUSTOM_PRESENT | (layout.CUSTOM_VARIABLE if tensor.is_variable else 0)
    scales, zero_points = _quantization(tensor)
    name = tensor.name.encode()[:_MOST_NAME].decode(errors="ignore").encode()
    rank = len(tensor.shape)
    return (
        struct.pack(
            layout.CUSTOM_TENSOR, tensor.dtype, rank, flags, len(scales), len(zero_points),
            len(name), tensor.quantized_dimension,
        )
        + struct.pack(f"<{rank}I", *tensor.shape)
        + struct.pack(f"<{len(scales)}I", *scales)
        + struct.pack(f"<{len(zero_points)}q", *zero_points)
        + name
    )  # fmt: skip


def complete(record, node, context):
    """Give the record of a custom operator what a board needs to run it without the .tflite.

    Raises UnsupportedError for what the layout has no room for.
    """
    tensors = list(node.inputs) + list(node.outputs)
    buffers = context.requests.get(node.index, [])
    most = max(
        len(tensors), len(buffers), *[t.scales_length() for t in tensors if t is not None], 0
    )
    if most > _MOST or len(record.kernel.encode()) > _MOST_NAME:
        raise UnsupportedError(
            f"{node} has a name of more than {_MOST_NAME} bytes, or more than {_MOST} tensors, "
            "buffers or scales, which a .tflm cannot hold; load the .tflite on the board"
        )
    options = bytes(node.custom_options)
    table = struct.pack(
        layout.CUSTOM, len(node.inputs), len(node.outputs), len(buffers), len(options)
    )
    for operand in buffers:
        table += struct.pack("<I", operand.size << 1 | (operand.word & 3 == IN_TAIL))
    for tensor in tensors:
        table += _describe(tensor)
    table += options
    record.words += [context.tensor_word(tensor) for tensor in tensors]
    record.words += [operand.word if operand.size else NO_OPERAND for operand in buffers]
    record.operands = len(record.words) - 1
    record.table = table + bytes(-len(table) % 4)
