# tflm_tools: float_norm: finds norms of rows in float32, and writes their operations
# MIT license; Copyright (c) 2026 the tflm authors

import struct
from dataclasses import dataclass
from math import isfinite, sqrt

from tflm import dtypes
from tflm.prepare.arithmetic_float import ADD, MUL, SUB
from tflm.prepare.common import FLOAT_WORK

from ..model.schema import BuiltinOperator, op_name
from .emissions import emissions

# Words of the records of kernels/norm_float.py.
KERNEL = "norm_float.eval_float32"
LAYOUT = (
    "input", "output", "scratch", "constants", "depth", "lowest", "largest", "operations",
)  # fmt: skip

ROOTS = BuiltinOperator.RSQRT, BuiltinOperator.SQRT
_BINARY = {"MUL": MUL, "ADD": ADD, "SUB": SUB, "DIV": 4}
_OTHERS = "MEAN", "SUM", "SQUARE", "SQUARED_DIFFERENCE", "RSQRT", "SQRT", "NEG"

# Kinds of operations besides MUL, ADD, SUB, and where operands are; see the kernel.
_MAC, _DIV, _SQRT, _CLAMPS, _CLEARS, _BOUNDS = 0, 4, 5, 8, 16, 32
_KIND = 7
_BOUND = 2.0**41  # of a row whose squares have a sum below 2 ** 80
_LARGE = 2.0**120  # smaller results are not clamped, also after rounding
_INPUT, _OUTPUT, _SCRATCH, _CONSTANTS = range(4)
_ROW = 4
_LOWEST, _LARGEST = 0xFF7FFFFF, 0x7F7FFFFF
_MAX_OPERATORS = 16


class FloatNorm:
    """The operators of a norm of float32, which one step replaces.

    nodes: in the order of execution. inputs: the tensor that they normalize. Each of them computes
    a row or a number from the row of `source`, from constants, and from other nodes; nothing reads
    the output of another node than the last one.
    """

    def __init__(self, source, nodes):
        self.nodes, self.inputs = nodes, [source]
        self._depth = source.shape[-1]

    @classmethod
    def of(cls, subgraph, root):
        """Return the FloatNorm around a RSQRT or SQRT, or None."""
        region = _Region(subgraph, root)
        nodes = region.nodes() if region.source is not None else None
        return cls(region.source, nodes) if nodes else None

    def emit(self, context, step):
        """Write the record."""
        source = self.inputs[0]
        program = _Program(source, self.nodes)
        rows = source.elements() // self._depth
        context.emit(
            KERNEL,
            LAYOUT,
            rows,
            rows * self._depth * len(program.operations) * FLOAT_WORK,
            program.table(),
            input=source,
            output=step.outputs[0],
            scratch=context.request_scratch_buffer(4 * program.scratch_words),
            constants=context.constant(program.constants),
            depth=self._depth,
            lowest=_LOWEST,
            largest=_LARGEST,
            operations=len(program.operations),
        )


