# tflm: ResourceVariables: find the variable and its bytes for each resource handle.
# MIT license; Copyright (c) 2026 the tflm authors

from ..dtypes import const
from ..errors import ModelError, UnsupportedError
from .call_graph import CALL_ONCE, IF, WHILE, callees

_VAR_HANDLE = const(142)
_ASSIGN_VARIABLE = const(144)
_HANDLE_OPTIONS = const(111)  # VarHandleOptions
_CONTAINER = const(0)
_SHARED_NAME = const(1)


# A resource variable. The first operator that assigns it determines its size and the value of its
# bytes before: the low byte of the assigned tensor's zero point, as in TFLM.
class Resource:
    def __init__(self, container, shared_name):
        self.container = container
        self.shared_name = shared_name
        self.size = None
        self.default = 0
        self.operand = None  # set when an operator uses it

    # The variable in error messages.
    def __str__(self):
        return "the resource variable '%s'" % self.shared_name


# Handles are resolved when the model is prepared, not while it runs: each is followed from
# VAR_HANDLE through the inputs and outputs of sub-graphs to the operators that use it. So no
# operator can access memory by a number that the model computes.
class ResourceVariables:
    def __init__(self, model):
        self._model = model
        self.variables = []
        self._handles = {}  # number of a tensor: Resource
        self._assigned = []  # (sub-graph, operator)
        self._walked = set()
        called = model.call_graph().first
        self._walk(0, True)
        for number in range(len(model.subgraphs)):
            # As in TFLM, sub-graphs that never run count for the size of a variable.
            if number not in called:
                self._walk(number, False)
        for number, i in sorted(self._assigned):
            self._size(model.subgraphs[number], i)

    # Return the variable of a handle (a tensor); None if the tensor is no handle.
    def find(self, tensor):
        return self._handles.get(tensor.index)

    # Return the variable of a name; an absent container matches any.
    def _named(self, container, shared_name):
        for variable in self.variables:
            if variable.shared_name == shared_name and container in (None, variable.container):
                return variable
        self.variables.append(Resource(container, shared_name))
        return self.variables[-1]

    # Follow the handles of a sub-graph and of the sub-graphs that it runs.
    def _walk(self, number, follow):
        self._walked.add(number)
        subgraph = self._model.subgraphs[number]
        for i in range(subgraph.nodes_length()):
            code = subgraph.node_code(i)
            if code == _VAR_HANDLE:
                options = subgraph.node(i).options(_HANDLE_OPTIONS)
                container = options.string(_CONTAINER)
                if options.vector(_CONTAINER, 1) is None:
                    container = None
                variable = self._named(container, options.string(_SHARED_NAME))
                for output in subgraph.node_indices(i)[1]:
                    self._bind(subgraph, output, variable)
            elif code == _ASSIGN_VARIABLE:
                self._assigned.append((number, i))
            elif follow:
                self._follow(subgraph, i, code)

    # Follow handles through the inputs and outputs of control flow.
    def _follow(self, subgraph, i, code):
        called = callees(subgraph, i)
        if not called or code == CALL_ONCE:
            for number in called:
                if number not in self._walked:
                    self._walk(number, True)
            return
        inputs, outputs = subgraph.node_indices(i)
        passed = inputs[1:] if code == IF else inputs
        for number in called:
            callee = self._model.subgraphs[number]
            self._pass(subgraph, passed, callee, callee.inputs)
            if number not in self._walked:
                self._walk(number, True)
            if code != WHILE:
                self._pass(callee, callee.outputs, subgraph, outputs)
        if code == WHILE:
            body = self._model.subgraphs[called[1]]
            self._pass(subgraph, inputs, subgraph, outputs)
            self._pass(body, body.outputs, subgraph, outputs)

    # Bind the handles in a list of tensors to the corresponding tensors of another list.
    def _pass(self, source, sources, target, targets):
        for a, b in zip(sources, targets):
            if a >= 0 and source.first_tensor + a in self._handles:
                self._bind(target, b, self._handles[source.first_tensor + a])

    # Bind a tensor to a variable; raise UnsupportedError if it is the handle of another one.
    def _bind(self, subgraph, i, variable):
        if i < 0:
            return
        if self._handles.setdefault(subgraph.first_tensor + i, variable) is not variable:
            raise UnsupportedError(
                "%s is the handle of different resource variables; convert the model so that each "
                "sub-graph has its own VAR_HANDLE" % subgraph.tensor(i)
            )

    # Set the size of a variable from the first operator that assigns it.
    def _size(self, subgraph, i):
        node = subgraph.node(i)
        if len(node.inputs) != 2 or None in node.inputs:
            return  # Prepare reports it
        handle, value = node.inputs
        variable = self.find(handle)
        if variable is not None and variable.size is None:
            variable.size = value.nbytes()
            variable.default = value.zero_point() & 0xFF

    # Return the operand of the variable of a handle, for the node in prepare. `tensor`: a tensor
    # of this node that must have the same number of bytes.
    def operand(self, context, handle, tensor):
        node = context.node
        variable = self.find(handle)
        if variable is None:
            raise ModelError(
                "%s: %s is no resource variable of a VAR_HANDLE; convert the model again"
                % (node, handle)
            )
        if variable.size is None:
            raise ModelError(
                "%s: %s is never assigned; initialize it in the model" % (node, variable)
            )
        if variable.size != tensor.nbytes():
            raise ModelError(
                "%s: %s has %d bytes, %s has %d; the model is damaged"
                % (node, variable, variable.size, tensor, tensor.nbytes())
            )
        if variable.operand is None:
            variable.operand = context.allocate_state(variable.size, variable.default)
        return variable.operand
