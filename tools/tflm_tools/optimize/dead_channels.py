# tflm_tools: dead_channels: removes channels that are constant or that no operator reads
# MIT license; Copyright (c) 2026 the tflm authors

from ..model.macs import macs
from ..model.schema import BuiltinOperator
from .channels import cut_weights, role_of
from .ranges import Ranges, values_of

_GROUP = 4  # kernels are fastest when the number of channels is a multiple of this
_MAX_BIAS = 1 << 31
_REASON = "the biases include constant channels; the other removed channels have no reader"


def apply(graph):
    """Remove channels that no result depends on; returns a list of Saving.

    1. Link the channels that operators such as depthwise convolutions, pools and ADD have in
       their inputs and outputs: linked channels can only be removed together (role_of).
    2. Find the channels that are needed (_needed). A channel is not needed if all weights that
       read it are zero, or if it has one value v for every input of the model. In the second case
       it adds (v - zero point) * (sum of its weights) to each sum that reads it. These are
       integers, so the bias can include them exactly. If windows reach beyond the input, the
       sums differ at its borders, so v must be the zero point.
    3. Keep enough channels for whole groups of _GROUP (_kept).
    4. Cut weights, biases and shapes (_cut).
    5. Repeat from 1, because removed channels may have been the last readers of others.
    """
    from .passes import Saving

    found = []
    for subgraph in graph.running():
        savings = {}
        while _remove(subgraph, savings):
            pass
        for number, (saved, size) in sorted(savings.items()):
            found.append(Saving("dead_channels", (number,), saved, size, _REASON))
    return found


# (multiply-accumulates, bytes of constants) of a node.
def _cost(node):
    constants = sum(t.nbytes() for t in node.inputs if t is not None and t.is_constant())
    return macs(node), constants


# One round of steps 1 to 4; True if channels were removed.
def _remove(subgraph, savings):
    roles = {node.index: role_of(node) for node in subgraph.nodes}
    classes = _Classes()
    for node in subgraph.nodes:
        role = roles[node.index]
        for a, channels, b, others in role.links if role else ():
            for i, k in zip(channels, others, strict=True):
                classes.join((a.index, i), (b.index, k))
    bounds = Ranges(subgraph)
    tensors = _candidates(subgraph, roles)
    needed = _needed(subgraph, roles, bounds, classes, tensors)
    channels = _kept(tensors, classes, needed)
    before = {node.index: _cost(node) for node in subgraph.nodes}
    if not _cut(subgraph, roles, bounds, tensors, channels):
        return False
    for node in subgraph.nodes:
        old, new = before[node.index], _cost(node)
        if old != new:
            entry = savings.setdefault(node.index, [0, 0])
            entry[0] += old[0] - new[0]
            entry[1] += old[1] - new[1]
    return True


class _Classes:
    """Classes of linked channels, a union-find over (tensor number, channel)."""

    def __init__(self):
        self._parent = {}

    def of(self, channel):
        path = []
        while channel in self._parent:
            path.append(channel)
            channel = self._parent[channel]
        for passed in path:
            self._parent[passed] = channel
        return channel

    def join(self, a, b):
        a, b = self.of(a), self.of(b)
        if a != b:
            self._parent[a] = b


# {number: tensor} of the tensors that operators with a role use.
def _candidates(subgraph, roles):
    found = {}
    for node in subgraph.nodes:
        role = roles[node.index]
        if role is None:
            continue
        for tensor in [node.output(0)] + [t for a, _, b, _ in role.links for t in (a, b)]:
            found[tensor.index] = tensor
        if role.reads is not None:
            found[node.input(0).index] = node.input(0)
    return found


# The tensors that keep all channels: inputs, outputs, views and their bases, and tensors that an
# operator without a role reads or writes.
def _whole(subgraph, roles, tensors):
    yield from subgraph.input_tensors() + subgraph.output_tensors()
    for tensor in subgraph.tensors.values():
        if tensor.view_of:
            yield from (tensor.view_of[0], tensor)
    written = {node.output(0).index for node in subgraph.nodes if roles[node.index]}
    for index, tensor in tensors.items():
        if index not in written or tensor.is_variable or tensor.is_constant():
            yield tensor
    for node in subgraph.nodes:
        if roles[node.index] is None:
            yield from (tensor for tensor in node.inputs + node.outputs if tensor is not None)