class _Region:
    """All operators that compute rows from the rows of `source`, which is None without a norm."""

    def __init__(self, subgraph, root):
        self._subgraph, self._root = subgraph, root
        self.source = self._source()

    # The tensor whose rows the norm reads: it is squared, or its difference to its mean is.
    def _source(self):
        mean = self._writer(self._root.inputs[0], "MEAN", "SUM")
        if mean is None:
            added = self._writer(self._root.inputs[0], "ADD")
            found = [self._writer(t, "MEAN", "SUM") for t in added.inputs] if added else []
            mean = next(filter(None, found), None)
        squares = mean and self._writer(mean.inputs[0], "MUL", "SQUARE", "SQUARED_DIFFERENCE")
        if not squares:
            return None
        shape = mean.inputs[0].shape
        source = next((t for t in squares.inputs if t.shape == shape), None)
        centered = source and self._writer(source, "SUB")
        if centered and self._writer(centered.inputs[1], "MEAN"):
            source = centered.inputs[0]
        is_row = source and source.shape == shape and shape[-1:] > (1,)
        return source if is_row and not source.is_constant() else None

    def _writer(self, tensor, *names):
        node = self._subgraph.producer(tensor)
        return node if node is not None and op_name(node) in names else None

    def nodes(self):
        """Return the operators up to the last one that makes them a norm, in order, or None."""
        known, region = {id(self.source)}, []
        for node in self._subgraph.nodes:
            if self._is_part(node, known):
                region.append(node)
                known.add(id(node.outputs[0]))
        for last in reversed(region):
            nodes = self._leading_to(last, region)
            is_norm = self._root in nodes and self._granularity(last.outputs[0]) == "row"
            if is_norm and len(nodes) <= _MAX_OPERATORS and self._is_closed(nodes):
                return nodes
        return None

    # The operators of `region` whose outputs the operator `last` depends on.
    def _leading_to(self, last, region):
        needed, nodes = {id(last.outputs[0])}, []
        for node in reversed(region):
            if id(node.outputs[0]) in needed:
                nodes.insert(0, node)
                needed |= {id(t) for t in node.inputs}
        return nodes

    def _is_closed(self, nodes):
        return not any(
            self._subgraph.is_output(node.outputs[0])
            or any(reader not in nodes for reader in self._subgraph.consumers(node.outputs[0]))
            for node in nodes[:-1]
        )

    # How a row of the source relates to a tensor: it has a "row" or a "number" for it; None
    # otherwise. Constants are the same for all rows.
    def _granularity(self, tensor):
        shape, depth = self.source.shape, self.source.shape[-1]
        if tensor.is_constant():
            if tensor.elements() == 1:
                return "number"
            return "row" if tensor.shape[-1:] == (depth,) == (tensor.elements(),) else None
        return {shape: "row", (*shape[:-1], 1): "number"}.get(tensor.shape)

    # True if an operator computes a row or a number from `known` tensors and constants.
    def _is_part(self, node, known):
        name, found = op_name(node), []
        if name in (*_BINARY, *_OTHERS) and len(node.outputs) == 1:
            found = emissions(node)
        data = _data(node)
        if len(found) != 1 or any(t.dtype != dtypes.FLOAT32 for t in (*data, *node.outputs)):
            return False
        if any(id(t) not in known and not t.is_constant() for t in data):
            return False
        granularities = [self._granularity(t) for t in data]
        if None in granularities or all(t.is_constant() for t in data):
            return False
        limits = [found[0].fields.get(f"activation_{each}") for each in ("min", "max")]
        if limits not in ([_LOWEST, _LARGEST], [None, None]):
            return False
        granularity = self._granularity(node.outputs[0])
        if name in ("MEAN", "SUM"):
            return (*granularities, granularity) == ("row", "number")
        is_row = granularity == "row" and name not in ("SQRT", "RSQRT")
        return is_row if "row" in granularities else granularity == "number"


# The inputs of an operator that are data, not axes.
def _data(node):
    return node.inputs[:1] if op_name(node) in ("MEAN", "SUM") else node.inputs


@dataclass(eq=False)
class _Value:
    """A row or a number. location: where it is, as the kernel reads it."""

    is_row: bool
    location: int | None = None


