# tflm_tools: regions: operators behind one another, of a graph, that may run in bands together
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass, field
from functools import cached_property

from ...arena.windows import Rows
from ...model.graph import root_of
from .by_bands import by_rows
from .channel_groups import groups_between
from .pace import Pace
from .peaks import Layout

_FEW = (16, 8, 4, 3)  # bands


@dataclass
class Value:
    """A tensor that a region reads or writes by rows, whatever views of it operators see.

    writer: place in the region of what writes it, None for one that is there before. readers:
    [(place, position among the inputs)]. inside: nothing else needs it, a few rows will do.
    stays: it is read after the region, too.
    """

    tensor: object
    rows: int
    writer: int | None = None
    readers: list = field(default_factory=list)
    inside: bool = False
    stays: bool = True

    @cached_property
    def row_bytes(self):
        return self.tensor.nbytes() // self.rows


@dataclass
class Region:
    """Operators in the order of execution, the last of which needs all the others.

    ways: the ByRows of each. inputs: [[key]], the Values that each reads by rows, at the positions
    that its ByRows names; outputs: the key of each. wholes: keys of tensors read as a whole.
    first, last: places of the operators in the model (last: behind the last one). counted: how
    many rows of inputs are read, as Glimpses find it.
    """

    first: int
    last: int
    nodes: list
    ways: list
    values: dict = field(default_factory=dict)
    inputs: list = field(default_factory=list)
    outputs: list = field(default_factory=list)
    counted: dict = field(default_factory=dict)
    _paces: dict = field(default_factory=dict)
    _layouts: dict = field(default_factory=dict)

    def pace(self, place):
        """The Pace of the operator at a place."""
        if place not in self._paces:
            self._paces[place] = Pace(self, place)
        return self._paces[place]

    def layout(self, anew):
        """The Layout of bands that make values `anew`."""
        key = tuple(anew.items())
        if key not in self._layouts:
            self._layouts[key] = Layout(self, anew)
        return self._layouts[key]

    def paces(self, heights):
        """[(rows that a band makes, of the output at which place)]: what may be tried.

        Rows of the last output, and of what is finer than it, where less than one row of that are
        made of them; at least two bands. Where there are many rows, also so many that few bands
        have them.
        """
        counts = [self.values[key].rows for key in self.outputs]
        last = [*heights, *_few_bands(counts[-1], heights)]
        found = [(height, len(counts) - 1) for height in last if 2 * height <= counts[-1]]
        for rows in sorted({rows for rows in counts if rows > counts[-1]}):
            place = max(place for place, count in enumerate(counts) if count == rows)
            these = [*heights, *_few_bands(rows, heights)]
            found += [(h, place) for h in these if h * max(counts[-1], 2) < rows]
        return found

    def anew(self):
        """[{key: groups of channels}]: which values bands may make anew, not keeping rows of them.

        They are made row by row, of less than they are: so 1x1 convolutions that expand, in front
        of depthwise ones (inverted residuals). In groups these two go through some channels at a
        time.
        """
        groups = {key: self._groups(key) for key in filter(self._is_cheap, self.outputs)}
        if not groups:
            return []
        # Rows of the widest value are as short as can be, and others no shorter than that
        # needs, or as short as they can be, too.
        sizes = {key: self.values[key].row_bytes for key in groups}
        short = max(size / groups[key][-1] for key, size in sizes.items())
        fewest = {
            key: next(k for k in counts if sizes[key] / k <= short)
            for key, counts in groups.items()
        }
        most = {key: counts[-1] for key, counts in groups.items()}
        found = [dict.fromkeys(groups, 1)]
        return found + [each for each in (fewest, most) if each not in found]

    def _is_cheap(self, key):
        value = self.values[key]
        rows, sources = self.ways[value.writer].rows, self.inputs[value.writer]
        if not value.inside or not sources or not isinstance(rows, Rows):
            return False
        if rows.reach > 1 or rows.stride > 1 or any(rows.padding):
            return False
        readers = [self.ways[place] for place, _ in value.readers]
        if any(way.gathers for way in readers) or not any(way.has_windows for way in readers):
            return False
        return sum(self.values[source].row_bytes for source in sources) < value.row_bytes

    def groups(self, place, anew):
        """In how many groups of channels what makes the only input of an operator runs, and it.

        anew: {key: groups}, as a Progress has it.
        """
        sources = self.inputs[place]
        return anew.get(sources[0], 1) if len(sources) == 1 else 1

    def read(self, place, anew):
        """[(place, key)] of what is read by the end of an operator, or of groups that it ends."""
        places = [place - 1, place] if self.groups(place, anew) > 1 else [place]
        return [(at, key) for at in places for key in self.inputs[at]]

    def needed(self, key, spans):
        """(the first, the one behind the last) of the rows of a value that its readers need.

        spans: {key: the same of what they make}.
        """
        read = []
        for place, _ in self.values[key].readers:
            (first, last), rows = spans[self.outputs[place]], self.ways[place].rows
            if first < last and rows.first(first) < rows.behind(last - 1):
                read.append((rows.first(first), rows.behind(last - 1)))
        firsts, lasts = zip(*read, strict=True) if read else ((0,), (0,))
        return min(firsts), max(lasts)

    # In how many groups of channels what makes a value and what reads it can go.
    def _groups(self, key):
        value = self.values[key]
        place = value.writer
        if value.readers != [(place + 1, 0)] or len(self.inputs[place]) > 1:
            return [1]
        return groups_between(*self.nodes[place : place + 2])


