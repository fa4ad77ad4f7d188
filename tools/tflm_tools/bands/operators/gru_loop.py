# tflm_tools: GruLoop: one step for a WHILE whose body is a GRU
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.common import FLOAT_WORK

from ...model.schema import BuiltinOperator
from .partial_operator import PartialOperator

CODE = BuiltinOperator.UNIDIRECTIONAL_SEQUENCE_LSTM  # the name that users see

# Words of the records of kernels/gru_float.py.
LAYOUTS = {
    "gru_float.eval_float32": (
        "input", "initial", "output", "scratch",
        "weights", "bias", "recurrent_weights", "recurrent_bias",
        "input_size", "state_size", "lowest", "highest", "one",
    ),
}  # fmt: skip

_LOWEST, _HIGHEST, _ONE = 0xFF7FFFFF, 0x7F7FFFFF, 0x3F800000  # bits of float32
_ELEMENT_WORK = 24  # of an element besides its gates, in multiply-accumulates


class GruLoop(PartialOperator):
    """A loop over the rows of an input. loop: the WHILE. steps: how often its body runs.

    source: [rows, 1, size]. initial: the state before the first step. connected: (weights, bias)
    of the input, and of the state; a bias may be None. output: the state after the last step.
    """

    is_whole = True  # it cannot run in bands

    def __init__(self, loop, source, initial, connected, output, steps):
        weights, biases = zip(*connected, strict=True)
        # As for the LSTM: inputs 1 to 8 are the weights, whose multiply-accumulates count.
        inputs = [source, *weights, *[None] * 6, initial, *biases]
        super().__init__(loop, inputs, [output])
        self.builtin_code = CODE
        self._steps = steps

    def prepare(self, context):
        """Write the record."""
        source, weights, recurrent_weights = self.inputs[:3]
        initial, bias, recurrent_bias = self.inputs[9:]
        size, state_size = weights.shape[1], recurrent_weights.shape[1]
        work = state_size * (3 * (size + state_size) + _ELEMENT_WORK)
        context.emit(
            "gru_float.eval_float32",
            LAYOUTS["gru_float.eval_float32"],
            self._steps,
            self._steps * work * FLOAT_WORK,
            input=source,
            initial=initial,
            output=self.outputs[0],
            scratch=context.request_scratch_buffer(4 * 6 * state_size),
            weights=weights,
            bias=bias,
            recurrent_weights=recurrent_weights,
            recurrent_bias=recurrent_bias,
            input_size=size,
            state_size=state_size,
            lowest=_LOWEST,
            highest=_HIGHEST,
            one=_ONE,
        )
