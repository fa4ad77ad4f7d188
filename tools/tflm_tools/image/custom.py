# tflm_tools: custom operators on the host: loads the user's files and writes records for the board
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
from ..bands.operators import (
    gru_loop,
    input_rows,
    padded_rows,
    reduced_rows,
    repeated_rows,
    resized_rows,
    table_operator,
)
from ..bands.operators.partial_operator import WithPartialOperators
from ..errors import ToolError
from ..model.schema import BuiltinOperator, compiled_operator_remedy
from . import dense_lut
from .packed_weights import PackedWeights

_COMMANDS_WITH_CUSTOM = (
    "inspect, flatten, run, verify, bench, plan, report, ops, eval, convert and deploy"
)
_CODES_WITH_PARTIAL_OPERATORS = (
    *reduced_rows.CODES, *padded_rows.CODES, repeated_rows.CODE, resized_rows.CODE,
    BuiltinOperator.CONCATENATION, BuiltinOperator.BATCH_MATMUL, *table_operator.CODES,
    gru_loop.CODE, BuiltinOperator.L2_NORMALIZATION,
)  # fmt: skip
_MAX_COUNT = 65535  # of tensors, buffers or scales: 16 bits in the record
_MAX_NAME = 255


@contextmanager
def user_code(what):
    """Turn an exception in a user's file into a ToolError with the line; a TflmError stays."""
    try:
        yield
    except TflmError:
        raise
    except (Exception, SystemExit) as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        where = f" in line {last.lineno}" if last.filename != __file__ else ""
        message = f": {error}" if str(error) else ""
        raise ToolError(
            f"{what} ended with {type(error).__name__}{message}{where}; fix it"
        ) from error


class _CustomRegistration:
    """A user's registration, whose init() and prepare() raise errors as user_code() does."""

    def __init__(self, name, registration):
        self._name = name
        self._registration = registration

    def __getattr__(self, key):
        value = getattr(self._registration, key)
        if key not in ("init", "prepare"):
            return value

        def call(*arguments):
            with user_code(f"custom op {self._name}: {key}()"):
                return value(*arguments)

        return call


class HostResolver(OpResolver):
    """An OpResolver that knows the host's nodes; errors name the option of the command line."""

    def builtin(self, code):
        if code == input_rows.CODE:
            return input_rows
        module = super().builtin(code)
        if code in dense_lut.CODES:
            module = dense_lut.WithIndexed(module)
        return WithPartialOperators(module) if code in _CODES_WITH_PARTIAL_OPERATORS else module

    def custom(self, name):
        if name in self._custom:
            return _CustomRegistration(name, super().custom(name))
        remedy = (
            compiled_operator_remedy(name)
            or f"register it with --custom FILE, an option of {_COMMANDS_WITH_CUSTOM}"
        )
        raise UnsupportedError(f"unresolved custom op: {name}; {remedy}")


class CheckingResolver:
    """A resolver to check a model: custom operators must be registered, but do nothing."""

    def __init__(self, resolver):
        self.builtin = resolver.builtin
        self.shipped = resolver.shipped
        self._find = resolver.custom

    def custom(self, name):
        self._find(name)
        return object()


# A stand-in for the module micropython, so that kernel files can be imported. No kernel runs.
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


# Import a user's file from any folder; viper's pointer types are defined as names.
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
        # Compile the text, because the import system would cache a file that may change.
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
    """Return a HostResolver on which each file of `paths` has called its register(resolver)."""
    resolver = HostResolver()
    for path in paths:
        module = _load(path)
        with user_code(f"{path}: register(resolver)"):
            module.register(resolver)
    return resolver


class HostContext(MicroContext):
    """A MicroContext that keeps the buffers that each node requests, and layouts of weights.

    requests: {node number: operands in the order of requests}. packed_weights: PackedWeights that
    other contexts share, or None.
    """

    may_reorder_weights = True

    def __init__(self, *arguments, packed_weights=None, **keywords):
        super().__init__(*arguments, **keywords)
        self.requests = {}
        self._packed_weights = packed_weights or PackedWeights()

    def mark(self):
        """Return an argument for undo()."""
        storage = self.storage
        lists = storage.records, storage.constant_requests, storage.scratch_requests
        lists += (self.requests.setdefault(self.node.index, []),)
        return [(each, len(each)) for each in lists]

    def undo(self, mark):
        """Remove the records and requests since mark(); plans omit constants without records."""
        for each, count in mark:
            del each[count:]

    def packed(self, function, *arguments):
        return self._packed_weights.get(function, self, *arguments)

    def set_layouts(self, layouts, packing=None):
        """Set how weights are stored.

        layouts: {node number: (a constant of prepare.lanes, bytes of lanes at a time or None)}.
        packing: {node number: a constant of prepare.lanes}, which overrides `layouts`.
        """
        self.packing = {number: each for number, (each, _) in layouts.items()}
        self.packing.update(packing or {})
        self.lane_bytes = {number: size for number, (_, size) in layouts.items() if size}

    def request_scratch_buffer(self, size):
        return self._add_request(super().request_scratch_buffer(size))

    def allocate_persistent_buffer(self, size):
        return self._add_request(super().allocate_persistent_buffer(size))

    def _add_request(self, operand):
        self.requests.setdefault(self.node.index, []).append(operand)
        return operand

    def tensor_word(self, tensor):
        """Return the operand word of a tensor or of None."""
        return self._word(tensor)


# ([bits of each scale], [zero point of each scale]).
def _quantization(tensor):
    count = tensor.scales_length()
    return (
        [tensor.scale_bits(i) for i in range(count)],
        [tensor.zero_point(i) for i in range(count)],
    )


# The bytes of a CUSTOM_TENSOR and the data that follow it.
def _describe(tensor):
    if tensor is None:
        return struct.pack(layout.CUSTOM_TENSOR, 0, 0, 0, 0, 0, 0, 0)
    flags = layout.CUSTOM_PRESENT | (layout.CUSTOM_VARIABLE if tensor.is_variable else 0)
    scales, zero_points = _quantization(tensor)
    name = tensor.name.encode()[:_MAX_NAME].decode(errors="ignore").encode()
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
    """Add to the record of a custom operator what a board needs to run it without the .tflite.

    Raises UnsupportedError if the record's layout cannot hold the operator.
    """
    tensors = list(node.inputs) + list(node.outputs)
    buffers = context.requests.get(node.index, [])
    count = max(
        len(tensors), len(buffers), *[t.scales_length() for t in tensors if t is not None], 0
    )
    if count > _MAX_COUNT or len(record.kernel.encode()) > _MAX_NAME:
        raise UnsupportedError(
            f"{node} has a name of more than {_MAX_NAME} bytes, or more than {_MAX_COUNT} "
            "tensors, buffers or scales, which a .tflm cannot hold; load the .tflite on the board"
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
