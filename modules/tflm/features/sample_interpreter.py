# tflm.features: SampleInterpreter: an Interpreter whose input takes samples.
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from ..interpreter import Interpreter
from ..tensor import Tensor
from . import of_model


class SampleInterpreter(Interpreter):
    """An Interpreter of a model with a block: input(0) takes samples, and invoke() computes.

    The model is one of `tflm flatten --features`. Arguments: as for Interpreter. Input 0 is
    float32 [length, axes]; invoke() computes its features, stores them in the model's input 0, and
    runs the model. The samples need 4 bytes of heap each, and an invoke leaves them as they are.

    block: the block, see features.load(). Raises InputError for a model without a block.
    """

    def __init__(self, model, *arguments, **options):
        Interpreter.__init__(self, model, *arguments, **options)
        self.block = block = of_model(self)
        shape = block.length, block.axes
        raw = memoryview(bytearray(4 * block.length * block.axes))
        self._samples = Tensor("samples", dtypes.FLOAT32, shape, 0, 0, raw)

    def input(self, i):
        """Return input `i` as a Tensor; input 0 holds the samples."""
        return Interpreter.input(self, i) if i else self._samples

    def invoke(self):
        """Compute the features and run the model; see Interpreter.invoke()."""
        self._compute()
        return Interpreter.invoke(self)

    async def invoke_async(self, pause_ms=5):
        """Compute the features, then run the model; see Interpreter.invoke_async()."""
        self._compute()
        return await Interpreter.invoke_async(self, pause_ms)

    # Features are stored only if the model does not run, because it reads them.
    def _compute(self):
        self._idle()
        self.block.compute(self._samples.data, Interpreter.input(self, 0))
