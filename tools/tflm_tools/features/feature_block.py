# tflm_tools: features: FeatureBlock: a block of Edge Impulse for the samples of a file
# MIT license; Copyright (c) 2026 the tflm authors

import json
from math import prod

from tflm.errors import InputError, ModelError
from tflm.features.settings import METADATA, read_settings

from .. import files
from ..errors import ToolError
from .log_mel_block import LogMelBlock, describes_log_mel

_MAX_BYTES = 1 << 20


class FeatureBlock:
    """A block that computes the features of a window of samples.

    settings: the Settings of the block, or the ImpulseSettings of several blocks.
    """

    def __init__(self, settings):
        self.settings = settings

    @property
    def samples(self):
        """Number of samples of a window, of all axes."""
        return self.settings.length * self.settings.axes

    def metadata(self):
        """Return the metadata of a .tflm with this block: {name: bytes}."""
        return {METADATA: json.dumps(self.settings.description(), separators=(",", ":")).encode()}

    def features_of(self, samples, info):
        """Return the features of samples in the shape of an input (TensorInfo)."""
        from . import blocks  # imported here because the page flattens without numpy

        found = blocks.features(self.settings, samples)
        self.check(info)
        return found.reshape(info.shape)

    def check(self, info):
        """Raise ToolError unless an input has as many elements as the block has features."""
        wanted, count = prod(info.shape), prod(self.settings.shape)
        if wanted != count:
            raise ToolError(
                f"the block {self.settings.type} computes {count} features, input '{info.name}' "
                f"has {wanted} elements; use the block that the model was trained with"
            )

    def table(self, path, rows):
        """Return the samples (flat) of the rows of a .csv: the first window of a recording.

        A row is a sample of all axes; a column before them, like a time stamp, is ignored.
        """
        import numpy as np

        rows, axes, length = np.array(rows), self.settings.axes, self.settings.length
        if rows.shape[1] == axes + 1:
            rows = rows[:, 1:]
        if rows.shape[1] == self.samples and len(rows) == 1:
            return rows[0]
        if rows.shape[1] != axes or len(rows) < length:
            raise ToolError(
                f"{path} has {len(rows)} rows of {rows.shape[1]} numbers, a window has {length} "
                f"samples of {axes} axes; write a row for each sample"
            )
        return rows[:length].reshape(-1)


def read_block(source):
    """Return the FeatureBlock of a JSON of Edge Impulse: a path, or the parsed dict.

    The metadata of a speech model gives a LogMelBlock.
    Raises ToolError for a file that cannot be read or describes no block.
    """
    description = source
    if not isinstance(source, dict):
        try:
            description = json.loads(files.read(source, _MAX_BYTES))
        except (RecursionError, ValueError):
            raise ToolError(
                f"{source} is no JSON; export the parameters of the block again"
            ) from None
    if describes_log_mel(description):
        return LogMelBlock(description)
    try:
        block = FeatureBlock(read_settings(description))
        _ = block.settings.shape  # checks the bins of the spectrum
        return block
    except InputError as error:
        raise ToolError(str(error) if source is description else f"{source}: {error}") from None


def block_of_metadata(metadata):
    """Return the FeatureBlock in the metadata of a model; None if it has none."""
    data = metadata.get(METADATA)
    if data is None:
        return None
    try:
        return FeatureBlock(read_settings(json.loads(bytes(data))))
    except (InputError, RecursionError, ValueError):
        raise ModelError("its features are damaged; flatten the model again") from None


def use_block(model, source):
    """Let the input of a ModelFile read samples with the block of a JSON; None changes nothing.

    Raises ToolError for models with several inputs and for blocks that do not fit.
    """
    if source is None:
        return
    if len(model.inputs) != 1:
        raise ToolError(
            f"the model has {len(model.inputs)} inputs; --features is for models with one input"
        )
    block = read_block(source)
    block.check(model.inputs[0])
    model.inputs[0].block = block