# The classes of channels that must stay.
def _needed(subgraph, roles, bounds, classes, tensors):
    needed = set()

    def need(tensor, mask=None):
        numbers = [i for i in range(tensor.shape[-1]) if mask is None or mask[i]]
        needed.update(classes.of((tensor.index, i)) for i in numbers)

    for tensor in _whole(subgraph, roles, tensors):
        if tensor.index in tensors:
            need(tensor)
    for node in subgraph.nodes:
        role = roles[node.index]
        if role is not None and role.reads is not None:
            need(node.input(0), _read(node, role.reads, bounds))
    return needed


# A mask of the input channels that a node with weights needs: its bias cannot include them.
def _read(node, reads, bounds):
    source = node.input(0)
    zero, constant = source.zero_point(), {}  # {channel: its value minus the zero point}
    for i, (low, high) in enumerate(zip(*bounds.range_of(source), strict=True)):
        if low == high and (low == zero or not reads.reaches_out):
            constant[i] = low - zero
    bias = node.optional_input(2)
    largest = [abs(x) for x in values_of(bias)] if bias is not None and bias.elements() else []
    largest = largest or [0] * len(reads.sums.above)
    for i, value in constant.items():
        if value:
            sums = reads.sums.of_input(i)
            largest = [x + abs(value * s) for x, s in zip(largest, sums, strict=True)]
    # All channels stay if the bias could overflow.
    if any(x >= _MAX_BIAS for x in largest):
        return reads.used
    return [used and i not in constant for i, used in enumerate(reads.used)]


# {tensor number: (channels that stay, channels of these that are not needed)}. Some channels stay
# that are not needed, so that the number of channels is a multiple of _GROUP. At least one group
# stays: no tensor becomes empty, and per-channel scales never become a per-tensor scale.
def _kept(tensors, classes, needed):
    stay = set(needed)
    numbers = {
        index: [classes.of((index, channel)) for channel in range(tensor.shape[-1])]
        for index, tensor in tensors.items()
    }
    for mine in numbers.values():
        count = sum(c in stay for c in mine)
        wanted = max(_GROUP, -(-count // _GROUP) * _GROUP)
        for c in mine:
            if count >= wanted:
                break
            if c not in stay:
                stay.add(c)
                count = sum(other in stay for other in mine)
    return {
        index: (
            [i for i, c in enumerate(mine) if c in stay],
            [i for i, c in enumerate(mine) if c in stay and c not in needed],
        )
        for index, mine in numbers.items()
    }


# Cut the weights of every node, then the shapes of the tensors; False if nothing changed. Channels
# that stay but are not needed get weights of zero where they are written and where they are read,
# so that they need no other channels.
def _cut(subgraph, roles, bounds, tensors, channels):
    changed = {i for i, t in tensors.items() if len(channels[i][0]) != t.shape[-1]}
    done = bool(changed)
    for node in subgraph.nodes:
        role = roles[node.index]
        is_depthwise = node.builtin_code == BuiltinOperator.DEPTHWISE_CONV_2D
        if role is None or (role.reads is None and not is_depthwise):
            continue
        source, target = node.input(0), node.output(0)
        inputs = channels[source.index]
        added = [0] * target.shape[-1]
        if role.reads is not None:
            added = _added(source, role.reads, bounds, set(inputs[0]) - set(inputs[1]))
        cut = {source.index, target.index} & changed
        done |= cut_weights(subgraph, node, inputs, channels[target.index], added, bool(cut))
    for index in changed:
        tensor = tensors[index]
        tensor.shape = (*tensor.shape[:-1], len(channels[index][0]))
    return done


# The integer that the input channels outside of `kept` add to the sum of each output. Each of
# these channels is constant, or all its weights are zero.
def _added(source, reads, bounds, kept):
    added = [0] * len(reads.sums.above)
    for i, low in enumerate(bounds.range_of(source)[0]):
        value = low - source.zero_point()
        if i not in kept and reads.used[i] and value:
            added = [x + value * s for x, s in zip(added, reads.sums.of_input(i), strict=True)]
    return added