# Heights above all of `heights` that a few bands of so many rows have.
def _few_bands(rows, heights):
    few = [-(-rows // bands) for bands in _FEW]
    return [height for height in few if height > max(heights, default=0)]


class Regions:
    """The regions of a GraphSubgraph whose order of operators stays as it is."""

    def __init__(self, subgraph):
        self._nodes = subgraph.nodes
        self._ways = [by_rows(node) for node in subgraph.nodes]
        self._spans = {}  # root's number: places of the first and the last operator with it
        self._parted = set()  # roots of which an operator sees a part
        for place, node in enumerate(subgraph.nodes):
            for tensor in node.inputs + node.outputs:
                if tensor is None or tensor.is_constant():
                    continue
                root, _ = root_of(tensor)
                self._spans.setdefault(root.index, [place, place])[1] = place
                if tensor.nbytes() != root.nbytes():
                    self._parted.add(root.index)
        self._results = {root_of(t)[0].index for t in subgraph.output_tensors()}

    def may(self, place):
        """True when an operator can run in bands, as far as itself is concerned."""
        return self._ways[place] is not None

    def longest(self, last, most):
        """How far back operators that can run in bands go from place `last` (at most `most`)."""
        first = last
        while first > 0 and last - first < most and self._ways[first - 1] is not None:
            first -= 1
        return first

    def region(self, first, last):
        """The Region of operators first..last-1, or None where these cannot run in bands."""
        found = Region(first, last, self._nodes[first:last], self._ways[first:last])
        if len(found.nodes) < 2 or None in found.ways:
            return None
        for place, (node, way) in enumerate(zip(found.nodes, found.ways, strict=True)):
            if not self._add(found, place, node, way):
                return None
        used = {place for value in found.values.values() for place, _ in value.readers}
        for place, key in enumerate(found.outputs):
            value = found.values[key]
            if place < len(found.nodes) - 1 and not value.readers:
                return None  # the last operator does not need it
            value.inside = not value.stays and place < len(found.nodes) - 1
        return found if used else None

    # Let a Region have another operator; False where that cannot be.
    def _add(self, found, place, node, way):
        written = set(found.outputs)
        keys = []
        for position, tensor in enumerate(node.inputs):
            if tensor is None or tensor.is_constant():
                continue
            key = root_of(tensor)[0].index
            if position not in way.inputs:
                if key in written:
                    return False
                continue
            # Parts of one tensor are values of their own, as nothing here writes them.
            key = key if key in written else (key, tensor.index)
            if way.gathers and key not in written:
                return False  # it has no rows to wait for
            value = found.values.get(key)
            if value is None:
                value = found.values[key] = self._value(found, tensor, way.rows.input_rows)
            if value.rows != way.rows.input_rows:
                return False
            value.readers.append((place, position))
            keys.append(key)
        found.inputs.append(keys)
        key = root_of(node.outputs[0])[0].index
        if key in self._parted or key in written or self._spans[key][0] < found.first + place:
            return False
        value = self._value(found, node.outputs[0], way.rows.output_rows)
        value.writer = place
        found.values[key] = value
        found.outputs.append(key)
        return True

    def _value(self, found, tensor, rows):
        root = root_of(tensor)[0].index
        stays = self._spans[root][1] >= found.last or root in self._results
        return Value(tensor, rows, stays=stays)