class _Program:
    """The operations of a norm. operations: [kind, result, input, input] as numbers and _Values.

    constants: bytes. scratch_words: words of the scratch buffer.
    """

    def __init__(self, source, nodes):
        self._depth = source.shape[-1]
        self.operations, self.constants = [], b""
        self._source = _Value(True, _INPUT | _ROW)
        self._values = {id(source): self._source}
        self._reads = [id(t) for node in nodes for t in _data(node)]
        for node in nodes:
            self._add(node)
        self._set_bounds()
        self.scratch_words = self._allocate(self._values[id(nodes[-1].outputs[0])])

    def table(self):
        """Return the words of the operations."""
        words = [
            word
            for kind, *values in self.operations
            for word in (kind, *[v.location for v in values])
        ]
        return struct.pack(f"<{len(words)}I", *words)

    def _constant(self, data):
        location = _CONSTANTS | len(self.constants) // 4 << 3 | (_ROW if len(data) > 4 else 0)
        self.constants += data
        return _Value(len(data) > 4, location)

    def _number(self, bits):
        return self._constant(struct.pack("<I", bits))

    def _value(self, tensor):
        if id(tensor) not in self._values:
            self._values[id(tensor)] = self._constant(bytes(tensor.data))
        return self._values[id(tensor)]

    # Add the operations of an operator, as its kernel has them.
    def _add(self, node):
        name, target = op_name(node), node.outputs[0]
        a, *others = [self._value(t) for t in _data(node)]
        output = self._values[id(target)] = _Value(target.shape[-1] == self._depth)
        if name in _BINARY:
            self.operations.append([_BINARY[name] | _CLAMPS, output, a, *others])
        elif name == "NEG":
            self.operations.append([SUB, output, self._number(0x80000000), a])
        elif name == "SQUARE":
            self.operations.append([MUL, output, a, a])
        elif name == "SQUARED_DIFFERENCE":
            self.operations.append([SUB, output, a, *others])
            self.operations.append([MUL, output, output, output])
        elif name in ("SQRT", "RSQRT"):
            self.operations.append([_SQRT, output, a, a])
            if name == "RSQRT":
                self.operations.append([_DIV, output, self._number(0x3F800000), output])
        else:
            self._add_sum(output, a, self._reads.count(id(node.inputs[0])) == 1)
            divisor = emissions(node)[0].fields["divisor"]
            if divisor != 0x3F800000:
                self.operations.append([_DIV, output, output, self._number(divisor)])

    # Add the sum of a row; squares that nothing else reads become products of the sum.
    def _add_sum(self, output, row, is_only_reader):
        squares = next((each for each in self.operations[::-1] if each[1] is row), None)
        if squares and is_only_reader and squares[2] is squares[3] and squares[0] & _KIND == MUL:
            self.operations.remove(squares)
            kind = _MAC | squares[0] & _CLAMPS | _CLEARS
            self.operations.append([kind, output, *squares[2:]])
        else:
            self.operations.append([ADD | _CLEARS, output, output, row])

    # Set _BOUNDS of a sum of squares after which no result can be large, if the sum is not.
    def _set_bounds(self):
        for i, (kind, total, row, _) in enumerate(self.operations):
            if not kind & _KIND:
                limits = {id(row): (-_BOUND, _BOUND), id(total): (0.0, _BOUND**2)}
                rest = self.operations[i + 1 :]
                if all(self._limit(limits, *operation) for operation in rest):
                    self.operations[i][0] |= _BOUNDS

    # Add (lowest, highest) of the result of an operation; returns False if it may be large.
    def _limit(self, limits, kind, output, *values):
        for value in values:
            if id(value) not in limits and value.location is not None and value.location & 3:
                limits[id(value)] = self._range_of(value)
        if any(id(value) not in limits for value in values):
            return False
        (low, high), (least, most) = (limits[id(value)] for value in values)
        kind &= _KIND
        if kind == _DIV and least < 1 / _LARGE or kind == _SQRT and low < 0:
            return False
        corners = {
            MUL: lambda a, b: a * b,
            _DIV: lambda a, b: a / b,
            _SQRT: lambda a, b: sqrt(a),
            ADD: lambda a, b: a + b,
            SUB: lambda a, b: a - b,
        }.get(kind)
        if corners is None:
            return False
        found = [corners(a, b) for a in (low, high) for b in (least, most)]
        limits[id(output)] = min(found), max(found)
        return max(map(abs, found)) < _LARGE

    # (lowest, highest) value of a constant.
    def _range_of(self, value):
        first, count = value.location >> 3, self._depth if value.is_row else 1
        found = struct.unpack_from(f"<{count}f", self.constants, 4 * first)
        return (min(found), max(found)) if all(map(isfinite, found)) else (-_LARGE, _LARGE)

    # Give each _Value a location; return the words of the scratch buffer. A row is in the output
    # if the input, which may be there too, is not read later. A row may replace the row that an
    # operation reads for the last time.
    def _allocate(self, last):
        ends = {}
        for i, (_, *values) in enumerate(self.operations):
            ends.update(dict.fromkeys(map(id, values), i))
        in_output, in_scratch, numbers = None, [], []
        for i, (kind, output, *_) in enumerate(self.operations):
            if output.location is not None or output in numbers:
                continue
            if not output.is_row:
                numbers.append(output)
                if not kind & _KIND:
                    numbers.append(None)  # a product that is too large
            elif output is last or (
                ends[id(self._source)] <= i and (in_output is None or ends[id(in_output)] <= i)
            ):
                in_output, output.location = output, _OUTPUT | _ROW
            else:
                free = [k for k, row in enumerate(in_scratch) if ends[id(row)] <= i]
                k = free[0] if free else len(in_scratch)
                in_scratch[k : k + 1] = [output]
                output.location = _SCRATCH | _ROW | k * self._depth << 3
        rows = len(in_scratch) * self._depth
        for k, number in enumerate(numbers):
            if number is not None:
                number.location = _SCRATCH | rows + k << 3
        return rows + len(numbers)
